//! Line numbers of the settings in the configuration file.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// The lines, from 1, of all settings of a configuration, by their dotted names:
/// `profiles.work.base_url`. Empty if the text is not TOML.
pub fn places(text: &str) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    if let Ok(document) = DeTable::parse(text) {
        collect(document.get_ref(), "", text, &mut places);
    }
    places
}

fn collect(table: &DeTable<'_>, above: &str, text: &str, places: &mut BTreeMap<String, usize>) {
    for (key, value) in table {
        let name = format!("{above}{}", key.get_ref());
        if let DeValue::Table(inner) = value.get_ref() {
            collect(inner, &format!("{name}."), text, places);
        }
        let before = text.bytes().take(key.span().start);
        let line = 1 + before.filter(|byte| *byte == b'\n').count();
        places.insert(name, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_found_however_they_are_written() {
        let places = places(
            "theme = \"dark\"\n[profiles.a]\n# first\nbase_url = \"https://a\"\n\
             [profiles]\nb = { base_url = \"https://b\",\n read_only = true }\n",
        );
        let line = |name: &str| places.get(name).copied();
        assert_eq!(line("theme"), Some(1));
        assert_eq!(line("profiles.a.base_url"), Some(4));
        assert_eq!(line("profiles.b.base_url"), Some(6));
        assert_eq!(line("profiles.b.read_only"), Some(7));
        assert_eq!(line("profiles.a.read_only"), None);
    }
}

//! The user's own themes: files of colours in `themes/` next to the configuration, and the setting
//! that selects one.

use std::fs;
use std::path::{Path, PathBuf};

use toml::de::DeTable;
use toml_edit::DocumentMut;

use super::appearance::Entry;
use super::config::{ConfigError, Position};
use super::profiles::set;
use super::rewrite::{SettingError, rewrite};
use crate::store::files;
use crate::tui::appearance::Choice;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeFile {
    pub name: String,
    /// The built-in theme for colours that the file does not set.
    pub base: Choice,
    pub colors: Vec<Entry<String>>,
    pub path: PathBuf,
}

/// The folder `themes` beside a configuration file.
pub fn folder(config: &Path) -> PathBuf {
    config.with_file_name("themes")
}

/// Whether a text is a valid name of a user's theme, which becomes part of a path: ASCII letters, digits, `-`
/// and `_`, and no built-in theme's name.
pub fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !name.is_empty() && name.bytes().all(is_plain) && !Choice::ALL.iter().any(|(built_in, _)| *built_in == name)
}

/// Whether the folder of the configuration has a user's theme of that name.
pub(super) fn exists(folder: &Path, name: &str) -> bool {
    is_name(name) && folder.join("themes").join(format!("{name}.toml")).is_file()
}

/// The themes in a folder, sorted by name, and the mistakes in them. A missing folder has none; files with
/// other names or extensions are skipped.
pub fn load(folder: &Path) -> (Vec<ThemeFile>, Vec<ConfigError>) {
    let mut themes = Vec::new();
    let mut wrong = Vec::new();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let is_toml = path.extension().is_some_and(|kind| kind == "toml");
        let name = path.file_stem().and_then(|name| name.to_str());
        let Some(name) = name.filter(|name| is_toml && is_name(name)) else {
            continue;
        };
        match files::read_text(&path) {
            Ok(text) => themes.push(read(name, &text, &path, &mut wrong)),
            Err(error) => wrong.push(ConfigError::Unreadable {
                path: path.clone(),
                why: files::read_error_text(&error),
            }),
        }
    }
    themes.sort_by(|left, right| left.name.cmp(&right.name));
    (themes, wrong)
}

/// Reads the colors of a theme file by role, and its `base`; mistakes are added to `wrong`, and the colors
/// themselves are not judged here.
fn read(name: &str, text: &str, path: &Path, wrong: &mut Vec<ConfigError>) -> ThemeFile {
    let mut theme = ThemeFile {
        name: name.to_owned(),
        base: Choice::Auto,
        colors: Vec::new(),
        path: path.to_owned(),
    };
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut note = |at: usize, message: String| {
        wrong.push(ConfigError::wrong(path, Position::at_offset(text, at), message));
    };
    for error in &errors {
        let at = error.span().map_or(0, |span| span.start);
        note(at, error.message().lines().next().unwrap_or_default().to_owned());
    }
    for (role, value) in root.get_ref() {
        let at = value.span().start;
        let Some(value) = value.get_ref().as_str() else {
            note(at, "expected a color such as \"#7ac7ff\"".to_owned());
            continue;
        };
        if role.get_ref().as_ref() == "base" {
            match Choice::ALL.iter().find(|(built_in, _)| *built_in == value) {
                Some((_, base)) => theme.base = *base,
                None => note(at, format!("'{value}' is not a built-in theme")),
            }
            continue;
        }
        theme.colors.push(Entry {
            name: role.get_ref().to_string(),
            value: value.to_owned(),
            position: Position::at_offset(text, at),
        });
    }
    theme.colors.sort_by_key(|entry| entry.position);
    theme
}

/// Selects a theme in the configuration by name; the rest of the file stays as it is.
///
/// # Errors
///
/// When the file cannot be changed.
pub fn choose(config: &Path, name: &str) -> Result<(), SettingError> {
    let line = format!("theme = \"{name}\"");
    rewrite(
        config,
        &line,
        |text| named(text, name),
        |after| after.values.theme.name() == name,
    )
}

/// The text of the configuration with another theme selected; `None` if it cannot be edited.
fn named(text: &str, name: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    match document.get_mut("theme") {
        Some(item) if item.is_table_like() => set(item.as_table_like_mut()?, "name", name),
        Some(item) if !item.is_value() => return None,
        _ => set(document.as_table_mut(), "theme", name),
    }
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Config;

    #[test]
    fn the_name_of_the_theme_changes_and_nothing_else() {
        for (before, after) in [
            ("", "theme = \"night\"\n"),
            ("theme = \"dark\" # mine\n", "theme = \"night\" # mine\n"),
            (
                "# x\n[profiles.a]\nbase_url = \"https://a\"\n",
                "theme = \"night\"\n# x\n[profiles.a]\nbase_url = \"https://a\"\n",
            ),
            (
                "[theme]\nname = \"dark\"\n[theme.colors]\ndim = \"gray\"\n",
                "[theme]\nname = \"night\"\n[theme.colors]\ndim = \"gray\"\n",
            ),
            ("[theme]\n[keys]\n", "[theme]\nname = \"night\"\n[keys]\n"),
        ] {
            assert_eq!(named(before, "night").as_deref(), Some(after));
        }
        let implied = named("[theme.colors]\ndim = \"gray\"\n", "night").unwrap();
        let read: toml::Table = implied.parse().unwrap();
        assert_eq!(read["theme"]["name"].as_str(), Some("night"));
        assert_eq!(read["theme"]["colors"]["dim"].as_str(), Some("gray"));
    }

    #[test]
    fn a_theme_is_a_file_of_colours() {
        let folder = tempfile::tempdir().unwrap();
        let night = "base = \"dark\"\naccent = \"#ff79c6\"\nerror = 3\n";
        fs::write(folder.path().join("night.toml"), night).unwrap();
        fs::write(folder.path().join("dark.toml"), "accent = \"red\"").unwrap();
        fs::write(folder.path().join("notes.txt"), "no theme").unwrap();
        let (themes, wrong) = load(folder.path());
        // A file cannot replace a built-in theme.
        assert_eq!(themes.len(), 1);
        assert_eq!((themes[0].name.as_str(), themes[0].base), ("night", Choice::Dark));
        let colors: Vec<_> = themes[0].colors.iter().map(|color| color.value.as_str()).collect();
        assert_eq!(colors, ["#ff79c6"]);
        assert!(wrong[0].to_string().contains("night.toml:3:9: expected a color"));
        assert_eq!(load(&folder.path().join("none")).0, []);
    }

    #[test]
    fn the_configuration_takes_the_name_of_a_file_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        fs::create_dir(folder.path().join("themes")).unwrap();
        fs::write(folder.path().join("themes/night.toml"), "accent = \"red\"").unwrap();
        choose(&config, "night").unwrap();
        assert_eq!(Config::load(&config).unwrap().values.theme.name(), "night");
        choose(&config, "light").unwrap();
        assert_eq!(Config::load(&config).unwrap().values.theme.name(), "light");
        assert!(choose(&config, "absent").is_err());
        assert_eq!(fs::read_to_string(&config).unwrap(), "theme = \"light\"\n");
    }
}

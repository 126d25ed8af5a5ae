//! Changes one setting in the configuration file; comments, order and everything else stay.

use std::io;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use super::config::{Config, ConfigError};
use crate::domain::throughput::WorkUnit;
use crate::store::files;

/// A setting that was not changed: the configuration is as before.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    #[error("No home directory: the setting is not saved")]
    NoHome,
    #[error(transparent)]
    Configuration(#[from] ConfigError),
    #[error("{} can't be changed here: write {line} into it", .path.display())]
    Meaning { path: PathBuf, line: String },
    #[error("{} can't be written: {source}", .path.display())]
    Unwritable { path: PathBuf, source: io::Error },
}

/// Changes the file by `change`, which returns `None` where it cannot. The file must be valid before and
/// after, have the same profile names and satisfy `is_right`; otherwise it is not written, and the error has
/// `line`, the setting to write by hand, or the mistake that the file had before.
pub(super) fn rewrite(
    config: &Path,
    line: &str,
    change: impl FnOnce(&str) -> Option<String>,
    is_right: impl FnOnce(&Config) -> bool,
) -> Result<(), SettingError> {
    let before = Config::load(config)?;
    let text = files::read_text(config).unwrap_or_default();
    let foreign = || SettingError::Meaning {
        path: config.to_owned(),
        line: line.to_owned(),
    };
    let changed = change(&text).ok_or_else(foreign)?;
    let after = Config::parse(&changed, config).map_err(|_| foreign())?;
    if !is_right(&after) || after.profile_names() != before.profile_names() {
        return Err(foreign());
    }
    files::replace(config, changed.as_bytes()).map_err(|source| SettingError::Unwritable {
        path: config.to_owned(),
        source,
    })
}

/// Sets the throughput of a GPU model in the configuration file: `rate`, a number in units of work per
/// second; `None` removes it.
///
/// # Errors
///
/// When `rate` is no number, or the file cannot be changed.
pub fn set_rate(config: &Path, unit: WorkUnit, model: &str, rate: Option<&str>) -> Result<(), SettingError> {
    let line = match rate {
        Some(rate) => format!("[throughput.\"{}\"] \"{model}\" = {rate}", unit.rate()),
        None => format!("[throughput.\"{}\"] without {model}", unit.rate()),
    };
    let number: Option<f64> = rate.and_then(|rate| rate.parse().ok());
    let change = |text: &str| match rate {
        Some(_) => rated(text, unit, model, number?),
        None => unrated(text, unit, model),
    };
    let is_right = |after: &Config| after.values.throughput.rate(unit, model, 1.0) == number;
    rewrite(config, &line, change, is_right)
}

/// The configuration's text without the rate of a model, in any spelling of its name; `None` if it cannot be
/// edited or has no such rate.
fn unrated(text: &str, unit: WorkUnit, model: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let models = document
        .get_mut("throughput")?
        .get_mut(unit.rate())?
        .as_table_like_mut()?;
    let name = spelled(models, model)?;
    models.remove(&name);
    Some(document.to_string())
}

/// The name under which the table has a GPU model: upper and lower case, blanks and underscores are alike.
/// `None` if it has not.
fn spelled(models: &dyn TableLike, model: &str) -> Option<String> {
    let plain = |name: &str| name.trim().replace('_', " ").to_ascii_lowercase();
    let mut known = models.iter().map(|(name, _)| name);
    known.find(|name| plain(name) == plain(model)).map(str::to_owned)
}

/// The configuration's text with another rate; one that names the same model in another spelling is replaced.
/// `None` if it cannot be edited.
fn rated(text: &str, unit: WorkUnit, model: &str, rate: f64) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let mut implicit = Table::new();
    implicit.set_implicit(true);
    let units = document.entry("throughput").or_insert(Item::Table(implicit));
    let units = units.as_table_like_mut()?;
    let entry = units.entry(unit.rate()).or_insert(Item::Table(Table::new()));
    let models = entry.as_table_like_mut()?;
    let name = spelled(models, model);
    models.insert(name.as_deref().unwrap_or(model), value(rate));
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_added_or_replaced_and_nothing_else_changes() {
        for (before, after) in [
            ("", "[throughput.\"tokens/s\"]\n\"RTX 4090\" = 2900.0\n"),
            (
                "# mine\n[throughput.\"tokens/s\"] # measured\nrtx_4090 = 12\nH100 = 7\n",
                "# mine\n[throughput.\"tokens/s\"] # measured\nrtx_4090 = 2900.0\nH100 = 7\n",
            ),
            (
                "[throughput.\"images/s\"]\nL4 = 3\n",
                "[throughput.\"images/s\"]\nL4 = 3\n\n[throughput.\"tokens/s\"]\n\"RTX 4090\" = 2900.0\n",
            ),
        ] {
            let rated = rated(before, WorkUnit::Tokens, "RTX 4090", 2900.0);
            assert_eq!(rated.as_deref(), Some(after));
        }
    }

    #[test]
    fn a_rate_is_removed_in_any_spelling_and_nothing_else_changes() {
        let before = "# mine\n[throughput.\"tokens/s\"] # measured\nrtx_4090 = 12\nH100 = 7\n";
        let after = "# mine\n[throughput.\"tokens/s\"] # measured\nH100 = 7\n";
        assert_eq!(unrated(before, WorkUnit::Tokens, "RTX 4090").as_deref(), Some(after));
        for (unit, model) in [(WorkUnit::Tokens, "L4"), (WorkUnit::Images, "H100")] {
            assert_eq!(unrated(before, unit, model), None);
        }
    }

    #[test]
    fn a_broken_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        set_rate(&config, WorkUnit::Tokens, "RTX 4090", Some("2900")).unwrap();
        let rate = |config| {
            Config::load(config)
                .unwrap()
                .values
                .throughput
                .rate(WorkUnit::Tokens, "rtx 4090", 1.0)
        };
        assert_eq!(rate(&config), Some(2900.0));
        std::fs::write(&config, "theme = ").unwrap();
        assert!(set_rate(&config, WorkUnit::Tokens, "RTX 4090", Some("1")).is_err());
        assert_eq!(std::fs::read_to_string(&config).unwrap(), "theme = ");
    }
}

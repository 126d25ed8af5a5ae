//! From what the configuration says about keys and looks to a key table and a theme.

use std::path::Path;

use crate::app::keys::{Keymap, OwnKeys};
use crate::store::{Config, ConfigError, Theme};
use crate::widgets::appearance::{Choice, Look, Override};

/// The person's keys and looks. What is wrong is named, and the defaults hold in its place.
pub fn of(config: &Config, path: &Path) -> (Keymap, Look, Vec<ConfigError>) {
    let mut wrong = Vec::new();
    let mut note = |line: usize, message: String| {
        wrong.push(ConfigError::Wrong {
            path: path.to_owned(),
            line,
            message,
        });
    };
    let own: Vec<_> = config
        .keys
        .iter()
        .map(|entry| OwnKeys {
            name: entry.name.clone(),
            keys: entry.value.clone(),
            line: entry.line,
        })
        .collect();
    let keymap = Keymap::configured(&own).unwrap_or_else(|error| {
        note(error.line, error.message);
        Keymap::default()
    });
    let overrides = config
        .colors
        .iter()
        .filter_map(|entry| match Override::parse(&entry.name, &entry.value) {
            Ok(change) => Some(change),
            Err(why) => {
                note(entry.line, why);
                None
            }
        })
        .collect();
    let look = Look {
        choice: choice(config.theme),
        overrides,
        ascii: config.ascii,
    };
    (keymap, look, wrong)
}

const fn choice(theme: Theme) -> Choice {
    match theme {
        Theme::Auto => Choice::Auto,
        Theme::Dark => Choice::Dark,
        Theme::Light => Choice::Light,
        Theme::HighContrast => Choice::HighContrast,
        Theme::Ansi => Choice::Ansi,
        Theme::Plain => Choice::Plain,
    }
}

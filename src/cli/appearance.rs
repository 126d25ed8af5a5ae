//! From what the configuration says about keys and looks to a key table and a theme.

use std::path::Path;

use crate::app::keys::{Keymap, OwnKeys};
use crate::store::config::Place;
use crate::store::{Config, ConfigError, Theme};
use crate::widgets::appearance::{Choice, Look, Override};

/// The person's keys and looks. What is wrong is named, and the defaults hold in its place.
pub fn of(config: &Config, path: &Path) -> (Keymap, Look, Vec<ConfigError>) {
    let mut wrong = config.dropped.clone();
    let mut note = |place: Place, message: String| {
        wrong.push(ConfigError::Wrong {
            path: path.to_owned(),
            place,
            message,
        });
    };
    let own: Vec<_> = config
        .keys
        .iter()
        .map(|entry| OwnKeys {
            name: entry.name.clone(),
            keys: entry.value.clone(),
            line: entry.place.line,
        })
        .collect();
    let (keymap, errors) = Keymap::configured(&own);
    for error in errors {
        if let Some(entry) = config.keys.iter().find(|entry| entry.name == error.name) {
            note(entry.place, error.message);
        }
    }
    let overrides = config
        .colors
        .iter()
        .filter_map(|entry| match Override::parse(&entry.name, &entry.value) {
            Ok(change) => Some(change),
            Err(why) => {
                note(entry.place, why);
                None
            }
        })
        .collect();
    wrong.sort_by_key(ConfigError::place);
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

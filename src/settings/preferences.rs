//! The settings that apply without reconnecting: the configuration, with its key table and themes.

use std::path::Path;

use super::appearance::{Entry, ThemeSource};
use super::config::{Config, ConfigError};
use super::themes::{self, ThemeFile};
use crate::keys::commands::bind_commands;
use crate::keys::{Keymap, configured};
use crate::tui::appearance::{Choice, Override, ThemeConfig};

/// A configuration, with its key table and themes.
#[derive(Debug, Clone)]
pub struct Preferences {
    pub config: Config,
    pub keymap: Keymap,
    pub look: ThemeConfig,
    /// All available themes: the name, the look, and whether it is one of the user's files.
    pub themes: Vec<(String, ThemeConfig, bool)>,
}

impl Preferences {
    /// The preferences of the configuration in the file `path`, and its mistakes sorted by position; defaults
    /// replace invalid settings. If a theme file is selected, the mistakes of all theme files follow at the
    /// end.
    pub fn from_config(config: Config, path: &Path) -> (Self, Vec<ConfigError>) {
        let mut wrong = config.dropped.clone();
        let (mut keymap, errors) = configured(&config.values.user_keys());
        for error in errors {
            if let Some(entry) = config.values.keys.iter().find(|entry| entry.name == error.name) {
                wrong.push(ConfigError::wrong(path, entry.position, error.message));
            }
        }
        let commands = config.values.commands.iter();
        let commands: Vec<_> = commands
            .map(|named| (named.name.as_str(), named.position.line, &named.value))
            .collect();
        for error in bind_commands(&mut keymap, &commands) {
            let position = config.position(&format!("commands.{}.key", error.name));
            wrong.push(ConfigError::wrong(path, position.unwrap_or_default(), error.message));
        }
        let (_, mistakes) = overrides(&config.values.colors, path);
        wrong.extend(mistakes);
        wrong.sort_by_key(ConfigError::position);
        let (files, mistakes) = themes::load(&themes::folder(path));
        let choices = Choice::ALL.into_iter();
        let built_in = choices.map(|(name, theme)| (name.to_owned(), of_theme(theme, &config, path), false));
        let all = files.iter();
        let user_themes = all.map(|file| (file.name.clone(), of_file(file, &config, path), true));
        let themes = built_in.chain(user_themes).collect();
        let look = match &config.values.theme {
            ThemeSource::BuiltIn(theme) => of_theme(*theme, &config, path),
            ThemeSource::File(name) => match files.iter().find(|file| file.name == *name) {
                Some(file) => {
                    let file_mistakes = overrides(&file.colors, &file.path).1;
                    wrong.extend(mistakes.into_iter().chain(file_mistakes));
                    of_file(file, &config, path)
                }
                None => of_theme(Choice::default(), &config, path),
            },
        };
        (
            Self {
                config,
                keymap,
                look,
                themes,
            },
            wrong,
        )
    }
}

/// A built-in theme with the valid colors that the configuration overrides.
fn of_theme(choice: Choice, config: &Config, path: &Path) -> ThemeConfig {
    ThemeConfig {
        choice,
        overrides: overrides(&config.values.colors, path).0,
        ascii: config.values.ascii,
    }
}

/// The look of a theme file: its valid colors on its base theme, and those of the configuration over both.
fn of_file(file: &ThemeFile, config: &Config, path: &Path) -> ThemeConfig {
    let mut look = of_theme(file.base, config, path);
    look.overrides.splice(0..0, overrides(&file.colors, &file.path).0);
    look
}

/// The valid colors as overrides of a theme, and the mistakes in the others; `path` is the file they are
/// from.
fn overrides(colors: &[Entry<String>], path: &Path) -> (Vec<Override>, Vec<ConfigError>) {
    let mut wrong = Vec::new();
    let colors = colors.iter();
    let overrides = colors
        .filter_map(|entry| match Override::parse(&entry.name, &entry.value) {
            Ok(change) => Some(change),
            Err(message) => {
                wrong.push(ConfigError::wrong(path, entry.position, message));
                None
            }
        })
        .collect();
    (overrides, wrong)
}

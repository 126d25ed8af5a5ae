//! The appearance and notification settings of the configuration, with their positions.

use super::config::Position;
use crate::tui::appearance::Choice;

/// A theme as the configuration names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThemeSource {
    BuiltIn(Choice),
    /// A file in `themes/`, whose colours override those of a built-in theme.
    File(String),
}

impl Default for ThemeSource {
    fn default() -> Self {
        Self::BuiltIn(Choice::default())
    }
}

impl ThemeSource {
    /// The name of the theme in the configuration: that of a built-in theme or of the file.
    pub fn name(&self) -> &str {
        match self {
            Self::BuiltIn(theme) => name_in(&Choice::ALL, theme),
            Self::File(name) => name,
        }
    }
}

/// The name of `chosen` in a table of choices; empty if it is not among them.
fn name_in<T: PartialEq>(all: &[(&'static str, T)], chosen: &T) -> &'static str {
    let named = all.iter().find(|(_, choice)| choice == chosen);
    named.map_or("", |(name, _)| name)
}

/// When a desktop notification is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notifications {
    #[default]
    Off,
    /// While the terminal is unfocused, if it reports that.
    Unfocused,
    Always,
}

impl Notifications {
    pub const ALL: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("unfocused", Self::Unfocused),
        ("always", Self::Always),
    ];

    /// The name of the choice in the configuration: `off`, `unfocused` or `always`.
    pub fn name(self) -> &'static str {
        name_in(&Self::ALL, &self)
    }
}

/// A name in the file, its value, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<T> {
    pub name: String,
    pub value: T,
    pub position: Position,
}

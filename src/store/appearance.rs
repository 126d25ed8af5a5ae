//! What the configuration says about looks and keys, and where.

use super::config::Place;

/// The colours of the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the terminal's background suggests.
    #[default]
    Auto,
    Dark,
    Light,
    HighContrast,
    /// The terminal's own sixteen colours.
    Ansi,
    Plain,
}

impl Theme {
    pub const ALL: [(&'static str, Self); 6] = [
        ("auto", Self::Auto),
        ("dark", Self::Dark),
        ("light", Self::Light),
        ("high-contrast", Self::HighContrast),
        ("ansi", Self::Ansi),
        ("none", Self::Plain),
    ];
}

/// When the desktop is notified of what ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notifications {
    #[default]
    Off,
    /// While the terminal does not have the focus, where it reports that.
    Unfocused,
    Always,
}

impl Notifications {
    pub const ALL: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("unfocused", Self::Unfocused),
        ("always", Self::Always),
    ];
}

/// A name of the file, what stands behind it, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<T> {
    pub name: String,
    pub value: T,
    pub place: Place,
}

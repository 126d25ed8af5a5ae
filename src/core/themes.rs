//! The available themes, as this terminal shows them.

use crate::tui::theme::Theme;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTheme {
    /// Its name in the configuration.
    pub name: String,
    /// Its styles; `None` for the one that follows the terminal's background.
    pub theme: Option<Theme>,
    /// Whether it is one of the user's own files.
    pub is_users: bool,
}

/// The themes, and the current one.
#[derive(Debug, Clone, Default)]
pub struct Themes {
    pub all: Vec<NamedTheme>,
    /// The name of the selected theme.
    pub chosen: String,
    /// The theme in use; `None` while it is that of the start.
    pub shown: Option<Theme>,
}

//! The available themes, as this terminal shows them.

use crate::tui::theme::Theme;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTheme {
    /// Its name in the configuration.
    pub name: String,
    /// Its styles; `None` for the one that follows the terminal's background.
    pub theme: Option<Theme>,
    /// Whether it is one of the person's own files.
    pub is_users: bool,
}

/// The themes, and the current one.
#[derive(Debug, Clone, Default)]
pub struct Themes {
    pub all: Vec<NamedTheme>,
    /// The name of the selected one.
    pub chosen: String,
    /// The theme to draw with, unless it is that of the start.
    pub shown: Option<Theme>,
    /// The theme just saved to the configuration, so that reloading it is not reported.
    pub saved: Option<String>,
}

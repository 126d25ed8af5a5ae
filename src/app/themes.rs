//! The themes that can be shown, as this terminal shows them.

use crate::widgets::theme::Theme;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTheme {
    /// Its name in the configuration.
    pub name: String,
    /// Its styles; `None` for the one that follows the terminal's background.
    pub theme: Option<Theme>,
    /// Whether it is a file of the person's own.
    pub is_own: bool,
}

/// The themes, and the one that is shown.
#[derive(Debug, Clone, Default)]
pub struct Themes {
    pub all: Vec<NamedTheme>,
    /// The name of the chosen one.
    pub chosen: String,
    /// The theme to draw with, if it is not the one of the start.
    pub shown: Option<Theme>,
    /// The theme that was just written into the configuration: reading that back is no news.
    pub saved: Option<String>,
}

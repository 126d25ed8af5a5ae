//! The interface of widgets to which a view passes its keys.

use crossterm::event::KeyEvent;

use super::text_input::Pasted;
use super::viewport::Viewport;
use crate::command::Command;

/// A widget with text input: a list with a search line, a form, a report with a search.
///
/// `viewport` is its visible part in the last frame.
pub trait InputWidget {
    /// Moves or searches; false, the default, if the widget does not handle the command.
    fn act(&mut self, _command: Command, _viewport: Viewport) -> bool {
        false
    }

    /// Handles a typed key; false if the widget does not handle it.
    fn typed(&mut self, key: KeyEvent, viewport: Viewport) -> bool;

    /// Handles a pasted text; `None` if nothing can be pasted now.
    fn pasted(&mut self, text: &str) -> Option<Pasted>;

    /// Scrolls by `lines`, up if negative; false, the default, if the wheel moves its cursor instead.
    fn wheel(&mut self, _lines: isize, _viewport: Viewport) -> bool {
        false
    }

    /// Selects a line; false, the default, if the widget does not handle clicks by itself.
    fn select_line(&mut self, _line: usize) -> bool {
        false
    }
}

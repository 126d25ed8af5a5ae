//! The interface of widgets to which a view passes its keys.

use crossterm::event::KeyEvent;

use super::text_input::Pasted;
use super::viewport::Viewport;
use crate::command::Command;

/// A widget with text input: a list with a search line, a form, a report with a search.
///
/// `viewport` is its visible part in the last frame.
pub trait InputWidget {
    /// Moves or searches; false if the widget does not handle the command.
    fn act(&mut self, command: Command, viewport: Viewport) -> bool {
        let _ = (command, viewport);
        false
    }

    /// Handles a typed key; false if the widget does not handle it.
    fn typed(&mut self, key: KeyEvent, viewport: Viewport) -> bool;

    /// Handles a pasted text; `None` if nothing can be pasted now.
    fn pasted(&mut self, text: &str) -> Option<Pasted>;

    /// Scrolls by `lines`, up if negative; false if the wheel moves its cursor instead.
    fn wheel(&mut self, lines: isize, viewport: Viewport) -> bool {
        let _ = (lines, viewport);
        false
    }

    /// Selects a line; false if the widget does not handle clicks by itself.
    fn select_line(&mut self, line: usize) -> bool {
        let _ = line;
        false
    }
}

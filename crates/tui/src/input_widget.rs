//! What a view leaves to the widget that its keys go to.

use crossterm::event::KeyEvent;

use super::text_input::Pasted;
use super::viewport::Viewport;
use crate::command::Command;

/// A widget with a text that is typed: a list with a search line, a form, a report that is searched.
/// `viewport` is what the last frame showed of it.
pub trait InputWidget {
    /// Moves or searches; false if the command means nothing to it.
    fn act(&mut self, command: Command, viewport: Viewport) -> bool {
        let _ = (command, viewport);
        false
    }

    /// Takes a typed key; false if it has no use for the key.
    fn typed(&mut self, key: KeyEvent, viewport: Viewport) -> bool;

    /// Takes a pasted text; `None` if nothing can be pasted into it now.
    fn pasted(&mut self, text: &str) -> Option<Pasted>;

    /// Scrolls by `lines`, up if negative; false if the wheel moves its cursor instead.
    fn wheel(&mut self, lines: isize, viewport: Viewport) -> bool {
        let _ = (lines, viewport);
        false
    }

    /// Selects a line; false if a click on it means nothing to the widget alone.
    fn select_line(&mut self, line: usize) -> bool {
        let _ = line;
        false
    }
}

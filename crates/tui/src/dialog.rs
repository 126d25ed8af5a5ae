//! A box in the middle of the screen, with everything behind it dimmed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::panel::Panel;
use super::theme::Theme;

/// The maximum width of running text, in cells: longer lines are hard to read.
pub const READABLE: u16 = 76;

/// The maximum width of the strips beside a dialog that are blanked, in cells.
///
/// The ends of lines there would read as text of the dialog.
const BESIDE: u16 = 16;

/// Opens a dialog: dims the screen and draws its frame of `width` x `height` cells, including borders, in the
/// middle, made smaller to fit; returns the area inside. Narrow strips beside it are blanked.
pub fn open(panel: Panel<'_>, (width, height): (u16, u16), screen: Rect, buffer: &mut Buffer, theme: &Theme) -> Rect {
    buffer.set_style(screen, theme.backdrop);
    let area = centred(width, height, screen);
    clear_beside(area, screen, buffer);
    panel.render(area, buffer, theme)
}

/// Blanks the strips of the screen to the left and right of a centred frame, in its rows, unless they are
/// wider than 16 cells each and so can be read as the text behind it.
pub fn clear_beside(frame: Rect, screen: Rect, buffer: &mut Buffer) {
    if screen.width.saturating_sub(frame.width) <= 2 * BESIDE {
        let rows = Rect {
            x: screen.x,
            width: screen.width,
            ..frame
        };
        Clear.render(rows, buffer);
    }
}

/// A rectangle of `width` x `height` cells in the middle of another, made smaller to fit.
pub fn centred(width: u16, height: u16, within: Rect) -> Rect {
    let (width, height) = (width.min(within.width), height.min(within.height));
    Rect {
        x: within.x + (within.width - width) / 2,
        y: within.y + (within.height - height) / 2,
        width,
        height,
    }
}

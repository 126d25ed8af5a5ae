//! A box in the middle of the screen, with everything behind it dimmed.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::panel::Panel;
use super::theme::Theme;

/// The maximum width of running text, in cells: longer lines are hard to read.
pub const READABLE: u16 = 76;

/// The maximum width of the strips beside a dialog that are blanked, in cells: stubs of the pane there would only
/// distract.
const BESIDE: u16 = 4;

/// Opens a dialog: dims the screen and draws its frame of `width` x `height` cells, including borders, in the
/// middle, made smaller to fit; returns the area inside. A nearly full-width frame also blanks the narrow
/// strips beside it.
pub fn open(panel: Panel<'_>, (width, height): (u16, u16), screen: Rect, buffer: &mut Buffer, theme: &Theme) -> Rect {
    buffer.set_style(screen, theme.backdrop);
    let area = centred(width, height, screen);
    if screen.width - area.width <= 2 * BESIDE {
        let rows = Rect {
            x: screen.x,
            width: screen.width,
            ..area
        };
        Clear.render(rows, buffer);
    }
    panel.render(area, buffer, theme)
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

//! A box in the middle of the screen that dims everything behind it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Text};
use ratatui::widgets::{Clear, Paragraph, Widget};

use super::panel::{Panel, Tone};
use super::text::cells;
use super::theme::Theme;

/// The maximum width of running text: longer lines are hard to read.
pub const READABLE: u16 = 76;

// Stubs of the pane there would only distract.
/// Blank cells beside a dialog up to this width.
const BESIDE: u16 = 4;

/// Dims the screen and draws a frame of `width` x `height` cells, including borders, in its middle;
/// returns the area inside.
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

/// A rectangle in the middle of another, no larger than that.
pub fn centred(width: u16, height: u16, within: Rect) -> Rect {
    let (width, height) = (width.min(within.width), height.min(within.height));
    Rect {
        x: within.x + (within.width - width) / 2,
        y: within.y + (within.height - height) / 2,
        width,
        height,
    }
}

/// A question or a message: a title, text, and a line of keys below it.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// The title in the frame.
    pub title: &'a str,
    pub text: Text<'a>,
    /// The keys to answer with.
    pub keys: Line<'a>,
    /// What the answer risks.
    pub tone: Tone,
}

impl Message<'_> {
    /// Draws it in the middle of the screen; returns the row of the keys.
    pub fn render(self, screen: Rect, buffer: &mut Buffer, theme: &Theme) -> Rect {
        let widest = self.text.width().max(self.keys.width());
        let width = u16::try_from(widest)
            .unwrap_or(u16::MAX)
            .max(cells(self.title) + 4)
            .clamp(30, READABLE)
            .min(screen.width.saturating_sub(4));
        let lines: Vec<Line<'_>> = (self.text.lines.iter())
            .flat_map(|line| super::text::wrap_line(line, width, 0))
            .collect();
        let height = u16::try_from(lines.len() + 4).unwrap_or(u16::MAX);
        let panel = Panel::new(self.title).tone(self.tone);
        let inner = open(panel, (width + 4, height), screen, buffer, theme);
        let keys = Rect {
            y: inner.bottom().saturating_sub(1),
            height: 1,
            ..inner
        };
        Paragraph::new(lines).render(inner, buffer);
        Clear.render(keys, buffer);
        super::text::fit(self.keys, keys.width).render(keys, buffer);
        keys
    }
}

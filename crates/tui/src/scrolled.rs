//! A scrolled text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{StatefulWidget, Widget};

use super::text::wrap_line;
use super::viewport::Viewport;

/// The indent of continued rows of a line, in cells.
const INDENT: u16 = 2;

/// Lines scrolled to `top`, long ones wrapped; none of them can be clicked.
#[derive(Debug)]
pub struct Scrolled<'a> {
    /// The lines of the text.
    pub lines: &'a [Line<'static>],
    /// The first row to show, from 0, counted after long lines are wrapped.
    pub top: usize,
}

impl StatefulWidget for Scrolled<'_> {
    type State = Viewport;

    fn render(self, area: Rect, buffer: &mut Buffer, viewport: &mut Viewport) {
        let lines = self.lines.iter();
        let wrapped: Vec<Line<'_>> = lines.flat_map(|line| wrap_line(line, area.width, INDENT)).collect();
        viewport.scroll_to(self.top, wrapped.len(), area);
        viewport.rows = Rect::default();
        for (line, row) in wrapped[viewport.visible()].iter().zip(area.rows()) {
            line.render(row, buffer);
        }
    }
}

//! The visible part of scrollable content.

use bourse_domain::format::grouped;
use ratatui::layout::Rect;

/// The visible part of a list, table or text in the last frame.
///
/// It is the state of every scrolling widget: rendering changes `top` only if the cursor would leave the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Viewport {
    /// The first visible line, from 0.
    pub top: usize,
    /// The number of lines that fit, at least 1.
    pub page: usize,
    /// The total number of lines.
    pub total: usize,
    /// The width of a line in cells.
    pub width: u16,
    /// The area of the lines, one per row; empty if they cannot be clicked.
    pub rows: Rect,
}

impl Viewport {
    /// Scrolls as little as needed to keep `cursor` visible among `total` lines in `rows`.
    pub fn follow(&mut self, cursor: usize, total: usize, rows: Rect) {
        self.page = usize::from(rows.height).max(1);
        self.total = total;
        self.width = rows.width;
        self.rows = rows;
        let lowest = (cursor + 1).saturating_sub(self.page);
        let last = total.saturating_sub(self.page);
        self.top = self.top.clamp(lowest, cursor.max(lowest)).min(last);
    }

    /// Shows `total` lines in `rows` from line `top` on, or from the last possible one; there is no cursor.
    pub fn scroll_to(&mut self, top: usize, total: usize, rows: Rect) {
        self.page = usize::from(rows.height).max(1);
        self.total = total;
        self.width = rows.width;
        self.rows = rows;
        self.top = top.min(total.saturating_sub(self.page));
    }

    /// The range of visible lines.
    pub fn visible(&self) -> std::ops::Range<usize> {
        self.top..(self.top + self.page).min(self.total)
    }

    /// The largest value of the top line: that with the last line at the bottom.
    pub const fn last_top(&self) -> usize {
        self.total.saturating_sub(self.page)
    }

    /// The index of the line at a cell of the screen; `None` outside the lines, or if they cannot be clicked.
    pub fn line_at(&self, x: u16, y: u16) -> Option<usize> {
        let line = self.top + usize::from(y.checked_sub(self.rows.y)?);
        (self.rows.contains((x, y).into()) && line < self.total).then_some(line)
    }

    /// Describes the visible lines and the total: `1–38 of 500`; only the total if all are visible, `none`
    /// for no lines.
    pub fn label(&self) -> String {
        if self.total == 0 {
            return "none".to_owned();
        }
        let visible = self.visible();
        if visible.len() >= self.total {
            return grouped(self.total);
        }
        let [start, end, total] = [visible.start + 1, visible.end, self.total].map(grouped);
        format!("{start}–{end} of {total}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_moves_only_as_far_as_the_cursor_needs() {
        let rows = Rect::new(0, 2, 10, 5);
        let mut viewport = Viewport::default();
        viewport.follow(4, 20, rows);
        assert_eq!(viewport.top, 0);
        viewport.follow(7, 20, rows);
        assert_eq!(viewport.top, 3);
        viewport.follow(4, 20, rows);
        assert_eq!(viewport.top, 3);
        viewport.follow(0, 20, rows);
        assert_eq!(viewport.top, 0);
    }

    #[test]
    fn the_label_has_commas_between_thousands() {
        let mut viewport = Viewport::default();
        viewport.follow(1200, 3000, Rect::new(0, 0, 10, 5));
        assert_eq!(viewport.label(), "1,197–1,201 of 3,000");
    }

    #[test]
    fn a_shrunken_list_has_no_blank_page() {
        let mut viewport = Viewport {
            top: 15,
            ..Viewport::default()
        };
        viewport.follow(3, 4, Rect::new(0, 0, 10, 5));
        assert_eq!(viewport.top, 0);
    }

    #[test]
    fn clicks_hit_the_line_under_them() {
        let mut viewport = Viewport::default();
        viewport.follow(9, 10, Rect::new(1, 2, 8, 5));
        assert_eq!(viewport.line_at(1, 2), Some(5));
        assert_eq!(viewport.line_at(8, 6), Some(9));
        assert_eq!(viewport.line_at(9, 6), None);
        assert_eq!(viewport.line_at(1, 1), None);
    }
}

//! A table that draws only its visible rows, cell by cell: a hundred thousand rows cost as much as
//! fifty.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{StatefulWidget, Widget as _};

use super::text::cells;
use super::theme::Theme;
use super::viewport::Viewport;
use bourse_domain::text::truncate;

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its header, with the unit and the arrow of the sort order.
    pub title: Cow<'static, str>,
    /// Its width in cells, the least one if it grows.
    pub width: u16,
    /// How its cells are aligned.
    pub alignment: Alignment,
    /// Narrow screens drop columns with larger numbers first; those with 0 stay.
    pub priority: u8,
    /// Whether it takes the remaining room.
    pub grows: bool,
}

impl Column {
    /// A column of texts, aligned to the left.
    pub fn text(title: impl Into<Cow<'static, str>>, width: u16) -> Self {
        Self {
            title: title.into(),
            width,
            alignment: Alignment::Left,
            priority: 0,
            grows: false,
        }
    }

    /// A column of numbers, aligned to the right.
    pub fn number(title: impl Into<Cow<'static, str>>, width: u16) -> Self {
        Self {
            alignment: Alignment::Right,
            ..Self::text(title, width)
        }
    }

    /// Sets when a narrow screen drops the column.
    #[must_use]
    pub const fn priority(mut self, priority: u8) -> Self {
        self.priority = priority;
        self
    }

    /// Gives the column the remaining room.
    #[must_use]
    pub const fn grows(mut self) -> Self {
        self.grows = true;
        self
    }
}

/// Where a column is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The index of the column.
    pub index: usize,
    /// Its first cell, from the left of the table.
    pub x: u16,
    /// Its width in cells.
    pub width: u16,
}

/// Cells left of the first column: the sign of the selection or of a mark, and the sign of the row.
pub const GUTTER: u16 = 2;

/// Chooses the columns that fit, by priority, and places them from left to right.
pub fn place(columns: &[Column], width: u16) -> Vec<Placed> {
    place_from(columns, 0, GUTTER, width)
}

/// Chooses and places columns after a gutter. Unscrolled, columns are chosen by priority; with
/// `offset` columns scrolled away, the first column stays and the others follow in order. Room that
/// a column could use is never left blank.
pub fn place_from(columns: &[Column], offset: usize, gutter: u16, width: u16) -> Vec<Placed> {
    let room = width.saturating_sub(gutter);
    let shown = if offset == 0 {
        by_priority(columns, room)
    } else {
        scrolled(columns, offset, room)
    };
    let taken: u16 = shown.iter().map(|index| columns[*index].width + 1).sum();
    let mut spare = (room + 1).saturating_sub(taken);
    let mut x = gutter;
    let mut placed = Vec::with_capacity(shown.len());
    for index in shown {
        let column = &columns[index];
        let more = if column.grows { std::mem::take(&mut spare) } else { 0 };
        let width = (column.width + more).min(room.max(1));
        placed.push(Placed { index, x, width });
        x += width + 1;
    }
    placed
}

/// The columns that fit; one that does not makes way for narrower ones of lower priority.
fn by_priority(columns: &[Column], room: u16) -> Vec<usize> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|index| columns[*index].priority);
    let mut free = room + 1;
    let mut shown: Vec<usize> = Vec::with_capacity(columns.len());
    for index in order {
        let width = columns[index].width + 1;
        if width <= free || shown.is_empty() {
            free = free.saturating_sub(width);
            shown.push(index);
        }
    }
    shown.sort_unstable();
    shown
}

/// The first column, and those from the offset on that fit; at the right end as many as fit.
fn scrolled(columns: &[Column], offset: usize, room: u16) -> Vec<usize> {
    let mut start = (1 + offset).min(columns.len());
    let mut free = (room + 1).saturating_sub(columns.first().map_or(0, |first| first.width + 1));
    let mut end = start;
    while let Some(column) = columns.get(end).filter(|column| column.width < free) {
        free -= column.width + 1;
        end += 1;
    }
    if end == columns.len() {
        while start > 1 && columns[start - 1].width < free {
            start -= 1;
            free -= columns[start].width + 1;
        }
    }
    let first = (!columns.is_empty()).then_some(0);
    first.into_iter().chain(start..end).collect()
}

/// The data of a table, read only for visible cells.
pub trait Rows {
    /// How many rows there are.
    fn count(&self) -> usize;

    /// The text of a cell and its style, which is patched onto the row's. `width` is the room it
    /// has.
    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style);

    /// The sign before a row, such as a mark, and its style.
    fn sign(&self, row: usize) -> (&'static str, Style) {
        let _ = row;
        (" ", Style::new())
    }

    /// The third sign of the gutter and its style, for tables whose gutter has room for it.
    fn tag(&self, row: usize) -> (&'static str, Style) {
        let _ = row;
        ("", Style::new())
    }

    /// The first sign of the gutter and its style: the selection's, unless a table marks rows.
    fn lead(&self, row: usize, is_selected: bool) -> (&'static str, Style) {
        let _ = row;
        (if is_selected { "▌" } else { " " }, Style::new())
    }

    /// The style of a row that is not selected.
    fn style(&self, row: usize) -> Style {
        let _ = row;
        Style::new()
    }

    /// Whether a column holds bars. They keep their style in the selected row: a reversed bar looks
    /// empty where it is full.
    fn is_bar(&self, column: usize) -> bool {
        let _ = column;
        false
    }

    /// The parts of a cell's text that match a search, in bytes.
    fn matches(&self, column: usize, text: &str) -> Vec<Range<usize>> {
        let _ = (column, text);
        Vec::new()
    }
}

/// Draws the header and the visible rows. The state is scrolled as little as needed to show the cursor.
#[derive(Debug)]
pub struct Table<'a, R> {
    rows: &'a R,
    columns: &'a [Column],
    placed: &'a [Placed],
    cursor: Option<usize>,
    is_header_dim: bool,
    theme: &'a Theme,
}

impl<'a, R: Rows> Table<'a, R> {
    /// A table of `rows` with the columns that [`place`] chose. `cursor` is the selected row.
    pub const fn new(
        rows: &'a R,
        columns: &'a [Column],
        placed: &'a [Placed],
        cursor: Option<usize>,
        theme: &'a Theme,
    ) -> Self {
        Self {
            rows,
            columns,
            placed,
            cursor,
            is_header_dim: false,
            theme,
        }
    }

    /// Dims the header, for rows that are not current.
    #[must_use]
    pub const fn dim_header(mut self, is_dim: bool) -> Self {
        self.is_header_dim = is_dim;
        self
    }

    fn header(&self, area: Rect, buffer: &mut Buffer) {
        let style = if self.is_header_dim {
            self.theme.dim
        } else {
            self.theme.heading
        };
        for placed in self.placed {
            let column = &self.columns[placed.index];
            let cell = Rect::new(area.x + placed.x, area.y, placed.width, 1).intersection(area);
            put(&column.title, column.alignment, cell, style, buffer);
        }
    }

    fn row(&self, row: usize, area: Rect, buffer: &mut Buffer) {
        let is_selected = self.cursor == Some(row);
        let base = if is_selected {
            self.theme.selected
        } else {
            self.theme.text.patch(self.rows.style(row))
        };
        buffer.set_style(area, base);
        let (lead, style) = self.rows.lead(row, is_selected);
        let style = if is_selected {
            base.patch(self.theme.focus).patch(style)
        } else {
            base.patch(style)
        };
        buffer.set_stringn(area.x, area.y, lead, 1, style);
        let (sign, style) = self.rows.sign(row);
        buffer.set_stringn(area.x + 1, area.y, sign, 1, base.patch(style));
        let (tag, style) = self.rows.tag(row);
        buffer.set_stringn(area.x + 2, area.y, tag, 1, base.patch(style));
        for placed in self.placed {
            let cell = Rect::new(area.x + placed.x, area.y, placed.width, 1).intersection(area);
            let (text, style) = self.rows.cell(row, placed.index, cell.width);
            // The selection keeps its own text colour: tints are for telling rows apart.
            let style = if is_selected && self.rows.is_bar(placed.index) {
                buffer.set_style(cell, Style::reset());
                self.theme.text.patch(style)
            } else if is_selected {
                base.add_modifier(style.add_modifier)
            } else {
                base.patch(style)
            };
            let alignment = self.columns[placed.index].alignment;
            put(&text, alignment, cell, style, buffer);
            for range in self.rows.matches(placed.index, &text) {
                self.highlight(&text, range, cell, is_selected, buffer);
            }
        }
    }

    /// Highlights a part of a cell's text.
    fn highlight(&self, text: &str, range: Range<usize>, cell: Rect, is_selected: bool, buffer: &mut Buffer) {
        let (Some(before), Some(part)) = (text.get(..range.start), text.get(range)) else {
            return;
        };
        let x = cell.x.saturating_add(cells(before));
        let part = Rect::new(x, cell.y, cells(part), 1).intersection(cell);
        // Colours would be invisible on the selected row.
        let shape = Style::new().add_modifier(Modifier::UNDERLINED.union(Modifier::BOLD));
        buffer.set_style(
            part,
            if is_selected {
                shape
            } else {
                shape.patch(self.theme.highlight)
            },
        );
    }
}

/// Writes a cell, truncated with an ellipsis.
fn put(text: &str, alignment: Alignment, area: Rect, style: Style, buffer: &mut Buffer) {
    let text = Span::styled(truncate(text, usize::from(area.width)), style);
    Line::from(text).alignment(alignment).render(area, buffer);
}

impl<R: Rows> StatefulWidget for Table<'_, R> {
    type State = Viewport;

    fn render(self, area: Rect, buffer: &mut Buffer, viewport: &mut Viewport) {
        if area.is_empty() {
            return;
        }
        self.header(Rect { height: 1, ..area }, buffer);
        let body = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        viewport.follow(self.cursor.unwrap_or(viewport.top), self.rows.count(), body);
        for (row, strip) in viewport.visible().zip(body.rows()) {
            self.row(row, strip, buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbers(usize);

    impl Rows for Numbers {
        fn count(&self) -> usize {
            self.0
        }

        fn cell(&self, row: usize, column: usize, _: u16) -> (Cow<'_, str>, Style) {
            let text = if column == 0 {
                format!("machine {row}")
            } else {
                row.to_string()
            };
            (text.into(), Style::new())
        }
    }

    struct Bars;

    impl Rows for Bars {
        fn count(&self) -> usize {
            2
        }

        fn cell(&self, _: usize, column: usize, _: u16) -> (Cow<'_, str>, Style) {
            (["name", "██"][column].into(), Style::new())
        }

        fn is_bar(&self, column: usize) -> bool {
            column == 1
        }
    }

    #[test]
    fn a_selected_row_does_not_reverse_its_bar() {
        let columns = [Column::text("", 4), Column::text("", 4)];
        let area = Rect::new(0, 0, 12, 3);
        let mut buffer = Buffer::empty(area);
        let placed = place(&columns, area.width);
        let table = Table::new(&Bars, &columns, &placed, Some(0), &Theme::MONO);
        table.render(area, &mut buffer, &mut Viewport::default());
        let reversed = |x| buffer[(x, 1)].modifier.contains(Modifier::REVERSED);
        assert!(reversed(2), "the name is selected");
        // Two cells of the bar and the two that it does not fill.
        assert!(!(7..11).any(reversed));
    }

    #[test]
    fn columns_leave_by_priority_and_the_growing_one_takes_the_rest() {
        let columns = [
            Column::text("Name", 10).grows(),
            Column::number("A", 5).priority(2),
            Column::number("B", 5).priority(9),
        ];
        let indices = |width| -> Vec<(usize, u16)> {
            let placed = place(&columns, width);
            placed.iter().map(|column| (column.index, column.width)).collect()
        };
        assert_eq!(indices(30), [(0, 16), (1, 5), (2, 5)]);
        assert_eq!(indices(20), [(0, 12), (1, 5)]);
        assert_eq!(indices(12), [(0, 10)]);
    }

    #[test]
    fn a_narrow_column_takes_the_room_that_a_wide_one_cannot() {
        let columns = [
            Column::text("Name", 10),
            Column::text("Place", 12).priority(3),
            Column::number("N", 4).priority(5),
        ];
        let placed = place(&columns, 20);
        let indices: Vec<usize> = placed.iter().map(|column| column.index).collect();
        assert_eq!(indices, [0, 2]);
    }

    #[test]
    fn the_first_column_stays_while_the_others_scroll() {
        let columns: Vec<Column> = (0..6).map(|_| Column::number("N", 4)).collect();
        let indices = |offset| -> Vec<usize> {
            let placed = place_from(&columns, offset, GUTTER, 17);
            placed.iter().map(|column| column.index).collect()
        };
        assert_eq!(indices(0), [0, 1, 2]);
        assert_eq!(indices(2), [0, 3, 4]);
        // At the end the room is filled from the left.
        assert_eq!(indices(4), [0, 4, 5]);
        assert_eq!(indices(usize::MAX - 1), [0, 4, 5]);
    }

    #[test]
    fn only_the_visible_rows_are_drawn_and_the_selected_one_is_marked() {
        let columns = [Column::text("Name", 12), Column::number("N", 4)];
        let placed = place(&columns, 20);
        let area = Rect::new(0, 0, 20, 4);
        let mut buffer = Buffer::empty(area);
        let mut viewport = Viewport::default();
        let rows = Numbers(100_000);
        Table::new(&rows, &columns, &placed, Some(99_999), &Theme::MONO).render(area, &mut buffer, &mut viewport);
        let row = |y| -> String { (0..20).map(|x| buffer[(x, y)].symbol()).collect() };
        assert_eq!(row(0), "  Name            N ");
        assert_eq!(row(3), "▌ machine 999… 999… ");
        assert_eq!(viewport.visible(), 99_997..100_000);
    }
}

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
    /// The header, with the unit and the arrow of the sort order.
    pub title: Cow<'static, str>,
    /// The width in cells, the minimum if the column grows.
    pub width: u16,
    /// The alignment of its cells.
    pub alignment: Alignment,
    /// The order in which narrow screens drop columns: larger numbers first, those with 0 last.
    pub priority: u8,
    /// The maximum number of cells by which it grows into the remaining room.
    pub grows: u16,
}

impl Column {
    /// A column of texts, aligned to the left.
    pub fn text(title: impl Into<Cow<'static, str>>, width: u16) -> Self {
        Self {
            title: title.into(),
            width,
            alignment: Alignment::Left,
            priority: 0,
            grows: 0,
        }
    }

    /// A column of numbers, aligned to the right.
    pub fn number(title: impl Into<Cow<'static, str>>, width: u16) -> Self {
        Self {
            alignment: Alignment::Right,
            ..Self::text(title, width)
        }
    }

    /// Sets the order in which narrow screens drop the column: larger numbers first; 0, the default, is
    /// dropped last.
    #[must_use]
    pub const fn priority(mut self, priority: u8) -> Self {
        self.priority = priority;
        self
    }

    /// Lets the column take all of the remaining room.
    #[must_use]
    pub const fn grows(self) -> Self {
        self.grows_by(u16::MAX)
    }

    /// Lets the column grow by at most `cells` of the remaining room.
    #[must_use]
    pub const fn grows_by(mut self, cells: u16) -> Self {
        self.grows = cells;
        self
    }

    /// Whether a place of `width` cells cuts nothing that the column has to show.
    pub const fn is_whole_in(&self, width: u16) -> bool {
        width >= self.width.saturating_add(self.grows)
    }
}

/// The position of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// The index of the column.
    pub index: usize,
    /// The first cell, from the left of the table.
    pub x: u16,
    /// The width of the column in cells.
    pub width: u16,
}

/// The number of cells left of the first column: the sign of the selection or of a mark, and the sign of the row.
pub const GUTTER: u16 = 2;

/// Chooses the columns that fit into `width` cells, by priority, and places them from left to right after the
/// gutter.
pub fn place(columns: &[Column], width: u16) -> Vec<Placed> {
    let room = width.saturating_sub(GUTTER);
    put_side_by_side(columns, by_priority(columns, room), GUTTER, room)
}

/// The minimum width to which a column of texts is cut, in cells.
const CUT: u16 = 9;

/// The columns of a table that scrolls sideways.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strip {
    /// The columns that fit, with their places.
    pub placed: Vec<Placed>,
    /// The number of columns scrolled away after the leading ones.
    pub offset: usize,
    /// The number of columns that do not fit at the right.
    pub right: usize,
}

impl Strip {
    /// The count of columns that do not fit at the right: `+4 →`; empty if all fit.
    pub fn more(&self) -> String {
        match self.right {
            0 => String::new(),
            more => format!("+{more} →"),
        }
    }
}

/// Places columns from left to right in their own order, as many as fit; the first that does not is cut if it
/// is of texts and enough room is left.
///
/// The `leading` ones are always visible; `offset` of the others are scrolled away, but never past the point
/// where the rest fills the room. Cells are reserved for the count of columns that do not fit.
pub fn place_in_order(columns: &[Column], leading: usize, offset: usize, gutter: u16, width: u16) -> Strip {
    let all = width.saturating_sub(gutter);
    let needed: u16 = columns.iter().map(|column| column.width + 1).sum();
    if needed <= all + 1 {
        return Strip {
            placed: put_side_by_side(columns, (0..columns.len()).collect(), gutter, all),
            offset: 0,
            right: 0,
        };
    }
    let fitting = |room: u16| {
        let lead: u16 = columns.iter().take(leading).map(|column| column.width + 1).sum();
        let first = (leading + offset).min(columns.len());
        scrolled(columns, first, leading, (room + 1).saturating_sub(lead))
    };
    let mut room = all;
    let (mut start, mut end) = fitting(room);
    // Reserving the cells of a count of one digit can make it one of two.
    for _ in 0..2 {
        if end == columns.len() {
            break;
        }
        // A gap, the sign and the digits of the count.
        let count = format!(" +{} →", columns.len() - end);
        room = all.saturating_sub(cells(&count));
        (start, end) = fitting(room);
    }
    let shown: Vec<usize> = (0..leading.min(columns.len())).chain(start..end).collect();
    let taken: u16 = shown.iter().map(|index| columns[*index].width + 1).sum();
    let rest = room.saturating_sub(taken);
    // Texts are readable when cut, such as a country: that is worth more than a column that grows.
    let cut = columns.get(end).filter(|column| column.alignment == Alignment::Left);
    let partial = cut.filter(|column| rest >= CUT.min(column.width));
    let cut = partial.map(|column| rest.min(column.width.saturating_add(column.grows)));
    let mut placed = put_side_by_side(
        columns,
        shown,
        gutter,
        room - cut.map_or(0, |width| width + 1).min(room),
    );
    if let Some(width) = cut {
        let x = placed.last().map_or(gutter, |last| last.x + last.width + 1);
        placed.push(Placed { index: end, x, width });
        end += 1;
    }
    // The count is in the header only: below it the last text may go on.
    if let Some(last) = placed.last_mut().filter(|_| end < columns.len()) {
        let column = &columns[last.index];
        let (right, count) = (gutter + all, all - room);
        let wanted = column.width.saturating_add(column.grows);
        let width = wanted.clamp(last.width, (right - last.x).max(last.width));
        if column.alignment == Alignment::Left && cells(&column.title) + count <= width {
            last.width = width;
        }
    }
    Strip {
        placed,
        offset: start - leading.min(start),
        right: columns.len() - end,
    }
}

/// Places the columns with these indices side by side from `gutter` on; those that grow take the remaining
/// cells of `room`, the one that needs the fewest first.
fn put_side_by_side(columns: &[Column], shown: Vec<usize>, gutter: u16, room: u16) -> Vec<Placed> {
    let taken: u16 = shown.iter().map(|index| columns[*index].width + 1).sum();
    let mut spare = (room + 1).saturating_sub(taken);
    let mut growing = shown.clone();
    growing.sort_by_key(|index| columns[*index].grows);
    let mut more = vec![0; columns.len()];
    for index in growing {
        more[index] = columns[index].grows.min(spare);
        spare -= more[index];
    }
    let mut x = gutter;
    let mut placed = Vec::with_capacity(shown.len());
    for index in shown {
        let width = (columns[index].width + more[index]).min(room.max(1));
        placed.push(Placed { index, x, width });
        x += width + 1;
    }
    placed
}

/// The indices, ascending, of the columns that fit into `room` cells, lowest priority number first. One that
/// does not fit is skipped in favour of narrower ones; at least one is chosen.
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

/// The columns from `start` on that fit into `free` cells, as start and end of a range. If the last column is
/// reached, the start moves back to fill the room, but not into the `leading` columns.
fn scrolled(columns: &[Column], mut start: usize, leading: usize, mut free: u16) -> (usize, usize) {
    let mut end = start;
    while let Some(column) = columns.get(end).filter(|column| column.width < free) {
        free -= column.width + 1;
        end += 1;
    }
    if end == columns.len() {
        while start > leading && columns[start - 1].width < free {
            start -= 1;
            free -= columns[start].width + 1;
        }
    }
    (start, end)
}

/// The data of a table, read only for visible cells.
pub trait Rows {
    /// The number of rows, visible or not.
    fn count(&self) -> usize;

    /// The text of a cell and its style, which is patched onto the row's. `width` is the room in cells.
    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style);

    /// The sign before a row in the second cell of the gutter, such as a mark, and its style; by default a
    /// blank.
    fn sign(&self, _row: usize) -> (&'static str, Style) {
        (" ", Style::new())
    }

    /// The third sign of the gutter and its style, for tables whose gutter has room for it; by default none.
    fn tag(&self, _row: usize) -> (&'static str, Style) {
        ("", Style::new())
    }

    /// The first sign of the gutter and its style: by default the sign of the selection.
    fn lead(&self, _row: usize, is_selected: bool) -> (&'static str, Style) {
        (if is_selected { "›" } else { " " }, Style::new())
    }

    /// The style of a row that is not selected, patched onto the theme's text style; by default none.
    fn style(&self, _row: usize) -> Style {
        Style::new()
    }

    /// Draws a cell that is more than one text; false if it is drawn from its text in `cell`, which is the
    /// default.
    fn paint(&self, _row: usize, _column: usize, _area: Rect, _buffer: &mut Buffer) -> bool {
        false
    }

    /// The byte ranges of a cell's text that match a search and are highlighted; by default none.
    fn matches(&self, _column: usize, _text: &str) -> Vec<Range<usize>> {
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
    is_scrolled: bool,
    more: String,
    theme: &'a Theme,
}

impl<'a, R: Rows> Table<'a, R> {
    /// A table of `rows` with the columns placed by [`place`]. `cursor` is the selected row.
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
            is_scrolled: false,
            more: String::new(),
            theme,
        }
    }

    /// Sets the text at the right of the header that counts the columns that do not fit, such as `+4 →`.
    #[must_use]
    pub fn more(mut self, more: String) -> Self {
        self.more = more;
        self
    }

    /// Sets whether columns are scrolled away, which an arrow at the left of the header shows.
    #[must_use]
    pub const fn scrolled(mut self, is_scrolled: bool) -> Self {
        self.is_scrolled = is_scrolled;
        self
    }

    /// Dims the header, for rows that are not current.
    #[must_use]
    pub const fn dim_header(mut self, is_dim: bool) -> Self {
        self.is_header_dim = is_dim;
        self
    }

    /// Draws the header line: column titles, the arrow for columns scrolled away, and the count of hidden
    /// ones.
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
        if self.is_scrolled {
            Line::styled("←", self.theme.dim).render(area.intersection(Rect { width: 1, ..area }), buffer);
        }
        let width = cells(&self.more);
        let right = Rect::new(area.right().saturating_sub(width), area.y, width, 1).intersection(area);
        Line::styled(self.more.as_str(), self.theme.dim).render(right, buffer);
    }

    /// Draws one row: the signs of the gutter, then its cells, with matches of a search highlighted. The
    /// selected row has the theme's colours; of other styles on it only the modifiers count.
    fn row(&self, row: usize, area: Rect, buffer: &mut Buffer) {
        let is_selected = self.cursor == Some(row);
        let base = if is_selected {
            self.theme.selected
        } else {
            self.theme.text.patch(self.rows.style(row))
        };
        buffer.set_style(area, base);
        // The selection keeps its own text colour, in which everything on it can be read: tints only distinguish
        // rows.
        let over = |style: Style| {
            if is_selected {
                base.add_modifier(style.add_modifier)
            } else {
                base.patch(style)
            }
        };
        let signs = [
            self.rows.lead(row, is_selected),
            self.rows.sign(row),
            self.rows.tag(row),
        ];
        for (x, (sign, style)) in (area.x..).zip(signs) {
            buffer.set_stringn(x, area.y, sign, 1, over(style));
        }
        for placed in self.placed {
            let cell = Rect::new(area.x + placed.x, area.y, placed.width, 1).intersection(area);
            if self.rows.paint(row, placed.index, cell, buffer) {
                continue;
            }
            let (text, style) = self.rows.cell(row, placed.index, cell.width);
            let alignment = self.columns[placed.index].alignment;
            put(&text, alignment, cell, over(style), buffer);
            for range in self.rows.matches(placed.index, &text) {
                if let Some(part) = part_of(&text, range, cell) {
                    buffer.set_style(part, self.match_style(is_selected));
                }
            }
        }
    }

    /// The style of a match in a cell, over the cell's own; without colours on a selected row.
    fn match_style(&self, is_selected: bool) -> Style {
        // Colours would be invisible on the selected row.
        let shape = Style::new().add_modifier(Modifier::UNDERLINED.union(Modifier::BOLD));
        if is_selected {
            shape
        } else {
            shape.patch(self.theme.highlight)
        }
    }
}

/// The area of a byte range of a cell's text, cut to the cell; `None` if the range is not within the text.
fn part_of(text: &str, range: Range<usize>, cell: Rect) -> Option<Rect> {
    let (before, part) = (text.get(..range.start)?, text.get(range)?);
    let x = cell.x.saturating_add(cells(before));
    Some(Rect::new(x, cell.y, cells(part), 1).intersection(cell))
}

/// Writes the text of a cell, truncated with an ellipsis to the width of `area`.
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
    fn leading_columns_stay_while_the_others_scroll_and_are_counted() {
        let columns: Vec<Column> = (0..6).map(|_| Column::number("N", 4)).collect();
        let strip = |leading, offset| {
            let strip = place_in_order(&columns, leading, offset, GUTTER, 22);
            let indices: Vec<usize> = strip.placed.iter().map(|column| column.index).collect();
            (indices, strip.offset, strip.more())
        };
        // 20 cells: three columns of 4 with gaps, and the count.
        assert_eq!(strip(1, 0), (vec![0, 1, 2], 0, "+3 →".to_owned()));
        assert_eq!(strip(1, 1), (vec![0, 2, 3], 1, "+2 →".to_owned()));
        // At the end no count needs room, and the room is filled from the left.
        assert_eq!(strip(1, 2), (vec![0, 3, 4, 5], 2, String::new()));
        assert_eq!(strip(1, 99), (vec![0, 3, 4, 5], 2, String::new()));
        assert_eq!(strip(2, 0), (vec![0, 1, 2], 0, "+3 →".to_owned()));
        assert_eq!(strip(2, 1), (vec![0, 1, 3], 1, "+2 →".to_owned()));
    }

    #[test]
    fn a_count_of_two_digits_has_a_gap_before_it() {
        let columns: Vec<Column> = (0..14).map(|_| Column::number("N", 4)).collect();
        for width in 12..=40 {
            let strip = place_in_order(&columns, 1, 0, 0, width);
            let last = strip.placed.last().unwrap();
            let end = last.x + last.width;
            assert!(end + 1 + cells(&strip.more()) <= width, "{width}: {strip:?}");
        }
    }

    #[test]
    fn columns_that_fit_keep_their_order_whatever_their_priority() {
        let columns = [
            Column::number("A", 5).priority(9),
            Column::number("B", 5).priority(1).grows_by(3),
            Column::number("C", 5).priority(5),
        ];
        let strip = place_in_order(&columns, 1, 0, 0, 17);
        assert_eq!((strip.placed.len(), strip.more()), (3, String::new()));
        // The rest of the room goes to the column that grows, up to its limit.
        let strip = place_in_order(&columns, 1, 0, 0, 40);
        assert_eq!(
            strip.placed.iter().map(|column| column.width).collect::<Vec<_>>(),
            [5, 8, 5]
        );
        let strip = place_in_order(&columns, 1, 0, 0, 16);
        assert_eq!((strip.placed.len(), strip.more()), (2, "+1 →".to_owned()));
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
        assert_eq!(row(3), "› machine 999… 999… ");
        assert_eq!(viewport.visible(), 99_997..100_000);
    }
}

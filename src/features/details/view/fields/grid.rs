//! The grid of the fields: columns with wrapped values.

use std::sync::Arc;

use ratatui::layout::Constraint::Fill;
use ratatui::layout::{Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::StatefulWidget;

use super::{COLUMN, FieldEntry, Fields, GAP, LABEL, Tone};
use crate::domain::text::truncate;
use crate::tui::text::{cells, fit, wrap};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// A line of a column.
#[derive(Debug, Clone, Copy)]
enum Row {
    Gap,
    Heading(&'static str),
    Entry(usize),
    /// A further line of an entry's value, counted from 1.
    More(usize, usize),
}

/// Maximum number of lines of a value; the note below shows all of it.
const MOST_LINES: usize = 6;

/// Splits a value into lines of `room` cells, six at most; a cut value ends with an ellipsis.
fn parts(value: &str, room: usize) -> Vec<String> {
    let width = u16::try_from(room).unwrap_or(u16::MAX);
    if cells(value) <= width {
        return vec![value.to_owned()];
    }
    let mut lines = wrap(value, width);
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        if let Some(last) = lines.last_mut() {
            *last = truncate(&format!("{last} {}", " ".repeat(room)), room);
        }
    }
    lines
}

/// Whether a value has a word that is longer than `room` cells.
fn breaks_a_word(value: &str, room: usize) -> bool {
    value.split_whitespace().any(|word| usize::from(cells(word)) > room)
}

/// The lines of the grid for all entries under their headings, with further lines for values longer than
/// `room` cells.
fn rows_of(entries: &[Arc<FieldEntry>], room: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut section = "";
    for (entry_index, entry) in entries.iter().enumerate() {
        if entry.section != section {
            if entry_index > 0 {
                rows.push(Row::Gap);
            }
            rows.push(Row::Heading(entry.section));
            section = entry.section;
        }
        rows.push(Row::Entry(entry_index));
        let more = 1..parts(&entry.value, room).len();
        rows.extend(more.map(|part| Row::More(entry_index, part)));
    }
    rows
}

/// Arranges the lines in columns of `height`: no column begins with a gap or ends with a heading,
/// and a value is never split between columns.
fn flowed(rows: &[Row], height: usize) -> Vec<Row> {
    let mut flow = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let line = flow.len() % height;
        let needed = match row {
            Row::Gap if line == 0 => continue,
            Row::Gap | Row::More(..) => 1,
            Row::Heading(_) => 1 + first_entry_lines(&rows[index + 1..]),
            Row::Entry(_) => first_entry_lines(&rows[index..]),
        };
        if line > 0 && line + needed > height && needed <= height {
            flow.resize(flow.len() + height - line, Row::Gap);
        }
        flow.push(*row);
    }
    flow
}

/// The number of lines of the entry that `rows` begin with.
fn first_entry_lines(rows: &[Row]) -> usize {
    let more = rows.iter().skip(1);
    1 + more.take_while(|row| matches!(row, Row::More(..))).count()
}

/// Arranges the lines in columns of equal length, the least at which `columns` of them hold all lines;
/// returns that length with them. If it would exceed `height`, it is `height`, and there are more columns.
fn balanced(rows: &[Row], columns: usize, height: usize) -> (Vec<Row>, usize) {
    let least = rows.len().div_ceil(columns).clamp(1, height);
    for length in least..height {
        let flow = flowed(rows, length);
        if flow.len() <= length * columns {
            return (flow, length);
        }
    }
    (flowed(rows, height), height)
}

/// The cells for a value beside its label, if `columns` columns share a width.
fn room_of(width: u16, columns: u16) -> usize {
    let column = width.saturating_sub(GAP * (columns - 1)) / columns;
    usize::from(column).saturating_sub(LABEL + 1)
}

/// The fields in columns, read from top to bottom like a newspaper.
pub(super) struct Grid<'a> {
    entries: &'a [Arc<FieldEntry>],
    rows: Vec<Row>,
    height: usize,
    fields: &'a Fields,
    theme: &'a Theme,
    columns: u16,
}

impl<'a> Grid<'a> {
    /// The grid with the columns that wrap the fewest values if all fields fit, or else as many
    /// columns as fit; a single one instead where others break words and its lines fill no more than two pages.
    pub fn new(entries: &'a [Arc<FieldEntry>], fields: &'a Fields, area: Rect, theme: &'a Theme) -> Self {
        let height = usize::from(area.height).max(1);
        let most = (area.width / COLUMN).max(1);
        let layout = |columns: u16| {
            let rows = rows_of(entries, room_of(area.width, columns));
            let wrapped = rows.iter().filter(|row| matches!(row, Row::More(..))).count();
            let (rows, length) = balanced(&rows, usize::from(columns), height);
            let fits = rows.len() <= length * usize::from(columns);
            (columns, rows, length, wrapped, fits)
        };
        let layouts = (most.min(2)..=most).rev().map(layout);
        let best = layouts
            .min_by_key(|(columns, _, _, wrapped, fits)| (!fits, if *fits { *wrapped } else { 0 }, most - columns));
        let best = best.unwrap_or_else(|| layout(most));
        let breaks = |columns| {
            entries
                .iter()
                .any(|entry| breaks_a_word(&entry.value, room_of(area.width, columns)))
        };
        let is_short = |rows: &[Row]| rows.len() <= 2 * height;
        let single = (best.0 > 1 && breaks(best.0) && !breaks(1)).then(|| layout(1));
        let single = single.filter(|(_, rows, ..)| is_short(rows));
        let (columns, rows, height, ..) = single.unwrap_or(best);
        Self {
            entries,
            rows,
            height,
            fields,
            theme,
            columns,
        }
    }

    /// Number of lines of its columns.
    pub const fn height(&self) -> usize {
        self.height
    }

    /// Width of a value in a grid of this width.
    pub fn room(&self, width: u16) -> usize {
        room_of(width, self.columns)
    }

    /// A line of the entry at `index`: its label and the first line of its value if `part` is 0, else only
    /// the line of its value with that index.
    fn line(&self, index: usize, part: usize, width: u16) -> Line<'static> {
        let entry = &self.entries[index];
        let theme = self.theme;
        let style = match entry.tone {
            Tone::Normal => theme.text,
            Tone::Blank => theme.dim,
            Tone::Unusual => theme.warning,
        };
        let is_match = self.fields.find.matches(index);
        let label = if is_match { theme.highlight } else { theme.dim };
        let name = if part == 0 {
            truncate(&entry.label, LABEL)
        } else {
            String::new()
        };
        let blanks = LABEL + 1 - usize::from(cells(&name));
        let room = usize::from(width).saturating_sub(LABEL + 1);
        let value = parts(&entry.value, room).into_iter().nth(part).unwrap_or_default();
        let line = Line::from(vec![
            Span::styled(name, label),
            Span::raw(" ".repeat(blanks)),
            Span::styled(value, style),
        ]);
        fit(line, width)
    }
}

impl StatefulWidget for &Grid<'_> {
    type State = (Viewport, Vec<(Rect, usize)>);

    fn render(self, area: Rect, buffer: &mut ratatui::buffer::Buffer, state: &mut Self::State) {
        let (viewport, lines) = state;
        let height = self.height;
        let columns = usize::from(self.columns);
        let cursor = self.fields.cursor.min(self.entries.len().saturating_sub(1));
        let is_cursor = |row: &Row| matches!(row, Row::Entry(index) if *index == cursor);
        let at = self.rows.iter().position(is_cursor).unwrap_or(0);
        let page = height * columns;
        // Whole columns scroll, so that a field stays below its heading.
        let column = at / height;
        let lowest = (column + 1).saturating_sub(columns);
        let last = self.rows.len().div_ceil(height).saturating_sub(columns);
        let top = viewport.top.div_ceil(height);
        viewport.top = top.clamp(lowest, column.max(lowest)).min(last) * height;
        viewport.page = page;
        viewport.total = self.rows.len();
        let parts = Layout::horizontal(vec![Fill(1); columns]).spacing(GAP).split(area);
        let visible = self.rows.iter().skip(viewport.top).take(page);
        for (index, row) in visible.enumerate() {
            let column = parts[index / height];
            let line = u16::try_from(index % height).unwrap_or(0);
            let strip = Rect::new(column.x, column.y + line, column.width, 1);
            match row {
                Row::Gap => {}
                Row::Heading(title) => {
                    buffer.set_line(strip.x, strip.y, &Line::styled(*title, self.theme.heading), strip.width);
                }
                Row::Entry(index) | Row::More(index, _) => {
                    let part = match row {
                        Row::More(_, part) => *part,
                        Row::Gap | Row::Heading(_) | Row::Entry(_) => 0,
                    };
                    let line = self.line(*index, part, strip.width);
                    buffer.set_line(strip.x, strip.y, &line, strip.width);
                    if *index == cursor {
                        buffer.set_style(strip, self.theme.selected);
                    }
                    lines.push((strip, *index));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(section: &'static str, value: &str) -> Arc<FieldEntry> {
        Arc::new(FieldEntry {
            section,
            key: "",
            label: String::new(),
            value: value.to_owned(),
            tone: Tone::Normal,
            note: String::new(),
        })
    }

    /// A letter per line: Heading, Entry, More or `.` for a gap.
    fn drawn(rows: &[Row], height: usize) -> String {
        let sign = |row: &Row| match row {
            Row::Gap => '.',
            Row::Heading(_) => 'H',
            Row::Entry(_) => 'E',
            Row::More(..) => 'M',
        };
        flowed(rows, height).iter().map(sign).collect()
    }

    #[test]
    fn no_column_ends_with_a_heading_or_splits_a_value() {
        let entries = [
            entry("Price", "1"),
            entry("Price", "2"),
            entry("Disk", "PC SN820 NVMe WD 4096GB"),
            entry("Disk", "3"),
        ];
        let rows = rows_of(&entries, 16);
        assert_eq!(drawn(&rows, 20), "HEE.HEME");
        // The heading would be alone at the foot of the first column.
        assert_eq!(drawn(&rows, 5), "HEE..HEME");
        // The second line of the value would begin the next column.
        assert_eq!(drawn(&rows, 6), "HEE...HEME");
    }

    #[test]
    fn a_few_fields_stand_in_one_column_rather_than_break_a_word() {
        let columns = |many: usize, value: &str| {
            let mut entries = vec![entry("Price", value)];
            entries.extend((0..many).map(|_| entry("Price", "1")));
            let area = Rect::new(0, 0, 80, 18);
            Grid::new(&entries, &Fields::default(), area, &Theme::MONO).columns
        };
        assert_eq!(columns(20, "74203"), 2);
        assert_eq!(columns(20, "sandbox/llama-70b:latest"), 1);
        // Three pages of one column would be too many.
        assert_eq!(columns(60, "sandbox/llama-70b:latest"), 2);
    }

    #[test]
    fn a_long_value_is_wrapped_and_only_a_very_long_one_cut() {
        assert_eq!(parts("PC SN820 NVMe WD 4096GB", 16), ["PC SN820 NVMe WD", "4096GB"]);
        let long = parts(&"word ".repeat(40), 16);
        assert_eq!(long.len(), 6);
        assert!(long[5].ends_with('…'), "{long:?}");
    }
}

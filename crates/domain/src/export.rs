//! Rows of a listing as text for other programs: CSV and Markdown.

use std::fmt::Write as _;

use super::dialect::Dialect;
use super::field::{Field, Kind};
use super::format;
use super::listing::{Column, Listing};
use super::text::csv_text;
use super::value::CellRef;
use crate::time::UnixTime;

/// Formats rows as CSV, each line with a line feed: a header of wire names, numbers in wire units, ISO 8601
/// for fields that are timestamps, texts escaped by [`csv_text`]. Cells without a usable value are empty.
pub fn csv(listing: &Listing, rows: &[u32], fields: &[&Field]) -> String {
    listing.prepare(fields.iter().copied());
    let mut columns: Vec<Cells<'_>> = fields.iter().map(|field| Cells::new(listing, field)).collect();
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(fields.iter().map(|field| field.key));
    let mut text = String::new();
    for row in rows {
        for column in &mut columns {
            let _ = writer.write_field(column.text(*row as usize, &mut text));
        }
        let _ = writer.write_record(None::<&[u8]>);
    }
    into_text(writer)
}

/// Formats one row as a line of CSV, without header and line ending.
pub fn csv_line(listing: &Listing, row: u32, fields: &[&Field]) -> String {
    let line = csv_lines([cells(listing, row, fields)]);
    line.trim_end_matches('\n').to_owned()
}

/// Formats lines of CSV, all with the same number of cells, without a header. Each ends with a line feed.
pub fn csv_lines(rows: impl IntoIterator<Item = impl IntoIterator<Item = String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let _ = writer.write_record(row.into_iter().map(String::into_bytes));
    }
    into_text(writer)
}

/// The text of everything that was written to a CSV writer.
fn into_text(writer: csv::Writer<Vec<u8>>) -> String {
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The cells of a row in wire units, one for each field; texts are escaped by `csv_text`.
fn cells(listing: &Listing, row: u32, fields: &[&Field]) -> Vec<String> {
    let fields = fields.iter().map(|field| {
        let mut column = Cells::new(listing, field);
        column.text(row as usize, &mut String::new()).to_owned()
    });
    fields.collect()
}

/// The cells of a field, each distinct text escaped once.
struct Cells<'l> {
    column: &'l Column,
    is_moment: bool,
    /// The escaped texts by their index in the column; `None` for those not used yet.
    safe: Vec<Option<String>>,
}

impl<'l> Cells<'l> {
    /// The cells of `field` for all rows, without escaped texts yet.
    fn new(listing: &'l Listing, field: &Field) -> Self {
        Self {
            column: listing.column(field),
            is_moment: field.kind == Kind::Timestamp,
            safe: Vec::new(),
        }
    }

    /// The cell of a row, empty if it has no usable value; a number is written into `room`, which is cleared
    /// first.
    fn text<'t>(&'t mut self, row: usize, room: &'t mut String) -> &'t str {
        room.clear();
        match self.column.cell(row) {
            CellRef::Missing | CellRef::Null | CellRef::Bad(_) => {}
            CellRef::Flag(flag) => room.push_str(if flag { "true" } else { "false" }),
            CellRef::Number(number) if self.is_moment => room.push_str(&iso(UnixTime::new(number))),
            CellRef::Number(number) => write_number(number, room),
            CellRef::Text(text) => {
                let index = self.column.text_index(row).unwrap_or_default();
                if self.safe.len() <= index {
                    self.safe.resize(self.column.texts().len().max(index + 1), None);
                }
                if let Some(safe) = self.safe.get_mut(index) {
                    return safe.get_or_insert_with(|| csv_text(text));
                }
            }
        }
        room
    }
}

/// Writes a number with the fewest digits that distinguish it from all others.
fn write_number(number: f64, out: &mut String) {
    // Whole numbers of up to fifteen digits are written as such: that is faster.
    #[expect(clippy::cast_possible_truncation)] // whole and far below 2^63
    let whole = number as i64;
    let is_whole = whole.unsigned_abs() < 1_000_000_000_000_000 && (whole as f64).to_bits() == number.to_bits();
    // A String takes everything.
    let _ = if is_whole {
        write!(out, "{whole}")
    } else {
        write!(out, "{number}")
    };
}

/// Formats a time as the specification does: ISO 8601 in UTC; outside the calendar, its seconds since 1970.
pub(crate) fn iso(time: UnixTime) -> String {
    jiff::SignedDuration::try_from_secs_f64(time.seconds())
        .ok()
        .and_then(|since| jiff::Timestamp::from_duration(since).ok())
        .map_or_else(|| time.seconds().to_string(), |moment| moment.to_string())
}

/// Formats rows as a Markdown table with the cells shown on screen, texts cut to 200 cells; without rows only
/// its header. `None` if it has rows and exceeds `most` bytes.
pub fn markdown(listing: &Listing, rows: &[u32], fields: &[&Field], dialect: &Dialect, most: usize) -> Option<String> {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let label = |field: &&Field| escaped(&listing.header(field, dialect));
    let labels = fields.iter().map(label).collect();
    let rules = fields.iter().map(|field| {
        if field.kind.is_numeric() {
            "---:".to_owned()
        } else {
            "---".to_owned()
        }
    });
    let mut out = format!("{}\n{}", line(labels), line(rules.collect()));
    for row in rows {
        let cells = fields
            .iter()
            .map(|field| escaped(&format::cell(listing, *row as usize, field, 200)));
        out.push('\n');
        out.push_str(&line(cells.collect()));
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

/// Escapes a text for a cell of a Markdown table: a backslash before each character with a meaning there.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

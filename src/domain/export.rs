//! Rows of a listing as text for other programs: CSV and Markdown.

use super::dialect::Dialect;
use super::field::{Field, Kind};
use super::format;
use super::listing::Listing;
use super::text::csv_text;
use super::value::CellRef;

/// Rows as CSV: a header of wire names, numbers in wire units, texts made safe by [`csv_text`].
pub fn csv(listing: &Listing, rows: &[u32], fields: &[&Field]) -> String {
    listing.prepare(fields.iter().copied());
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and all rows have the same length.
    let _ = writer.write_record(fields.iter().map(|field| field.key));
    for row in rows {
        let cells = fields.iter().map(|field| cell(listing, *row, field));
        let _ = writer.write_record(cells);
    }
    text(writer)
}

/// One row as a line of CSV, without header and line ending.
pub fn csv_line(listing: &Listing, row: u32, fields: &[&Field]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let cells = fields.iter().map(|field| cell(listing, row, field));
    let _ = writer.write_record(cells); // to memory, as above
    text(writer).trim_end_matches('\n').to_owned()
}

fn text(writer: csv::Writer<Vec<u8>>) -> String {
    writer
        .into_inner()
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}

fn cell(listing: &Listing, row: u32, field: &Field) -> String {
    match listing.cell(row as usize, field) {
        CellRef::Missing | CellRef::Null | CellRef::Bad(_) => String::new(),
        CellRef::Flag(flag) => flag.to_string(),
        CellRef::Number(number) if field.kind == Kind::Timestamp => iso(number),
        CellRef::Number(number) => number.to_string(),
        CellRef::Text(text) => csv_text(text),
    }
}

/// A moment in seconds since 1970 as the specification writes it: ISO 8601.
fn iso(epoch: f64) -> String {
    jiff::SignedDuration::try_from_secs_f64(epoch)
        .ok()
        .and_then(|since| jiff::Timestamp::from_duration(since).ok())
        .map_or_else(|| epoch.to_string(), |moment| moment.to_string())
}

/// Rows as a Markdown table with the cells shown on screen; `None` if it exceeds `most` bytes.
pub fn markdown(
    listing: &Listing,
    rows: &[u32],
    fields: &[&Field],
    dialect: &Dialect,
    most: usize,
) -> Option<String> {
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

/// A text escaped for a Markdown table.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(
            character,
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&'
        ) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

//! Rows of a listing as text for other programs: CSV and Markdown.

use super::dialect::Dialect;
use super::field::{Field, Kind};
use super::format;
use super::listing::Listing;
use super::secrets::without_own_key;
use super::text::csv_text;
use super::value::CellRef;

/// Rows as CSV: a header of wire names, numbers in wire units, texts made safe by [`csv_text`].
pub fn csv(listing: &Listing, rows: &[u32], fields: &[&Field]) -> String {
    listing.prepare(fields.iter().copied());
    let head = fields.iter().map(|field| field.key.to_owned()).collect();
    let rows = rows.iter().map(|row| cells(listing, *row, fields));
    csv_lines(std::iter::once(head).chain(rows))
}

/// One row as a line of CSV, without header and line ending.
pub fn csv_line(listing: &Listing, row: u32, fields: &[&Field]) -> String {
    let line = csv_lines([cells(listing, row, fields)]);
    line.trim_end_matches('\n').to_owned()
}

/// Lines of CSV, all with the same number of cells.
pub fn csv_lines(rows: impl IntoIterator<Item = impl IntoIterator<Item = String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail.
        let _ = writer.write_record(row.into_iter().map(String::into_bytes));
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

fn cells(listing: &Listing, row: u32, fields: &[&Field]) -> Vec<String> {
    let cells = fields.iter().map(|field| cell(listing, row, field));
    cells.collect()
}

fn cell(listing: &Listing, row: u32, field: &Field) -> String {
    match listing.cell(row as usize, field) {
        CellRef::Missing | CellRef::Null | CellRef::Bad(_) => String::new(),
        CellRef::Flag(flag) => flag.to_string(),
        CellRef::Number(number) if field.kind == Kind::Timestamp => iso(number),
        CellRef::Number(number) => number.to_string(),
        CellRef::Text(text) if field.kind == Kind::Secret => csv_text(text),
        CellRef::Text(text) => {
            let cell = |secret| listing.cell(row as usize, secret);
            csv_text(&without_own_key(listing.catalog(), text, cell))
        }
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

//! Records as text: a table for people, CSV and JSON for programs.

use unicode_width::UnicodeWidthStr as _;

use crate::api::redact;
use crate::domain::field::Kind;
use crate::domain::text::truncate;
use crate::domain::{Dialect, Field, Listing, export, format};

/// The widest cell of a table.
const WIDEST: usize = 40;

/// The listing's default columns as a table, at most `width` terminal cells wide if a width is
/// given: the columns that matter least leave first.
pub fn table(
    listing: &Listing,
    rows: &[u32],
    extra: &[&'static Field],
    dialect: &Dialect,
    width: Option<usize>,
) -> String {
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut fields: Vec<&Field> = listing.catalog().default_columns();
    fields.extend(extra);
    for field in &fields {
        let mut cells = vec![field.header(dialect).into_owned()];
        cells.extend(
            rows.iter()
                .map(|row| format::cell(listing, *row as usize, field, WIDEST)),
        );
        columns.push(cells);
    }
    let widths: Vec<usize> = columns
        .iter()
        .map(|cells| cells.iter().map(|cell| cell.width()).max().unwrap_or(0))
        .collect();
    let kept = fitting(&fields, &widths, width);
    let lines = (0..=rows.len()).map(|line| {
        let cells = kept.iter().map(|column| {
            let cell = &columns[*column][line];
            let padding = " ".repeat(widths[*column].saturating_sub(cell.width()));
            if fields[*column].kind.is_numeric() {
                padding + cell
            } else {
                cell.clone() + &padding
            }
        });
        let text = cells.collect::<Vec<_>>().join("  ");
        text.trim_end().to_owned() + "\n"
    });
    lines.collect()
}

/// The columns that fit, in order.
fn fitting(fields: &[&Field], widths: &[usize], width: Option<usize>) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..fields.len()).collect();
    let Some(width) = width else {
        return kept;
    };
    while kept.len() > 1 && kept.iter().map(|column| widths[*column] + 2).sum::<usize>() > width + 2
    {
        let least = kept
            .iter()
            .copied()
            .max_by_key(|column| fields[*column].column.priority);
        kept.retain(|column| Some(*column) != least);
    }
    kept
}

/// Every member that records can have as CSV, in wire units; a secret one only when asked for.
pub fn csv(listing: &Listing, rows: &[u32], secrets: bool) -> String {
    let fields: Vec<&Field> = listing
        .catalog()
        .fields()
        .iter()
        .filter(|field| field.is_column() || (secrets && field.kind == Kind::Secret))
        .collect();
    export::csv(listing, rows, &fields)
}

/// The records exactly as they came, under the member that the specification names; without
/// secrets unless asked for.
pub fn json(listing: &Listing, rows: &[u32], secrets: bool) -> String {
    let records: Vec<_> = rows
        .iter()
        .filter_map(|row| listing.json(*row as usize))
        .map(|json| {
            if secrets {
                json.to_owned()
            } else {
                redact::record(json)
            }
        })
        .collect();
    let key = listing.catalog().list_key;
    format!("{{\"{key}\": [{}]}}\n", records.join(",\n"))
}

/// The width of the terminal that standard output is, if it is one.
pub fn terminal_width() -> Option<usize> {
    use std::io::IsTerminal as _;
    std::io::stdout()
        .is_terminal()
        .then(|| crossterm::terminal::size().ok())
        .flatten()
        .map(|(columns, _)| usize::from(columns).max(20))
}

/// Two columns and more, aligned, for small tables without fields.
pub fn plain(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let cell = truncate(cell, 200);
            let padding = " ".repeat(widths[column].saturating_sub(cell.width()));
            // The first column is a name, the others are numbers.
            if column == 0 {
                line.push_str(&cell);
                line.push_str(&padding);
            } else {
                line.push_str("  ");
                line.push_str(&padding);
                line.push_str(&cell);
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

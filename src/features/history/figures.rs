//! Tables of figures, on the screen or as text, CSV and JSON, from one description.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use serde_json::{Map, Value as Json, json};

use crate::cli::args::ReportFormat;
use crate::cli::output::CliError;
use crate::cli::{output, table};
use crate::core::view::{Region, Scene};
use crate::domain::{export, format};
use crate::tui::table::{Column, Rows, Table, place};

/// A figure as text for display, and as a value for JSON and CSV.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub shown: String,
    pub value: Json,
}

impl Cell {
    pub fn new(shown: impl Into<String>, value: impl Into<Json>) -> Self {
        let (shown, value) = (shown.into(), value.into());
        Self { shown, value }
    }

    /// The cell of a number; a dash and null for `None`.
    pub fn number(value: Option<f64>, show: impl Fn(f64) -> String) -> Self {
        Self::new(value.map_or_else(|| format::NONE.to_owned(), show), json!(value))
    }
}

/// A column: its title, its key in JSON and CSV, its width in cells, and its priority, by which a
/// narrow screen drops columns.
pub(crate) type Head = (&'static str, &'static str, u16, u8);

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub heads: Vec<Head>,
    pub rows: Vec<Vec<Cell>>,
}

impl Figures {
    /// Prints the table: as text above `sentences`, as CSV, or as JSON in a member of `document`,
    /// which is of that `kind`.
    pub fn print(
        &self,
        format: ReportFormat,
        kind: &str,
        sentences: &[String],
        mut document: Json,
    ) -> Result<(), CliError> {
        let rows = self.rows.iter();
        match format {
            ReportFormat::Table => {
                let heads = self.heads.iter().map(|(title, ..)| (*title).to_owned()).collect();
                let rows = rows.map(|row| row.iter().map(|cell| cell.shown.clone()).collect());
                let lines: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
                let table = if self.rows.is_empty() {
                    String::new()
                } else {
                    table::plain(&lines) + "\n"
                };
                output::print(&(table + &sentences.join("\n") + "\n"))
            }
            ReportFormat::Csv => {
                let heads = self.heads.iter().map(|(_, key, ..)| (*key).to_owned()).collect();
                let text = |cell: &Cell| match &cell.value {
                    Json::Null => String::new(),
                    Json::String(text) => text.clone(),
                    value => value.to_string(),
                };
                let rows = rows.map(|row| row.iter().map(text).collect::<Vec<_>>());
                output::print(&export::csv_lines(std::iter::once(heads).chain(rows)))
            }
            ReportFormat::Json => {
                let object = |row: &Vec<Cell>| -> Map<String, Json> {
                    let keys = self.heads.iter().map(|(_, key, ..)| (*key).to_owned());
                    keys.zip(row.iter().map(|cell| cell.value.clone())).collect()
                };
                document["figures"] = rows.map(object).collect();
                output::print_document(kind, document)
            }
        }
    }

    /// Draws the table with a selected line.
    pub fn draw(&self, cursor: usize, area: Rect, scene: &mut Scene<'_, '_>) {
        let columns = self
            .heads
            .iter()
            .enumerate()
            .map(|(index, &(title, _, width, priority))| {
                let column = if index == 0 { Column::text } else { Column::number };
                column(title, width).priority(priority)
            });
        let columns: Vec<Column> = columns.collect();
        let placed = place(&columns, area.width);
        let table = Table::new(self, &columns, &placed, Some(cursor), scene.theme);
        scene.scroll(Region::MAIN, table, area);
    }
}

// A chart needs that much to tell times or prices apart.
/// The least width of a chart beside a table.
const BESIDE: u16 = 44;

/// The areas of a table with `rows` rows and of a chart at least `chart` lines high.
///
/// A long table is beside the chart if both fit. Otherwise it is above the chart, which gets the
/// rest.
pub(crate) fn beside(rows: usize, heads: &[Head], chart: u16, area: Rect) -> [Rect; 2] {
    let width = heads.iter().map(|(_, _, width, _)| width + 1).sum::<u16>() + 2;
    // Beside a few rows there would be a blank corner.
    if area.width >= width + BESIDE && 3 * rows > usize::from(area.height) {
        let sides = Layout::horizontal([Constraint::Length(width), Constraint::Fill(1)]);
        return sides.spacing(3).areas(area);
    }
    let table = u16::try_from(rows + usize::from(rows > 0)).unwrap_or(u16::MAX);
    // The chart is dropped if the table needs its space on a small screen.
    let most = if area.height >= 2 * chart {
        area.height - chart
    } else {
        area.height
    };
    Layout::vertical([Constraint::Length(table.min(most)), Constraint::Fill(1)]).areas(area)
}

impl Rows for Figures {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: usize, column: usize, _: u16) -> (Cow<'_, str>, Style) {
        let cell = self.rows.get(row).and_then(|row| row.get(column));
        (
            cell.map_or(Cow::Borrowed(""), |cell| Cow::Borrowed(&cell.shown)),
            Style::new(),
        )
    }
}

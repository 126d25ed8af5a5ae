//! Tables of figures, on the screen or as text, CSV and JSON, from one description.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use serde::Serialize;
use serde_json::Value as Json;

use crate::cli::args::ReportFormat;
use crate::cli::output::CliError;
use crate::cli::{output, table};
use crate::core::view::{Region, Scene};
use crate::core::views::sheet;
use crate::domain::text::csv_text;
use crate::domain::{export, format};
use crate::tui::table::{Column, Rows, Table, place};

/// An optional figure as text; a dash for `None`.
pub(crate) fn shown(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| format::NONE.to_owned(), show)
}

/// Lines of a document as CSV below a header, with the members `keys` of each.
pub(crate) fn csv(keys: &[&str], lines: &[impl Serialize]) -> String {
    let head = keys.iter().map(|key| (*key).to_owned()).collect();
    export::csv_lines(std::iter::once(head).chain(lines.iter().map(|line| csv_cells(keys, line))))
}

/// The members `keys` of a line as cells of CSV; blank for `null` and for missing members.
pub(crate) fn csv_cells(keys: &[&str], line: &impl Serialize) -> Vec<String> {
    // A line of figures has no keys that JSON could not write.
    let line = serde_json::to_value(line).unwrap_or_default();
    let cell = |value: &Json| match value {
        Json::Null => String::new(),
        Json::String(text) => csv_text(text),
        Json::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(fraction) => fraction.to_string(),
            None => number.to_string(),
        },
        Json::Bool(_) | Json::Array(_) | Json::Object(_) => value.to_string(),
    };
    keys.iter().map(|key| cell(&line[*key])).collect()
}

/// A column: its title, its member in the lines of the document, its width in cells, and its
/// priority, by which a narrow screen drops columns.
pub(crate) type Head = (&'static str, &'static str, u16, u8);

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub heads: Vec<Head>,
    /// The texts of the cells.
    pub rows: Vec<Vec<String>>,
}

impl Figures {
    /// Prints the table: as text above `sentences` (without rows, only those), as CSV of the document's
    /// `lines`, or as the JSON document of that kind.
    pub fn print(
        &self,
        format: ReportFormat,
        sentences: &[String],
        lines: &[impl Serialize],
        (kind, document): (&str, &impl Serialize),
    ) -> Result<(), CliError> {
        match format {
            ReportFormat::Table => {
                let heads = self.heads.iter().map(|(title, ..)| (*title).to_owned()).collect();
                let rows: Vec<Vec<String>> = std::iter::once(heads).chain(self.rows.iter().cloned()).collect();
                let table = if self.rows.is_empty() {
                    String::new()
                } else {
                    table::plain(&rows) + "\n"
                };
                output::print(&(table + &sentences.join("\n") + "\n"))
            }
            ReportFormat::Csv => {
                let keys: Vec<&str> = self.heads.iter().map(|(_, key, ..)| *key).collect();
                output::print(&csv(&keys, lines))
            }
            ReportFormat::Json => output::print_document(kind, document),
        }
    }

    /// The table without the columns in which no row has a value; the first always stays.
    fn with_values(mut self) -> Self {
        let has_value: Vec<bool> = (0..self.heads.len())
            .map(|column| {
                column == 0
                    || self
                        .rows
                        .iter()
                        .any(|row| row.get(column).is_some_and(|cell| cell != format::NONE))
            })
            .collect();
        let mut of_head = has_value.iter();
        self.heads.retain(|_| of_head.next() == Some(&true));
        for row in &mut self.rows {
            let mut of_cell = has_value.iter();
            row.retain(|_| of_cell.next() == Some(&true));
        }
        self
    }

    /// Draws a headline, the table with the line `cursor` selected, and the basis of its figures as one grey
    /// line; returns the area left for a chart, at least `chart` lines high if there is space. Columns
    /// without a value in any row are left out.
    pub fn draw(
        self,
        (text, basis): (Vec<Line<'static>>, Option<String>),
        (cursor, chart): (usize, u16),
        area: Rect,
        scene: &mut Scene<'_, '_>,
    ) -> Rect {
        let figures = self.with_values();
        let head = u16::try_from(sheet::rows(&text, area.width)).unwrap_or(u16::MAX);
        let [head, body, foot] =
            Layout::vertical([Constraint::Length(head), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
        if let Some(basis) = basis {
            sheet::foot(&basis, foot, scene);
        }
        sheet::text(text, head, scene);
        let [table, chart] = beside(figures.rows.len(), &figures.heads, chart, body);
        if figures.rows.is_empty() {
            return chart;
        }
        let columns = figures
            .heads
            .iter()
            .enumerate()
            .map(|(index, &(title, _, width, priority))| {
                let column = if index == 0 { Column::text } else { Column::number };
                column(title, width).priority(priority)
            });
        let columns: Vec<Column> = columns.collect();
        let placed = place(&columns, table.width);
        let rows = Table::new(&figures, &columns, &placed, Some(cursor), scene.theme);
        scene.scroll(Region::MAIN, rows, table);
        chart
    }
}

// A chart needs that much to tell times or prices apart.
/// The least width of a chart beside a table.
const BESIDE: u16 = 44;

/// The areas of a table with `rows` rows and of a chart at least `chart` lines high. A table of more rows
/// than a third of the area's height is beside the chart if both fit. Otherwise it is above the chart, which
/// gets the rest, and nothing where a long table needs an area of less than twice `chart` lines.
fn beside(rows: usize, heads: &[Head], chart: u16, area: Rect) -> [Rect; 2] {
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
        (cell.map_or(Cow::Borrowed(""), |cell| Cow::Borrowed(cell)), Style::new())
    }
}

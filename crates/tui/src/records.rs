//! The rows of a table as records, with a function for the cells of each column.

use std::borrow::Cow;

use ratatui::style::Style;

use super::table::{Column, Rows};

/// The text of a cell and its style.
pub type Cell<'a> = (Cow<'a, str>, Style);

/// Records and their columns. Only the visible cells are computed.
pub struct Records<'a, R> {
    count: usize,
    record: Box<dyn Fn(usize) -> Option<R> + 'a>,
    columns: Vec<Column>,
    cells: Vec<Box<dyn Fn(R, u16) -> Cell<'a> + 'a>>,
}

impl<'a, R> Records<'a, R> {
    /// `count` records, without columns yet; `record` reads one of them, `None` if it is gone.
    pub fn new(count: usize, record: impl Fn(usize) -> Option<R> + 'a) -> Self {
        Self {
            count,
            record: Box::new(record),
            columns: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Adds a column of plain texts, each made from a record.
    #[must_use]
    pub fn column(self, column: Column, text: impl Fn(R) -> String + 'a) -> Self {
        self.styled(column, move |record, _| (text(record).into(), Style::new()))
    }

    /// Adds a column whose cells have a style or depend on the width: `cell` receives a record and the width
    /// in cells.
    #[must_use]
    pub fn styled(mut self, column: Column, cell: impl Fn(R, u16) -> Cell<'a> + 'a) -> Self {
        self.columns.push(column);
        self.cells.push(Box::new(cell));
        self
    }

    /// The columns, from left to right.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}

impl<R> Rows for Records<'_, R> {
    fn count(&self) -> usize {
        self.count
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> Cell<'_> {
        let record = (self.record)(row).zip(self.cells.get(column));
        record.map_or_else(Default::default, |(record, cell)| cell(record, width))
    }
}

//! A fetched result set: the text of the response once, a range for each record, and columns.
//!
//! Rows are never copied or moved: a view is a list of row numbers. The columns of the default
//! table, of the conditions and of the prices are read with the response; any other field becomes a
//! column on first use, read from the records' own JSON, which stays available in full.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use unicode_width::UnicodeWidthStr as _;

use super::catalog::Catalog;
use super::dialect::TransferUnit;
use super::field::Field;
use super::insight::Coverage;
use super::json_split::{self, SplitError};
use super::text::Untrusted;
use super::throughput::Throughput;
use super::value::{CellRef, JsonKind};
use crate::time::UnixTime;

mod builder;
mod digits;
mod estimate;
mod full_record;
mod hide;
mod lead;
mod matching;
mod merge;
mod order;
mod packed;
mod raw_cell;
mod read;
mod reader;
mod scan;

use builder::Builder;
use estimate::Estimate;
pub use full_record::FullRecord;
pub use order::compare_cells;
use packed::Packed;
use raw_cell::RawCell;
pub use reader::{LONGEST_PIECE, Reader, Unsplit, Whole};

/// The id of a record: unique within a listing, stable from one response to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub i64);

impl std::fmt::Display for RowId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A record that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its index in the response.
    pub index: usize,
    /// The reason; never contains a value of the record.
    pub reason: &'static str,
}

/// The reason a response could not be read as a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// The text could not be split.
    #[error(transparent)]
    Skim(#[from] SplitError),
    /// The object has no list member.
    #[error("the response has no '{0}'")]
    NoList(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Cell {
    Missing,
    Null,
    Flag(bool),
    Number(f64),
    Text(u32),
    Bad(JsonKind),
}

impl Cell {
    /// Whether the cell has a usable value: not missing, null or of a wrong kind.
    const fn is_filled(&self) -> bool {
        !matches!(self, Self::Missing | Self::Null | Self::Bad(_))
    }
}

/// The cells of one field, with texts interned.
#[derive(Default)]
pub struct Column {
    cells: Vec<Packed>,
    texts: Vec<Untrusted>,
    widest: OnceLock<usize>,
}

/// Omits the texts: one column holds API keys.
impl std::fmt::Debug for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Column({} cells)", self.cells.len())
    }
}

impl Column {
    /// The cell of a row, to compare; missing beyond the last row.
    pub fn cell(&self, row: usize) -> CellRef<'_> {
        match self.cells.get(row).map(|cell| cell.cell()) {
            None | Some(Cell::Missing) => CellRef::Missing,
            Some(Cell::Null) => CellRef::Null,
            Some(Cell::Flag(flag)) => CellRef::Flag(flag),
            Some(Cell::Number(number)) => CellRef::Number(number),
            Some(Cell::Text(index)) => self
                .texts
                .get(index as usize)
                .map_or(CellRef::Missing, |text| CellRef::Text(text.unescaped())),
            Some(Cell::Bad(kind)) => CellRef::Bad(kind),
        }
    }

    /// The cell of a row; a text is an index into `Column::texts`. Missing beyond the last row.
    fn raw(&self, row: usize) -> Cell {
        self.cells.get(row).map_or(Cell::Missing, |cell| cell.cell())
    }

    /// The text of a row, to display; `None` if the cell is not a text.
    pub fn text(&self, row: usize) -> Option<&Untrusted> {
        self.texts.get(self.text_index(row)?)
    }

    /// The index of a row's text in [`Column::texts`]; `None` if the cell is not a text.
    pub fn text_index(&self, row: usize) -> Option<usize> {
        match self.raw(row) {
            Cell::Text(index) => Some(index as usize),
            Cell::Missing | Cell::Null | Cell::Flag(_) | Cell::Number(_) | Cell::Bad(_) => None,
        }
    }

    /// The width in terminal cells of the longest text or, if wider, of the largest number without decimals;
    /// at most 200, 0 without either.
    ///
    /// Computed once, read in every frame.
    pub fn widest(&self) -> usize {
        const MOST: usize = 200;
        *self.widest.get_or_init(|| {
            let cells = |text: &Untrusted| text.screen(MOST).width();
            let numbers = self.cells.iter().filter_map(|cell| match cell.cell() {
                Cell::Number(number) => Some(number.abs()),
                _ => None,
            });
            let digits = numbers.reduce(f64::max).map(|most| format!("{most:.0}").len());
            let widths = self.texts.iter().map(cells).chain(digits);
            widths.max().unwrap_or(0).min(MOST)
        })
    }

    /// A copy with only the first `many` cells and all texts.
    fn first(&self, many: usize) -> Self {
        Self {
            cells: self.cells[..many].to_vec(),
            texts: self.texts.clone(),
            widest: OnceLock::new(),
        }
    }

    /// The distinct texts of the column, in order of first appearance.
    pub fn texts(&self) -> &[Untrusted] {
        &self.texts
    }

    /// The number of cells with a usable value.
    pub fn filled(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.cell());
        cells.filter(Cell::is_filled).count()
    }

    /// Whether no cell has a usable value.
    pub fn is_blank(&self) -> bool {
        !self.cells.iter().any(|cell| cell.cell().is_filled())
    }
}

pub struct Listing {
    catalog: &'static Catalog,
    text: String,
    spans: Vec<Range<usize>>,
    ids: Vec<RowId>,
    by_id: OnceLock<Vec<u32>>,
    columns: Vec<OnceLock<Column>>,
    now: UnixTime,
    was_single: bool,
    skipped: Vec<Skipped>,
    duplicates: usize,
    hidden: usize,
    /// The ranges of the hidden records.
    hidden_spans: Vec<Range<usize>>,
    coverage: Option<Coverage>,
    /// Whether the market reports that it cut the response; `None` if it does not report it.
    truncated: Option<bool>,
    estimate: Option<Estimate>,
    /// The unit of its network speeds.
    transfer: TransferUnit,
    /// The user's throughput, from which the hours of work are computed.
    throughput: Arc<Throughput>,
    /// Whether bills are for work, so that they are not divided by GPUs.
    bills_work: bool,
    /// The plan for reading all fields of a record, for [`Listing::full_record`].
    plan_of_all: OnceLock<read::Plan>,
    /// The most recently read full record and its row.
    last: Mutex<Option<(usize, Arc<FullRecord>)>>,
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listing")
            .field("resource", &self.catalog.resource)
            .field("rows", &self.ids.len())
            .field("skipped", &self.skipped)
            .finish_non_exhaustive()
    }
}

impl Listing {
    /// A listing of this catalog without rows.
    pub fn empty(catalog: &'static Catalog) -> Self {
        Self {
            catalog,
            text: String::new(),
            spans: Vec::new(),
            ids: Vec::new(),
            by_id: OnceLock::new(),
            columns: (0..catalog.fields.len() + catalog.computed.len())
                .map(|_| OnceLock::new())
                .collect(),
            now: UnixTime::default(),
            was_single: false,
            skipped: Vec::new(),
            duplicates: 0,
            hidden: 0,
            hidden_spans: Vec::new(),
            coverage: None,
            truncated: None,
            estimate: None,
            transfer: TransferUnit::MegabitsPerSecond,
            throughput: Arc::default(),
            bills_work: false,
            plan_of_all: OnceLock::new(),
            last: Mutex::default(),
        }
    }

    /// Reads a response; copies of the values of its own secret members are removed outside of these. An
    /// error if it cannot be split into records, or has no list of them.
    ///
    /// `now` is the time it was received: `duration` counts from it if records have only an end date.
    pub fn read(catalog: &'static Catalog, text: impl Into<String>, now: UnixTime) -> Result<Self, ListingError> {
        let mut reader = Reader::new(catalog, Arc::default(), now);
        reader.take(text.into());
        match reader.finish() {
            Ok(whole) if whole.envelope.has_list => Ok(whole.listing),
            Ok(_) => Err(ListingError::NoList(catalog.list_key)),
            Err(unsplit) => Err(unsplit.error.into()),
        }
    }

    /// The listing with the given unit of network speeds.
    #[must_use]
    pub const fn in_units(mut self, transfer: TransferUnit) -> Self {
        self.transfer = transfer;
        self
    }

    /// The text of the response that records are ranges of.
    pub fn response(&self) -> &str {
        &self.text
    }

    pub const fn catalog(&self) -> &'static Catalog {
        self.catalog
    }

    /// The number of rows, without hidden ones.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The time the response was received.
    pub const fn read_at(&self) -> UnixTime {
        self.now
    }

    /// The unit of its network speeds.
    pub const fn transfer(&self) -> TransferUnit {
        self.transfer
    }

    /// The user's throughput by GPU model, from which the hours of work are computed.
    pub fn throughput(&self) -> &Throughput {
        &self.throughput
    }

    /// Whether its bills of a job are for an amount of work, so that they are not divided by GPUs: more GPUs
    /// only finish it sooner.
    pub const fn bills_work(&self) -> bool {
        self.bills_work
    }

    /// Sets whether its bills of a job are for an amount of work; see `Listing::bills_work`.
    pub const fn set_bills_work(&mut self, bills_work: bool) {
        self.bills_work = bills_work;
    }

    /// Sets the user's throughput by GPU model; computed columns stay as they are.
    pub fn set_throughput(&mut self, throughput: Arc<Throughput>) {
        self.throughput = throughput;
    }

    /// Whether the market sent a single object in place of a list of records.
    pub const fn was_single(&self) -> bool {
        self.was_single
    }

    /// The records that could not be read.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The number of records that repeated the id of an earlier one.
    pub const fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// The number of received records: rows, unreadable and duplicate records, and hidden rows.
    pub const fn received(&self) -> usize {
        self.ids.len() + self.skipped.len() + self.duplicates + self.hidden
    }

    /// Whether the market reports that it cut the response; `None` if it does not report it.
    pub const fn is_truncated(&self) -> Option<bool> {
        self.truncated
    }

    /// The id of a row; `None` beyond the last row.
    pub fn id(&self, row: usize) -> Option<RowId> {
        self.ids.get(row).copied()
    }

    /// The row with an id; `None` if there is none. Searches all rows.
    pub fn row(&self, id: RowId) -> Option<usize> {
        self.ids.iter().position(|candidate| *candidate == id)
    }

    /// The JSON of a record as received, but without secrets that were removed; `None` beyond the last row.
    pub fn json(&self, row: usize) -> Option<&str> {
        self.spans.get(row).map(|span| &self.text[span.clone()])
    }

    /// The column of a field of this listing's catalog, read on first use; prices as set by
    /// [`Listing::estimate_storage`] and [`Listing::price_as`].
    pub fn column(&self, field: &Field) -> &Column {
        self.estimate
            .as_ref()
            .and_then(|estimate| estimate.column(self, field.key))
            .unwrap_or_else(|| self.sent_column(field))
    }

    /// The column of a field as read from the records, without estimates, or as set by `set_columns`; read on
    /// first use, and empty for a field of another catalog.
    pub fn sent_column(&self, field: &Field) -> &Column {
        static NONE: Column = Column {
            cells: Vec::new(),
            texts: Vec::new(),
            widest: OnceLock::new(),
        };
        let Some(position) = self.catalog.position(field) else {
            return &NONE;
        };
        if self.columns[position].get().is_none() {
            self.read_columns(&[position]);
        }
        self.columns[position].get().unwrap_or(&NONE)
    }

    /// Sets the numbers of computed columns, one for each row; rows without one are blank.
    /// Replaces earlier ones; keys that are no column are ignored.
    pub fn set_columns<'k>(&mut self, columns: impl IntoIterator<Item = (&'k str, Vec<Option<f64>>)>) {
        for (key, numbers) in columns {
            if let Some(position) = self.catalog.column(key).and_then(|field| self.catalog.position(field)) {
                self.set_column(position, numbers);
            }
        }
    }

    /// Replaces the column at a catalog position; numbers that are not finite are blank.
    fn set_column(&mut self, position: usize, numbers: Vec<Option<f64>>) {
        let cells = numbers
            .into_iter()
            .map(|number| match number.filter(|number| number.is_finite()) {
                Some(number) => Cell::Number(number).packed(),
                None => Cell::Missing.packed(),
            })
            .collect();
        self.columns[position] = OnceLock::from(Column {
            cells,
            ..Column::default()
        });
    }

    /// Reads the columns of several fields in one pass, where they are not read yet.
    pub fn prepare<'a>(&self, fields: impl IntoIterator<Item = &'a Field>) {
        let missing: Vec<usize> = fields
            .into_iter()
            .filter_map(|field| self.catalog.position(field))
            .filter(|position| self.columns[*position].get().is_none())
            .collect();
        if !missing.is_empty() {
            self.read_columns(&missing);
        }
    }

    /// Reads the columns at these catalog positions into the listing; those already set stay.
    fn read_columns(&self, positions: &[usize]) {
        for (column, position) in self.columns_at(positions).into_iter().zip(positions) {
            // Another thread may have been first; both read the same values.
            let _ = self.columns[*position].set(column);
        }
    }

    /// The columns of several fields as read from the records, without estimates, in one pass; computed ones
    /// are blank, those of another catalog empty.
    pub fn read_columns_uncached(&self, fields: &[&Field]) -> Vec<Column> {
        let positions = fields.iter().map(|field| self.catalog.position(field));
        let known: Vec<usize> = positions.clone().flatten().collect();
        let mut columns = self.columns_at(&known).into_iter();
        let column = |position: Option<usize>| position.and_then(|_| columns.next()).unwrap_or_default();
        positions.map(column).collect()
    }

    /// Reads the columns at these catalog positions in one pass; an unreadable record has blank cells.
    fn columns_at(&self, positions: &[usize]) -> Vec<Column> {
        let plan = read::Plan::new(self.catalog, positions);
        let mut scanner = scan::Scanner::new(&plan);
        let mut builders: Vec<Builder> = positions.iter().map(|_| Builder::default()).collect();
        for span in &self.spans {
            let mut values = plan.blank();
            if scanner.record(&plan, &self.text, span.start, &mut values).is_none() {
                let read = plan.read(&self.text[span.clone()]);
                values = read.unwrap_or_else(|_| plan.blank());
            }
            plan.fill(&values, self.now, &mut builders);
        }
        builders.into_iter().map(|builder| builder.column).collect()
    }

    /// All fields of one record, with adjusted prices; all cells are blank beyond the last row.
    ///
    /// For a detail view, which must not read columns of all rows. The last record is cached, as a frame needs it
    /// several times and a record may be large.
    pub fn full_record(&self, row: usize) -> Arc<FullRecord> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((last, record)) if *last == row => Arc::clone(record),
            _ => {
                let record = Arc::new(self.read_whole(row));
                *last = Some((row, Arc::clone(&record)));
                record
            }
        }
    }

    /// Drops the cached record, whose prices or row number have changed.
    fn forget_last(&mut self) {
        self.last = Mutex::default();
    }

    /// Reads all fields of one record, with adjusted prices; all cells are blank beyond the last row.
    fn read_whole(&self, row: usize) -> FullRecord {
        let plan = self.plan_of_all.get_or_init(|| {
            let positions: Vec<usize> = (0..self.catalog.fields.len()).collect();
            read::Plan::new(self.catalog, &positions)
        });
        let read = self.json(row).and_then(|json| plan.read(json).ok());
        let values = read.unwrap_or_else(|| plan.blank());
        let cells = plan.cells(&values, self.now);
        let columns = cells.map(|cell| Column::single_row(&cell)).collect();
        let whole = FullRecord::new(self.catalog, columns);
        match &self.estimate {
            Some(estimate) => whole.estimated(estimate),
            None => whole,
        }
    }

    /// The cell of a field, to compare; prices as set by `Listing::estimate_storage` and `Listing::price_as`.
    pub fn cell(&self, row: usize, field: &Field) -> CellRef<'_> {
        self.column(field).cell(row)
    }

    /// The cell of the field with the wire name `key`, as in `cell`; missing without such a field.
    pub fn cell_of(&self, row: usize, key: &str) -> CellRef<'_> {
        let field = self.catalog.by_key(key);
        field.map_or(CellRef::Missing, |field| self.cell(row, field))
    }

    /// The text of a field, to display; `None` if the cell is not a text.
    pub fn text(&self, row: usize, field: &Field) -> Option<&Untrusted> {
        self.column(field).text(row)
    }

    /// The JSON of a record's member, `None` without it; of a repeated name the last one, as JSON parsers do.
    pub fn member(&self, row: usize, name: &str) -> Option<&str> {
        let json = self.json(row)?;
        let members = json_split::members(json).ok()?;
        let (_, value) = members.into_iter().rfind(|(known, _)| known == name)?;
        Some(&json[value])
    }

    /// The first `most` members of a record that are not in its catalog, as names and JSON, and the number of further
    /// ones.
    pub fn unknown_members(&self, row: usize, most: usize) -> (Vec<(String, &str)>, usize) {
        let fields = self.catalog.fields.iter();
        let known: HashSet<&str> = fields.flat_map(|field| read::members(&field.source)).collect();
        let json = self.json(row).unwrap_or_default();
        let mut unknown = json_split::members(json).unwrap_or_default();
        unknown.retain(|(name, _)| !known.contains(name.as_str()));
        let more = unknown.len().saturating_sub(most);
        unknown.truncate(most);
        let json = unknown.into_iter().map(|(name, value)| (name, &json[value]));
        (json.collect(), more)
    }
}

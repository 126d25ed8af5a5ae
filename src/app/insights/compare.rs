//! Marked rows side by side.

use super::After;
use crate::app::browser::Browser;
use crate::app::keymap::Action;
use crate::domain::cost::Prices;
use crate::domain::field::Section;
use crate::domain::format;
use crate::domain::insight::{CompareLine, Subject, compare, compare_fields, is_silent};
use crate::domain::listing::FullRecord;
use crate::domain::{Dialect, Field, Listing, Resource, RowId};

/// The section of what the table shows.
const AT_A_GLANCE: &str = "At a glance";

/// One line of the comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// The heading of a section.
    Heading(&'static str),
    /// One value for each compared row.
    Values {
        /// What is compared.
        label: &'static str,
        /// The values, ready to be shown.
        cells: Vec<String>,
        /// The places of the best ones.
        best: Vec<usize>,
    },
}

/// The comparison.
#[derive(Debug)]
pub struct Compare {
    /// The compared rows.
    pub ids: Vec<RowId>,
    /// What stands over each of them besides the id.
    pub titles: Vec<String>,
    /// What the rows are called.
    pub nouns: &'static str,
    /// Marked rows that are not loaded.
    pub absent: usize,
    /// The lines.
    pub lines: Vec<Line>,
    /// Whether lines in which the rows agree are left out.
    pub only_differences: bool,
    /// The row that keys are about, from 0.
    pub cursor: usize,
    /// Lines scrolled away at the top.
    pub scroll: usize,
}

impl Compare {
    /// Compares the marked rows of a browser.
    pub fn new(browser: &Browser) -> Self {
        let mut view = Self {
            ids: Vec::new(),
            titles: Vec::new(),
            nouns: browser.resource().nouns(),
            absent: 0,
            lines: Vec::new(),
            only_differences: false,
            cursor: 0,
            scroll: 0,
        };
        view.rebuild(browser);
        view
    }

    fn rebuild(&mut self, browser: &Browser) {
        let Some(listing) = browser.listing() else {
            return;
        };
        let rows = marked(browser, listing);
        self.absent = browser.marks.len() - rows.len();
        self.ids = rows
            .iter()
            .filter_map(|row| listing.id(*row as usize))
            .collect();
        self.titles = rows.iter().map(|row| title(listing, *row)).collect();
        self.cursor = self.cursor.min(self.ids.len().saturating_sub(1));
        let pricing = browser.pricing();
        let prices = Prices::new(listing, pricing.model);
        let derived = (browser.resource() == Resource::Offers).then_some((&prices, pricing.gb));
        let records: Vec<FullRecord> = rows
            .iter()
            .map(|row| listing.whole(*row as usize))
            .collect();
        let mut sections = compare(listing, &rows, derived, self.only_differences);
        // What names the rows stands over them already: prices and GPUs come first.
        sections.sort_by_key(|section| section.section == Section::Identity);
        let columns = browser.columns.iter().copied();
        let columns: Vec<_> = columns.filter(|field| field.key != "id").collect();
        let table = compare_fields(listing, &rows, &columns);
        let sections = sections
            .into_iter()
            .map(|section| (section.section.title(), section.lines));
        self.lines.clear();
        for (title, lines) in std::iter::once((AT_A_GLANCE, table)).chain(sections) {
            let lines = lines
                .iter()
                .map(|line| shown(browser, listing, (&rows, &records), line))
                .filter(|line| !self.only_differences || differs(line));
            let lines: Vec<_> = lines.collect();
            if !lines.is_empty() {
                self.lines.push(Line::Heading(title));
                self.lines.extend(lines);
            }
        }
        self.scroll = self.scroll.min(self.lines.len().saturating_sub(1));
    }

    pub(super) fn act(&mut self, browser: &mut Browser, action: Action) -> After {
        let last = self.ids.len().saturating_sub(1);
        match action {
            Action::Left => self.cursor = self.cursor.saturating_sub(1),
            Action::Right => self.cursor = (self.cursor + 1).min(last),
            Action::Differences => {
                self.only_differences = !self.only_differences;
                self.rebuild(browser);
            }
            Action::Toggle => {
                if let Some(id) = self.ids.get(self.cursor) {
                    browser.marks.remove(id);
                }
                self.rebuild(browser);
                if self.ids.len() < 2 {
                    return After::Close;
                }
            }
            Action::Submit => {
                if let Some(id) = self.ids.get(self.cursor) {
                    browser.select_id(*id);
                }
                return After::Close;
            }
            _ => {}
        }
        After::Stay
    }
}

/// The marked rows that are here: those in sight in their order, then the others.
fn marked(browser: &Browser, listing: &Listing) -> Vec<u32> {
    let is_marked = |row: &u32| {
        listing
            .id(*row as usize)
            .is_some_and(|id| browser.marks.contains(&id))
    };
    let mut rows: Vec<u32> = browser.view().iter().copied().filter(is_marked).collect();
    let hidden = (0..u32::try_from(listing.len()).unwrap_or(u32::MAX)).filter(is_marked);
    let hidden: Vec<u32> = hidden.filter(|row| !rows.contains(row)).collect();
    rows.extend(hidden);
    rows
}

/// What an offer is, in a few words.
pub(super) fn title(listing: &Listing, row: u32) -> String {
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key)?;
        Some(format::cell(listing, row as usize, field, 16))
    };
    match (cell("num_gpus"), cell("gpu_name")) {
        (Some(count), Some(name)) => format!("{count}x {name}"),
        _ => String::new(),
    }
}

fn shown(
    browser: &Browser,
    listing: &Listing,
    (rows, records): (&[u32], &[FullRecord]),
    line: &CompareLine,
) -> Line {
    let dialect = browser.dialect();
    let number = |value: Option<f64>, write: &dyn Fn(f64) -> String| {
        value.map_or_else(|| format::BLANK.to_owned(), write)
    };
    let (label, cells): (_, Vec<String>) = match line.subject {
        Subject::Field(field) if field.is_computed() => {
            let write = |value: f64| format::with_unit(field, value, dialect);
            let cell = |row: &u32| number(listing.cell(*row as usize, field).number(), &write);
            (field.label, rows.iter().map(cell).collect())
        }
        Subject::Field(field) => {
            let cell = |record: &FullRecord| cell(record, field, dialect);
            (listing.label(field), records.iter().map(cell).collect())
        }
        Subject::Derived { label, places, .. } => {
            let write = |value: f64| format!("${value:.*}/h", usize::from(places));
            let cell = |value: &Option<f64>| number(*value, &write);
            (label, line.values.iter().map(cell).collect())
        }
    };
    Line::Values {
        best: best_shown(&cells, &line.best),
        label,
        cells,
    }
}

/// The best of a line as a person sees it: what reads like the best is as good, and where all read
/// alike there is none.
fn best_shown(cells: &[String], best: &[usize]) -> Vec<usize> {
    let is_best = |place: &usize| {
        best.iter()
            .any(|best| cells.get(*best) == cells.get(*place))
    };
    let alike: Vec<usize> = (0..cells.len()).filter(is_best).collect();
    let rest = (0..cells.len()).filter(|place| !alike.contains(place));
    // Those that say nothing lose nothing.
    if rest.into_iter().all(|place| cells[place] == format::BLANK) {
        return Vec::new();
    }
    alike
}

/// Whether a line reads differently for some of the rows.
fn differs(line: &Line) -> bool {
    match line {
        Line::Heading(_) => false,
        Line::Values { cells, .. } => cells.windows(2).any(|pair| pair[0] != pair[1]),
    }
}

fn cell(record: &FullRecord, field: &Field, dialect: &Dialect) -> String {
    if is_silent(&record.cell(field)) {
        return format::BLANK.to_owned();
    }
    format::detail(record, field, dialect)
}

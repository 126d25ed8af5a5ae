//! The view of marked rows side by side, with a verdict.

mod draw;
mod verdict;

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::core::State;
use crate::core::searched::Searched;
use crate::core::view::{Availability, Cx, Outcome, Region, Scene, View};
use crate::core::views::searched;
use crate::domain::cost::Prices;
use crate::domain::field::{Section, Unit};
use crate::domain::insight::{CompareLine, Subject, compare, compare_fields, has_no_value};
use crate::domain::listing::FullRecord;
use crate::domain::{Dialect, Field, Listing, Resource, RowId, format};
use crate::keys::{Action, Context, Motion};
use crate::table::browser::Browser;
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;

/// The section with the table's columns.
///
/// The user chose them, so they come first.
const AT_A_GLANCE: &str = "At a glance";

/// The last section, of the fields with equal values.
const ALIKE: &str = "The same in all";

/// Number of lines that stay visible above a match.
const CONTEXT: usize = 3;

/// The region of the column headers.
const HEADERS: Region = Region::PREVIEW;

/// A line of the comparison.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Heading(&'static str),
    Values(Values),
}

/// The formatted values of a field, one for each compared row.
#[derive(Debug, Clone, PartialEq)]
struct Values {
    label: &'static str,
    /// The value of each row; `None` if not reported.
    cells: Vec<Option<String>>,
    /// The indices of the best values.
    best: Vec<usize>,
}

impl Values {
    /// Whether the displayed values differ.
    fn differs(&self) -> bool {
        let texts: Vec<&str> = (0..self.cells.len()).map(|index| self.text(index)).collect();
        texts.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// The displayed value of the row at `index`; a dash if it is not reported.
    fn text(&self, index: usize) -> &str {
        let cell = self.cells.get(index).and_then(Option::as_deref);
        cell.unwrap_or(format::NONE)
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Compared {
    id: RowId,
    title: String,
}

/// The comparison of the marked rows.
#[derive(Debug)]
pub struct Compare {
    resource: Resource,
    rows: Vec<Compared>,
    lines: Vec<Line>,
    only_differences: bool,
    /// The conclusions, one sentence each.
    verdict: Vec<String>,
    totals: Vec<String>,
    cursor: usize,
    top: usize,
    find: Find,
}

impl Compare {
    /// The comparison of the pane's marked rows; `None` if the pane has no table. With fewer than two rows
    /// left, it has only a warning.
    pub fn new(state: &State) -> Option<Self> {
        let browser = state.browser()?;
        let mut view = Self {
            resource: browser.resource(),
            rows: Vec::new(),
            lines: Vec::new(),
            only_differences: false,
            verdict: Vec::new(),
            totals: Vec::new(),
            cursor: 0,
            top: 0,
            find: Find::default(),
        };
        view.rebuild(browser);
        Some(view)
    }

    /// Recomputes the lines, the verdict and the totals from the marked rows that are still listed; fewer
    /// than two leave only a warning. Nothing changes while no rows are loaded.
    fn rebuild(&mut self, browser: &Browser) {
        let Some(listing) = browser.listing() else {
            return;
        };
        let rows = browser.marked_rows();
        self.rows = rows
            .iter()
            .filter_map(|row| {
                Some(Compared {
                    id: listing.id(*row as usize)?,
                    title: title(listing, *row),
                })
            })
            .collect();
        self.cursor = self.cursor.min(self.rows.len().saturating_sub(1));
        self.lines.clear();
        if rows.len() < 2 {
            // The others have left the market: nothing is cheaper than itself.
            self.verdict = vec!["! Fewer than two marked rows are left: go back and mark others.".to_owned()];
            self.totals.clear();
            return;
        }
        self.verdict = verdict::verdict(browser, listing, &rows);
        self.totals = verdict::totals(browser, listing, &rows);
        let pricing = browser.pricing();
        let prices = Prices::new(listing, pricing.model);
        let derived = (browser.resource() == Resource::Offers).then_some((&prices, pricing.gb));
        let mut sections = compare(listing, &rows, derived);
        // The ids are in the heading already: prices and GPUs come first.
        sections.sort_by_key(|section| section.section == Section::Identity);
        let columns = browser.columns.iter().copied();
        let columns: Vec<_> = columns.filter(|field| field.key != "id").collect();
        let glance = compare_fields(listing, &rows, &columns);
        let is_shown = |line: &CompareLine| matches!(line.subject, Subject::Field(field) if columns.contains(&field));
        for section in &mut sections {
            section.lines.retain(|line| !is_shown(line));
        }
        let sections = sections
            .into_iter()
            .map(|section| (section.section.title(), section.lines));
        self.add_sections(
            browser,
            (listing, &rows),
            std::iter::once((AT_A_GLANCE, glance)).chain(sections),
        );
        self.top = self.top.min(self.lines.len().saturating_sub(1));
    }

    /// Adds the lines of all sections whose values differ; then all equal ones as one section, unless only
    /// differences are shown. A price with the same values as one above it is left out.
    fn add_sections(
        &mut self,
        browser: &Browser,
        (listing, rows): (&Listing, &[u32]),
        sections: impl Iterator<Item = (&'static str, Vec<CompareLine>)>,
    ) {
        let records: Vec<Arc<FullRecord>> = rows.iter().map(|row| listing.full_record(*row as usize)).collect();
        // Markets repeat a price under other names: adjusted, discounted, running, in total.
        let mut prices: Vec<Vec<Option<String>>> = Vec::new();
        let mut alike = Vec::new();
        for (title, lines) in sections {
            let lines = lines.iter().filter_map(|line| {
                let values = values(browser, listing, (rows, &records), line);
                let is_price = line.subject.unit() == Unit::DollarsPerHour;
                let is_repeated = is_price && prices.contains(&values.cells);
                prices.extend(is_price.then(|| values.cells.clone()));
                (!is_repeated).then_some(values)
            });
            let (differing, same): (Vec<_>, Vec<_>) = lines.partition(Values::differs);
            alike.extend(same);
            self.add(title, differing);
        }
        if !self.only_differences {
            self.add(ALIKE, alike);
        }
    }

    /// Adds a heading and its lines; nothing if there are no lines.
    fn add(&mut self, title: &'static str, lines: Vec<Values>) {
        if !lines.is_empty() {
            self.lines.push(Line::Heading(title));
            self.lines.extend(lines.into_iter().map(Line::Values));
        }
    }

    /// Unmarks the row of the current column; closes the comparison, with a notice, if fewer than two rows
    /// are left.
    fn unmark(&mut self, cx: &mut Cx<'_>) {
        let Some(browser) = cx.pane_table() else {
            return;
        };
        if let Some(row) = self.rows.get(self.cursor) {
            browser.marks.remove(&row.id);
        }
        self.rebuild(browser);
        if self.rows.len() < 2 {
            cx.toast("Comparison closed: only one row is left");
            cx.close();
        }
    }
}

/// The title of a compared row: `8× RTX 4090`, or its location if it has no GPUs (blank if it has no
/// location).
fn title(listing: &Listing, row: u32) -> String {
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key)?;
        Some(format::cell(listing, row as usize, field, 16))
    };
    match (cell("num_gpus"), cell("gpu_name")) {
        (Some(count), Some(name)) => format!("{count}× {name}"),
        _ => cell("geolocation").unwrap_or_default(),
    }
}

/// The displayed values of a line of the comparison for all rows, and the best of them; computed fields come
/// from the table, others from the full records.
fn values(
    browser: &Browser,
    listing: &Listing,
    (rows, records): (&[u32], &[Arc<FullRecord>]),
    line: &CompareLine,
) -> Values {
    let dialect = browser.dialect();
    let (label, cells): (_, Vec<Option<String>>) = match line.subject {
        Subject::Field(field) if field.is_computed() => {
            let write = |value: f64| format::with_unit(field, value, dialect);
            let cell = |row: &u32| listing.cell(*row as usize, field).number().map(write);
            (field.label, rows.iter().map(cell).collect())
        }
        Subject::Field(field) => {
            let cell = |record: &Arc<FullRecord>| cell(record, field, dialect);
            (listing.label(field), records.iter().map(cell).collect())
        }
        Subject::Derived { label, places, .. } => {
            let write = |value: f64| format!("${value:.*}/h", usize::from(places));
            let cell = |value: &Option<f64>| value.map(write);
            (label, line.values.iter().map(cell).collect())
        }
    };
    Values {
        best: best_shown(&cells, &line.best),
        label,
        cells,
    }
}

/// The value of a field as text; `None` if the record does not report it.
fn cell(record: &FullRecord, field: &Field, dialect: &Dialect) -> Option<String> {
    (!has_no_value(&record.cell(field))).then(|| format::detail(record, field, dialect))
}

/// The indices of the best values by their displayed text.
///
/// A value that reads like the best one is as good. Empty if all reported values read alike.
fn best_shown(cells: &[Option<String>], best: &[usize]) -> Vec<usize> {
    let is_best = |index: &usize| best.iter().any(|best| cells.get(*best) == cells.get(*index));
    let alike: Vec<usize> = (0..cells.len()).filter(is_best).collect();
    let rest = (0..cells.len()).filter(|index| !alike.contains(index));
    // An unreported value is not worse.
    if rest.into_iter().all(|index| cells[index].is_none()) {
        return Vec::new();
    }
    alike
}

impl Searched for Compare {
    fn find(&mut self) -> &mut Find {
        &mut self.find
    }

    fn texts(&self, _: &State) -> Vec<String> {
        let text = |line: &Line| match line {
            Line::Heading(title) => (*title).to_owned(),
            Line::Values(values) => {
                let cells = (0..self.rows.len()).map(|index| values.text(index));
                let words: Vec<&str> = std::iter::once(values.label).chain(cells).collect();
                words.join("\n")
            }
        };
        self.lines.iter().map(text).collect()
    }

    fn line(&self, _: &State) -> usize {
        self.top
    }

    fn go_to_line(&mut self, line: usize, _: &mut Cx<'_>) {
        // A few lines above it say where one is.
        self.top = line.saturating_sub(CONTEXT);
    }
}

impl View for Compare {
    fn contexts(&self) -> &'static [Context] {
        searched::contexts(&self.find, searched::CHART)
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(action, Action::Sort | Action::Settings))
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Submit => Some("select"),
            Action::Mark => Some("unmark"),
            Action::Differences if self.only_differences => Some("all rows"),
            Action::Right => Some("column"),
            _ => None,
        }
    }

    fn search(&self) -> Option<&Find> {
        Some(&self.find)
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.find)
    }

    fn text_changed(&mut self, cx: &mut Cx<'_>) {
        self.search_again(cx);
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if self.act_on_search(action, cx) {
            return Outcome::Handled;
        }
        if let Some(lines) = cx.motion(action) {
            let last = cx.viewport(Region::MAIN).last_top();
            self.top = self.top.saturating_add_signed(lines).min(last);
            return Outcome::Handled;
        }
        match action {
            Action::Left => self.cursor = self.cursor.saturating_sub(1),
            Action::Right => {
                self.cursor = (self.cursor + 1).min(self.rows.len().saturating_sub(1));
            }
            Action::Move(Motion::FirstColumn) => self.cursor = 0,
            Action::Move(Motion::LastColumn) => self.cursor = self.rows.len().saturating_sub(1),
            Action::Differences => {
                self.only_differences = !self.only_differences;
                self.rows_changed(cx.state());
            }
            Action::Mark => self.unmark(cx),
            Action::Submit => {
                let row = self.rows.get(self.cursor);
                if let (Some(browser), Some(row)) = (cx.pane_table(), row) {
                    browser.select_id(row.id);
                }
                cx.close();
            }
            Action::Refresh => cx.perform_on_pane(action),
            Action::Back | Action::Quit => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, region: Region, line: usize, _: &mut Cx<'_>) -> Outcome {
        if region == HEADERS {
            self.cursor = line;
        }
        Outcome::Handled
    }

    fn rows_changed(&mut self, state: &State) {
        if let Some(browser) = state.browser() {
            self.rebuild(browser);
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let area = searched::draw_line(&self.find, area, scene);
        draw::comparison(self, area, scene);
    }
}

//! The table of a pane: its columns, its cells and their tints.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::cells;
use crate::core::frame_layout::Target;
use crate::core::sandbox::UserListing;
use crate::core::view::{Region, Scene};
use crate::domain::annotations::Annotated;
use crate::domain::insight::{Measure, Rank};
use crate::domain::local::LocalTime;
use crate::domain::text::occurrences;
use crate::domain::{CellRef, Field, Kind, Listing, Operator, Resource, Source, format, language};
use crate::features::annotations::view::{NOTE, STAR};
use crate::table::browser::Browser;
use crate::table::column_prerequisites::Need;
use crate::table::remote::{Now, Phase};
use crate::table::row_filter::is_searched;
use crate::table::rows::Rows as ShownRows;
use crate::tui::table::{Column, Placed, Rows, Table, place_from};
use crate::tui::text::cells as cells_of;
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// The sign of offers on the Pareto front of price and performance.
pub(super) const BEST: &str = "◆";

/// The sign of rows that are too small or end too early.
pub(super) const UNFIT: &str = "!";

/// The sign of rows that are new since auto-refresh was turned on.
pub(super) const NEW: &str = "+";

/// The sign of the person's own volume listings, which only the sandbox tells.
pub(super) const OWN: &str = "@";

/// Cells left of the first column: selection or mark, the sign of the row, a gap.
pub(super) const GUTTER: u16 = 3;

/// Cells left of the first column where some rows are starred or have a note.
const ANNOTATED: u16 = 4;

/// Cells of a price change in front of the price.
const MOVE: u16 = 8;

/// The drop priority of a chosen column that is hidden by default.
const CHOSEN: u8 = 9;

// A new machine begins at 60 % and rises with time: low may mean new.
/// Reliability below which rows get a warning, and below which they are bad.
const SHAKY: f64 = 0.95;
const BAD: f64 = 0.90;

/// Draws the table; returns its viewport. With a preview the id needs no column.
pub(super) fn draw(browser: &Browser, has_preview: bool, area: Rect, scene: &mut Scene<'_, '_>) -> Viewport {
    let shown = browser.displayed();
    let Some(listing) = shown.listing() else {
        return Viewport::default();
    };
    let needed = needed(browser);
    let fields = fields(browser, &needed, has_preview);
    let columns = columns(browser, listing, &fields);
    let placed = place_from(&columns, browser.column_offset, gutter(browser), area.width);
    let local = scene.state.local_time(scene.now);
    let rows = Records {
        browser,
        shown,
        listing,
        fields: &fields,
        local: &local,
        theme: scene.theme,
        grouping: grouping(browser),
        is_stale: is_stale(browser, scene.now),
        is_recorded: browser.recorded_at().is_some(),
        own: &scene.state.sandbox.listings,
    };
    let table = Table::new(&rows, &columns, &placed, Some(browser.cursor()), scene.theme).dim_header(rows.is_recorded);
    let mut viewport = scene.before.viewport(scene.depth, Region::MAIN);
    scene.frame.render_stateful_widget(table, area, &mut viewport);
    let viewport_of_pane = (scene.depth, Region::MAIN, viewport);
    scene.layout.viewports.push(viewport_of_pane);
    scene.layout.column_offset = placed.get(1).map_or(0, |second| second.index - 1);
    for Placed { index, x, width } in placed {
        let header = Rect::new(area.x + x, area.y, width, 1).intersection(area);
        if let Some(field) = fields.get(index) {
            scene.clickable(header, Target::Header(field));
        }
    }
    viewport
}

/// Cells left of the first column.
fn gutter(browser: &Browser) -> u16 {
    match browser.displayed().computed.count_annotated() {
        (0, 0) => GUTTER,
        _ => ANNOTATED,
    }
}

/// The columns of these fields, as wide as the rows need.
pub(super) fn columns(browser: &Browser, listing: &Listing, fields: &[&'static Field]) -> Vec<Column> {
    let needed = needed(browser);
    fields
        .iter()
        .map(|field| column(browser, listing, field, &needed))
        .collect()
}

/// The columns in order: the chosen ones, those with a broken condition or a matching word, and
/// those that the query or the order needs.
fn fields(browser: &Browser, needed: &[&'static Field], has_preview: bool) -> Vec<&'static Field> {
    let mut fields = browser.columns.clone();
    if browser.computed.price_models.is_unasked() {
        fields.retain(|field| browser.need(field) != Some(Need::ThreePrices));
    }
    let is_usual = fields == browser.query.catalog().default_columns();
    if has_preview && is_usual && browser.resource() != Resource::Workergroups {
        // The preview shows the id of the selected row.
        fields.retain(|field| field.key != "id");
    }
    let accused = browser.accused();
    for field in accused
        .into_iter()
        .chain(browser.displayed().revealed().iter().copied())
    {
        if !fields.contains(&field) {
            fields.insert(fields.len().min(1), field);
        }
    }
    for field in needed {
        if !fields.contains(field) {
            fields.push(field);
        }
    }
    fields
}

/// The columns that explain why a row is listed and where: bounds of the query, and the sort key
/// unless it is the default order.
fn needed(browser: &Browser) -> Vec<&'static Field> {
    let query = &browser.query;
    let is_bound = |operator: Operator| {
        matches!(
            operator,
            Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte | Operator::In
        )
    };
    let bounds = query
        .active()
        .filter(|condition| is_bound(condition.operator))
        .map(|condition| condition.field);
    let usual = language::default_query(query.resource, browser.dialect()).order;
    let keys = browser.sorting_keys();
    let keys = keys.into_iter().filter(|key| !usual.contains(key));
    let mut needed: Vec<&'static Field> = Vec::new();
    for field in bounds.chain(keys.map(|key| key.field)) {
        if field.is_column() && !needed.contains(&field) {
            needed.push(field);
        }
    }
    needed
}

fn column(browser: &Browser, listing: &Listing, field: &'static Field, needed: &[&'static Field]) -> Column {
    let title = title(browser, listing, field);
    // A cell that breaks a condition has a sign in front of its text.
    let is_broken = browser.is_accused(field) || is_bill(field) && browser.displayed().computed.unfit() > 0;
    let broken = u16::from(is_broken);
    let moved = if is_moving(browser, field) { MOVE } else { 0 };
    let width = width(listing, field, &title) + broken + moved;
    let is_vital = browser.is_accused(field)
        || browser.displayed().revealed().contains(&field)
        || browser.query.order.first().is_some_and(|key| key.field == field)
        || is_bill(field);
    let priority = if is_vital {
        0
    } else if needed.contains(&field) {
        1
    } else if field.column.rank.is_some() {
        field.column.priority
    } else {
        field.column.priority.min(CHOSEN)
    };
    let column = if is_right_aligned(field) {
        Column::number(title, width)
    } else {
        Column::text(title, width)
    };
    let column = column.priority(priority);
    // A search is longer than any column.
    if matches!(field.source, Source::Search(_)) {
        column.grows()
    } else {
        column
    }
}

/// The header with the arrow of the sort order; an estimated price is marked as no quote.
fn title(browser: &Browser, listing: &Listing, field: &Field) -> String {
    let order = browser.sorting_keys();
    let rank = order.iter().position(|key| key.field == field);
    let sign = match rank {
        None => String::new(),
        Some(0) => order[0].direction.arrow().to_string(),
        Some(rank) => format!("{}{}", order[rank].direction.arrow(), rank + 1),
    };
    let estimate = if listing.is_estimated(field) { "~" } else { "" };
    let header = cells::header(listing, field, browser.dialect());
    format!("{estimate}{header}{sign}")
}

// The digits of the largest number in JSON parsers.
/// The maximum width of an id.
const LONGEST_ID: usize = 20;

// Columns have some hundred distinct texts; a response in which all differ must not cost a frame.
/// The maximum number of distinct texts of a column that are measured.
const MOST_TEXTS: usize = 1000;

/// The width that a column needs for its content: models and locations are mostly shorter than the
/// longest possible, which leaves room for other columns.
fn width(listing: &Listing, field: &Field, title: &str) -> u16 {
    let header = cells_of(title);
    if field.kind == Kind::Id {
        // An id is shown in full or not at all.
        let longest = listing.column(field).widest().min(LONGEST_ID);
        let longest = u16::try_from(longest).unwrap_or(field.column.width);
        return longest.max(header);
    }
    let usual = cells::width(listing, field).unwrap_or(field.column.width);
    if !matches!(field.kind, Kind::Text | Kind::Country) {
        return usual.max(header);
    }
    let column = listing.column(field);
    if column.texts().is_empty() || column.texts().len() > MOST_TEXTS {
        return usual.max(header);
    }
    let longest = u16::try_from(column.widest()).unwrap_or(usual);
    longest.min(usual).max(header)
}

/// Whether a column is a cost that does not apply to rows that are too small or end too early.
fn is_bill(field: &Field) -> bool {
    matches!(field.key, "job_cost" | "volume_term")
}

const fn is_right_aligned(field: &Field) -> bool {
    matches!(field.kind, Kind::Integer | Kind::Number | Kind::Id)
}

/// Whether a column shows price changes since auto-refresh was turned on.
fn is_moving(browser: &Browser, field: &Field) -> bool {
    browser.watching().is_some_and(|watch| watch.changes().has_moved(field))
}

/// The column whose repeated values are dimmed: the endpoint while the groups are sorted by it.
fn grouping(browser: &Browser) -> Option<&'static Field> {
    let first = browser.query.order.first()?.field;
    (browser.resource() == Resource::Workergroups && first.key == "endpoint_name").then_some(first)
}

/// The measure for ranking a column's cells, if ranking them is meaningful. With a job its bill is
/// the price, and `$/h` is not ranked.
fn measure(field: &Field, browser: &Browser) -> Option<Measure> {
    let is_volume = browser.resource() == Resource::Volumes;
    match field.key {
        "dph_total" | "dph_per_gpu" if browser.computed.job.is_none() => Some(Measure::Price),
        "job_cost" => Some(Measure::Price),
        "storage_cost" if is_volume => Some(Measure::Price),
        "dlperf_per_dphtotal" => Some(Measure::Value),
        "nw_disk_avg_bw" => Some(Measure::Performance),
        "inet_down" => Some(Measure::Network),
        "reliability" => Some(Measure::Reliability),
        "duration" => Some(Measure::TimeLeft),
        _ => None,
    }
}

// A fast one would only flicker.
/// Seconds that a refresh may take before the rows are dimmed.
const PATIENCE: f64 = 0.5;

/// Whether the rows are older than the last request: it failed, its response takes long, or they are the record's.
fn is_stale(browser: &Browser, now: Now) -> bool {
    if browser.recorded_at().is_some() {
        return true;
    }
    match browser.remote().phase() {
        Phase::Loading { since, .. } => now.mono - since >= PATIENCE,
        Phase::Failed(_) => true,
        Phase::Idle | Phase::Ready => false,
    }
}

/// The rows of a listing for the table.
struct Records<'a> {
    browser: &'a Browser,
    /// The rows on screen: those of the response or the record's.
    shown: &'a ShownRows,
    listing: &'a Listing,
    fields: &'a [&'static Field],
    local: &'a LocalTime,
    theme: &'a Theme,
    grouping: Option<&'static Field>,
    is_stale: bool,
    is_recorded: bool,
    own: &'a [UserListing],
}

impl Records<'_> {
    fn record(&self, row: usize) -> Option<usize> {
        self.shown.view().get(row).map(|record| *record as usize)
    }

    fn is_marked(&self, record: usize) -> bool {
        let id = self.listing.id(record).filter(|_| !self.is_recorded);
        id.is_some_and(|id| self.browser.marks.contains(&id))
    }

    /// Whether a value repeats the one above.
    fn repeats(&self, row: usize, record: usize, field: &Field) -> bool {
        if self.grouping != Some(field) {
            return false;
        }
        let above = row.checked_sub(1).and_then(|above| self.record(above));
        above.is_some_and(|above| {
            let cell = self.listing.cell(record, field);
            !cell.is_blank() && cell == self.listing.cell(above, field)
        })
    }

    /// The colour of a value: its rank, and whether it suits the job.
    fn tint(&self, record: usize, field: &Field) -> Style {
        let theme = self.theme;
        if self.is_stale {
            return Style::new();
        }
        let cell = self.listing.cell(record, field);
        match (field.key, cell) {
            ("verification", CellRef::Text(text)) if text != "verified" => return theme.warning,
            ("reliability", CellRef::Number(value)) if value < BAD => return theme.error,
            ("reliability", CellRef::Number(value)) if value < SHAKY => return theme.warning,
            ("duration", CellRef::Number(_)) if self.shown.computed.is_unfit(record) => {
                return theme.error;
            }
            _ => {}
        }
        let figures = &self.shown.computed;
        let rank =
            measure(field, self.browser).and_then(|measure| figures.standing.rank(self.listing, measure, record));
        match rank.and_then(Rank::is_best) {
            Some(true) => theme.good,
            // Reliability is judged by fixed thresholds, not by rank.
            Some(false) if field.key != "reliability" => theme.warning,
            Some(false) | None => Style::new(),
        }
    }

    /// The change of a price since auto-refresh was turned on, shown in front of it.
    fn moved(&self, record: usize, field: &Field) -> Option<(String, Style)> {
        let watch = self.browser.watching().filter(|_| !self.is_recorded)?;
        let id = self.listing.id(record)?;
        let fell = watch.changes().fell(id, field)?;
        let (from, to) = watch.changes().price(id)?;
        let amount = format::number(field, (from - to).abs());
        Some(if fell {
            (format!("▼{amount}"), self.theme.good)
        } else {
            (format!("▲{amount}"), self.theme.warning)
        })
    }
}

impl Rows for Records<'_> {
    fn count(&self) -> usize {
        self.shown.view().len()
    }

    fn cell(&self, row: usize, column: usize, width: u16) -> (Cow<'_, str>, Style) {
        let Some(record) = self.record(row) else {
            return ("".into(), Style::new());
        };
        let Some(field) = self.fields.get(column) else {
            return Default::default();
        };
        let text = cells::text(self.listing, record, field, width, self.local);
        let is_broken =
            self.browser.is_violating(record, field) || is_bill(field) && self.shown.computed.is_unfit(record);
        if is_broken {
            let style = self.theme.warning.add_modifier(Modifier::UNDERLINED);
            return (format!("!{text}").into(), style);
        }
        if text == format::MISFIT {
            let style = self.theme.warning.add_modifier(Modifier::UNDERLINED);
            return (text.into(), style);
        }
        if text == format::NONE && self.browser.computed.price_models.awaits_column(field.key) {
            return ("…".into(), self.theme.dim);
        }
        if text == format::NONE || self.repeats(row, record, field) {
            return (text.into(), self.theme.dim);
        }
        if let Some((amount, style)) = self.moved(record, field) {
            return (format!("{amount} {text}").into(), style);
        }
        (text.into(), self.tint(record, field))
    }

    fn sign(&self, row: usize) -> (&'static str, Style) {
        let Some(record) = self.record(row) else {
            return (" ", Style::new());
        };
        let figures = &self.shown.computed;
        let is_best = || {
            // What is best now is not known.
            if self.is_recorded {
                return false;
            }
            let record = u32::try_from(record).ok();
            let front = figures.front().zip(record);
            front.is_some_and(|(front, record)| front.contains(record))
        };
        let is_new = || {
            let watch = self
                .browser
                .watching()
                .filter(|_| !self.is_recorded)
                .zip(self.listing.id(record));
            watch.is_some_and(|(watch, id)| watch.changes().is_new(id))
        };
        let is_own = || {
            let id = self.listing.id(record).map(|id| id.to_string());
            id.is_some_and(|id| self.own.iter().any(|listing| listing.id.to_string() == id))
        };
        if figures.is_unfit(record) {
            (UNFIT, self.theme.warning)
        } else if self.browser.resource() == Resource::Volumes && is_own() {
            (OWN, self.theme.accent)
        } else if is_new() {
            (NEW, self.theme.accent)
        } else if is_best() {
            (BEST, self.theme.good)
        } else {
            (" ", Style::new())
        }
    }

    fn tag(&self, row: usize) -> (&'static str, Style) {
        let record = self.record(row);
        let annotated = record.map(|record| self.shown.computed.annotated(record));
        match annotated.unwrap_or_default() {
            Annotated { is_starred: true, .. } => (STAR, self.theme.accent),
            Annotated { has_note: true, .. } => (NOTE, self.theme.accent),
            Annotated { .. } => ("", Style::new()),
        }
    }

    fn lead(&self, row: usize, is_selected: bool) -> (&'static str, Style) {
        let is_marked = self.record(row).is_some_and(|row| self.is_marked(row));
        match (is_marked, is_selected) {
            (true, _) => ("▌", self.theme.warning),
            (false, true) => ("›", Style::new()),
            (false, false) => (" ", Style::new()),
        }
    }

    fn style(&self, row: usize) -> Style {
        let is_marked = self.record(row).is_some_and(|row| self.is_marked(row));
        let text = if self.is_stale { self.theme.dim } else { Style::new() };
        match self.theme.input.bg {
            Some(tint) if is_marked => text.bg(tint),
            _ => text,
        }
    }

    fn matches(&self, column: usize, text: &str) -> Vec<Range<usize>> {
        let words = &self.browser.words;
        let field = self.fields.get(column).filter(|field| is_searched(field));
        if words.is_empty() || field.is_none() {
            return Vec::new();
        }
        let ranges = words.iter().flat_map(|word| occurrences(text, word));
        ranges.collect()
    }
}

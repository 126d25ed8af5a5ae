//! The table of a pane: its columns, its cells and their tints.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget as _;

use super::cells;
use super::columns::{Columns, Shown, is_bill};
use crate::core::frame_layout::Target;
use crate::core::sandbox::UserListing;
use crate::core::view::{Region, Scene};
use crate::domain::annotations::Annotated;
use crate::domain::insight::{Measure, PriceScale, Rank};
use crate::domain::local::LocalTime;
use crate::domain::text::occurrences;
use crate::domain::time::Now;
use crate::domain::{CellRef, Field, Listing, Resource, format};
use crate::features::annotations::view::{BANNED, NOTE, STAR};
use crate::table::browser::Browser;
use crate::table::remote::Phase;
use crate::table::row_filter::is_searched;
use crate::table::rows::Rows as ShownRows;
use crate::tui::rail::Rail;
use crate::tui::table::{Placed, Rows, Table};
use crate::tui::theme::Theme;
use crate::tui::viewport::Viewport;

/// The sign of offers on the Pareto front of price and performance.
pub(super) const BEST: &str = "◆";

/// The sign of rows that are too small or end too early.
pub(super) const UNFIT: &str = "!";

/// The sign of rows that are new since the baseline of auto-refresh.
pub(super) const NEW: &str = "+";

/// The sign of the user's own volume listings, which only the sandbox reports.
pub(super) const OWN: &str = "@";

/// Cells left of the first column: selection or mark, the sign of the row, a gap.
pub(super) const GUTTER: u16 = 3;

/// Cells left of the first column where some rows are starred, have a note or are the user's own.
const ANNOTATED: u16 = 4;

/// Reliability below which rows get a warning, and below which they are bad.
///
/// A new machine begins at 60 % and rises with time: low may mean new.
const SHAKY: f64 = 0.95;
const BAD: f64 = 0.90;

/// Draws the table of a pane's rows; returns its viewport, an empty one before a response.
///
/// With a preview the default columns leave out the id. After a change of the search, the order or the job
/// the rows are drawn from the first one, as far as the cursor allows.
pub(super) fn draw(browser: &Browser, has_preview: bool, area: Rect, scene: &mut Scene<'_, '_>) -> Viewport {
    let shown = browser.displayed();
    let Some(listing) = shown.listing() else {
        return Viewport::default();
    };
    let own = own_listings(browser, scene);
    let (columns, strip) = Columns::new(browser, listing, has_preview, scene.state.screen.size.0).place(
        browser.column_offset,
        gutter(browser, own),
        area.width,
    );
    let local = scene.state.local_time(scene.now);
    let rows = Records {
        browser,
        shown,
        listing,
        columns: &columns.shown,
        local: &local,
        theme: scene.theme,
        grouping: grouping(browser),
        is_stale: is_stale(browser, scene.now),
        is_recorded: browser.recorded_at().is_some(),
        lacks_every_rate: browser.lacks_every_rate(),
        own,
    };
    let table = Table::new(
        &rows,
        &columns.drawn,
        &strip.placed,
        Some(browser.cursor()),
        scene.theme,
    )
    .dim_header(rows.is_recorded)
    .scrolled(strip.offset > 0)
    .more(strip.more());
    // After another arrangement it is drawn from the first row, as far as the cursor allows.
    let drawn = Some((browser.resource(), browser.arrangements()));
    let mut viewport = if scene.before.table == drawn {
        scene.before.viewport(scene.depth, Region::MAIN)
    } else {
        Viewport::default()
    };
    scene.layout.table = drawn;
    scene.frame.render_stateful_widget(table, area, &mut viewport);
    let viewport_of_pane = (scene.depth, Region::MAIN, viewport);
    scene.layout.viewports.push(viewport_of_pane);
    scene.layout.columns_left = strip.offset;
    scene.layout.columns_right = strip.right;
    for Placed { index, x, width } in strip.placed {
        let header = Rect::new(area.x + x, area.y, width, 1).intersection(area);
        if let Some(field) = columns.shown.get(index).and_then(|shown| shown.field()) {
            scene.clickable(header, Target::Header(field));
        }
    }
    viewport
}

/// The volume listings of the user, for the table of volumes; empty for other tables.
fn own_listings<'a>(browser: &Browser, scene: &Scene<'a, '_>) -> &'a [UserListing] {
    match browser.resource() {
        Resource::Volumes => &scene.state.sandbox.listings,
        Resource::Offers | Resource::Workergroups => &[],
    }
}

/// Cells left of the first column: one more if a row is starred, has a note, or is a listing of the user (`own`).
fn gutter(browser: &Browser, own: &[UserListing]) -> u16 {
    match browser.displayed().computed.count_annotated() {
        (0, 0) if own.is_empty() => GUTTER,
        _ => ANNOTATED,
    }
}

/// The column whose repeated values are dimmed: the endpoint while workergroups are sorted by it, else
/// `None`.
fn grouping(browser: &Browser) -> Option<&'static Field> {
    let first = browser.query.order.first()?.field;
    (browser.resource() == Resource::Workergroups && first.key == "endpoint_name").then_some(first)
}

/// The measure by which a column's cells are ranked; `None` if ranking is meaningless.
///
/// With a job its bill is the price, and `$/h` is not ranked.
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

/// Seconds that a refresh may take before the rows are dimmed.
///
/// A fast one would only flicker.
const PATIENCE: f64 = 0.5;

/// Whether the table's rows are dimmed as older than the last request: it failed or has taken half a second
/// or longer, or the rows are recorded ones.
fn is_stale(browser: &Browser, now: Now) -> bool {
    if browser.recorded_at().is_some() {
        return true;
    }
    match browser.remote().phase() {
        Phase::Loading { since, .. } => now.mono - *since >= PATIENCE,
        Phase::Failed(_) => true,
        Phase::Idle | Phase::Ready => false,
    }
}

/// The rows of a listing, as records of the table.
struct Records<'a> {
    browser: &'a Browser,
    /// The rows on screen, of the response or the record.
    shown: &'a ShownRows,
    listing: &'a Listing,
    columns: &'a [Shown],
    local: &'a LocalTime,
    theme: &'a Theme,
    grouping: Option<&'static Field>,
    is_stale: bool,
    is_recorded: bool,
    /// Whether no row is priced for the job as no rate is known: none is marked for it.
    lacks_every_rate: bool,
    own: &'a [UserListing],
}

impl Records<'_> {
    /// The index in the listing of a table row; `None` past the last one.
    fn record(&self, row: usize) -> Option<usize> {
        self.shown.view().get(row).map(|record| *record as usize)
    }

    /// Whether the user has marked a record; recorded rows never are.
    fn is_marked(&self, record: usize) -> bool {
        let id = self.listing.id(record).filter(|_| !self.is_recorded);
        id.is_some_and(|id| self.browser.marks.contains(&id))
    }

    /// Whether a record is marked as unfit, with the reason in the place of its rail.
    fn is_unfit(&self, record: usize) -> bool {
        !self.lacks_every_rate && self.shown.computed.is_unfit(record)
    }

    /// Whether a record is a volume listing of the user; only the sandbox reports them.
    fn is_own(&self, record: usize) -> bool {
        let id = self.listing.id(record).map(|id| id.to_string());
        id.is_some_and(|id| self.own.iter().any(|listing| listing.id.to_string() == id))
    }

    /// Whether the value repeats that of the row above, in the grouping column only; a blank value never
    /// does.
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

    /// The color of a record's value: by its rank among comparable rows (a price as its rail), or by a fixed
    /// rule for reliability, an unverified machine, and the time left of an unfit row. None while the rows
    /// are stale, and for a value in the middle.
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
            ("duration", CellRef::Number(_)) if self.is_unfit(record) => {
                return theme.error;
            }
            _ => {}
        }
        let standing = &self.shown.computed.standing;
        let measure = measure(field, self.browser);
        if measure == Some(Measure::Price) {
            // The same as its rail.
            return self
                .rail(record)
                .map_or_else(Style::new, |rail| rail.tone().style(theme));
        }
        let rank = measure.and_then(|measure| standing.rank(self.listing, measure, record));
        match rank.and_then(Rank::is_best) {
            Some(true) => theme.good,
            // Reliability is judged by fixed thresholds, not by rank.
            Some(false) if field.key != "reliability" => theme.warning,
            Some(false) | None => Style::new(),
        }
    }

    /// A record's price, and the 5th, 50th and 95th percentile of the prices of the rows comparable to it;
    /// `None` without a price.
    fn scale(&self, record: usize) -> Option<PriceScale> {
        self.shown.computed.standing.price_scale(self.listing, record)
    }

    /// The rail of a record: the position of its price among those of comparable rows; `None` without a
    /// price, and with fewer than five such prices.
    fn rail(&self, record: usize) -> Option<Rail<'_>> {
        let scale = self.scale(record).filter(PriceScale::has_enough_prices)?;
        let ends = [scale.low, scale.median, scale.high];
        Some(Rail::new(ends, scale.price, self.theme))
    }

    /// The number of comparable rows, in place of a rail; a dash without a price.
    fn alike(&self, record: usize) -> (Cow<'_, str>, Style) {
        let text = self
            .scale(record)
            .map_or_else(|| format::NONE.to_owned(), |scale| format!("{} alike", scale.of));
        (text.into(), self.theme.dim)
    }

    /// The change of a record's price since the baseline of auto-refresh, as text shown before it; `None`
    /// without a change, without auto-refresh, for columns without compared prices, and for recorded rows.
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
        let Some(Shown::Field(field)) = self.columns.get(column) else {
            let shortfall = self.shown.shortfall(record);
            return match shortfall.filter(|_| !self.lacks_every_rate) {
                Some(short) => (short.to_string().into(), self.theme.warning),
                None => self.alike(record),
            };
        };
        let text = cells::text(self.listing, record, field, width, self.local);
        let is_broken = self.browser.is_violating(record, field) || is_bill(field) && self.is_unfit(record);
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

    fn paint(&self, row: usize, column: usize, area: Rect, buffer: &mut Buffer) -> bool {
        let is_rail = self.columns.get(column) == Some(&Shown::Rail);
        let record = is_rail.then(|| self.record(row)).flatten();
        // Its reason is in the place of the rail.
        let record = record.filter(|record| !self.is_unfit(*record));
        let rail = record.and_then(|record| self.rail(record));
        rail.map(|rail| rail.render(area, buffer)).is_some()
    }

    fn sign(&self, row: usize) -> (&'static str, Style) {
        let Some(record) = self.record(row) else {
            return (" ", Style::new());
        };
        let figures = &self.shown.computed;
        let is_best = || {
            // The best rows of the market are unknown.
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
        if self.is_unfit(record) {
            (UNFIT, self.theme.warning)
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
        if record.is_some_and(|record| self.is_own(record)) {
            return (OWN, self.theme.accent);
        }
        let annotated = record.map(|record| self.shown.computed.annotated(record));
        match annotated.unwrap_or_default() {
            Annotated { is_banned: true, .. } => (BANNED, self.theme.warning),
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
        let field = self.columns.get(column).and_then(|shown| shown.field());
        let field = field.filter(|field| is_searched(field));
        if words.is_empty() || field.is_none() {
            return Vec::new();
        }
        let ranges = words.iter().flat_map(|word| occurrences(text, word));
        ranges.collect()
    }
}

//! Draws a pane: the query, its settings, and the panels below.

use std::ops::RangeInclusive;

use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{BrowserPane, Focus, arriving, banner, empty, first_run, gone, query, recorded, table};
use crate::core::Pane;
use crate::core::frame_layout::Target;
use crate::core::view::{Region, Scene};
use crate::domain::cost::Prices;
use crate::domain::format::{counted, dollars, grouped, per_hour};
use crate::domain::insight::{Coverage, Totals};
use crate::domain::{Listing, Resource, format};
use crate::features::annotations::view::{NOTE, STAR};
use crate::features::market::summary as market;
use crate::features::market_line;
use crate::keys::Action;
use crate::table::browser::Browser;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::wrap;
use crate::tui::viewport::Viewport;

/// Draws the pane of a table from top to bottom: the market line (only on Offers), the query, its
/// settings, the banners, the panels, and the completion list over them while the query is edited.
pub(super) fn pane(view: &BrowserPane, area: Rect, scene: &mut Scene<'_, '_>) {
    let state = scene.state;
    let browser = &state.browsers[view.resource];
    let notes = banner::banner_lines(state, browser, area.width, scene.now, scene.theme);
    let height = u16::try_from(notes.len()).unwrap_or(u16::MAX);
    let [market, line, settings, banners, body] = Layout::vertical([
        Constraint::Length(market_line::height(state)),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(height),
        Constraint::Fill(1),
    ])
    .areas(area);
    if !market.is_empty() && view.resource == Resource::Offers {
        market_line::draw(market, scene);
    }
    query::line(browser, line, scene);
    query::settings(browser, settings, scene);
    scene.render(Paragraph::new(notes), banners);
    panels(view, browser, body, scene);
    if view.focus == Focus::Query {
        query::popup(browser, line, area, scene);
    }
}

/// Width of the market panel, in cells.
///
/// The longest GPU names, a count and a price.
const MARKET: u16 = 38;

/// Draws the panels of a table's pane: the market panel if open, the table, and beside or below it the
/// preview, the welcome card, or the reason why recorded rows have no preview.
///
/// The table takes all the room if the preview is folded, has no room or nothing to show. Without rows it is the
/// search that found none or failed, on a wide screen.
fn panels(view: &BrowserPane, browser: &Browser, mut area: Rect, scene: &mut Scene<'_, '_>) {
    if view.shows_market(scene.size) {
        let [left, rest] = Layout::horizontal([Constraint::Length(MARKET), Constraint::Fill(1)]).areas(area);
        market::panel(&view.market, left, scene, view.focus == Focus::Market);
        area = rest;
    }
    let row = browser.selected_row();
    let has_card = first_run::is_due(view.resource, scene.state);
    let below = room_below(view, browser, area, scene);
    let has_room = scene.size != Size::Compact || below.is_some();
    // The table must not move when the reply brings rows to preview.
    let is_recorded = browser.recorded_at().is_some();
    // On narrower screens the message needs the width.
    let has_search = scene.size == Size::Wide && empty::is_settled(browser);
    let is_shown = row.is_some() || has_card || is_recorded || has_search;
    if !has_room || scene.state.screen.split.is_folded() || !is_shown {
        return records(view, browser, false, area, scene);
    }
    let halves = if let Some(table) = below {
        Layout::vertical([Constraint::Length(table), Constraint::Fill(1)])
    } else {
        let width = scene.state.screen.split.table(area.width);
        Layout::horizontal([Constraint::Length(width), Constraint::Fill(1)])
    };
    let [left, right] = halves.areas(area);
    records(view, browser, true, left, scene);
    match row {
        _ if has_card => first_run::draw(right, scene),
        Some(row) => scene.card(view.resource, row, right),
        None if is_recorded => recorded::preview(browser, right, scene),
        None => empty::search(browser, right, scene),
    }
    scene.clickable(right, Target::Item(Region::PREVIEW, 0));
    if below.is_some() {
        return;
    }
    let border = Rect { width: 1, ..right };
    scene.draggable_divider(border, area);
}

/// The height of the table in lines if its preview is below it; `None` if the preview is beside it.
///
/// Only workergroups have it below, if there are any and their table needs at most half of the area: beside
/// them most of the screen would be blank. After the user moved the divider it is always beside them.
fn room_below(view: &BrowserPane, browser: &Browser, area: Rect, scene: &Scene<'_, '_>) -> Option<u16> {
    let rows = u16::try_from(browser.view().len()).unwrap_or(u16::MAX);
    let around = if scene.size == Size::Compact { 2 } else { 3 }; // the frame and the header
    let table = rows.saturating_add(around);
    (view.resource == Resource::Workergroups
        && scene.state.screen.split.table_share().is_none()
        && rows > 0
        && table <= area.height / 2)
        .then_some(table)
}

/// Draws the panel of the table with its notes, and below it the rows found gone; without rows to list, the
/// ones that are arriving or a message in their place.
fn records(view: &BrowserPane, browser: &Browser, has_preview: bool, area: Rect, scene: &mut Scene<'_, '_>) {
    let is_compact = scene.size == Size::Compact;
    let panel = Panel::new(Pane::for_resource(view.resource).title())
        .focused(view.focus == Focus::Table)
        .flush()
        .on_blank()
        .sized(scene.size);
    let room = panel.inner(area);
    let below = gone::height(scene.state, browser, room.height);
    let [room, _] = with_below(room, below);
    let viewport = upcoming(browser, room, scene);
    let note = if is_compact {
        compact_note(browser, &viewport)
    } else {
        row_count_text(browser)
    };
    let note = recorded::note(browser, scene.now)
        .or_else(|| arriving::note(browser))
        .unwrap_or(note);
    // If all rows are visible, their number is enough.
    let range = if viewport.total > viewport.page {
        viewport.label()
    } else {
        String::new()
    };
    let legend = legend(browser, area.width, scene);
    let inner = scene.framed(panel.note(note).foot(legend).foot_right(range), area);
    let [inner, below] = with_below(inner, below);
    gone::draw(browser, below, scene);
    if viewport.total > 0 {
        // A number at the right end would touch the border.
        let inner = Rect {
            width: inner.width.saturating_sub(u16::from(!is_compact)),
            ..inner
        };
        table::draw(browser, has_preview, inner, scene);
        below_few_rows(browser, inner, scene);
    } else if let Some(listing) = arriving::first_rows(browser) {
        arriving::draw(browser, listing, inner, scene);
    } else {
        empty::draw(browser, inner, scene);
    }
    if !is_compact && viewport.total > viewport.page {
        scrollbar(&viewport, area, scene);
    }
}

/// Draws below the last row, where there is room: the planner's hint, if one is due, and the price over time of
/// offers or volumes like the selected one, as far as it is recorded.
fn below_few_rows(browser: &Browser, inner: Rect, scene: &mut Scene<'_, '_>) {
    /// Lines of a chart with its title and axis: the fewest that are readable, and the most that say more.
    const CHART: RangeInclusive<u16> = 7..=30;
    let rows = u16::try_from(browser.displayed().view().len()).unwrap_or(u16::MAX);
    let around = Layout::vertical([Constraint::Length(rows.saturating_add(2)), Constraint::Fill(1)]);
    let [_, room] = around.areas(inner);
    let room = room.inner(Margin::new(2, 0));
    let hint = planner_hint(browser, rows, room.width, scene);
    scene.lines(&hint, room);
    let hinted = if hint.is_empty() { 0 } else { hint.len() + 1 };
    let around = Layout::vertical([
        Constraint::Length(u16::try_from(hinted).unwrap_or(u16::MAX)),
        Constraint::Fill(1),
    ]);
    let [_, room] = around.areas(room);
    let chart = Rect {
        height: room.height.min(*CHART.end()),
        ..room
    };
    if let Some(row) = browser.selected_row().filter(|_| chart.height >= *CHART.start()) {
        scene.past(browser.resource(), row, chart);
    }
}

/// The hint below `rows` offers, if they are few with several GPUs each, that several offers may have these together,
/// and the key of the planner; empty otherwise.
fn planner_hint(browser: &Browser, rows: u16, width: u16, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    /// The most rows that count as few.
    const FEW: u16 = 3;
    let gpus = browser.gpus_asked().filter(|gpus| *gpus > 1.0);
    let Some(gpus) = gpus.filter(|_| rows <= FEW && !browser.bar.editing) else {
        return Vec::new();
    };
    let key = scene.key(Action::Cluster);
    let text = format!(
        "Several offers may have {} GPUs together: {key} plans them",
        format::trimmed(gpus, 0)
    );
    let lines = wrap(&text, width).into_iter();
    lines.map(|line| Line::styled(line, scene.theme.dim)).collect()
}

/// Draws the thumb of a scrollbar on the right border of the framed `area`.
fn scrollbar(viewport: &Viewport, area: Rect, scene: &mut Scene<'_, '_>) {
    let border = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(2),
        ..area
    };
    crate::core::scene::scrollbar(viewport, border, scene.theme, scene.frame.buffer_mut());
}

/// Splits an area into that of the table and the `lines` lines below it.
fn with_below(area: Rect, lines: u16) -> [Rect; 2] {
    Layout::vertical([Constraint::Fill(1), Constraint::Length(lines)]).areas(area)
}

/// The viewport (visible range of rows) that the table will have, as the frame around it is drawn first and
/// shows it.
fn upcoming(browser: &Browser, inner: Rect, scene: &Scene<'_, '_>) -> Viewport {
    let mut viewport = scene.before.viewport(scene.depth, Region::MAIN);
    let [_, rows] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(inner);
    viewport.follow(browser.cursor(), browser.displayed().view().len(), rows);
    viewport
}

/// The number of a table's rows: `All 57 offers`, `First 500, more exist`, `12 of 57 offers`, `50 received`,
/// `No offers`, `57 offers of an earlier query`, with notes on skipped, repeated and banned rows and on the
/// sort. Empty before a response.
pub(super) fn row_count_text(browser: &Browser) -> String {
    let Some(listing) = browser.listing() else {
        return String::new();
    };
    let (shown, loaded) = (browser.view().len(), listing.len());
    let nouns = match loaded {
        1 => browser.resource().noun(),
        _ => browser.resource().nouns(),
    };
    let mut text = match (shown < loaded, browser.coverage().unwrap_or(Coverage::Unknown)) {
        _ if browser.shows_earlier_query() => {
            format!("{} {nouns} of an earlier query", grouped(loaded))
        }
        (true, Coverage::Whole) => format!("{} of {} {nouns}", grouped(shown), grouped(loaded)),
        (true, Coverage::Cut) => format!("{} of the first {}", grouped(shown), grouped(loaded)),
        (true, Coverage::Unknown) => format!("{} of the {} received", grouped(shown), grouped(loaded)),
        (false, Coverage::Whole | Coverage::Unknown) if loaded == 0 => format!("No {nouns}"),
        (false, Coverage::Whole) => format!("All {} {nouns}", grouped(loaded)),
        (false, Coverage::Cut) => format!("First {}, more exist", grouped(loaded)),
        (false, Coverage::Unknown) => format!("{} received", grouped(loaded)),
    };
    for note in notes(browser, listing) {
        text.push_str(", ");
        text.push_str(&note);
    }
    text
}

/// Further notes on the number of rows, those that apply: rows skipped as unreadable, repeated, or hidden by
/// bans; the number of bans in force if they hid none of these; and a sort among the loaded rows only.
fn notes(browser: &Browser, listing: &Listing) -> Vec<String> {
    let (skipped, repeated) = (listing.skipped().len(), listing.duplicates());
    let (hidden, bans) = (listing.hidden(), browser.computed.bans.count());
    [
        (skipped > 0).then(|| format!("{skipped} skipped")),
        (repeated > 0).then(|| format!("{repeated} repeated")),
        (hidden > 0).then(|| format!("{} hidden by you", grouped(hidden))),
        // Nobody knows how many rows a market that takes them left out.
        (hidden == 0 && bans > 0).then(|| counted(bans, "ban in force", "bans in force")),
        browser
            .is_sorted_among_loaded()
            .then(|| format!("sorted among the {} loaded only", grouped(listing.len()))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A note for the table's title on a small screen: the number of marks, the range of visible rows unless all
/// are visible, and the number of rows.
fn compact_note(browser: &Browser, viewport: &Viewport) -> String {
    let marks = match browser.marks.len() {
        0 => String::new(),
        many => format!("{many} marked · "),
    };
    let label = if viewport.total > viewport.page {
        let visible = viewport.visible();
        format!("{}–{} · {}", visible.start + 1, visible.end, row_count_text(browser))
    } else {
        row_count_text(browser)
    };
    format!("{marks}{label}")
}

/// The GPUs of the marked offers with their price in $/h, or with a job their bill, or a note that they
/// cannot all be rented: ` (3 GPUs, $1.32/h)`. Empty for other resources, without marks, and above 100 of
/// them.
fn marked_total(browser: &Browser) -> String {
    /// Maximum number of marks that a frame adds up; nobody rents more.
    const MOST: usize = 100;
    let rows = browser.marked_rows();
    let Some(listing) = browser.listing() else {
        return String::new();
    };
    if browser.resource() != Resource::Offers || rows.is_empty() || rows.len() > MOST {
        return String::new();
    }
    let pricing = browser.pricing();
    let prices = Prices::new(listing, pricing.model);
    let totals = Totals::new(&prices, &pricing, &rows);
    let gpus = usize::try_from(totals.amount.gpus).unwrap_or(usize::MAX);
    let gpus = counted(gpus, "GPU", "GPUs");
    let price = match (totals.shared.is_empty(), totals.bill, totals.hourly) {
        (false, ..) => ", shared by some".to_owned(),
        (true, Some(bill), _) => format!(", {}", dollars(bill)),
        (true, None, Some(hourly)) => format!(", {}", per_hour(hourly)),
        (true, None, None) => String::new(),
    };
    format!(" ({gpus}{price})")
}

/// The signs that the table shows now and their meaning, with the numbers of marked, best, starred, noted and
/// unfit rows; last, if bans are applied, the key for them. A part that does not fit the border of a panel `width`
/// wide is left out.
fn legend(browser: &Browser, width: u16, scene: &Scene<'_, '_>) -> Line<'static> {
    let theme = scene.theme;
    let room = usize::from(width.saturating_sub(6));
    let mut line = Line::default();
    let mut add = |sign: &'static str, style, text: String| {
        let gap = if line.spans.is_empty() { "" } else { "  " };
        let blank = if sign.is_empty() { "" } else { " " };
        let part = [
            Span::styled(format!("{gap}{sign}"), style),
            Span::styled(format!("{blank}{text}"), theme.dim),
        ];
        if line.width() + part.iter().map(Span::width).sum::<usize>() <= room {
            line.spans.extend(part);
        }
    };
    if !browser.marks.is_empty() {
        add(
            "▌",
            theme.warning,
            format!("{} marked{}", browser.marks.len(), marked_total(browser)),
        );
    }
    let front = browser.visible_best();
    if front > 0 {
        let what = if browser.computed.job.is_some() {
            "best value for the job"
        } else {
            "best value"
        };
        add(table::BEST, theme.good, format!("{what} ({front})"));
    }
    let (starred, noted) = browser.computed.count_annotated();
    if starred > 0 {
        add(STAR, theme.accent, format!("starred ({starred})"));
    }
    if noted > 0 {
        add(NOTE, theme.accent, format!("note ({noted})"));
    }
    let unfit = browser.visible_unfit();
    if unfit > 0 && !browser.lacks_every_rate() {
        add(table::UNFIT, theme.warning, format!("unfit ({unfit})"));
    }
    if !browser.violations().is_empty() {
        add(table::UNFIT, theme.warning, "not what you asked".to_owned());
    }
    let bans = scene.state.ban_conditions(&browser.query);
    if !bans.is_empty() || browser.hidden() > 0 {
        let key = scene.key(Action::Ban);
        add("", theme.dim, format!("bans applied ({key})"));
    }
    line
}

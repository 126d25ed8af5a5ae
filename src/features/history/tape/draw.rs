//! Draws the tape: the filter, and a line for each event.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

use super::{DAYS, SEARCH, Tape, flows, what};
use crate::core::view::{Region, Scene};
use crate::core::views::sheet;
use crate::domain::local::LocalTime;
use crate::domain::text::visible;
use crate::domain::{Resource, Untrusted, format};
use crate::features::history::Recall;
use crate::features::history::prices::draw_now;
use crate::features::history::{Recalled, describe_wait, price_origin};
use crate::keys::Action;
use crate::record::{Change, ChangeKind, Event, EventKind, Lasted, Moment, price_unit, seconds};
use crate::tui::records::{Cell, Records};
use crate::tui::table::Column;
use crate::tui::text::cells;

/// Width of all columns of the events with their frame, and the width above which names get more.
const EVENTS: u16 = 84;
const ROOMY: u16 = 90;

/// Width of a GPU model's name, in cells.
const MODEL: usize = 24;

/// Draws the tape of market events: their sums, the search line, the events or the reason there are none (the
/// prices on offer now while the record is read), and beside them the sums by GPU model where there is space.
pub(super) fn tape(view: &Tape, area: Rect, scene: &mut Scene<'_, '_>) {
    let subject = view.subjects.get(view.index).filter(|subject| !subject.is_search);
    let scope = subject.map_or("this search", |subject| subject.title.as_str());
    let unit = price_unit(view.resource, view.storage);
    let origin = price_origin(scene.state.profile.is_sandbox);
    let [area, side] = with_flows(view, area);
    if side.width > 0 {
        flows::draw(&view.flows, side, scene);
    }
    let facts = format!("{scope} · {unit}");
    let panel = scene.tabbed_panel("Tape").on_blank();
    let inner = panel.inner(area);
    let has_search = view.search.is_shown();
    let [head, search, list, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::from(has_search)),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(inner);
    let is_awaited = view.rows.is_empty() && is_awaited(view, scene);
    let headline = if is_awaited {
        Line::styled(describe_wait(scene.state), scene.theme.dim)
    } else {
        flows::headline(&view.flows, DAYS, scene.theme)
    };
    scene.render(headline, head);
    let basis = format!("Prices {origin} · After: how long the offer or its last price held");
    sheet::foot(&basis, foot, scene);
    if has_search {
        view.search
            .draw("machine, GPU model or what happened", SEARCH, search, scene);
    }
    let lines = if is_awaited {
        draw_now(list, scene);
        None
    } else if view.rows.is_empty() {
        draw_reason(view, list, scene);
        None
    } else {
        events(view, list, scene)
    };
    let facts = lines.map_or_else(|| facts.clone(), |lines| format!("{lines} · {facts}"));
    scene.framed(panel.note(facts), area);
}

/// Draws the lines of the tape's events; returns a label of the visible ones, `None` if all are.
fn events(view: &Tape, area: Rect, scene: &mut Scene<'_, '_>) -> Option<String> {
    let (state, theme) = (scene.state, scene.theme);
    let local = &state.local_time(scene.now);
    // Amounts of volumes have up to six digits.
    let (lot, kind, unit, change) = match view.resource {
        Resource::Offers => ("Machine", "GPU", "GPUs", 14),
        Resource::Volumes | Resource::Workergroups => ("Cluster", "Place", "GB", 18),
    };
    let event = |row: usize| view.events.get(*view.rows.get(row)?);
    let times = (0..view.rows.len()).filter_map(event);
    let widest = times.map(|event| cells(&time(event.at, local))).max().unwrap_or(8);
    let model = if area.width < ROOMY { 12 } else { 20 };
    let style = move |change: &Change| match change.kind {
        ChangeKind::Listed => theme.accent,
        ChangeKind::Repriced { from } if change.price < from => theme.good,
        ChangeKind::Repriced { .. } => theme.warning,
        ChangeKind::Gone(_) | ChangeKind::IntoView | ChangeKind::OutOfView | ChangeKind::Resized { .. } => theme.dim,
    };
    let rows = Records::new(view.rows.len(), event)
        .styled(Column::text("Time", widest), |event: &Event, _| {
            (time(event.at, local).into(), theme.dim)
        })
        .styled(Column::number(lot, 8), |event, _| {
            of_change(event, |change, _| (change.lot.machine.to_string(), Style::new()))
        })
        .styled(Column::text(kind, model).priority(3), |event, _| {
            of_change(event, |change, _| {
                let name = match view.resource {
                    Resource::Offers => Untrusted::from(&*change.lot.model).screen(MODEL),
                    Resource::Volumes | Resource::Workergroups => view.place(change.lot.machine).to_owned(),
                };
                (name, Style::new())
            })
        })
        .styled(Column::text("What", 15), move |event, _| match &event.kind {
            EventKind::NotWatched { .. } => ("not watched for".into(), theme.dim),
            EventKind::Change { change, .. } => (what(change, view.cause(change, state)).into(), style(change)),
        })
        .styled(Column::number("Old → new", change), move |event, _| {
            match &event.kind {
                EventKind::NotWatched { since } => (gap(event.at.since(*since)).into(), theme.dim),
                EventKind::Change { change, .. } => (prices(change, unit).into(), style(change)),
            }
        })
        .styled(Column::number("%", 5).priority(1), move |event, _| {
            of_change(event, |change, _| (share(change).unwrap_or_default(), style(change)))
        })
        .styled(Column::number("After", 6).priority(2), |event, _| {
            of_change(event, |_, lasted| {
                (lasted.map_or_else(String::new, lasted_text), theme.dim)
            })
        })
        .column(Column::text("", 1).priority(4).grows(), |_| String::new());
    let viewport = scene.table(Region::MAIN, &rows, Some(view.cursor), area);
    (viewport.page < viewport.total).then(|| viewport.label())
}

/// The cell of a change in the table of market events; blank for a gap between polls.
fn of_change(event: &Event, cell: impl FnOnce(&Change, Option<Lasted>) -> (String, Style)) -> Cell<'static> {
    match &event.kind {
        EventKind::NotWatched { .. } => Cell::default(),
        EventKind::Change { change, lasted } => {
            let (text, style) = cell(change, *lasted);
            (text.into(), style)
        }
    }
}

/// The areas of the tape's events and of their sums; the latter is empty without sums, and where the events need
/// the space.
fn with_flows(view: &Tape, area: Rect) -> [Rect; 2] {
    let width = view.flows.width();
    let is_shown = area.width >= EVENTS + width && !view.flows.is_empty();
    let side = if is_shown { width } else { 0 };
    Layout::horizontal([Constraint::Fill(1), Constraint::Length(side)]).areas(area)
}

/// The text for a tape without news, with the number of events that only moved into or out of the results.
fn nothing_new(view: &Tape) -> String {
    let text = format!("No change is on record for the last {DAYS} days");
    match view.events.len() {
        0 => text,
        many => format!(
            "{text}; {} rows only moved into the results or past the limit",
            format::grouped(many)
        ),
    }
}

/// Whether the analysis of the tape's events is in progress.
fn is_awaited(view: &Tape, scene: &Scene<'_, '_>) -> bool {
    let asked = view.asked.as_ref();
    asked.is_some_and(|asked| matches!(Recall::read(scene.state).output(asked), Recalled::Awaited))
}

/// Draws the reason that no event is listed: an error, the typed words, or no change on record.
fn draw_reason(view: &Tape, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let watch = scene.state.keymap.key_of(Action::Watch);
    let lines = if let Some(why) = &view.failure {
        vec![Line::styled(visible(why, 200), theme.warning)]
    } else if !view.search.words.is_empty() {
        let text = format!(
            "None of {} events matches “{}”",
            view.events.len(),
            visible(view.search.words.text(), 60)
        );
        vec![Line::styled(text, theme.text)]
    } else {
        vec![
            Line::styled(nothing_new(view), theme.text),
            Line::styled(
                format!(
                    "Every response is compared with the one before it; {watch} on the table \
                     repeats the search."
                ),
                theme.dim,
            ),
        ]
    };
    sheet::text(lines, area, scene);
}

/// The time of day of an event, preceded by its date unless that is today.
fn time(at: Moment, local: &LocalTime) -> String {
    local.clock(at.unix())
}

/// A price per GPU, or per GB, as text without its unit: three decimals below 10, else two.
fn price(value: f64) -> String {
    if value.abs() < 10.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.2}")
    }
}

/// The old and the new price of a change as text: `0.410 → 0.380`; one side is blank for an offer that came
/// or went. For a new size, the amounts with `unit`.
fn prices(change: &Change, unit: &str) -> String {
    let shown = price(change.price);
    match change.kind {
        ChangeKind::Listed | ChangeKind::IntoView => format!("→ {shown}"),
        ChangeKind::Gone(_) | ChangeKind::OutOfView => format!("{shown} →"),
        ChangeKind::Repriced { from } => format!("{} → {shown}", price(from)),
        ChangeKind::Resized { from } => format!("{from} → {} {unit}", change.amount),
    }
}

/// The change of a price in percent with its sign, without the `%`: `−15`, below 1 with a decimal: `+0.4`; `None` if
/// the price has not changed.
fn share(change: &Change) -> Option<String> {
    let percent = change.share()? * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    let places = usize::from(percent.abs() < 1.0);
    Some(format!("{sign}{:.places$}", percent.abs()))
}

/// The duration of a price or an offer as text: `3.2h`, or `>26m` if its beginning was not observed.
fn lasted_text(lasted: Lasted) -> String {
    let sign = if lasted.is_at_least { ">" } else { "" };
    format!("{sign}{}", format::span(seconds(lasted.seconds)))
}

/// The duration, in seconds, of a gap between polls as text: `6 h 02 min`.
fn gap(seconds: i64) -> String {
    let minutes = seconds / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

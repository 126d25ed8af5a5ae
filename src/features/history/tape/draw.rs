//! Draws the tape: the filter, and a line for each event.

use std::borrow::Cow;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

use super::{DAYS, SEARCH, Tape, flows, what};
use crate::core::State;
use crate::core::view::{Region, Scene};
use crate::core::views::sheet;
use crate::domain::local::LocalTime;
use crate::domain::text::visible;
use crate::domain::{Resource, Untrusted, format};
use crate::features::history::Recall;
use crate::features::history::{Recalled, origin, reading};
use crate::keys::Action;
use crate::record::{Change, ChangeKind, Event, EventKind, Lasted, Moment, price_unit};
use crate::tui::table;
use crate::tui::table::{Column, Rows, Table};
use crate::tui::text::cells;
use crate::tui::theme::Theme;

/// Width of all columns of the events with their frame, and the width above which names get more.
const EVENTS: u16 = 84;
const ROOMY: u16 = 90;

/// Width of a GPU model's name, in cells.
const MODEL: usize = 24;

pub(super) fn tape(view: &Tape, area: Rect, scene: &mut Scene<'_, '_>) {
    let subject = view.subjects.get(view.index).filter(|subject| !subject.is_search);
    let scope = subject.map_or("this search", |subject| subject.title.as_str());
    let unit = price_unit(view.resource, view.storage);
    let origin = origin(scene.state.profile.is_sandbox);
    let [area, side] = with_flows(view, area);
    if side.width > 0 {
        flows::draw(&view.flows, side, scene);
    }
    let facts = format!("{scope} · {unit}");
    let panel = scene.tabbed_panel("Tape").on_blank();
    let inner = panel.inner(area);
    let has_search = view.search.is_shown();
    let [head, note, search, list, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::from(view.failure.is_some())),
        Constraint::Length(u16::from(has_search)),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(inner);
    scene.render(flows::headline(&view.flows, DAYS, scene.theme), head);
    let basis = format!("Prices {origin} · After: how long the offer or its last price held");
    sheet::foot(&basis, foot, scene);
    if let Some(why) = &view.failure {
        let text = format!("{}: only what auto-refresh has seen is here", visible(why, 200));
        scene.render(Line::styled(text, scene.theme.warning), note);
    }
    if has_search {
        view.search
            .draw("machine, GPU model or what happened", SEARCH, search, scene);
    }
    let lines = if view.rows.is_empty() {
        empty(view, list, scene);
        None
    } else {
        events(view, list, scene)
    };
    let facts = lines.map_or_else(|| facts.clone(), |lines| format!("{lines} · {facts}"));
    scene.framed(panel.note(facts), area);
}

/// The lines of the events; says which are visible, unless all are.
fn events(view: &Tape, area: Rect, scene: &mut Scene<'_, '_>) -> Option<String> {
    let local = scene.state.local_time(scene.now);
    let columns = columns(view, &local, area.width);
    let placed = table::place(&columns, area.width);
    let rows = Events {
        view,
        local: &local,
        unit: match view.resource {
            Resource::Offers => "GPUs",
            Resource::Volumes | Resource::Workergroups => "GB",
        },
        state: scene.state,
        theme: scene.theme,
    };
    let widget = Table::new(&rows, &columns, &placed, Some(view.cursor), scene.theme);
    let viewport = scene.scroll(Region::MAIN, widget, area);
    (viewport.page < viewport.total).then(|| viewport.label())
}

/// The areas of the events and of their sums; the latter is empty where the events need the space.
fn with_flows(view: &Tape, area: Rect) -> [Rect; 2] {
    let is_wide = area.width >= EVENTS + flows::WIDTH;
    let is_shown = is_wide && view.resource == Resource::Offers && !view.flows.is_empty();
    let side = if is_shown { flows::WIDTH } else { 0 };
    Layout::horizontal([Constraint::Fill(1), Constraint::Length(side)]).areas(area)
}

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

fn empty(view: &Tape, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let is_awaited = view.failure.is_none()
        && view.asked.as_ref().is_some_and(|asked| {
            let recalled = Recall::read(scene.state).output(asked);
            matches!(recalled, Recalled::Awaited)
        });
    let watch = scene.state.keymap.key_of(Action::Watch);
    let lines = if is_awaited {
        vec![Line::styled(reading(scene.state), theme.dim)]
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

fn columns(view: &Tape, local: &LocalTime, width: u16) -> Vec<Column> {
    let times = view.rows.iter().filter_map(|row| view.events.get(*row));
    let widest = times.map(|event| cells(&time(event.at, local))).max().unwrap_or(8);
    let lot = match view.resource {
        Resource::Offers => "Machine",
        Resource::Volumes | Resource::Workergroups => "Cluster",
    };
    vec![
        Column::text("Time", widest),
        Column::number(lot, 8),
        Column::text("GPU", if width < ROOMY { 12 } else { 20 }).priority(3),
        Column::text("What", 15),
        Column::number("Old → new", 14),
        Column::number("%", 5).priority(1),
        Column::number("After", 6).priority(2),
        Column::text("", 1).priority(4).grows(),
    ]
}

fn time(at: Moment, local: &LocalTime) -> String {
    local.clock(at.unix())
}

/// The events as records of the table.
struct Events<'a> {
    view: &'a Tape,
    local: &'a LocalTime,
    /// The unit of amounts: GPUs, or GB of volumes.
    unit: &'static str,
    state: &'a State,
    theme: &'a Theme,
}

impl Events<'_> {
    fn event(&self, row: usize) -> Option<&Event> {
        self.view.events.get(*self.view.rows.get(row)?)
    }

    fn change(&self, change: &Change, lasted: Option<Lasted>, column: usize) -> (String, Style) {
        let theme = self.theme;
        let cause = self.view.cause(change, self.state);
        let style = match change.kind {
            ChangeKind::Listed => theme.accent,
            ChangeKind::Repriced { from } if change.price < from => theme.good,
            ChangeKind::Repriced { .. } => theme.warning,
            ChangeKind::Gone(_) | ChangeKind::IntoView | ChangeKind::OutOfView | ChangeKind::Resized { .. } => {
                theme.dim
            }
        };
        match column {
            1 => (change.lot.machine.to_string(), Style::new()),
            2 => {
                let model = Untrusted::from(change.lot.model.as_str());
                (model.screen(MODEL), Style::new())
            }
            3 => (what(change, cause).to_owned(), style),
            4 => (prices(change, self.unit), style),
            5 => (share(change).unwrap_or_default(), style),
            6 => (lasted.map_or_else(String::new, after), theme.dim),
            _ => Default::default(),
        }
    }
}

/// A price per GPU, or per GB, as text.
fn price(value: f64) -> String {
    if value.abs() < 10.0 {
        format!("{value:.3}")
    } else {
        format!("{value:.2}")
    }
}

fn prices(change: &Change, unit: &str) -> String {
    let shown = price(change.price);
    match change.kind {
        ChangeKind::Listed | ChangeKind::IntoView => format!("→ {shown}"),
        ChangeKind::Gone(_) | ChangeKind::OutOfView => format!("{shown} →"),
        ChangeKind::Repriced { from } => format!("{} → {shown}", price(from)),
        ChangeKind::Resized { from } => format!("{from} → {} {unit}", change.amount),
    }
}

fn share(change: &Change) -> Option<String> {
    let percent = change.share()? * 100.0;
    let sign = if percent < 0.0 { "−" } else { "+" };
    Some(format!("{sign}{:.0}", percent.abs()))
}

/// The duration of a price or an offer as text: `3.2h`, or `>26m` if its beginning was not
/// observed.
#[expect(clippy::cast_precision_loss)] // seconds of this century
fn after(lasted: Lasted) -> String {
    let sign = if lasted.is_at_least { ">" } else { "" };
    format!("{sign}{}", format::span(lasted.seconds as f64))
}

/// The duration of a gap as text: `6 h 02 min`.
fn gap(seconds: i64) -> String {
    let minutes = seconds / 60;
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

impl Rows for Events<'_> {
    fn count(&self) -> usize {
        self.view.rows.len()
    }

    fn cell(&self, row: usize, column: usize, _: u16) -> (Cow<'_, str>, Style) {
        let Some(event) = self.event(row) else {
            return Default::default();
        };
        let (text, style) = match (&event.kind, column) {
            (_, 0) => (time(event.at, self.local), self.theme.dim),
            (EventKind::NotWatched { .. }, 3) => ("not watched for".to_owned(), self.theme.dim),
            (EventKind::NotWatched { since }, 4) => (gap(event.at.since(*since)), self.theme.dim),
            (EventKind::NotWatched { .. }, _) => Default::default(),
            (EventKind::Change { change, lasted }, column) => self.change(change, *lasted, column),
        };
        (Cow::Owned(text), style)
    }
}

//! The selected request beside the list.

use std::collections::BTreeMap;
use std::time::Duration;

use ratatui::layout::Rect;
use ratatui::text::Line;

use super::super::request::text::{call, facts, span};
use super::draw::{named, thousands};
use crate::api::LedgerEntry;
use crate::app::keymap::Action;
use crate::app::requests::{RouteRun, Row};
use crate::app::view::Scene;
use crate::domain::pretty;
use crate::domain::text::visible;
use crate::widgets::json;
use crate::widgets::panel::Panel;
use crate::widgets::text::{fit, wrap_line};

/// How much of a body is laid out, in bytes: more than the largest screen shows.
const BEGINNING: usize = 12 * 1024;

/// Lines of the request's body before the response starts.
const REQUEST_LINES: usize = 16;

/// Draws the preview of the selected row.
pub(super) fn draw(area: Rect, scene: &mut Scene<'_, '_>) {
    let state = scene.state;
    let selected = state.requests.selected();
    let (title, lines) = match selected {
        Some(Row::Request(number)) => match state.ledger.get(number) {
            Some(entry) => (format!("Request {number}"), request(entry, area, scene)),
            None => return,
        },
        Some(Row::Run(run)) => match state.requests.run(run) {
            Some(run) => (
                format!("Route run {}", run.number),
                route_run(run, area, scene),
            ),
            None => return,
        },
        None => (String::new(), Vec::new()),
    };
    let effect = match selected {
        Some(Row::Request(_)) => "opens it",
        Some(Row::Run(run)) => {
            let is_open = state.requests.run(run).is_some_and(RouteRun::is_unfolded);
            if is_open {
                "folds it"
            } else {
                "lists its requests"
            }
        }
        None => "",
    };
    let mut panel = Panel::new(title);
    if !effect.is_empty() {
        panel = panel.foot(format!("{} {effect}", scene.key(Action::Open)));
    }
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    for (row, line) in inner.rows().zip(lines) {
        scene.render(fit(line, row.width), row);
    }
}

/// The facts of a request and the beginnings of its bodies.
fn request(entry: &LedgerEntry, area: Rect, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let width = area.width.saturating_sub(4);
    let local = scene.state.local_time(scene.now);
    let mut known = facts(entry, &local, theme);
    // Only the path: every request of a market goes to the same address, and there is little room.
    if let Some(first) = known.first_mut() {
        *first = Line::styled(call(entry), theme.heading);
    }
    let known = known.iter().flat_map(|line| wrap_line(line, width, 2));
    let mut lines: Vec<Line<'static>> = known.collect();
    // In the ledger, both are free of secrets.
    let request = entry.request.as_deref().unwrap_or_default();
    if !request.is_empty() {
        lines.push(Line::default());
        lines.push(Line::styled("Request body", theme.heading));
        let body = body(request, false);
        let many = body.len();
        let shown = body.into_iter().take(REQUEST_LINES);
        lines.extend(shown.map(|line| json::paint(&Line::from(line), theme)));
        if many > REQUEST_LINES {
            lines.push(Line::styled("…", theme.dim));
        }
    }
    lines.push(Line::default());
    lines.push(Line::styled("Response body", theme.heading));
    match &entry.response {
        Some(response) => {
            let body = body(response.compared(), entry.response_cut).into_iter();
            let room = usize::from(area.height).saturating_sub(lines.len());
            let body = body.take(room);
            lines.extend(body.map(|line| json::paint(&Line::from(line), theme)));
        }
        None => lines.push(Line::styled("No response", theme.dim)),
    }
    lines
}

fn body(text: &str, is_cut: bool) -> Vec<String> {
    let (beginning, is_long) = LedgerEntry::beginning(text, BEGINNING);
    pretty::body(beginning, is_cut || is_long)
}

/// The figures of a route run.
fn route_run(run: &RouteRun, area: Rect, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let (theme, state) = (scene.theme, scene.state);
    let local = state.local_time(scene.now);
    let quantile = |share| {
        let seconds: Option<f64> = run.quantile(share);
        seconds.map_or_else(|| "—".to_owned(), |own| span(Duration::from_secs_f64(own)))
    };
    let mut lines = vec![
        named("Requests", thousands(run.count), theme),
        named("Failed", thousands(run.failed), theme),
        named("First", local.second(run.from), theme),
        named("Latest", local.second(run.to), theme),
        Line::default(),
        named("p50", quantile(0.5), theme),
        named("p90", quantile(0.9), theme),
        named("p99", quantile(0.99), theme),
        named("Slowest", quantile(1.0), theme),
    ];
    if (run.kept as u64) < run.count {
        let text = format!("Listed: the latest {}", run.kept);
        lines.push(Line::default());
        lines.push(Line::styled(text, theme.dim));
    }
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for (number, entry) in state.ledger.numbered() {
        if state.requests.run_of(number) == Some(run.number) {
            let outcome = match &entry.error {
                Some(error) => visible(error, 300),
                None => entry.status_words(),
            };
            *outcomes.entry(outcome).or_default() += 1;
        }
    }
    lines.push(Line::default());
    lines.push(Line::styled("Outcomes", theme.heading));
    let mut outcomes: Vec<_> = outcomes.into_iter().collect();
    outcomes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (outcome, count) in outcomes {
        let line = Line::from(format!("{count:>5}  {outcome}"));
        lines.extend(wrap_line(&line, area.width.saturating_sub(4), 7));
    }
    lines
}

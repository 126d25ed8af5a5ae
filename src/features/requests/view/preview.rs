//! The preview of the selected request.

use std::collections::BTreeMap;
use std::time::Duration;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::canvas::Points;

use super::draw::named;
use crate::api::{LedgerEntry, redact};
use crate::core::view::Scene;
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels};
use crate::domain::insight::{Scale, ScaleKind};
use crate::domain::pretty;
use crate::domain::routing::words;
use crate::domain::text::visible;
use crate::domain::time::UnixTime;
use crate::features::requests::request::text::{as_curl, describe_call, span, summary};
use crate::features::requests::{Requests, RouteRun, Row};
use crate::keys::Action;
use crate::tui::json;
use crate::tui::panel::{Panel, Size};
use crate::tui::text::{fit, wrap_line};

/// Number of bytes of a body that are pretty-printed.
///
/// More than the largest screen shows.
const BEGINNING: usize = 12 * 1024;

/// Lines of the request's body before the response starts.
const REQUEST_LINES: usize = 16;

/// Cells of a run's figures beside its chart.
const FIGURES: u16 = 44;

/// Minimum height of a useful chart, with its title and its axis.
const LEAST_CHART: u16 = 8;

/// Draws the preview of the selected row: a request with its bodies, or the figures and charts of a route
/// run.
pub(super) fn draw(area: Rect, scene: &mut Scene<'_, '_>) {
    let inner = frame(area, scene);
    let lines = match Requests::read(scene.state).selected() {
        Some(Row::Request(number)) => {
            let entry = scene.state.ledger.get(number);
            entry.map_or_else(Vec::new, |entry| request(entry, inner, scene))
        }
        Some(Row::Run(run)) => {
            let Some(run) = Requests::read(scene.state).run(run) else {
                return;
            };
            let is_beside = inner.width >= 2 * FIGURES;
            let figures = Constraint::Length(if is_beside { FIGURES } else { inner.width });
            let [left, right] = Layout::horizontal([figures, Constraint::Fill(1)]).areas(inner);
            let lines = route_run(run, left, scene);
            let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
            let [text, below] = Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(left);
            let (text, chart) = if is_beside { (left, right) } else { (text, below) };
            timeline(run, chart, scene);
            return lines_in(text, lines, scene);
        }
        None => Vec::new(),
    };
    lines_in(inner, lines, scene);
}

/// The time, the duration in seconds and whether it failed of a request.
type Sent = (UnixTime, f64, bool);

/// Draws the durations of the requests of a run that are still in the ledger over time.
fn timeline(run: &RouteRun, area: Rect, scene: &mut Scene<'_, '_>) {
    let state = scene.state;
    let numbered = state.ledger.numbered();
    let of_run = numbered.filter(|(number, _)| Requests::read(state).run_of(*number) == Some(run.number));
    let sent: Vec<Sent> = of_run.map(|(_, entry)| sent_at(entry)).collect();
    latencies("Latency over time", &sent, area, scene);
}

/// The time and the duration of an entry of the ledger.
fn sent_at(entry: &LedgerEntry) -> Sent {
    (entry.at, entry.took.as_secs_f64(), entry.is_failed())
}

/// Draws the duration of each request over time under a heading, with crosses for failed ones, and in a high area their
/// distribution below; nothing without requests or if the area is too low.
fn latencies(heading: &str, sent: &[Sent], area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let slowest = sent.iter().map(|(_, took, _)| *took).fold(0.0, f64::max);
    let Some(upwards) = Scale::fit([0.0, slowest], Some(ScaleKind::Linear)) else {
        return;
    };
    let times = || sent.iter().map(|(at, ..)| *at);
    let (Some(start), Some(end)) = (times().reduce(UnixTime::min), times().reduce(UnixTime::max)) else {
        return;
    };
    let across = Scale {
        kind: ScaleKind::Linear,
        low: 0.0,
        high: (end - start).max(1e-3),
    };
    if area.height < LEAST_CHART {
        return;
    }
    let below = if area.height >= 2 * LEAST_CHART {
        area.height / 2
    } else {
        0
    };
    let [title, area, below] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(below)]).areas(area);
    scene.render(Line::styled(heading.to_owned(), theme.heading), title);
    let [x, y] = [
        (&across, words::clock_span as fn(f64) -> String),
        (&upwards, words::latency),
    ]
    .map(|(scale, words)| Axis(scale, Labels::Words(words)));
    let Some(plot) = chart::axes(&x, Some(&y), area, scene) else {
        return;
    };
    let place = |(at, took, is_failed): &Sent| {
        let (x, y) = (across.position(*at - start)?, upwards.position(*took)?);
        Some((*is_failed, (x, y)))
    };
    let (failed, fine): (Vec<_>, Vec<_>) = sent.iter().filter_map(place).partition(|(is_failed, _)| *is_failed);
    let coords: Vec<(f64, f64)> = fine.into_iter().map(|(_, place)| place).collect();
    let canvas = chart::canvas(plot).paint(|context| {
        let color = theme.series[0].fg.unwrap_or_default();
        context.draw(&Points { coords: &coords, color });
    });
    scene.render(canvas, plot);
    for (_, at) in &failed {
        chart::sign(*at, ("×", theme.error), plot, scene);
    }
    let all: Vec<f64> = sent.iter().map(|(_, took, _)| *took).collect();
    if let Some(scale) = Scale::fit(all.iter().copied(), None) {
        let axis = Axis(&scale, Labels::Words(words::latency));
        chart::histogram("Requests by latency", (&all, None), &axis, below, scene);
    }
}

/// Draws the preview of the selected row below the list. On a larger screen a request is in columns, of which
/// the response gets all but the first, the last of which has the command line if it is short; short bodies leave room for
/// the durations of all requests.
pub(super) fn below(area: Rect, scene: &mut Scene<'_, '_>) {
    let selected = Requests::read(scene.state).selected();
    let Some(Row::Request(number)) = selected.filter(|_| scene.size != Size::Compact) else {
        return draw(area, scene);
    };
    let inner = frame(area, scene);
    let Some(entry) = scene.state.ledger.get(number) else {
        return;
    };
    let many = if scene.size == Size::Wide { 3 } else { 2 };
    let columns = |area: Rect| {
        let columns = Layout::horizontal(vec![Constraint::Fill(1); many]).spacing(2);
        columns.split(area).to_vec()
    };
    let body = sent(entry, usize::MAX, scene);
    let mut summary = facts(entry, columns(inner)[0], scene);
    let has_body = !body.is_empty();
    summary.extend(body);
    let all = received(entry, usize::from(inner.height) * many, scene);
    let lines = if has_body {
        summary.len().max(all.len())
    } else {
        summary.len() + 1 + all.len()
    };
    let lines = u16::try_from(lines + 1).unwrap_or(u16::MAX);
    let [inner, chart] = if inner.height < lines.saturating_add(LEAST_CHART) {
        [inner, Rect::default()]
    } else {
        Layout::vertical([Constraint::Length(lines), Constraint::Fill(1)]).areas(inner)
    };
    let areas = if has_body {
        let areas = columns(inner);
        lines_in(areas[0], summary, scene);
        areas[1..].to_vec()
    } else {
        let height = u16::try_from(summary.len() + 1).unwrap_or(u16::MAX);
        let [top, rest] = Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(inner);
        lines_in(top, summary, scene);
        columns(rest)
    };
    // The response continues in the next column.
    let height = usize::from(areas[0].height);
    let is_short = all.len() <= height;
    let mut rest = all.into_iter();
    for area in &areas {
        lines_in(*area, rest.by_ref().take(height), scene);
    }
    if let [_, .., last] = areas[..]
        && is_short
    {
        let heading = Line::styled("As curl", scene.theme.heading);
        let command = as_curl(entry, last.width, scene.theme);
        lines_in(last, std::iter::once(heading).chain(command), scene);
    }
    let requests: Vec<Sent> = scene.state.ledger.latest().map(sent_at).collect();
    latencies("Latency of all requests", &requests, chart, scene);
}

/// Draws lines in the rows of an area, each cut to its width; further ones are left out.
fn lines_in(area: Rect, lines: impl IntoIterator<Item = Line<'static>>, scene: &mut Scene<'_, '_>) {
    for (row, line) in area.rows().zip(lines) {
        scene.render(fit(line, row.width), row);
    }
}

/// Draws the frame of the preview with the name of the selected request or route run; returns the area
/// inside.
fn frame(area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let state = scene.state;
    let (title, effect) = match Requests::read(state).selected() {
        Some(Row::Request(number)) => (format!("Request {number}"), "opens it"),
        Some(Row::Run(run)) => {
            let is_open = Requests::read(state).run(run).is_some_and(RouteRun::is_unfolded);
            let effect = if is_open { "folds it" } else { "lists its requests" };
            let number = Requests::read(state).run(run).map_or(run, |run| run.number);
            (format!("Route run {number}"), effect)
        }
        None => (String::new(), ""),
    };
    let mut panel = Panel::new(title).sized(scene.size);
    if !effect.is_empty() {
        panel = panel.foot(format!("{} {effect}", scene.key(Action::Open)));
    }
    panel.render(area, scene.frame.buffer_mut(), scene.theme)
}

/// The facts of a request and the beginnings of its bodies: the response's body fills the lines of `area`
/// that the others leave.
fn request(entry: &LedgerEntry, area: Rect, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let mut lines = facts(entry, area, scene);
    lines.extend(sent(entry, REQUEST_LINES, scene));
    lines.push(Line::default());
    let room = usize::from(area.height).saturating_sub(lines.len());
    lines.extend(received(entry, room, scene));
    lines
}

/// The facts of a request, wrapped to the width of `area`, with its method and path in place of the address.
fn facts(entry: &LedgerEntry, area: Rect, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let local = scene.state.local_time(scene.now);
    let mut known = summary(entry, &local, theme);
    // Only the path, as space is scarce and every request of a market goes to the same address.
    if let Some(first) = known.first_mut() {
        *first = Line::styled(describe_call(entry), theme.heading);
    }
    known.iter().flat_map(|line| wrap_line(line, area.width, 2)).collect()
}

/// The heading and the lines of the request's body, cut to `most` lines of body with an ellipsis; empty
/// without a body.
fn sent(entry: &LedgerEntry, most: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let request = entry.request.as_deref().unwrap_or_default();
    if request.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::default(), Line::styled("Request body", theme.heading)];
    let body = body(request, false);
    let many = body.len();
    let shown = body.into_iter().take(most);
    lines.extend(shown.map(|line| json::paint(&Line::from(line), theme)));
    if many > most {
        lines.push(Line::styled("…", theme.dim));
    }
    lines
}

/// The heading and the first lines of the response's body, at most `room` of the body; without a response, a
/// line that says so.
fn received(entry: &LedgerEntry, room: usize, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let mut lines = vec![Line::styled("Response body", theme.heading)];
    match &entry.response {
        Some(response) => {
            let body = body(response.unescaped(), entry.response_cut).into_iter().take(room);
            lines.extend(body.map(|line| json::paint(&Line::from(line), theme)));
        }
        None => lines.push(Line::styled("No response", theme.dim)),
    }
    lines
}

/// The pretty-printed lines of the first 12 KiB of a body, without secrets; `is_cut` if it is truncated
/// already.
fn body(text: &str, is_cut: bool) -> Vec<String> {
    let (beginning, is_long) = LedgerEntry::beginning(text, BEGINNING);
    pretty::body_lines(&redact::without_possible_secrets(beginning), is_cut || is_long)
}

/// The figures of a route run: its counts, times and percentiles, and the outcomes of those of its requests
/// that are still in the ledger, most frequent first.
fn route_run(run: &RouteRun, area: Rect, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let (theme, state) = (scene.theme, scene.state);
    let local = state.local_time(scene.now);
    let quantile = |share| {
        let seconds: Option<f64> = run.quantile(share);
        seconds.map_or_else(|| "—".to_owned(), |seconds| span(Duration::from_secs_f64(seconds)))
    };
    let mut lines = vec![
        named("Requests", run.size(), theme),
        named("Failed", words::count(run.failed), theme),
        named("First", local.second(run.from), theme),
        named("Latest", local.second(run.to), theme),
        Line::default(),
        named("p50", quantile(0.5), theme),
        named("p90", quantile(0.9), theme),
        named("p99", quantile(0.99), theme),
        named("Slowest", quantile(1.0), theme),
    ];
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for (number, entry) in state.ledger.numbered() {
        if Requests::read(state).run_of(number) == Some(run.number) {
            let outcome = match &entry.error {
                Some(error) if entry.is_failed() => visible(error, 300),
                Some(_) | None => entry.status_words(),
            };
            *outcomes.entry(outcome).or_default() += 1;
        }
    }
    lines.push(Line::default());
    let title = if (run.kept as u64) < run.count {
        format!("Outcomes of the latest {}", run.kept)
    } else {
        "Outcomes".to_owned()
    };
    lines.push(Line::styled(title, theme.heading));
    let mut outcomes: Vec<_> = outcomes.into_iter().collect();
    outcomes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (outcome, count) in outcomes {
        let line = Line::from(format!("{count:>5}  {outcome}"));
        lines.extend(wrap_line(&line, area.width, 7));
    }
    lines
}

//! A single route request: while it waits, what was sent and the time so far; then its reply, beside its
//! phases and the earlier requests to the same endpoint.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span};

use super::attempts::outcome_cell;
use super::{RouteLab, WORKERS, attempt, copy};
use crate::core::State;
use crate::core::view::{Region, Scene};
use crate::core::views::chart::{self, Axis, Labels};
use crate::core::views::sheet;
use crate::domain::dialect::RouteKey;
use crate::domain::insight::Scale;
use crate::domain::pretty;
use crate::domain::routing::{RouteSample, Run, words};
use crate::domain::text::{json_for_terminal, visible};
use crate::features::route_lab::{RouteRun, Routes};
use crate::tui::panel::{Panel, Size};
use crate::tui::range_bar::filled;
use crate::tui::records::Records;
use crate::tui::scrolled::Scrolled;
use crate::tui::table::Column;
use crate::tui::text::fit;
use crate::tui::theme::Theme;

/// Seconds after which a request without polls ends by itself.
const LONGEST: f64 = 15.0;

/// Width of the labels left of the bars, and of the times right of them, in cells.
const LABEL: u16 = 14;
const TIME: u16 = 9;

/// Number of the latest earlier requests whose median is the usual time.
const USUAL_OF: usize = 100;

/// The least height of the distribution of the replies, and the fewest replies that have one.
const CHART: u16 = 10;
const FEWEST: usize = 6;

/// Number of the latest status replies listed.
const STATUSES: usize = 8;

/// Draws the run of a single request: before its first reply the request and the time so far, then the reply
/// with its times and the earlier requests to the endpoint.
pub(super) fn draw(view: &RouteLab, route_run: &RouteRun, area: Rect, scene: &mut Scene<'_, '_>) {
    let run = route_run.run();
    let Some(sample) = run.samples().last() else {
        return wait(route_run, area, scene);
    };
    let lines = body(scene.state, run, sample);
    let title = "Attempt".to_owned();
    let inner = around_reply(title, (route_run, sample), area.height, area, scene);
    let top = view.cursor;
    scene.scroll(Region::MAIN, Scrolled { lines: &lines, top }, inner);
}

/// Draws the facts, the phases and the request of a single request, and the earlier requests to its endpoint,
/// around the frame of its reply; returns the area inside that. On a compact screen only the facts, in
/// up to `most` rows.
pub(super) fn around_reply(
    title: String,
    (route_run, sample): (&RouteRun, &RouteSample),
    most: u16,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> Rect {
    let run = route_run.run();
    if scene.size == Size::Compact {
        return attempt::draw_facts(title, (run, sample), most, area, scene);
    }
    let requests = requests_to(scene.state, run);
    let [left, rest] = Layout::horizontal([Length(attempt::FACTS), Fill(1)]).areas(area);
    let facts = attempt::details(run, sample, left.width.saturating_sub(4), scene.theme);
    let reply = Panel::new("Reply").note("secrets removed").focused(true);
    if scene.size == Size::Medium {
        let height = u16::try_from(facts.len() + 2).unwrap_or(u16::MAX);
        let phases = u16::try_from(phases(run, sample, &requests).len() + 2).unwrap_or(u16::MAX);
        let [left, middle, below] = Layout::vertical([Length(height), Length(phases), Fill(1)]).areas(left);
        let inner = scene.panel(Panel::new(title), left);
        scene.lines(&facts, inner);
        draw_phases((run, sample), &requests, middle, scene);
        draw_requests(run, &requests, below, scene);
        return scene.panel(reply, rest);
    }
    let inner = scene.panel(Panel::new(title), left);
    scene.lines(&facts, inner);
    // A few requests leave the room to the reply.
    let wanted = u16::try_from(requests.len() + 3).unwrap_or(u16::MAX);
    let list = wanted.clamp(rest.height / 3, rest.height / 2);
    let [rest, list] = Layout::vertical([Fill(1), Length(list)]).areas(rest);
    let [middle, right] = Layout::horizontal([Fill(1), Fill(1)]).areas(rest);
    let request = request_lines(scene.state, run, Some(sample));
    let height = row_count(&request, middle.width).min(middle.height / 2);
    let [request_area, phases] = Layout::vertical([Length(height), Fill(1)]).areas(middle);
    let inner = scene.panel(Panel::new("Request").note("without its key"), request_area);
    sheet::text(request, inner, scene);
    draw_phases((run, sample), &requests, phases, scene);
    draw_requests(run, &requests, list, scene);
    scene.panel(reply, right)
}

/// The height of a panel, `width` cells wide, with these lines.
fn row_count(lines: &[Line<'_>], width: u16) -> u16 {
    let rows = sheet::rows(lines, width.saturating_sub(4)) + 2;
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// The lines of the reply and of the request for the worker, or a note that there is none; where no panel of its own
/// shows it, also the request.
pub(super) fn body(state: &State, run: &Run, sample: &RouteSample) -> Vec<Line<'static>> {
    let mut lines = attempt::body(state, run, sample);
    if lines.is_empty() {
        lines.push(Line::from("No reply"));
    }
    if super::size(state) != Size::Wide {
        lines.extend([Line::default(), Line::from("Request, without its key").bold()]);
        lines.extend(request_lines(state, run, Some(sample)));
    }
    lines
}

/// Draws a request without a reply: the time so far, the request, the same as a command, and the earlier
/// requests to its endpoint; on a compact screen one below the other.
fn wait(route_run: &RouteRun, area: Rect, scene: &mut Scene<'_, '_>) {
    let run = route_run.run();
    let requests = requests_to(scene.state, run);
    let panel = Panel::new("Waiting for the reply").focused(true);
    if scene.size == Size::Compact {
        let inner = scene.panel(panel, area);
        let mut lines = progress_lines(run, &requests, inner.width, scene);
        lines.push(Line::default());
        lines.extend(request_lines(scene.state, run, None));
        return sheet::text(lines, inner, scene);
    }
    let [top, bottom] = Layout::vertical([Fill(1), Fill(1)]).areas(area);
    let [progress, request] = Layout::horizontal([Fill(1), Fill(1)]).areas(top);
    let [list, command] = Layout::horizontal([Fill(1), Fill(1)]).areas(bottom);
    let inner = scene.panel(panel, progress);
    sheet::text(progress_lines(run, &requests, inner.width, scene), inner, scene);
    let inner = scene.panel(Panel::new("Request").note("without its key"), request);
    sheet::text(sent_lines(scene.state, run, None), inner, scene);
    draw_requests(run, &requests, list, scene);
    let inner = scene.panel(Panel::new("Command"), command);
    sheet::text([command_line(scene.state, run, None)], inner, scene);
}

/// A bar of a phase from `start` to `end`, both from 0 to 1 of the room between label and time.
fn bar_line(label: &str, (start, end): (f64, f64), time: &str, width: u16, theme: &Theme) -> Line<'static> {
    let room = width.saturating_sub(LABEL + TIME + 1);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most the room
    let before = (start.clamp(0.0, 1.0) * f64::from(room)) as u16;
    let before = before.min(room.saturating_sub(1));
    let bar = " ".repeat(usize::from(before)) + &filled(end - start, room - before);
    let (label_width, time_width, room) = (usize::from(LABEL), usize::from(TIME), usize::from(room));
    Line::from(vec![
        Span::styled(format!("{label:label_width$}"), theme.dim),
        Span::styled(format!("{bar:room$}"), theme.series[0]),
        Span::raw(format!(" {time:>time_width$}")),
    ])
}

/// A phase of a request: its label, and its start and end in seconds since the request was due.
type Phase = (&'static str, f64, f64);

/// The phases of an attempt, and the usual time of other requests to the endpoint, from 0.
fn phases(run: &Run, sample: &RouteSample, requests: &[Sent<'_>]) -> Vec<Phase> {
    let routed = (sample.ended - sample.first).max(0.0);
    let asked = (routed - sample.latency()).max(0.0);
    let mut phases = Vec::new();
    if sample.poll > 0 {
        phases.push(("Earlier polls", 0.0, asked));
    }
    phases.push(("Router reply", asked, routed));
    if let Some(call) = sample.call.as_deref() {
        let connected = routed + call.connect.unwrap_or(call.total);
        phases.push(("Connect, TLS", routed, connected));
        if let Some(first) = call.first_byte {
            phases.push(("First byte", connected, connected + first));
            phases.push(("Last byte", connected + first, routed + call.total));
        }
    }
    let usual = usual_time(run, requests);
    phases.extend(usual.map(|(usual, _)| ("Usual reply", 0.0, usual)));
    phases
}

/// Draws the phases of an attempt as bars over its whole time, and where there is room the status replies before it
/// and the distribution of the replies to the requests.
fn draw_phases((run, sample): (&Run, &RouteSample), requests: &[Sent<'_>], area: Rect, scene: &mut Scene<'_, '_>) {
    let inner = scene.panel(Panel::new("Phases"), area);
    let phases = phases(run, sample, requests);
    let whole = phases.iter().map(|(_, _, end)| *end).fold(1e-9, f64::max);
    let bar = |(label, from, to): Phase| {
        let shares = (from / whole, to / whole);
        bar_line(label, shares, &words::latency(to - from), inner.width, scene.theme)
    };
    let mut lines: Vec<Line<'static>> = phases.into_iter().map(bar).collect();
    lines.extend(status_lines(run, scene.theme));
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let [text, chart] = Layout::vertical([Length(height), Fill(1)]).areas(inner);
    scene.lines(&lines, text);
    let replies: Vec<f64> = requests.iter().map(|sent| sent.sample.latency()).collect();
    let has_room = chart.height >= CHART && replies.len() >= FEWEST;
    if let Some(scale) = Scale::fit(replies.iter().copied(), None).filter(|_| has_room) {
        let axis = Axis(&scale, Labels::Words(words::latency));
        let values = (replies.as_slice(), Some(sample.latency()));
        chart::histogram("These requests by router reply", values, &axis, chart, scene);
    }
}

/// The seconds since the request was sent as a bar, that of earlier requests to the endpoint, the limit, and the
/// status replies so far.
fn progress_lines(run: &Run, requests: &[Sent<'_>], width: u16, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let so_far = run.elapsed(scene.now.mono);
    let limit = if run.plan().polls() {
        run.plan().poll.patience
    } else {
        LONGEST
    };
    let usual = usual_time(run, requests);
    let whole = usual.map_or(limit, |(usual, _)| usual.max(so_far) * 1.25).max(1e-9);
    let bar = |label, seconds: f64, time: &str| bar_line(label, (0.0, seconds / whole), time, width, theme);
    let mut lines = vec![bar("So far", so_far, &words::clock_span(so_far))];
    if let Some((usual, many)) = usual {
        lines.push(bar("Usual reply", usual, &words::latency(usual)));
        let requests = if many == 1 { "request" } else { "requests" };
        let text = format!("Usual: the median of {many} {requests}");
        lines.push(Line::styled(text, theme.dim));
    }
    lines.push(Line::styled(
        format!("It ends within {}.", words::clock_span(limit)),
        theme.dim,
    ));
    lines.extend(status_lines(run, theme));
    lines
}

/// The latest changes of the router's status with their times, below a heading; empty without any.
fn status_lines(run: &Run, theme: &Theme) -> Vec<Line<'static>> {
    let changes = run.statuses();
    let skipped = changes.len().saturating_sub(STATUSES);
    let lines = changes.skip(skipped).map(|change| {
        Line::from(vec![
            Span::styled(format!("{:>8}  ", words::clock_span(change.at)), theme.dim),
            Span::styled(change.status.screen(200), theme.warning),
        ])
    });
    let mut lines: Vec<Line<'static>> = lines.collect();
    if !lines.is_empty() {
        lines.splice(0..0, [Line::default(), Line::from("Status replies").bold()]);
    }
    lines
}

/// The request of an attempt (without one the first of the run) and the same as a command, both without the key.
fn request_lines(state: &State, run: &Run, sample: Option<&RouteSample>) -> Vec<Line<'static>> {
    let mut lines = sent_lines(state, run, sample);
    lines.extend([
        Line::default(),
        Line::from("As a command").bold(),
        command_line(state, run, sample),
    ]);
    lines
}

/// The request line, the origin of the key and the body of an attempt's request; without one of the first.
fn sent_lines(state: &State, run: &Run, sample: Option<&RouteSample>) -> Vec<Line<'static>> {
    let request = copy::wire_request(state, run, sample);
    let address = visible(&copy::address(state, &request), 400);
    let key = match state.profile.dialect.route_key {
        RouteKey::Profile => "with the profile's key",
        RouteKey::Group => "with the workergroup's own key",
    };
    let body = request.body_text().unwrap_or_default();
    let mut lines = vec![
        Line::from(format!("{} {address}", request.method.name())),
        Line::from(key),
    ];
    let body = pretty::body_lines(&body, false);
    lines.extend(body.into_iter().map(|line| Line::from(json_for_terminal(&line))));
    lines
}

/// The request of an attempt (without one the first of the run) as a `curl` command, with the key as a variable.
fn command_line(state: &State, run: &Run, sample: Option<&RouteSample>) -> Line<'static> {
    Line::from(json_for_terminal(copy::request(state, run, sample)))
}

/// An attempt at the endpoint, of any run.
#[derive(Clone, Copy)]
struct Sent<'a> {
    run: &'a RouteRun,
    sample: &'a RouteSample,
}

/// The latest attempts of all runs in memory at the endpoint of `run`, newest first: at most 100.
fn requests_to<'a>(state: &'a State, run: &Run) -> Vec<Sent<'a>> {
    let endpoint = &run.plan().endpoint;
    let runs = Routes::read(state).runs().iter().rev();
    let runs = runs.filter(|other| other.run().plan().endpoint == *endpoint);
    let attempts = runs.flat_map(|run| run.run().samples().iter().rev().map(move |sample| Sent { run, sample }));
    attempts.take(USUAL_OF).collect()
}

/// The median of the router's replies to other runs at the endpoint in seconds, and their number; `None` without.
fn usual_time(run: &Run, requests: &[Sent<'_>]) -> Option<(f64, usize)> {
    let others = requests.iter().filter(|sent| !std::ptr::eq(sent.run.run(), run));
    let mut times: Vec<f64> = others.map(|sent| sent.sample.latency()).collect();
    times.sort_by(f64::total_cmp);
    Some((*times.get(times.len() / 2)?, times.len()))
}

/// Draws the attempts at the endpoint as a table with a bar for each latency, the newest first and those of `run`
/// highlighted.
fn draw_requests(run: &Run, requests: &[Sent<'_>], area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let endpoint = visible(&run.plan().endpoint, 24);
    let inner = scene.panel(Panel::new(format!("Requests to {endpoint}")).note("newest first"), area);
    if requests.is_empty() {
        let text = "The first one of this session";
        return scene.render(fit(Line::styled(text, theme.dim), inner.width), inner);
    }
    let longest = requests.iter().map(|sent| sent.sample.latency()).fold(1e-9, f64::max);
    let is_own = |sent: Sent<'_>| std::ptr::eq(sent.run.run(), run);
    let rows = Records::new(requests.len(), |row| requests.get(row).copied())
        .column(Column::number("Run", 4), |sent| sent.run.number.to_string())
        .column(Column::number("#", 4).priority(2), |sent| {
            sent.sample.number().to_string()
        })
        .styled(Column::number("Latency", 9), move |sent, _| {
            let style = if is_own(sent) { theme.accent } else { Style::new() };
            (words::latency(sent.sample.latency()).into(), style)
        })
        .styled(Column::text("", 8).grows(), move |sent, width| {
            let bar = filled(sent.sample.latency() / longest, width);
            (bar.into(), theme.series[usize::from(is_own(sent))])
        })
        .styled(Column::text("Outcome", 12), move |sent, _| {
            outcome_cell(sent.sample, theme)
        });
    scene.table(WORKERS, &rows, None, inner);
}

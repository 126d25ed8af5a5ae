//! Draws the lab: the headline, and below it charts, workers, figures and attempts, as many side by
//! side as fit.

use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::{Layout, Rect};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{RouteLab, Tab, WORKERS, attempt, attempts, charts, figures, single};
use crate::core::Pane;
use crate::core::endpoints::endpoint_names;
use crate::core::view::{Region, Scene};
use crate::core::views::sheet;
use crate::domain::format::percent;
use crate::domain::routing::{End, Latencies, OutcomeKind, Phase, Run, words};
use crate::domain::text::visible;
use crate::domain::time::Now;
use crate::features::route_lab::{RouteRun, Routes};
use crate::keys::{Action, Context};
use crate::tui::panel::{Panel, Size};
use crate::tui::range_bar::RangeBar;
use crate::tui::text::{fit, wrap};
use crate::tui::theme::Theme;

/// Width of the preview of an attempt, in cells.
const PREVIEW: u16 = 56;

/// Width of workers and figures on a wide screen, in cells.
const SIDE: u16 = 58;

/// Draws the route lab: the headline of the shown run, and below it as many of charts, workers, figures and
/// attempts as fit, or the only attempt of a single request. An introduction without runs.
pub(super) fn lab(view: &RouteLab, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(run) = view.run(scene.state) else {
        return welcome(area, scene);
    };
    let height = if scene.size == Size::Compact { 5 } else { 6 };
    let [head, body] = Layout::vertical([Length(height), Fill(1)]).areas(area);
    headline(run, head, scene);
    if run.run().plan().is_single() {
        return single::draw(view, run, body, scene);
    }
    match scene.size {
        Size::Compact => open_tab(view, run, body, scene),
        Size::Medium => {
            let [top, bottom] = Layout::vertical([Fill(9), Fill(11)]).areas(body);
            charts::side_by_side(run.run(), top, scene);
            open_tab(view, run, bottom, scene);
        }
        Size::Wide => {
            let [top, bottom] = Layout::vertical([Fill(9), Fill(11)]).areas(body);
            charts::side_by_side(run.run(), top, scene);
            let [side, list] = Layout::horizontal([Length(SIDE), Fill(1)]).areas(bottom);
            let figures = figures::lines(run.run(), scene);
            let tall = u16::try_from(figures.len() + 2).unwrap_or(u16::MAX);
            let [top, low] = Layout::vertical([Length(tall), Fill(1)]).areas(side);
            let inner = scene.panel(Panel::new("Figures"), top);
            scene.lines(&figures, inner);
            charts::workers(run.run(), (WORKERS, None), low, scene);
            attempt_list(view, run.run(), list, scene);
        }
    }
}

/// Draws the introduction of the route lab in place of a run.
fn welcome(area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let inner = scene.panel(Panel::new("Route lab").focused(true), area);
    let key = scene.state.keymap.key_in(&[Context::RouteLab], Action::New);
    let mut about = vec![Line::styled("No run yet", theme.heading)];
    let text = "Ask an endpoint for a worker, once or many times, and measure latencies, the share of each worker, \
                and failures.";
    about.extend(wrap(text, inner.width).into_iter().map(Line::from));
    let figures = [
        "Router reply: from sending a request to the answer of the router.",
        "Time to a worker: the same, with waiting until a worker is free.",
        "p50 and p99: half and 99% of the replies were at least as fast.",
        "Missing: request numbers of a worker that this run did not get.",
    ];
    let a_line = if scene.size == Size::Wide { 2 } else { 1 };
    let figures = figures.chunks(a_line).map(|texts| Line::from(texts.join("   ")));
    let heading = Line::styled("What a run measures", theme.heading);
    let figures: Vec<Line<'_>> = [heading].into_iter().chain(figures).collect();
    // The form of a run opens in the middle and covers its key, which would be text there.
    let mut middle = vec![Line::from(vec![Span::styled(key, theme.key), Span::raw(" new run")])];
    if scene.size == Size::Wide {
        let endpoints = [
            Line::default(),
            Line::styled("Endpoints of your workergroups", theme.heading),
            Line::raw(listed_endpoints(scene)),
        ];
        middle.extend(endpoints);
    }
    let height = u16::try_from(middle.len()).unwrap_or(u16::MAX);
    let [_, above, _, center, _, below, _] =
        Layout::vertical([Fill(2), Length(3), Fill(2), Length(height), Fill(2), Length(5), Fill(2)]).areas(inner);
    scene.render(Paragraph::new(about).centered(), above);
    scene.render(Paragraph::new(middle).centered(), center);
    if scene.size != Size::Compact {
        scene.render(Paragraph::new(figures).centered(), below);
    }
}

/// The endpoints of the listed workergroups as text, the first 8 of them.
fn listed_endpoints(scene: &Scene<'_, '_>) -> String {
    const MOST: usize = 8;
    let names = endpoint_names(scene.state);
    if names.is_empty() {
        return format!(
            "none listed ({} lists them)",
            scene.key(Action::Pane(Pane::Workergroups))
        );
    }
    let shown = names.iter().take(MOST).map(|name| visible(name, 40));
    let shown = shown.collect::<Vec<_>>().join(" · ");
    match names.len().checked_sub(MOST) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        Some(_) | None => shown,
    }
}

/// Draws the plan of the route run, its progress, its two main latencies, its outcomes and its load.
fn headline(route_run: &RouteRun, area: Rect, scene: &mut Scene<'_, '_>) {
    let run = route_run.run();
    let runs = Routes::read(scene.state).runs();
    let index = runs.iter().position(|shown| shown.number == route_run.number);
    let inner = scene.panel(
        Panel::new(words::describe_plan(run.plan())).note(format!("run {} of {}", index.unwrap_or(0) + 1, runs.len())),
        area,
    );
    let [first, rest] = Layout::vertical([Length(1), Fill(1)]).areas(inner);
    let mut lines = [Detail::Full, Detail::Reason, Detail::Counts, Detail::Least]
        .map(|detail| status(route_run, detail, scene))
        .into_iter();
    let fitting = lines.find(|line| line.width() <= usize::from(first.width));
    let line = fitting.unwrap_or_else(|| fit(status(route_run, Detail::Least, scene), first.width));
    scene.render(line, first);
    // Of a run that sends requests on, the whole way is the main time.
    let stats = run.stats();
    let (names, [reply, worker]) = match run.plan().hop {
        None => (
            ["Router reply", "Time to a worker"],
            [&stats.router_reply, &stats.time_to_worker],
        ),
        Some(_) => (
            ["Time to a worker", "Total"],
            [&stats.time_to_worker, &stats.worker_calls.total],
        ),
    };
    let theme = scene.theme;
    let outcomes = outcomes(run, theme);
    let load = load(route_run, scene);
    if scene.size == Size::Compact {
        let label = |text: &'static str| Span::styled(format!("{text:18}"), theme.heading);
        let mut first = times(reply, theme);
        first.spans.insert(0, label(names[0]));
        let mut second = times(worker, theme);
        second.spans.insert(0, label(names[1]));
        let mut third = outcomes;
        third.push_span(Span::styled(" · ", theme.dim));
        third.spans.extend(load.spans);
        for (line, row) in [first, second, third].into_iter().zip(rest.rows()) {
            scene.render(fit(line, row.width), row);
        }
        return;
    }
    let columns: [Rect; 3] = Layout::horizontal([Length(30), Length(30), Fill(1)]).areas(rest);
    let blank = usize::from(rest.height > 2);
    let texts = [
        [Line::styled(names[0], theme.heading), times(reply, theme)],
        [Line::styled(names[1], theme.heading), times(worker, theme)],
        [outcomes, load],
    ];
    for (column, lines) in columns.into_iter().zip(texts) {
        for (line, row) in lines.into_iter().zip(column.rows().skip(blank)) {
            scene.render(fit(line, row.width), row);
        }
    }
}

/// The median and the 99th percentile, in one line; a dash for each without latencies.
fn times(of: &Latencies, theme: &Theme) -> Line<'static> {
    let mut spans = Vec::new();
    for (name, quantile) in [("p50 ", 0.5), ("p99 ", 0.99)] {
        let value = of.quantile(quantile).map_or_else(|| "—".to_owned(), words::latency);
        spans.push(Span::styled(name, theme.dim));
        spans.push(Span::styled(format!("{value:<10}"), theme.accent));
    }
    Line::from(spans)
}

/// The steps by which the line of a route run gets shorter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Full,
    /// The first clause of the reason for a wait: `queued behind 3 requests`.
    Reason,
    /// Only the number of requests sent, and those behind schedule.
    Counts,
    /// No bar.
    Least,
}

/// The line of a route run's phase, its progress, the reason for a wait or an early end, its duration, and
/// the numbers of requests sent, polls, retries, requests in flight and those behind schedule, as far as
/// `detail` goes.
fn status(route_run: &RouteRun, detail: Detail, scene: &Scene<'_, '_>) -> Line<'static> {
    let (run, now, theme) = (route_run.run(), scene.now, scene.theme);
    let (word, style) = phase(run, theme);
    let mut spans = vec![Span::styled(word, style), Span::raw(" ")];
    if route_run.is_active() && !run.plan().is_single() {
        let progress = run.progress(now.mono);
        let width = if scene.size == Size::Compact { 12 } else { 24 };
        if detail < Detail::Least {
            spans.extend(RangeBar::new(progress, theme).line(width).spans);
        }
        spans.push(Span::raw(format!(" {:.0}%", progress * 100.0)));
    }
    if let Some(why) = words::describe_rate_limit_wait(run, now.mono).or_else(|| words::waiting_for(run)) {
        let clause = why.split(": ").next().unwrap_or_default();
        let why = if detail < Detail::Reason { &why } else { clause };
        spans.push(Span::styled(format!("  {why}"), theme.warning));
    }
    if let Some(note) = words::early_end(run) {
        spans.push(Span::styled(format!("  {note}"), theme.warning));
    }
    if let Some(note) = route_run.note {
        spans.push(Span::styled(format!("  {note}"), theme.error));
    }
    spans.push(Span::raw(sent(run, detail, now)));
    let late = run.backlog(now.mono);
    if late > 0 {
        let what = if route_run.is_active() {
            "behind schedule"
        } else {
            "never sent"
        };
        let text = format!(", {} {what}", words::count(late));
        spans.push(Span::styled(text, theme.warning));
    }
    Line::from(spans)
}

/// The duration of a run and the number of requests sent, with polls, retries and requests in flight as far as
/// `detail` goes.
fn sent(run: &Run, detail: Detail, now: Now) -> String {
    let requests = words::count(run.requests());
    let mut sent = format!("  {}  {requests} sent", words::clock_span(run.elapsed(now.mono)));
    if detail >= Detail::Counts {
        return sent;
    }
    let retries = run.retries();
    let polls = run.sent() - run.requests() - retries;
    if polls > 0 {
        let unit = if polls == 1 { "poll" } else { "polls" };
        sent = format!("{sent}, {} {unit}", words::count(polls));
    }
    if retries > 0 {
        let unit = if retries == 1 { "retry" } else { "retries" };
        sent = format!("{sent}, {} {unit}", words::count(retries));
    }
    if run.in_flight() > 0 {
        sent = format!("{sent}, {} in flight", run.in_flight());
    }
    sent
}

/// The phase of a route run as text, with its style.
fn phase(run: &Run, theme: &Theme) -> (&'static str, Style) {
    match run.phase() {
        Phase::Running => ("Running", theme.accent),
        Phase::Paused => ("Paused", theme.warning),
        Phase::Draining if run.plan().is_single() => ("Waiting for the reply", theme.accent),
        Phase::Draining if run.waiting() > 0 => ("Waiting for a worker", theme.accent),
        Phase::Draining => ("Waiting for the last replies", theme.accent),
        Phase::Ended(End::Done) if run.stats().count(OutcomeKind::Assigned) == 0 => ("Done", theme.warning),
        Phase::Ended(End::Done) => ("Done", theme.good),
        Phase::Ended(End::Stopped) => ("Stopped", theme.warning),
        Phase::Ended(End::Capped | End::NoWorker) => ("Ended early", theme.warning),
    }
}

/// The number and share of a route run's assignments, and the numbers of failed, waiting and cancelled
/// requests if above zero, in one line.
fn outcomes(run: &Run, theme: &Theme) -> Line<'static> {
    let stats = run.stats();
    let assigned = stats.count(OutcomeKind::Assigned);
    let answered = stats.answered();
    let share = if answered == 0 {
        String::new()
    } else {
        format!(" {}", percent(assigned as f64 / answered as f64))
    };
    let style = if assigned == 0 { theme.text } else { theme.good };
    let mut spans = vec![Span::styled(
        format!("{} assigned{share}", words::count(assigned)),
        style,
    )];
    let waiting = stats.count(OutcomeKind::Waiting);
    let failed = stats.failed();
    let cancelled = stats.count(OutcomeKind::Cancelled);
    for (count, word, style) in [
        (failed, "failed", theme.error),
        (waiting, "no worker yet", theme.warning),
        (cancelled, "cancelled", theme.dim),
    ] {
        if count > 0 {
            spans.push(Span::styled(" · ", theme.dim));
            let text = format!("{} {word}", words::count(count));
            spans.push(Span::styled(text, style));
        }
    }
    Line::from(spans)
}

/// The load that the route run injected, and of several runs the total of all, in one line.
fn load(route_run: &RouteRun, scene: &Scene<'_, '_>) -> Line<'static> {
    let theme = scene.theme;
    let load = words::amount(route_run.run().load_injected());
    let mut spans = vec![Span::styled("load ", theme.dim), Span::raw(load)];
    if Routes::read(scene.state).runs().len() > 1 {
        let all = words::amount(Routes::read(scene.state).load_injected());
        spans.push(Span::styled(format!(" (all runs {all})"), theme.dim));
    }
    Line::from(spans)
}

/// Draws the open tab of the route lab, with the names of the others in its title.
fn open_tab(view: &RouteLab, run: &RouteRun, area: Rect, scene: &mut Scene<'_, '_>) {
    let run = run.run();
    match view.tab.within(scene.size) {
        Tab::Latency => charts::over_time(run, tabs(view, scene), area, scene),
        Tab::Distribution => charts::distribution(run, tabs(view, scene), area, scene),
        Tab::Attempts => attempt_list(view, run, area, scene),
        Tab::Workers => {
            let panel = tabs(view, scene);
            let rows = run.stats().workers.ranked().len();
            let (area, below) = charts::above_distribution(rows, area);
            charts::workers(run, (Region::MAIN, Some((panel, view.cursor))), area, scene);
            if !below.is_empty() {
                charts::distribution(run, Panel::new("Distribution"), below, scene);
            }
        }
        Tab::Figures => figures::draw_in_panel(run, tabs(view, scene), area, scene),
    }
}

/// The panel of the route lab's open tab, with the names of all tabs that the screen's size has; only a title
/// if that is one.
fn tabs(view: &RouteLab, scene: &Scene<'_, '_>) -> Panel<'static> {
    let open = view.tab.within(scene.size);
    let turns = Tab::turns(scene.size);
    let Some(index) = turns.iter().position(|tab| *tab == open).filter(|_| turns.len() > 1) else {
        return Panel::new(open.title());
    };
    Panel::new("Run").tabs(turns.iter().map(|tab| tab.title()), index)
}

/// Draws the table of a route run's attempts with the search, and the selected one beside it, except on a
/// compact screen.
fn attempt_list(view: &RouteLab, run: &Run, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let samples = run.samples();
    let [list, preview] = if scene.size == Size::Compact {
        [area, Rect::default()]
    } else {
        Layout::horizontal([Fill(1), Length(PREVIEW)]).areas(area)
    };
    let has_search = view.is_filter_focused || !view.attempts.filter().is_empty();
    let note = view.attempts.note(samples);
    let inner = scene.panel(
        tabs(view, scene)
            .note(if has_search { String::new() } else { note })
            .focused(true),
        list,
    );
    let [line, rows] = Layout::vertical([Length(u16::from(has_search)), Fill(1)]).areas(inner);
    if has_search {
        search_line(view, run, line, scene);
    }
    if view.attempts.len(samples) == 0 {
        let text = if samples.is_empty() {
            "No attempt has ended yet"
        } else {
            "No attempt matches the search"
        };
        scene.render(Line::styled(text, theme.dim), rows);
    } else {
        let cursor = Some(view.attempts.cursor(samples));
        let table = attempts::table(&view.attempts, samples, theme);
        scene.table(Region::MAIN, &table, cursor, rows);
    }
    if preview.width > 0 {
        self::preview(view, run, preview, scene);
    }
}

/// Draws the search for attempts, being typed or in force, with the number of matches where there is room.
fn search_line(view: &RouteLab, run: &Run, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    scene.render(Line::styled("/ ", theme.accent), area);
    let typed = Rect {
        x: area.x + 2,
        width: area.width.saturating_sub(2),
        ..area
    };
    if view.is_filter_focused {
        scene.input(&view.attempts.input, "number, outcome, worker, reqnum", typed);
    } else {
        let filter = crate::domain::text::visible(view.attempts.filter(), 200);
        scene.render(fit(Line::raw(filter), typed.width), typed);
    }
    let note = view.attempts.note(run.samples());
    let width = u16::try_from(note.chars().count()).unwrap_or(0);
    if width + 24 < area.width {
        let cell = Rect {
            x: area.right() - width,
            width,
            ..area
        };
        scene.render(Line::styled(note, theme.dim), cell);
    }
}

/// Draws the facts, the worker request and the reply of the selected attempt; an empty panel without one.
fn preview(view: &RouteLab, run: &Run, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let samples = run.samples();
    let index = view.attempts.index_at(view.attempts.cursor(samples), samples);
    let Some(sample) = index.and_then(|index| samples.get(index)) else {
        scene.panel(Panel::new("Attempt"), area);
        return;
    };
    let inner = scene.panel(Panel::new(format!("Attempt {}", sample.number())), area);
    let mut lines = attempt::details(run, sample, inner.width, theme);
    lines.push(Line::default());
    lines.extend(attempt::request_lines(scene.state, run, sample));
    let reply = attempt::reply_lines(run, sample);
    if !reply.is_empty() {
        lines.push(Line::default());
        lines.push(Line::from("Reply, secrets removed").bold());
    }
    lines.extend(reply);
    sheet::text(lines, inner, scene);
}

//! One attempt: its outcome, the request for its worker, and the reply.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span};
use serde_json::Value as Json;

use super::attempts::kind_style;
use super::worker_request::WorkerRequest;
use super::{copy, export, single, worker_request};
use crate::api::redact;
use crate::core::State;
use crate::core::view::{Availability, Cx, Outcome as Handling, Region, Scene, View};
use crate::core::views::chart::{Axis, Labels};
use crate::core::views::{chart, sheet};
use crate::domain::insight::Scale;
use crate::domain::routing::{Outcome, OutcomeKind, RouteSample, Run, words};
use crate::domain::text::{json_for_terminal, visible};
use crate::domain::{Untrusted, pretty};
use crate::features::route_lab::Routes;
use crate::keys::{Action, Context, KeyTarget as _};
use crate::tui::find::Find;
use crate::tui::input_widget::InputWidget;
use crate::tui::panel::{Panel, Size};
use crate::tui::report::Report;
use crate::tui::text::wrap_line;
use crate::tui::theme::Theme;

const LABEL: usize = 14;

/// Width of the facts beside the reply, in cells.
///
/// A shortened signature fits on its line.
pub(super) const FACTS: u16 = 58;

/// Number of bytes of a reply that are pretty-printed.
///
/// A server may send megabytes, and laying them out takes longer than a frame.
const LONGEST_REPLY: usize = 64 * 1024;

/// The worker and the full router reply of the attempt at an index of the route run; `None` if there is no
/// such attempt, it was not assigned, or its reply is no longer in memory.
pub(super) fn assignment(run: &Run, index: usize) -> Option<(&Untrusted, &Untrusted)> {
    let sample = run.samples().get(index)?;
    Some((sample.outcome.worker()?, run.reply(sample.index)?))
}

/// The member `signature` of a router's reply; `None` if the reply is no JSON or has no such text.
pub(super) fn signature(reply: &Untrusted) -> Option<Untrusted> {
    let reply: Json = serde_json::from_str(reply.unescaped()).ok()?;
    match reply.get("signature")? {
        Json::String(signature) => Some(Untrusted::from(signature.as_str())),
        _ => None,
    }
}

/// The facts of an attempt of a route run, one label and value per line, wrapped to `width` cells: outcome,
/// worker, ids, latencies, the worker's response, times, cost and size; without its bodies.
pub(super) fn details(run: &Run, sample: &RouteSample, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let reply = run.reply(sample.index);
    let mut lines = Vec::new();
    let mut add = |label: &str, value: String, style: Style| {
        let line = Line::from(vec![
            Span::styled(format!("{label:LABEL$}"), theme.dim),
            Span::styled(value, style),
        ]);
        let indent = u16::try_from(LABEL).unwrap_or(0);
        lines.extend(wrap_line(&line, width, indent));
    };
    let kind = sample.outcome.kind();
    add("Outcome", meaning(kind).to_owned(), kind_style(kind, theme));
    if let Outcome::Assigned { worker, reqnum, .. } = &sample.outcome {
        add("Worker", worker.screen(400), theme.text);
        let reqnum = reqnum.map_or_else(|| "—".to_owned(), |reqnum| reqnum.to_string());
        add("Request no.", reqnum, theme.text);
        for (label, value, is_right) in reply.map(|reply| echoes(run, sample, reply)).unwrap_or_default() {
            let style = if is_right { theme.text } else { theme.warning };
            add(label, value, style);
        }
        if let Some(signature) = reply.and_then(signature) {
            add("Signature", shortened(&signature), theme.text);
        }
    } else {
        let words = match reply {
            Some(reply) if kind != OutcomeKind::Waiting => reply.screen(2000),
            _ => sample.outcome.detail().screen(400),
        };
        if !words.is_empty() {
            add("Message", words, theme.text);
        }
    }
    if let Some(id) = &sample.request_id {
        add("Request id", id.screen(200), theme.text);
    }
    add("Router reply", words::latency(sample.latency()), theme.accent);
    if let Some(time) = sample.time_to_worker().filter(|_| sample.poll > 0) {
        let polls = if sample.poll == 1 { "poll" } else { "polls" };
        let words = format!("{} with {} {polls}", words::latency(time), sample.poll);
        add("To a worker", words, theme.accent);
    }
    if let Some(call) = &sample.call {
        let (words, style) = match words::failure_reason(call) {
            None => (
                format!("{} from the worker", call.status().unwrap_or_default()),
                theme.good,
            ),
            Some(trouble) => (trouble, theme.error),
        };
        add("Response", words, style);
        if let Some(retry) = sample.retry {
            add(
                "Retry",
                format!("{} after a {} of the worker", retry.number, retry.status),
                theme.text,
            );
        }
        let last_byte = call.connect.map(|connect| call.total - connect);
        for (label, seconds) in [
            ("Connect, TLS", call.connect),
            ("First byte", call.first_byte),
            ("Last byte", last_byte.filter(|_| call.first_byte.is_some())),
            ("Total", sample.total()),
        ] {
            if let Some(seconds) = seconds {
                add(label, words::latency(seconds), theme.accent);
            }
        }
        if let Some((tokens, rate)) = call.tokens.zip(call.tokens_per_second()) {
            add(
                "Tokens",
                format!("{}, {rate:.1} a second", words::count(tokens)),
                theme.text,
            );
        }
    }
    add("Times", moments(run, sample), theme.text);
    add("Sent", sent(sample), theme.text);
    add("Received", words::bytes(sample.bytes), theme.text);
    lines
}

/// The cost and the number (from 1) of an attempt's request as text, and for a poll its number.
fn sent(sample: &RouteSample) -> String {
    let cost = words::amount(sample.cost);
    if sample.poll > 0 {
        format!("cost {cost}, poll {} of request {}", sample.poll, sample.request + 1)
    } else {
        format!("cost {cost}, request {}", sample.request + 1)
    }
}

/// The meaning of a routing outcome in a few words.
const fn meaning(kind: OutcomeKind) -> &'static str {
    match kind {
        OutcomeKind::Assigned => "assigned: a worker serves the request",
        OutcomeKind::Waiting => "waiting: no worker is ready",
        OutcomeKind::RateLimited => "rate limited: too many requests (429)",
        OutcomeKind::Refused => "unauthorized (401 or 403)",
        OutcomeKind::Failed => "failed",
        OutcomeKind::Garbage => "invalid response: neither an assignment nor a status",
        OutcomeKind::TimedOut => "timed out",
        OutcomeKind::Cancelled => "cancelled: the run was stopped",
    }
}

/// The members of the reply that echo the request, endpoint and cost: each with its value as text, and
/// whether it matches. Empty if the reply is no JSON.
fn echoes(run: &Run, sample: &RouteSample, reply: &Untrusted) -> Vec<(&'static str, String, bool)> {
    let Ok(reply) = serde_json::from_str::<Json>(reply.unescaped()) else {
        return Vec::new();
    };
    let (endpoint, cost) = (reply.get("endpoint"), reply.get("cost"));
    let same_endpoint = endpoint.and_then(Json::as_str) == Some(run.plan().endpoint.as_str());
    let same_cost = cost
        .and_then(Json::as_f64)
        .is_some_and(|echo| (echo - sample.cost).abs() <= sample.cost.abs() * 1e-6);
    let words = |value: Option<&Json>, same: bool| {
        let echo = match value {
            None => "not in the reply".to_owned(),
            Some(Json::String(text)) => visible(text, 200),
            Some(sent) => visible(&sent.to_string(), 200),
        };
        let note = if same { ", as sent" } else { ", NOT as sent" };
        format!("{echo}{note}")
    };
    vec![
        ("Endpoint", words(endpoint, same_endpoint), same_endpoint),
        ("Cost", words(cost, same_cost), same_cost),
    ]
}

/// The first and last four characters of a signature and its length; of one up to 24 characters only the
/// length.
///
/// Screens are shared and recorded.
fn shortened(signature: &Untrusted) -> String {
    let text = signature.unescaped();
    let count = text.chars().count();
    if count <= 24 {
        return format!("hidden ({count} characters)");
    }
    let head: String = text.chars().take(4).collect();
    let tail: String = text.chars().skip(count - 4).collect();
    format!("{}…{} ({count} characters)", visible(&head, 40), visible(&tail, 40))
}

/// The times of an attempt as text, in seconds since the start of the route run: sent, ended, and for a run
/// with a rate also due.
fn moments(run: &Run, sample: &RouteSample) -> String {
    let sent = format!("sent {:.3}, ended {:.3} s", sample.sent, sample.ended);
    if run.plan().rate.is_some() {
        format!("due {:.3}, {sent}", sample.intended)
    } else {
        sent
    }
}

/// The lines of the worker's response, the router's reply, and the request for the worker, as far as they
/// exist; empty if none does.
pub(super) fn body(state: &State, run: &Run, sample: &RouteSample) -> Vec<Line<'static>> {
    let mut lines = response_lines(run, sample);
    lines.extend(reply_lines(run, sample));
    let request = request_lines(state, run, sample);
    if !request.is_empty() {
        lines.push(Line::default());
    }
    lines.extend(request);
    lines
}

/// The lines of the worker's response, and the heading of the router's reply below them; empty without a
/// response body.
fn response_lines(run: &Run, sample: &RouteSample) -> Vec<Line<'static>> {
    let Some(answer) = run.answer(sample.index).filter(|answer| !answer.unescaped().is_empty()) else {
        return Vec::new();
    };
    let is_cut = sample
        .call
        .as_ref()
        .is_some_and(|call| call.bytes > answer.unescaped().len() as u64);
    let mut lines = vec![Line::from("Response of the worker").bold()];
    for line in pretty::body_lines(answer.unescaped(), is_cut) {
        lines.push(Line::from(json_for_terminal(&line)));
    }
    lines.push(Line::default());
    lines.push(Line::from("Reply of the router").bold());
    lines
}

/// The heading and the request for the worker as `curl` (or the reason it cannot be written), without
/// secrets; empty for an attempt without an assignment or a reply in memory.
pub(super) fn request_lines(state: &State, run: &Run, sample: &RouteSample) -> Vec<Line<'static>> {
    let assigned = sample.outcome.worker().zip(run.reply(sample.index));
    let Some((worker, reply)) = assigned else {
        return Vec::new();
    };
    // Screens are shared and recorded: only a copy contains the signature that the worker checks.
    let masked = Untrusted::from(redact::without_secret_members(reply.unescaped()));
    let text = match worker_request::Written::new(state, run).command(worker, &masked) {
        Ok(command) => json_for_terminal(&command),
        Err(why) => why.to_string(),
    };
    vec![Line::from("Worker request, secrets removed").bold(), Line::from(text)]
}

/// The lines of the router's reply without secrets: pretty-printed if it has at most 64 KiB, else its first
/// 65,536 characters as received. Empty unless it is an assignment or a status; a note if it is no longer in
/// memory.
pub(super) fn reply_lines(run: &Run, sample: &RouteSample) -> Vec<Line<'static>> {
    let kind = sample.outcome.kind();
    if !matches!(kind, OutcomeKind::Assigned | OutcomeKind::Waiting) {
        return Vec::new();
    }
    let Some(reply) = run.reply(sample.index) else {
        return vec![Line::from(
            "The reply is no longer in memory: only the latest 1,000 are.",
        )];
    };
    let text = reply.unescaped();
    let pretty = if text.len() <= LONGEST_REPLY {
        serde_json::from_str::<Json>(text)
            .ok()
            .and_then(|json| serde_json::to_string_pretty(&json).ok())
    } else {
        None
    };
    let laid_out = pretty.unwrap_or_else(|| text.chars().take(LONGEST_REPLY).collect());
    let clean = json_for_terminal(redact::without_secret_members(&laid_out));
    let lines = clean.lines();
    lines.map(|line| Line::from(line.to_owned())).collect()
}

/// Draws the facts of an attempt of a route run, on a compact screen in up to `most` lines above its reply
/// and otherwise beside it, and the frame of the reply; returns the area inside that.
pub(super) fn draw_facts(
    title: String,
    (run, sample): (&Run, &RouteSample),
    most: u16,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> Rect {
    let theme = scene.theme;
    let [left, right] = if scene.size == Size::Compact {
        let tall = details(run, sample, area.width, theme).len() + 1;
        let tall = u16::try_from(tall).unwrap_or(0).min(most);
        Layout::vertical([Constraint::Length(tall), Constraint::Fill(1)]).areas(area)
    } else {
        Layout::horizontal([Constraint::Length(FACTS), Constraint::Fill(1)]).areas(area)
    };
    let inner = scene.panel(Panel::new(title), left);
    scene.lines(&details(run, sample, inner.width, theme), inner);
    let panel = Panel::new("Reply").note("secrets removed").focused(true);
    scene.panel(panel, right)
}

/// The lines of the report on an attempt: of a single request also the request itself.
fn report_lines(state: &State, run: &Run, sample: &RouteSample) -> Vec<Line<'static>> {
    if run.plan().is_single() {
        single::body(state, run, sample)
    } else {
        body(state, run, sample)
    }
}

/// The view of one attempt of a run.
#[derive(Debug)]
pub(super) struct AttemptView {
    run: u64,
    index: usize,
    report: Report,
}

impl AttemptView {
    /// The view of the attempt at `index` of the run `run`; `None` if there is no such attempt.
    pub fn new(state: &State, run: u64, index: usize) -> Option<Self> {
        let mut view = Self {
            run,
            index,
            report: Report::default(),
        };
        view.show(index, state).then_some(view)
    }

    /// Shows the attempt at an index of the run; false, without a change, if there is none or the run is
    /// gone.
    fn show(&mut self, index: usize, state: &State) -> bool {
        let Some(run) = Routes::read(state).run(self.run) else {
            return false;
        };
        let Some(sample) = run.run().samples().get(index) else {
            return false;
        };
        self.index = index;
        self.report = Report::new(report_lines(state, run.run(), sample));
        true
    }
}

impl View for AttemptView {
    fn contexts(&self) -> &'static [Context] {
        if self.report.is_typing() {
            return self.report.contexts();
        }
        &[
            Context::Report,
            Context::Chart,
            Context::RouteLab,
            Context::Global,
            Context::Always,
        ]
    }

    fn search(&self) -> Option<&Find> {
        Some(self.report.find())
    }

    fn widget<'a>(&'a mut self, _: &'a mut Cx<'_>) -> Option<&'a mut dyn InputWidget> {
        Some(&mut self.report)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Handling {
        match action {
            Action::Right => {
                self.show(self.index + 1, cx.state());
            }
            Action::Left => {
                self.show(self.index.saturating_sub(1), cx.state());
            }
            Action::Settings => {
                cx.try_open(|state| WorkerRequest::new(state, self.run, self.index));
            }
            Action::Copy => {
                cx.try_open(|state| copy::menu(state, self.run, Some(self.index)));
            }
            Action::Export => export::open(self.run, cx),
            // Below this view `d` would open the changes of the workergroups.
            Action::Sort | Action::Differences | Action::Compare => {}
            Action::Back | Action::Submit | Action::Open | Action::RouteLab => cx.close(),
            _ => return Handling::Ignored,
        }
        Handling::Handled
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        match action {
            Action::New | Action::Toggle | Action::Remove | Action::Refresh | Action::Compare
                if !self.report.is_typing() =>
            {
                Availability::Hidden
            }
            // Their keys are those of charts; here they would sort nothing or reach another view.
            Action::Sort | Action::Differences if !self.report.is_typing() => Availability::Hidden,
            Action::Settings => {
                let run = Routes::read(state).run(self.run);
                if run.is_some_and(|run| assignment(run.run(), self.index).is_some()) {
                    Availability::Available
                } else {
                    Availability::Hidden
                }
            }
            _ => Availability::Available,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Left => Some("previous"),
            Action::Submit | Action::Open => Some("close"),
            Action::Settings => Some("worker request"),
            _ => None,
        }
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        // The worker request may have another path or payload now.
        let run = Routes::read(cx.state()).run(self.run).map(super::RouteRun::run);
        if let Some((run, sample)) = run.and_then(|run| Some((run, run.samples().get(self.index)?))) {
            self.report.set_lines(report_lines(cx.state(), run, sample));
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let Some(run) = Routes::read(scene.state).run(self.run) else {
            return;
        };
        let Some(sample) = run.run().samples().get(self.index) else {
            return;
        };
        let title = format!("Attempt {} of run {}", sample.number(), run.number);
        if run.run().plan().is_single() {
            let inner = single::around_reply(title, (run, sample), area.height / 2, area, scene);
            scene.report(Region::MAIN, &self.report, inner);
            return;
        }
        let (attempt, text) = ((run.run(), sample), self.report.lines());
        let facts = details(run.run(), sample, FACTS - 4, scene.theme);
        let both = sheet::rows(&facts, FACTS - 4).max(sheet::rows(text, area.width.saturating_sub(FACTS + 4)));
        let is_compact = scene.size == Size::Compact;
        // Below both where both are short, or else below the reply.
        let above = if is_compact {
            area
        } else {
            above_latencies(attempt, both + 2, area, scene)
        };
        let inner = draw_facts(title, attempt, above.height / 2, above, scene);
        let inner = if above == area {
            above_latencies(attempt, sheet::rows(text, inner.width), inner, scene)
        } else {
            inner
        };
        scene.report(Region::MAIN, &self.report, inner);
    }
}

/// Draws a histogram of the run's router replies at the bottom of `area`, with this attempt's bar marked, if `text` rows
/// leave room for it; returns the area above it.
fn above_latencies((run, sample): (&Run, &RouteSample), text: usize, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    /// The least and the greatest height of the chart, with its title.
    const CHART: (u16, u16) = (8, 40);
    let rows = u16::try_from(text).unwrap_or(u16::MAX);
    let room = area.height.saturating_sub(rows.saturating_add(1));
    let replies: Vec<f64> = run.samples().iter().map(RouteSample::latency).collect();
    let scale = Scale::fit(replies.iter().copied(), None);
    let Some(scale) = scale.filter(|_| room >= CHART.0) else {
        return area;
    };
    let height = room.min(CHART.1);
    let [rest, chart] = Layout::vertical([Constraint::Fill(1), Constraint::Length(height)]).areas(area);
    let axis = Axis(&scale, Labels::Words(words::latency));
    let values = (replies.as_slice(), Some(sample.latency()));
    if chart::histogram("Attempts of this run by router reply", values, &axis, chart, scene) {
        rest
    } else {
        area
    }
}

//! The attempts of a run: the table, and one of them whole.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use serde_json::Value as Json;

use super::{Line, words};
use crate::api::redact;
use crate::app::facts::{Facts, Target};
use crate::app::remote::Now;
use crate::app::route_lab::{LabRun, RouteLab, is_clean, signature};
use crate::domain::Untrusted;
use crate::domain::routing::{Outcome, OutcomeKind, RouteSample, Run};
use crate::domain::text::{json_for_terminal, visible};
use crate::ui::paint;
use crate::ui::picker::blank;
use crate::ui::records::first_row;
use crate::widgets::theme::Theme;

/// Cells of the labels in the detail.
const LABEL: usize = 14;

/// The most of a reply that is laid out, in bytes.
const LONGEST_REPLY: usize = 64 * 1024;

const HEAD: &str = "     # ended at    latency outcome       reqnum worker, or what came";

/// The table: only the lines in sight are made.
pub fn table(buffer: &mut Buffer, area: Rect, lab: &RouteLab, theme: &Theme, facts: &mut Facts) {
    let samples = lab.samples();
    let list = &lab.attempts;
    let count = list.len(samples);
    paint::text(buffer, area.x, area.y, area.width, HEAD, theme.heading);
    let above = area.y.saturating_sub(1);
    let note = note(lab);
    paint::right(buffer, area.x, above, area.width, &note, theme.dim);
    let page = usize::from(area.height.saturating_sub(1));
    facts.overlay_page = page;
    facts.overlay_lines = count;
    if count == 0 {
        let text = if samples.is_empty() {
            "No attempt has ended yet."
        } else {
            "No attempt matches the search."
        };
        paint::text(buffer, area.x, area.y + 1, area.width, text, theme.dim);
        return;
    }
    let cursor = list.cursor(samples);
    facts.overlay_top = first_row(facts.overlay_top, cursor, count, page);
    for (y, line) in (area.y + 1..area.bottom()).zip(facts.overlay_top..count) {
        let Some(sample) = list.place(line, samples).and_then(|at| samples.get(at)) else {
            break;
        };
        let strip = Rect::new(area.x, y, area.width, 1);
        facts.targets.push((paint::area(strip), Target::Line(line)));
        let is_selected = line == cursor;
        if is_selected {
            paint::fill(buffer, strip, theme.selected);
        }
        let base = is_selected.then_some(theme.selected);
        attempt_line(buffer, strip, sample, base, theme);
    }
}

/// How many attempts are in the list.
pub fn note(lab: &RouteLab) -> String {
    let (list, samples) = (&lab.attempts, lab.samples());
    let (count, all) = (list.len(samples), samples.len());
    if list.filter().is_empty() {
        let follows = if list.follows() { ", following" } else { "" };
        return format!("{count} attempts{follows}");
    }
    let searched = list.looked_at(samples);
    let so_far = if searched < 1.0 {
        format!(", searched {:.0}%", searched * 100.0)
    } else {
        String::new()
    };
    let filter = visible(list.filter(), 24);
    format!("{count} of {all} match “{filter}”{so_far}")
}

/// The latest attempts, latest first.
pub fn latest(buffer: &mut Buffer, area: Rect, run: &Run, theme: &Theme) {
    paint::text(buffer, area.x, area.y, area.width, HEAD, theme.heading);
    for (y, sample) in (area.y + 1..area.bottom()).zip(run.samples().iter().rev()) {
        let strip = Rect::new(area.x, y, area.width, 1);
        attempt_line(buffer, strip, sample, None, theme);
    }
}

fn attempt_line(
    buffer: &mut Buffer,
    strip: Rect,
    sample: &RouteSample,
    base: Option<Style>,
    theme: &Theme,
) {
    let plain = base.unwrap_or(theme.text);
    let kind = sample.outcome.kind();
    let coloured = base.unwrap_or_else(|| kind_style(kind, theme));
    let reqnum = sample
        .outcome
        .reqnum()
        .map_or_else(|| "-".to_owned(), |reqnum| reqnum.to_string());
    let left = format!(
        "{:>6} {:>8.3} {:>10} ",
        sample.index,
        sample.ended,
        words::latency(sample.latency())
    );
    let mut what = match sample.outcome.worker() {
        Some(worker) if is_clean(&sample.outcome) => worker.screen(200),
        Some(worker) => format!("{} (not echoed as sent)", worker.screen(100)),
        None => match (kind, sample.outcome.detail().screen(200)) {
            (OutcomeKind::TimedOut, none) if none.is_empty() => "no answer in time".to_owned(),
            (OutcomeKind::RateLimited, none) if none.is_empty() => "too many requests".to_owned(),
            (_, detail) => detail,
        },
    };
    if sample.poll > 0 {
        what = format!("poll {}: {what}", sample.poll);
    }
    let parts = [
        paint::piece(left, plain),
        paint::piece(format!("{:12} ", kind.label()), coloured),
        paint::piece(format!("{reqnum:>7} "), plain),
        paint::piece(what, plain),
    ];
    paint::pieces(buffer, strip.x, strip.y, strip.width, &parts);
}

const fn kind_style(kind: OutcomeKind, theme: &Theme) -> Style {
    match kind {
        OutcomeKind::Assigned => theme.good,
        OutcomeKind::Waiting => theme.warning,
        OutcomeKind::Cancelled => theme.dim,
        _ => theme.error,
    }
}

/// The one attempt of a single request.
pub fn single(
    buffer: &mut Buffer,
    area: Rect,
    lab: &RouteLab,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) {
    let Some(run) = lab.shown().map(LabRun::run) else {
        return;
    };
    let Some(sample) = run.samples().last() else {
        let waited = words::span(run.elapsed(now.mono));
        let text = format!("Asking for a worker … {waited}. It ends within 15 s.");
        paint::text(buffer, area.x, area.y, area.width, &text, theme.text);
        return;
    };
    let lines = lines(run, sample, area.width, theme);
    scrolled(buffer, area, &lines, lab.scroll, facts);
}

/// An attempt, whole.
pub fn detail(
    buffer: &mut Buffer,
    area: Rect,
    lab: &RouteLab,
    place: usize,
    scroll: usize,
    theme: &Theme,
    facts: &mut Facts,
) {
    blank(buffer, area);
    let Some(run) = lab.shown().map(LabRun::run) else {
        return;
    };
    let Some(sample) = run.samples().get(place) else {
        return;
    };
    let title = format!(
        " Attempt {} of run {} ",
        sample.index,
        lab.shown_place() + 1
    );
    paint::text(buffer, area.x, area.y, area.width, &title, theme.heading);
    let body = Rect {
        y: area.y + 2,
        height: area.height.saturating_sub(2),
        ..super::inset(area)
    };
    let lines = lines(run, sample, body.width, theme);
    scrolled(buffer, body, &lines, scroll, facts);
}

fn scrolled(buffer: &mut Buffer, area: Rect, lines: &[Line], scroll: usize, facts: &mut Facts) {
    let page = usize::from(area.height);
    facts.overlay_page = page;
    facts.overlay_lines = lines.len();
    let scroll = scroll.min(lines.len().saturating_sub(page));
    for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(scroll)) {
        line.iter().fold(area.x, |x, (text, style)| {
            paint::text(buffer, x, y, area.right().saturating_sub(x), text, *style)
        });
    }
}

fn lines(run: &Run, sample: &RouteSample, width: u16, theme: &Theme) -> Vec<Line> {
    let reply = run.reply(sample.index);
    let mut lines = Vec::new();
    let mut add = |label: &str, value: String, style: Style| {
        let room = width.saturating_sub(u16::try_from(LABEL).unwrap_or(0));
        for (index, part) in paint::wrap(&value, room).into_iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            lines.push(vec![(format!("{label:LABEL$}"), theme.dim), (part, style)]);
        }
    };
    let kind = sample.outcome.kind();
    add(
        "Outcome",
        kind_words(kind).to_owned(),
        kind_style(kind, theme),
    );
    if let Outcome::Assigned { worker, reqnum, .. } = &sample.outcome {
        add("Worker", worker.screen(400), theme.text);
        let reqnum = reqnum.map_or_else(|| "not sent".to_owned(), |reqnum| reqnum.to_string());
        add("Reqnum", reqnum, theme.text);
        let echo = reply.map(|reply| echoes(run, sample, reply));
        for (label, value, is_right) in echo.into_iter().flatten() {
            let style = if is_right { theme.text } else { theme.warning };
            add(label, value, style);
        }
        if let Some(signature) = reply.and_then(signature) {
            add("Signature", shortened(&signature), theme.text);
        }
    } else if reply.is_none() || kind != OutcomeKind::Waiting {
        let words = reply.map_or_else(
            || sample.outcome.detail().screen(400),
            |reply| reply.screen(2000),
        );
        add("What came", words, theme.text);
    }
    if let Some(id) = &sample.request_id {
        add("Request id", id.screen(200), theme.text);
    }
    add("Router reply", latency_words(run, sample), theme.text);
    if let Some(time) = sample.time_to_worker().filter(|_| sample.poll > 0) {
        let polls = if sample.poll == 1 { "poll" } else { "polls" };
        let words = format!("{} with {} {polls}", words::latency(time), sample.poll);
        add("To a worker", words, theme.text);
    }
    let bytes = format!("{} of answer", words::bytes(sample.bytes));
    add("Bytes", bytes, theme.text);
    let cost = words::amount(sample.cost);
    let sent = if sample.poll > 0 {
        format!(
            "cost {cost}, poll {} of request {}",
            sample.poll, sample.request
        )
    } else {
        format!("cost {cost}, request {}", sample.request)
    };
    add("Sent", sent, theme.text);
    lines.extend(reply_lines(kind, reply, width, theme));
    lines
}

const fn kind_words(kind: OutcomeKind) -> &'static str {
    match kind {
        OutcomeKind::Assigned => "assigned: a worker serves the request",
        OutcomeKind::Waiting => "waiting: a status reply, no worker yet",
        OutcomeKind::RateLimited => "rate limited: too many requests (429)",
        OutcomeKind::Refused => "refused: unauthorized (401 or 403)",
        OutcomeKind::Failed => "failed",
        OutcomeKind::Garbage => "garbage: a good status with something that is no answer",
        OutcomeKind::TimedOut => "timed out: no answer in time",
        OutcomeKind::Cancelled => "cancelled: broken off when the series was stopped",
    }
}

/// What the reply repeats of the request, and whether it is the same.
fn echoes(run: &Run, sample: &RouteSample, reply: &Untrusted) -> Vec<(&'static str, String, bool)> {
    let Ok(reply) = serde_json::from_str::<Json>(reply.compared()) else {
        return Vec::new();
    };
    let (endpoint, cost) = (reply.get("endpoint"), reply.get("cost"));
    let same_endpoint = endpoint.and_then(Json::as_str) == Some(run.plan().endpoint.as_str());
    let same_cost = cost
        .and_then(Json::as_f64)
        .is_some_and(|came| (came - sample.cost).abs() <= sample.cost.abs() * 1e-6);
    let words = |value: Option<&Json>, same: bool| {
        let came = match value {
            None => "not in the reply".to_owned(),
            Some(Json::String(text)) => visible(text, 200),
            Some(other) => visible(&other.to_string(), 200),
        };
        let note = if same { ", as sent" } else { ", NOT as sent" };
        format!("{came}{note}")
    };
    vec![
        ("Endpoint", words(endpoint, same_endpoint), same_endpoint),
        ("Cost", words(cost, same_cost), same_cost),
    ]
}

fn shortened(signature: &Untrusted) -> String {
    let text = signature.compared();
    let count = text.chars().count();
    if count <= 24 {
        return visible(text, 24);
    }
    let head: String = text.chars().take(12).collect();
    let tail: String = text.chars().skip(count - 6).collect();
    format!(
        "{}…{} ({count} characters)",
        visible(&head, 40),
        visible(&tail, 40)
    )
}

fn latency_words(run: &Run, sample: &RouteSample) -> String {
    let latency = words::latency(sample.latency());
    if run.plan().rate.is_some() {
        format!(
            "{latency} (due at {:.3} s, sent at {:.3} s, ended at {:.3} s)",
            sample.intended, sample.sent, sample.ended
        )
    } else {
        format!(
            "{latency} (sent at {:.3} s, ended at {:.3} s)",
            sample.sent, sample.ended
        )
    }
}

/// The reply as it came, laid out; secrets in it stay out of sight.
fn reply_lines(
    kind: OutcomeKind,
    reply: Option<&Untrusted>,
    width: u16,
    theme: &Theme,
) -> Vec<Line> {
    if !matches!(kind, OutcomeKind::Assigned | OutcomeKind::Waiting) {
        return Vec::new();
    }
    let mut lines = vec![Vec::new()];
    let Some(reply) = reply else {
        let text = "The reply is not kept any more: only the latest thousand are.";
        lines.push(vec![(text.to_owned(), theme.dim)]);
        return lines;
    };
    lines.push(vec![(
        "The reply as it came, secrets left out".to_owned(),
        theme.heading,
    )]);
    let text = reply.compared();
    let pretty = if text.len() <= LONGEST_REPLY {
        serde_json::from_str::<Json>(text)
            .ok()
            .and_then(|json| serde_json::to_string_pretty(&json).ok())
    } else {
        None
    };
    let laid_out = pretty.unwrap_or_else(|| text.chars().take(LONGEST_REPLY).collect());
    let clean = json_for_terminal(&redact::members(&laid_out));
    for line in clean.lines() {
        let parts = paint::wrap_indented(line, width).into_iter();
        lines.extend(parts.map(|part| vec![(part, theme.text)]));
    }
    lines
}

//! All figures of a run: percentiles of both times, and the outcomes.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::attempts::kind_style;
use crate::core::view::{Region, Scene};
use crate::domain::format::percent;
use crate::domain::routing::{OutcomeKind, Quantiles, Run, Summary, WorkerSummary, words};
use crate::tui::panel::{Panel, Size};
use crate::tui::scrolled::Scrolled;
use crate::tui::theme::Theme;

const LABEL: usize = 17;

/// All figures of a route run, below each other.
pub(super) fn lines(run: &Run, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let summary = run.summary(scene.now.mono);
    let mut lines = times(&summary, scene.theme);
    lines.push(Line::default());
    lines.extend(counts(&summary, scene.theme));
    lines
}

/// Draws all figures of a route run in the given panel: in two columns where there is room, otherwise below
/// each other and scrollable.
pub(super) fn draw_in_panel(run: &Run, panel: Panel<'_>, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let inner = scene.panel(panel.focused(true), area);
    let summary = run.summary(scene.now.mono);
    let (times, counts) = (times(&summary, theme), counts(&summary, theme));
    // The parts at the workers need more.
    let wide = if summary.worker_calls.is_some() { 50 } else { 46 };
    let [left, right] = Layout::horizontal([Constraint::Length(wide), Constraint::Fill(1)]).areas(inner);
    if scene.size > Size::Compact || inner.width >= 76 {
        for (lines, area) in [(times, left), (counts, right)] {
            for (line, row) in lines.into_iter().zip(area.rows()) {
                scene.render(line, row);
            }
        }
        return;
    }
    let lines: Vec<_> = times.into_iter().chain(counts).collect();
    let top = 0;
    scene.scroll(Region::MAIN, Scrolled { lines: &lines, top }, inner);
}

/// A line with a label padded to 17 cells and its value.
fn row(label: &str, value: String, style: Style, theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{label:LABEL$}"), theme.dim),
        Span::styled(value, style),
    ])
}

/// A latency in seconds as text, or a dash without one.
fn shown(latency: Option<f64>) -> String {
    latency.map_or_else(|| "—".to_owned(), words::latency)
}

/// The percentiles of a route run's router replies and times to a worker and, if workers were called, of the
/// phases at the workers, a line each.
fn times(summary: &Summary, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(
        format!("{:8}{:>13} {:>17}", "", "Router reply", "Time to a worker"),
        theme.heading,
    )];
    for (label, get) in Quantiles::ALL {
        let shown = |of: &Option<Quantiles>| shown(of.as_ref().map(get));
        lines.push(Line::from(vec![
            Span::styled(format!("{label:8}"), theme.dim),
            Span::raw(format!("{:>13} ", shown(&summary.router_reply))),
            Span::raw(format!("{:>17}", shown(&summary.time_to_worker))),
        ]));
    }
    lines.extend(summary.worker_calls.iter().flat_map(|calls| parts(calls, theme)));
    lines
}

/// A blank line, a heading, and the percentiles of the phases of the calls to workers, a line each.
fn parts(calls: &WorkerSummary, theme: &Theme) -> Vec<Line<'static>> {
    let heading = format!(
        "{:5}{:>10}{:>11}{:>10}{:>10}",
        "", "Connect", "First byte", "Last byte", "Total"
    );
    let mut lines = vec![Line::default(), Line::styled(heading, theme.heading)];
    for (label, get) in Quantiles::ALL {
        let shown = |of: &Option<Quantiles>| shown(of.as_ref().map(get));
        lines.push(Line::from(vec![
            Span::styled(format!("{label:5}"), theme.dim),
            Span::raw(format!("{:>10}{:>11}", shown(&calls.connect), shown(&calls.first_byte))),
            Span::raw(format!("{:>10}{:>10}", shown(&calls.last_byte), shown(&calls.total))),
        ]));
    }
    lines
}

/// The number of workers' responses by class, a line each, and their median tokens per second if reported.
fn answers(calls: &WorkerSummary, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines: Vec<_> = calls
        .classes
        .iter()
        .map(|(class, count)| {
            let style = if class == "2xx" { theme.good } else { theme.error };
            row(
                &format!("Worker {class}"),
                format!("{:>9}", words::count(*count)),
                style,
                theme,
            )
        })
        .collect();
    if let Some(rate) = &calls.token_rate {
        lines.push(row("Tokens/s p50", format!("{:>9.1}", rate.p50), theme.text, theme));
    }
    lines
}

/// The number of a route run's requests by outcome, a line each with its share of all that were not
/// cancelled; outcomes without requests are left out.
fn outcomes(summary: &Summary, theme: &Theme) -> Vec<Line<'static>> {
    let answered = summary.requests - summary.count(OutcomeKind::Cancelled);
    let mut lines = Vec::new();
    for kind in OutcomeKind::ALL {
        let count = summary.count(kind);
        if count == 0 {
            continue;
        }
        let share = if answered == 0 || kind == OutcomeKind::Cancelled {
            String::new()
        } else {
            percent(count as f64 / answered as f64)
        };
        let value = format!("{:>9}  {share:>6}", words::count(count));
        let label = format!("  {}", kind.label());
        lines.push(row(&label, value, kind_style(kind, theme), theme));
    }
    lines
}

/// The numbers of a route run's requests by outcome, of responses, polls and gaps, with throughput and load,
/// a line each.
fn counts(summary: &Summary, theme: &Theme) -> Vec<Line<'static>> {
    let number = |count: u64| format!("{:>9}", words::count(count));
    let mut lines = vec![row("Requests", number(summary.requests), theme.text, theme)];
    lines.extend(outcomes(summary, theme));
    lines.extend(summary.worker_calls.iter().flat_map(|calls| answers(calls, theme)));
    let rate = summary
        .per_second
        .map_or_else(|| "—".to_owned(), |rate| format!("{rate:.1}/s"));
    let first = shown(summary.first_assigned);
    let missing = if summary.reqnums_missing > 0 {
        format!("  ({} numbers)", words::count(summary.reqnums_missing))
    } else {
        String::new()
    };
    let repeats = if summary.reqnum_repeats > 0 {
        theme.warning
    } else {
        theme.text
    };
    let plain = theme.text;
    lines.extend([
        row("Polls", number(summary.polls), plain, theme),
        row("Throughput", format!("{rate:>9}"), plain, theme),
        row("First assigned", format!("{first:>9}"), plain, theme),
        row(
            "Bytes received",
            format!("{:>9}", words::bytes(summary.bytes)),
            plain,
            theme,
        ),
        row("Workers", number(summary.workers), plain, theme),
        row("Request no. gaps", number(summary.reqnum_gaps) + &missing, plain, theme),
        row("Repeated no.", number(summary.reqnum_repeats), repeats, theme),
        row("Load", format!("{:>9}", words::amount(summary.load)), plain, theme),
    ]);
    lines
}

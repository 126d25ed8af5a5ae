//! The figures of a run in two columns.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Line, words};
use crate::app::remote::Now;
use crate::app::route_lab::failed;
use crate::domain::routing::{OutcomeKind, Quantiles, Run, Summary};
use crate::ui::paint;
use crate::widgets::theme::Theme;

/// Cells of the labels.
const LABEL: usize = 16;

/// Draws the figures; gives the rows used.
pub fn draw(buffer: &mut Buffer, area: Rect, run: &Run, now: Now, theme: &Theme) -> u16 {
    let summary = run.summary(now.mono);
    let left = counts(run, &summary, theme);
    let right = latencies(&summary, theme);
    let is_wide = area.width >= 76;
    let (left_width, rest) = if is_wide {
        (area.width / 2 - 1, area.width - area.width / 2)
    } else {
        (area.width, area.width)
    };
    let mut y = area.y;
    for line in &left {
        put(buffer, area, (area.x, y, left_width), line);
        y += 1;
    }
    let (x, mut right_y) = if is_wide {
        (area.x + area.width / 2, area.y)
    } else {
        (area.x, y)
    };
    for line in &right {
        put(buffer, area, (x, right_y, rest), line);
        right_y += 1;
    }
    y.max(right_y).min(area.bottom()) - area.y
}

fn put(buffer: &mut Buffer, area: Rect, place: (u16, u16, u16), line: &Line) {
    let (x, y, width) = place;
    if y >= area.bottom() {
        return;
    }
    let end = x + width;
    line.iter().fold(x, |x, (text, style)| {
        paint::text(buffer, x, y, end.saturating_sub(x), text, *style)
    });
}

fn row(label: &str, value: impl Into<String>, style: Style, theme: &Theme) -> Line {
    vec![
        (format!("{label:LABEL$}"), theme.dim),
        (value.into(), style),
    ]
}

fn counts(run: &Run, summary: &Summary, theme: &Theme) -> Vec<Line> {
    let assigned = summary.count(OutcomeKind::Assigned);
    let waiting = summary.count(OutcomeKind::Waiting);
    let failed = failed(run);
    let answered = run.stats().answered();
    #[expect(clippy::cast_precision_loss)] // counts of requests
    let of = |part: u64| {
        if answered == 0 {
            words::count(part)
        } else {
            let share = words::share(part as f64 / answered as f64);
            format!("{:>7}  {share:>6}", words::count(part))
        }
    };
    let per_second = summary
        .per_second
        .map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
    let first = summary
        .first_assigned
        .map_or_else(|| "none yet".to_owned(), words::latency);
    let plain = theme.text;
    let bad = if failed > 0 { theme.error } else { plain };
    let mut lines = vec![
        row(
            "Requests",
            format!("{:>7}", words::count(summary.requests)),
            plain,
            theme,
        ),
        row("Per second", per_second, plain, theme),
        row("Assigned", of(assigned), theme.good, theme),
        row("Waiting", of(waiting), theme.warning, theme),
        row("Failed", of(failed), bad, theme),
    ];
    let kinds = OutcomeKind::ALL.into_iter().filter(|kind| {
        !matches!(kind, OutcomeKind::Assigned | OutcomeKind::Waiting) && summary.count(*kind) > 0
    });
    for kind in kinds {
        let value = format!("{:>7}", words::count(summary.count(kind)));
        lines.push(row(&format!("  {}", kind.label()), value, plain, theme));
    }
    if summary.polls > 0 {
        let polls = format!("{:>7}", words::count(summary.polls));
        lines.push(row("Polls", polls, plain, theme));
    }
    lines.push(row("First assigned", first, plain, theme));
    lines.push(row(
        "Answers' bytes",
        words::bytes(summary.bytes),
        plain,
        theme,
    ));
    lines
}

/// A figure of latencies.
type Figure = fn(&Quantiles) -> f64;

fn latencies(summary: &Summary, theme: &Theme) -> Vec<Line> {
    let mut lines = vec![vec![(
        format!("{:8}{:>13} {:>15}", "", "Router reply", "Time to worker"),
        theme.heading,
    )]];
    let figures: [(&str, Figure); 6] = [
        ("  p50", |latency| latency.p50),
        ("  p90", |latency| latency.p90),
        ("  p95", |latency| latency.p95),
        ("  p99", |latency| latency.p99),
        ("  max", |latency| latency.max),
        ("  mean", |latency| latency.mean),
    ];
    for (label, get) in figures {
        let shown = |of: &Option<Quantiles>| {
            of.as_ref()
                .map_or_else(|| "-".to_owned(), |latency| words::latency(get(latency)))
        };
        let value = format!(
            "{:>13} {:>15}",
            shown(&summary.router_reply),
            shown(&summary.time_to_worker)
        );
        lines.push(vec![(format!("{label:8}"), theme.dim), (value, theme.text)]);
    }
    let missing = if summary.reqnums_missing > 0 {
        format!(" ({} numbers)", words::count(summary.reqnums_missing))
    } else {
        String::new()
    };
    let repeats = if summary.reqnum_repeats > 0 {
        theme.warning
    } else {
        theme.text
    };
    lines.extend([
        row("Workers", words::count(summary.workers), theme.text, theme),
        row(
            "Reqnum gaps",
            format!("{}{missing}", words::count(summary.reqnum_gaps)),
            theme.text,
            theme,
        ),
        row(
            "Reqnum repeats",
            words::count(summary.reqnum_repeats),
            repeats,
            theme,
        ),
    ]);
    lines
}

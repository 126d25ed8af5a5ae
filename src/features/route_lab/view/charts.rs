//! The charts of a run: latency over time, its distribution, and the workers.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::canvas::Points;

use crate::core::view::{Region, Scene};
use crate::core::views::chart;
use crate::core::views::chart::{Axis, Labels};
use crate::domain::format::percent;
use crate::domain::insight::{Scale, ScaleKind};
use crate::domain::routing::{Latencies, OutcomeKind, Run, words};
use crate::tui::panel::Panel;
use crate::tui::range_bar::filled;
use crate::tui::records::Records;
use crate::tui::table::Column;
use crate::tui::text::{cells, fit};

/// Cells of the labels of the distribution.
const LABELS: u16 = 10;

/// Maximum number of bars in the distribution.
///
/// More would not show more.
const MOST_BARS: usize = 24;

/// Number of the latest changes of the router's status below the latencies.
const MOST_STATUSES: usize = 3;

/// Minimum height of the chart itself, in rows.
const LEAST_CHART: u16 = 8;

/// Draws the latency of a route run over time, and the distribution of latencies beside it.
pub(super) fn side_by_side(run: &Run, area: Rect, scene: &mut Scene<'_, '_>) {
    let [left, right] = Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(area);
    over_time(run, Panel::new("Latency over time"), left, scene);
    distribution(run, Panel::new("Distribution"), right, scene);
}

/// The scale of the latencies: linear from zero, or logarithmic if they are far apart; `None` without
/// latencies.
fn latency_scale(of: &Latencies) -> Option<Scale> {
    let (least, most) = of.least().zip(of.most())?;
    let scale = Scale::fit([least, most], None)?;
    if scale.kind == ScaleKind::Logarithmic {
        return Some(scale);
    }
    Scale::fit([0.0, most], Some(ScaleKind::Linear))
}

/// Draws a dot for each reply of a route run at the time it arrived (across) and its latency (upwards), above
/// the latest changes of the router's status; failures are crosses, cancelled requests are left out.
pub(super) fn over_time(run: &Run, panel: Panel<'_>, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let has_colour = theme.has_series_colours();
    let signs = if has_colour { ["●", "●"] } else { ["●", "○"] };
    let legend = Line::from(vec![
        Span::styled(format!("{} assigned", signs[0]), theme.series[0]),
        Span::styled(format!("  {} waiting", signs[1]), theme.warning),
        Span::styled("  × failed", theme.error),
    ]);
    let inner = scene.panel(panel.note(legend), area);
    let Some(latency) = latency_scale(&run.stats().router_reply) else {
        return draw_no_replies(inner, scene);
    };
    let inner = statuses(run, inner, scene);
    let last = run.samples().last().map_or(0.0, |sample| sample.ended);
    let time = Scale {
        kind: ScaleKind::Linear,
        low: 0.0,
        high: run.elapsed(scene.now.mono).max(last).max(1e-3),
    };
    let [across, upwards] = [
        (&time, words::clock_span as fn(f64) -> String),
        (&latency, words::latency),
    ]
    .map(|(scale, words)| Axis(scale, Labels::Words(words)));
    let Some(plot) = chart::axes(&across, Some(&upwards), inner, scene) else {
        return;
    };
    let dots = Dots::new(run, (&time, &latency), plot);
    let color = |style: Style| style.fg.unwrap_or(Color::Reset);
    let canvas = chart::canvas(plot).paint(|context| {
        let series = [(&dots.assigned, theme.series[0]), (&dots.waiting, theme.warning)];
        for (coords, style) in series.into_iter().filter(|_| has_colour) {
            let color = color(style);
            context.draw(&Points { coords, color });
        }
    });
    scene.render(canvas, plot);
    // A canvas rounds the place of a text toward the top left: signs go into the cells of their dots.
    let replies = [(&dots.assigned, signs[0]), (&dots.waiting, signs[1])];
    let replies = replies.into_iter().filter(|_| !has_colour);
    let replies = replies.map(|(coords, sign)| (coords, sign, Style::new()));
    for (coords, sign, style) in replies.chain([(&dots.failed, "×", theme.error)]) {
        for dot in coords {
            let (x, y) = chart::dot_cell(*dot, plot);
            scene.frame.buffer_mut().set_string(x, y, sign, style);
        }
    }
}

/// Draws the latest 3 changes of the router's status below the chart, if there is room; returns the area left
/// for the chart.
fn statuses(run: &Run, area: Rect, scene: &mut Scene<'_, '_>) -> Rect {
    let changes = run.statuses();
    let rows = changes.len().min(MOST_STATUSES);
    let height = u16::try_from(rows).unwrap_or(0);
    if area.height < LEAST_CHART + height {
        return area;
    }
    let [chart, list] = Layout::vertical([Constraint::Fill(1), Constraint::Length(height)]).areas(area);
    let skipped = changes.len() - rows;
    for (change, row) in run.statuses().skip(skipped).zip(list.rows()) {
        let line = Line::from(vec![
            Span::styled(format!("{:>8}  ", words::clock_span(change.at)), scene.theme.dim),
            Span::styled(change.status.screen(200), scene.theme.warning),
        ]);
        scene.render(fit(line, row.width), row);
    }
    chart
}

/// Positions of the replies in a chart, from 0 to 1.
///
/// Of several on one dot, one is stored, so that a quarter of a million attempts draw as fast as a
/// full chart.
#[derive(Default)]
struct Dots {
    assigned: Vec<(f64, f64)>,
    waiting: Vec<(f64, f64)>,
    failed: Vec<(f64, f64)>,
}

impl Dots {
    /// The positions of a route run's replies on the two scales, in a chart that fills `plot`; cancelled
    /// requests have none.
    fn new(run: &Run, (time, latency): (&Scale, &Scale), plot: Rect) -> Self {
        let mut dots = Self::default();
        // A braille cell has 2 by 4 dots.
        let wide = usize::from(plot.width) * 2;
        let seen = vec![false; wide * usize::from(plot.height) * 4];
        let mut seen = [seen.clone(), seen.clone(), seen];
        for sample in run.samples() {
            let (x, y) = (
                time.position(sample.ended.clamp(time.low, time.high)),
                latency.position(sample.latency().clamp(latency.low, latency.high)),
            );
            let Some((x, y)) = x.zip(y) else { continue };
            let (series, dots) = match sample.outcome.kind() {
                OutcomeKind::Assigned => (0, &mut dots.assigned),
                OutcomeKind::Waiting => (1, &mut dots.waiting),
                OutcomeKind::Cancelled => continue,
                OutcomeKind::RateLimited
                | OutcomeKind::Refused
                | OutcomeKind::Failed
                | OutcomeKind::Garbage
                | OutcomeKind::TimedOut => (2, &mut dots.failed),
            };
            let (column, row) = chart::dot((x, y), (plot.width, plot.height));
            let cell = usize::from(row) * wide + usize::from(column);
            if let Some(is_seen) = seen[series].get_mut(cell)
                && !std::mem::replace(is_seen, true)
            {
                dots.push((x, y));
            }
        }
        dots
    }
}

/// The index, out of `many` dots, of a position from 0 to 1.
fn dot(share: f64, many: usize) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // from 0 to some hundreds
    let dot = (share * many as f64) as usize;
    dot.min(many.saturating_sub(1))
}

/// Draws the note "No replies yet" in place of a route run's chart.
fn draw_no_replies(area: Rect, scene: &mut Scene<'_, '_>) {
    scene.render(Line::styled("No replies yet", scene.theme.dim), area);
}

/// Draws a histogram of the router's latencies in a route run: a bar per range, with the number and share of
/// its replies; a note without replies.
pub(super) fn distribution(run: &Run, panel: Panel<'_>, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let basis = if run.plan().rate.is_some() {
        "router reply, since due"
    } else {
        "router reply, since sent"
    };
    let inner = scene.panel(panel.note(basis), area);
    let latencies = &run.stats().router_reply;
    let bars = bins(latencies, usize::from(inner.height).min(MOST_BARS));
    if bars.is_empty() {
        return draw_no_replies(inner, scene);
    }
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let all = latencies.count().max(1);
    let [labels, rest] = Layout::horizontal([Constraint::Length(LABELS), Constraint::Fill(1)]).areas(inner);
    let room = rest.width.saturating_sub(16);
    for ((from, count), (left, right)) in bars.iter().zip(labels.rows().zip(rest.rows())) {
        let label = Line::styled(words::latency(*from), theme.dim).right_aligned();
        scene.render(
            label,
            Rect {
                width: LABELS - 1,
                ..left
            },
        );
        let mut spans = vec![Span::styled(bar(*count, most, room), theme.series[0])];
        if *count > 0 {
            let share = percent(*count as f64 / all as f64);
            spans.push(Span::raw(format!(" {} ", words::count(*count))));
            spans.push(Span::styled(share, theme.dim));
        }
        scene.render(fit(Line::from(spans), right.width), right);
    }
}

/// The latencies in `many` ranges from the shortest to the longest: the start in seconds and the count of
/// each.
///
/// The ranges grow by equal ratios if the latencies are far apart. Empty without latencies; a single range if
/// all are equal.
fn bins(of: &Latencies, many: usize) -> Vec<(f64, u64)> {
    let Some((low, high)) = of.least().zip(of.most()).filter(|_| many > 0) else {
        return Vec::new();
    };
    if high <= low {
        return vec![(low, of.count())];
    }
    let kind = latency_scale(of).map_or(ScaleKind::Linear, |scale| scale.kind);
    let scale = Scale { kind, low, high };
    let mut bars: Vec<(f64, u64)> = (0..many)
        .map(|index| (scale.value(index as f64 / many as f64), 0))
        .collect();
    for (micros, count) in of.counts() {
        let seconds = (micros as f64 / 1e6).clamp(low, high);
        let share = scale.position(seconds).unwrap_or(0.0);
        bars[dot(share, many)].1 += count;
    }
    bars
}

/// A bar for a count of `part`, where one of `most` takes `width` cells.
fn bar(part: u64, most: u64, width: u16) -> String {
    filled(part as f64 / most.max(1) as f64, width)
}

/// The areas of a table of workers with `rows` rows, and of the distribution below it; the second is empty if the
/// table leaves too little room.
pub(super) fn above_distribution(rows: usize, area: Rect) -> (Rect, Rect) {
    // With frame, header and a blank line.
    let table = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(4);
    let rest = area.height.saturating_sub(table);
    let below = if rest < LEAST_CHART { 0 } else { rest };
    let [table, below] = Layout::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(area);
    (table, below)
}

/// Draws the workers of a route run by assignments, most first, with the gaps in their request numbers.
///
/// `turn` is the panel and the selected line if the list has the keyboard; without it no line is selected.
pub(super) fn workers(
    run: &Run,
    (region, turn): (Region, Option<(Panel<'_>, usize)>),
    area: Rect,
    scene: &mut Scene<'_, '_>,
) {
    let theme = scene.theme;
    let workers = &run.stats().workers;
    let ranked = workers.ranked();
    let cursor = turn.as_ref().map(|(_, cursor)| *cursor);
    let panel = turn.map_or_else(|| Panel::new("Workers"), |(panel, _)| panel);
    let inner = scene.panel(
        panel
            .note(format!("{} workers", words::count(ranked.len() as u64)))
            .focused(cursor.is_some()),
        area,
    );
    if ranked.is_empty() {
        scene.render(Line::styled("No worker assigned yet", theme.dim), inner);
        return;
    }
    // The worker column fits the longest address; the bar takes the rest.
    let widest = ranked.iter().take(100);
    let widest = widest.map(|share| cells(&share.worker.screen(44))).max();
    let name = Column::text("Worker", widest.unwrap_or(14).clamp(14, 44));
    let most = ranked.first().map_or(1, |share| share.assigned);
    let rows = Records::new(ranked.len(), |row| ranked.get(row).copied())
        .styled(name, |share, width| {
            (share.worker.screen(usize::from(width) + 1).into(), Style::new())
        })
        .column(Column::number("Assigned", 8), |share| words::count(share.assigned))
        .column(Column::number("Share", 6), |share| percent(workers.share(share)))
        .styled(Column::text("", 4).priority(1).grows(), |share, width| {
            (bar(share.assigned, most, width).into(), theme.series[0])
        })
        .column(Column::number("Gaps", 6).priority(3), |share| {
            words::count(share.gaps())
        })
        .column(Column::number("Missing", 7).priority(4), |share| {
            words::count(share.missing())
        })
        .styled(Column::number("Repeats", 7).priority(2), |share, _| {
            let style = if share.repeats() > 0 {
                theme.warning
            } else {
                Style::new()
            };
            (words::count(share.repeats()).into(), style)
        });
    let last = ranked.len() - 1;
    scene.table(region, &rows, cursor.map(|line| line.min(last)), inner);
}

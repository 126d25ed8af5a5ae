//! Axes and bars shared by several charts.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::Span;
use ratatui::widgets::canvas::{Canvas, Context, Line as Stroke};
use ratatui::widgets::{Sparkline, SparklineBar};

use crate::core::view::Scene;
use crate::domain::field::Format;
use crate::domain::insight::{Depth, Histogram, Purchase, Scale};
use crate::domain::{Field, format};
use crate::widgets::text::cells;

/// Cells left of the vertical axis.
const LABELS: u16 = 9;

/// A scale, and the field that formats its ticks; without one they are plain numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis<'a> {
    pub scale: &'a Scale,
    pub field: Option<&'a Field>,
}

impl Axis<'_> {
    /// A tick's number, as short as possible.
    fn label(&self, value: f64) -> String {
        match self.field {
            Some(field) if !matches!(field.format, Format::Places(_)) => format::number(field, value),
            _ if value.abs() < 1e6 => format::figure(value, 4),
            _ if value.abs() < 1e7 => format::trimmed(value, 4),
            _ => format!("{value:.0e}"),
        }
    }
}

/// Draws a line through points of the canvas.
pub(crate) fn polyline(context: &mut Context<'_>, points: &[(f64, f64)], color: Color) {
    for step in points.windows(2) {
        let ((x1, y1), (x2, y2)) = (step[0], step[1]);
        context.draw(&Stroke { x1, y1, x2, y2, color });
    }
}

/// Draws the axes with their ticks; returns the area between them, if there is any.
pub(crate) fn axes(x: &Axis<'_>, y: Option<&Axis<'_>>, area: Rect, scene: &mut Scene<'_, '_>) -> Option<Rect> {
    let plot = frame(y, area, scene)?;
    let buffer = scene.frame.buffer_mut();
    for (column, label, start) in ticks(x, plot) {
        buffer.set_stringn(start, plot.bottom() + 1, &label, label.len(), scene.theme.dim);
        buffer.set_string(column, plot.bottom(), "┬", scene.theme.border);
    }
    Some(plot)
}

/// Draws the lines of the axes and the ticks of the vertical one; returns the area between them, if
/// there is any. Below it is a row for the signs of the horizontal ticks and one for their labels.
pub(crate) fn frame(y: Option<&Axis<'_>>, area: Rect, scene: &mut Scene<'_, '_>) -> Option<Rect> {
    let [body, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(2)]).areas(area);
    let [_, plot] = Layout::horizontal([Constraint::Length(LABELS), Constraint::Fill(1)]).areas(body);
    if plot.width < 10 || plot.height < 2 {
        return None;
    }
    let theme = scene.theme;
    let buffer = scene.frame.buffer_mut();
    for line in plot.rows() {
        buffer.set_string(line.x - 1, line.y, "│", theme.border);
    }
    buffer.set_string(plot.x - 1, foot.y, "└", theme.border);
    for column in plot.columns() {
        buffer.set_string(column.x, foot.y, "─", theme.border);
    }
    if let Some(y) = y {
        for tick in y.scale.ticks(usize::from(plot.height / 3).clamp(2, 8)) {
            let Some(share) = y.scale.position(tick) else {
                continue;
            };
            let line = plot.bottom() - 1 - cell(share, plot.height);
            let label = y.label(tick);
            let start = (plot.x - 2).saturating_sub(cells(&label)).max(area.x);
            buffer.set_stringn(start, line, &label, usize::from(LABELS - 2), theme.dim);
            buffer.set_string(plot.x - 1, line, "┤", theme.border);
        }
    }
    Some(plot)
}

/// The ticks of a horizontal axis: their column, their label and its start, without overlaps.
pub(crate) fn ticks(axis: &Axis<'_>, area: Rect) -> Vec<(u16, String, u16)> {
    let mut free = area.x;
    let mut ticks = Vec::new();
    for tick in axis.scale.ticks(usize::from(area.width / 12).clamp(2, 12)) {
        let Some(share) = axis.scale.position(tick) else {
            continue;
        };
        let column = area.x + cell(share, area.width);
        let label = axis.label(tick);
        let width = cells(&label);
        let start = column.saturating_sub(width / 2).min(area.right().saturating_sub(width));
        if start >= free {
            free = start + width + 1;
            ticks.push((column, label, start));
        }
    }
    ticks
}

/// Which of `many` cells a position from 0 to 1 falls into.
pub(crate) fn cell(share: f64, many: u16) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to `many`
    let cell = (share * f64::from(many)) as u16;
    cell.min(many.saturating_sub(1))
}

/// Points below the bar of the selected row.
pub(crate) const OWN_BAR: &str = "▴";

/// Draws the distribution of `values`, with the bar that contains `own` highlighted and marked.
pub(crate) fn histogram(values: &[f64], marked: Option<f64>, axis: &Axis<'_>, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(plot) = axes(axis, None, area, scene) else {
        return;
    };
    let many = usize::from(plot.width / 2).min(60);
    let Some(histogram) = Histogram::of(values, many, Some(axis.scale.kind)) else {
        return;
    };
    let theme = scene.theme;
    let last = histogram.buckets.len().saturating_sub(1);
    // If the bars do not divide the columns evenly, they are spread, so that bars stay over their
    // ticks.
    let index = |column: u16| (usize::from(column) * many / usize::from(plot.width)).min(last);
    let is_marked = |column: u16| {
        let (index, bucket) = (index(column), &histogram.buckets[index(column)]);
        marked
            .is_some_and(|value| value >= bucket.low && (value < bucket.high || index == last && value <= bucket.high))
    };
    let bar = |column: u16| {
        let style: Style = if is_marked(column) {
            theme.highlight
        } else {
            theme.series[0]
        };
        let count = histogram.buckets[index(column)].count;
        SparklineBar::from(u64::try_from(count).unwrap_or(0)).style(style)
    };
    let bars: Vec<SparklineBar> = (0..plot.width).map(bar).collect();
    scene.render(Sparkline::default().data(bars), plot);
    let tallest = histogram.tallest().to_string();
    let x = (plot.x - 2).saturating_sub(cells(&tallest));
    let buffer = scene.frame.buffer_mut();
    buffer.set_string(x, plot.y, tallest, theme.dim);
    for column in (0..plot.width).filter(|column| is_marked(*column)) {
        buffer.set_string(plot.x + column, plot.bottom(), OWN_BAR, theme.accent);
    }
}

/// Draws how many GPUs there are at or below each price, as a staircase, with the most expensive
/// GPU of a purchase.
pub(crate) fn depth(depth: &Depth, purchase: Option<&Purchase>, area: Rect, scene: &mut Scene<'_, '_>) {
    let prices = depth.levels().iter().map(|(price, _)| *price);
    #[expect(clippy::cast_precision_loss)] // far below 2^53
    let counted = |gpus: u64| gpus as f64;
    let (Some(across), Some(upwards)) = (Scale::fit(prices, None), Scale::fit([0.0, counted(depth.gpus())], None))
    else {
        return;
    };
    let axis = |scale| Axis { scale, field: None };
    let Some(plot) = axes(&axis(&across), Some(&axis(&upwards)), area, scene) else {
        return;
    };
    let mut total = 0.0;
    let mut steps = vec![(0.0, 0.0)];
    for (price, gpus) in depth.levels() {
        if let Some(x) = across.position(*price) {
            steps.push((x, total));
            total = counted(*gpus);
            steps.push((x, total));
        }
    }
    steps.push((1.0, total));
    let end = purchase.and_then(|purchase| {
        let x = across.position(purchase.highest())?;
        Some((x, counted(purchase.gpus)))
    });
    let theme = scene.theme;
    let color = theme.series[1].fg.unwrap_or_default();
    let canvas = Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, upwards.high])
        .paint(|context| {
            polyline(context, &steps, color);
            if let Some((x, y)) = end {
                // The canvas rounds the place of a text toward the top left.
                let half = |cells: u16| 0.5 / f64::from(cells.saturating_sub(1).max(1));
                let x = (x + half(plot.width)).min(1.0);
                let y = (y - upwards.high * half(plot.height)).max(0.0);
                context.print(x, y, Span::styled("●", theme.accent));
            }
        });
    scene.render(canvas, plot);
}

//! Axes, lines and bars shared by several charts.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::Line;
use ratatui::widgets::canvas::{Canvas, Context, Line as Stroke};
use ratatui::widgets::{Sparkline, SparklineBar};

use crate::core::view::Scene;
use crate::domain::field::Format;
use crate::domain::insight::{Depth, Histogram, Purchase, Scale, ScaleKind};
use crate::domain::local::LocalTime;
use crate::domain::time::UnixTime;
use crate::domain::{Field, format};
use crate::tui::text::{cells, fit};
use crate::tui::theme::Theme;

/// Cells left of the vertical axis, for its labels.
const LABELS: u16 = 9;

/// The dots of a braille cell: across, then upwards.
const DOTS: (u16, u16) = (2, 4);

/// The fewest cells between ticks, and between their labels: across, then upwards.
const APART: [(u16, u16); 2] = [(6, 2), (3, 1)];

/// The labels of an axis.
#[derive(Clone, Copy)]
pub(crate) enum Labels<'a> {
    Number,
    Of(&'a Field),
    Words(fn(f64) -> String),
    /// For counts: whole numbers only.
    Count,
    /// For times: the scale is in seconds since 1970.
    Time(&'a LocalTime),
}

/// A scale, and the labels of its ticks.
#[derive(Clone, Copy)]
pub(crate) struct Axis<'a>(pub &'a Scale, pub Labels<'a>);

/// A tick: its cell, its label, and the cell where the label starts.
pub(crate) struct Tick {
    /// Across from 0 at the left; upwards the number of rows above the axis.
    pub cell: u16,
    pub label: String,
    pub start: u16,
}

impl Axis<'_> {
    /// The label of a value on the axis: a time, the text of the axis's function (0 has none), or the format
    /// of its field unless that only sets decimal places. Else up to 4 significant digits, and from 10
    /// million on a power of ten (`2e7`).
    fn label(&self, value: f64) -> String {
        match self.1 {
            Labels::Of(field) if !matches!(field.format, Format::Places(_)) => format::number(field, value),
            Labels::Time(local) => local.tick(UnixTime::new(value)),
            // Zero needs no unit.
            Labels::Words(words) if value != 0.0 => words(value),
            _ if value.abs() < 1e6 => format::figure(value, 4),
            _ if value.abs() < 1e7 => format::trimmed(value, 4),
            _ => format!("{value:.0e}"),
        }
    }

    /// The ticks across `columns`: round values at equal steps, as many as leave their labels apart, at most
    /// 12.
    ///
    /// A tick is in the cell that has the dot of its value, as the lines of the chart are.
    pub fn across(&self, columns: u16) -> Vec<Tick> {
        self.over(columns, |value| {
            Some(dot((self.0.position(value)?, 0.0), (columns, 1)).0 / DOTS.0)
        })
    }

    /// As [`Axis::across`], with the column of each value given by `column`.
    fn over(&self, columns: u16, column: impl Fn(f64) -> Option<u16>) -> Vec<Tick> {
        self.ticks(columns, APART[0], cells, column).next().unwrap_or_default()
    }

    /// The ticks up `rows` rows. Evenly spaced ticks are preferred to more, as long as they are over half as many.
    fn upwards(&self, rows: u16, form: Form) -> Vec<Tick> {
        let height = |value| Some(form.height(self.0.position(value)?, rows));
        let ticks: Vec<Vec<Tick>> = self.ticks(rows + 1, APART[1], |_| 1, height).collect();
        let most = ticks.first().map_or(0, Vec::len);
        let even = ticks.iter().position(|ticks| 2 * ticks.len() > most && is_even(ticks));
        ticks.into_iter().nth(even.unwrap_or(0)).unwrap_or_default()
    }

    /// The largest height up to `rows` whose ticks are evenly spaced; `rows` if that would waste
    /// more than a sixth.
    fn even_rows(&self, rows: u16, form: Form) -> u16 {
        let mut fewer = (rows - rows / 6..=rows).rev();
        fewer.find(|rows| is_even(&self.upwards(*rows, form))).unwrap_or(rows)
    }

    /// The sets of ticks whose labels differ and have a gap between them, the largest (at most 12 ticks) first. `room`
    /// is the axis length in cells, `step` the least cells between ticks, `gap` between labels; `length`
    /// measures a label and `cell` places a value.
    fn ticks(
        &self,
        room: u16,
        (step, gap): (u16, u16),
        length: fn(&str) -> u16,
        cell: impl Fn(f64) -> Option<u16>,
    ) -> impl Iterator<Item = Vec<Tick>> {
        let Self(scale, labels) = self;
        let ticks = move |most| {
            let values = match labels {
                Labels::Time(local) => {
                    let ticks = local.ticks(UnixTime::new(scale.low), UnixTime::new(scale.high), most);
                    ticks.into_iter().map(UnixTime::seconds).collect()
                }
                Labels::Count => scale
                    .ticks(most)
                    .into_iter()
                    .filter(|tick| tick.fract() == 0.0)
                    .collect(),
                Labels::Number | Labels::Of(_) | Labels::Words(_) => scale.ticks(most),
            };
            let tick = |value: f64| {
                let cell = cell(value)?;
                let label = self.label(value);
                let length = length(&label);
                let start = cell.saturating_sub(length / 2).min(room.saturating_sub(length));
                Some((Tick { cell, label, start }, start + length))
            };
            values.into_iter().filter_map(tick).collect::<Vec<_>>()
        };
        let are_apart = move |ticks: &Vec<(Tick, u16)>| {
            let has_gap = |pair: &[(Tick, u16)]| pair[0].1 + gap <= pair[1].0.start;
            // A step below the precision of the labels would repeat them.
            ticks
                .windows(2)
                .all(|pair| has_gap(pair) && pair[0].0.label != pair[1].0.label)
        };
        // As many steps of the least size fit with a tick at both ends.
        let most = usize::from(room.saturating_sub(1) / step + 1).clamp(3, 12);
        let fitting = (1..=most).rev().map(ticks).filter(are_apart);
        fitting.map(|ticks| ticks.into_iter().map(|(tick, _)| tick).collect())
    }
}

/// The form in which a chart shows its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Lines and points, drawn as dots.
    Dots,
    /// Bars that stand on the axis.
    Bars,
}

impl Form {
    /// The row of a position from 0 to 1 in a plot of `rows` rows, counted from the axis: the one with its dot, or
    /// the one that its bar fills last, which for 0 is that of the axis.
    fn height(self, share: f64, rows: u16) -> u16 {
        match self {
            Self::Dots => rows - dot((0.0, share), (1, rows)).1 / DOTS.1,
            Self::Bars => {
                // A bar up to the edge of a row does not fill the next one, within rounding error.
                let filled = (share * f64::from(rows) - 1e-9).ceil();
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to `rows`
                let filled = filled as u16;
                filled.min(rows)
            }
        }
    }
}

/// Whether all ticks are equally far apart; true for fewer than three.
fn is_even(ticks: &[Tick]) -> bool {
    let mut steps = ticks.windows(2).map(|pair| pair[1].cell - pair[0].cell);
    let first = steps.next();
    steps.all(|step| Some(step) == first)
}

/// The coordinates upwards of the lowest and the highest dot of a plot of `rows` rows: 0 and 1 are the middles of
/// its lowest and its highest row, where ticks and marks are.
fn ends(rows: u16) -> [f64; 2] {
    // The middle of a row is one and a half dots from its outer ones.
    let margin = 1.5 / f64::from(rows.saturating_sub(1).max(1) * DOTS.1);
    [-margin, 1.0 + margin]
}

/// A braille canvas for a plot, whose coordinates run from 0 to 1 in both directions, with y upwards.
pub(crate) fn canvas<'a, F: Fn(&mut Context<'_>)>(plot: Rect) -> Canvas<'a, F> {
    let canvas = Canvas::default().marker(Marker::Braille);
    canvas.x_bounds([0.0, 1.0]).y_bounds(ends(plot.height))
}

/// The dot (column, row from the top) that the canvas of a plot of `columns` and `rows` cells draws at a position, from 0
/// to 1 in both directions, y upwards.
pub(crate) fn dot((x, y): (f64, f64), (columns, rows): (u16, u16)) -> (u16, u16) {
    let [low, high] = ends(rows);
    let last = rows.saturating_mul(DOTS.1).saturating_sub(1);
    let down = (high - y) * f64::from(last) / (high - low);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to `last`
    let down = down.round() as u16;
    (cell(x, columns.saturating_mul(DOTS.0)), down.min(last))
}

/// Draws straight lines of braille dots from each point of the canvas to the next.
pub(crate) fn polyline(context: &mut Context<'_>, points: &[(f64, f64)], color: Color) {
    for step in points.windows(2) {
        let ((x1, y1), (x2, y2)) = (step[0], step[1]);
        context.draw(&Stroke { x1, y1, x2, y2, color });
    }
}

/// The value at which a chart is cut off: the 98th percentile of the finite values, if the range of all is
/// over 1.5 times the range up to it; `None` if there is no need to cut, or no finite value.
pub(crate) fn cut_off_value(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let (lowest, highest) = values.first().zip(values.last())?;
    let cut = values.get(values.len().saturating_sub(1) * 98 / 100)?;
    (cut > lowest && highest - lowest > 1.5 * (cut - lowest)).then_some(*cut)
}

/// Labels the values above `scale`, which cut them off, at the top of the plot: `▲0.49`, the highest of each
/// run of neighbouring `points` (position across from 0 to 1, value). Labels that would overlap are omitted.
pub(crate) fn cut_labels(points: &[(f64, f64)], scale: &Scale, plot: Rect, scene: &mut Scene<'_, '_>) {
    let mut free = plot.x;
    let is_cut = |point: &(f64, f64)| point.1 > scale.high;
    for run in points.chunk_by(|left, right| is_cut(left) == is_cut(right)) {
        let highest = run
            .iter()
            .filter(|point| is_cut(point))
            .max_by(|left, right| left.1.total_cmp(&right.1));
        let Some((x, value)) = highest else { continue };
        let label = format!("▲{}", format::figure(*value, 3));
        let width = cells(&label);
        let start = dot_cell((*x, 1.0), plot).0.min(plot.right().saturating_sub(width));
        if start >= free {
            scene
                .frame
                .buffer_mut()
                .set_string(start, plot.y, label, scene.theme.dim);
            free = start + width + 1;
        }
    }
}

/// The screen cell (column, row) of a plot that has the dot at a position, from 0 to 1 in both directions, y
/// upwards.
pub(crate) fn dot_cell(at: (f64, f64), plot: Rect) -> (u16, u16) {
    let (column, row) = dot(at, (plot.width, plot.height));
    (plot.x + column / DOTS.0, plot.y + row / DOTS.1)
}

/// Writes a sign into the cell of a plot that has the dot at a position, from 0 to 1 in both directions.
///
/// The canvas rounds dots to the nearest but its labels down, so that it would print a label a cell apart.
pub(crate) fn sign(at: (f64, f64), (sign, style): (&str, Style), plot: Rect, scene: &mut Scene<'_, '_>) {
    let (column, row) = dot_cell(at, plot);
    scene.frame.buffer_mut().set_string(column, row, sign, style);
}

/// A value that is drawn across a chart: `this offer 0.369`.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    pub value: f64,
    pub label: String,
    pub style: Style,
}

/// Draws a dashed line across a plot at each mark's value, behind the lines that are drawn there already,
/// with its label where no line runs: on it, or in the next free row (on it at the left, over the lines, if
/// there is none). Marks outside the scale are omitted.
pub(crate) fn marks(marks: &[Mark], scale: &Scale, plot: Rect, scene: &mut Scene<'_, '_>) {
    let buffer = scene.frame.buffer_mut();
    for mark in marks {
        let Some(share) = scale.position(mark.value) else {
            continue;
        };
        let (_, y) = dot_cell((0.0, share), plot);
        let style = mark.style.remove_modifier(Modifier::UNDERLINED);
        let label = format!(" {} {} ", mark.label, format::figure(mark.value, 4));
        let width = cells(&label).min(plot.width);
        let (start, row) = label_place(width, y, plot, buffer).unwrap_or((plot.left(), y));
        for x in plot.left()..plot.right() {
            if is_free((x, y), buffer) {
                buffer[(x, y)].reset();
                buffer.set_string(x, y, "┄", style);
            }
        }
        for x in start..start + width {
            buffer[(x, row)].reset();
        }
        buffer.set_stringn(start, row, label, usize::from(width), style);
    }
}

/// Whether no line runs through a cell of a plot.
fn is_free(cell: (u16, u16), buffer: &Buffer) -> bool {
    matches!(buffer[cell].symbol(), " " | "\u{2800}" | "░" | "·")
}

/// The first free cells for a label of `width` cells, in the row nearest to `y`; `None` if there are none.
fn label_place(width: u16, y: u16, plot: Rect, buffer: &Buffer) -> Option<(u16, u16)> {
    let mut rows: Vec<u16> = plot.rows().map(|row| row.y).collect();
    rows.sort_by_key(|row| row.abs_diff(y));
    rows.into_iter().find_map(|row| {
        let mut starts = plot.left() + 1..=plot.right().saturating_sub(width);
        let start = starts.find(|start| (*start..start + width).all(|x| is_free((x, row), buffer)))?;
        Some((start, row))
    })
}

/// Draws the cursor of a chart: a line up the plot at a position across, from 0 to 1, behind the lines that
/// are drawn there already, and its sign in the row below the plot.
pub(crate) fn cursor(share: f64, plot: Rect, scene: &mut Scene<'_, '_>) {
    let (x, _) = dot_cell((share, 0.0), plot);
    let style = scene.theme.accent.remove_modifier(Modifier::UNDERLINED);
    let buffer = scene.frame.buffer_mut();
    for y in plot.top()..plot.bottom() {
        if matches!(buffer[(x, y)].symbol(), " " | "\u{2800}" | "░" | "┄" | "·") {
            buffer[(x, y)].reset();
            buffer.set_string(x, y, "│", style);
        }
    }
    buffer.set_string(x, plot.bottom(), OWN_BAR, style);
}

/// Draws the axes with their ticks; returns the area between them, or `None`, and nothing drawn, if `area` is
/// too small.
///
/// Below the area are a row for the marks of the horizontal ticks and one for their labels.
pub(crate) fn axes(x: &Axis<'_>, y: Option<&Axis<'_>>, area: Rect, scene: &mut Scene<'_, '_>) -> Option<Rect> {
    let zone = match x.1 {
        Labels::Time(local) => local.zone_name(),
        Labels::Number | Labels::Of(_) | Labels::Words(_) | Labels::Count => String::new(),
    };
    axes_with(|columns| x.across(columns), &zone, y.zip(Some(Form::Dots)), area, scene)
}

/// The height of a plot over time, in cells, from which the crossings of its ticks are marked.
const TALL: u16 = 20;

/// Draws the axes, as `axes`, with the horizontal ticks that `across` returns for a number of columns, and
/// `zone` at the left of their labels; the area between them, or `None` if `area` is too small.
fn axes_with(
    across: impl FnOnce(u16) -> Vec<Tick>,
    zone: &str,
    y: Option<(&Axis<'_>, Form)>,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> Option<Rect> {
    let [body, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(2)]).areas(area);
    let [_, plot] = Layout::horizontal([Constraint::Length(LABELS), Constraint::Fill(1)]).areas(body);
    if plot.width < 10 || plot.height < 2 {
        return None;
    }
    let height = y.map_or(plot.height, |(y, form)| y.even_rows(plot.height, form));
    let plot = Rect {
        y: plot.bottom() - height,
        height,
        ..plot
    };
    let theme = scene.theme;
    let buffer = scene.frame.buffer_mut();
    for line in plot.rows() {
        buffer.set_string(line.x - 1, line.y, "│", theme.border);
    }
    let rule = format!("└{}", "─".repeat(usize::from(plot.width)));
    buffer.set_string(plot.x - 1, foot.y, rule, theme.border);
    let mut lines = Vec::new();
    for tick in y.map_or_else(Vec::new, |(y, form)| y.upwards(plot.height, form)) {
        let line = plot.bottom() - tick.cell;
        lines.extend((tick.cell > 0).then_some(line));
        let start = (plot.x - 2).saturating_sub(cells(&tick.label)).max(area.x);
        buffer.set_stringn(start, line, &tick.label, usize::from(LABELS - 2), theme.dim);
        let sign = if tick.cell == 0 { "┴" } else { "┤" };
        buffer.set_string(plot.x - 1, line, sign, theme.border);
    }
    let start = (plot.x - 2).saturating_sub(cells(zone)).max(area.x);
    buffer.set_stringn(start, foot.y + 1, zone, usize::from(LABELS - 2), theme.dim);
    for tick in across(plot.width) {
        buffer.set_string(plot.x + tick.start, foot.y + 1, &tick.label, theme.dim);
        buffer.set_string(plot.x + tick.cell, foot.y, "┬", theme.border);
        // Far from the axes a line over time is read by the crossings of their ticks; among points they would be points.
        for line in lines.iter().filter(|_| plot.height >= TALL && !zone.is_empty()) {
            buffer.set_string(plot.x + tick.cell, *line, "·", theme.border);
        }
    }
    Some(plot)
}

/// The index of the cell of a position from 0 to 1, out of `many`; 0 and 1 are the middles of the outermost
/// cells.
pub(crate) fn cell(share: f64, many: u16) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to `many`
    let cell = (share * f64::from(many.saturating_sub(1))).round() as u16;
    cell.min(many.saturating_sub(1))
}

/// The pointer below the bar of the selected row.
pub(crate) const OWN_BAR: &str = "▴";

/// The style of a column of a histogram; marked ones are highlighted.
const fn bar_style(is_marked: bool, theme: &Theme) -> Style {
    if is_marked { theme.figure() } else { theme.series[0] }
}

/// Draws the distribution of `values` under a heading, with the bar that contains `marked` highlighted and a
/// sign below it; false, and nothing drawn, if the values are in fewer than six bars or the area is too small.
pub(crate) fn histogram(
    heading: &str,
    (values, marked): (&[f64], Option<f64>),
    axis: &Axis<'_>,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> bool {
    let columns = area.width.saturating_sub(LABELS);
    let histogram = Histogram::new(values, usize::from(columns / 2).min(60), Some(axis.0.kind));
    let Some(histogram) = histogram.filter(Histogram::is_spread) else {
        return false;
    };
    let heading_rows = u16::from(!heading.is_empty());
    let [title, area] = Layout::vertical([Constraint::Length(heading_rows), Constraint::Fill(1)]).areas(area);
    let tallest = u32::try_from(histogram.tallest()).unwrap_or(u32::MAX);
    let Some(upwards) = Scale::fit([0.0, f64::from(tallest)], Some(ScaleKind::Linear)) else {
        return false;
    };
    let buckets = &histogram.buckets;
    let many = u16::try_from(buckets.len()).unwrap_or(u16::MAX).max(1);
    // All bars are equally wide, with a gap in the last column of each, and a tick is where its bar starts.
    let width = columns / many;
    let area = Rect {
        width: LABELS + many * width,
        ..area
    };
    let axis = Axis(&histogram.scale, axis.1);
    let start = |value| Some(u16::try_from(histogram.at(value)?).ok()? * width);
    let across = |columns| axis.over(columns, start);
    let counts = Axis(&upwards, Labels::Count);
    let Some(plot) = axes_with(across, "", Some((&counts, Form::Bars)), area, scene) else {
        return false;
    };
    let theme = scene.theme;
    scene.render(fit(Line::styled(heading.to_owned(), theme.heading), title.width), title);
    let is_gap = |column: u16| column % width == width - 1;
    let bucket = |column: u16| buckets.get(usize::from(column / width));
    let is_marked = |column: u16| {
        let range = bucket(column).map(|bucket| bucket.low..bucket.high);
        marked.zip(range).is_some_and(|(value, range)| range.contains(&value))
    };
    let bar = |column: u16| {
        let count = bucket(column)
            .filter(|_| !is_gap(column))
            .map_or(0, |bucket| bucket.count);
        SparklineBar::from(u64::try_from(count).unwrap_or(0)).style(bar_style(is_marked(column), theme))
    };
    let bars: Vec<SparklineBar> = (0..plot.width).map(bar).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a count
    let highest = upwards.high as u64;
    scene.render(Sparkline::default().data(bars).max(highest), plot);
    let buffer = scene.frame.buffer_mut();
    for column in (0..plot.width).filter(|column| is_marked(*column) && !is_gap(*column)) {
        buffer.set_string(plot.x + column, plot.bottom(), OWN_BAR, theme.accent);
    }
    true
}

/// Shades the cells of a plot below a staircase of points; beyond its last point there is no shade.
pub(crate) fn shade(steps: &[(f64, f64)], plot: Rect, scene: &mut Scene<'_, '_>) {
    let style = scene.theme.border;
    for column in 0..plot.width {
        let share = f64::from(column) / f64::from(plot.width.saturating_sub(1).max(1));
        let is_within = steps.last().is_some_and(|(last, _)| share <= *last);
        let before = steps.iter().rev().find(|(x, _)| is_within && *x <= share);
        let Some((_, height)) = before else { continue };
        let (x, top) = dot_cell((share, *height), plot);
        for y in top + 1..plot.bottom() {
            scene.frame.buffer_mut().set_string(x, y, "░", style);
        }
    }
}

/// Draws the number of GPUs at or below each price as a staircase, shaded below, and marks the most expensive GPU of a
/// purchase; nothing without prices or in too small an area.
pub(crate) fn draw_depth(depth: &Depth, purchase: Option<&Purchase>, area: Rect, scene: &mut Scene<'_, '_>) {
    let prices = depth.levels().iter().map(|(price, _)| *price);
    let counted = |gpus: u64| gpus as f64;
    let (Some(across), Some(upwards)) = (Scale::fit(prices, None), Scale::fit([0.0, counted(depth.gpus())], None))
    else {
        return;
    };
    let (x, y) = (Axis(&across, Labels::Number), Axis(&upwards, Labels::Count));
    let Some(plot) = axes(&x, Some(&y), area, scene) else {
        return;
    };
    let share = |gpus: u64| upwards.position(counted(gpus)).unwrap_or(0.0);
    let mut height = 0.0;
    let mut steps = vec![(0.0, 0.0)];
    for (price, gpus) in depth.levels() {
        if let Some(x) = across.position(*price) {
            steps.push((x, height));
            height = share(*gpus);
            steps.push((x, height));
        }
    }
    steps.push((1.0, height));
    let end = purchase.and_then(|purchase| Some((across.position(purchase.highest())?, share(purchase.gpus))));
    let theme = scene.theme;
    let color = theme.series[1].fg.unwrap_or_default();
    let canvas = canvas(plot).paint(|context| polyline(context, &steps, color));
    shade(&steps, plot, scene);
    scene.render(canvas, plot);
    if let Some(end) = end {
        sign(end, ("●", theme.accent), plot, scene);
    }
}

#[cfg(test)]
mod tests;

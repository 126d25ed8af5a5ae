//! Draws the price history: what is asked now and was at its lowest, the prices as steps, and the
//! GPUs on offer below.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span as Text};
use ratatui::widgets::canvas::{Canvas, Context, Points};

use super::{History, Span};
use crate::core::State;
use crate::core::view::Scene;
use crate::core::views::chart::{Axis, polyline};
use crate::core::views::{chart, sheet};
use crate::domain::format::{percent, unit_price};
use crate::domain::history::{Bucket, Levels, Memory, Moment, SearchKey, Series, Verdict, price_unit, verdict};
use crate::domain::insight::Scale;
use crate::domain::local::LocalTime;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{Resource, format};
use crate::features::history::rating;
use crate::keys::Action;
use crate::widgets::panel::Panel;
use crate::widgets::text::{cells, wrap_line};
use crate::widgets::theme::Theme;

/// The lowest that the chart of prices gets before that of amounts is left out.
const LEAST_PRICES: u16 = 7;

/// Lines of the chart of amounts: its title, its bars and its axis.
const AMOUNTS: u16 = 8;

pub(super) fn history(view: &History, area: Rect, scene: &mut Scene<'_, '_>) {
    let subject = view.subject();
    let resource = subject.map_or(view.pane.0, |subject| subject.search.resource);
    let unit = price_unit(resource, subject.map_or(DEFAULT_STORAGE_GB, |subject| subject.storage));
    let title = subject.map_or_else(
        || "History".to_owned(),
        |subject| format!("History: {}, {}", subject.title, view.span.title()),
    );
    let panel = Panel::new(title)
        .note(format!("{unit}, asked, not paid"))
        .focused(true)
        .sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let theme = scene.theme;
    let local = scene.state.local_time(scene.now);
    let Some(series) = view.series.as_deref().filter(|series| series.watched > 0.0) else {
        let lines = empty(view, scene);
        return sheet::text(lines, inner, scene);
    };
    let mut text = summary(series, &local, theme);
    text.extend(month(view.memory.as_deref(), &local, theme));
    let width = inner.width.max(1);
    let wrapped = text.iter().map(|line| wrap_line(line, width, 2).len());
    let head = u16::try_from(wrapped.sum::<usize>()).unwrap_or(1);
    let has_amounts = inner.height >= head + LEAST_PRICES + AMOUNTS;
    let [head, legend, prices, amounts] = Layout::vertical([
        Constraint::Length(head),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(if has_amounts { AMOUNTS } else { 0 }),
    ])
    .areas(inner);
    sheet::text(text, head, scene);
    let mut key = key_of_lines(theme);
    let alerts = subject.map_or_else(Vec::new, |subject| alert_prices(&subject.search, scene.state));
    if !alerts.is_empty() {
        key.push_span(Text::styled("  ━ ", theme.warning));
        key.push_span(Text::styled("your alerts", theme.dim));
    }
    scene.render(key, legend);
    draw_prices(series, &alerts, (view.span, &local), prices, scene);
    if has_amounts {
        draw_amounts(series, (resource, view.span), &local, amounts, scene);
    }
}

fn empty(view: &History, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    if let Some(why) = &view.failure {
        let text = crate::domain::text::visible(why, 200);
        return vec![Line::styled(text, theme.warning)];
    }
    if view.subjects.is_empty() {
        let text = "No search to show the history of".to_owned();
        return vec![Line::styled(text, theme.text)];
    }
    if view.is_awaited {
        return vec![Line::styled("Reading the record", theme.dim)];
    }
    // A single response has a price and no duration to draw.
    let single = view.series.as_deref().filter(|series| series.now.is_some());
    let mut lines = single.map_or_else(
        || {
            let text = format!("Nothing recorded in {}", view.span.title());
            vec![Line::styled(text, theme.text)]
        },
        |series| {
            let local = scene.state.local_time(scene.now);
            let mut lines = summary(series, &local, theme);
            lines.extend(month(view.memory.as_deref(), &local, theme));
            lines
        },
    );
    let advice = match view.pane.0 {
        Resource::Offers | Resource::Volumes => format!(
            "Every response is recorded. Leave the search on auto-refresh ({}) for a history \
             without gaps.",
            scene.key(Action::Watch)
        ),
        Resource::Workergroups => format!(
            "Every supply check is recorded ({} on the workergroups).",
            scene.key(Action::CheckSupply)
        ),
    };
    lines.push(Line::styled(advice, theme.dim));
    lines
}

/// What is asked now, the record low, how often there was nothing as cheap, and how much was
/// watched.
fn summary(series: &Series, local: &LocalTime, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let noun = noun(series.search.resource);
    if let Some(now) = &series.now {
        let mut line = vec![Text::styled("Now  ", theme.dim)];
        match now.levels {
            Some(levels) => {
                line.push(Text::styled(unit_price(levels.lowest), theme.heading));
                let text = format!(
                    " lowest, {} median, {} to {} for most · {} {noun}",
                    unit_price(levels.median),
                    unit_price(levels.p20),
                    unit_price(levels.p80),
                    amount(now.amount)
                );
                line.push(Text::styled(text, theme.text));
            }
            None => line.push(Text::styled("none on offer", theme.text)),
        }
        let ago = local.now - seconds(now.at);
        let text = format!(", {} ago", format::brief(ago.max(0.0)));
        line.push(Text::styled(text, theme.dim));
        lines.push(Line::from(line));
    }
    if let Some((price, at)) = series.record {
        let now = series.now.and_then(|now| now.levels);
        let share = now.and_then(|now| Some((now.lowest, series.share_below(now.lowest)?)));
        let rarity = share.map_or_else(String::new, |(lowest, share)| {
            let lowest = unit_price(lowest);
            if share > 0.0 {
                format!(" · below {lowest} in {} of polls", percent(share))
            } else {
                format!(" · never below {lowest}")
            }
        });
        let at = local.minute(seconds(at));
        let text = format!("Low  {} on {at}{rarity}", unit_price(price));
        lines.push(Line::styled(text, theme.text));
    }
    let text = format!("Watched {} of the time", percent(series.watched));
    lines.push(Line::styled(text, theme.dim));
    lines
}

/// What a month says of the lowest price now, or what is needed for it.
fn month(memory: Option<&Memory>, local: &LocalTime, theme: &Theme) -> Vec<Line<'static>> {
    let Some(memory) = memory else {
        return Vec::new();
    };
    let mut lines = match memory.lowest.map(|lowest| verdict(memory, lowest)) {
        Some(Verdict::Given(rating)) => {
            let text = memory.market(&rating);
            vec![Line::styled(text, rating::style(&rating, theme))]
        }
        Some(Verdict::Withheld(withheld)) => {
            vec![Line::styled(withheld.sentence(), theme.dim)]
        }
        None => Vec::new(),
    };
    let times = memory.times(&local.zone);
    lines.extend(times.map(|text| Line::styled(text, theme.text)));
    lines
}

const fn noun(resource: Resource) -> &'static str {
    match resource {
        Resource::Offers | Resource::Workergroups => "GPUs on offer",
        Resource::Volumes => "GB on offer",
    }
}

fn amount(many: u64) -> String {
    format::grouped(usize::try_from(many).unwrap_or(usize::MAX))
}

/// Seconds since 1970 as the clock of the screen counts them.
#[expect(clippy::cast_precision_loss)] // seconds of this century
const fn seconds(moment: Moment) -> f64 {
    moment.0 as f64
}

fn key_of_lines(theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Text::styled("━ ", theme.series[1]),
        Text::styled("lowest  ", theme.dim),
        Text::styled("━ ", theme.series[0]),
        Text::styled("median  ", theme.dim),
        Text::styled("░ ", theme.series[2]),
        Text::styled("P20 to P80", theme.dim),
    ])
}

/// The time of a chart as a share of its width.
struct Times {
    since: Moment,
    length: f64,
}

impl Times {
    fn of(series: &Series) -> Self {
        Self {
            since: series.since,
            length: (seconds(series.until) - seconds(series.since)).max(1.0),
        }
    }

    fn share_of(&self, moment: Moment) -> f64 {
        ((seconds(moment) - seconds(self.since)) / self.length).clamp(0.0, 1.0)
    }
}

/// The prices that alerts on a search wait for.
fn alert_prices(search: &SearchKey, state: &State) -> Vec<f64> {
    let features = state.features.iter();
    features
        .flat_map(|feature| (feature.price_lines)(state, search))
        .collect()
}

fn draw_prices(
    series: &Series,
    alerts: &[f64],
    (span, local): (Span, &LocalTime),
    area: Rect,
    scene: &mut Scene<'_, '_>,
) {
    let levels = series.buckets.iter().filter_map(|bucket| bucket.levels);
    let ends = levels.flat_map(|levels| [levels.lowest, levels.p80]);
    let Some(scale) = Scale::fit(ends.chain(alerts.iter().copied()), None) else {
        let text = Line::styled("None was on offer in this time", scene.theme.dim);
        return scene.render(text, area);
    };
    let axis = Axis {
        scale: &scale,
        field: None,
    };
    let Some(plot) = chart::frame(Some(&axis), area, scene) else {
        return;
    };
    time_ticks(series, span, local, plot, scene);
    let color = |series: usize| scene.theme.series[series].fg.unwrap_or_default();
    let (median, lowest, band) = (color(0), color(1), color(2));
    let alert = scene.theme.warning.fg.unwrap_or_default();
    let times = Times::of(series);
    let rows = plot.height.saturating_mul(4);
    let canvas = Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .paint(|context| {
            for bucket in &series.buckets {
                paint_band(bucket, (&times, &scale), rows, band, context);
            }
            context.layer();
            for y in alerts.iter().filter_map(|price| scale.position(*price)) {
                polyline(context, &[(0.0, y), (1.0, y)], alert);
            }
            for steps in steps(series, &times, &scale, |levels| levels.median) {
                polyline(context, &steps, median);
            }
            context.layer();
            for steps in steps(series, &times, &scale, |levels| levels.lowest) {
                polyline(context, &steps, lowest);
            }
        });
    scene.render(canvas, plot);
}

/// Dots from P20 to P80 in the middle of a part of the time: sparse, so that they read as an area
/// without colors, too.
fn paint_band(bucket: &Bucket, (times, scale): (&Times, &Scale), rows: u16, color: Color, context: &mut Context<'_>) {
    let Some(levels) = bucket.levels else { return };
    let (Some(low), Some(high)) = (scale.position(levels.p20), scale.position(levels.p80)) else {
        return;
    };
    let x = f64::midpoint(times.share_of(bucket.from), times.share_of(bucket.until));
    let gap = 3.0 / f64::from(rows.max(1));
    let mut y = low;
    let mut dots = vec![(x, high)];
    while y < high {
        dots.push((x, y));
        y += gap;
    }
    context.draw(&Points { coords: &dots, color });
}

/// A level over time as staircases: one for each time without a gap.
fn steps(series: &Series, times: &Times, scale: &Scale, level: impl Fn(&Levels) -> f64) -> Vec<Vec<(f64, f64)>> {
    let mut stairs: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for bucket in &series.buckets {
        let height = bucket.levels.as_ref().map(&level);
        let height = height.and_then(|price| scale.position(price));
        match (height, stairs.last_mut()) {
            (Some(y), Some(steps)) => {
                steps.push((times.share_of(bucket.from), y));
                steps.push((times.share_of(bucket.until), y));
            }
            (None, Some(steps)) if !steps.is_empty() => stairs.push(Vec::new()),
            (None, _) | (Some(_), None) => {}
        }
    }
    stairs.retain(|steps| !steps.is_empty());
    stairs
}

/// What was on offer, below the prices and over the same time.
fn draw_amounts(
    series: &Series,
    (resource, span): (Resource, Span),
    local: &LocalTime,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) {
    let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    scene.render(Line::styled(noun(resource), scene.theme.dim), title);
    let amounts = series.buckets.iter().filter_map(|bucket| bucket.amount);
    let Some(scale) = Scale::fit(amounts.chain([0.0]), None) else {
        return;
    };
    let axis = Axis {
        scale: &scale,
        field: None,
    };
    let Some(plot) = chart::frame(Some(&axis), area, scene) else {
        return;
    };
    time_ticks(series, span, local, plot, scene);
    let times = Times::of(series);
    let color = scene.theme.series[0].fg.unwrap_or_default();
    let canvas = Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .paint(|context| {
            let mut steps: Vec<(f64, f64)> = Vec::new();
            for bucket in &series.buckets {
                let y = bucket.amount.and_then(|many| scale.position(many));
                if let Some(y) = y {
                    steps.push((times.share_of(bucket.from), y));
                    steps.push((times.share_of(bucket.until), y));
                } else {
                    polyline(context, &steps, color);
                    steps.clear();
                }
            }
            polyline(context, &steps, color);
        });
    scene.render(canvas, plot);
}

/// The times below a chart: hours of a day, days of a week or a month.
fn time_ticks(series: &Series, span: Span, local: &LocalTime, plot: Rect, scene: &mut Scene<'_, '_>) {
    let step = match span {
        Span::Hour => 600,
        Span::Day => 4 * 3600,
        Span::Week => 86_400,
        Span::Month => 5 * 86_400,
    };
    let times = Times::of(series);
    let theme = scene.theme;
    let buffer = scene.frame.buffer_mut();
    let mut free = plot.x;
    // Counted back from now, so that the newest end has a label.
    let ticks = (0..=8).rev().map(|steps| Moment(series.until.0 - steps * step));
    for moment in ticks.filter(|moment| *moment >= series.since) {
        let column = plot.x + chart::cell(times.share_of(moment), plot.width);
        // `2026-11-20 12:00`
        let full = local.minute(seconds(moment));
        let label = match span {
            Span::Hour | Span::Day => full.get(11..),
            Span::Week | Span::Month => full.get(5..10),
        };
        let label = label.unwrap_or(&full);
        let width = cells(label);
        let start = column.saturating_sub(width / 2).min(plot.right().saturating_sub(width));
        if start >= free {
            free = start + width + 1;
            buffer.set_string(start, plot.bottom() + 1, label, theme.dim);
            buffer.set_string(column, plot.bottom(), "┬", theme.border);
        }
    }
}

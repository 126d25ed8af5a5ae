//! Draws the price history: the current and the record low price, the prices as steps, and the GPUs
//! on offer below.

use std::fmt::Write as _;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span as Text};
use ratatui::widgets::canvas::Context;

use super::History;
use super::series::{Bucket, Series};
use crate::core::State;
use crate::core::view::Scene;
use crate::core::views::chart::{Axis, Labels, SOLID, polyline};
use crate::core::views::{chart, sheet};
use crate::domain::format::{percent, unit_price};
use crate::domain::insight::{Scale, ScaleKind};
use crate::domain::local::LocalTime;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::text::visible;
use crate::domain::{Resource, format};
use crate::features::history::remembered;
use crate::features::history::{origin, rating, reading};
use crate::keys::Action;
use crate::record::{Levels, Moment, SearchKey, price_unit};
use crate::tui::panel::{Panel, Size};
use crate::tui::text::{fit, wrap_line};
use crate::tui::theme::Theme;

/// Minimum height of the chart of prices, below which that of amounts is left out.
const LEAST_PRICES: u16 = 6;

/// Minimum height of the chart of amounts: its title, its bars and its axis.
const AMOUNTS: u16 = 8;

/// Minimum width of the table beside the charts, in cells.
const TABLE: u16 = 40;

pub(super) fn history(view: &History, area: Rect, scene: &mut Scene<'_, '_>) {
    let subject = view.subject();
    let resource = subject.map_or(view.pane.0, |subject| subject.query.resource);
    let unit = price_unit(
        resource,
        subject.map_or(DEFAULT_STORAGE_GB, |subject| subject.query.storage_gb()),
    );
    let title = subject.map_or_else(
        || "History".to_owned(),
        |subject| format!("History: {}, {}", subject.title, view.span.title()),
    );
    let panel = Panel::new(title)
        .note(format!("{unit}, {}", origin(scene.state.profile.is_sandbox)))
        .focused(true)
        .sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), scene.theme);
    let theme = scene.theme;
    let local = scene.state.local_time(scene.now);
    let Some(series) = view.series.as_deref().filter(|series| series.watched > 0.0) else {
        let lines = empty(view, resource, scene);
        let height = lines
            .iter()
            .map(|line| wrap_line(line, inner.width, 2).len())
            .sum::<usize>()
            + 1;
        let height = u16::try_from(height).unwrap_or(u16::MAX);
        let [text, chart] = Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(inner);
        sheet::text(lines, text, scene);
        return prices_now(view, chart, scene);
    };
    let mut text = summary((series, resource), view.span.title(), &local, theme);
    text.extend(month(view, scene));
    let width = inner.width.max(1);
    let wrapped = text.iter().map(|line| wrap_line(line, width, 2).len());
    let head = u16::try_from(wrapped.sum::<usize>()).unwrap_or(1);
    let is_counted = series.buckets.iter().any(|bucket| bucket.amount.is_some());
    let has_amounts = is_counted && inner.height >= head + LEAST_PRICES + AMOUNTS;
    let [head, charts] = Layout::vertical([Constraint::Length(head), Constraint::Fill(1)]).areas(inner);
    sheet::text(text, head, scene);
    let beside = if scene.size == Size::Compact {
        0
    } else {
        TABLE.max(charts.width / 4)
    };
    let [charts, table] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(beside)])
        .spacing(u16::from(beside > 0) * 3)
        .areas(charts);
    let lines = parts(series, resource, &local, table, theme);
    scene.lines(&lines, table);
    let amounts = if has_amounts {
        AMOUNTS.max(charts.height * 2 / 5)
    } else {
        0
    };
    let [legend, prices, amounts] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1), Constraint::Length(amounts)]).areas(charts);
    let alerts = subject.map_or_else(Vec::new, |subject| alert_prices(&subject.search, scene.state));
    scene.render(key_of_lines(!alerts.is_empty(), theme), legend);
    draw_prices(series, &alerts, &local, prices, scene);
    if has_amounts {
        draw_amounts(series, resource, &local, amounts, scene);
    }
}

/// Draws the current prices, as long as there are none of earlier.
fn prices_now(view: &History, area: Rect, scene: &mut Scene<'_, '_>) {
    let scale = Scale::fit(view.now.iter().copied(), None);
    let Some(scale) = scale.filter(|_| view.index == 0 && area.height >= LEAST_PRICES) else {
        return;
    };
    let [title, chart] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let heading = format!("On offer now, {} by price", format::grouped(view.now.len()));
    scene.render(Line::styled(heading, scene.theme.heading), title);
    chart::histogram(&view.now, None, &Axis(&scale, Labels::Number), chart, scene);
}

fn empty(view: &History, resource: Resource, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
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
        return vec![Line::styled(reading(scene.state), theme.dim)];
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
            let mut lines = summary((series, resource), view.span.title(), &local, theme);
            lines.extend(month(view, scene));
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

/// The current prices, the record low, the share of polls with a lower price, and the share of the
/// time that was watched.
fn summary(
    (series, resource): (&Series, Resource),
    span: &str,
    local: &LocalTime,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let noun = noun(resource);
    if let Some(now) = &series.now {
        let mut line = vec![Text::styled("Now  ", theme.dim)];
        match now.levels {
            Some(levels) => {
                line.push(Text::styled(unit_price(levels.lowest), theme.heading));
                let at_least = if now.is_complete { "" } else { "at least " };
                let text = format!(
                    " lowest, {} median, {} to {} for most · {at_least}{} {noun}",
                    unit_price(levels.median),
                    unit_price(levels.p20),
                    unit_price(levels.p80),
                    amount(now.amount)
                );
                line.push(Text::styled(text, theme.text));
            }
            // The limit may have cut off lots that are on offer.
            None if !now.is_complete => line.push(Text::styled("none among the rows received", theme.text)),
            None => line.push(Text::styled("none on offer", theme.text)),
        }
        let ago = local.now - seconds(now.at);
        let text = format!(", {} ago", format::brief(ago.max(0.0)));
        line.push(Text::styled(text, theme.dim));
        lines.push(Line::from(line));
    }
    if let Some((price, at)) = series.record {
        let now = series.now.and_then(|now| now.levels);
        // The only poll compares with nothing.
        let now = now.filter(|_| series.polls > 1);
        let share = now.and_then(|now| series.share_below(now.lowest));
        let rarity = share.map_or_else(String::new, |share| match share {
            0.0 => format!(" · no poll of {span} was cheaper than now"),
            share => format!(" · {} of the polls of {span} were cheaper than now", percent(share)),
        });
        let at = local.minute(seconds(at));
        let text = format!("Low  {} on {at}{rarity}", unit_price(price));
        lines.push(Line::styled(text, theme.text));
    }
    let mut text = format!("Watched {} of the time", percent(series.watched));
    if series.truncated > 0 {
        let [truncated, polls] = [series.truncated, series.polls].map(format::grouped);
        let _ = write!(
            text,
            " · {truncated} of {polls} responses were truncated: their median, P20 and P80 are of the first rows, \
             and {noun} are not counted"
        );
    }
    lines.push(Line::styled(text, theme.dim));
    let unknown = series.unknown_sentence();
    lines.extend(unknown.map(|text| Line::styled(text, theme.dim)));
    lines
}

/// The verdict on the current lowest price from a month of the record, or the data it lacks.
fn month(view: &History, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let Some(memory) = view.memory.as_deref() else {
        return Vec::new();
    };
    let theme = scene.theme;
    let style = rating::style(&memory.verdict(), theme);
    let mut lines = vec![Line::styled(memory.verdict_sentence(), style)];
    let times = memory.times(&scene.state.settings.zone);
    lines.extend(times.map(|text| Line::styled(text, theme.text)));
    lines.push(Line::styled(memory.lifetime_sentence(), theme.dim));
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

/// Seconds since 1970 on the screen's clock.
#[expect(clippy::cast_precision_loss)] // seconds of this century
pub(crate) const fn seconds(moment: Moment) -> f64 {
    moment.0 as f64
}

/// The time in as many equal parts as the table has lines, with prices and amount of each, latest
/// first.
fn parts(series: &Series, resource: Resource, local: &LocalTime, area: Rect, theme: &Theme) -> Vec<Line<'static>> {
    if area.width == 0 {
        return Vec::new();
    }
    let time = time_of(series);
    let many = usize::from(area.height.saturating_sub(1));
    // A part of no length says nothing.
    let starts = local.ticks(time.low, time.high - 1.0, many);
    let unit = match resource {
        Resource::Offers | Resource::Workergroups => "GPUs",
        Resource::Volumes => "GB",
    };
    let row =
        |from: &str, lowest: &str, median: &str, amount: &str| format!("{from:7}{lowest:>10}{median:>10}{amount:>10}");
    let heading = Line::styled(row("From", "Lowest", "Median", unit), theme.heading);
    let ends = starts.iter().skip(1).copied().chain([time.high]);
    let part = |(from, until): (&f64, f64)| {
        let within = |bucket: &&Bucket| (*from..until).contains(&seconds(bucket.from));
        let buckets = || series.buckets.iter().filter(within);
        let levels: Vec<Levels> = buckets().filter_map(|bucket| bucket.levels).collect();
        let price = |prices: Vec<f64>, pick: usize| {
            let mut prices = prices;
            prices.sort_by(f64::total_cmp);
            prices
                .get(pick)
                .map_or_else(|| format::NONE.to_owned(), |price| format!("{price:.3}"))
        };
        let lowest = price(levels.iter().map(|levels| levels.lowest).collect(), 0);
        let median = price(levels.iter().map(|levels| levels.median).collect(), levels.len() / 2);
        let most = buckets().filter_map(|bucket| bucket.amount).reduce(f64::max);
        let most = most.map_or_else(|| format::NONE.to_owned(), |most| format::trimmed(most, 0));
        Line::styled(row(&local.tick(*from), &lowest, &median, &most), theme.text)
    };
    let rows = starts.iter().zip(ends).map(part).collect::<Vec<_>>();
    std::iter::once(heading).chain(rows.into_iter().rev()).collect()
}

fn key_of_lines(has_alerts: bool, theme: &Theme) -> Line<'static> {
    let mut key = Line::from(vec![
        Text::styled("━ ", theme.series[1]),
        Text::styled("lowest  ", theme.dim),
        Text::styled("━ ", theme.series[0]),
        Text::styled("median  ", theme.dim),
        Text::styled("⠒ ", theme.series[2]),
        Text::styled("P20 and P80", theme.dim),
    ]);
    if has_alerts {
        key.push_span(Text::styled("  ━ ", theme.warning));
        key.push_span(Text::styled("your alerts", theme.dim));
    }
    key
}

fn time_of(series: &Series) -> Scale {
    let low = seconds(series.since);
    Scale {
        kind: ScaleKind::Linear,
        low,
        high: seconds(series.until).max(low + 1.0),
    }
}

fn share_of(moment: Moment, time: &Scale) -> f64 {
    time.position(seconds(moment).clamp(time.low, time.high)).unwrap_or(0.0)
}

/// The prices at which alerts on a search fire.
fn alert_prices(search: &SearchKey, state: &State) -> Vec<f64> {
    let features = state.features.iter();
    features
        .flat_map(|feature| (feature.price_lines)(state, search))
        .collect()
}

fn draw_prices(series: &Series, alerts: &[f64], local: &LocalTime, area: Rect, scene: &mut Scene<'_, '_>) {
    let levels = series.buckets.iter().filter_map(|bucket| bucket.levels);
    let ends = levels.flat_map(|levels| [levels.lowest, levels.p80]);
    let Some(scale) = Scale::fit(ends.chain(alerts.iter().copied()), None) else {
        let text = Line::styled("None was on offer in this time", scene.theme.dim);
        return scene.render(text, area);
    };
    let time = time_of(series);
    let across = Axis(&time, Labels::Time(local));
    let Some(plot) = chart::axes(&across, Some(&Axis(&scale, Labels::Number)), area, scene) else {
        return;
    };
    let color = |series: usize| scene.theme.series[series].fg.unwrap_or_default();
    let (median, lowest, band) = (color(0), color(1), color(2));
    let alert = scene.theme.warning.fg.unwrap_or_default();
    let level = |level: fn(Levels) -> f64| move |bucket: &Bucket| bucket.levels.map(level);
    // Dots, so that the range recedes behind the lines without colours, too.
    let dots = chart::canvas(Marker::Braille).paint(|context| {
        stairs(series, (&time, &scale), level(|levels| levels.p20), band, context);
        stairs(series, (&time, &scale), level(|levels| levels.p80), band, context);
    });
    scene.render(dots, plot);
    let lines = chart::canvas(SOLID).paint(|context| {
        for y in alerts.iter().filter_map(|price| scale.position(*price)) {
            polyline(context, &[(0.0, y), (1.0, y)], alert);
        }
        stairs(series, (&time, &scale), level(|levels| levels.median), median, context);
        context.layer();
        stairs(series, (&time, &scale), level(|levels| levels.lowest), lowest, context);
    });
    scene.render(lines, plot);
}

/// Draws the lowest price of offers like that of a row over the recorded time; false if nothing is
/// recorded.
pub(crate) fn lows(of_row: (Resource, usize), area: Rect, scene: &mut Scene<'_, '_>) -> bool {
    let state = scene.state;
    let Some((memory, lot, _)) = remembered(state, of_row.0, of_row.1) else {
        return false;
    };
    let subject = match of_row.0 {
        Resource::Volumes => "volumes like it".to_owned(),
        Resource::Offers | Resource::Workergroups => visible(&lot.model, 24),
    };
    let heading = format!(
        "Lowest price of {subject}, {}",
        price_unit(of_row.0, state.browsers[of_row.0].storage().0) + rating::mark(state)
    );
    chart_of_lows(memory.lows(), (memory.since, memory.until), heading, area, scene)
}

/// Draws lowest prices over time; false if there are too few.
pub(crate) fn chart_of_lows(
    lows: &[(Moment, Moment, f64)],
    (since, until): (Moment, Moment),
    heading: String,
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> bool {
    let scale = Scale::fit(lows.iter().map(|(_, _, low)| *low), None);
    let (Some(scale), [_, _, ..]) = (scale, lows) else {
        return false;
    };
    let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let low = seconds(since);
    let time = Scale {
        kind: ScaleKind::Linear,
        low,
        high: seconds(until).max(low + 1.0),
    };
    let (state, theme) = (scene.state, scene.theme);
    let local = state.local_time(scene.now);
    let axes = (Axis(&time, Labels::Time(&local)), Axis(&scale, Labels::Number));
    let Some(plot) = chart::axes(&axes.0, Some(&axes.1), area, scene) else {
        return false;
    };
    scene.render(fit(Line::styled(heading, theme.heading), title.width), title);
    let color = theme.series[1].fg.unwrap_or_default();
    let canvas = chart::canvas(SOLID).paint(|context| {
        let steps = |lows: &[(Moment, Moment, f64)]| -> Vec<(f64, f64)> {
            let ends = lows.iter().filter_map(|(from, until, low)| {
                let y = scale.position(*low)?;
                Some([(share_of(*from, &time), y), (share_of(*until, &time), y)])
            });
            ends.flatten().collect()
        };
        for watched in lows.chunk_by(|one, next| one.1 == next.0) {
            polyline(context, &steps(watched), color);
        }
    });
    scene.render(canvas, plot);
    true
}

/// Draws a value over time as staircases, one for each time without a gap.
fn stairs(
    series: &Series,
    (time, scale): (&Scale, &Scale),
    value: impl Fn(&Bucket) -> Option<f64>,
    color: Color,
    context: &mut Context<'_>,
) {
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for bucket in &series.buckets {
        if let Some(y) = value(bucket).and_then(|value| scale.position(value)) {
            steps.push((share_of(bucket.from, time), y));
            steps.push((share_of(bucket.until, time), y));
        } else {
            polyline(context, &steps, color);
            steps.clear();
        }
    }
    polyline(context, &steps, color);
}

/// Draws the amounts on offer, below the prices and over the same time.
fn draw_amounts(series: &Series, resource: Resource, local: &LocalTime, area: Rect, scene: &mut Scene<'_, '_>) {
    let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let from = if series.truncated > 0 {
        ", by complete responses"
    } else {
        ""
    };
    scene.render(Line::styled(noun(resource).to_owned() + from, scene.theme.dim), title);
    let amounts = series.buckets.iter().filter_map(|bucket| bucket.amount);
    let Some(scale) = Scale::fit(amounts.chain([0.0]), None) else {
        return;
    };
    let time = time_of(series);
    let across = Axis(&time, Labels::Time(local));
    let Some(plot) = chart::axes(&across, Some(&Axis(&scale, Labels::Count)), area, scene) else {
        return;
    };
    let color = scene.theme.series[0].fg.unwrap_or_default();
    let canvas = chart::canvas(SOLID).paint(|context| {
        stairs(series, (&time, &scale), |bucket| bucket.amount, color, context);
    });
    scene.render(canvas, plot);
}

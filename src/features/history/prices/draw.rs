//! Draws the price history: whether the price is low, the prices as steps, and the GPUs on offer below.

use std::fmt::Write as _;

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::text::{Line, Span as Text};
use ratatui::widgets::canvas::Context;

use super::marks::{alert_mark, marks, own_mark};
use super::series::{Bucket, Now, Series};
use super::{History, SPANS};
use super::{cursor, unrecorded};
use crate::core::view::Scene;
use crate::core::views::chart::{Axis, Labels, Mark, polyline};
use crate::core::views::{chart, sheet};
use crate::domain::format::{percent, unit_price};
use crate::domain::insight::{Scale, ScaleKind};
use crate::domain::local::LocalTime;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::text::visible;
use crate::domain::time::UnixTime;
use crate::domain::{Resource, format};
use crate::features::history::verdict_basis_of_row;
use crate::features::history::{describe_wait, price_origin, rating};
use crate::keys::Action;
use crate::record::{Levels, Memory, Moment, Verdict, price_unit};
use crate::tui::panel::Size;
use crate::tui::text::{cells, fit};
use crate::tui::theme::Theme;

/// The lowest that the chart of prices gets before that of amounts is left out.
pub(super) const LEAST_PRICES: u16 = 11;

/// Minimum height of the chart of amounts: its title, its bars and its axis.
const AMOUNTS: u16 = 8;

/// The signs of the lines of prices.
pub(super) const LOWEST: &str = "●";
pub(super) const MEDIAN: &str = "○";

/// Minimum width of the table beside the charts, in cells.
const TABLE: u16 = 40;

/// Draws the tab of the price history: the recorded prices, or else the reason there are none, with the
/// prices on offer now if the first subject of the open pane is shown.
pub(super) fn history(view: &History, area: Rect, scene: &mut Scene<'_, '_>) {
    let subject = view.subject();
    let resource = subject.map_or(view.pane.0, |subject| subject.query.resource);
    let span = SPANS[view.span].1;
    let facts = subject.map_or_else(|| span.to_owned(), |subject| format!("{} · {span}", subject.title));
    let inner = scene.tabbed("History", facts, area);
    if let Some(series) = view.series.as_deref().filter(|series| series.watched > 0.0) {
        return recorded(view, (series, resource), inner, scene);
    }
    let lines = empty(view, resource, scene);
    let height = u16::try_from(sheet::rows(&lines, inner.width)).unwrap_or(u16::MAX);
    let [text, chart] = Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(inner);
    sheet::text(lines, text, scene);
    // The first subject is the open pane's.
    if view.index == 0 && view.is_of_pane {
        unrecorded::draw_now(chart, scene);
    }
}

/// Draws a recorded series: the headline, the chart of prices, below it that of amounts if any are known and
/// there is space, and beside them, unless the screen is compact, the table of periods of the time.
fn recorded(view: &History, (series, resource): (&Series, Resource), inner: Rect, scene: &mut Scene<'_, '_>) {
    let theme = scene.theme;
    let local = scene.state.local_time(scene.now);
    let text = headline(view, (series, resource), scene);
    let head = u16::try_from(sheet::rows(&text, inner.width)).unwrap_or(1);
    let has_amounts =
        series.buckets.iter().any(|bucket| bucket.amount.is_some()) && inner.height >= head + LEAST_PRICES + AMOUNTS;
    let [head, charts, foot] =
        Layout::vertical([Constraint::Length(head), Constraint::Fill(1), Constraint::Length(1)]).areas(inner);
    sheet::text(text, head, scene);
    let storage = view
        .subject()
        .map_or(DEFAULT_STORAGE_GB, |subject| subject.query.storage_gb());
    sheet::foot(&basis(series, &price_unit(resource, storage), scene), foot, scene);
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
    let drawn = Charts {
        series,
        resource,
        time: time_scale(series.since, series.until),
        local: &local,
        cursor: view.read_bucket(),
    };
    let line = drawn.cursor.map_or_else(
        || key_of_lines(theme),
        |bucket| cursor::bucket_readout(bucket, resource, &local, theme),
    );
    scene.render(fit(line, legend.width), legend);
    drawn.draw_prices(&marks(view, scene), prices, scene);
    if has_amounts {
        drawn.draw_amounts(amounts, scene);
    }
}

/// The text in place of the charts of the price history: an error, the wait, that there is no search or
/// nothing recorded, or the last response; the last two with how to record more.
fn empty(view: &History, resource: Resource, scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    if let Some(why) = &view.failure {
        return vec![Line::styled(crate::domain::text::visible(why, 200), theme.warning)];
    }
    if view.subjects.is_empty() {
        return vec![Line::styled("No search to show the history of", theme.text)];
    }
    if view.is_awaited {
        return vec![Line::styled(describe_wait(scene.state), theme.accent)];
    }
    // A single response has a price and no duration to draw.
    let single = view.series.as_deref().filter(|series| series.now.is_some());
    let mut lines = single.map_or_else(
        || {
            let text = format!("Nothing recorded in {}", SPANS[view.span].1);
            vec![Line::styled(text, theme.text)]
        },
        |series| headline(view, (series, resource), scene),
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

/// Lines on the verdict, the prices now, the times of low prices, and how long such offers last; those
/// without data are left out.
fn headline(view: &History, (series, resource): (&Series, Resource), scene: &Scene<'_, '_>) -> Vec<Line<'static>> {
    let theme = scene.theme;
    let memory = view.memory.as_deref();
    let mut lines = Vec::new();
    lines.extend(memory.map(|memory| {
        let style = rating::verdict_style(&memory.verdict(), theme);
        Line::styled(memory.verdict_sentence(), style)
    }));
    lines.extend(series.now.as_ref().map(|now| {
        let ago = scene.now.epoch - now.at.unix();
        prices_of_now(now, memory, (resource, ago), theme)
    }));
    let times = memory.map(|memory| memory.times_sentence(&scene.state.settings.zone));
    lines.extend(times.map(|text| Line::styled(text, theme.text)));
    lines.extend(memory.map(|memory| Line::styled(memory.lifetime_sentence(), theme.text)));
    lines
}

/// The lowest price and the median now with their age, and the usual range if there is a verdict.
fn prices_of_now(now: &Now, memory: Option<&Memory>, (resource, ago): (Resource, f64), theme: &Theme) -> Line<'static> {
    let mut line = Line::from(Text::styled("Now ", theme.dim));
    match now.levels {
        Some(levels) => {
            line.push_span(Text::styled(unit_price(levels.lowest), theme.figure()));
            // A truncated response has the cheapest ones: there are more.
            let on_offer = if now.is_complete { "on offer" } else { "loaded" };
            let text = format!(
                " lowest, {} median of {} {on_offer}",
                unit_price(levels.median),
                amount(now.amount, resource)
            );
            line.push_span(Text::styled(text, theme.text));
        }
        // Offers beyond the limit may exist.
        None if !now.is_complete => line.push_span(Text::styled("none among the rows received", theme.text)),
        None => line.push_span(Text::styled("none on offer", theme.text)),
    }
    let text = format!(", {} ago", format::brief(ago.max(0.0)));
    line.push_span(Text::styled(text, theme.dim));
    if let Some(Verdict::Given(usual)) = memory.map(Memory::verdict) {
        let [low, high] = [usual.p20, usual.p80].map(unit_price);
        let text = if low == high {
            format!(" · usual low {low}")
        } else {
            format!(" · usual low {low} to {high}")
        };
        line.push_span(Text::styled(text, theme.text));
    }
    line
}

/// The unit of the prices, whether they are simulated, the share of the time that was watched, the lowest
/// price, and the numbers of truncated responses and of offers that may also match, if any.
fn basis(series: &Series, unit: &str, scene: &Scene<'_, '_>) -> String {
    let mut text = format!(
        "{unit}, {} · {} watched",
        price_origin(scene.state.profile.is_sandbox),
        percent(series.watched)
    );
    if let Some((price, at)) = series.record {
        let at = scene.state.local_time(scene.now).minute(at.unix());
        let _ = write!(text, " · lowest {} on {at}", unit_price(price));
    }
    if series.truncated > 0 {
        let [truncated, polls] = [series.truncated, series.polls].map(format::grouped);
        let _ = write!(
            text,
            " · of {truncated} truncated responses out of {polls}, only the lowest price counts"
        );
    }
    if let Some(unknown) = series.unknown_sentence() {
        let _ = write!(text, " · {unknown}");
    }
    text
}

/// The unit of the amounts on offer of a resource: `GPUs` or `GB`.
pub(super) const fn unit(resource: Resource) -> &'static str {
    match resource {
        Resource::Offers | Resource::Workergroups => "GPUs",
        Resource::Volumes => "GB",
    }
}

/// A number of GPUs, or GB of volumes, as text: `34 GPUs`.
fn amount(many: u64, resource: Resource) -> String {
    let many = usize::try_from(many).unwrap_or(usize::MAX);
    match resource {
        Resource::Offers | Resource::Workergroups => format::counted(many, "GPU", "GPUs"),
        Resource::Volumes => format!("{} GB", format::grouped(many)),
    }
}

/// A heading with the length of a period, and a line per period between round times, latest first, with the lowest
/// and the median price and the mean amount in it; as many as fit, without a last one that has no price yet. Empty at
/// width 0.
fn parts(series: &Series, resource: Resource, local: &LocalTime, area: Rect, theme: &Theme) -> Vec<Line<'static>> {
    if area.width == 0 {
        return Vec::new();
    }
    let time = time_scale(series.since, series.until);
    let many = usize::from(area.height.saturating_sub(1));
    // A part of no length says nothing.
    let starts = local.ticks(UnixTime::new(time.low), UnixTime::new(time.high - 1.0), many);
    let amount = format!("Mean {}", unit(resource));
    let row =
        |from: &str, lowest: &str, median: &str, amount: &str| format!("{from:8}{lowest:>9}{median:>10}{amount:>10}");
    let step = starts.first().zip(starts.get(1)).map(|(first, next)| *next - *first);
    let from = step.map_or_else(|| "From".to_owned(), |step| format!("{} from", format::span(step)));
    let heading = Line::styled(row(&from, "Lowest", "Median", &amount), theme.heading);
    let ends = starts.iter().skip(1).copied().chain([UnixTime::new(time.high)]);
    let part = |(from, until): (&UnixTime, UnixTime)| {
        let within = |bucket: &&Bucket| (*from..until).contains(&bucket.from.unix());
        let buckets = || series.buckets.iter().filter(within);
        // The last period may only just have begun.
        buckets().next()?;
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
        let amounts: Vec<f64> = buckets().filter_map(|bucket| bucket.amount).collect();
        let mean = match amounts.len() {
            0 => format::NONE.to_owned(),
            many => format::trimmed(amounts.iter().sum::<f64>() / many as f64, 0),
        };
        let line = row(&local.tick(*from), &lowest, &median, &mean);
        Some(Line::styled(line, theme.text))
    };
    let rows = starts.iter().zip(ends).filter_map(part).collect::<Vec<_>>();
    std::iter::once(heading).chain(rows.into_iter().rev()).collect()
}

/// The key of the lines and the filled range of the chart of prices.
fn key_of_lines(theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Text::styled(format!("{LOWEST} "), theme.series[1]),
        Text::styled("lowest  ", theme.dim),
        Text::styled(format!("{MEDIAN} "), theme.series[0]),
        Text::styled("median  ", theme.dim),
        Text::styled("░ ", theme.border),
        Text::styled("P20 to P80", theme.dim),
    ])
}

/// The time between two moments as a scale in Unix seconds, at least a second long.
fn time_scale(since: Moment, until: Moment) -> Scale {
    let low = since.unix().seconds();
    Scale {
        kind: ScaleKind::Linear,
        low,
        high: until.unix().seconds().max(low + 1.0),
    }
}

/// The position of a moment on a time scale, from 0 to 1; one outside is moved to the nearer end.
pub(super) fn share_of(moment: Moment, time: &Scale) -> f64 {
    time.position(moment.unix().seconds().clamp(time.low, time.high))
        .unwrap_or(0.0)
}

/// Draws steps, `(from, until, value)`, as staircases, one for each time without a gap.
fn stairs(
    (time, scale): (&Scale, &Scale),
    steps: impl Iterator<Item = (Moment, Moment, f64)>,
    color: Color,
    context: &mut Context<'_>,
) {
    let (mut points, mut end): (Vec<(f64, f64)>, Option<Moment>) = (Vec::new(), None);
    for (from, until, value) in steps {
        if end != Some(from) {
            polyline(context, &points, color);
            points.clear();
        }
        let y = scale.position(value.min(scale.high));
        points.extend(y.iter().flat_map(|y| [from, until].map(|at| (share_of(at, time), *y))));
        end = y.and(Some(until));
    }
    polyline(context, &points, color);
}

/// The charts of prices and of amounts, one above the other over the same time.
struct Charts<'a> {
    series: &'a Series,
    resource: Resource,
    /// In Unix seconds.
    time: Scale,
    local: &'a LocalTime,
    /// The time step that is read out.
    cursor: Option<&'a Bucket>,
}

impl Charts<'_> {
    /// Draws the lowest and the median prices over time, with range, marks, gaps and the cursor's time; far
    /// higher ones are cut off. A sentence if none was on offer. A click on a time moves the cursor there.
    fn draw_prices(&self, marks: &[Mark], area: Rect, scene: &mut Scene<'_, '_>) {
        let Self { series, ref time, .. } = *self;
        let levels = || series.buckets.iter().filter_map(|bucket| bucket.levels);
        let highest = |levels: Levels| levels.lowest.max(levels.median).max(levels.p80);
        let cut = chart::cut_off_value(levels().map(highest)).unwrap_or(f64::INFINITY);
        let ends = levels().flat_map(|levels| [levels.lowest.min(cut), highest(levels).min(cut)]);
        let Some(scale) = Scale::fit(ends.chain(marks.iter().map(|mark| mark.value)), None) else {
            let text = Line::styled("None was on offer in this time", scene.theme.dim);
            return scene.render(text, area);
        };
        let Some(plot) = self.axes(&Axis(&scale, Labels::Number), area, scene) else {
            return;
        };
        let theme = scene.theme;
        self.band(&scale, plot, scene);
        unrecorded::label_gap(series, time, plot, scene);
        let lines = [(MEDIAN, theme.series[0]), (LOWEST, theme.series[1])];
        let levels: [fn(Levels) -> f64; 2] = [|levels| levels.median, |levels| levels.lowest];
        for ((sign, style), level) in lines.into_iter().zip(levels) {
            let value = |bucket: &Bucket| bucket.levels.map(level);
            let color = style.fg.unwrap_or_default();
            let canvas = chart::canvas(plot).paint(|context| self.stairs(&scale, value, color, context));
            scene.render(canvas, plot);
            let last = series.buckets.iter().rev().find(|bucket| bucket.levels.is_some());
            let end = last.and_then(|last| {
                let y = scale.position(value(last)?.min(scale.high))?;
                Some((share_of(last.until, time), y))
            });
            if let Some(end) = end {
                let (x, y) = chart::dot_cell(end, plot);
                scene.frame.buffer_mut().set_string(x, y, sign, style);
            }
        }
        chart::marks(marks, &scale, plot, scene);
        let buckets = series.buckets.iter();
        let peaks = buckets.filter_map(|bucket| Some((share_of(bucket.from, time), highest(bucket.levels?))));
        let peaks: Vec<(f64, f64)> = peaks.collect();
        chart::cut_labels(&peaks, &scale, plot, scene);
        self.draw_cursor(plot, scene);
        cursor::clickable(series, time, plot, scene);
    }

    /// Draws the GPUs, or GB of volumes, on offer over the time of the prices: a title, axes and steps, with
    /// gaps where no amount is known, and the cursor. The caller puts it below the prices.
    fn draw_amounts(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let series = self.series;
        let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
        let from = if series.truncated > 0 {
            ", by complete responses"
        } else {
            ""
        };
        let heading = format!("{} on offer{from}", unit(self.resource));
        scene.render(Line::styled(heading, scene.theme.heading), title);
        let amounts = series.buckets.iter().filter_map(|bucket| bucket.amount);
        let Some(scale) = Scale::fit(amounts.chain([0.0]), None) else {
            return;
        };
        let Some(plot) = self.axes(&Axis(&scale, Labels::Count), area, scene) else {
            return;
        };
        let color = scene.theme.series[0].fg.unwrap_or_default();
        let canvas = chart::canvas(plot).paint(|context| self.stairs(&scale, |bucket| bucket.amount, color, context));
        scene.render(canvas, plot);
        self.draw_cursor(plot, scene);
    }

    /// Fills the range from P20 to P80 of each time step in the chart of prices.
    fn band(&self, scale: &Scale, plot: Rect, scene: &mut Scene<'_, '_>) {
        let buffer = scene.frame.buffer_mut();
        let spot = |at: Moment, value: f64| {
            let y = scale.position(value.min(scale.high))?;
            Some(chart::dot_cell((share_of(at, &self.time), y), plot))
        };
        for bucket in &self.series.buckets {
            let corners = bucket.levels.and_then(|levels| {
                let low = spot(bucket.from, levels.p20)?;
                Some((low, spot(bucket.until, levels.p80)?))
            });
            let Some(((left, bottom), (right, top))) = corners else {
                continue;
            };
            for x in left..=right {
                for y in top..=bottom {
                    buffer.set_string(x, y, "░", scene.theme.border);
                }
            }
        }
    }

    /// Draws a value of each time step as staircases; steps where `value` is `None` are gaps.
    fn stairs(&self, scale: &Scale, value: impl Fn(&Bucket) -> Option<f64>, color: Color, context: &mut Context<'_>) {
        let buckets = self.series.buckets.iter();
        let steps = buckets.filter_map(|bucket| Some((bucket.from, bucket.until, value(bucket)?)));
        stairs((&self.time, scale), steps, color, context);
    }

    /// Draws the axes of one of the charts; returns its plot, `None` without room.
    fn axes(&self, upwards: &Axis<'_>, area: Rect, scene: &mut Scene<'_, '_>) -> Option<Rect> {
        chart::axes(&Axis(&self.time, Labels::Time(self.local)), Some(upwards), area, scene)
    }

    /// Draws the cursor through a plot, if there is one.
    fn draw_cursor(&self, plot: Rect, scene: &mut Scene<'_, '_>) {
        if let Some(bucket) = self.cursor {
            chart::cursor(cursor::share(bucket, &self.time), plot, scene);
        }
    }
}

/// Draws the lowest price of offers like that of a row over time, with lines at its own price and at the `limits` of
/// alerts; false if too little is recorded.
pub(crate) fn draw_similar_lows(
    of_row: (Resource, usize),
    limits: &[f64],
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> bool {
    let state = scene.state;
    let Some((memory, lot, price)) = verdict_basis_of_row(state, of_row.0, of_row.1) else {
        return false;
    };
    let size = memory.gpus.map_or_else(String::new, |gpus| format!("{gpus}× "));
    let subject = match of_row.0 {
        Resource::Volumes => "volumes like it".to_owned(),
        Resource::Offers | Resource::Workergroups => size + &visible(&lot.model, 24) + &memory.card_size(),
    };
    let unit = price_unit(of_row.0, state.browsers[of_row.0].storage().0) + rating::simulation_suffix(state);
    let heading = format!("Lowest price of {subject}, {unit}");
    let heading = if cells(&heading) > area.width {
        format!("Lowest price, {unit}")
    } else {
        heading
    };
    let own = own_mark(price, of_row, scene);
    let limits = limits.iter().map(|limit| alert_mark(*limit, scene.theme));
    let marks: Vec<Mark> = std::iter::once(own).chain(limits).collect();
    chart_of_lows(
        memory.lows(),
        (memory.since, memory.until),
        (heading, &marks),
        area,
        scene,
    )
}

/// Draws `(from, until, price)` intervals as a line below a heading; false for under two, or without room.
pub(crate) fn chart_of_lows(
    lows: &[(Moment, Moment, f64)],
    (since, until): (Moment, Moment),
    (heading, marks): (String, &[Mark]),
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> bool {
    let cut = chart::cut_off_value(lows.iter().map(|(_, _, low)| *low)).unwrap_or(f64::INFINITY);
    let values = lows.iter().map(|(_, _, low)| low.min(cut));
    let scale = Scale::fit(values.chain(marks.iter().map(|mark| mark.value)), None);
    let (Some(scale), [_, _, ..]) = (scale, lows) else {
        return false;
    };
    let [title, area] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let time = time_scale(since, until);
    let (state, theme) = (scene.state, scene.theme);
    let local = state.local_time(scene.now);
    let axes = (Axis(&time, Labels::Time(&local)), Axis(&scale, Labels::Number));
    let Some(plot) = chart::axes(&axes.0, Some(&axes.1), area, scene) else {
        return false;
    };
    scene.render(fit(Line::styled(heading, theme.heading), title.width), title);
    let color = theme.series[1].fg.unwrap_or_default();
    let canvas = chart::canvas(plot).paint(|context| stairs((&time, &scale), lows.iter().copied(), color, context));
    scene.render(canvas, plot);
    chart::marks(marks, &scale, plot, scene);
    let peaks: Vec<(f64, f64)> = lows
        .iter()
        .map(|(from, _, low)| (share_of(*from, &time), *low))
        .collect();
    chart::cut_labels(&peaks, &scale, plot, scene);
    true
}

//! Drawing the plot: braille dots by GPU model, the Pareto front as a staircase, a crosshair at the
//! selected row, and what it is beside it.

use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::canvas::{Canvas, Line as Stroke, Points};
use ratatui::widgets::{Paragraph, Sparkline, SparklineBar, Wrap};

use super::Plot;
use crate::app::browser::Browser;
use crate::app::facts::Target;
use crate::app::view::{Region, Scene};
use crate::domain::insight::{Goal, Histogram, Point, Scale};
use crate::domain::{CellRef, Dialect, Field, Listing, Unit, format};
use crate::widgets::panel::{Panel, Size};
use crate::widgets::text::cells;
use crate::widgets::theme::{SERIES, Theme};

/// Cells left of the vertical axis.
const LABELS: u16 = 9;

/// Width of the card that describes the selected row.
const CARD: u16 = 44;

/// Draws the plot or the histogram, and the card of the selected row.
pub(super) fn plot(view: &Plot, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(browser) = scene.state.browser() else {
        return;
    };
    let (chart, card) = if scene.size == Size::Compact {
        let [chart, card] =
            Layout::vertical([Constraint::Fill(1), Constraint::Length(5)]).areas(area);
        (chart, card)
    } else {
        let [chart, card] =
            Layout::horizontal([Constraint::Fill(1), Constraint::Length(CARD)]).areas(area);
        (chart, card)
    };
    let (x, y) = (
        name(view.x, browser.dialect()),
        name(view.y, browser.dialect()),
    );
    let title = if view.histogram {
        format!("Distribution of {x}")
    } else {
        format!("{y} (y) by {x} (x)")
    };
    let mut facts = browser.count_label();
    if view.absent > 0 {
        facts = format!("{facts}, {} without a value", view.absent);
    }
    if view.unfit > 0 {
        facts = format!("{facts}, {} too small or too short", view.unfit);
    }
    let panel = Panel::new(title)
        .facts(facts)
        .foot(front_note(view))
        .focused(true)
        .sized(scene.size);
    let inner = panel.render(chart, scene.frame.buffer_mut(), scene.theme);
    match &view.scales {
        None => {
            let text = "No row has both numbers.";
            scene.render(Line::styled(text, scene.theme.dim), inner);
        }
        Some((x, _)) if view.histogram => histogram(view, browser, x, inner, scene),
        Some((x, y)) => scatter(view, browser, (x, y), inner, scene),
    }
    selected(view, browser, card, scene);
}

/// What the staircase is.
fn front_note(view: &Plot) -> String {
    let end = |goal: Goal| match goal {
        Goal::Least => "low",
        Goal::Most => "high",
    };
    format!(
        "◆ Pareto front: {} rows, {} {} and {} {}",
        view.front.members().len(),
        end(view.goals.0),
        view.x.label,
        end(view.goals.1),
        view.y.label
    )
}

fn name(field: &Field, dialect: &Dialect) -> String {
    let symbol = field.unit.symbol(dialect);
    if symbol.is_empty() || field.unit == Unit::Dlperf || field.label.contains(symbol) {
        field.label.to_owned()
    } else {
        format!("{} {symbol}", field.label)
    }
}

/// The models in order of how many points they have, the rest together: one series each.
fn series<'a>(view: &Plot, listing: &'a Listing) -> Vec<(String, Vec<&'a str>)> {
    let Some(field) = listing.catalog().by_key("gpu_name") else {
        return Vec::new();
    };
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for point in &view.points {
        let CellRef::Text(model) = listing.cell(point.row as usize, field) else {
            continue;
        };
        match counts.iter_mut().find(|(own, _)| *own == model) {
            Some((_, count)) => *count += 1,
            None => counts.push((model, 1)),
        }
    }
    counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
    let shown = if counts.len() > SERIES {
        SERIES - 1
    } else {
        counts.len()
    };
    let rest: Vec<&str> = counts.iter().skip(shown).map(|(model, _)| *model).collect();
    let clean = |model: &str| crate::domain::Untrusted::from(model).screen(16);
    let mut series: Vec<_> = counts
        .iter()
        .take(shown)
        .map(|(model, _)| (clean(model), vec![*model]))
        .collect();
    if !rest.is_empty() {
        series.push((format!("{} others", rest.len()), rest));
    }
    series
}

fn scatter(
    view: &Plot,
    browser: &Browser,
    (x, y): (&Scale, &Scale),
    area: Rect,
    scene: &mut Scene<'_, '_>,
) {
    let Some(listing) = browser.listing() else {
        return;
    };
    let series = series(view, listing);
    let legend = u16::from(series.len() > 1);
    let [area, key] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(legend)]).areas(area);
    let Some(plot) = axes(view, (x, Some(y)), area, scene) else {
        return;
    };
    let model = listing.catalog().by_key("gpu_name");
    let at = |point: &Point| Some((x.position(point.x)?, y.position(point.y)?));
    let of = |names: &[&str]| -> Vec<(f64, f64)> {
        let own = |point: &&Point| {
            let cell = model.map(|field| listing.cell(point.row as usize, field));
            names.is_empty() || matches!(cell, Some(CellRef::Text(text)) if names.contains(&text))
        };
        view.points.iter().filter(own).filter_map(at).collect()
    };
    let theme = scene.theme;
    let color = |style: Style| style.fg.unwrap_or(Color::Reset);
    let groups: Vec<(Color, Vec<(f64, f64)>)> = if series.is_empty() {
        vec![(color(theme.series[0]), of(&[]))]
    } else {
        let styled = series.iter().zip(theme.series);
        styled
            .map(|((_, names), style)| (color(style), of(names)))
            .collect()
    };
    let staircase: Vec<(f64, f64)> = view.front.members().iter().filter_map(at).collect();
    let own = browser
        .selected_row()
        .and_then(|row| view.point(row))
        .and_then(at);
    let canvas = Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .paint(|context| {
            for step in staircase.windows(2) {
                let ((x1, y1), (x2, y2)) = (step[0], step[1]);
                let front = color(theme.good);
                // Between two members nothing beats the worse of both: a step, not a slope.
                context.draw(&Stroke {
                    x1,
                    y1,
                    x2,
                    y2: y1,
                    color: front,
                });
                context.draw(&Stroke {
                    x1: x2,
                    y1,
                    x2,
                    y2,
                    color: front,
                });
            }
            if let Some((x, y)) = own {
                let cross = color(theme.border);
                context.draw(&Stroke {
                    x1: x,
                    y1: 0.0,
                    x2: x,
                    y2: 1.0,
                    color: cross,
                });
                context.draw(&Stroke {
                    x1: 0.0,
                    y1: y,
                    x2: 1.0,
                    y2: y,
                    color: cross,
                });
            }
            context.layer();
            for (color, coords) in &groups {
                context.draw(&Points {
                    coords,
                    color: *color,
                });
            }
            for (x, y) in &staircase {
                context.print(*x, *y, Span::styled("◆", theme.good));
            }
            if let Some((x, y)) = own {
                context.print(x, y, Span::styled("◎", theme.selected));
            }
        });
    scene.render(canvas, plot);
    let mut spans = Vec::new();
    for ((name, _), style) in series.iter().zip(theme.series) {
        spans.push(Span::styled("● ", style));
        spans.push(Span::styled(format!("{name}   "), theme.dim));
    }
    scene.render(Line::from(spans), key);
}

/// Draws the axes with their ticks; gives the area between them, if there is room for any.
fn axes(
    view: &Plot,
    (x, y): (&Scale, Option<&Scale>),
    area: Rect,
    scene: &mut Scene<'_, '_>,
) -> Option<Rect> {
    let [body, foot] = Layout::vertical([Constraint::Fill(1), Constraint::Length(2)]).areas(area);
    let [_, plot] =
        Layout::horizontal([Constraint::Length(LABELS), Constraint::Fill(1)]).areas(body);
    if plot.width < 10 || plot.height < 3 {
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
    let ticks = y.map(|scale| (scale, scale.ticks(usize::from(plot.height / 3).clamp(2, 8))));
    for (scale, tick) in ticks
        .iter()
        .flat_map(|(scale, ticks)| ticks.iter().map(move |tick| (scale, tick)))
    {
        let Some(place) = scale.position(*tick) else {
            continue;
        };
        let line = plot.bottom() - 1 - cell(place, plot.height);
        let label = short(view.y, *tick);
        let start = (plot.x - 2).saturating_sub(cells(&label));
        buffer.set_stringn(
            start.max(area.x),
            line,
            &label,
            usize::from(LABELS - 2),
            theme.dim,
        );
        buffer.set_string(plot.x - 1, line, "┤", theme.border);
    }
    let mut free = plot.x;
    for tick in x.ticks(usize::from(plot.width / 12).clamp(2, 12)) {
        let Some(place) = x.position(tick) else {
            continue;
        };
        let column = plot.x + cell(place, plot.width);
        let label = short(view.x, tick);
        let width = cells(&label);
        let start = column
            .saturating_sub(width / 2)
            .min(plot.right().saturating_sub(width));
        if start >= free {
            buffer.set_stringn(start, foot.y + 1, &label, usize::from(width), theme.dim);
            buffer.set_string(column, foot.y, "┬", theme.border);
            free = start + width + 1;
        }
    }
    Some(plot)
}

/// A tick's number, as short as it can be.
fn short(field: &Field, value: f64) -> String {
    match field.format {
        crate::domain::field::Format::Places(_) if value.abs() < 1e7 => format::trimmed(value, 4),
        _ => format::number(field, value),
    }
}

/// Which of `many` cells a place from 0 to 1 falls into.
fn cell(place: f64, many: u16) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to `many`
    let cell = (place * f64::from(many)) as u16;
    cell.min(many.saturating_sub(1))
}

fn histogram(view: &Plot, browser: &Browser, scale: &Scale, area: Rect, scene: &mut Scene<'_, '_>) {
    let Some(plot) = axes(view, (scale, None), area, scene) else {
        return;
    };
    let values: Vec<f64> = view.points.iter().map(|point| point.x).collect();
    let many = usize::from(plot.width / 2).min(60);
    let Some(histogram) = Histogram::of(&values, many, None) else {
        return;
    };
    let wide = plot.width / u16::try_from(many).unwrap_or(1);
    let own = browser
        .selected_row()
        .and_then(|row| view.point(row))
        .map(|point| point.x);
    let last = histogram.buckets.len().saturating_sub(1);
    let bars = histogram
        .buckets
        .iter()
        .enumerate()
        .flat_map(|(index, bucket)| {
            let holds = |value: f64| {
                value >= bucket.low
                    && (value < bucket.high || index == last && value <= bucket.high)
            };
            let style = if own.is_some_and(holds) {
                scene.theme.highlight
            } else {
                scene.theme.series[0]
            };
            let bar = SparklineBar::from(u64::try_from(bucket.count).unwrap_or(0)).style(style);
            std::iter::repeat_n(bar, usize::from(wide))
        });
    let bars: Vec<SparklineBar> = bars.collect();
    let theme = scene.theme;
    scene.render(Sparkline::default().data(bars), plot);
    let tallest = histogram.tallest().to_string();
    let x = (plot.x - 2).saturating_sub(cells(&tallest));
    scene
        .frame
        .buffer_mut()
        .set_string(x, plot.y, tallest, theme.dim);
}

/// Describes the selected row and what beats it.
fn selected(view: &Plot, browser: &Browser, area: Rect, scene: &mut Scene<'_, '_>) {
    let theme: &Theme = scene.theme;
    let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
        return;
    };
    let id = listing.id(row).map(|id| id.to_string()).unwrap_or_default();
    let panel = Panel::new(id).sized(scene.size);
    let inner = panel.render(area, scene.frame.buffer_mut(), theme);
    scene.clickable(area, Target::Item(Region::PREVIEW, row));
    let dialect = browser.dialect();
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key);
        field.map_or_else(String::new, |field| format::cell(listing, row, field, 24))
    };
    let mut lines = vec![Line::styled(
        format!(
            "{}× {} {}",
            cell("num_gpus"),
            cell("gpu_name"),
            cell("geolocation")
        ),
        theme.accent,
    )];
    let number = |field: &Field, value: f64| {
        Line::from(vec![
            Span::styled(format!("{}  ", field.label), theme.dim),
            Span::raw(format::with_unit(field, value, dialect)),
        ])
    };
    match view.point(row) {
        None if browser.figures.is_unfit(row) => lines.push(Line::styled(
            "Not plotted: too small or ends too early.",
            theme.warning,
        )),
        None => lines.push(Line::styled(
            "Not plotted: a number is missing.",
            theme.warning,
        )),
        Some(point) => {
            lines.push(number(view.x, point.x));
            lines.push(number(view.y, point.y));
            lines.push(verdict(view, listing, point, theme));
        }
    }
    scene.render(Paragraph::new(lines).wrap(Wrap { trim: false }), inner);
}

/// Whether the point is on the front, or which row beats it and by how much.
fn verdict(view: &Plot, listing: &Listing, point: &Point, theme: &Theme) -> Line<'static> {
    let Some(lead) = view.front.beaten_by(point.row) else {
        return Line::styled("◆ on the Pareto front: nothing beats it", theme.good);
    };
    let other = listing.id(lead.row as usize);
    let other = other.map(|id| id.to_string()).unwrap_or_default();
    let share = |goal: Goal, share: Option<f64>| {
        let sign = match goal {
            Goal::Least => '−',
            Goal::Most => '+',
        };
        match share.map(|share| format::trimmed(share * 100.0, 1)) {
            Some(percent) if percent != "0" => format!("{sign}{percent} %"),
            _ => "same".to_owned(),
        }
    };
    Line::styled(
        format!(
            "{other} beats it: {} {}, {} {}",
            view.x.label,
            share(view.goals.0, lead.x_share),
            view.y.label,
            share(view.goals.1, lead.y_share)
        ),
        theme.warning,
    )
}

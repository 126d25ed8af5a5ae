//! A scatter plot with the Pareto front, and a histogram: in plain cells, so that they can be drawn
//! on any terminal.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::page;
use crate::app::browser::Browser;
use crate::app::insights::plot::Plot;
use crate::domain::format;
use crate::domain::insight::{Bin, Goal, Histogram, Scale, bins};
use crate::domain::{Dialect, Field};
use crate::ui::paint;
use crate::ui::theme::Theme;

/// Cells of the labels at the left of the plot.
const LABEL: u16 = 9;

/// The signs of a plot.
struct Signs {
    one: &'static str,
    few: &'static str,
    many: &'static str,
    front: &'static str,
    selected: &'static str,
    bar: &'static str,
    across: &'static str,
    up: &'static str,
}

const UNICODE: Signs = Signs {
    one: "·",
    few: "•",
    many: "●",
    front: "◆",
    selected: "◎",
    bar: "█",
    across: "─",
    up: "│",
};

const ASCII: Signs = Signs {
    one: ".",
    few: "o",
    many: "O",
    front: "#",
    selected: "@",
    bar: "#",
    across: "-",
    up: "|",
};

/// Draws the plot or the histogram.
pub fn draw(buffer: &mut Buffer, body: Rect, browser: &Browser, view: &Plot, theme: &Theme) {
    let choice = browser.figures.plot;
    let signs = if choice.ascii || theme.ascii {
        &ASCII
    } else {
        &UNICODE
    };
    let title = if choice.histogram {
        format!("How {} is distributed", name(view.x, browser.dialect()))
    } else {
        format!(
            "{} upwards, {} across",
            name(view.y, browser.dialect()),
            name(view.x, browser.dialect())
        )
    };
    let mut note = view.loaded.clone();
    if view.absent > 0 {
        note = format!("{note}; {} lack a number", view.absent);
    }
    if view.unfit > 0 {
        note = format!("{note}; {} too small or too short", view.unfit);
    }
    let area = page(buffer, body, &title, &note, theme);
    let Some((x, y)) = &view.scales else {
        let note = "No row here has both numbers.";
        paint::text(buffer, area.x + 1, area.y, area.width, note, theme.text);
        return;
    };
    if choice.histogram {
        histogram(buffer, area, browser, view, signs, theme);
        return;
    }
    let width = area.width.saturating_sub(2);
    let mut foot = paint::wrap(&legend(view, signs), width);
    foot.truncate(1);
    foot.extend(
        paint::wrap(&selection(browser, view), width)
            .into_iter()
            .take(2),
    );
    let lines = u16::try_from(foot.len()).unwrap_or(0);
    let plot = Rect::new(
        area.x + LABEL + 1,
        area.y,
        area.width.saturating_sub(LABEL + 3),
        area.height.saturating_sub(2 + lines),
    );
    if plot.width < 10 || plot.height < 3 {
        let lines = foot.iter().skip(1);
        for (y, line) in (area.y..area.bottom()).zip(lines) {
            paint::text(buffer, area.x + 1, y, width, line, theme.text);
        }
        return;
    }
    axes(buffer, plot, (x, view.x), Some((y, view.y)), signs, theme);
    points(buffer, plot, browser, view, (x, y), signs, theme);
    for (y, line) in (area.bottom().saturating_sub(lines)..).zip(foot) {
        paint::text(
            buffer,
            area.x + 1,
            y,
            area.width.saturating_sub(2),
            &line,
            theme.text,
        );
    }
}

fn name(field: &Field, dialect: &Dialect) -> String {
    let symbol = field.unit.symbol(dialect);
    if symbol.is_empty() || field.label.contains(symbol) {
        field.label.to_owned()
    } else {
        format!("{} ({symbol})", field.label)
    }
}

/// What the signs mean, and which ends are wanted.
fn legend(view: &Plot, signs: &Signs) -> String {
    let end = |goal: Goal| match goal {
        Goal::Least => "low",
        Goal::Most => "high",
    };
    format!(
        "{} {} on the front ({} {}, {} {})  {} selected  {} one {} some {} many",
        signs.front,
        view.front.members().len(),
        end(view.goals.0),
        view.x.label,
        end(view.goals.1),
        view.y.label,
        signs.selected,
        signs.one,
        signs.few,
        signs.many
    )
}

/// The selected row in a line: its numbers, and who beats it.
fn selection(browser: &Browser, view: &Plot) -> String {
    let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
        return String::new();
    };
    let id = listing.id(row).map(|id| id.to_string()).unwrap_or_default();
    let dialect = browser.dialect();
    if browser.figures.is_unfit(row) {
        return format!("{id} is too small or ends too early. Arrows go to the front.");
    }
    let Some(point) = view.point(row) else {
        return format!("{id} has no place here: a number is missing. Arrows go to the front.");
    };
    let cell = |key: &str| {
        let field = listing.catalog().by_key(key);
        field.map_or_else(String::new, |field| format::cell(listing, row, field, 20))
    };
    let what = format!(
        "{id} {}x {}: {}, {}",
        cell("num_gpus"),
        cell("gpu_name"),
        format::with_unit(view.x, point.x, dialect),
        format::with_unit(view.y, point.y, dialect)
    );
    let Some(lead) = view.front.beaten_by(point.row) else {
        return format!("{what}, on the front");
    };
    let other = listing.id(lead.row as usize);
    let other = other.map(|id| id.to_string()).unwrap_or_default();
    let share = |goal: Goal, share: Option<f64>| {
        let sign = match goal {
            Goal::Least => '-',
            Goal::Most => '+',
        };
        match share.map(|share| format::trimmed(share * 100.0, 1)) {
            Some(percent) if percent != "0" => format!(" {sign}{percent}%"),
            _ => " alike".to_owned(),
        }
    };
    format!(
        "{what}; {other} beats it: {}{}, {}{}",
        view.x.label,
        share(view.goals.0, lead.x_share),
        view.y.label,
        share(view.goals.1, lead.y_share)
    )
}

/// The axes with their ticks.
fn axes(
    buffer: &mut Buffer,
    plot: Rect,
    (x, x_field): (&Scale, &Field),
    y: Option<(&Scale, &Field)>,
    signs: &Signs,
    theme: &Theme,
) {
    for line in plot.y..plot.bottom() {
        paint::text(buffer, plot.x - 1, line, 1, signs.up, theme.border);
    }
    for column in plot.x - 1..plot.right() {
        paint::text(buffer, column, plot.bottom(), 1, signs.across, theme.border);
    }
    if let Some((scale, field)) = y {
        let most = usize::from(plot.height / 3).clamp(2, 8);
        for tick in scale.ticks(most) {
            let Some(place) = scale.position(tick) else {
                continue;
            };
            let line = plot.bottom() - 1 - cells(place, plot.height);
            let label = short(field, tick);
            let x = plot.x.saturating_sub(LABEL + 1);
            paint::right(buffer, x, line, LABEL - 1, &label, theme.dim);
            paint::text(buffer, plot.x - 1, line, 1, "+", theme.border);
        }
    }
    let most = usize::from(plot.width / 12).clamp(2, 12);
    let mut free = plot.x.saturating_sub(1);
    for tick in x.ticks(most) {
        let Some(place) = x.position(tick) else {
            continue;
        };
        let column = plot.x + cells(place, plot.width);
        let label = short(x_field, tick);
        let width = paint::cells(&label);
        let start = column
            .saturating_sub(width / 2)
            .min(plot.right().saturating_sub(width));
        if start >= free {
            paint::text(buffer, start, plot.bottom() + 1, width, &label, theme.dim);
            paint::text(buffer, column, plot.bottom(), 1, "+", theme.border);
            free = start + width + 1;
        }
    }
}

/// A tick's number: as short as it can be.
fn short(field: &Field, value: f64) -> String {
    match field.format {
        format::Format::Places(_) if value.abs() < 1e7 => format::trimmed(value, 4),
        _ => format::number(field, value),
    }
}

/// Which of `many` cells a place from 0 to 1 falls into.
fn cells(place: f64, many: u16) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to `many`
    let cell = (place * f64::from(many)) as u16;
    cell.min(many.saturating_sub(1))
}

fn points(
    buffer: &mut Buffer,
    plot: Rect,
    browser: &Browser,
    view: &Plot,
    (x, y): (&Scale, &Scale),
    signs: &Signs,
    theme: &Theme,
) {
    let size = (usize::from(plot.width), usize::from(plot.height));
    let place = |across: u16, upwards: u16| (plot.x + across, plot.bottom() - 1 - upwards);
    let sign_of = |bin: &Bin| -> (&'static str, Style) {
        match (bin.on_front, bin.count) {
            (true, _) => (signs.front, theme.good),
            (_, 1) => (signs.one, theme.text),
            (_, 2..10) => (signs.few, theme.text),
            _ => (signs.many, theme.text),
        }
    };
    for bin in bins(&view.points, &view.front, (x, y), size) {
        let across = u16::try_from(bin.across).unwrap_or(0);
        let upwards = u16::try_from(bin.upwards).unwrap_or(0);
        let (column, line) = place(across, upwards);
        let (sign, style) = sign_of(&bin);
        paint::text(buffer, column, line, 1, sign, style);
    }
    let selected = browser.selected_row().and_then(|row| view.point(row));
    if let Some(point) = selected
        && let (Some(across), Some(upwards)) = (x.position(point.x), y.position(point.y))
    {
        let (column, line) = place(cells(across, plot.width), cells(upwards, plot.height));
        paint::text(buffer, column, line, 1, signs.selected, theme.selected);
    }
}

fn histogram(
    buffer: &mut Buffer,
    area: Rect,
    browser: &Browser,
    view: &Plot,
    signs: &Signs,
    theme: &Theme,
) {
    let plot = Rect::new(
        area.x + LABEL + 1,
        area.y,
        area.width.saturating_sub(LABEL + 3),
        area.height.saturating_sub(3),
    );
    if plot.width < 10 || plot.height < 3 {
        return;
    }
    let wide = (plot.width / 24).max(1);
    let many = usize::from(plot.width / wide).min(60);
    let Some(histogram) = Histogram::of(&view.values(), many, None) else {
        return;
    };
    let plot = Rect {
        width: u16::try_from(many).unwrap_or(1) * wide,
        ..plot
    };
    axes(buffer, plot, (&histogram.scale, view.x), None, signs, theme);
    let tallest = histogram.tallest().max(1);
    paint::right(
        buffer,
        area.x,
        plot.y,
        LABEL - 1,
        &tallest.to_string(),
        theme.dim,
    );
    let own = browser
        .selected_row()
        .and_then(|row| view.point(row))
        .map(|point| point.x);
    let last = histogram.buckets.len().saturating_sub(1);
    let mut here = String::new();
    for (index, bucket) in histogram.buckets.iter().enumerate() {
        let is_own = own.is_some_and(|own| {
            own >= bucket.low && (own < bucket.high || (index == last && own <= bucket.high))
        });
        let height = (bucket.count * usize::from(plot.height)).div_ceil(tallest);
        let height = u16::try_from(height).unwrap_or(0).min(plot.height);
        let x = plot.x + u16::try_from(index).unwrap_or(0) * wide;
        let (sign, style) = if is_own {
            (signs.selected, theme.selected)
        } else {
            (signs.bar, theme.accent)
        };
        for line in plot.bottom() - height..plot.bottom() {
            for cell in 0..wide.saturating_sub(1).max(1) {
                paint::text(buffer, x + cell, line, 1, sign, style);
            }
        }
        if is_own {
            here = format!(
                "; {} of them from {} to {}, as the selected one ({})",
                bucket.count,
                short(view.x, bucket.low),
                short(view.x, bucket.high),
                signs.selected
            );
        }
    }
    let line = format!("{} rows{here}", view.points.len());
    paint::text(
        buffer,
        area.x + 1,
        area.bottom().saturating_sub(1),
        area.width,
        &line,
        theme.text,
    );
}

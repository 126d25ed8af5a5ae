//! The form of a job, and the arithmetic of its cost on one offer.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::app::browser::Browser;
use crate::app::facts::{Facts, Target};
use crate::app::insights::job_form::{INPUTS, JobForm};
use crate::app::remote::Now;
use crate::domain::cost::{Input, Job, JobCost, Measure, Outlives, Prices, Room};
use crate::domain::format::{self, trimmed};
use crate::ui::paint;
use crate::ui::picker;
use crate::widgets::theme::Theme;

/// Cells of the labels.
const LABEL: u16 = 22;

/// Cells of a number that is typed.
const FIELD: u16 = 14;

/// Draws the form in a box: the lines, what is wrong with them, and what the job costs on the
/// selected offer.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    browser: &Browser,
    form: &JobForm,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let size = (
        area.width.saturating_sub(2).min(84),
        area.height.saturating_sub(2).min(22),
    );
    let inner = picker::frame(buffer, area, size, "Job cost: what the job needs", theme);
    let mut cursor = None;
    // On a low screen the line that is typed into stays in sight.
    let first = (form.focused() + 1).saturating_sub(usize::from(inner.height));
    let inputs = INPUTS.into_iter().enumerate().skip(first);
    for (y, (index, input)) in (inner.y..inner.bottom()).zip(inputs) {
        let strip = Rect::new(inner.x, y, inner.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
        let is_focused = index == form.focused();
        let sign = if is_focused { "> " } else { "  " };
        let style = if is_focused { theme.accent } else { theme.text };
        let x = paint::text(buffer, inner.x, y, 2, sign, style);
        paint::text(buffer, x, y, LABEL, input.label(), style);
        let line = &form.lines()[index];
        let scroll = line.scroll(usize::from(FIELD));
        let text: String = line.text().chars().skip(scroll).collect();
        let x = x + LABEL + 1;
        let field = Rect::new(x, y, FIELD.min(inner.right().saturating_sub(x)), 1);
        paint::fill(buffer, field, theme.selected);
        let style = paint::typed(line, theme.selected);
        paint::text(buffer, x, y, field.width, &text, style);
        if is_focused {
            let column = line.cursor_column().saturating_sub(scroll);
            let column = u16::try_from(column).unwrap_or(0).min(FIELD);
            cursor = Some(Position::new(x + column, y));
        }
        let (note, style) = match form.value(index) {
            Err(why) => (format!("! {why}"), theme.error),
            Ok(_) => (hint(input).to_owned(), theme.dim),
        };
        let x = x + FIELD + 1;
        paint::text(buffer, x, y, inner.right().saturating_sub(x), &note, style);
    }
    let top = inner.y + 7;
    preview(buffer, inner, top, browser, form, now, theme);
    cursor
}

const fn hint(input: Input) -> &'static str {
    match input {
        Input::RunHours => "h, or 3d, 2w; not used with work",
        Input::StoppedHours | Input::Days => "kept but not running: storage is billed",
        Input::DiskGb | Input::VolumeGb => "GB, fixed when the instance is created",
        Input::GbIn => "downloaded over the whole job",
        Input::GbOut => "uploaded over the whole job",
        Input::Work => "or nothing: faster offers finish sooner",
    }
}

fn preview(
    buffer: &mut Buffer,
    inner: Rect,
    top: u16,
    browser: &Browser,
    form: &JobForm,
    now: Now,
    theme: &Theme,
) {
    let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) else {
        return;
    };
    let Ok(job) = form.job() else { return };
    let id = listing.id(row).map(|id| id.to_string()).unwrap_or_default();
    let title = format!("On the selected offer {id}");
    if top < inner.bottom() {
        paint::text(buffer, inner.x + 2, top, inner.width, &title, theme.heading);
    }
    let prices = Prices::new(listing, browser.pricing().model);
    let width = inner.width.saturating_sub(3);
    let lines = lines(&prices, row, &job, now, theme, width);
    for (y, line) in (top + 1..inner.bottom()).zip(lines) {
        let mut x = inner.x + 2;
        for (text, style) in line {
            x = paint::text(buffer, x, y, inner.right().saturating_sub(x), &text, style);
        }
    }
}

type Line = Vec<(String, Style)>;

/// What a job costs on an offer, the arithmetic step by step, and whether the offer is there long
/// enough and has the room.
pub fn lines(
    prices: &Prices<'_>,
    row: usize,
    job: &Job,
    now: Now,
    theme: &Theme,
    width: u16,
) -> Vec<Line> {
    let cost = match prices.job(row, job, now.epoch) {
        Ok(cost) => cost,
        Err(gap) => {
            let why = format!("The cost cannot be worked out: {gap}.");
            return vec![vec![(why, theme.warning)]];
        }
    };
    let mut lines: Vec<Line> = Vec::new();
    for step in &cost.steps {
        let value = match step.measure {
            Measure::Dollars | Measure::DollarsPerHour => format!("${:.4}", step.value),
            Measure::Hours => format!("{} h", trimmed(step.value, 4)),
        };
        let style = if step.label == "Total" {
            theme.good
        } else {
            theme.text
        };
        let mut line = vec![
            (format!("{:21} ", step.label), theme.dim),
            (format!("{value:>12}"), style),
        ];
        let formula = format!("  = {}", step.formula);
        if 34 + paint::cells(&formula) <= width {
            line.push((formula, theme.dim));
            lines.push(line);
        } else {
            lines.push(line);
            let wrapped = paint::wrap(formula.trim_start(), width.saturating_sub(4));
            lines.extend(
                wrapped
                    .into_iter()
                    .map(|part| vec![(format!("    {part}"), theme.dim)]),
            );
        }
    }
    lines.extend(warnings(&cost, theme));
    lines
}

fn warnings(cost: &JobCost, theme: &Theme) -> Vec<Line> {
    let hours = |hours: f64| format::span(hours * 3600.0);
    let (outlives, style) = match cost.outlives {
        Outlives::Yes { spare } => (
            format!("The offer outlives the job by {}.", hours(spare)),
            theme.good,
        ),
        Outlives::No { short_by } => (
            format!(
                "! The offer ends {} before the job is done.",
                hours(short_by)
            ),
            theme.warning,
        ),
        Outlives::Unknown => (
            "! The record does not say how long the offer lasts.".to_owned(),
            theme.warning,
        ),
    };
    let mut lines = vec![vec![(outlives, style)]];
    let room = match cost.room {
        Room::Enough => return lines,
        Room::ShortBy(gb) => format!("! The disk is {} too small.", format::gigabytes(gb)),
        Room::Unknown => "! The record does not say how much disk there is.".to_owned(),
    };
    lines.push(vec![(room, theme.warning)]);
    lines
}

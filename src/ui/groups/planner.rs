//! The planner: lines to fill in, and the arithmetic that follows from them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Line, draw_line, line, plain, signed};
use crate::app::Model;
use crate::app::facts::{Facts, Target};
use crate::app::groups::planner::{Entry, Planner};
use crate::domain::format::trimmed;
use crate::domain::insight::Coverage;
use crate::domain::workergroup::{CapacityPlan, Demand};
use crate::ui::paint;
use crate::ui::picker::blank;
use crate::widgets::theme::Theme;

/// Cells of the labels.
const LABEL: u16 = 20;

/// Cells of a line to fill in.
const INPUT: u16 = 14;

/// Draws the planner; gives the cursor's place.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    model: &Model,
    planner: &Planner,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    blank(buffer, area);
    let title = format!("What a load takes: {}", planner.title);
    paint::text(
        buffer,
        area.x + 1,
        area.y,
        area.width,
        &title,
        theme.heading,
    );
    let plan = planner.plan();
    let objection = plan.as_ref().err();
    let mut cursor = None;
    let width = area.width.saturating_sub(2);
    let lines = Rect {
        y: area.y + 1,
        height: area.height.saturating_sub(1),
        ..area
    };
    // On a low screen the line that is typed into stays in sight.
    let first = (planner.focus + 1).saturating_sub(usize::from(lines.height));
    let entries = Entry::ALL.iter().enumerate().skip(first);
    for (y, (place, entry)) in (lines.y..lines.bottom()).zip(entries) {
        let is_open = place == planner.focus;
        let strip = Rect::new(area.x, y, area.width, 1);
        let target = Target::Line(place);
        facts.targets.push((paint::area(strip), target));
        let wrong = objection
            .filter(|(wrong, _)| wrong == entry && !planner.inputs[place].is_empty())
            .map(|(_, why)| why.as_str());
        let column = entry_line(
            buffer, area, y, planner, place, *entry, is_open, wrong, theme,
        );
        if is_open {
            cursor = Some(Position::new(column, y));
        }
    }
    let below = lines.y + u16::try_from(Entry::ALL.len()).unwrap_or(0);
    let mut rest: Vec<Line> = plain(planner.entry().doc(), theme.dim, width);
    rest.push(Vec::new());
    match &plan {
        Ok((demand, plan)) => {
            rest.extend(arithmetic(demand, plan, width, theme));
            rest.extend(supply(model, planner, plan, width, theme));
        }
        Err((entry, why)) => rest.push(line(format!("{}: {why}", entry.label()), theme.warning)),
    }
    rest.push(Vec::new());
    let ignored: Vec<_> = Entry::ALL
        .iter()
        .filter(|entry| entry.inert().is_some())
        .map(|entry| entry.name())
        .collect();
    let text = format!(
        "The public market is known to ignore {} on a workergroup: there the endpoint's own values \
         count, with the same arithmetic.",
        ignored.join(", ")
    );
    rest.extend(signed("*", &text, theme.dim, width));
    // On a small screen the words count more than the space between them.
    if rest.len() > usize::from(area.bottom().saturating_sub(below)) {
        rest.retain(|line| !line.is_empty());
    }
    for (y, line) in (below..area.bottom()).zip(&rest) {
        draw_line(buffer, area.x + 1, y, area.right(), line);
    }
    cursor
}

#[expect(
    clippy::too_many_arguments,
    reason = "a line and all that stands in it"
)]
fn entry_line(
    buffer: &mut Buffer,
    area: Rect,
    y: u16,
    planner: &Planner,
    place: usize,
    entry: Entry,
    is_open: bool,
    wrong: Option<&str>,
    theme: &Theme,
) -> u16 {
    let input = &planner.inputs[place];
    let sign = if is_open { "> " } else { "  " };
    let x = paint::text(buffer, area.x, y, 2, sign, theme.accent);
    let star = if entry.inert().is_some() { " *" } else { "" };
    let label = format!("{}{star}", entry.label());
    paint::text(buffer, x, y, LABEL, &label, theme.dim);
    let x = x + LABEL;
    let hidden = input.scroll(usize::from(INPUT - 1));
    let shown: String = input.text().chars().skip(hidden).collect();
    let end = x + INPUT;
    if input.is_empty() {
        let text = entry
            .default()
            .map_or_else(String::new, |default| format!("{default} (default)"));
        paint::text(buffer, x, y, INPUT, &text, theme.dim);
    } else {
        let style = if wrong.is_some() {
            theme.error
        } else {
            theme.text
        };
        paint::text(buffer, x, y, INPUT, &shown, paint::typed(input, style));
    }
    if let Some(why) = wrong {
        let room = area.right().saturating_sub(end + 1);
        paint::text(buffer, end + 1, y, room, why, theme.error);
    }
    let column = u16::try_from(input.cursor_column().saturating_sub(hidden)).unwrap_or(0);
    x + column.min(INPUT - 1)
}

fn arithmetic(demand: &Demand, plan: &CapacityPlan, width: u16, theme: &Theme) -> Vec<Line> {
    let number = |value: f64| trimmed(value, 2);
    let load = if plan.load > demand.load {
        format!("{} (min load)", number(plan.load))
    } else {
        number(plan.load)
    };
    let mut rows = vec![
        (
            "Target capacity",
            format!(
                "{load} / {} = {} ({} % in reserve)",
                number(demand.target_util),
                number(plan.target_capacity),
                trimmed(plan.headroom * 100.0, 1)
            ),
        ),
        (
            "  active workers",
            format!(
                "{} / {} = {}",
                number(plan.target_capacity),
                number(demand.per_worker),
                workers(plan.needed_active)
            ),
        ),
        (
            "Cold capacity",
            format!(
                "{} x {} = {}",
                number(plan.target_capacity),
                number(demand.cold_mult),
                number(plan.cold_capacity)
            ),
        ),
        (
            "  workers in all",
            format!(
                "{} / {}, at least {} cold and the active ones = {}",
                number(plan.cold_capacity),
                number(demand.per_worker),
                demand.cold_workers,
                workers(plan.needed_total)
            ),
        ),
        (
            "Within the bound",
            format!(
                "at most {}: {} active, {} in all",
                demand.max_workers, plan.active, plan.total
            ),
        ),
    ];
    rows.push((
        "Largest load",
        format!(
            "{} x {} x {} = {}",
            demand.max_workers,
            number(demand.per_worker),
            number(demand.target_util),
            number(plan.most_load)
        ),
    ));
    let mut lines: Vec<Line> = rows
        .into_iter()
        .flat_map(|(label, text)| super::labelled(label, &text, theme.text, width, theme))
        .collect();
    if plan.is_short() {
        let text = format!(
            "max_workers is too small for this load: {} workers are needed active, {} are allowed",
            plan.needed_active, plan.active
        );
        lines.extend(signed("!", &text, theme.warning, width));
    } else if plan.total < plan.needed_total {
        let text = format!(
            "max_workers bounds the cold workers: {} of {} are kept",
            plan.total, plan.needed_total
        );
        lines.extend(signed("!", &text, theme.warning, width));
    }
    lines
}

/// Whether there are machines for the workers, as far as a preflight of the same search tells.
fn supply(
    model: &Model,
    planner: &Planner,
    plan: &CapacityPlan,
    width: u16,
    theme: &Theme,
) -> Vec<Line> {
    let panel = &model.groups.preflight;
    let Some(found) = panel.report(model, planner.subject) else {
        let key = model.keymap.way_to("form-preflight");
        let text = format!("{key} looks for machines");
        return super::labelled("Supply now", &text, theme.dim, width, theme);
    };
    let machines = super::preflight::amount(found.recruitable);
    let more = match found.coverage {
        Coverage::Cut => "at least ",
        Coverage::Whole | Coverage::Unknown => "",
    };
    let room = found.most_workers;
    // What cannot run costs nothing: the sum is of those there are machines for.
    let running = u32::try_from(room).unwrap_or(u32::MAX).min(plan.active);
    let cost = found.cost(running).map_or_else(String::new, |cost| {
        format!(
            "; {} cost {} an hour or more, typically {}",
            workers(running),
            super::preflight::dollars(cost.least),
            super::preflight::dollars(cost.typical)
        )
    });
    let text = format!("{more}{machines}{cost}");
    let mut lines = super::labelled("Supply now", &text, theme.text, width, theme);
    if (plan.active as usize) > room && found.coverage != Coverage::Cut {
        let text = format!(
            "machines for {room} of {} active workers are free now",
            plan.active
        );
        lines.extend(signed("!", &text, theme.warning, width));
    }
    lines
}

fn workers(count: u32) -> String {
    super::preflight::plural(count as usize, "worker")
}

//! The arithmetic of a job's cost on one offer.

use ratatui::style::Style;

use crate::app::remote::Now;
use crate::domain::cost::{Job, JobCost, Measure, Outlives, Prices, Room};
use crate::domain::format::{self, trimmed};
use crate::ui::paint;
use crate::widgets::theme::Theme;

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

//! Bills as lines of text: the arithmetic step by step, and whether the offer is available long
//! enough.

use ratatui::text::{Line, Span};

use super::view::work;
use crate::domain::cost::{Job, Measure, Outlives, Prices, Room, Step, VolumePrices, VolumeTerm};
use crate::domain::format::trimmed;
use crate::domain::{Listing, format};
use crate::table::remote::Now;
use crate::widgets::theme::Theme;

const SECONDS_PER_HOUR: f64 = 3600.0;

// Cells of the labels: the longest is "Storage while running".
const LABEL: usize = 21;

/// What a job costs on an offer.
pub fn job(prices: &Prices<'_>, row: usize, job: &Job, now: Now, theme: &Theme) -> Vec<Line<'static>> {
    match prices.job(row, job, now.epoch) {
        Err(gap) => vec![Line::styled(format!("No bill: {gap}"), theme.warning)],
        Ok(cost) => {
            let mut lines = steps(&cost.steps, theme);
            lines.extend(work(&cost, job, theme));
            lines.extend(end(("offer", "job"), "the job is done", cost.outlives, theme));
            lines.extend(room("disk", cost.room, theme));
            lines
        }
    }
}

/// What a volume costs for a size and term.
pub fn volume(listing: &Listing, row: usize, term: &VolumeTerm, now: Now, theme: &Theme) -> Vec<Line<'static>> {
    match VolumePrices::new(listing).cost(row, term, now.epoch) {
        Err(gap) => vec![Line::styled(format!("No bill: {gap}"), theme.warning)],
        Ok(cost) => {
            let mut lines = steps(&cost.steps, theme);
            lines.extend(end(("volume", "term"), "the term does", cost.outlives, theme));
            lines.extend(room("volume", cost.room, theme));
            lines
        }
    }
}

/// Arithmetic, one line per step; the last one is the sum.
pub fn steps(steps: &[Step], theme: &Theme) -> Vec<Line<'static>> {
    let line = |(index, step): (usize, &Step)| {
        let value = match step.measure {
            Measure::DollarsPerHour => format::per_hour(step.value),
            Measure::Dollars => format::dollars(step.value),
            Measure::Hours => format!("{} h", trimmed(step.value, 2)),
        };
        let is_sum = index + 1 == steps.len();
        let style = if is_sum { theme.heading } else { theme.text };
        Line::from(vec![
            Span::styled(format!("{:LABEL$} ", step.label), theme.dim),
            Span::styled(format!("{value:>10}"), style),
            Span::styled(format!("  {}", step.formula), theme.dim),
        ])
    };
    steps.iter().enumerate().map(line).collect()
}

fn end((noun, purpose): (&str, &str), needed: &str, outlives: Outlives, theme: &Theme) -> Vec<Line<'static>> {
    let span = |hours: f64| format::lasting(hours * SECONDS_PER_HOUR);
    let line = match outlives {
        Outlives::Yes { spare } => {
            Line::styled(format!("Available for {} after the {purpose}", span(spare)), theme.good)
        }
        Outlives::No { short_by } => {
            let text = format!("! The {noun} ends {} before {needed}", span(short_by));
            Line::styled(text, theme.warning)
        }
        Outlives::Unknown => Line::styled(format!("! End of the {noun} not reported"), theme.warning),
    };
    vec![line]
}

fn room(noun: &str, room: Room, theme: &Theme) -> Option<Line<'static>> {
    match room {
        Room::Enough => None,
        Room::ShortBy(gb) => {
            let text = format!("! The {noun} is {} too small", format::gigabytes(gb));
            Some(Line::styled(text, theme.warning))
        }
        Room::Unknown => Some(Line::styled(
            format!("! Size of the {noun} not reported"),
            theme.warning,
        )),
    }
}

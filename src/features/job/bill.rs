//! Bills as lines of text: the arithmetic step by step, and whether the offer is available long
//! enough.

use ratatui::text::{Line, Span};

use crate::domain::OfferType;
use crate::domain::cost::{Job, JobCost, Measure, Outlives, Prices, Room, Step, VolumePrices, VolumeTerm};
use crate::domain::format::{dollars, gigabytes, lasting, trimmed};
use crate::domain::listing::Listing;
use crate::domain::time::UnixTime;
use crate::tui::theme::Theme;

/// Cells of the labels and of the amounts.
pub(super) const LABEL: usize = 22;
pub(super) const AMOUNT: usize = 10;

/// The bill of a job on the offer at `row`, started at `now`: the steps of the cost, the cost of a unit of
/// work, whether the deadline is met and how long the offer outlives the job, and a warning if its disk may
/// be too small or its price type has a condition. Formulas move to a line of their own beyond `width` cells.
/// If the cost cannot be computed, a single line with the reason.
pub(crate) fn job(
    prices: &Prices<'_>,
    row: usize,
    job: &Job,
    (now, width): (UnixTime, u16),
    theme: &Theme,
) -> Vec<Line<'static>> {
    let cost = match prices.job_cost(row, job, now) {
        Ok(cost) => cost,
        Err(gap) => return vec![Line::styled(format!("No bill: {gap}"), theme.warning)],
    };
    let mut lines = steps(&cost.steps, width, theme);
    let presumed = match prices.model {
        OfferType::OnDemand => None,
        OfferType::Bid => Some("At the lowest bid, and never interrupted"),
        OfferType::Reserved => Some("At the price of a prepaid term"),
    };
    lines.extend(presumed.map(|text| Line::styled(text, theme.warning)));
    lines.extend(work(&cost, job, theme));
    lines.push(end(("offer", "job"), "the job is done", cost.outlives, theme));
    lines.extend(room("disk", cost.room, theme));
    lines
}

/// The bill of a volume at `row` for a size and term, started at `now`: the steps of the cost, and whether
/// the volume lasts and is large enough. Formulas move to a line of their own beyond `width` cells. If the
/// cost cannot be computed, a single line with the reason.
pub(crate) fn volume(
    listing: &Listing,
    row: usize,
    term: &VolumeTerm,
    (now, width): (UnixTime, u16),
    theme: &Theme,
) -> Vec<Line<'static>> {
    let cost = match VolumePrices::new(listing).cost(row, term, now) {
        Ok(cost) => cost,
        Err(gap) => return vec![Line::styled(format!("No bill: {gap}"), theme.warning)],
    };
    let mut lines = steps(&cost.steps, width, theme);
    lines.push(end(("volume", "term"), "the term does", cost.outlives, theme));
    lines.extend(room("volume", cost.room, theme));
    lines
}

/// The arithmetic of a bill: label, value and formula of each step, which is on the next line if it does not
/// fit; the last step is the sum.
fn steps(steps: &[Step], width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let line = |(index, step): (usize, &Step)| {
        let value = match step.measure {
            Measure::Dollars => dollars(step.value),
            // Storage per hour is far below a cent: show the digits that add up to dollars.
            Measure::DollarsPerHour => format!("${:.6}/h", step.value),
            Measure::Hours => format!("{} h", trimmed(step.value, 2)),
        };
        let is_sum = index + 1 == steps.len();
        let mut line = Line::from(vec![
            Span::styled(format!("{:LABEL$}", step.label), theme.dim),
            Span::styled(
                format!("{value:>AMOUNT$}"),
                if is_sum { theme.figure() } else { theme.text },
            ),
        ]);
        let formula = Span::styled(format!("  = {}", step.formula), theme.dim);
        if line.width() + formula.width() <= usize::from(width) {
            line.push_span(formula);
            return vec![line];
        }
        vec![line, Line::from(formula)]
    };
    steps.iter().enumerate().flat_map(line).collect()
}

/// A line on the cost of a unit of work, if the job has work, and one on the time before or after the
/// deadline, if it has one (blank if the time is unknown).
fn work(cost: &JobCost, job: &Job, theme: &Theme) -> Vec<Line<'static>> {
    let each = job.work.zip(cost.per_unit);
    let each = each.map(|(work, dollars)| {
        let (dollars, unit) = (trimmed(dollars, 4), work.unit.per());
        Line::styled(format!("${dollars}/{unit}, traffic and disk included"), theme.text)
    });
    let in_time = cost.in_time.map(|in_time| match in_time {
        Outlives::No { short_by } => Line::styled(format!("! Done {} after the deadline", span(short_by)), theme.error),
        Outlives::Yes { spare } => Line::styled(format!("Done {} before the deadline", span(spare)), theme.good),
        Outlives::Unknown => Line::default(),
    });
    each.into_iter().chain(in_time).collect()
}

/// A line on the time for which the offer or volume (`noun`) stays available after the job or term
/// (`purpose`); an error if it ends before `needed`, a warning if its end is not reported.
fn end((noun, purpose): (&str, &str), needed: &str, outlives: Outlives, theme: &Theme) -> Line<'static> {
    match outlives {
        Outlives::Yes { spare } => {
            Line::styled(format!("Available for {} after the {purpose}", span(spare)), theme.good)
        }
        Outlives::No { short_by } => Line::styled(
            format!("! The {noun} ends {} before {needed}", span(short_by)),
            theme.error,
        ),
        Outlives::Unknown => Line::styled(format!("! End of the {noun} not reported"), theme.warning),
    }
}

/// A warning that the disk or volume (`noun`) is too small or of unknown size; `None` if it is large enough.
fn room(noun: &str, room: Room, theme: &Theme) -> Option<Line<'static>> {
    let text = match room {
        Room::Enough => return None,
        Room::ShortBy(gb) => format!("! The {noun} is {} too small", gigabytes(gb)),
        Room::Unknown => format!("! Size of the {noun} not reported"),
    };
    Some(Line::styled(text, theme.warning))
}

/// A duration given in hours, as text in its largest fitting unit: `5 hours`, `41 days`.
pub(super) fn span(hours: f64) -> String {
    lasting(hours * 3600.0)
}

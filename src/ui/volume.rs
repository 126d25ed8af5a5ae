//! What a volume costs for a size and term: the arithmetic in the detail view.

use ratatui::style::Style;

use super::detail::View;
use crate::app::remote::Now;
use crate::domain::Listing;
use crate::domain::cost::{Measure, Outlives, Room, Step, VolumePrices, VolumeTerm};
use crate::domain::format::{self, trimmed};
use crate::widgets::theme::Theme;

/// Cells of the bar that shows a spread of speeds.
const BAR: usize = 32;

/// Cells of the label column of a detail view.
const LABEL: usize = 18;

/// From this width on, amounts stand below each other and the arithmetic beside them.
const WIDE: u16 = 60;

type Line = Vec<(String, Style)>;

/// The lines of a detail view: cost, availability, spread of speeds.
pub fn detail(
    view: &View<'_>,
    listing: &Listing,
    row: usize,
    width: u16,
    theme: &Theme,
) -> Vec<Line> {
    let (asked, now) = (view.browser.figures.term, view.now);
    let key = view.keymap.way_to("detail-job");
    let term = asked.unwrap_or_default();
    let advice = if asked.is_some() {
        format!("{key} changes it")
    } else {
        format!("an example: {key} sets size and term")
    };
    let mut lines = vec![vec![
        (
            format!(
                "What {} for {} days cost ",
                format::gigabytes(term.gb),
                trimmed(term.days, 4)
            ),
            theme.heading,
        ),
        (format!("({advice})"), theme.dim),
    ]];
    lines.extend(cost(listing, row, &term, now, width, theme));
    let (speeds, bar) = spread(listing, row);
    lines.push(labelled("Disk reads", speeds, theme.text, theme));
    lines.extend(bar.map(|bar| labelled("", bar, theme.text, theme)));
    lines.push(Vec::new());
    lines
}

/// What a volume costs, step by step, and whether it is there long enough and has the room.
fn cost(
    listing: &Listing,
    row: usize,
    term: &VolumeTerm,
    now: Now,
    width: u16,
    theme: &Theme,
) -> Vec<Line> {
    let cost = match VolumePrices::new(listing).cost(row, term, now.epoch) {
        Ok(cost) => cost,
        Err(gap) => {
            let why = format!("The cost cannot be worked out: {gap}.");
            return vec![vec![(why, theme.warning)]];
        }
    };
    let mut lines = steps(&cost.steps, width, theme);
    let (text, style) = outlives(cost.outlives, theme);
    lines.push(labelled("Availability", text, style, theme));
    let (text, style) = match cost.room {
        Room::Enough => ("enough for this size".to_owned(), theme.text),
        Room::ShortBy(gb) => (
            format!("{} too little", format::gigabytes(gb)),
            theme.warning,
        ),
        Room::Unknown => ("the record does not say".to_owned(), theme.dim),
    };
    lines.push(labelled("Space", text, style, theme));
    lines
}

/// Arithmetic, a line for each step.
pub fn steps(steps: &[Step], width: u16, theme: &Theme) -> Vec<Line> {
    steps
        .iter()
        .map(|step| {
            let value = match step.measure {
                Measure::DollarsPerHour => format!("${:.6}/h", step.value),
                Measure::Dollars => format!("${:.2}", step.value),
                Measure::Hours => format!("{} h", trimmed(step.value, 2)),
            };
            let value = if width < WIDE {
                value
            } else {
                format!("{value:>14}")
            };
            vec![
                (format!("{:LABEL$} ", step.label), theme.dim),
                (value, theme.text),
                (format!(" = {}", step.formula), theme.dim),
            ]
        })
        .collect()
}

fn labelled(label: &str, text: String, style: Style, theme: &Theme) -> Line {
    vec![(format!("{label:LABEL$} "), theme.dim), (text, style)]
}

fn outlives(outlives: Outlives, theme: &Theme) -> (String, Style) {
    const HOUR: f64 = 3600.0;
    match outlives {
        Outlives::Yes { spare } => (
            format!(
                "until {} after the end of the term",
                format::span(spare * HOUR)
            ),
            theme.text,
        ),
        Outlives::No { short_by } => (
            format!(
                "! ends {} before the term does",
                format::span(short_by * HOUR)
            ),
            theme.warning,
        ),
        Outlives::Unknown => ("the record does not say when it ends".to_owned(), theme.dim),
    }
}

/// The slowest, average and fastest read of the cluster's machines, drawn in plain characters.
fn spread(listing: &Listing, row: usize) -> (String, Option<String>) {
    let speed = |key: &str| {
        let field = listing.catalog().by_key(key)?;
        listing
            .cell(row, field)
            .number()
            .filter(|speed| *speed >= 0.0)
    };
    let [least, average, most] = ["nw_disk_min_bw", "nw_disk_avg_bw", "nw_disk_max_bw"].map(speed);
    let told = |speed: Option<f64>| speed.map_or("?".to_owned(), |speed| format!("{speed:.0}"));
    let words = format!(
        "{} min, {} avg, {} max MB/s",
        told(least),
        told(average),
        told(most)
    );
    let bar = match (least, average, most) {
        (Some(least), Some(average), Some(most))
            if most > 0.0 && least <= average && average <= most =>
        {
            Some(format!(
                "{} 0 to {most:.0}",
                bar(least / most, average / most)
            ))
        }
        _ => None,
    };
    (words, bar)
}

/// `[....====#======]`: nothing, then from the least to the most, with the average.
fn bar(least: f64, average: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )] // shares from 0 to 1 of a few cells
    let place = |share: f64| ((share * BAR as f64) as usize).min(BAR - 1);
    let (first, middle) = (place(least), place(average));
    let cells: String = (0..BAR)
        .map(|cell| match cell {
            cell if cell == middle => '#',
            cell if cell < first => '.',
            _ => '=',
        })
        .collect();
    format!("[{cells}]")
}

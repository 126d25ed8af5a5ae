//! What a volume costs for a size and term: the form and the arithmetic.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::paint;
use super::write::{self, Row};
use crate::app::browser::Browser;
use crate::app::facts::{Facts, Target};
use crate::app::remote::Now;
use crate::app::volume_form::{LABELS, VolumeForm};
use crate::domain::Listing;
use crate::domain::cost::{Measure, Outlives, Room, Step, VolumePrices, VolumeTerm};
use crate::domain::format::{self, trimmed};
use crate::ui::picker::frame;
use crate::widgets::theme::Theme;

/// Cells of the label column of a detail view.
const LABEL: usize = 18;

/// From this width on, amounts stand below each other and the arithmetic beside them.
const WIDE: u16 = 60;

type Line = Vec<(String, Style)>;

/// Draws the form; gives the cursor's place.
pub fn form(
    buffer: &mut Buffer,
    area: Rect,
    browser: &Browser,
    form: &VolumeForm,
    now: Now,
    theme: &Theme,
    facts: &mut Facts,
) -> Option<Position> {
    let width = area.width.saturating_sub(2).min(84);
    let inner_width = width.saturating_sub(4);
    let mut rows: Vec<Row> = LABELS
        .iter()
        .zip(form.lines())
        .enumerate()
        .map(|(index, (label, line))| {
            Row::input(label, line, index == form.focused(), inner_width, theme)
        })
        .collect();
    let note = "500 GB, 2 TB · 3 months (of 30 days, 720 h), 45 days, 2 weeks";
    rows.extend(write::wrapped(5, note, inner_width, theme.dim));
    if let Some(complaint) = &form.complaint {
        rows.extend(write::wrapped(0, complaint, inner_width, theme.error));
    }
    rows.push(Row::new(7, "", theme.dim));
    match form.term() {
        Err((index, why)) => {
            let text = format!("{}: {why}.", LABELS[index]);
            if form.complaint.is_none() {
                rows.extend(write::wrapped(1, &text, inner_width, theme.warning));
            }
        }
        Ok(term) => {
            if let (Some(listing), Some(row)) = (browser.listing(), browser.selected_row()) {
                let id = listing
                    .id(row)
                    .map_or_else(String::new, |id| id.to_string());
                rows.push(Row::new(
                    3,
                    format!("On the selected volume {id}"),
                    theme.heading,
                ));
                let lines = cost(listing, row, &term, now, inner_width, theme);
                rows.extend(lines.into_iter().map(|line| Row::of(2, line)));
            }
        }
    }
    let height = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .saturating_add(2);
    let place = Rect {
        height: area.height.saturating_sub(1),
        ..area
    };
    let inner = frame(buffer, place, (width, height), "Volume cost", theme);
    let inner = Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        ..inner
    };
    for (index, y) in (0..LABELS.len()).zip(inner.y..inner.bottom()) {
        let strip = Rect::new(inner.x, y, inner.width, 1);
        facts
            .targets
            .push((paint::area(strip), Target::Line(index)));
    }
    write::draw(buffer, inner, rows)
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

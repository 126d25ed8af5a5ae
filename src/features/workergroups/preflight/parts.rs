//! Texts and lines shared by all views of preflights.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::domain::cost::ColdStart;
use crate::domain::format::{self, dollars};
use crate::domain::insight::Amount;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::workergroup::{Preflight, WorkerOffer};
use crate::tui::text::fit;
use crate::tui::theme::Theme;

/// Cells of the labels of a report.
const LABEL: usize = 16;

/// The line of a label, padded to a column, and its value in `style`.
pub fn labelled(label: &str, text: impl Into<String>, style: Style, theme: &Theme) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{label:LABEL$} "), theme.dim),
        Span::styled(text.into(), style),
    ])
}

/// The line of a sign followed by a text, both in `style`.
pub fn signed(sign: &str, text: &str, style: Style) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{sign} "), style),
        Span::styled(text.to_owned(), style),
    ])
}

/// Machines and their GPUs: `31 machines, 74 GPUs`.
pub fn amount_text(amount: Amount) -> String {
    let gpus = usize::try_from(amount.gpus).unwrap_or(usize::MAX);
    format!("{}, {}", plural(amount.machines, "machine"), plural(gpus, "GPU"))
}

/// The disk that prices include, as text: `gb` from the launch arguments, or else the default one.
pub fn disk(gb: Option<f64>) -> String {
    gb.map_or_else(
        || format!("the default {} disk", format::gigabytes(DEFAULT_STORAGE_GB)),
        |gb| format!("{} disk from --disk", format::gigabytes(gb)),
    )
}

/// The cost of cold starts on the offers of a search, as text, for `starts` of them a day; `unknown` with the
/// reason if the size is not configured or no offer reports enough.
pub fn cold_start(preflight: &Preflight, start: Option<ColdStart>, starts: u32) -> String {
    let Some(start) = start else {
        return "unknown: set [models] size in the configuration".to_owned();
    };
    preflight.cold_start_costs(start).map_or_else(
        || "unknown: no offer reports price and speed of its downloads".to_owned(),
        |range| range.describe(start, starts),
    )
}

/// Cells of all columns of the offers except the GPUs.
const FIGURES: u16 = 37;

/// Cells of the column with the cost of a cold start.
const START: u16 = 10;

/// The cheapest offers of a workergroup's search under their header, with prices in $/h, in at most `rows`
/// lines of `width` cells; with a cold-start column in $ if `start` is known and the width allows.
pub fn offers(
    preflight: &Preflight,
    start: Option<ColdStart>,
    (width, rows): (u16, u16),
    theme: &Theme,
) -> Vec<Line<'static>> {
    let start = start.filter(|_| width >= FIGURES + START + 8);
    let figures = if start.is_some() { FIGURES + START } else { FIGURES };
    let gpus = usize::from(width.saturating_sub(figures).clamp(8, 24));
    let head = format!(
        "{:>9}  {:gpus$}  {:7}  {:>5}  {:>8}{}",
        "ID",
        "GPUs",
        "Country",
        "Rel %",
        "$/h",
        if start.is_some() { "   Start $" } else { "" }
    );
    let line = |offer: &WorkerOffer| {
        let reliability = offer.reliability;
        let reliability = reliability.map_or_else(|| format::NONE.to_owned(), |share| format!("{:.1}", share * 100.0));
        let start = start.map_or_else(String::new, |start| {
            let cost = offer.start.map(|terms| dollars(terms.cost(start).total()));
            format!("  {:>8}", cost.unwrap_or_else(|| format::NONE.to_owned()))
        });
        let text = format!(
            "{:>9}  {:gpus$}  {:7}  {reliability:>5}  {:>8.4}{start}",
            offer.id.to_string(),
            offer.gpus.screen(gpus),
            offer.country.screen(7),
            offer.price
        );
        fit(Line::styled(text, theme.text), width)
    };
    let lines = preflight.cheapest.iter().map(line);
    let head = fit(Line::styled(head, theme.heading), width);
    std::iter::once(head).chain(lines).take(usize::from(rows)).collect()
}

/// A count with its noun: `1 worker`, `3 workers`; only for nouns with a regular plural.
pub fn plural(count: usize, noun: &str) -> String {
    format::counted(count, noun, &format!("{noun}s"))
}

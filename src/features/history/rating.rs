//! Sentences that compare an offer's price with the record.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::core::State;
use crate::domain::format::percent;
use crate::domain::time::Now;
use crate::domain::{Resource, format};
use crate::features::history::verdict_basis_of_row;
use crate::record::{Lasted, Memory, Standing, Verdict, seconds};
use crate::tui::theme::Theme;

/// The ending of a text about recorded prices, which marks simulated ones; empty on a real market.
pub(crate) const fn simulation_suffix(state: &State) -> &'static str {
    if state.profile.is_sandbox { ", simulated" } else { "" }
}

/// Sentences on an offer, each with its style: the verdict, its price, how long it was seen (from a minute
/// on), and, with a verdict, how long such offers last. Those without data are left out; empty until the
/// record is read.
pub(crate) fn sentences(
    state: &State,
    (resource, row): (Resource, usize),
    now: Now,
    theme: &Theme,
) -> Vec<(String, Style)> {
    let Some((memory, lot, price)) = verdict_basis_of_row(state, resource, row) else {
        return Vec::new();
    };
    let mut sentences = Vec::new();
    let verdict = memory.verdict();
    // Without any watched time the verdict says nothing about this offer.
    if memory.watched > 0 {
        sentences.push((
            memory.verdict_sentence() + simulation_suffix(state),
            verdict_style(&verdict, theme),
        ));
    }
    let offer = offer(memory, price).map(|text| format!("This offer: {text}{}", simulation_suffix(state)));
    sentences.extend(offer.map(|text| (text, theme.text)));
    let lasted = memory.time_on_offer(&lot, now.epoch.moment());
    let seen = lasted.filter(|lasted| lasted.seconds >= 60);
    sentences.extend(seen.map(|lasted| {
        (
            format!("Seen for {}{}", span(lasted), simulation_suffix(state)),
            theme.dim,
        )
    }));
    // Without a verdict, too little is recorded for a statement on lifetimes.
    if let Verdict::Given(_) = verdict {
        sentences.push((memory.lifetime_sentence() + simulation_suffix(state), theme.dim));
    }
    sentences
}

/// The lowest price of similar offers over the recorded time, as a sparkline of 16 equal time steps, the last of which
/// has the current one, with its lowest value; `None` without a verdict, or with prices in fewer than two steps.
pub(crate) fn trend(state: &State, (resource, row): (Resource, usize), theme: &Theme) -> Option<Line<'static>> {
    // With the range beside it that fits the preview of a terminal with 120 columns.
    const PARTS: usize = 16;
    let (memory, ..) = verdict_basis_of_row(state, resource, row)?;
    // Of less than a day it would tell nothing of the market.
    let Verdict::Given(_) = memory.verdict() else {
        return None;
    };
    let mut prices = memory.trend(PARTS);
    if let (Some(last), Some(now)) = (prices.last_mut(), memory.lowest) {
        *last = Some(now);
    }
    // Within a part the lowest price may have been higher than the lowest of each.
    let lows = || memory.lows().iter().map(|(.., price)| *price).chain(memory.lowest);
    let (low, high) = (lows().reduce(f64::min)?, lows().reduce(f64::max)?);
    if prices.iter().flatten().count() < 2 {
        return None;
    }
    let line = levels(&prices, low, high);
    let span = format::brief(seconds(memory.until.since(memory.since)));
    let range = if low < high {
        format!("from {}", format::unit_price(low))
    } else {
        format!("always {}", format::unit_price(low))
    };
    Some(Line::from(vec![
        Span::styled(format!("{:9} ", format!("Low {span}")), theme.dim),
        Span::styled(line, theme.series[1]),
        Span::styled(format!(" {range}"), theme.text),
    ]))
}

/// Prices as a line of blocks, the lowest at the bottom; a gap where there is none, empty if there is none at
/// all.
pub(crate) fn sparkline(prices: &[Option<f64>]) -> String {
    let known = || prices.iter().flatten().copied();
    let ends = known().reduce(f64::min).zip(known().reduce(f64::max));
    ends.map_or_else(String::new, |(low, high)| levels(prices, low, high))
}

/// A block for each price, of a height from `low` to `high`; a blank for `None`.
///
/// No block fills its row, or lines in adjacent rows would run into each other.
fn levels(prices: &[Option<f64>], low: f64, high: f64) -> String {
    const LEVELS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];
    let level = |price: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 6
        let level = ((price - low) / (high - low).max(f64::MIN_POSITIVE) * 6.0).round() as usize;
        LEVELS[level.min(6)]
    };
    prices.iter().map(|price| price.map_or(' ', level)).collect()
}

/// The price of an offer compared with the lowest one now, as a phrase; `None` until the record is read, or
/// if too little is recorded.
pub(crate) fn describe_offer_price(state: &State, resource: Resource, row: usize) -> Option<String> {
    let (memory, _, price) = verdict_basis_of_row(state, resource, row)?;
    Some(offer(memory, price)? + simulation_suffix(state))
}

/// The style of a verdict: good for a low price, a warning for a high one, dim if there is no verdict.
pub(crate) fn verdict_style(verdict: &Verdict, theme: &Theme) -> Style {
    let Verdict::Given(rating) = verdict else {
        return theme.dim;
    };
    match rating.standing {
        Standing::Low => theme.good,
        Standing::Typical => theme.text,
        Standing::High => theme.warning,
    }
}

/// The distance of an offer from the current lowest price of its model and number of GPUs: `3% above the
/// lowest now for 1 GPU`, or from double on `2.4 times the lowest now`; of a bid, also how often it would be
/// outbid. `None` if too little is recorded or the lowest price is unknown.
///
/// An offer alone is neither low nor high: the lowest prices of the past are compared with the current
/// lowest.
fn offer(memory: &Memory, price: f64) -> Option<String> {
    let (rating, lowest) = (memory.rate(price)?, memory.lowest?);
    let share = price / lowest - 1.0;
    let above = if share < 0.001 || !share.is_finite() {
        "the lowest now".to_owned()
    } else if share >= 1.0 {
        format!("{} times the lowest now", format::trimmed(share + 1.0, 1))
    } else {
        format!("{} above the lowest now", percent(share))
    };
    let outbid = rating.outbid.map_or_else(String::new, |share| {
        format!("; outbid in {} of watched hours", percent(share))
    });
    Some(above + &memory.offer_size() + &outbid)
}

/// A duration as text: `3.2 h`, or `at least 3.2 h` if its beginning was not observed.
fn span(lasted: Lasted) -> String {
    let sign = if lasted.is_at_least { "at least " } else { "" };
    format!("{sign}{}", format::brief(seconds(lasted.seconds)))
}

//! The lines of the price index as text.

use super::index::{Index, IndexLine, SIZES};
use crate::domain::format;
use crate::domain::format::{counted, lasting, percent, unit_price};
use crate::domain::text::screen;
use crate::features::history::figures::{Head, shown};
use crate::record::seconds;

/// The columns of [`cells`], in the same order.
pub(crate) const HEADS: [Head; 11] = [
    ("Model", "model", 20, 0),
    ("Country", "country", 9, 3),
    ("GPUs", "gpus_on_offer", 6, 1),
    ("Usual low", "lowest_per_gpu", 9, 0),
    ("2x", "premium_2x", 7, 1),
    ("4x", "premium_4x", 7, 1),
    ("8x", "premium_8x", 7, 1),
    ("Bid", "bid", 7, 0),
    ("Reserved", "reserved", 10, 2),
    ("Left rented", "rented", 12, 2),
    ("Known", "known_seconds", 10, 4),
];

/// A difference (a share) as text in percent with its sign: `+12%`, `−5%`, `0%`.
fn signed_percent(share: f64) -> String {
    let size = percent(share.abs());
    let sign = if size == "0%" {
        ""
    } else if share < 0.0 {
        "−"
    } else {
        "+"
    };
    sign.to_owned() + &size
}

/// Seconds for which the lowest price of a line of the price index is known.
pub(crate) fn known_seconds(line: &IndexLine) -> f64 {
    let known: i64 = line.lows.iter().map(|(from, to, _)| to.since(*from)).sum();
    seconds(known)
}

/// The cells of a line of the price index, in the order of `HEADS`; a dash for unknown values.
pub(crate) fn cells(line: &IndexLine) -> Vec<String> {
    let starts = [
        screen(&line.model, 20),
        line.country
            .map_or_else(|| "all".to_owned(), |country| country.to_string()),
        format::grouped(usize::try_from(line.gpus).unwrap_or(usize::MAX)),
        unit_price(line.lowest),
    ];
    let premiums = line.premiums.map(|premium| shown(premium, signed_percent));
    let ends = [
        shown(line.bid, signed_percent),
        shown(line.reserved, signed_percent),
        shown(line.rented, percent),
        lasting(known_seconds(line)),
    ];
    starts.into_iter().chain(premiums).chain(ends).collect()
}

/// The basis of the price index in one line, the most important facts first; `since` is formatted for
/// display, `origin` names the source of the prices.
pub(crate) fn short_basis(index: &Index, since: &str, origin: &str) -> String {
    let withheld = match index.withheld {
        0 => String::new(),
        many => format!(" · {many} left out: known for less than 24 hours"),
    };
    format!(
        "Prices {origin} · Usual low: median since {since}, in offers of any size · 2x, 4x, 8x: difference per GPU from 1x · \
         Bid, Reserved: difference from on-demand · Left rented: share of the offers gone for a known cause{withheld}"
    )
}

/// Sentences on the basis of the price index; `since` is formatted for display, `origin` names the source of
/// the prices.
pub(crate) fn basis(index: &Index, since: &str, (unit, origin): (&str, &str)) -> Vec<String> {
    let sizes = SIZES.map(|gpus| format!("{gpus}x")).join(", ");
    let mut lines = vec![
        format!(
            "Usual low: median lowest price since {since}, in offers of any size. {sizes}: difference per GPU from 1x. Bid, Reserved: from \
             on-demand. Left rented: share of the offers gone for a known cause."
        ),
        format!(
            "Prices are {unit} of complete responses, {origin}. Differences compare the same moments, without \
             storage. Figures from less than a day or 30 departures are left out."
        ),
    ];
    if index.withheld > 0 {
        lines.push(format!(
            "{} left out: the lowest price is known for less than 24 hours.",
            counted(index.withheld, "model is", "models are")
        ));
    }
    lines
}

//! What a listing tells beyond its rows: groups and their prices, the Pareto front, plots,
//! related offers, comparisons, and what changed since the last response.
//!
//! Everything here is about the loaded rows, never about the whole market: see [`Coverage`]. A
//! missing value is left out; it is never taken for zero.

use super::field::{Field, Kind};
use super::listing::{Column, Listing};
use super::value::{CellRef, Version};

mod bill;
mod compare;
mod depth;
mod host;
mod knapsack;
mod offered;
mod pareto;
pub mod plan;
mod plot;
mod related;
mod standing;
mod summary;
mod supply;
mod totals;
mod watch;

pub use bill::Bill;
pub use compare::{CompareLine, CompareSection, Subject, compare, compare_fields, is_silent};
pub use depth::{Depth, MOST_GPUS, Purchase};
pub use host::{Count as HostCount, HostSummary, PriceLevel, host_summary, price_level};
pub use offered::{OfferIndex, Offered};
pub use pareto::{Front, Goal, Lead, Point, points};
pub use plot::{Bucket, Histogram, Scale, ScaleKind, Toward, neighbour};
pub use related::{Share, Slice, same_host, same_machine, share, slices};
pub use standing::{FEWEST, Measure, Rank, Standing};
pub use summary::{
    Best, Group, GroupOrder, GroupValue, Measures, Spread, facets, machine_prices, quantile, sort_groups, summarise,
};
pub use supply::{Amount, Lot, Machine, Picks, Supply};
pub use totals::Totals;
pub use watch::{Differences, PriceChange, differences, lot_of, lots, recorded_lot};

/// Whether the loaded rows are all that the market has for the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Fewer rows than the limit: there are no more.
    Whole,
    /// As many rows as the limit: more may exist.
    Cut,
    /// No limit was sent, and the server's own limit is unknown.
    Unknown,
}

/// Whether the limit truncated the response. Skipped records count: they were sent.
pub fn coverage(listing: &Listing, limit: Option<u32>) -> Coverage {
    let received = listing.len() + listing.skipped().len() + listing.duplicates() + listing.hidden();
    match limit {
        _ if let Some(known) = listing.known_coverage() => known,
        None => Coverage::Unknown,
        Some(limit) if received >= limit as usize => Coverage::Cut,
        Some(_) => Coverage::Whole,
    }
}

/// The number in a cell, for kinds that are numbers or versions (as their nine-digit number).
pub fn numeric(column: &Column, kind: Kind, row: usize) -> Option<f64> {
    number(column.cell(row), kind)
}

/// The number in a cell of a field of that kind; see [`numeric`].
fn number(cell: CellRef<'_>, kind: Kind) -> Option<f64> {
    match cell {
        CellRef::Number(number) if kind != Kind::Secret => Some(number),
        CellRef::Text(text) if kind == Kind::Version => {
            #[expect(clippy::cast_precision_loss)] // nine digits fit a double exactly
            Version::parse(text.trim()).map(|version| version.code as f64)
        }
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// The fields of a listing that can be an axis: numbers other than ids, from records or computed.
pub fn axes(listing: &Listing) -> impl Iterator<Item = &'static Field> {
    listing.catalog().columns().filter(|field| {
        field.kind.is_numeric()
            && !matches!(field.kind, Kind::Id)
            && (!field.is_computed() || listing.column(field).filled() > 0)
    })
}

/// A count as a float.
#[expect(clippy::cast_precision_loss)] // counts of rows are far below 2^53
const fn count(number: usize) -> f64 {
    number as f64
}

/// The integer part of a number, clamped to 0..=`most`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast saturates, and both ends are bounded
fn whole(number: f64, most: usize) -> usize {
    (number.max(0.0) as usize).min(most)
}

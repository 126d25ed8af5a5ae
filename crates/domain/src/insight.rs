//! Analysis of a listing: groups and their prices, the Pareto front, plots, related offers and comparisons.
//!
//! Everything here is about the loaded rows, never about the whole market: see [`Coverage`]. A missing value is left
//! out; it is never taken for zero.

use super::catalog::Resource;
use super::field::{Field, Kind};
use super::listing::{Column, Listing};
use super::query::Query;
use super::value::{CellRef, Version};

mod alike;
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

pub use alike::Alike;
pub use bill::Bill;
pub use compare::{CompareLine, CompareSection, Subject, compare, compare_fields, has_no_value};
pub use depth::{Depth, MOST_GPUS, Purchase};
pub use host::{Count as HostCount, HostSummary, PriceLevel, host_summary, price_level};
pub use offered::{OfferIndex, Offered};
pub use pareto::{Front, Goal, Lead, Point, points};
pub use plot::{Bucket, Histogram, Scale, ScaleKind, Toward, neighbour, only_value};
pub use related::{Share, Slice, same_host, same_machine, share, slices};
pub use standing::{FEWEST, Measure, PriceScale, Rank, Standing};
pub use summary::{
    Best, Group, GroupOrder, GroupValue, Measures, Spread, facets, machine_prices, quantile, sort_groups, summarise,
};
pub use supply::{Amount, Lot, Machine, Picks, Supply};
pub use totals::Totals;

/// The sum of some numbers, 0 for none.
///
/// Rust's own sum of no numbers is -0.
pub fn total(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |sum, number| sum + number)
}

/// Whether the loaded rows are all that the market has for the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// The response has every record that matches.
    Whole,
    /// The limit or the market cut the response: there are more.
    Cut,
    /// Unknown: the market may have cut the response.
    Unknown,
}

/// The smallest size at which a market may cut a response below its limit.
const LEAST_CAP: usize = 20;

/// Whether a response to a search with this limit is complete. Skipped records count: they were sent.
///
/// A coverage set when listings were merged decides, else the market's own `truncated`. Without both it is
/// cut if it reaches the limit, and complete below it, but unknown without a limit or for a round number:
/// some markets send 50, 64 or 100 at most, whatever the limit, and do not report it.
pub fn coverage(listing: &Listing, limit: Option<u32>) -> Coverage {
    let received = listing.received();
    match (listing.known_coverage(), listing.is_truncated(), limit) {
        (Some(known), ..) => known,
        (None, Some(true), _) => Coverage::Cut,
        (None, Some(false), _) => Coverage::Whole,
        (None, None, Some(limit)) if received >= limit as usize => Coverage::Cut,
        (None, None, Some(_)) if !is_round(received) => Coverage::Whole,
        (None, None, Some(_) | None) => Coverage::Unknown,
    }
}

/// Whether a response to `query` is complete: [`coverage`] by its limit; a listing of workergroups always is.
pub fn query_coverage(listing: &Listing, query: &Query) -> Coverage {
    match query.resource {
        Resource::Workergroups => Coverage::Whole,
        Resource::Offers | Resource::Volumes => coverage(listing, query.limit),
    }
}

/// Whether a number of records may be a market's own maximum: from 20, a multiple of 10 or 25, or a power of
/// two.
const fn is_round(records: usize) -> bool {
    records >= LEAST_CAP && (records.is_multiple_of(10) || records.is_multiple_of(25) || records.is_power_of_two())
}

/// The number in a cell of a row; a version as its nine-digit number. `None` for other cells, secrets, and
/// numbers that are not finite.
pub fn numeric(column: &Column, kind: Kind, row: usize) -> Option<f64> {
    number(column.cell(row), kind)
}

/// The numbers of a field in all rows; see [`numeric`].
pub fn numbers<'a>(listing: &'a Listing, field: &'static Field) -> impl Iterator<Item = f64> + 'a {
    let column = listing.column(field);
    (0..listing.len()).filter_map(move |row| numeric(column, field.kind, row))
}

/// The number in a cell of a field of that kind; see [`numeric`].
fn number(cell: CellRef<'_>, kind: Kind) -> Option<f64> {
    match cell {
        CellRef::Number(number) if kind != Kind::Secret => Some(number),
        CellRef::Text(text) if kind == Kind::Version => Version::parse(text.trim()).map(|version| version.code as f64),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// The fields of a listing that can be an axis of a plot: numbers, versions and epochs, but no ids, from
/// records or computed. Computed ones only if they have values.
pub fn axes(listing: &Listing) -> impl Iterator<Item = &'static Field> {
    listing.catalog().columns().filter(|field| {
        field.kind.is_numeric()
            && !matches!(field.kind, Kind::Id)
            && (!field.is_computed() || listing.column(field).filled() > 0)
    })
}

/// A count as a float.
const fn count(number: usize) -> f64 {
    number as f64
}

/// The integer part of a number, clamped to 0..=`most`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast saturates, and both ends are bounded
fn whole(number: f64, most: usize) -> usize {
    (number.max(0.0) as usize).min(most)
}

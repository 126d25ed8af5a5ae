//! Checks that a response matches its request: every row against every sent condition, the limit, the order, the price
//! model and the storage that prices include.

use std::cmp::Ordering;

use super::cost::storage_per_hour;
use super::listing::compare_cells;
use super::query::OrderKey;
use super::{CellRef, Dialect, Field, Kind, Listing, OfferType, Query, Resource, Source, format, language};

/// A sent condition that rows of the response violate.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The field whose cells violate it.
    pub field: &'static Field,
    /// The condition, in the query language.
    pub condition: String,
    /// The number of rows that violate it.
    pub rows: usize,
}

/// Another difference between request and response.
#[derive(Debug, Clone, PartialEq)]
pub enum Discrepancy {
    /// More records than the limit.
    TooMany {
        /// The limit that was sent.
        limit: u32,
        received: usize,
    },
    /// The rows are not in the requested order.
    Unordered {
        /// The order, in the query language.
        order: String,
        rows: usize,
    },
    /// The prices are not the GPUs plus the requested storage.
    OtherStorage {
        /// GB that the prices include; `None` if rows disagree.
        included: Option<f64>,
        /// GB requested, or the server's default.
        asked: f64,
        rows: usize,
    },
    /// The prices are of another price model than requested.
    OtherType { asked: OfferType, rows: usize },
    /// Rows with too little disk for the requested storage.
    TooSmall {
        /// Storage of the request in GB.
        asked: f64,
        rows: usize,
    },
}

impl Discrepancy {
    /// The sentence for the banner, such as `3 rows not priced as bid`.
    pub fn text(&self) -> String {
        let gb = |gb: f64| format::trimmed(gb, 2);
        let rows = |rows: usize| format!("{rows} {}", if rows == 1 { "row" } else { "rows" });
        match self {
            Self::TooMany { limit, received } => {
                format!("{received} records received, at most {limit} requested")
            }
            Self::Unordered { order, rows: count } => format!(
                "the market ignored the sort order {order} ({} out of place): sorted locally",
                rows(*count)
            ),
            Self::OtherStorage {
                included: Some(included),
                asked,
                ..
            } => format!(
                "prices include {} GB, not the requested {}: recalculated",
                gb(*included),
                gb(*asked)
            ),
            Self::OtherStorage {
                included: None,
                asked,
                rows: count,
            } => format!(
                "$/h of {} does not match GPUs plus {} GB of storage",
                rows(*count),
                gb(*asked)
            ),
            Self::OtherType { asked, rows: count } => {
                format!("{} not priced as {}", rows(*count), asked.wire())
            }
            Self::TooSmall { asked, rows: count } => {
                format!("{} too small for {} GB", rows(*count), gb(*asked))
            }
        }
    }
}

/// The differences between a response and its request.
#[derive(Debug, Default)]
pub struct ResponseCheck {
    pub violations: Vec<Violation>,
    pub discrepancies: Vec<Discrepancy>,
    /// GB that the prices include, if all rows agree on a size other than the requested one.
    included: Option<f64>,
}

impl ResponseCheck {
    /// Compares the response to `query`, without estimates of prices, with the request in `dialect`:
    /// conditions, limit and order, and of offers also price model, storage and disk. Without any finding for
    /// workergroups.
    ///
    /// If the listing comes from several responses, limit and order are not checked.
    pub fn new(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Self {
        if query.resource == Resource::Workergroups {
            return Self::default();
        }
        let mut discrepancies = Vec::new();
        let mut included = None;
        // The limit and the order of one request do not apply to several responses.
        if listing.known_coverage().is_none() {
            discrepancies.extend(too_many(listing, query));
            discrepancies.extend(unordered(listing, query, dialect));
        }
        if query.resource == Resource::Offers {
            discrepancies.extend(other_type(listing, query.offer_type));
            let mut storage = other_storage(listing, query.priced_storage(dialect));
            if let Some(Discrepancy::OtherStorage {
                included: agreed,
                asked,
                ..
            }) = &mut storage
            {
                included = *agreed;
                // The size in the search counts, whether or not the market takes the parameter.
                *asked = query.storage.filter(|_| included.is_some()).unwrap_or(*asked);
                let asked = *asked;
                storage = storage.filter(|_| included.is_none_or(|included| (included - asked).abs() > 1e-9));
            }
            discrepancies.extend(storage);
            discrepancies.extend(too_small(listing, query, dialect));
        }
        Self {
            violations: violations(listing, query, dialect),
            discrepancies,
            included,
        }
    }

    /// Whether the market ignored the order, so that the limit may have cut off the top rows.
    pub fn is_unordered(&self) -> bool {
        let is_order = |discrepancy: &Discrepancy| matches!(discrepancy, Discrepancy::Unordered { .. });
        self.discrepancies.iter().any(is_order)
    }

    /// Whether rows are priced as another offer type than the requested one.
    pub fn is_other_type(&self) -> bool {
        let is_type = |discrepancy: &Discrepancy| matches!(discrepancy, Discrepancy::OtherType { .. });
        self.discrepancies.iter().any(is_type)
    }

    /// Whether prices of some rows do not fit the requested storage, and rows disagree about the storage that
    /// they include.
    pub fn has_mixed_storage(&self) -> bool {
        let is_mixed =
            |discrepancy: &Discrepancy| matches!(discrepancy, Discrepancy::OtherStorage { included: None, .. });
        self.discrepancies.iter().any(is_mixed)
    }

    /// GB to recalculate the prices for: `wanted`, or `None` if the prices already include it. `asked` is the
    /// query of the response.
    pub fn storage_to_estimate(&self, asked: &Query, dialect: &Dialect, wanted: f64) -> Option<f64> {
        let included = self.included_storage().unwrap_or_else(|| asked.priced_storage(dialect));
        ((wanted - included).abs() > 1e-9).then_some(wanted)
    }

    /// GB that the prices of all rows include, if it is another size than was sent, or than the server's
    /// default if none was; `None` if they include that, or rows disagree.
    pub const fn included_storage(&self) -> Option<f64> {
        self.included
    }
}

/// Each sent condition that rows violate, with the number of those rows. Missing values violate nothing.
fn violations(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Vec<Violation> {
    query
        .sent_conditions(dialect)
        .filter_map(|condition| {
            let column = listing.sent_column(condition.field);
            let rows = (0..listing.len())
                .filter(|row| condition.is_broken_by(column.cell(*row)))
                .count();
            (rows > 0).then(|| Violation {
                field: condition.field,
                condition: language::print_condition_briefly(condition),
                rows,
            })
        })
        .collect()
}

/// The discrepancy of more records than the query's limit, including records that are not shown; `None`
/// without one.
fn too_many(listing: &Listing, query: &Query) -> Option<Discrepancy> {
    let limit = query.limit?;
    // Records that are not shown were sent as well: a market that repeats rows still exceeds the limit.
    let received = listing.len() + listing.duplicates() + listing.skipped().len() + listing.hidden();
    (received > limit as usize).then_some(Discrepancy::TooMany { limit, received })
}

/// The discrepancy of rows that are not in the requested order, from comparing each row with the preceding
/// one. `None` without an order, or if no row is out of place; unless the first key is a number or an id
/// other than the score and the time left, also if at most a quarter are.
///
/// Rows without a value can be anywhere.
fn unordered(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Option<Discrepancy> {
    let keys: Vec<OrderKey> = query.sent_order(dialect);
    let first = keys.first()?;
    let columns: Vec<_> = keys.iter().map(|key| (key, listing.sent_column(key.field))).collect();
    let is_misplaced = |row: &usize| {
        for (key, column) in &columns {
            let (before, after) = (column.cell(*row - 1), column.cell(*row));
            if before.is_blank() || after.is_blank() {
                return false;
            }
            match compare_cells(key.field, before, after, key.direction) {
                Ordering::Less => return false,
                Ordering::Greater => return true,
                Ordering::Equal => {}
            }
        }
        false
    };
    let pairs = listing.len().saturating_sub(1);
    let rows = (1..listing.len()).filter(is_misplaced).count();
    // The market's own ranking has a random element, by its own account, and texts sort differently
    // by locale: a few rows out of place prove nothing there. Without any order it is half.
    let is_exact = is_exact(first.field);
    let is_doubtful = if is_exact { rows > 0 } else { rows * 4 > pairs };
    is_doubtful.then(|| Discrepancy::Unordered {
        order: language::print_order(&keys),
        rows,
    })
}

/// Whether a single row out of order proves that the market ignored the order: for numbers and ids, except
/// the score and the time left.
fn is_exact(field: &Field) -> bool {
    field.key != "score"
        && matches!(field.kind, Kind::Integer | Kind::Number | Kind::Id)
        // The time left changes while the response is put together.
        && !matches!(field.source, Source::TimeLeft(..))
}

/// A function from a row to the number in its member `key` as read from its record, without estimates; it
/// returns `None` if the row has no finite one, or there is no such field.
fn numbers<'a>(listing: &'a Listing, key: &str) -> impl Fn(usize) -> Option<f64> + use<'a> {
    let column = listing.catalog().by_key(key).map(|field| listing.sent_column(field));
    move |row| column?.cell(row).number().filter(|number| number.is_finite())
}

/// Whether two prices per hour differ by more than rounding, including that of single-precision numbers.
fn differ(left: f64, right: f64) -> bool {
    // A single-precision number has seven digits, and the market rounds to six or seven.
    (left - right).abs() > (left.abs() * 2e-7).max(1e-6)
}

/// Checks the price model: in bid searches the base price is the bid floor on every row; otherwise no row is
/// a bid. `None` if that holds, else the number of rows that differ.
fn other_type(listing: &Listing, asked: OfferType) -> Option<Discrepancy> {
    let field = listing.catalog().by_key("is_bid")?;
    let is_bid = listing.sent_column(field);
    let (base, floor) = (numbers(listing, "dph_base"), numbers(listing, "min_bid"));
    let is_misfit = |row: &usize| match asked {
        OfferType::Bid => base(*row)
            .zip(floor(*row))
            .is_some_and(|(base, floor)| differ(base, floor)),
        _ => is_bid.cell(*row) == CellRef::Flag(true),
    };
    let rows = (0..listing.len()).filter(is_misfit).count();
    (rows > 0).then_some(Discrepancy::OtherType { asked, rows })
}

/// Checks that `dph_total` is `dph_base` plus the price of `asked` GB of storage; `None` if it is in every
/// row that has these prices.
fn other_storage(listing: &Listing, asked: f64) -> Option<Discrepancy> {
    let base = numbers(listing, "dph_base");
    let total = numbers(listing, "dph_total");
    let cost = numbers(listing, "storage_cost");
    let mut rows = 0;
    let mut included: Vec<f64> = Vec::new();
    for row in 0..listing.len() {
        let (Some(base), Some(total), Some(cost)) = (base(row), total(row), cost(row)) else {
            continue;
        };
        if differ(total, base + storage_per_hour(cost, asked)) {
            rows += 1;
        }
        // Free storage does not show how much of it is included.
        if cost > 0.0 {
            included.push((total - base) / storage_per_hour(cost, 1.0));
        }
    }
    (rows > 0).then(|| Discrepancy::OtherStorage {
        included: agreed(&included),
        asked,
        rows,
    })
}

/// The storage size in GB on which all rows agree within the rounding of their prices, as a whole number if
/// it is near one; `None` if they disagree, if there are none, or if it is negative.
fn agreed(sizes: &[f64]) -> Option<f64> {
    const ROUNDING: f64 = 0.02;
    let mut sorted = sizes.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = *sorted.get(sorted.len() / 2)?;
    let nearest = if (middle - middle.round()).abs() < ROUNDING {
        middle.round()
    } else {
        middle
    };
    // The size is a small difference of two rounded prices, so that its error is a share of it.
    let is_near = |size: &f64| (size - nearest).abs() < ROUNDING.max(nearest * 0.005);
    (nearest >= 0.0 && sorted.iter().all(is_near)).then_some(nearest)
}

/// Checks that machines have the requested storage, if the market takes the parameter: then it also filters
/// by disk. `None` if they have it, none was requested, or the market has no such parameter.
fn too_small(listing: &Listing, query: &Query, dialect: &'static Dialect) -> Option<Discrepancy> {
    // The public market filters by disk space too when it gets this parameter; the documented one has none.
    dialect.storage_parameter?;
    let asked = query.storage?;
    let space = numbers(listing, "disk_space");
    let rows = (0..listing.len())
        .filter(|row| space(*row).is_some_and(|space| space < asked))
        .count();
    (rows > 0).then_some(Discrepancy::TooSmall { asked, rows })
}

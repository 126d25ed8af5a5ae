//! The conclusions that a response allows about missing offers.

use bourse_domain::dialect::Dialect;
use bourse_domain::insight::{Coverage, query_coverage};
use bourse_domain::listing::Listing;
use bourse_domain::query::Direction;
use bourse_domain::response_check::ResponseCheck;
use bourse_domain::{OfferType, Query, Resource};

/// The evidence that a response gives about offers missing from its rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Proof {
    /// Complete: its scope has no other offers.
    Complete,
    /// Complete up to a price: every line whose $/h at the storage of the scope (of volumes, $/GB/month) is strictly
    /// below it is among the rows.
    UpTo(f64),
    /// Incomplete: there may be more offers.
    Some,
    /// Unusable: there was no response, or one to another search.
    Nothing,
}

impl Proof {
    /// The proof of the response to `query`: nothing for another price type; `Some` if it violates
    /// conditions that the market supports, has unreadable records or is not `is_whole`; else complete, or
    /// complete up to a price. `is_whole` is whether each of its records is a line, on offer or not, and all
    /// are of one moment.
    pub(crate) fn new(
        query: &Query,
        listing: &Listing,
        check: &ResponseCheck,
        dialect: &'static Dialect,
        is_whole: bool,
    ) -> Self {
        if check.is_other_type() {
            return Self::Nothing;
        }
        let is_ignored = |key: &str| dialect.ignored.contains(&key);
        let mut violations = check.violations.iter();
        // It is unknown which condition was applied instead.
        let is_asked = violations.all(|violation| is_ignored(violation.field.key));
        if !is_asked || !is_whole || !listing.skipped().is_empty() {
            return Self::Some;
        }
        match query_coverage(listing, query) {
            Coverage::Whole => Self::Complete,
            Coverage::Cut | Coverage::Unknown => {
                highest_price(query, listing, check, dialect).map_or(Self::Some, Self::UpTo)
            }
        }
    }

    /// Whether the response is evidence of lines on offer, if only of some: false only for `Nothing`. True
    /// does not mean that a missing line is gone: only `Complete` and, below its price, `UpTo` prove that.
    pub const fn is_usable(self) -> bool {
        match self {
            Self::Complete | Self::UpTo(_) | Self::Some => true,
            Self::Nothing => false,
        }
    }
}

/// The price of the last row, up to which the response proves which lines are there. `None` unless it is one
/// response, sorted by price, cheapest first, for one storage, with a price in every row; also without rows
/// and for workergroups.
fn highest_price(query: &Query, listing: &Listing, check: &ResponseCheck, dialect: &'static Dialect) -> Option<f64> {
    let price = match (query.resource, query.offer_type) {
        (Resource::Offers, OfferType::OnDemand | OfferType::Bid) => "dph_total",
        (Resource::Offers, OfferType::Reserved) => "discounted_dph_total",
        (Resource::Volumes, _) => "storage_cost",
        (Resource::Workergroups, _) => return None,
    };
    let first = query.sent_order(dialect).into_iter().next()?;
    let is_ascending = first.field.key == price && first.direction == Direction::Ascending;
    // The order of several responses was not checked.
    if !is_ascending || check.is_unordered() || check.has_mixed_storage() || listing.known_coverage().is_some() {
        return None;
    }
    let column = listing.sent_column(first.field);
    let mut highest = None;
    for row in 0..listing.len() {
        highest = Some(column.cell(row).number().filter(|price| price.is_finite())?);
    }
    highest
}

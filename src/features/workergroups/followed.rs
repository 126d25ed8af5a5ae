//! The searches that alerts and watches follow: a search, or that of a workergroup.

use super::look::Look;
use crate::domain::query::Direction;
use crate::domain::workergroup::{Preflight, Recruitment};
use crate::domain::{Dialect, Listing, OrderKey, Query, Resource, RowId};
use crate::record::alerts::Followed;
use crate::table::watch::price_of;

/// Rows of a poll: all of most searches, and else the cheapest.
const LIMIT: u32 = 1000;

/// A search that is followed.
#[derive(Debug, Clone)]
pub struct FollowedSearch {
    pub query: Query,
    /// The search of the workergroup, if it is one's.
    pub recruits: Option<Recruitment>,
}

impl FollowedSearch {
    /// The search that an alert follows, cheapest first and up to 1,000 rows.
    ///
    /// `None` while its workergroup is not among the listed `groups`, if its search cannot be read, or if its
    /// resource has no price.
    pub fn new(follows: &Followed, groups: Option<&Listing>, dialect: &'static Dialect) -> Option<Self> {
        let (mut query, recruits) = match follows {
            Followed::Search(spec) => (spec.read(dialect).ok()?.0, None),
            Followed::Group(id) => {
                let listing = groups?;
                let row = listing.row(RowId(*id))?;
                let look = Look::at_row(listing, row, dialect, &[]).ok()?;
                (look.search.query(), Some(look.search))
            }
        };
        // Alerts need the cheapest rows, also of a truncated response.
        query.order = cheapest_first(query.resource)?;
        query.limit = Some(LIMIT);
        Some(Self { query, recruits })
    }

    /// Number of workers that the offers of `listing` can run at once; `None` unless it is the search of a
    /// workergroup.
    pub fn workers(&self, listing: &Listing) -> Option<u32> {
        let preflight = Preflight::new(listing, self.recruits.as_ref()?, self.query.limit);
        Some(u32::try_from(preflight.most_workers).unwrap_or(u32::MAX))
    }
}

/// The order by a resource's recorded price, lowest first; `None` for workergroups, which have none.
pub fn cheapest_first(resource: Resource) -> Option<Vec<OrderKey>> {
    let field = resource.catalog().by_key(price_of(resource))?;
    let direction = Direction::Ascending;
    Some(vec![OrderKey { field, direction }])
}

//! The days before the first start of the embedded sandbox, as if it had been watched.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::domain::annotations::Bans;
use crate::domain::dialect::Dialect;
use crate::domain::listing::Listing;
use crate::domain::response_check::ResponseCheck;
use crate::domain::{Query, Resource, language};
use crate::record::store::{Database, HistoryError};
use crate::record::{Arrival, Moment, Poll, SearchKey};
use crate::sandbox::market::MarketConfig;
use crate::sandbox::past::Past;

/// As many as a verdict looks back.
pub(super) const DAYS: u32 = 30;

/// The past of a sandbox's market.
#[derive(Debug, Clone, Copy)]
pub(super) struct SandboxPast {
    pub market: MarketConfig,
    pub dialect: &'static Dialect,
    pub days: u32,
}

impl SandboxPast {
    /// The searches that it has polls of.
    fn queries(self) -> [Query; 2] {
        [Resource::Offers, Resource::Volumes].map(|resource| Query {
            // More than there are: only a response below its limit is known to be whole.
            limit: Some(1_000_000),
            ..language::default_query(resource, self.dialect)
        })
    }

    /// Whether a record has it, or a past of its own.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn is_in(self, database: &Database, now: f64) -> Result<bool, HistoryError> {
        // The simulation took a while, and begins with an hour that is over.
        let since = Moment(Moment::of(now).0 - 3_600 * (24 * i64::from(self.days) - 2));
        let mut are_in = true;
        for query in self.queries() {
            are_in &= database.reaches_back(&SearchKey::of(&query), since)?;
        }
        Ok(are_in)
    }

    /// Hourly polls of the default searches for offers and volumes, the oldest first; none if it was stopped
    /// meanwhile. Takes seconds.
    pub fn polls(self, is_stopped: &AtomicBool) -> Vec<Poll> {
        let [offers, volumes] = self.queries();
        let Ok(past) = Past::new(self.market, &offers, &volumes) else {
            return Vec::new();
        };
        let mut polls = Vec::new();
        for hour in past.take(24 * self.days as usize) {
            if is_stopped.load(Ordering::Relaxed) {
                return Vec::new();
            }
            polls.extend(self.poll(&offers, &hour.offers, hour.at));
            polls.extend(self.poll(&volumes, &hour.volumes, hour.at));
        }
        polls.reverse();
        polls
    }

    fn poll(self, query: &Query, body: &[u8], at: f64) -> Option<Poll> {
        let listing = Listing::read(query.catalog(), String::from_utf8_lossy(body), at).ok()?;
        let arrival = Arrival {
            at: Moment::of(at),
            took: 0,
            interval: Some(3_600),
            bans: Bans::NONE,
        };
        let check = ResponseCheck::of(&listing, query, self.dialect);
        Some(Poll::of(query, &listing, &check, self.dialect, &arrival))
    }
}

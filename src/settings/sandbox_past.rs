//! The days before the first use of the embedded sandbox, as if it had been watched: the record of its seed gets
//! them once, from whichever program reads it first.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::domain::annotations::Bans;
use crate::domain::dialect::Dialect;
use crate::domain::listing::Listing;
use crate::domain::response_check::ResponseCheck;
use crate::domain::{Query, Resource};
use crate::record::store::{Database, HistoryError};
use crate::record::{Arrival, DAY, Moment, Poll};
use crate::sandbox::market::MarketConfig;
use crate::sandbox::past::{INTERVAL, Past};

/// As many as a verdict looks back.
const DAYS: u32 = 30;

// Another program may be recording it, which takes longer than a writer waits otherwise.
/// How often the past waits once more for a locked record.
const MOST_WAITS: usize = 20;

/// The past of a sandbox's market.
#[derive(Debug, Clone, Copy)]
pub struct SandboxPast {
    /// As it starts.
    pub market: MarketConfig,
    pub dialect: &'static Dialect,
    pub days: u32,
}

/// How a record came to the past of its sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ensured {
    /// It had it, or another program has recorded it meanwhile.
    WasThere,
    Recorded,
    /// It has not: the simulation was stopped.
    Stopped,
}

impl SandboxPast {
    /// The past of a market that moves.
    pub const fn of(market: MarketConfig, dialect: &'static Dialect) -> Self {
        Self {
            market,
            dialect,
            days: DAYS,
        }
    }

    /// Makes sure that a record has it, whole or not at all. If it has to be simulated, which takes seconds,
    /// `progress` gets how many percent are done, 0 at first.
    ///
    /// # Errors
    /// When the record cannot be read or written.
    pub fn ensure(
        self,
        database: &mut Database,
        is_stopped: &AtomicBool,
        progress: impl FnMut(u32),
    ) -> Result<Ensured, HistoryError> {
        if self.is_in(database)? {
            return Ok(Ensured::WasThere);
        }
        let Some(polls) = self.polls(is_stopped, progress) else {
            return Ok(Ensured::Stopped);
        };
        let mut recorded = database.record_past(&polls);
        for _ in 0..MOST_WAITS {
            let is_locked = matches!(recorded, Err(HistoryError::Locked { .. }));
            if !is_locked || is_stopped.load(Ordering::Relaxed) {
                break;
            }
            recorded = database.record_past(&polls);
        }
        Ok(if recorded? {
            Ensured::Recorded
        } else {
            Ensured::WasThere
        })
    }

    /// The searches that it has polls of: for everything, so that it answers any question.
    fn queries() -> [Query; 2] {
        [Resource::Offers, Resource::Volumes].map(|resource| Query {
            // More than there are: only a response below its limit is known to be whole.
            limit: Some(1_000_000),
            ..Query::empty(resource)
        })
    }

    /// Whether a record has it, or a past of its own.
    fn is_in(self, database: &Database) -> Result<bool, HistoryError> {
        // Another program, whose sandbox started a little earlier, may have recorded it.
        let since = Moment(Moment::of(self.market.start).0 - DAY * i64::from(self.days) + 2 * i64::from(INTERVAL));
        let mut are_in = true;
        for query in Self::queries() {
            are_in &= database.sent(&query)?.is_some_and(|(first, _)| first <= since);
        }
        Ok(are_in)
    }

    /// Moments in its days.
    const fn moments(self) -> u32 {
        (self.days * 86_400).div_ceil(INTERVAL)
    }

    /// Polls of all offers and all volumes every seven hours, the oldest first; `None` if it was
    /// stopped meanwhile.
    pub fn polls(self, is_stopped: &AtomicBool, mut progress: impl FnMut(u32)) -> Option<Vec<Poll>> {
        let [offers, volumes] = Self::queries();
        let mut polls = Vec::new();
        progress(0);
        let Ok(past) = Past::new(self.market, &offers, &volumes) else {
            return Some(polls);
        };
        let moments = self.moments();
        for (moment, done) in past.zip(0..moments) {
            if is_stopped.load(Ordering::Relaxed) {
                return None;
            }
            polls.extend(self.poll(&offers, &moment.offers, moment.at));
            polls.extend(self.poll(&volumes, &moment.volumes, moment.at));
            let percent = |done: u32| done * 100 / moments;
            if percent(done + 1) > percent(done) {
                progress(percent(done + 1));
            }
        }
        polls.reverse();
        Some(polls)
    }

    fn poll(self, query: &Query, body: &[u8], at: f64) -> Option<Poll> {
        let listing = Listing::read(query.catalog(), String::from_utf8_lossy(body), at).ok()?;
        let arrival = Arrival {
            at: Moment::of(at),
            took: 0,
            interval: Some(INTERVAL),
            bans: Bans::NONE,
        };
        let check = ResponseCheck::of(&listing, query, self.dialect);
        Some(Poll::of(query, &listing, &check, self.dialect, &arrival))
    }
}

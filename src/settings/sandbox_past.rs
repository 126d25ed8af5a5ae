//! The simulated past of the embedded sandbox: the days before its first use, as if it had been
//! watched.
//!
//! The record of its seed gets them once, from whichever program reads it first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::domain::annotations::Bans;
use crate::domain::dialect::Dialect;
use crate::domain::listing::Listing;
use crate::domain::response_check::ResponseCheck;
use crate::domain::time::UnixTime;
use crate::domain::{Query, Resource};
use crate::record::store::{Database, HistoryError, PastWriter};
use crate::record::{Arrival, DAY, Moment, Poll};
use crate::sandbox::market::MarketConfig;
use crate::sandbox::past::{INTERVAL, Past};

/// Number of days: those a verdict looks back.
const DAYS: u32 = 30;

/// The interval at which a program checks whether another one's simulation is finished.
const LOOK: Duration = Duration::from_millis(200);

/// The past of a sandbox's market.
#[derive(Debug, Clone, Copy)]
pub struct SandboxPast {
    /// The market at its start.
    pub market: MarketConfig,
    pub dialect: &'static Dialect,
    pub days: u32,
}

/// The result of filling the record with the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ensured {
    /// The past was recorded already, or another program has recorded it meanwhile.
    WasThere,
    Recorded,
    /// The simulation was stopped, and nothing was recorded.
    Stopped,
}

impl SandboxPast {
    /// The 30 days before `market.start` of a market that is not frozen.
    pub const fn new(market: MarketConfig, dialect: &'static Dialect) -> Self {
        Self {
            market,
            dialect,
            days: DAYS,
        }
    }

    /// Fills the record with the past if it lacks it, wholly or not at all, and waits while another program
    /// does so, until `is_stopped`. Unless the past is recorded already, `progress` gets 0 and then the
    /// percentage simulated here, which takes seconds.
    ///
    /// # Errors
    /// When the record cannot be read or written.
    pub fn ensure(
        self,
        database: &mut Database,
        is_stopped: &AtomicBool,
        mut progress: impl FnMut(u32),
    ) -> Result<Ensured, HistoryError> {
        if self.is_in(database)? {
            return Ok(Ensured::WasThere);
        }
        progress(0);
        while !is_stopped.load(Ordering::Relaxed) {
            if let Some(writer) = database.write_past()? {
                return self.write(writer, is_stopped, progress);
            }
            // Another program is at it.
            thread::sleep(LOOK);
            if self.is_in(database)? {
                return Ok(Ensured::WasThere);
            }
        }
        Ok(Ensured::Stopped)
    }

    /// Simulates and records all polls of the past; `Stopped`, with nothing recorded, if it is stopped in
    /// between, and `WasThere` if another program has recorded it meanwhile.
    fn write(
        self,
        mut writer: PastWriter<'_>,
        is_stopped: &AtomicBool,
        mut progress: impl FnMut(u32),
    ) -> Result<Ensured, HistoryError> {
        let polls = 2 * self.moments();
        let percent = |done: usize| u32::try_from(done * 100 / polls).unwrap_or(100);
        for (poll, done) in self.polls().zip(0..) {
            if is_stopped.load(Ordering::Relaxed) {
                return Ok(Ensured::Stopped);
            }
            writer.add(&poll)?;
            if percent(done + 1) > percent(done) {
                progress(percent(done + 1));
            }
        }
        Ok(if writer.finish()? {
            Ensured::Recorded
        } else {
            Ensured::WasThere
        })
    }

    /// The recorded searches, of all offers and all volumes: without conditions, so that they can answer any
    /// question.
    fn queries() -> [Query; 2] {
        [Resource::Offers, Resource::Volumes].map(|resource| Query {
            // More than exist: only a response below its limit is known to be complete.
            limit: Some(1_000_000),
            ..Query::empty(resource)
        })
    }

    /// Whether the first polls of both searches in a record are at most two intervals after the start of the
    /// past: another program, whose sandbox started a little earlier, may have recorded it.
    fn is_in(self, database: &Database) -> Result<bool, HistoryError> {
        // Another program, whose sandbox started a little earlier, may have recorded it.
        let since =
            Moment(UnixTime::new(self.market.start).moment().0 - DAY * i64::from(self.days) + 2 * i64::from(INTERVAL));
        let mut are_in = true;
        for query in Self::queries() {
            are_in &= database.sent(&query)?.is_some_and(|(first, _)| first <= since);
        }
        Ok(are_in)
    }

    /// Number of polled moments in the past, one every seven hours.
    const fn moments(self) -> usize {
        (self.days * 86_400).div_ceil(INTERVAL) as usize
    }

    /// The polls of all offers and all volumes, every seven hours, oldest first.
    pub fn polls(self) -> impl Iterator<Item = Poll> {
        let [offers, volumes] = Self::queries();
        let past = Past::new(self.market, self.moments(), &offers, &volumes);
        past.into_iter().flatten().flat_map(move |moment| {
            let polls = [(&offers, &moment.offers), (&volumes, &moment.volumes)];
            polls
                .map(|(query, body)| self.poll_of_response(query, body, UnixTime::new(moment.at)))
                .into_iter()
                .flatten()
        })
    }

    /// Reads the body of a simulated `response` to `query` as a poll at a time; `None` if it is unreadable.
    fn poll_of_response(self, query: &Query, response: &[u8], at: UnixTime) -> Option<Poll> {
        let listing = Listing::read(query.catalog(), String::from_utf8_lossy(response), at).ok()?;
        let arrival = Arrival {
            at: at.moment(),
            took: 0,
            interval: Some(INTERVAL),
            bans: Bans::NONE,
        };
        let check = ResponseCheck::new(&listing, query, self.dialect);
        Some(Poll::new(query, &listing, &check, self.dialect, &arrival))
    }
}

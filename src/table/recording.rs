//! Turns responses to searches into polls for the record.

use super::browser::Browser;
use super::remote::Phase;
use super::watch::Watch;
use crate::api::ApiError;
use crate::domain::annotations::Bans;
use crate::domain::response_check::ResponseCheck;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Dialect, Listing, Query, Resource};
use crate::record;
use crate::record::Poll;

/// A search that awaits its response.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    query: Query,
    /// The time it was sent.
    since: MonotonicTime,
    /// Seconds until it is repeated; `None` if it is not.
    interval: Option<u32>,
    /// The machines and hosts it leaves out.
    bans: Bans,
}

impl Asked {
    /// The search that a pane awaits the response to; `None` if it awaits none, or for workergroups, which
    /// are not recorded.
    pub(crate) fn by(browser: &Browser) -> Option<Self> {
        let Phase::Loading { since, .. } = browser.remote().phase() else {
            return None;
        };
        let query = browser.asked_query.clone()?;
        (query.resource != Resource::Workergroups).then_some(Self {
            query,
            since: *since,
            bans: browser.computed.bans.clone(),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
            interval: browser.watching().map(|watch| Watch::interval(watch) as u32),
        })
    }

    /// A search sent at `since` that is not repeated, whose rows leave out `bans`.
    pub(crate) const fn once(query: Query, since: MonotonicTime, bans: Bans) -> Self {
        Self {
            query,
            since,
            interval: None,
            bans,
        }
    }

    /// The poll of the response to the search, to be recorded; `check` has its differences from the request.
    pub(crate) fn answered(
        &self,
        listing: &Listing,
        check: &ResponseCheck,
        dialect: &'static Dialect,
        now: Now,
    ) -> Poll {
        Poll::new(&self.query, listing, check, dialect, &self.arrival(now))
    }

    /// The poll of a response to a search that no pane shows.
    pub(crate) fn once_answered(&self, listing: &Listing, dialect: &'static Dialect, now: Now) -> Poll {
        let check = ResponseCheck::new(listing, &self.query, dialect);
        self.answered(listing, &check, dialect, now)
    }

    /// The poll of a request that failed; `None` if nothing was sent.
    pub(crate) fn failed(&self, error: &ApiError, dialect: &'static Dialect, now: Now) -> Option<Poll> {
        let was_sent = !matches!(error, ApiError::Misconfigured(_));
        was_sent.then(|| Poll::failed(&self.query, dialect, &self.arrival(now)))
    }

    /// The time of a response that arrives `now`, its duration in milliseconds, and the interval and bans of
    /// its search.
    fn arrival(&self, now: Now) -> record::Arrival {
        let took = (now.mono - self.since) * 1000.0;
        record::Arrival {
            at: now.epoch.moment(),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
            took: took as u32,
            interval: self.interval,
            bans: self.bans.clone(),
        }
    }
}

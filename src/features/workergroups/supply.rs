//! The supply that workergroups' searches find on the market now, for a group, for all of them, or
//! for a draft.
//!
//! One search runs at a time; subjects with the same search share its report, and a check of all
//! continues while other views are open.

use std::collections::VecDeque;

use crate::api::{ApiError, Request};
use crate::core::message::Effect;
use crate::domain::annotations::Bans;
use crate::domain::time::Now;
use crate::domain::workergroup::{Preflight, Recruitment};
use crate::domain::{Dialect, Listing};
use crate::record::Poll;
use crate::table::recording::Asked;
use crate::table::remote::{Progress, Remote, Ticket, Tickets};

/// Maximum number of stored reports; the oldest are dropped.
///
/// One for each workergroup or draft that was checked.
const MOST: usize = 200;

/// Seconds for which a report counts as current.
///
/// Checking all groups again sends a request for each search.
const FRESH: f64 = 60.0;

// Nobody waits for these.
/// Seconds after which a check is repeated unasked.
const OLD: f64 = 600.0;

/// A search and its report.
#[derive(Debug)]
pub struct Check {
    search: Recruitment,
    /// Number of your bans that the search itself does not exclude.
    banned: usize,
    remote: Remote<Preflight>,
}

impl Check {
    /// The report on the search and the state of its request.
    pub const fn remote(&self) -> &Remote<Preflight> {
        &self.remote
    }

    /// The report on the search; `None` before the first one, and after a newer request failed.
    pub fn report(&self) -> Option<&Preflight> {
        self.remote.shown().filter(|_| self.remote.error().is_none())
    }

    /// Whether the check is to be repeated unasked: its report is 10 minutes old or missing, and no request
    /// is in flight or failed.
    pub fn is_old(&self, now: Now) -> bool {
        let asked = self.remote.shown_at().map_or_else(Default::default, |then| then.epoch);
        !self.remote.is_loading() && self.remote.error().is_none() && now.epoch - asked >= OLD
    }

    /// Whether a check may use it as it is: it is loading, or its report is less than a minute old.
    fn is_current(&self, now: Now) -> bool {
        let is_fresh = |then: Now| now.epoch - then.epoch < FRESH;
        self.remote.is_loading() || (self.report().is_some() && self.remote.shown_at().is_some_and(is_fresh))
    }
}

#[derive(Debug, Default)]
pub struct SupplyChecks {
    checks: Vec<Check>,
    queue: VecDeque<Recruitment>,
    /// The running search: its ticket, and how it is recorded.
    running: Option<(Ticket, Asked)>,
    /// The machines and hosts to exclude, as [`Asked::once`] takes them.
    pub(crate) bans: Bans,
    /// Number of searches since the queue was last empty.
    total: usize,
}

impl SupplyChecks {
    /// Whether no check is stored: nothing was checked yet, or the bans have changed since.
    pub const fn is_unused(&self) -> bool {
        self.checks.is_empty()
    }

    /// The check of a search, perhaps still queued or running; `None` if there was none, or it was dropped.
    pub fn check_for(&self, search: &Recruitment) -> Option<&Check> {
        self.checks.iter().find(|check| check.search == *search)
    }

    /// Whether a search waits for its turn.
    pub fn is_queued(&self, search: &Recruitment) -> bool {
        self.queue.contains(search)
    }

    /// The numbers of completed and of all searches since the queue was last empty; `None` while none runs.
    pub fn progress(&self) -> Option<(usize, usize)> {
        let is_running = self.running.is_some();
        is_running.then(|| (self.total - self.queue.len() - 1, self.total))
    }

    /// Queues a search, with the number of bans that it does not exclude; returns its request if none is
    /// running. Beyond 200 searches the oldest check is dropped.
    ///
    /// It is not queued while its report is current, unless `again` is set, and never twice.
    pub fn queue(
        &mut self,
        (search, banned): (Recruitment, usize),
        again: bool,
        tickets: &mut Tickets,
        now: Now,
    ) -> Option<Effect> {
        let known = self.checks.iter().position(|check| check.search == search);
        let is_current = known.is_some_and(|known| self.checks[known].is_current(now));
        if self.is_queued(&search) || (is_current && !again) {
            return None;
        }
        match known {
            Some(known) => self.checks[known].banned = banned,
            None => self.checks.push(Check {
                search: search.clone(),
                banned,
                remote: Remote::default(),
            }),
        }
        if self.checks.len() > MOST {
            self.checks.remove(0);
        }
        self.queue.push_back(search);
        self.total += 1;
        match self.running {
            Some(_) => None,
            None => self.next(tickets, now),
        }
    }

    /// Starts the next search of the queue; returns its request, or `None` if the queue is empty.
    pub(super) fn next(&mut self, tickets: &mut Tickets, now: Now) -> Option<Effect> {
        loop {
            let Some(search) = self.queue.pop_front() else {
                self.total = 0;
                return None;
            };
            let known = self.checks.iter_mut().find(|check| check.search == search);
            let Some(check) = known else { continue };
            let (query, ticket) = (search.query(), tickets.take());
            check.remote.ask(ticket, now);
            let asked = Asked::once(query.clone(), now.mono, self.bans.clone());
            self.running = Some((ticket, asked));
            let request = Request::Search(query);
            return Some(Effect::Call { ticket, request });
        }
    }

    /// Stops the running search and empties the queue; the reports stay. Returns the abort, or `None` if
    /// nothing was running.
    pub fn stop(&mut self) -> Option<Effect> {
        self.queue.clear();
        self.total = 0;
        let (ticket, _) = self.running.take()?;
        for check in &mut self.checks {
            check.remote.cancel();
        }
        Some(Effect::Abort(ticket))
    }

    /// Replaces the bans; if they have changed, drops the reports that are not loading.
    pub(crate) fn set_bans(&mut self, bans: Bans) {
        if bans != self.bans {
            self.bans = bans;
            self.checks.retain(|check| check.remote.is_loading());
        }
    }

    /// Whether the response of this ticket is awaited.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.running.as_ref().is_some_and(|(running, _)| *running == ticket)
    }

    /// Records the progress of the running search.
    pub fn progressed(&mut self, ticket: Ticket, progress: &Progress) {
        for check in &mut self.checks {
            check.remote.progress(ticket, progress.clone());
        }
    }

    /// Handles a response to the running search; returns its poll, to be recorded, or `None` for an error
    /// that is not recorded and if no search is running. `next` sends the next search.
    ///
    /// An error that the next search would meet too ends the queue.
    pub fn answered(
        &mut self,
        ticket: Ticket,
        answer: Result<Box<Listing>, ApiError>,
        dialect: &'static Dialect,
        now: Now,
    ) -> Option<Poll> {
        let (_, asked) = self.running.take()?;
        let poll = match &answer {
            Ok(listing) => Some(asked.once_answered(listing, dialect, now)),
            Err(error) => asked.failed(error, dialect, now),
        };
        let ends = answer.as_ref().is_err_and(|error| {
            error.stops_timers(now.epoch) || matches!(error, ApiError::NotConnected { .. } | ApiError::Misconfigured(_))
        });
        let mut checks = self.checks.iter_mut();
        if let Some(check) = checks.find(|check| check.remote.awaited() == Some(ticket)) {
            let limit = check.search.query().limit;
            let report = answer.map(|listing| {
                let mut preflight = Preflight::new(&listing, &check.search, limit);
                preflight.warnings.extend(unsent_bans(check.banned));
                preflight
            });
            check.remote.accept(ticket, now, report);
        }
        if ends {
            self.queue.clear();
        }
        poll
    }
}

/// A warning that a workergroup's search does not exclude `many` bans; `None` if it excludes all.
fn unsent_bans(many: usize) -> Option<String> {
    (many > 0).then(|| {
        let verb = if many == 1 { "is" } else { "are" };
        format!("{many} of your bans {verb} not in its search: the market may still use those machines")
    })
}

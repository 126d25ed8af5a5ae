//! The supply check: what every group's search finds now. One search at a time; groups with the
//! same search share it, and it continues when its view is closed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::preflight::Look;
use crate::api::{ApiError, Request};
use crate::app::message::Effect;
use crate::app::recording::{self, Asked};
use crate::app::remote::{Now, Ticket, Tickets, Waiting};
use crate::domain::workergroup::{Preflight, Recruitment};
use crate::domain::{Dialect, Listing, RowId};

/// Offers loaded per group: enough to see that there are plenty.
const LIMIT: u32 = 500;

/// What a group's search finds.
#[derive(Debug, Clone, PartialEq)]
pub enum Supply {
    /// Its search is queued or running.
    Waiting,
    /// The result of its search, and when. Groups with the same search share it.
    Found(Arc<Preflight>, Now),
    Failed(String),
}

#[derive(Debug)]
struct Job {
    groups: Vec<RowId>,
    search: Recruitment,
}

#[derive(Debug)]
struct InFlight {
    ticket: Ticket,
    job: Job,
    asked: Asked,
    waiting: Option<Waiting>,
}

#[derive(Debug, Default)]
pub struct SupplyCheck {
    queue: VecDeque<Job>,
    /// What its searches leave out, as [`Asked::once`] takes it.
    pub(in crate::app) bans: i64,
    in_flight: Option<InFlight>,
    found: BTreeMap<RowId, Supply>,
    searches: usize,
}

impl SupplyCheck {
    /// The supply of a group.
    pub fn of(&self, group: RowId) -> Option<&Supply> {
        self.found.get(&group)
    }

    /// Whether no group has been checked yet.
    pub fn is_blank(&self) -> bool {
        self.found.is_empty()
    }

    /// Completed and total searches, while it runs.
    pub fn running(&self) -> Option<(usize, usize)> {
        self.in_flight
            .as_ref()
            .map(|_| (self.searches - self.queue.len() - 1, self.searches))
    }

    /// Until when the rate limit delays the running search.
    pub fn waits_until(&self) -> Option<f64> {
        self.in_flight
            .as_ref()?
            .waiting
            .as_ref()
            .map(|waiting| waiting.until)
    }

    /// Starts the check for all groups of a listing.
    pub fn start(
        &mut self,
        listing: &Listing,
        dialect: &'static Dialect,
        tickets: &mut Tickets,
        now: Now,
    ) -> Vec<Effect> {
        let mut effects = self.stop();
        self.found.clear();
        for row in 0..listing.len() {
            let Some(id) = listing.id(row) else { continue };
            let look = match Look::at_row(listing, row, dialect) {
                Ok(look) => look,
                Err(why) => {
                    self.found.insert(id, Supply::Failed(why));
                    continue;
                }
            };
            self.found.insert(id, Supply::Waiting);
            // The check ignores memory: groups that differ only there share a search.
            let search = Recruitment {
                gpu_ram: None,
                ..look.search
            };
            let same = self.queue.iter_mut().find(|job| job.search == search);
            match same {
                Some(job) => job.groups.push(id),
                None => self.queue.push_back(Job {
                    groups: vec![id],
                    search,
                }),
            }
        }
        self.searches = self.queue.len();
        effects.extend(self.next(tickets, now));
        effects
    }

    /// Stops; results so far stay.
    pub fn stop(&mut self) -> Vec<Effect> {
        self.queue.clear();
        self.found.retain(|_, supply| *supply != Supply::Waiting);
        self.in_flight
            .take()
            .map(|in_flight| Effect::Abort(in_flight.ticket))
            .into_iter()
            .collect()
    }

    fn next(&mut self, tickets: &mut Tickets, now: Now) -> Option<Effect> {
        let job = self.queue.pop_front()?;
        let mut query = job.search.query();
        query.limit = Some(LIMIT);
        let ticket = tickets.take();
        self.in_flight = Some(InFlight {
            ticket,
            job,
            asked: Asked::once(query.clone(), now.mono, self.bans),
            waiting: None,
        });
        Some(Effect::Call {
            ticket,
            request: Request::Search(query),
        })
    }

    /// Whether it waits for this response.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.in_flight
            .as_ref()
            .is_some_and(|in_flight| in_flight.ticket == ticket)
    }

    /// Records the progress of the running search.
    pub fn progress(&mut self, ticket: Ticket, waiting: Option<Waiting>) {
        if let Some(in_flight) = self
            .in_flight
            .as_mut()
            .filter(|in_flight| in_flight.ticket == ticket)
        {
            in_flight.waiting = waiting;
        }
    }

    /// Takes a response and sends the next search. It stops at an error that the next search would
    /// meet too.
    pub fn answered(
        &mut self,
        answer: Result<Box<Listing>, ApiError>,
        dialect: &'static Dialect,
        tickets: &mut Tickets,
        now: Now,
    ) -> Vec<Effect> {
        let Some(InFlight { job, asked, .. }) = self.in_flight.take() else {
            return Vec::new();
        };
        let recorded = match &answer {
            Ok(listing) => Some(recording::record(
                asked.once_answered(listing, dialect, now),
            )),
            Err(error) => asked.failed(error, now).map(recording::record),
        };
        let (supply, goes_on) = match answer {
            Ok(listing) => {
                let found = Preflight::of(&listing, &job.search, Some(LIMIT));
                let supply = Supply::Found(Arc::new(found), now);
                (supply, true)
            }
            Err(error) => {
                let ends = error.stops_timers(now.epoch)
                    || matches!(
                        error,
                        ApiError::NotConnected { .. } | ApiError::Misconfigured(_)
                    );
                (Supply::Failed(error.headline().to_owned()), !ends)
            }
        };
        for group in job.groups {
            self.found.insert(group, supply.clone());
        }
        let mut effects: Vec<Effect> = recorded.into_iter().collect();
        if goes_on {
            effects.extend(self.next(tickets, now));
        } else {
            effects.extend(self.stop());
        }
        effects
    }
}

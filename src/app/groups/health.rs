//! Supply health: for every group how many machines its search finds now, and the cheapest. One
//! search at a time; groups with the same search share one.

use std::collections::{BTreeMap, VecDeque};

use super::preflight::Look;
use crate::api::{ApiError, Request};
use crate::app::message::Effect;
use crate::app::remote::{Now, Ticket, Tickets, Waiting};
use crate::domain::insight::{Amount, Coverage};
use crate::domain::workergroup::{Preflight, Recruitment};
use crate::domain::{Dialect, Listing, RowId};

/// How many offers are asked for a group: enough to see that there are plenty.
const LIMIT: u32 = 500;

/// What is known of a group's supply.
#[derive(Debug, Clone, PartialEq)]
pub enum Supply {
    /// Its search has not been answered yet.
    Waiting,
    /// What its search found.
    Found {
        /// What can be recruited.
        amount: Amount,
        /// Whether there may be more.
        more: bool,
        /// The cheapest worker, in $/h.
        cheapest: Option<f64>,
        /// When.
        at: Now,
    },
    /// Why it is not known.
    Unknown(String),
}

#[derive(Debug)]
struct Job {
    groups: Vec<RowId>,
    search: Recruitment,
}

#[derive(Debug)]
struct Flight {
    ticket: Ticket,
    job: Job,
    waiting: Option<Waiting>,
}

/// The supply of every group that was asked about.
#[derive(Debug, Default)]
pub struct Health {
    queue: VecDeque<Job>,
    flight: Option<Flight>,
    found: BTreeMap<RowId, Supply>,
    searches: usize,
}

impl Health {
    /// What is known of a group's supply.
    pub fn of(&self, group: RowId) -> Option<&Supply> {
        self.found.get(&group)
    }

    /// Whether anything was asked for in this run.
    pub fn is_blank(&self) -> bool {
        self.found.is_empty()
    }

    /// Searches answered and searches in all, while it goes on.
    pub fn running(&self) -> Option<(usize, usize)> {
        self.flight
            .as_ref()
            .map(|_| (self.searches - self.queue.len() - 1, self.searches))
    }

    /// Until when the search under way waits for its turn.
    pub fn waits_until(&self) -> Option<f64> {
        self.flight
            .as_ref()?
            .waiting
            .as_ref()
            .map(|waiting| waiting.until)
    }

    /// Begins for all groups of a listing.
    pub fn start(
        &mut self,
        listing: &Listing,
        dialect: &'static Dialect,
        tickets: &mut Tickets,
    ) -> Vec<Effect> {
        let mut effects = self.stop();
        self.found.clear();
        for row in 0..listing.len() {
            let Some(id) = listing.id(row) else { continue };
            let look = match Look::at_row(listing, row, dialect) {
                Ok(look) => look,
                Err(why) => {
                    self.found.insert(id, Supply::Unknown(why));
                    continue;
                }
            };
            self.found.insert(id, Supply::Waiting);
            // The strip says nothing about memory: groups that differ only there share a search.
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
        effects.extend(self.next(tickets));
        effects
    }

    /// Stops; what is known stays, what was not asked is forgotten.
    pub fn stop(&mut self) -> Vec<Effect> {
        self.queue.clear();
        self.found.retain(|_, supply| *supply != Supply::Waiting);
        self.flight
            .take()
            .map(|flight| Effect::Abort(flight.ticket))
            .into_iter()
            .collect()
    }

    fn next(&mut self, tickets: &mut Tickets) -> Option<Effect> {
        let job = self.queue.pop_front()?;
        let mut query = job.search.query();
        query.limit = Some(LIMIT);
        let ticket = tickets.take();
        self.flight = Some(Flight {
            ticket,
            job,
            waiting: None,
        });
        Some(Effect::Call {
            ticket,
            request: Request::Search(query),
        })
    }

    /// Whether it waits for this answer.
    pub fn awaits(&self, ticket: Ticket) -> bool {
        self.flight
            .as_ref()
            .is_some_and(|flight| flight.ticket == ticket)
    }

    /// Notes how the search under way fares.
    pub fn progress(&mut self, ticket: Ticket, waiting: Option<Waiting>) {
        if let Some(flight) = self
            .flight
            .as_mut()
            .filter(|flight| flight.ticket == ticket)
        {
            flight.waiting = waiting;
        }
    }

    /// Takes an answer in and asks the next question. After a failure that the next search would
    /// meet too, it ends.
    pub fn answered(
        &mut self,
        answer: Result<Box<Listing>, ApiError>,
        tickets: &mut Tickets,
        now: Now,
    ) -> Vec<Effect> {
        let Some(Flight { job, .. }) = self.flight.take() else {
            return Vec::new();
        };
        let (supply, goes_on) = match answer {
            Ok(listing) => {
                let found = Preflight::of(&listing, &job.search, Some(LIMIT));
                let supply = Supply::Found {
                    amount: found.recruitable,
                    more: found.coverage == Coverage::Cut,
                    cheapest: found.prices.map(|prices| prices.lowest),
                    at: now,
                };
                (supply, true)
            }
            Err(error) => {
                let ends = error.stops_timers(now.epoch)
                    || matches!(
                        error,
                        ApiError::NotConnected { .. } | ApiError::Misconfigured(_)
                    );
                (Supply::Unknown(error.headline().to_owned()), !ends)
            }
        };
        for group in job.groups {
            self.found.insert(group, supply.clone());
        }
        if goes_on {
            self.next(tickets).into_iter().collect()
        } else {
            self.stop()
        }
    }
}

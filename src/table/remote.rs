//! Remote data: requests in flight, and the rule that rejects stale responses.

use crate::api::{ApiError, Received, Reply, Request, Response};
use crate::domain::Listing;
use crate::domain::time::{MonotonicTime, Now};

/// The number of a request; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

#[derive(Debug, Default)]
pub struct Tickets(u64);

impl Tickets {
    /// A ticket that no other request has.
    pub const fn take(&mut self) -> Ticket {
        self.0 += 1;
        Ticket(self.0)
    }
}

/// A request to send, or to abort, for a table.
#[derive(Debug, PartialEq)]
pub enum Sending {
    Send(Ticket, Request),
    /// Stop waiting for the response.
    Abort(Ticket),
}

#[derive(Debug, Clone)]
pub enum Phase {
    Idle,
    Loading {
        /// The request whose response is accepted.
        ticket: Ticket,
        /// The time it was sent.
        since: MonotonicTime,
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The wait before it is sent; `None` if it is sent.
        waiting: Option<Waiting>,
        /// The part of the response that has arrived, if any.
        arrived: Option<Received>,
    },
    Ready,
    Failed(ApiError),
}

impl Phase {
    /// The reason of the wait before a request is sent with the seconds left, or `doing` with the seconds
    /// since it was sent; `None` if none is in flight.
    pub fn under_way(&self, doing: &str, now: Now) -> Option<String> {
        let Self::Loading {
            since,
            attempt,
            waiting,
            ..
        } = self
        else {
            return None;
        };
        Some(if let Some(waiting) = waiting {
            format!("{}: {}", waiting.countdown(*attempt, now), waiting.why)
        } else {
            format!("{doing} {:.0} s", (now.mono - *since).max(0.0))
        })
    }
}

/// A wait before a request is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The time at which it is sent.
    pub until: MonotonicTime,
    /// The reason for the wait, for display.
    pub why: String,
}

impl Waiting {
    /// The time left, such as `retrying in 3 s`; `attempt` is the number of the next attempt from 1, which is
    /// `sending` and not `retrying`.
    pub fn countdown(&self, attempt: u32, now: Now) -> String {
        let seconds = (self.until - now.mono).max(0.0).ceil();
        let doing = if attempt > 1 { "retrying" } else { "sending" };
        format!("{doing} in {seconds:.0} s")
    }
}

/// The progress of a request whose response is not complete.
#[derive(Debug, Clone)]
pub enum Progress {
    /// It is sent, or waits for the rate limit or a retry.
    Attempt {
        /// The number of the attempt, from 1.
        number: u32,
        /// The wait before it is sent; `None` if it is sent.
        waiting: Option<Waiting>,
    },
    /// Part of the response has arrived.
    Received(Received),
}

/// Remote data and the state of the newest request for it.
///
/// Old data stays while new data loads, and if loading fails.
#[derive(Debug)]
pub struct Remote<T> {
    shown: Option<T>,
    shown_at: Option<Now>,
    /// Whether a newer request for it has failed, even if its error was dismissed.
    is_outdated: bool,
    phase: Phase,
}

impl<T> Default for Remote<T> {
    fn default() -> Self {
        Self {
            shown: None,
            shown_at: None,
            is_outdated: false,
            phase: Phase::Idle,
        }
    }
}

impl<T> Remote<T> {
    /// The current data, however old; `None` before the first response.
    pub const fn shown(&self) -> Option<&T> {
        self.shown.as_ref()
    }

    /// The current data, mutable; `None` before the first response.
    pub const fn shown_mut(&mut self) -> Option<&mut T> {
        self.shown.as_mut()
    }

    /// Removes and returns the data with the time it was received; `None` if there is none. The request's
    /// state stays.
    pub fn take(&mut self) -> Option<(T, Now)> {
        self.shown.take().zip(self.shown_at.take())
    }

    /// The time at which the current data was received; `None` if there is none.
    pub const fn shown_at(&self) -> Option<Now> {
        self.shown_at
    }

    /// Whether the last completed request failed, so that the data is out of date; also after the error was
    /// dismissed.
    pub const fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// The state of the newest request.
    pub const fn phase(&self) -> &Phase {
        &self.phase
    }

    /// Whether a response is awaited.
    pub const fn is_loading(&self) -> bool {
        matches!(self.phase, Phase::Loading { .. })
    }

    /// The error of the newest request, if it failed.
    pub const fn error(&self) -> Option<&ApiError> {
        match &self.phase {
            Phase::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Registers a new request; returns the ticket of the one it supersedes, to abort it, `None` if none was
    /// in flight.
    pub fn ask(&mut self, ticket: Ticket, now: Now) -> Option<Ticket> {
        let superseded = self.awaited();
        self.phase = Phase::Loading {
            ticket,
            since: now.mono,
            attempt: 1,
            waiting: None,
            arrived: None,
        };
        superseded
    }

    /// The ticket of the request in flight, whose response is accepted; `None` if none is.
    pub const fn awaited(&self) -> Option<Ticket> {
        match &self.phase {
            Phase::Loading { ticket, .. } => Some(*ticket),
            _ => None,
        }
    }

    /// Stores a response, or its error with the data left as it is, if its ticket is the awaited one; false
    /// if it is stale.
    pub fn accept(&mut self, ticket: Ticket, now: Now, answer: Result<T, ApiError>) -> bool {
        if self.awaited() != Some(ticket) {
            return false;
        }
        self.is_outdated = answer.is_err();
        match answer {
            Ok(value) => {
                self.shown = Some(value);
                self.shown_at = Some(now);
                self.phase = Phase::Ready;
            }
            Err(error) => self.phase = Phase::Failed(error),
        }
        true
    }

    /// Records the progress of the awaited request; that of another ticket is ignored. A new attempt drops
    /// the part that has arrived; the first rows stay when more arrives.
    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        let Phase::Loading {
            ticket: awaited,
            attempt,
            waiting,
            arrived,
            ..
        } = &mut self.phase
        else {
            return;
        };
        match progress {
            _ if *awaited != ticket => {}
            Progress::Attempt {
                number,
                waiting: reason,
            } => {
                *attempt = number;
                *waiting = reason;
                // The part that arrived of an earlier attempt does not belong to the next.
                *arrived = None;
            }
            Progress::Received(received) => {
                // The first rows come once.
                let earlier = arrived.take().and_then(|earlier| earlier.first);
                let first = received.first.or(earlier);
                *arrived = Some(Received { first, ..received });
            }
        }
    }

    /// The progress of the awaited response: its size so far and first rows. `None` before any has arrived
    /// and once it is complete.
    pub const fn arrived(&self) -> Option<&Received> {
        match &self.phase {
            Phase::Loading { arrived, .. } => arrived.as_ref(),
            _ => None,
        }
    }

    /// Stops waiting and returns the ticket to abort; `None`, with nothing changed, if no request is in
    /// flight. The data stays.
    pub fn cancel(&mut self) -> Option<Ticket> {
        let awaited = self.awaited()?;
        self.phase = if self.shown.is_some() {
            Phase::Ready
        } else {
            Phase::Idle
        };
        Some(awaited)
    }

    /// Clears the error of the newest request; the data stays.
    pub fn dismiss(&mut self) {
        if matches!(self.phase, Phase::Failed(_)) {
            self.phase = if self.shown.is_some() {
                Phase::Ready
            } else {
                Phase::Idle
            };
        }
    }
}

impl Remote<Listing> {
    /// Stores the awaited records, or the error, with the records before it left as they are; a reply without
    /// records is an error. False, with nothing stored, if the ticket is not awaited.
    pub fn take_records(&mut self, ticket: Ticket, now: Now, response: Response) -> bool {
        let answer = response.and_then(Reply::into_records);
        self.accept(ticket, now, answer.map(|listing| *listing))
    }
}

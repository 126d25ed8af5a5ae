//! Answers that are on their way, and the one rule against stale ones.

use crate::api::ApiError;

/// The moment at which something is decided. The core never asks a clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Now {
    /// Seconds on a clock that never jumps, from an arbitrary start.
    pub mono: f64,
    /// Seconds since 1970.
    pub epoch: f64,
}

impl Now {
    /// Whether the computer was suspended since an `earlier` moment: wall clocks run on meanwhile,
    /// the other one stops.
    pub fn was_suspended_since(self, earlier: Self) -> bool {
        const LEAST: f64 = 30.0;
        (self.epoch - earlier.epoch) - (self.mono - earlier.mono) > LEAST
    }
}

/// The number of a request: every request takes a fresh one.
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

#[derive(Debug, Clone, PartialEq)]
pub enum Phase {
    Idle,
    Loading {
        /// The request whose answer is accepted.
        ticket: Ticket,
        /// When it was asked, on the clock that never jumps.
        since: f64,
        /// Which try it is, from 1.
        attempt: u32,
        /// Why and until when it waits its turn, if it does.
        waiting: Option<Waiting>,
    },
    Ready,
    /// Answered with an error, or not at all.
    Failed(ApiError),
}

/// A wait before a request goes out.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// When it goes, on the clock that never jumps.
    pub until: f64,
    /// Why it waits, in words.
    pub why: String,
}

/// Something that is fetched: what is shown, and where the newest request for it stands. Old data
/// stays while new data loads or fails to.
#[derive(Debug)]
pub struct Remote<T> {
    shown: Option<T>,
    shown_at: Option<Now>,
    phase: Phase,
}

impl<T> Default for Remote<T> {
    fn default() -> Self {
        Self {
            shown: None,
            shown_at: None,
            phase: Phase::Idle,
        }
    }
}

impl<T> Remote<T> {
    /// What is shown now, however old.
    pub const fn shown(&self) -> Option<&T> {
        self.shown.as_ref()
    }

    /// What is shown now, to be changed.
    pub const fn shown_mut(&mut self) -> Option<&mut T> {
        self.shown.as_mut()
    }

    /// Takes away what is shown, with the moment when it arrived.
    pub fn take(&mut self) -> Option<(T, Now)> {
        self.shown.take().zip(self.shown_at.take())
    }

    /// When what is shown arrived.
    pub const fn shown_at(&self) -> Option<Now> {
        self.shown_at
    }

    /// Where the newest request stands.
    pub const fn phase(&self) -> &Phase {
        &self.phase
    }

    /// Whether an answer is awaited.
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

    /// A new request replaces whatever was awaited; gives the superseded ticket, to be aborted.
    pub fn ask(&mut self, ticket: Ticket, now: Now) -> Option<Ticket> {
        let superseded = self.awaited();
        self.phase = Phase::Loading {
            ticket,
            since: now.mono,
            attempt: 1,
            waiting: None,
        };
        superseded
    }

    /// The ticket whose answer is accepted.
    pub const fn awaited(&self) -> Option<Ticket> {
        match &self.phase {
            Phase::Loading { ticket, .. } => Some(*ticket),
            _ => None,
        }
    }

    /// The rule: an answer is accepted only if its ticket is the awaited one.
    pub fn accept(&mut self, ticket: Ticket, now: Now, answer: Result<T, ApiError>) -> bool {
        if self.awaited() != Some(ticket) {
            return false;
        }
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

    /// Notes that the awaited request is on its `attempt`th try and perhaps waiting.
    pub fn progress(&mut self, ticket: Ticket, tries: u32, wait: Option<Waiting>) {
        if self.awaited() == Some(ticket)
            && let Phase::Loading {
                attempt, waiting, ..
            } = &mut self.phase
        {
            *attempt = tries;
            *waiting = wait;
        }
    }

    /// Gives the wait up; what is shown stays. Gives the ticket to be aborted.
    pub fn cancel(&mut self) -> Option<Ticket> {
        let awaited = self.awaited()?;
        self.phase = if self.shown.is_some() {
            Phase::Ready
        } else {
            Phase::Idle
        };
        Some(awaited)
    }

    /// Forgets the error; what is shown stays.
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

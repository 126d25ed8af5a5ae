//! The right to poll a watched search, of which several programs have one.

use crate::record::{Moment, Poll, SearchKey};

/// A request for the right to poll a watched search.
#[derive(Debug, Clone, PartialEq)]
pub struct PollClaim {
    pub search: SearchKey,
    /// Seconds between two polls.
    pub every: u32,
    /// When it is claimed, in seconds since 1970.
    pub now: f64,
    /// When the newest poll was that is known here.
    pub seen: Moment,
    /// How many requests the poll sends, of how many that all programs may send in a minute.
    pub requests: usize,
    pub a_minute: u32,
}

/// The answer to a claim.
#[derive(Debug)]
pub enum PollRight {
    Ours,
    /// This program polls in this many seconds: other programs have used up the budget.
    Later(f64),
    /// Another program polls; its newest poll that is not known here.
    Another(Option<Box<Poll>>),
}

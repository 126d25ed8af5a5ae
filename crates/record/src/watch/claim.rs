//! The claim of a program that wants to poll, and its answer.

use bourse_domain::annotations::Bans;
use bourse_domain::query::Query;
use bourse_domain::time::UnixTime;

use crate::state_file::StateFileError;
use crate::{Moment, Poll};

/// A request for the right to ask a market.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub query: Query,
    /// A recorded poll later than this answers the claim; `None` if none does.
    pub since: Option<Moment>,
    /// The machines and hosts that the poll may exclude.
    pub bans: Bans,
    /// The time of the claim.
    pub now: UnixTime,
    /// The number of requests to send.
    pub requests: u32,
    pub a_minute: u32,
}

/// The answer to a [`Claim`].
#[derive(Debug)]
pub enum Right {
    /// This program polls. The error is the reason the shared budget cannot be counted.
    Ours(Result<(), StateFileError>),
    /// There is no room in the budget, or another program polls: claim again after this many seconds.
    Later(f64),
    /// Another program has polled; this is its poll.
    Recorded(Box<Poll>),
}

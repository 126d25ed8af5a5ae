//! What a program that wants to ask says, and what it is told.

use bourse_domain::annotations::Bans;
use bourse_domain::query::Query;

use crate::state_file::StateFileError;
use crate::{Moment, Poll};

/// A request for the right to ask a market.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    pub query: Query,
    /// A recorded poll that is later than this answers; `None` if none does.
    pub since: Option<Moment>,
    /// The machines and hosts that the poll may leave out.
    pub bans: Bans,
    /// When it is claimed, in seconds since 1970.
    pub now: f64,
    /// How many requests are sent, of how many that all programs may send in a minute.
    pub requests: u32,
    pub a_minute: u32,
}

/// The answer to a [`Claim`].
#[derive(Debug)]
pub enum Right {
    /// This program asks; the error says why the shared budget cannot be counted.
    Ours(Result<(), StateFileError>),
    /// There is no room in the budget, or another program asks: claim again after so many seconds.
    Later(f64),
    /// Another program has asked.
    Recorded(Box<Poll>),
}

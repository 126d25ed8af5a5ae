//! A watched request and who sends it, when several dashboards watch the same search.

use crate::api::{Request, wire};
use crate::domain::history::SearchKey;
use crate::domain::{Dialect, Listing, Query};

/// A watched request that waits for its turn; it is sent every so many seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRequest {
    pub request: SharedRequest,
    pub every: u32,
    /// When the response that is shown was received, in seconds since 1970.
    pub shown: Option<f64>,
}

/// A search that several programs may send: equal for all that get the same response to it.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedRequest {
    pub query: Query,
    pub dialect: &'static Dialect,
    pub base_url: String,
}

impl SharedRequest {
    /// Identifies it: its address and body. Local sandboxes have an address each.
    pub fn key(&self) -> String {
        let wire = wire::encode(&Request::Search(self.query.clone()), self.dialect);
        let body = wire.body_text().unwrap_or_default();
        format!("{}{} {body}", self.base_url, wire.path)
    }
}

/// What this dashboard no longer sends.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenBack {
    pub request: SharedRequest,
    /// The recorded search, which `bourse watch` waits for; `None` if nothing is recorded of it.
    pub search: Option<SearchKey>,
}

/// Who sends a watched request: this dashboard if it may ask.
#[derive(Debug)]
pub enum Turn {
    Ask,
    /// Another one has: its response, and when that was received, in seconds since 1970.
    Read {
        listing: Box<Listing>,
        at: f64,
    },
    /// Another one does, and its next response is not here yet.
    Wait,
}

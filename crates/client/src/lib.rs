//! A client of GPU compute marketplaces: six operations as data, their wire form, and one HTTP client.
//!
//! A [`Request`] is a value and so is its [`Reply`]: both can be made, compared and tested without a network. A
//! [`Session`] sends requests to a market and waits for its rate limits:
//!
//! ```no_run
//! use bourse_client::{Client, ClientConfig, Origin, Pacer, Reply, Request, Secret, Session};
//! use bourse_domain::{Dialect, Query, Resource};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let address = Origin::parse("https://market.example")?;
//! let client = Client::new(ClientConfig {
//!     management: address.clone(),
//!     route: address,
//!     dialect: &Dialect::DOCUMENTED,
//!     key: Some(Secret::new("the key of the account")),
//!     sends_route_key: false,
//! })?;
//! let session = Session::new(client, Pacer::default());
//! let request = Request::Search(Query::empty(Resource::Offers));
//! if let Reply::Records(offers) = session.run(&request, |_progress| {}).await? {
//!     println!("{} offers", offers.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Guarantees
//!
//! - **Writes are sent once.** Only reads are retried, at most [`session::MOST_ATTEMPTS`] times. After an error
//!   [`ApiError::outcome_unknown`] says whether a write may have been carried out.
//! - **The key is protected.** It is sent to the two configured addresses only, never to a worker, never in clear text
//!   over a network, and redirects are not followed. A [`Secret`] cannot be printed, and copies of it that a server
//!   sends back are removed from texts and from the [`Ledger`].
//! - **Responses are bounded** in size, in silence and in time, and are parsed as they arrive. Texts in them are
//!   [`Untrusted`]: they have to be escaped to be shown.
//!
//! # Modules
//!
//! [`wire`] encodes requests and decodes replies, in the dialect of a market; [`client`] is the only module that opens
//! a socket, for the market and, in a [`WorkerClient`] without a key, for workers; [`pacing`] holds the rate limits as
//! plain state; [`session`] decides when a request is sent and whether it is retried; [`ledger`] records requests and
//! responses, which [`har`] and [`curl`] export; [`error`] describes failures.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![warn(missing_docs)]

pub mod attempt;
pub mod client;
pub mod curl;
pub mod error;
pub mod har;
pub mod ledger;
pub mod pacing;
pub mod raw;
pub mod redact;
pub mod session;
pub mod wire;

use std::time::Duration;

use bourse_domain::workergroup::NewWorkergroup;
use bourse_domain::{Listing, Query, Resource, Untrusted};

pub use bourse_domain::secrets::Secret;
pub use client::{Called, Client, ClientConfig, Origin, OriginError, Outcome, Received, WorkerClient, WorkerRootError};
pub use error::{ApiError, ErrorBody, Unreachable};
pub use ledger::{Ledger, LedgerEntry};
pub use pacing::Pacer;
pub use raw::RawSearch;
pub use session::{Progress, Session, Wait};

/// The six operations of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Searches the offers of machines, by conditions and order.
    SearchOffers,
    /// Searches the listings of network volumes.
    SearchVolumes,
    /// Removes a volume of the account from the market.
    UnlistVolume,
    /// Lists the workergroups of the account.
    ListWorkergroups,
    /// Creates a workergroup: a write, sent once.
    CreateWorkergroup,
    /// Requests a worker of an endpoint.
    Route,
}

impl Operation {
    /// All six operations, in their order.
    pub const ALL: [Self; 6] = [
        Self::SearchOffers,
        Self::SearchVolumes,
        Self::UnlistVolume,
        Self::ListWorkergroups,
        Self::CreateWorkergroup,
        Self::Route,
    ];

    /// The name in messages: `search offers`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::SearchOffers => "search offers",
            Self::SearchVolumes => "search network volumes",
            Self::UnlistVolume => "unlist volume",
            Self::ListWorkergroups => "list workergroups",
            Self::CreateWorkergroup => "create workergroup",
            Self::Route => "route",
        }
    }

    /// Whether it changes nothing on the server: a search, or the list of workergroups. Only such requests
    /// are retried automatically.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::SearchOffers | Self::SearchVolumes | Self::ListWorkergroups)
    }

    /// The maximum silence of the server during a response: 10 s for a read, the whole deadline for any other
    /// operation.
    ///
    /// A read that hangs is better sent again; for a write, every response within the deadline counts.
    pub const fn longest_silence(self) -> Duration {
        if self.is_read() {
            Duration::from_secs(10)
        } else {
            self.deadline()
        }
    }

    /// The deadline for the whole response, from the first byte sent: 15 s for a route request, 20 s for a
    /// read, 30 s to unlist a volume and 60 s to create a workergroup.
    pub const fn deadline(self) -> Duration {
        Duration::from_secs(match self {
            Self::SearchOffers | Self::SearchVolumes | Self::ListWorkergroups => 20,
            Self::Route => 15,
            Self::UnlistVolume => 30,
            Self::CreateWorkergroup => 60,
        })
    }
}

/// A request to the market, before it is encoded.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Searches offers or network volumes, by the query's resource.
    ///
    /// Workergroups cannot be searched: their query becomes a [`Request::ListWorkergroups`].
    Search(Query),
    /// Unlists the volume with this listing id. An offer id is not a listing id.
    UnlistVolume {
        /// The id of the listing.
        id: i64,
    },
    /// Lists the workergroups of the key's account.
    ListWorkergroups,
    /// Creates a workergroup: a write, sent once.
    CreateWorkergroup(NewWorkergroup),
    /// Requests a worker of an endpoint.
    Route(RouteCall),
    /// A search with a hand-written body.
    Raw(RawSearch),
}

impl Request {
    /// The operation of the request; a search of workergroups is the operation that lists them.
    pub const fn operation(&self) -> Operation {
        match self {
            Self::Search(query) => match query.resource {
                Resource::Offers => Operation::SearchOffers,
                Resource::Volumes => Operation::SearchVolumes,
                Resource::Workergroups => Operation::ListWorkergroups,
            },
            Self::UnlistVolume { .. } => Operation::UnlistVolume,
            Self::ListWorkergroups => Operation::ListWorkergroups,
            Self::CreateWorkergroup(_) => Operation::CreateWorkergroup,
            Self::Route(_) => Operation::Route,
            Self::Raw(search) => search.operation(),
        }
    }
}

/// A request to the routing endpoint.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteCall {
    /// The name of the endpoint.
    pub endpoint: String,
    /// Estimated load of the request; finite and not negative. The specification's default is 100.
    pub cost: f64,
    /// The key to send instead of the profile's, in dialects that require the group's own.
    pub key: Option<Secret>,
    /// The position of the request in the router's queue; sent in dialects that have one.
    pub place: Option<QueuePlace>,
}

/// The position of a route request in the router's queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueuePlace {
    /// The index from the status reply to the request; 0 for a new request.
    pub request_idx: u64,
    /// Seconds after which the router releases the load of an unused assignment.
    pub replay_timeout: f64,
}

/// The result of a request: its reply or its error.
pub type Response = Result<Reply, ApiError>;

/// The content of a successful response.
#[derive(Debug)]
pub enum Reply {
    /// Records of a search or listing.
    Records(Box<Listing>),
    /// The listing was removed from the market.
    Unlisted {
        /// The server's confirmation, which names the volume.
        msg: Untrusted,
    },
    /// The workergroup exists now, under this id.
    Created {
        /// The id of the workergroup.
        id: i64,
    },
    /// A worker, or the status if there is none yet.
    Routed(RouteReply),
}

impl Reply {
    /// The records of a search or listing.
    ///
    /// # Errors
    ///
    /// If it is the reply to another request.
    pub fn into_records(self) -> Result<Box<Listing>, ApiError> {
        if let Self::Records(listing) = self {
            Ok(listing)
        } else {
            Err(ApiError::Empty { status: 200 })
        }
    }
}

/// A response of the routing endpoint.
#[derive(Clone, PartialEq)]
pub enum RouteReply {
    /// A worker is ready for the request.
    Assigned(Assignment),
    /// No worker is ready yet: poll again.
    Waiting {
        /// The full status reply as received, as JSON text; its shape is not specified.
        json: Untrusted,
    },
}

/// Omits the reply itself, which may hold a signature or a key.
impl std::fmt::Debug for RouteReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Assigned(assignment) => f.debug_tuple("Assigned").field(assignment).finish(),
            Self::Waiting { .. } => f.write_str("Waiting(…)"),
        }
    }
}

/// A worker assignment (specification, "Route assignment").
#[derive(Clone, PartialEq)]
pub struct Assignment {
    /// The endpoint, as echoed by the server.
    pub endpoint: Option<Untrusted>,
    /// The address of the worker, as received: not checked.
    pub url: Untrusted,
    /// The cost, as echoed by the server.
    pub cost: Option<f64>,
    /// The number of the request at this worker.
    pub reqnum: Option<i64>,
    /// The signature of the address, by which a worker recognizes the market.
    pub signature: Option<Untrusted>,
    /// The index of the request in the router's queue; a re-route repeats it.
    pub request_idx: Option<u64>,
    /// The unique id that the server assigned to the request.
    pub request_id: Option<Untrusted>,
    /// The members that differ from the request: `endpoint` or `cost`, if not echoed as sent.
    pub mismatches: Vec<&'static str>,
    /// The full reply as JSON text, which the next hop forwards.
    pub json: Untrusted,
}

impl std::fmt::Debug for Assignment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assignment")
            .field("endpoint", &self.endpoint)
            .field("url", &self.url)
            .field("cost", &self.cost)
            .field("reqnum", &self.reqnum)
            .field("mismatches", &self.mismatches)
            .finish_non_exhaustive()
    }
}

//! The API: the six operations as data, their wire form, and the one HTTP client.
//!
//! [`Request`] and [`Reply`] know nothing of HTTP; [`wire`] turns them into bytes and back;
//! [`client`] is the only place that opens a socket; [`session`] decides when a request is sent and
//! what is retried; [`ledger`] records requests and responses, without secrets.

pub mod attempt;
pub mod client;
pub mod curl;
pub mod error;
pub mod har;
mod key_source;
pub mod ledger;
pub mod pacing;
pub mod raw;
pub mod redact;
pub mod session;
pub mod wire;

use std::sync::Arc;
use std::time::Duration;

use crate::domain::workergroup::NewWorkergroup;
use crate::domain::{Listing, Query, Resource, Untrusted};

pub use client::{Client, ClientConfig, Origin, OriginError, Outcome, Received};
pub use error::{ApiError, ErrorBody, Unreachable};
pub use key_source::KeySource;
pub use ledger::{Ledger, LedgerEntry};
pub use pacing::Pacer;
pub use raw::RawSearch;
pub use session::{Progress, Session, Wait};

/// The six operations of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    SearchOffers,
    SearchVolumes,
    UnlistVolume,
    ListWorkergroups,
    CreateWorkergroup,
    Route,
}

impl Operation {
    pub const ALL: [Self; 6] = [
        Self::SearchOffers,
        Self::SearchVolumes,
        Self::UnlistVolume,
        Self::ListWorkergroups,
        Self::CreateWorkergroup,
        Self::Route,
    ];

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

    /// Whether it changes nothing on the server: only such requests are retried automatically.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::SearchOffers | Self::SearchVolumes | Self::ListWorkergroups)
    }

    /// How long the server may be silent while it answers. A read that hangs is better sent again; of
    /// a write, every answer within the deadline counts.
    pub const fn longest_silence(self) -> Duration {
        if self.is_read() {
            Duration::from_secs(10)
        } else {
            self.deadline()
        }
    }

    /// The deadline for the whole response, from the first byte sent.
    pub const fn deadline(self) -> Duration {
        Duration::from_secs(match self {
            Self::SearchOffers | Self::SearchVolumes | Self::ListWorkergroups => 20,
            Self::Route => 15,
            Self::UnlistVolume => 30,
            Self::CreateWorkergroup => 60,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Search offers or network volumes, by the query's resource. Workergroups cannot be searched:
    /// their query makes a [`Request::ListWorkergroups`].
    Search(Query),
    /// Unlist the volume listing of that id. An offer id is not a listing id.
    UnlistVolume {
        id: i64,
    },
    /// List the workergroups of the key's account.
    ListWorkergroups,
    CreateWorkergroup(NewWorkergroup),
    Route(RouteCall),
    /// A search with a body that a person wrote.
    Raw(RawSearch),
}

impl Request {
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
    pub endpoint: String,
    /// Estimated load of the request; finite and not negative. The specification's default is 100.
    pub cost: f64,
    /// The key to send instead of the profile's, in dialects that want the group's own.
    pub key: Option<Secret>,
}

/// A secret text: never printed, compared only in tests and to compare requests.
#[derive(Clone)]
pub struct Secret(Arc<secrecy::SecretString>);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(Arc::new(secrecy::SecretString::from(text.into())))
    }

    /// The secret itself: for the Authorization header and an explicit reveal, nothing else.
    pub fn expose(&self) -> &str {
        secrecy::ExposeSecret::expose_secret(self.0.as_ref())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

/// The result of a request: its reply or its error.
pub type Response = Result<Reply, ApiError>;

#[derive(Debug)]
pub enum Reply {
    /// Records of a search or listing.
    Records(Box<Listing>),
    Unlisted {
        /// The server's confirmation, which names the volume.
        msg: Untrusted,
    },
    Created {
        id: i64,
    },
    /// A worker, or why there is none yet.
    Routed(RouteReply),
}

/// A response of the routing endpoint.
#[derive(Clone, PartialEq)]
pub enum RouteReply {
    Assigned(Assignment),
    /// No worker yet: the full status reply as JSON text (its shape is not specified).
    Waiting {
        json: Untrusted,
    },
}

/// Without the reply itself: it may hold a signature or a key.
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
    /// The endpoint, as the server echoes it.
    pub endpoint: Option<Untrusted>,
    /// Address of the worker. Shown and copied, never called.
    pub url: Untrusted,
    /// The cost, as the server echoes it.
    pub cost: Option<f64>,
    /// Number of the request at this worker.
    pub reqnum: Option<i64>,
    pub signature: Option<Untrusted>,
    /// Unique id that the server gave the request.
    pub request_id: Option<Untrusted>,
    /// What differs from the request: `endpoint` or `cost` not echoed as sent.
    pub mismatches: Vec<&'static str>,
    /// The full reply as JSON text: the next hop forwards it.
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

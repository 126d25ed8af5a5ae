//! The wire form: a [`Request`] as method, path and JSON body, and a response as a
//! [`Reply`](super::Reply).
//!
//! Nothing here opens a socket or reads a clock, so both directions can be tested with plain data.

mod decode;
mod envelope;
mod error_body;

use bourse_domain::catalog::Resource;
use bourse_domain::query::number_json;
use bourse_domain::{Dialect, Query};
use serde_json::{Map, Value as Json, json};

use super::{Request, RouteCall, Secret};

pub use decode::{Answer, decode};
pub(super) use decode::{Content, clean_text, decode_content, is_good, reader};
pub use error_body::{retry_after, threshold};

/// Path of the offer search.
pub const OFFERS_PATH: &str = "/api/v0/bundles/";
/// Path of the network volume search.
pub const VOLUMES_PATH: &str = "/api/v0/network_volumes/search/";
/// Path of the unlisting of a volume.
const UNLIST_PATH: &str = "/api/v0/volumes/unlist/";
/// Path of the listing and the creation of workergroups.
const WORKERGROUPS_PATH: &str = "/api/v0/workergroups/";
/// Path of the routing endpoint.
const ROUTE_PATH: &str = "/route/";

/// An HTTP method of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// For reads: there is no body.
    Get,
    /// For requests with a JSON body.
    Post,
}

impl Method {
    /// The name in the request line: `GET`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// The base address to which a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The management API: searches, listings and workergroups.
    Management,
    /// The address for route requests, which may be another host's.
    Route,
}

/// A request in its wire form, without the market's address and the profile's key.
#[derive(Debug, Clone, PartialEq)]
pub struct WireRequest {
    /// The HTTP method of the request.
    pub method: Method,
    /// The base address that it is sent to.
    pub target: Target,
    /// The path after the base address.
    pub path: &'static str,
    /// The body; `None` if the operation has none.
    pub body: Option<Json>,
    /// The key to send instead of the profile's.
    pub key: Option<Secret>,
}

impl WireRequest {
    /// A request to the management API, without a key of its own.
    const fn new(method: Method, path: &'static str, body: Option<Json>) -> Self {
        Self {
            method,
            target: Target::Management,
            path,
            body,
            key: None,
        }
    }

    /// A POST request with a JSON body to the management API.
    const fn post(path: &'static str, body: Json) -> Self {
        Self::new(Method::Post, path, Some(body))
    }

    /// The body as JSON text; `None` if it has none.
    pub fn body_text(&self) -> Option<String> {
        self.body.as_ref().map(Json::to_string)
    }
}

/// Encodes a request in `dialect`: method, path and body. A search of workergroups lists all of them,
/// whatever its conditions. The profile's key is not part of it.
pub fn encode(request: &Request, dialect: &'static Dialect) -> WireRequest {
    match request {
        Request::Search(query) => match query.resource {
            Resource::Offers => WireRequest::post(OFFERS_PATH, offers(query, dialect)),
            Resource::Volumes => WireRequest::post(VOLUMES_PATH, volumes(query, dialect)),
            Resource::Workergroups => list_workergroups(),
        },
        Request::UnlistVolume { id } => WireRequest::post(UNLIST_PATH, json!({ "id": id })),
        Request::ListWorkergroups => list_workergroups(),
        Request::CreateWorkergroup(draft) => WireRequest::post(
            WORKERGROUPS_PATH,
            // A struct of plain members always serializes.
            serde_json::to_value(draft).unwrap_or_default(),
        ),
        Request::Route(call) => route(call, dialect),
        Request::Raw(search) => WireRequest::post(search.path(), search.body().clone()),
    }
}

/// The request that lists the workergroups of the account.
const fn list_workergroups() -> WireRequest {
    WireRequest::new(Method::Get, WORKERGROUPS_PATH, None)
}

/// The request for a worker, with the key of the call, if it has one; the position in the router's queue is
/// sent only in dialects that have one.
fn route(call: &RouteCall, dialect: &'static Dialect) -> WireRequest {
    let mut body = json!({ "endpoint": call.endpoint, "cost": number_json(call.cost) });
    if let Some(place) = call.place.filter(|_| dialect.route_queue) {
        body["request_idx"] = json!(place.request_idx);
        body["replay_timeout"] = number_json(place.replay_timeout);
    }
    WireRequest {
        target: Target::Route,
        key: call.key.clone(),
        ..WireRequest::post(ROUTE_PATH, body)
    }
}

/// The body of an offer search: filters, order, limit and price model; a storage and separate offers, if they
/// are set, only in dialects that have a parameter for them.
fn offers(query: &Query, dialect: &'static Dialect) -> Json {
    let mut body = search(query, dialect);
    body.insert("type".to_owned(), json!(query.offer_type.wire()));
    if let (Some(parameter), Some(gigabytes)) = (dialect.storage_parameter, query.storage) {
        body.insert(parameter.to_owned(), number_json(gigabytes));
    }
    if let (Some(parameter), true) = (dialect.bundling_parameter, query.unbundled) {
        body.insert(parameter.to_owned(), json!(true));
    }
    Json::Object(body)
}

/// The body of a volume search, inside a member `q` in dialects that require it.
fn volumes(query: &Query, dialect: &'static Dialect) -> Json {
    let body = Json::Object(search(query, dialect));
    if dialect.volumes_wrapped {
        json!({ "q": body })
    } else {
        body
    }
}

/// The members that both searches have: the conditions and sort keys that `dialect` sends, and the limit,
/// each only if there is any.
fn search(query: &Query, dialect: &'static Dialect) -> Map<String, Json> {
    let mut body = query.filters_json(dialect);
    let order: Vec<Json> = query
        .sent_order(dialect)
        .iter()
        .map(|key| json!([key.field.key, key.direction.wire()]))
        .collect();
    if !order.is_empty() {
        body.insert("order".to_owned(), Json::Array(order));
    }
    if let Some(limit) = query.limit {
        body.insert("limit".to_owned(), json!(limit));
    }
    body
}

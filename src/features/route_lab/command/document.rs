//! The document of `bourse route`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::domain::routing;

/// A run of route requests. Times are in seconds.
///
/// The replies are printed as received, so that this type only describes the document.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Route {
    /// As received; without a reply only `bourse`, with the reason.
    replies: Vec<Map<String, Json>>,
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Comparison>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// The parameters of the run.
    pub run: Map<String, Json>,
    #[serde(flatten)]
    pub figures: routing::Summary,
    pub workers: Vec<Worker>,
    pub last_status: Option<Json>,
    /// Each change of the endpoint's status, with the seconds since the start.
    pub statuses: Json,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Worker {
    pub url: String,
    pub requests: u64,
    /// From 0 to 1.
    pub share: f64,
}

/// The differences from a saved run. Times are in seconds, shares from 0 to 1.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Comparison {
    pub file: String,
    pub requests: Counts,
    pub figures: Vec<ComparedFigure>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Counts {
    pub then: u64,
    pub now: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ComparedFigure {
    pub figure: String,
    pub then: Option<f64>,
    pub now: Option<f64>,
    pub difference: Option<f64>,
}

/// The member `bourse` of a reply whose worker was called. Times are in seconds.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub queue: Option<f64>,
    pub connect: Option<f64>,
    pub first_byte: Option<f64>,
    pub last_byte: Option<f64>,
    pub total: Option<f64>,
    pub request: u64,
    pub retry: u32,
    pub status: Option<u16>,
    pub error: Option<String>,
    pub bytes: Option<u64>,
    pub tokens: Option<u64>,
    pub tokens_per_second: Option<f64>,
    /// JSON, or else the text.
    pub response: Option<Json>,
}

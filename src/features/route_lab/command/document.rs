//! The document of `bourse route`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::domain::routing::Quantiles;

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
    pub requests: u64,
    pub assigned: u64,
    pub waiting: u64,
    pub failed: u64,
    /// Attempts by outcome.
    pub outcomes: BTreeMap<String, u64>,
    pub polls: u64,
    pub seconds: f64,
    pub per_second: Option<f64>,
    pub router_reply_seconds: Option<Percentiles>,
    pub time_to_worker_seconds: Option<Percentiles>,
    pub first_assigned_seconds: Option<f64>,
    pub bytes: u64,
    pub load_injected: f64,
    pub reqnum_gaps: u64,
    pub reqnum_repeats: u64,
    pub workers: Vec<Worker>,
    pub last_status: Option<Json>,
    /// Each change of the endpoint's status, with the seconds since the start.
    pub statuses: Json,
    /// The calls of the assigned workers; `null` if none was called.
    pub worker_calls: Option<WorkerCalls>,
}

/// Of a histogram with three significant digits; the maximum is exact.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Percentiles {
    p50: f64,
    p90: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

impl From<&Quantiles> for Percentiles {
    fn from(latency: &Quantiles) -> Self {
        Self {
            p50: latency.p50,
            p90: latency.p90,
            p95: latency.p95,
            p99: latency.p99,
            max: latency.max,
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Worker {
    pub url: String,
    pub requests: u64,
    /// From 0 to 1.
    pub share: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkerCalls {
    pub calls: u64,
    pub good: u64,
    /// The share of calls that failed, from 0 to 1.
    pub errors: Option<f64>,
    /// Calls by class of outcome.
    pub classes: BTreeMap<String, u64>,
    /// Calls by HTTP status; `none` without a response.
    pub statuses: BTreeMap<String, u64>,
    pub connect_seconds: Option<Percentiles>,
    pub first_byte_seconds: Option<Percentiles>,
    pub last_byte_seconds: Option<Percentiles>,
    pub total_seconds: Option<Percentiles>,
    pub tokens: u64,
    pub tokens_per_second: Option<Percentiles>,
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
    pub figure: &'static str,
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

//! The document of `bourse groups supply`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::documents::WorstCase;

/// The supply of workergroups. Prices are in $/h.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Supply {
    pub groups: Vec<GroupSupply>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GroupSupply {
    pub id: Option<i64>,
    pub endpoint: Option<String>,
    #[serde(flatten)]
    pub result: SupplyResult,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SupplyResult {
    Found(Box<SupplyFigures>),
    /// Why the supply is unknown.
    Unknown {
        error: String,
    },
}

/// The offers that the group's search finds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SupplyFigures {
    pub machines: usize,
    pub gpus: u64,
    /// Whether the response has all offers of the search.
    pub complete: bool,
    pub lowest: Option<f64>,
    pub median: Option<f64>,
    pub highest: Option<f64>,
    pub worst_case: WorstCase,
    /// `null` if the size of the model is not known.
    pub cold_start: Option<ColdStart>,
    pub notes: Vec<String>,
    /// The cheapest offers.
    pub offers: Vec<WorkerOffer>,
}

/// The cost of starting a worker, in $: the range over the offers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ColdStart {
    /// GB to download.
    pub gb: f64,
    pub loading_seconds: f64,
    pub starts_a_day: u32,
    pub least: f64,
    pub median: f64,
    pub most: f64,
    pub least_a_day: f64,
    pub median_a_day: f64,
    pub most_a_day: f64,
    /// Offers that do not name their download speed or traffic price.
    pub not_reported: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkerOffer {
    pub id: i64,
    pub gpus: String,
    pub country: String,
    pub hourly: f64,
    /// `null` if the size of the model, the speed or the traffic price is not known.
    pub start: Option<WorkerStart>,
}

/// A start on one offer, in seconds and $.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkerStart {
    pub download_seconds: f64,
    pub loading_seconds: f64,
    pub traffic: f64,
    pub machine: f64,
    pub total: f64,
    pub total_a_day: f64,
}

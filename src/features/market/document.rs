//! The documents of `bourse market`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

/// The basis of an analysis of offers, and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Analysis<T> {
    #[serde(flatten)]
    pub basis: Basis,
    #[serde(flatten)]
    pub result: T,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Basis {
    /// The conditions of the search.
    pub query: String,
    #[serde(rename = "type")]
    pub offer_type: String,
    pub job: Option<Json>,
    /// `$/h`, or `$ for the job`.
    pub unit: String,
    /// How many offers it is based on.
    pub offers: usize,
    /// Whether the response has all offers of the search.
    pub complete: bool,
}

/// Supply and prices by group.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Market {
    pub groups: Vec<MarketGroup>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[expect(
    clippy::option_option,
    reason = "`null` without a price, missing if the other one is asked for"
)]
pub(crate) struct MarketGroup {
    /// The name of the group, under `gpu_name`, `geolocation` or `host_id`.
    #[serde(flatten)]
    pub key: BTreeMap<String, String>,
    pub gpus: u64,
    pub machines: usize,
    pub offers: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_per_gpu: Option<Option<Levels>>,
    /// With work: whole bills instead of prices per GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bill: Option<Option<Levels>>,
    /// The id of the cheapest offer.
    pub cheapest: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Levels {
    pub lowest: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub highest: f64,
}

/// GPUs at or below each price.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Depth {
    /// GPUs on offer.
    pub gpus: u64,
    /// The value of `--gpus`.
    pub asked: Option<u32>,
    pub sizes: Vec<DepthSize>,
    pub steps: Vec<DepthStep>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DepthSize {
    pub gpus: u64,
    pub offers: usize,
    pub average_per_gpu: f64,
    pub highest_per_gpu: f64,
    pub total: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DepthStep {
    pub id: Option<i64>,
    pub gpus: u64,
    pub price: f64,
    pub price_per_gpu: f64,
    pub total_gpus: u64,
    pub total_price: f64,
}

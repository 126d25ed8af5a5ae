//! Analyses of the offers and of the record.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;

use super::Record;

/// The basis of an analysis of offers, and its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Analysis<T> {
    #[serde(flatten)]
    pub basis: Basis,
    #[serde(flatten)]
    pub result: T,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Basis {
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
pub struct Market {
    pub groups: Vec<MarketGroup>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct MarketGroup {
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
pub struct Levels {
    pub lowest: f64,
    pub lower_quartile: f64,
    pub median: f64,
    pub upper_quartile: f64,
    pub highest: f64,
}

/// GPUs at or below each price.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Depth {
    /// GPUs on offer.
    pub gpus: u64,
    /// The value of `--gpus`.
    pub asked: Option<u32>,
    pub sizes: Vec<DepthSize>,
    pub steps: Vec<DepthStep>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DepthSize {
    pub gpus: u64,
    pub offers: usize,
    pub average_per_gpu: f64,
    pub highest_per_gpu: f64,
    pub total: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DepthStep {
    pub id: Option<i64>,
    pub gpus: u64,
    pub price: f64,
    pub price_per_gpu: f64,
    pub total_gpus: u64,
    pub total_price: f64,
}

/// The cheapest offers that together have N GPUs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Plans {
    /// `null` if there is none.
    pub plan: Option<Plan>,
    pub runner_up: Option<Plan>,
    /// The limits that cost something.
    pub binding: Vec<Binding>,
    /// The bills of other sizes.
    pub curve: Vec<PlanSize>,
    pub remarks: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Plan {
    pub bill: f64,
    pub gpus: u64,
    pub machines: usize,
    pub offers: Vec<PlanOffer>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanOffer {
    pub id: Option<i64>,
    pub machine_id: String,
    pub price: f64,
    /// Hours of the job on it; `null` without a job.
    pub hours: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Binding {
    pub limit: String,
    pub bill_without: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct PlanSize {
    pub gpus: u32,
    /// `null` where no offers have that many.
    pub bill: Option<f64>,
}

/// No offer. With an offer `bourse pick --json` prints its record with the member `bourse`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Pick {
    offer: (),
}

/// The recorded prices of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct History {
    conditions: String,
    #[serde(rename = "type")]
    offer_type: String,
    unit: String,
    since: String,
    until: String,
    /// The share of the time that is recorded, from 0 to 1.
    watched: f64,
    /// Seconds without a record.
    unknown: f64,
    now: Option<HistoryNow>,
    record_low: Option<RecordLow>,
    /// Whether today's lowest price is low: `standing`, or `withheld` with the reason.
    verdict: Option<Verdict>,
    lifetime_seconds: Option<Record>,
    series: Vec<HistoryStep>,
    /// `true` for prices of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HistoryNow {
    at: String,
    lowest: Option<f64>,
    median: Option<f64>,
    amount: f64,
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RecordLow {
    price: f64,
    at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Verdict {
    #[serde(skip_serializing_if = "Option::is_none")]
    standing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<Withheld>,
    window_days: u32,
    /// From 0 to 1.
    known_share: f64,
    of: Record,
    #[serde(flatten)]
    figures: Record,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Withheld {
    reason: String,
    watched_seconds: f64,
    needed_seconds: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HistoryStep {
    from: String,
    until: String,
    lowest: Option<f64>,
    p20: Option<f64>,
    median: Option<f64>,
    p80: Option<f64>,
    amount: Option<f64>,
    watched: f64,
}

/// The usual prices of GPU models. Premiums, bids and reserved prices are shares more or less.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PriceIndex {
    conditions: String,
    unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    /// Models with less than a day of record.
    #[serde(skip_serializing_if = "Option::is_none")]
    models_withheld: Option<usize>,
    figures: Vec<IndexFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct IndexFigures {
    model: String,
    country: Option<String>,
    gpus_on_offer: Option<u64>,
    lowest_per_gpu: f64,
    premium_2x: Option<f64>,
    premium_4x: Option<f64>,
    premium_8x: Option<f64>,
    bid: Option<f64>,
    reserved: Option<f64>,
    rented: Option<f64>,
    known_seconds: f64,
}

/// The shares of the recorded time that bids would have held.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Bids {
    conditions: String,
    #[serde(rename = "type")]
    offer_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    watched_seconds: Option<f64>,
    /// Why there are no figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work_hours: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restart_seconds: Option<f64>,
    figures: Vec<BidFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BidFigures {
    model: String,
    gpus: u32,
    bid: f64,
    /// The share of the watched time that it held.
    held: f64,
    interruptions_per_day: Option<f64>,
    longest_hold_seconds: Option<f64>,
    done_hours: Option<f64>,
    bill: Option<f64>,
    is_lowest_bill: bool,
}

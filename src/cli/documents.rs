//! The documents that bourse computes, as types: `bourse schema` prints their JSON Schemas, and tests hold the output
//! of every command to them.

mod analysis;

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

pub use analysis::{
    Analysis, Basis, Binding, Depth, DepthSize, DepthStep, Levels, Market, MarketGroup, Plan, PlanOffer, PlanSize,
    Plans,
};
use analysis::{Bids, History, Pick, PriceIndex};

use super::output::{self, CliError, DOCUMENT_VERSION};

/// A record as the market sent it, without API keys.
type Record = Map<String, Json>;

/// Names each kind with its type: the schemas by kind, in the order of `docs/scripting.md`.
macro_rules! documents {
    ($($kind:literal: $document:ty,)+) => {
        /// The kinds of documents, each with the schema of the members behind `v` and `kind`.
        const SCHEMAS: &[(&str, fn() -> Schema)] = &[$(($kind, members::<$document>)),+];
    };
}

documents! {
    "offers": OfferList,
    "volumes": OfferList,
    "groups": Groups,
    "supply": Supply,
    "market": Analysis<Market>,
    "depth": Analysis<Depth>,
    "plan": Analysis<Plans>,
    "pick": Pick,
    "history": History,
    "price-index": PriceIndex,
    "bids": Bids,
    "change": Change,
    "watch-list": WatchList,
    "price": Price,
    "db-check": DbCheck,
    "db-vacuum": DbVacuum,
    "db-reset": DbReset,
    "market-added": MarketAdded,
    "market-check": MarketCheck,
    "writes": Writes,
    "request": Request,
    "route": Route,
    "sandbox": Sandbox,
    "config": Config,
    "config-check": ConfigCheck,
    "paths": Paths,
}

/// The kinds that have a schema.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(kind, _)| *kind)
}

/// The schema of the documents of a kind; `None` if there is no such kind.
pub fn schema(kind: &str) -> Option<Json> {
    let (kind, members) = SCHEMAS.iter().find(|(own, _)| *own == kind)?;
    let mut schema = members().to_value();
    let members = schema["properties"].take();
    let mut properties = json!({
        "v": { "const": DOCUMENT_VERSION, "description": "Rises when a member changes its name, type or unit." },
        "kind": { "const": kind },
    });
    if let (Some(all), Json::Object(members)) = (properties.as_object_mut(), members) {
        all.extend(members);
    }
    let mut required = vec!["v".into(), "kind".into()];
    if let Json::Array(members) = schema["required"].take() {
        required.extend(members);
    }
    schema["required"] = required.into();
    schema["properties"] = properties;
    schema["title"] = format!("bourse {kind}").into();
    Some(schema)
}

/// Prints the schema of a kind, or the kinds.
///
/// # Errors
/// When it cannot be written.
pub fn print_schema(kind: Option<&str>) -> Result<(), CliError> {
    match kind.and_then(schema) {
        Some(schema) => output::print_json(&format!("{schema:#}\n")),
        None => output::print(&kinds().fold(String::new(), |all, kind| all + kind + "\n")),
    }
}

/// The schema of a type as it is written.
fn members<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    // A schema can then be part of another one.
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>()
}

/// Offers or volumes that match a search.
#[derive(Debug, Serialize, JsonSchema)]
struct OfferList {
    offers: Vec<Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<Record>,
    /// The bill of the job on each offer, in the order of the offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    bills: Option<Vec<Bill>>,
    /// The price of your work on each offer, by your throughput.
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<Vec<Record>>,
    /// The computed columns of each offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    computed: Option<Vec<Record>>,
}

/// A bill in $ and hours; without a total `error` has the reason.
#[derive(Debug, Serialize, JsonSchema)]
struct Bill {
    id: Option<i64>,
    total: Option<f64>,
    #[serde(flatten)]
    parts: Record,
}

/// Your workergroups, keys hidden.
#[derive(Debug, Serialize, JsonSchema)]
struct Groups {
    results: Vec<Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    computed: Option<Vec<Record>>,
}

/// The supply of workergroups. Prices are in $/h.
#[derive(Debug, Serialize, JsonSchema)]
struct Supply {
    groups: Vec<GroupSupply>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GroupSupply {
    id: Option<i64>,
    endpoint: Option<String>,
    /// Why the supply is unknown; the other members are then missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    figures: Record,
}

/// A change of an offer, an alert that rang, or a gap; which members follow depends on the event.
#[derive(Debug, Serialize, JsonSchema)]
struct Change {
    at: String,
    event: String,
    #[serde(flatten)]
    members: Record,
}

/// The searches that `bourse watch --saved` watches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchList {
    pub searches: Vec<WatchedSearch>,
    pub requests_per_minute: f64,
    /// Without the limit.
    pub wanted_per_minute: f64,
    /// The limit.
    pub most_per_minute: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchedSearch {
    pub search: String,
    /// The saved searches and alerts that it is for.
    pub name: String,
    pub every_seconds: f64,
}

/// A time in which an offer had the same price.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Price {
    pub resource: String,
    #[serde(rename = "type")]
    pub offer_type: String,
    pub conditions: String,
    pub machine_id: i64,
    pub model: String,
    pub host_id: Option<i64>,
    pub offer_id: i64,
    /// GPUs, or GB of a volume.
    pub amount: u32,
    pub price: f64,
    pub first: String,
    pub last: String,
    /// Why it ended; `null` if it has not.
    pub end: Option<String>,
    pub ended: Option<String>,
}

/// The contents of the file of prices.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DbCheck {
    pub file: String,
    pub searches: i64,
    pub polls: i64,
    pub prices: i64,
    pub bytes: i64,
    pub first: Option<String>,
    pub last: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DbVacuum {
    pub file: String,
    pub bytes_before: i64,
    pub bytes: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct DbReset {
    pub file: String,
    /// `null` if nothing was recorded.
    pub moved_to: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct MarketAdded {
    pub market: String,
    pub address: String,
    pub dialect: String,
}

/// How the records of a market differ from what bourse expects.
#[derive(Debug, Serialize, JsonSchema)]
struct MarketCheck {
    market: String,
    address: String,
    dialect: String,
    /// By kind of record; `error` where it could not be asked for.
    kinds: BTreeMap<String, Record>,
    seconds_between_requests: BTreeMap<String, f64>,
}

/// Writes to settle.
#[derive(Debug, Serialize, JsonSchema)]
struct Writes {
    entries: Vec<WriteEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct WriteEntry {
    /// The line of the write history.
    line: u64,
    is_damaged: bool,
    /// Ids of the workergroups like it.
    listed: Option<Vec<i64>>,
    #[serde(flatten)]
    members: Record,
}

/// A request that is not sent.
#[derive(Debug, Serialize, JsonSchema)]
struct Request {
    method: String,
    url: String,
    body: Json,
    /// The worst case of a workergroup.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
}

/// The most that a workergroup can cost, in $/h.
#[derive(Debug, Serialize, JsonSchema)]
struct Cost {
    workers: Option<u32>,
    max_workers: Option<u32>,
    test_workers: Option<u32>,
    cold_workers: Option<u32>,
    worker_hourly: Option<f64>,
    /// A lower bound if `unknown` has a reason.
    hourly: Option<f64>,
    unknown: Option<String>,
    has_price_limit: Option<bool>,
    /// The limit of the configuration.
    group_hourly: Option<f64>,
    over_limit: bool,
}

/// A run of route requests. Times are in seconds.
#[derive(Debug, Serialize, JsonSchema)]
struct Route {
    /// As received; without a reply only `bourse`, with the reason.
    replies: Vec<Record>,
    summary: RouteSummary,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<Record>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RouteSummary {
    /// The parameters of the run.
    run: Record,
    requests: u64,
    assigned: u64,
    waiting: u64,
    failed: u64,
    outcomes: BTreeMap<String, u64>,
    polls: u64,
    seconds: f64,
    per_second: Option<f64>,
    router_reply_seconds: Option<Percentiles>,
    time_to_worker_seconds: Option<Percentiles>,
    first_assigned_seconds: Option<f64>,
    bytes: u64,
    load_injected: f64,
    reqnum_gaps: u64,
    reqnum_repeats: u64,
    workers: Vec<Record>,
    last_status: Option<Json>,
    statuses: Vec<Record>,
    worker_calls: Option<Record>,
}

/// Of a histogram with three significant digits; the maximum is exact.
#[derive(Debug, Serialize, JsonSchema)]
struct Percentiles {
    p50: f64,
    p90: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Sandbox {
    pub address: String,
    pub api_key: String,
}

/// The settings in force.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Config {
    pub settings: Vec<Setting>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Setting {
    pub setting: String,
    /// `null` without one.
    pub value: Json,
    /// A flag, a variable, a file with its line, or `default`.
    pub from: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigCheck {
    pub file: String,
    pub exists: bool,
    pub mistakes: Vec<Mistake>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Mistake {
    pub line: Option<usize>,
    pub column: Option<usize>,
    pub message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Paths {
    pub paths: Vec<NamedPath>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct NamedPath {
    pub name: String,
    pub path: String,
    pub exists: bool,
}

//! The JSON documents of the commands, as types with their schemas; those of a feature are in its folder.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::output::DOCUMENT_VERSION;
use crate::domain::journal::{Intent, WriteKind};
use crate::domain::time::UnixTime;
use crate::domain::workergroup::{CostOutlook, NewWorkergroup, UnknownCost};

/// A record as the market sent it, without API keys.
type Record = Map<String, Json>;

/// The schema of a type as it is serialized, without references, so that it can be part of another schema.
pub fn members<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    // A schema can then be part of another one.
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>()
}

/// A kind of documents, with the schema of the members behind `v` and `kind`.
pub type PrintedKind = (&'static str, fn() -> Schema);

/// The whole JSON Schema of a kind of documents, with a title and the members `v` and `kind` in front, both
/// required.
pub fn schema_of(&(kind, members): &PrintedKind) -> Json {
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
    schema
}

/// Offers or volumes that match a search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OfferList {
    offers: Vec<Record>,
    /// Number of offers that match, before `-n`.
    matches: usize,
    /// Whether the response has all offers of the search.
    complete: bool,
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

/// The bill of the job on an offer, in $ and hours.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bill {
    pub id: Option<i64>,
    #[serde(flatten)]
    pub result: BillResult,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BillResult {
    Known(Box<BillParts>),
    /// Without a total; `error` has the reason.
    Unknown {
        total: (),
        error: String,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct BillParts {
    pub total: f64,
    pub hours: f64,
    pub download_hours: f64,
    pub gpu: f64,
    pub storage_running: f64,
    pub storage_stopped: f64,
    pub traffic_in: f64,
    pub traffic_out: f64,
    /// Whether the job fits the offer.
    pub fits: bool,
    /// $ per unit of work, under the key of its column.
    #[serde(flatten)]
    pub per_unit: BTreeMap<&'static str, f64>,
    /// Whether it is done by the deadline; missing without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_time: Option<Option<bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slack_hours: Option<Option<f64>>,
}

/// Your workergroups, keys hidden.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Groups {
    results: Vec<Record>,
    /// Number of workergroups that match, before `-n`.
    matches: usize,
    /// Always true: the listing has no limit.
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    computed: Option<Vec<Record>>,
}

/// Writes to settle.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Writes {
    pub entries: Vec<WriteEntry>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WriteEntry {
    /// The line of the write history.
    pub line: u64,
    pub is_damaged: bool,
    #[serde(flatten)]
    pub members: WriteMembers,
    /// Ids of the workergroups like it.
    pub listed: Option<Vec<i64>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum WriteMembers {
    /// A write whose outcome is unknown.
    Unknown {
        #[schemars(with = "String")]
        write: WriteKind,
        subject: String,
        /// Seconds since 1970.
        #[schemars(with = "f64")]
        at: UnixTime,
        profile: String,
        address: String,
        /// The workergroup that was to be created.
        #[schemars(with = "Option<Record>")]
        group: Option<Box<NewWorkergroup>>,
    },
    /// A line that cannot be read.
    Damaged { text: String },
}

impl WriteMembers {
    /// The members of a write whose outcome is unknown, from its intent.
    pub fn unknown(intent: &Intent) -> Self {
        Self::Unknown {
            write: intent.kind,
            subject: intent.subject.clone(),
            at: intent.at,
            profile: intent.profile.clone(),
            address: intent.address.clone(),
            group: intent.group.clone(),
        }
    }
}

/// A request that is not sent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Request {
    method: String,
    url: String,
    body: Json,
    /// The worst case of a workergroup.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
}

/// The most that a workergroup can cost, in $/h.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorstCase {
    pub workers: Option<u32>,
    pub max_workers: Option<u32>,
    pub test_workers: Option<u32>,
    pub cold_workers: Option<u32>,
    pub worker_hourly: Option<f64>,
    /// A lower bound if `unknown` has a reason.
    pub hourly: Option<f64>,
    pub unknown: Option<String>,
    /// `null` if its template's search is not known.
    pub has_price_limit: Option<bool>,
}

impl WorstCase {
    /// The worst case of a workergroup's cost, in $/h. If it is unknown, its numbers are `None` and `unknown`
    /// has the reason.
    pub fn new(outlook: &CostOutlook) -> Self {
        let worst = outlook.worst;
        Self {
            workers: worst.map(|worst| worst.workers.worst()),
            max_workers: worst.map(|worst| worst.workers.max),
            test_workers: worst.map(|worst| worst.workers.test),
            cold_workers: worst.map(|worst| worst.workers.cold),
            worker_hourly: worst.map(|worst| worst.price),
            hourly: worst.map(|worst| worst.hourly()),
            unknown: outlook.unknown.as_ref().map(ToString::to_string),
            has_price_limit: (outlook.unknown != Some(UnknownCost::Template)).then_some(!outlook.is_unlimited),
        }
    }
}

/// The worst case of a workergroup to create, and the limit of the configuration on it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Cost {
    #[serde(flatten)]
    pub worst_case: WorstCase,
    pub group_hourly: Option<f64>,
    pub over_limit: bool,
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

//! The tools: a command for each, the schema of its arguments, and their conversion to a command
//! line.

use std::fmt::Display;

use rmcp::schemars::{self, JsonSchema, Schema, schema_for};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

use crate::cli::args::OffersArguments;
use crate::cli::output::CliError;
use crate::cli::schema;
use crate::features::bids::arguments::BidsArguments;
use crate::features::history::arguments::HistoryArguments;
use crate::features::market::arguments::{DepthArguments, MarketArguments, PlanArguments};
use crate::features::pick::arguments::PickArguments;
use crate::features::{bids, cluster, history, market, pick, search};
use crate::settings::Settings;

/// Maximum length of an argument's text, in characters.
const LONGEST: usize = 2_000;

/// The members of a record that a search returns.
pub const MEMBERS: [&str; 31] = [
    "id",
    "machine_id",
    "host_id",
    "gpu_name",
    "num_gpus",
    "gpu_ram",
    "dph_total",
    "storage_cost",
    "inet_down_cost",
    "inet_up_cost",
    "min_bid",
    "geolocation",
    "reliability",
    "reliability2",
    "verification",
    "hosting_type",
    "static_ip",
    "duration",
    "cpu_name",
    "cpu_cores_effective",
    "cpu_ram",
    "disk_space",
    "disk_bw",
    "inet_down",
    "inet_up",
    "dlperf",
    "total_flops",
    "cuda_max_good",
    "driver_version",
    "rentable",
    "bourse",
];

/// A tool of the protocol.
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// The members of the records that it returns; empty if it returns one of bourse's documents.
    pub members: &'static [&'static str],
    /// The schema of its arguments.
    pub schema: fn() -> Schema,
    /// Converts the arguments of a call to a command line.
    words: fn(Map<String, Json>) -> Result<Call, ArgumentError>,
    command: Command,
}

impl Tool {
    /// The schema of its results: around the document of its command, or around records.
    pub fn result_schema(&self) -> Map<String, Json> {
        let kind = match self.command {
            Command::Offers | Command::Pick => None,
            Command::Plan => Some("plan"),
            Command::History => Some("history"),
            Command::Bids => Some("bids"),
            Command::Market => Some("market"),
            Command::Depth => Some("depth"),
        };
        let records = || json!({ "type": "array", "items": { "type": "object" } });
        let data = kind.and_then(schema::schema).unwrap_or_else(records);
        let schema = json!({
            "type": "object",
            "properties": {
                "v": { "const": 1 },
                "kind": { "const": self.name },
                "untrusted": { "type": "string" },
                "met": { "type": "boolean" },
                "data": data,
                "notes": { "type": "array", "items": { "type": "string" } },
                "left_out": { "type": "integer", "minimum": 1 },
            },
            "required": ["v", "kind", "untrusted", "met", "data", "notes"],
        });
        schema.as_object().cloned().unwrap_or_default()
    }
}

/// The command that a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Offers,
    Pick,
    Plan,
    History,
    Bids,
    Market,
    Depth,
}

/// A call of a tool with parsed arguments.
pub struct Call {
    words: Vec<String>,
    /// Maximum number of requests that it sends.
    pub requests: u32,
}

/// The reason a tool rejects its arguments.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    #[error("arguments: {0}")]
    Schema(#[from] serde_json::Error),
    #[error("query: words such as `4090 europe`, not standard input")]
    StandardInput,
    #[error("{0} is longer than {LONGEST} characters")]
    TooLong(&'static str),
    #[error("rows: from 1 to 50")]
    Rows,
    #[error("tries: from 1 to 5")]
    Tries,
}

/// The tools, in the order in which they are listed.
#[rustfmt::skip] // a table reads as a table
pub static TOOLS: [Tool; 8] = [
    Tool { name: "search_offers", title: "Search offers",
        description: "Offers that match, the best first, as the market sent them: prices in $/h (dph_total, with 8 GB of \
            storage), gpu_ram and cpu_ram in MB, disk_space in GB, inet_down and inet_up in Mbit/s, duration in seconds.",
        members: &MEMBERS, schema: schema::<SearchCall>, words: words::<SearchCall>, command: Command::Offers },
    Tool { name: "bill", title: "Bill of a job",
        description: "Offers ranked by the bill of a job: `bourse.bill` is in $ and includes GPUs, disk and traffic.",
        members: &MEMBERS, schema: schema::<BillCall>, words: words::<BillCall>, command: Command::Offers },
    Tool { name: "pick", title: "Pick an offer",
        description: "The best offer that is still there, checked a second time, with the market's own command that rents \
            it. Nothing is rented.",
        members: &MEMBERS, schema: schema::<PickCall>, words: words::<PickCall>, command: Command::Pick },
    Tool { name: "plan", title: "Plan a cluster",
        description: "The cheapest offers that together have a number of GPUs, the runner-up, and the bills of other sizes.",
        members: &[], schema: schema::<PlanCall>, words: words::<PlanCall>, command: Command::Plan },
    Tool { name: "history", title: "Price history and verdict",
        description: "Recorded prices of a search, and the verdict whether today's lowest price is low, typical or high. \
            Sends no request.",
        members: &[], schema: schema::<HistoryCall>, words: words::<HistoryCall>, command: Command::History },
    Tool { name: "bids", title: "Study bids",
        description: "What bids would have held an offer in the recorded time, how often it was lost, and the bill of the \
            work at each bid. Sends no request.",
        members: &[], schema: schema::<BidsCall>, words: words::<BidsCall>, command: Command::Bids },
    Tool { name: "market", title: "Prices and supply by group",
        description: "Prices per GPU and supply of the matching offers, by GPU model, country or host.",
        members: &[], schema: schema::<MarketCall>, words: words::<MarketCall>, command: Command::Market },
    Tool { name: "supply", title: "Supply at each price",
        description: "GPUs on offer at or below each price, and the price of a number of them.",
        members: &[], schema: schema::<SupplyCall>, words: words::<SupplyCall>, command: Command::Depth },
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum PriceModel {
    OnDemand,
    Bid,
    Reserved,
}

impl PriceModel {
    const fn name(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Bid => "bid",
            Self::Reserved => "reserved",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Grouping {
    #[default]
    Gpu,
    Country,
    Host,
}

impl Grouping {
    const fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Country => "country",
            Self::Host => "host",
        }
    }
}

const fn ten() -> u32 {
    10
}

const fn two() -> u32 {
    2
}

const fn thirty() -> u16 {
    30
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchCall {
    /// Plain words or conditions, e.g. `4090 europe under $0.5` or `gpu_name=H100_SXM num_gpus>=8`.
    query: String,
    /// Offers to return.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BillCall {
    /// Plain words or conditions; may describe the job, e.g. `4090 europe 200gb 3d`.
    query: String,
    /// The job, if the query does not describe it: run time, disk and traffic, e.g. `3d,200GB`.
    job: Option<String>,
    /// Offers to return.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PickCall {
    /// Plain words or conditions; may describe a job, e.g. `4090 europe 200gb 3d`.
    query: String,
    /// The job whose bill decides, e.g. `3d,200GB`; the hourly price if there is none.
    job: Option<String>,
    /// Offers to check a second time at most, the best first.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 5))]
    tries: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlanCall {
    /// Plain words or conditions, e.g. `h100 europe`.
    query: String,
    /// GPUs of the cluster.
    gpus: u32,
    /// The job whose bill decides, e.g. `3d,200GB`; the hourly price if there is none.
    job: Option<String>,
    /// Machines at most.
    machines: Option<u32>,
    /// Memory of each GPU in GB at least.
    vram_gb: Option<f64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryCall {
    /// Plain words or conditions, e.g. `4090 europe`.
    query: String,
    /// Days to look back.
    #[serde(default = "thirty")]
    #[schemars(range(min = 1, max = 90))]
    days: u16,
    /// Steps of the series to return, the newest ones.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BidsCall {
    /// Plain words or conditions; may describe the work, e.g. `4090 europe 3d`.
    query: String,
    /// Job whose hours are billed, e.g. `3d`; one hour of work if there is none.
    job: Option<String>,
    /// Days to look back.
    #[serde(default = "thirty")]
    #[schemars(range(min = 1, max = 90))]
    days: u16,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MarketCall {
    /// Plain words or conditions; empty for the whole market.
    query: String,
    /// What to group by.
    #[serde(default)]
    by: Grouping,
    /// Groups to return, the largest first.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SupplyCall {
    /// Plain words or conditions, e.g. `h100 europe`.
    query: String,
    /// Price this many GPUs only.
    gpus: Option<u32>,
    /// Sizes to return, the smallest first.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

/// A command line under construction.
///
/// Every value is one word with its flag, so that no value is read as a flag.
#[derive(Debug, Default)]
struct Line {
    words: Vec<String>,
    error: Option<ArgumentError>,
}

impl Line {
    fn new(words: &[&str]) -> Self {
        Self {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            error: None,
        }
    }

    fn flag(mut self, name: &'static str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            let value = value.to_string();
            self.check(name, &value);
            self.words.push(format!("--{name}={value}"));
        }
        self
    }

    fn rows(mut self, rows: u32) -> Self {
        if !(1..=50).contains(&rows) {
            self.error.get_or_insert(ArgumentError::Rows);
        }
        self.words.push(format!("-n{rows}"));
        self
    }

    fn price_model(self, model: Option<PriceModel>) -> Self {
        self.flag("type", model.map(PriceModel::name))
    }

    fn check(&mut self, name: &'static str, value: &str) {
        if value.chars().count() > LONGEST {
            self.error.get_or_insert(ArgumentError::TooLong(name));
        }
    }

    /// The call with its query and its maximum number of requests.
    fn query(mut self, query: &str, requests: u32) -> Result<Call, ArgumentError> {
        self.check("query", query);
        if query.trim() == "-" {
            self.error.get_or_insert(ArgumentError::StandardInput);
        }
        self.words.extend(["--".to_owned(), query.trim().to_owned()]);
        self.error.map_or(Ok(()), Err)?;
        Ok(Call {
            words: self.words,
            requests,
        })
    }
}

/// Arguments that can be converted to a command line.
trait Arguments: DeserializeOwned + JsonSchema {
    fn call(self) -> Result<Call, ArgumentError>;
}

impl Arguments for SearchCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=jsonl", "--with=price_per_gpu,best_value"])
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

impl Arguments for BillCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=jsonl", "--with=bill,price_per_gpu,best_value,beaten_by"])
            .rows(self.rows)
            .flag("job", self.job)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

impl Arguments for PickCall {
    fn call(self) -> Result<Call, ArgumentError> {
        if !(1..=5).contains(&self.tries) {
            return Err(ArgumentError::Tries);
        }
        Line::new(&["--print=json"])
            .flag("tries", Some(self.tries))
            .flag("job", self.job)
            .price_model(self.price_model)
            .query(&self.query, 1 + self.tries)
    }
}

impl Arguments for PlanCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("gpus", Some(self.gpus))
            .flag("job", self.job)
            .flag("machines", self.machines)
            .flag("vram", self.vram_gb)
            .query(&self.query, 1)
    }
}

impl Arguments for HistoryCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("days", Some(self.days))
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 0)
    }
}

impl Arguments for BidsCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("job", self.job)
            .flag("days", Some(self.days))
            .query(&self.query, 0)
    }
}

impl Arguments for MarketCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("by", Some(self.by.name()))
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

impl Arguments for SupplyCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("gpus", self.gpus)
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

fn schema<T: JsonSchema>() -> Schema {
    schema_for!(T)
}

fn words<T: Arguments>(arguments: Map<String, Json>) -> Result<Call, ArgumentError> {
    serde_json::from_value::<T>(Json::Object(arguments))?.call()
}

impl Tool {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// When they do not match the schema.
    pub fn call(&self, arguments: Map<String, Json>) -> Result<Call, ArgumentError> {
        (self.words)(arguments)
    }

    /// Runs the command of a call, which prints its result.
    ///
    /// # Errors
    /// As the command's.
    pub async fn run(&self, settings: &Settings, call: &Call) -> Result<(), CliError> {
        let words = &call.words;
        match self.command {
            Command::Offers => search::command::offers(settings, &parsed::<OffersArguments>(words)?).await,
            Command::Pick => Box::pin(pick::command::pick(settings, &parsed::<PickArguments>(words)?)).await,
            Command::Plan => cluster::command::plan(settings, &parsed::<PlanArguments>(words)?).await,
            Command::History => history::command::history(settings, &parsed::<HistoryArguments>(words)?),
            Command::Bids => bids::command::bids(settings, &parsed::<BidsArguments>(words)?),
            Command::Market => market::command::market(settings, &parsed::<MarketArguments>(words)?).await,
            Command::Depth => market::command::depth(settings, &parsed::<DepthArguments>(words)?).await,
        }
    }
}

/// Parses the flags of a command as on its command line.
fn parsed<A: clap::Args>(words: &[String]) -> Result<A, CliError> {
    let command = A::augment_args(clap::Command::new("bourse").no_binary_name(true));
    let read = command.try_get_matches_from(words);
    let read = read.and_then(|matches| A::from_arg_matches(&matches));
    read.map_err(|error| CliError::Usage(error.to_string()))
}

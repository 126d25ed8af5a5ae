//! Tools for agents: each runs a read-only command. The schema of their arguments, and their
//! conversion to a command line.

use std::fmt::Display;
use std::pin::Pin;

use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};

use super::documents::{PrintedKind, schema_of};
use super::output::CliError;
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

/// A command that runs.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<(), CliError>> + 'a>>;

/// A tool: a read-only command with arguments of its own.
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// The kind of document that it returns; `None` if it returns records.
    pub document: Option<PrintedKind>,
    /// The members of the records that it returns; empty if it returns one of bourse's documents.
    pub members: &'static [&'static str],
    /// The schema of its arguments.
    pub schema: fn() -> Schema,
    /// Converts the arguments of a call to a command line; an error if they do not match the
    /// schema.
    pub call: fn(Map<String, Json>) -> Result<Call, ArgumentError>,
    /// Runs the command of a call, which prints its result.
    pub run: for<'a> fn(&'a Settings, &'a Call) -> Running<'a>,
}

impl Tool {
    /// The JSON Schema of its results: around the document of its command, or around records.
    pub fn result_schema(&self) -> Map<String, Json> {
        let records = || json!({ "type": "array", "items": { "type": "object" } });
        let data = self.document.as_ref().map_or_else(records, schema_of);
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

/// A call of a tool with parsed arguments.
pub struct Call {
    words: Vec<String>,
    /// Maximum number of requests that it sends.
    pub requests: u32,
}

impl Call {
    /// Parses the words of an agent's tool call as the flags `A` of its command, as on the command line.
    ///
    /// # Errors
    ///
    /// As on the command line.
    pub fn parsed<A: clap::Args>(&self) -> Result<A, CliError> {
        let command = A::augment_args(clap::Command::new("bourse").no_binary_name(true));
        let matches = command.try_get_matches_from(&self.words);
        let read = matches.and_then(|matches| A::from_arg_matches(&matches));
        read.map_err(|error| CliError::Usage(error.to_string()))
    }
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

/// A price model, as an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PriceModel {
    OnDemand,
    Bid,
    Reserved,
}

impl PriceModel {
    /// The name of the model on the command line.
    const fn name(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Bid => "bid",
            Self::Reserved => "reserved",
        }
    }
}

/// The number 10, a default of arguments.
pub const fn ten() -> u32 {
    10
}

/// The number 30, a default of arguments.
pub const fn thirty() -> u16 {
    30
}

/// A command line under construction.
///
/// Every value is one word with its flag, so that no value is read as a flag.
#[derive(Debug, Default)]
pub struct Line {
    words: Vec<String>,
    error: Option<ArgumentError>,
}

impl Line {
    /// The command line of an agent's tool call, starting with these words.
    pub fn new(words: &[&str]) -> Self {
        Self {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            error: None,
        }
    }

    /// Adds the flag `--name=value`, if it has a value; one over 2,000 characters makes the call fail.
    #[must_use]
    pub fn flag(mut self, name: &'static str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            let value = value.to_string();
            self.check(name, &value);
            self.words.push(format!("--{name}={value}"));
        }
        self
    }

    /// Adds the number of rows; one not from 1 to 50 makes the call fail.
    #[must_use]
    pub fn rows(mut self, rows: u32) -> Self {
        if !(1..=50).contains(&rows) {
            self.error.get_or_insert(ArgumentError::Rows);
        }
        self.words.push(format!("-n{rows}"));
        self
    }

    /// Adds the price model as `--type`, if there is one.
    #[must_use]
    pub fn price_model(self, model: Option<PriceModel>) -> Self {
        self.flag("type", model.map(PriceModel::name))
    }

    /// Records an error if the value is over 2,000 characters; only the first error is reported.
    fn check(&mut self, name: &'static str, value: &str) {
        if value.chars().count() > LONGEST {
            self.error.get_or_insert(ArgumentError::TooLong(name));
        }
    }

    /// The finished call with its query and its maximum number of requests.
    ///
    /// # Errors
    ///
    /// The first mistake in its arguments: a value or query over 2,000 characters, a number of rows out of
    /// range, or the query `-`, which would read standard input.
    pub fn query(mut self, query: &str, requests: u32) -> Result<Call, ArgumentError> {
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
pub trait ToolArguments: DeserializeOwned + JsonSchema {
    /// The command line of these arguments, or the reason they are rejected.
    fn call(self) -> Result<Call, ArgumentError>;
}

/// The JSON Schema of a tool's arguments of type `T`.
pub fn schema<T: JsonSchema>() -> Schema {
    schema_for!(T)
}

/// Reads the arguments of a call as a `T`, and converts them to a command line.
///
/// # Errors
///
/// When they do not match the schema, or `T` rejects them.
pub fn call<T: ToolArguments>(arguments: Map<String, Json>) -> Result<Call, ArgumentError> {
    serde_json::from_value::<T>(Json::Object(arguments))?.call()
}

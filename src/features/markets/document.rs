//! The documents of `bourse market add` and `bourse check`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MarketAdded {
    pub market: String,
    pub address: String,
    pub dialect: &'static str,
}

/// How the records of a market differ from what bourse expects.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MarketCheck {
    pub market: String,
    pub address: String,
    pub dialect: &'static str,
    /// By kind of record.
    pub kinds: BTreeMap<&'static str, KindCheck>,
    /// By operation, as learned from refusals.
    pub seconds_between_requests: BTreeMap<&'static str, f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum KindCheck {
    Compared(Differences),
    /// Why it could not be asked for.
    Failed {
        error: String,
    },
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Differences {
    pub records: usize,
    /// Reasons why records could not be read, each with their number.
    pub unreadable: BTreeMap<String, usize>,
    /// Expected members that no record has.
    pub missing: Vec<&'static str>,
    /// Members that bourse does not know, each with the records that have it.
    pub unknown: BTreeMap<String, usize>,
    pub other_types: Vec<OtherType>,
    /// Values that suggest another unit.
    pub implausible: Vec<Implausible>,
    pub ignored: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OtherType {
    pub member: &'static str,
    /// Its JSON type.
    pub is: &'static str,
    pub records: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Implausible {
    pub member: &'static str,
    pub low: f64,
    pub high: f64,
    pub unit: String,
    pub records: usize,
}

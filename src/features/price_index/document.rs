//! The document of `bourse history --index`.

use schemars::JsonSchema;
use serde::Serialize;

/// The usual prices of GPU models. Premiums, bids and reserved prices are shares more or less.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PriceIndex {
    pub conditions: String,
    pub unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Models with less than a day of record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models_withheld: Option<usize>,
    pub figures: Vec<IndexFigures>,
    /// `true` for prices of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct IndexFigures {
    pub model: String,
    /// `null` for all countries together.
    pub country: Option<String>,
    pub gpus_on_offer: u64,
    pub lowest_per_gpu: f64,
    pub premium_2x: Option<f64>,
    pub premium_4x: Option<f64>,
    pub premium_8x: Option<f64>,
    pub bid: Option<f64>,
    pub reserved: Option<f64>,
    /// The share of known departures that were rented, from 0 to 1.
    pub rented: Option<f64>,
    pub known_seconds: f64,
}

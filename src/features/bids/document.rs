//! The document of `bourse bids`.

use schemars::JsonSchema;
use serde::Serialize;

/// The shares of the recorded time that bids would have held.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Bids {
    pub conditions: String,
    #[serde(rename = "type")]
    pub offer_type: &'static str,
    /// The basis of the figures; missing if nothing is recorded.
    #[serde(flatten)]
    pub basis: Option<Basis>,
    pub figures: Vec<BidFigures>,
    /// `true` for prices of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Basis {
    pub since: String,
    pub watched_seconds: i64,
    /// Why there are no figures.
    pub withheld: Option<String>,
    pub work_hours: f64,
    pub checkpoint_seconds: f64,
    pub restart_seconds: f64,
}

/// A bid, in $/h for all GPUs of the offer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BidFigures {
    pub model: String,
    pub gpus: u32,
    pub bid: f64,
    /// The share of the watched time that it held, from 0 to 1.
    pub held: f64,
    pub interruptions_per_day: Option<f64>,
    pub longest_hold_seconds: Option<f64>,
    pub done_hours: Option<f64>,
    /// $ for the GPUs until the work is done.
    pub bill: Option<f64>,
    pub is_lowest_bill: bool,
}

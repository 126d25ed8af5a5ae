//! The documents of `bourse history`, `bourse watch` and `bourse db`.

use schemars::JsonSchema;
use serde::Serialize;

/// The recorded prices of a search.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct History {
    pub conditions: String,
    #[serde(rename = "type")]
    pub offer_type: &'static str,
    pub unit: String,
    pub since: String,
    pub until: String,
    /// The share of the time that is recorded, from 0 to 1.
    pub watched: f64,
    /// Further offers that may match: the record lacks a value that the search tests.
    pub unknown: u32,
    pub now: Option<Now>,
    pub record_low: Option<RecordLow>,
    /// Whether today's lowest price is low: `standing`, or `withheld` with the reason.
    pub verdict: Option<Verdict>,
    pub lifetime_seconds: Option<Lifetime>,
    pub series: Vec<SeriesPoint>,
    /// `true` for prices of the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<bool>,
}

/// The latest recorded response.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Now {
    pub at: String,
    pub lowest: Option<f64>,
    pub median: Option<f64>,
    /// GPUs on offer, or GB of volumes.
    pub amount: u64,
    pub complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordLow {
    pub price: f64,
    pub at: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verdict {
    #[serde(flatten)]
    pub result: VerdictResult,
    pub window_days: i64,
    /// The share of the window that is recorded, from 0 to 1.
    pub known_share: f64,
    pub of: ComparedOffers,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum VerdictResult {
    Given(Rating),
    Withheld { withheld: Withheld },
}

/// The rank of the lowest price among the recorded ones. Prices are in the document's `unit`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Rating {
    /// `low`, `typical` or `high`.
    pub standing: &'static str,
    /// Its place between the lowest and the highest one, from 0 to 1; `null` if they are equal.
    pub rank: Option<f64>,
    /// The share of the watched time in which it was lower, plus half of that in which it was the same.
    pub percentile: f64,
    pub lowest: f64,
    pub p20: f64,
    pub median: f64,
    pub p80: f64,
    pub highest: f64,
    /// For bids: the share of the watched time in which every minimum bid was above it.
    pub outbid: Option<f64>,
    pub watched_seconds: i64,
    pub days: Days,
}

/// Days on which the lowest price was higher, of the days that were watched.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Days {
    pub cheaper_than: usize,
    pub of: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Withheld {
    pub reason: String,
    pub watched_seconds: i64,
    pub needed_seconds: i64,
}

/// The offers whose lowest price the verdict is about.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ComparedOffers {
    pub conditions: String,
    pub gpus: Option<u32>,
}

/// How long offers last, in seconds: the median and its confidence interval.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Lifetime {
    pub median: f64,
    pub low: f64,
    /// `null` if too few have gone for an upper bound.
    pub high: Option<f64>,
    pub departures: usize,
}

/// A step of the time.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SeriesPoint {
    pub from: String,
    pub until: String,
    pub lowest: Option<f64>,
    pub p20: Option<f64>,
    pub median: Option<f64>,
    pub p80: Option<f64>,
    pub amount: Option<f64>,
    pub watched: f64,
}

/// An event of `bourse watch`: a change of an offer, an alert that rang, or a gap.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WatchEvent {
    pub at: String,
    /// `listed`, `repriced`, `resized`, `into_view`, `out_of_view`, `rented`, `left_the_search`,
    /// `delisted`, `gone`, `not_watched`, `met` or `rang`.
    pub event: &'static str,
    #[serde(flatten)]
    pub members: Members,
    /// The saved searches that it belongs to; with `--saved` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<Vec<String>>,
}

/// The members of an event, by its kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Members {
    /// A change of an offer.
    Change {
        machine_id: i64,
        model: String,
        host_id: Option<i64>,
        offer_id: i64,
        amount: u32,
        price: f64,
        /// The price or amount before.
        from: Option<f64>,
        lasted_seconds: Option<i64>,
        /// Whether it may have been listed longer than the record shows.
        lasted_at_least: Option<bool>,
    },
    /// The end of a time without a record.
    NotWatched { since: String },
    /// Enough offers meet the conditions of `--if`.
    Met { count: usize, offer_id: Option<i64> },
    /// An alert rang.
    Rang {
        alert: String,
        text: String,
        offer_id: Option<i64>,
        machine_id: Option<i64>,
        model: Option<String>,
        price: Option<f64>,
        count: usize,
    },
}

/// A time in which an offer had the same price.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordedPrice {
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
pub(crate) struct DbCheck {
    pub file: String,
    pub searches: i64,
    pub polls: i64,
    pub prices: i64,
    pub bytes: i64,
    pub first: Option<String>,
    pub last: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DbVacuum {
    pub file: String,
    pub bytes_before: i64,
    pub bytes: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DbReset {
    pub file: String,
    /// `null` if nothing was recorded.
    pub moved_to: Option<String>,
}

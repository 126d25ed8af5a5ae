//! The record of the market: the responses to each search, and the statistics computed from them.
//!
//! A response that is complete and matches its search is a *poll*. Its content about a GPU model on one machine is a
//! *sighting*; equal sightings in a row are a *spell*. Events, price series, lifetimes and verdicts are computed from
//! polls and spells, never from offer ids: a market renumbers and re-splits its offers without anything having changed
//! hands.
//!
//! Prices are asked, not paid. A lot has a [`Quote`] for each number of GPUs that it is offered with, and the storage
//! of the question is added to them.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::sync::Arc;

use bourse_domain::cost::storage_per_hour;
use bourse_domain::country::CountryCode;
use bourse_domain::format::trimmed;
use bourse_domain::query::DEFAULT_STORAGE_GB;
pub use bourse_domain::time::Moment;
use bourse_domain::{OfferType, Resource};

mod alert;
pub mod alerts;
mod analysis;
mod attributes;
mod clock;
pub mod differences;
pub mod files;
pub mod implication;
mod like;
mod line;
pub mod lows;
mod outline;
mod poll;
mod presence;
mod proof;
mod question;
mod response;
mod scope;
mod sentences;
mod spells;
mod state;
pub mod state_file;
pub mod store;
mod survival;
mod tape;
pub mod timeline;
mod verdict;
pub mod watch;

pub use alert::{AlertState, Figures, PricePer, Repeat, Ring, Rule, RuleError, Seen, Trigger, check, figure};
pub use analysis::{Analysis, AnyAnalysis, AnyOutput, LotReader};
pub use attributes::{Attribute, Fact, Facts, attributes};
pub use clock::{Before, Placed, place};
pub use like::{CheapestKind, Kind, offers_like};
pub use line::{Line, SeenLine};
pub use lows::{Levels, LowIntervals};
pub use outline::{Interval, Onset};
pub use poll::{Arrival, causes, quotes};
pub use proof::Proof;
pub use question::Question;
pub use response::Present;
pub use scope::{Scope, implicit, normalised};
pub use sentences::nothing_known_sentence;
pub(crate) use state::index as attribute_index;
pub use state::{State, Terms};
pub use survival::{Estimate, Life, Lifetimes, Step, lifetimes, lives};
pub use tape::{Change, ChangeKind, Event, EventKind, Lasted, Lived};
pub use timeline::{rhythm, seconds};
pub use verdict::{
    Days, LEAST_DEPARTURES, LEAST_WATCHED, Memory, Rating, Standing, Verdict, VerdictBasis, Withheld, known_lows, trend,
};

/// Storage in GB for each GPU with which prices are compared from poll to poll, whatever the storage of the search.
///
/// A small and a large disk would disagree on which of two lots is cheaper, and whether one was repriced.
const REFERENCE_GB: f64 = 50.0;

/// The unit of prices: `$/h per GPU`, with ` with 200 GB` appended unless `storage` is the default, for
/// offers and workergroups; `$/GB/month` for volumes.
pub fn price_unit(resource: Resource, storage: f64) -> String {
    match resource {
        Resource::Offers | Resource::Workergroups => {
            format!("$/h per GPU{}", with_storage(storage))
        }
        Resource::Volumes => "$/GB/month".to_owned(),
    }
}

/// ` with 200 GB`; empty for the default storage of searches.
pub fn with_storage(storage: f64) -> String {
    // Naming it everywhere would hide the searches where it does matter.
    if (storage - DEFAULT_STORAGE_GB).abs() < 1e-9 {
        return String::new();
    }
    format!(" with {} GB", trimmed(storage, 1))
}

/// The model in the lots of volumes, whose records have none.
pub const VOLUME_MODEL: &str = "network volume";

pub const DAY: i64 = 86_400;

/// The number of days of prices that a verdict compares with.
pub const VERDICT_DAYS: i64 = 30;

/// The identity of a search in the recorded history: its conditions, regardless of order, limit and storage.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SearchKey {
    pub resource: Resource,
    pub offer_type: OfferType,
    /// The conditions in the query language, sorted.
    pub conditions: String,
}

/// Whether the field with this key is one of those that change with an offer's price.
fn is_price(key: &str) -> bool {
    // A machine that is new in a search bound by it may have been listed for days.
    const PRICES: [&str; 7] = [
        "dph_total",
        "dph_base",
        "dph_per_gpu",
        "min_bid",
        "discounted_dph_total",
        "storage_cost",
        "dlperf_per_dphtotal",
    ];
    PRICES.contains(&key)
}

/// A unit of comparison for prices: the GPUs of one model on one machine, or the volumes of one cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lot {
    /// The machine's id; of volumes the cluster's.
    pub machine: i64,
    /// The GPU model as received, cut to 64 characters: untrusted. Of volumes [`VOLUME_MODEL`].
    pub model: Arc<str>,
    /// Memory of one GPU in whole GB: models of one name differ in it. 0 if it is unknown, and of volumes.
    pub memory: u32,
}

/// The cheapest of a lot's offers with the same number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quote {
    /// The number of GPUs of the offer; 1 of volumes.
    pub gpus: u32,
    /// $/h of the GPUs, by the price type of the search; of volumes $/GB/month.
    pub base: f64,
    /// $/GB/month of its storage; 0 of volumes.
    pub storage: f64,
    /// The minimum bid in $/h of the GPUs; `None` if the market does not report it.
    pub min_bid: Option<f64>,
}

impl Quote {
    /// $/h per GPU with `gb` of storage for the whole offer; of volumes $/GB/month.
    pub fn per_gpu(&self, gb: f64) -> f64 {
        self.total(gb) / f64::from(self.gpus.max(1))
    }

    /// $/h of the whole offer with `gb` of storage; of volumes $/GB/month.
    pub fn total(&self, gb: f64) -> f64 {
        self.base + storage_per_hour(self.storage, gb)
    }

    /// The price for comparisons from poll to poll: $/h per GPU with 50 GB of storage for each GPU; of
    /// volumes $/GB/month.
    fn reference(&self) -> f64 {
        self.per_gpu(REFERENCE_GB * f64::from(self.gpus))
    }

    /// Whether both have the same number of GPUs and, up to rounding, the same prices and minimum bid.
    fn is_same(&self, other: &Self) -> bool {
        let bid = |quote: &Self| quote.min_bid.unwrap_or(-1.0);
        self.gpus == other.gpus
            && is_same_price(self.base, other.base)
            && is_same_price(self.storage, other.storage)
            && is_same_price(bid(self), bid(other))
    }
}

/// The lowest price of `quotes` in $/h per GPU with `gb` of storage for the offer (of volumes $/GB/month),
/// limited to those with `gpus` GPUs if given; `None` if there is no such quote.
///
/// Without any quotes, as in records of version 0.1, it is `recorded`, which includes 50 GB for each GPU, or
/// `None` if `gpus` is given.
pub fn lowest_price(quotes: impl Iterator<Item = Quote>, recorded: f64, gpus: Option<u32>, gb: f64) -> Option<f64> {
    let mut is_known = false;
    let lowest = quotes
        .inspect(|_| is_known = true)
        .filter(|quote| gpus.is_none_or(|gpus| quote.gpus == gpus))
        .map(|quote| quote.per_gpu(gb))
        .reduce(f64::min);
    lowest.or_else(|| (!is_known && gpus.is_none()).then_some(recorded))
}

/// The content of one poll about a lot.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    pub lot: Lot,
    pub host: Option<i64>,
    /// The country code in its location: two letters; `None` if it has none.
    pub country: Option<CountryCode>,
    /// The number of distinct GPUs on offer: slices that share GPUs count once. Of volumes: GB.
    pub amount: u32,
    /// The lowest price in $/h per GPU; of volumes in $/GB/month.
    ///
    /// In a poll it includes 50 GB for each GPU, unless changed by [`Poll::priced`].
    pub price: f64,
    /// The id of the offer with that price, to open it while it is listed.
    pub offer: i64,
    /// The cheapest offer of each number of GPUs, ascending by that number.
    pub quotes: Vec<Quote>,
}

/// The usability of a response to a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollOutcome {
    /// Complete: all results of the market.
    Complete,
    /// Cut by the limit: a missing lot may only be out of view.
    Truncated,
    /// No response, or an incomplete one.
    Failed,
    /// The market ignored a condition, so that the rows are not the requested ones.
    FiltersIgnored,
}

impl PollOutcome {
    /// Whether the response shows which lots are on offer: it is complete or truncated, and neither failed
    /// nor ignored filters.
    pub const fn is_usable(self) -> bool {
        match self {
            Self::Complete | Self::Truncated => true,
            Self::Failed | Self::FiltersIgnored => false,
        }
    }
}

/// One response to a search, or its failure.
#[derive(Debug, Clone, PartialEq)]
pub struct Poll {
    pub search: SearchKey,
    pub scope: Scope,
    pub proof: Proof,
    /// The time it was sent.
    pub at: Moment,
    /// Milliseconds until the response was complete.
    pub took: u32,
    pub outcome: PollOutcome,
    pub rows: u32,
    /// Seconds until the next poll; `None` unless the search is watched.
    pub interval: Option<u32>,
    /// The number of the active bans, see [`Bans::fingerprint`].
    ///
    /// [`Bans::fingerprint`]: bourse_domain::annotations::Bans::fingerprint
    pub bans: i64,
    /// Its content about each lot, one sighting per lot, sorted by lot; empty unless complete or truncated.
    pub sightings: Vec<Sighting>,
    /// Its content about each line, sorted by line, including offers that do not meet local conditions or are banned,
    /// if the response has them. Empty unless its proof is usable.
    pub lines: Vec<SeenLine>,
    /// The known reasons why lots are missing from the sightings.
    pub causes: Vec<(Lot, Cause)>,
}

/// The reason a lot is no longer on offer, the more specific ones last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Unknown: not requested, or the response was not clear.
    Unknown,
    /// On offer at a price or with values that the search excludes.
    LeftTheSearch,
    /// Neither on offer nor rented.
    Delisted,
    /// The market lists it as rented.
    Rented,
}

/// The beginning of a spell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Beginning {
    /// In the first poll, in the first after a time without polls or with other bans, or after a truncated one: it may
    /// be older.
    Found,
    /// Not on offer in the preceding poll.
    Listed,
    /// On offer in the preceding poll, at another price.
    Repriced { from: f64 },
    /// On offer in the preceding poll at the same price, in another amount.
    Resized { from: u32 },
    /// On offer in the preceding poll with other quotes at the same price, as after another split, or after a truncated
    /// poll that may not have shown all of the lot: not a change.
    Revealed,
}

/// The end of a spell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ending {
    /// The lot was missing from the next poll.
    Gone(Cause),
    /// The next spell of the lot began: another price or amount.
    Changed,
    /// The lot may still be on offer: no poll followed in time, only truncated ones without it, or one that excluded
    /// other machines.
    ///
    /// Its moment is the last at which the lot counts as on offer: that of the last poll with it, or the second before
    /// a poll that has all prices up to one above its own and lacks it. The lot is gone or more expensive then, so it
    /// does not count as a departure.
    LostSight,
}

/// A time during which a lot was on offer unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Spell {
    pub lot: Lot,
    pub host: Option<i64>,
    /// See [`Sighting::country`]; `None` in records of version 0.1.
    pub country: Option<CountryCode>,
    pub amount: u32,
    /// The lowest price with 50 GB for each GPU, see [`Sighting::price`].
    pub price: f64,
    pub offer: i64,
    /// See [`Sighting::quotes`]; empty in records of version 0.1.
    pub quotes: Vec<Quote>,
    pub beginning: Beginning,
    /// The first poll with it.
    pub first: Moment,
    /// The last poll with it.
    ///
    /// While the lot is on offer, this is the search's last usable poll, unless that was truncated and did not show the
    /// lot.
    pub last: Moment,
    /// The end and its poll; `None` while it is on offer.
    pub end: Option<(Ending, Moment)>,
}

/// A poll without its sightings, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollRow {
    pub at: Moment,
    pub took: u32,
    pub outcome: PollOutcome,
    pub rows: u32,
    /// Whether the lowest price must be among the rows: all are there, or the cheapest.
    pub has_lowest: bool,
    pub interval: Option<u32>,
    /// See [`Poll::bans`].
    pub bans: i64,
}

impl PollRow {
    /// Seconds after which the poll's content is out of date without another poll: the longer of 10 minutes
    /// and three intervals of its watch.
    pub fn patience(&self) -> i64 {
        patience(self.interval)
    }

    /// Whether the search was unwatched between this poll and the next one at `later`: longer than its
    /// patience.
    pub fn is_gap(&self, later: Moment) -> bool {
        later.since(self.at) > self.patience()
    }
}

/// Seconds after which the content of a poll is out of date if polls follow each other every `interval`
/// seconds: the longer of 10 minutes and three intervals.
pub(crate) fn patience(interval: Option<u32>) -> i64 {
    // Two polls in a row may fail without the watch having ended.
    let intervals = interval.map_or(0, |interval| i64::from(interval).saturating_mul(3));
    intervals.max(600)
}

/// A search's recorded polls and spells between two moments, in order of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Excerpt {
    /// The polls of the time and, if there is one, the usable poll before it.
    pub polls: Vec<PollRow>,
    /// Spells that overlap the time, not cut at its ends, so that lifetimes stay whole.
    pub spells: Vec<Spell>,
    /// The number of lines on offer that are only missing because a value that the question depends on is unknown.
    pub unknown: u32,
}

/// Whether two prices differ only by rounding, as after subtracting another storage size.
fn is_same_price(left: f64, right: f64) -> bool {
    // Markets send prices with six or seven digits, some in single precision.
    (left - right).abs() <= 1e-7 + 1e-6 * left.abs().max(right.abs())
}

impl Spell {
    /// The content of its last poll about the lot, without the times.
    pub fn sighting(self) -> Sighting {
        Sighting {
            lot: self.lot,
            host: self.host,
            country: self.country,
            amount: self.amount,
            price: self.price,
            offer: self.offer,
            quotes: self.quotes,
        }
    }
}

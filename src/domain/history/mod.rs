//! The market's memory: what each search has seen, and what follows from it.
//!
//! A response that is complete and truly answers its search is a *poll*. What it says about a GPU
//! model on one machine is a *sighting*; equal sightings in a row are a *spell*. Events, price
//! series, lifetimes and verdicts are computed from polls and spells, never from offer ids: a market
//! renumbers and re-splits its offers without anything having changed hands.
//!
//! Prices are asked, not paid: per GPU and hour with [`REFERENCE_GB`] of storage for each GPU.

use crate::domain::{OfferType, Resource};

/// Storage in GB for each GPU that all recorded prices include, so that searches for different disks
/// record the same price.
pub const REFERENCE_GB: f64 = 50.0;

/// A moment: whole seconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(pub i64);

impl Moment {
    /// The whole second that a time in seconds since 1970 lies in.
    #[expect(clippy::cast_possible_truncation)] // the conversion saturates
    pub fn of(epoch: f64) -> Self {
        Self(epoch.floor() as i64)
    }

    /// Seconds from an `earlier` moment to this one.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// What a search asks for, whatever its order, limit and storage: the identity of a search in the
/// recorded history.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SearchKey {
    pub resource: Resource,
    pub offer_type: OfferType,
    /// The conditions as the query language prints them, sorted.
    pub conditions: String,
}

/// What prices are compared of: the GPUs of one model on one machine, or the volumes of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lot {
    pub machine: i64,
    /// The GPU model, as the market writes it, cut to 64 characters; of volumes the disk's name.
    pub model: String,
}

/// What one poll says about a lot.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    pub lot: Lot,
    pub host: Option<i64>,
    /// Distinct GPUs on offer: slices that share GPUs count once. Of volumes: GB.
    pub amount: u32,
    /// The least price in $/h per GPU, see [`REFERENCE_GB`]; of volumes in $/GB/month.
    pub price: f64,
    /// The id of the offer with that price, to open it while it is listed.
    pub offer: i64,
}

/// How a response to a search counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollOutcome {
    /// All that the market has for the search.
    Complete,
    /// The limit cut it: what is missing may only be out of view.
    Truncated,
    /// No response, or an incomplete one.
    Failed,
    /// The market ignored a condition, so that the rows are not those asked for.
    FiltersIgnored,
}

/// One response to a search, or its failure.
#[derive(Debug, Clone, PartialEq)]
pub struct Poll {
    pub search: SearchKey,
    pub at: Moment,
    /// Milliseconds until the response was complete.
    pub took: u32,
    pub outcome: PollOutcome,
    pub rows: u32,
    /// Seconds until the next poll while the search is watched.
    pub interval: Option<u32>,
    /// What it says about each lot; empty unless complete or truncated.
    pub sightings: Vec<Sighting>,
}

/// Why a lot is no longer on offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Listed as rented.
    Rented,
    /// On offer at a price or with values that the search excludes.
    LeftTheSearch,
    /// Neither on offer nor rented.
    Delisted,
    /// Nobody asked, or the answer was not clear.
    Unknown,
}

/// How a spell began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Beginning {
    /// In the first poll, or the first after a time without polls: it may be older.
    Found,
    /// Not on offer in the poll before.
    Listed,
    /// On offer in the poll before, at another price.
    Repriced { from: f64 },
    /// On offer in the poll before at the same price, in another amount.
    Resized { from: u32 },
}

/// How a spell ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ending {
    /// The lot was not in the poll after it.
    Gone(Cause),
    /// The next spell of the lot began: another price or amount.
    Changed,
    /// No poll followed soon enough to tell when.
    LostSight,
}

/// A time during which a search saw a lot on offer unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Spell {
    pub lot: Lot,
    pub host: Option<i64>,
    pub amount: u32,
    pub price: f64,
    pub offer: i64,
    pub beginning: Beginning,
    /// The poll that saw it first.
    pub first: Moment,
    /// The poll that saw it last.
    pub last: Moment,
    /// How it ended and at which poll; `None` while it is on offer.
    pub end: Option<(Ending, Moment)>,
}

/// A poll without its sightings, as it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollRow {
    pub at: Moment,
    pub took: u32,
    pub outcome: PollOutcome,
    pub rows: u32,
    pub interval: Option<u32>,
}

/// A search's recorded polls and spells between two moments, in their order in time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Excerpt {
    pub polls: Vec<PollRow>,
    /// Spells that overlap the time; cut to nothing, so that lifetimes stay whole.
    pub spells: Vec<Spell>,
}

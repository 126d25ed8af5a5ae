//! Prices and supply of one search, for charts.

use std::collections::BTreeSet;

use crate::lows::Prices;
use crate::{Moment, Poll, PollOutcome, PricePer};

/// Prices and supply of a search at one poll.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchFigures {
    /// The time the request was sent.
    pub at: Moment,
    /// The lowest price in $/h per GPU, of volumes in $/GB/month; `None` if nothing is on offer.
    pub lowest: Option<f64>,
    /// The median of the machines' lowest prices, in the same unit.
    pub median: Option<f64>,
    /// Distinct GPUs on offer; of volumes GB.
    pub amount: u64,
    /// Machines on offer; of volumes clusters.
    pub machines: usize,
    /// Whether the response had all offers of the search: else amount and machines are lower bounds.
    pub is_complete: bool,
}

impl SearchFigures {
    /// The figures of a poll: the lowest and the median price per GPU with `storage` GB, the total amount and
    /// the number of machines. `None` if its response is not usable.
    pub fn new(poll: &Poll, storage: f64) -> Option<Self> {
        if !poll.outcome.is_usable() {
            return None;
        }
        let mut prices = Prices::default();
        for sighting in &poll.sightings {
            let quotes = sighting.quotes.iter().copied();
            prices.add(PricePer::Gpu.price(quotes, sighting.price, storage), 1.0);
        }
        let levels = prices.levels();
        let machines: BTreeSet<i64> = poll.sightings.iter().map(|sighting| sighting.lot.machine).collect();
        Some(Self {
            at: poll.at,
            lowest: levels.map(|levels| levels.lowest),
            median: levels.map(|levels| levels.median),
            amount: poll.sightings.iter().map(|sighting| u64::from(sighting.amount)).sum(),
            machines: machines.len(),
            is_complete: poll.outcome == PollOutcome::Complete,
        })
    }
}

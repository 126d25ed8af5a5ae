//! The days before the sandbox started, so that price history, verdicts and lifetimes exist from the first minute.
//!
//! The market is taken back from its start: the newest moment is then the market as it starts, and nothing jumps
//! between past and present. It is steady, so the oldest moment has as much on offer as the newest.

use axum::body::Bytes;
use bourse_domain::Query;

use super::market::{FiguresError, Market, MarketConfig};
use super::search::Search;
use super::state::{found_offers, found_volumes};

/// Seconds between two moments.
///
/// Seven hours do not divide a day: within a week each hour occurs.
pub const INTERVAL: u32 = 7 * 3_600;

/// Seconds of the market's motion per hour of the past.
///
/// The sandbox moves so fast that people see it: after hours at that pace nothing would be left of the market.
const MOTION: f64 = 60.0;

/// The number of moments between two stored copies of the market.
///
/// All copies would fill the memory, and the motion between them costs little.
const KEPT: usize = 10;

/// The market at moments before the start, as found by two searches, the oldest first.
#[derive(Debug)]
pub struct Past {
    /// Copies of the market, the newest first, each with the number of moments that start from it.
    kept: Vec<(Market, usize)>,
    /// The moments from the oldest copy on, the newest first.
    moments: Vec<Market>,
    offers: Search,
    volumes: Search,
}

/// The market at a moment.
#[derive(Debug)]
pub struct PastMoment {
    /// The moment, in seconds since 1970.
    pub at: f64,
    /// The body of the response to the search for offers.
    pub offers: Bytes,
    /// The body of the response to the search for network volumes.
    pub volumes: Bytes,
}

impl Past {
    /// The last `moments` moments of the market that starts with `config`, seven hours apart up to its start,
    /// the oldest first. Both queries are run without an order and limit.
    ///
    /// # Errors
    /// If the embedded figures are invalid.
    pub fn new(config: MarketConfig, moments: usize, offers: &Query, volumes: &Query) -> Result<Self, FiguresError> {
        let mut market = Market::before(config)?;
        let mut kept = Vec::new();
        for first in (0..moments).step_by(KEPT) {
            let begun = KEPT.min(moments - first);
            kept.push((market.clone(), begun));
            for _ in 0..begun {
                go_back(&mut market);
            }
        }
        Ok(Self {
            kept,
            moments: Vec::new(),
            offers: unlimited_search(offers),
            volumes: unlimited_search(volumes),
        })
    }
}

/// Takes the market back by one interval, with a minute of its motion per hour.
fn go_back(market: &mut Market) {
    let seconds = f64::from(INTERVAL);
    market.go_back(seconds, seconds / 3_600.0 * MOTION);
}

/// A query as a search without an order and limit.
fn unlimited_search(query: &Query) -> Search {
    let mut search = Search::from_conditions(query.active().cloned().collect());
    search.limit = usize::MAX;
    search.rental = query.offer_type;
    search.storage = query.storage;
    search
}

impl Iterator for Past {
    type Item = PastMoment;

    fn next(&mut self) -> Option<PastMoment> {
        if self.moments.is_empty() {
            let (mut market, begun) = self.kept.pop()?;
            for _ in 1..begun {
                self.moments.push(market.clone());
                go_back(&mut market);
            }
            self.moments.push(market);
        }
        let market = self.moments.pop()?;
        Some(PastMoment {
            // A second before the first response, which would replace what is recorded at the same time.
            at: market.now() - 1.0,
            offers: found_offers(&market, &self.offers),
            volumes: found_volumes(&market, &self.volumes),
        })
    }
}

//! The days before the sandbox started, so that price history, verdicts and lifetimes are there from the
//! first minute.
//!
//! The market is taken back from its start: the newest moment is then the market as it starts, and nothing jumps
//! between past and present. It is steady, so the oldest moment has as much on offer as the newest.

use axum::body::Bytes;
use bourse_domain::Query;

use super::market::{FiguresError, Market, MarketConfig};
use super::search::Search;
use super::state::{found_offers, found_volumes};

/// Seconds from one moment to the one before. Seven hours do not divide a day: in a week each hour comes up.
pub const INTERVAL: u32 = 7 * 3_600;

/// Seconds of the market's motion that pass as an hour. The sandbox moves so that people see it: after hours at
/// that pace nothing would be left of the market.
const MOTION: f64 = 60.0;

/// The market at moments before the start as two searches would have found it, the newest first.
#[derive(Debug)]
pub struct Past {
    market: Market,
    offers: Search,
    volumes: Search,
    /// Whether the moment of the start was given.
    is_begun: bool,
}

/// The market at a moment.
#[derive(Debug)]
pub struct PastMoment {
    /// Seconds since 1970.
    pub at: f64,
    /// The body of the response to the search for offers.
    pub offers: Bytes,
    /// The body of the response to the search for network volumes.
    pub volumes: Bytes,
}

impl Past {
    /// The past of the market that starts with `config`. Both queries are asked without a limit.
    ///
    /// # Errors
    ///
    /// If the embedded figures are broken.
    pub fn new(config: MarketConfig, offers: &Query, volumes: &Query) -> Result<Self, FiguresError> {
        Ok(Self {
            market: Market::before(config)?,
            offers: whole(offers),
            volumes: whole(volumes),
            is_begun: false,
        })
    }
}

fn whole(query: &Query) -> Search {
    let mut search = Search::of(query.active().cloned().collect());
    search.limit = usize::MAX;
    search.rental = query.offer_type;
    search.storage = query.storage;
    search
}

impl Iterator for Past {
    type Item = PastMoment;

    fn next(&mut self) -> Option<PastMoment> {
        if self.is_begun {
            let seconds = f64::from(INTERVAL);
            self.market.go_back(seconds, seconds / 3_600.0 * MOTION);
        }
        // A second before the first response, which would replace what is recorded at the same time.
        let at = self.market.now() - 1.0;
        self.is_begun = true;
        Some(PastMoment {
            at,
            offers: found_offers(&self.market, &self.offers),
            volumes: found_volumes(&self.market, &self.volumes),
        })
    }
}

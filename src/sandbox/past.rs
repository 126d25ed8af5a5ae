//! The hours before the sandbox started, so that price history, verdicts and lifetimes are there from the
//! first minute.
//!
//! The market is taken back from its start: the newest hour is then the market as it starts, and nothing jumps
//! between past and present. It is steady, so the oldest hour has as much on offer as the newest.

use axum::body::Bytes;

use super::market::{FiguresError, Market, MarketConfig};
use super::search::Search;
use super::state::{found_offers, found_volumes};
use crate::domain::Query;

const HOUR: f64 = 3_600.0;
// The sandbox moves so that people see it: after hours at that pace nothing would be left of the market.
/// Seconds of the market's motion that pass as an hour.
const MOTION: f64 = 60.0;

/// What two searches would have found in the hours before the start, the newest first.
#[derive(Debug)]
pub struct Past {
    market: Market,
    offers: Search,
    volumes: Search,
    /// Whether the hour of the start is told.
    is_begun: bool,
}

/// What was on the market.
#[derive(Debug)]
pub struct PastHour {
    /// Seconds since 1970.
    pub at: f64,
    /// The bodies of the responses.
    pub offers: Bytes,
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
    type Item = PastHour;

    fn next(&mut self) -> Option<PastHour> {
        if self.is_begun {
            self.market.go_back(HOUR, MOTION);
        }
        // A second before the first response, which would replace what is recorded at the same time.
        let at = self.market.now() - 1.0;
        self.is_begun = true;
        Some(PastHour {
            at,
            offers: found_offers(&self.market, &self.offers),
            volumes: found_volumes(&self.market, &self.volumes),
        })
    }
}

//! Chooses the machines that become the workers of a workergroup: the best that match its search.

use std::collections::HashSet;

use bourse_domain::language::{self, Mode};
use bourse_domain::{Dialect, OFFERS};
use serde_json::Value as Json;

use super::market::{Market, Terms};
use super::search::{Search, pick};

/// The IP addresses of up to `slots` rentable machines that match a workergroup's search, highest score
/// first, each machine once. Empty for an invalid search.
pub fn candidates(market: &Market, search: &str, slots: usize) -> Vec<String> {
    let Some(search) = read(search) else {
        return Vec::new();
    };
    let terms = Terms::default();
    let open = market.offers(terms).filter(|offer| offer.rentable);
    let mut machines = HashSet::new();
    pick(open, Clone::clone, &search)
        .items
        .into_iter()
        .filter(|offer| machines.insert(offer.machine_id))
        .take(slots)
        .map(|offer| offer.public_ipaddr.trim().to_owned())
        .collect()
}

/// Parses a search without a limit, highest score first: in the query language, or as a JSON object of
/// filters; `None` if it is invalid.
fn read(text: &str) -> Option<Search> {
    let mut search = if let Ok(Json::Object(filters)) = serde_json::from_str(text) {
        Search::read(&OFFERS, filters).ok()?
    } else {
        let dialect = &Dialect::SANDBOX;
        let parsed = language::parse(text, &OFFERS, dialect, &[], Mode::Market).ok()?;
        Search::from_conditions(parsed.conditions)
    };
    search.order = language::parse_order("score-", &OFFERS).ok()?;
    search.limit = usize::MAX;
    Some(search)
}

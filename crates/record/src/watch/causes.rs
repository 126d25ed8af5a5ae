//! The search for the reasons lots are gone, sent by the program whose search lacks them.

use std::collections::BTreeSet;

use bourse_domain::dialect::Dialect;
use bourse_domain::insight::coverage;
use bourse_domain::{Condition, Listing, Operand, Operator, Query, Value};

use crate::{Cause, Lot, Poll, PollOutcome, Sighting, causes, patience};

/// The maximum number of machines in a search for causes.
///
/// One request has to do: the search is limited like any other, and if more are gone the market itself has changed.
const MOST_CAUSES: usize = 50;

/// The limit of a search for causes: its machines have a few offers each.
const MOST_SLICES: u32 = 1000;

/// A search for the reasons why lots are gone.
#[derive(Debug, Clone)]
pub struct CauseSearch {
    pub lots: Vec<Lot>,
    pub query: Query,
}

impl CauseSearch {
    /// The causes for its lots from the response to its query; those for which it proves none are left out.
    pub fn causes(&self, listing: &Listing) -> Vec<(Lot, Cause)> {
        let coverage = coverage(listing, Some(MOST_SLICES));
        causes(&self.lots, listing, self.query.offer_type, coverage)
    }
}

/// A lot that is gone, and its host.
pub type Missing = (Lot, Option<i64>);

/// The lots that are gone since the poll `before` and have no cause in `poll`, each with its host. Empty if
/// they may only be out of view: one of the polls is not complete, their bans differ, or `before` is too long
/// ago.
pub fn missing(before: &Poll, poll: &Poll) -> Vec<Missing> {
    let is_complete = |poll: &Poll| poll.outcome == PollOutcome::Complete;
    let is_comparable = is_complete(before) && is_complete(poll) && before.bans == poll.bans;
    if !is_comparable || poll.at.since(before.at) > patience(before.interval) {
        return Vec::new();
    }
    let is_missing =
        |seen: &&Sighting| !poll.causes.iter().any(|(lot, _)| *lot == seen.lot) && poll.sighting(&seen.lot).is_none();
    let missing = before.sightings.iter().filter(is_missing);
    missing.map(|seen| (seen.lot.clone(), seen.host)).collect()
}

/// The search for the reasons lots are gone, for at most 50 of them; `None` if none are, or the market can
/// filter by none of the ids.
///
/// It is for their machines or clusters without the user's conditions, or for all machines of their hosts if
/// the market cannot filter by machine.
pub fn cause_search(mut missing: Vec<Missing>, query: &Query, dialect: &'static Dialect) -> Option<CauseSearch> {
    missing.truncate(MOST_CAUSES);
    // The narrowest field that the market filters by: a response about a host has all of its machines.
    let keys = ["machine_id", "cluster_id", "host_id"].into_iter();
    let mut fields = keys.filter_map(|key| query.catalog().by_key(key));
    let field = fields.find(|field| dialect.sends(field))?;
    let id = |(lot, host): &Missing| match field.key {
        "host_id" => host.map(i128::from),
        _ => Some(i128::from(lot.machine)),
    };
    let ids: BTreeSet<i128> = missing.iter().filter_map(id).collect();
    if ids.is_empty() {
        return None;
    }
    let operand = Operand::Many(ids.into_iter().map(Value::id).collect());
    Some(CauseSearch {
        query: Query {
            conditions: vec![Condition::new(field, Operator::In, operand)],
            order: Vec::new(),
            limit: Some(MOST_SLICES),
            unbundled: true,
            ..query.clone()
        },
        lots: missing.into_iter().map(|(lot, _)| lot).collect(),
    })
}

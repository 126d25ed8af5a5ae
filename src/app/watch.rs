//! What a search with auto-refresh remembers: its first response, and what has changed since.

use std::collections::{HashMap, HashSet};

use super::remote::Now;
use crate::domain::{Field, Listing, Query, Resource, RowId};

/// Seconds between a response and the next request: within any market's rate limit.
pub const EVERY: f64 = 30.0;

#[derive(Debug, Default)]
pub struct Watch {
    /// When to send the next request, on the monotonic clock.
    pub(super) next: f64,
    /// The response that all later ones are compared with, and when it was received.
    pub(super) baseline: Option<(Listing, Now)>,
    /// What the newest response changed.
    pub(super) changes: Changes,
}

/// The differences to the first response.
#[derive(Debug, Default)]
pub struct Changes {
    pub(super) arrived: HashSet<RowId>,
    pub(super) field: Option<&'static Field>,
    pub(super) prices: HashMap<RowId, (f64, f64)>,
    /// Rows missing from the latest response.
    pub gone: usize,
    /// Whether the limit truncated a response, so that a missing row may only be pushed out of it.
    pub is_cut: bool,
}

impl Changes {
    /// How many rows are new.
    pub fn new_rows(&self) -> usize {
        self.arrived.len()
    }

    /// How many prices fell, and how many rose.
    pub fn moves(&self) -> (usize, usize) {
        let down = self.prices.values().filter(|(from, to)| to < from).count();
        (down, self.prices.len() - down)
    }

    /// Whether a row is new.
    pub fn is_new(&self, id: RowId) -> bool {
        self.arrived.contains(&id)
    }

    /// A row's first and current price, if it changed.
    pub fn price(&self, id: RowId) -> Option<(f64, f64)> {
        self.prices.get(&id).copied()
    }

    /// Whether any price of a column changed.
    pub fn has_moved(&self, field: &Field) -> bool {
        !self.prices.is_empty() && self.field == Some(field)
    }

    /// Whether a row's price fell (true) or rose in this column; `None` if it did not change.
    pub fn fell(&self, id: RowId, field: &Field) -> Option<bool> {
        let (from, to) = self.price(id).filter(|_| self.field == Some(field))?;
        Some(to < from)
    }
}

impl Watch {
    /// The differences to the first response.
    pub const fn changes(&self) -> &Changes {
        &self.changes
    }

    /// When the first response was received; `None` until there is a second one.
    pub fn since(&self) -> Option<Now> {
        self.baseline.as_ref().map(|(_, since)| *since)
    }

    /// The response that all later ones are compared with.
    pub(super) fn before_mut(&mut self) -> Option<&mut Listing> {
        self.baseline.as_mut().map(|(listing, _)| listing)
    }

    /// Seconds until the next request.
    pub fn next_in(&self, now: Now) -> f64 {
        (self.next - now.mono).max(0.0)
    }
}

/// The wire name of the price to compare.
pub(super) const fn price_of(resource: Resource) -> &'static str {
    match resource {
        Resource::Offers => "dph_total",
        Resource::Volumes | Resource::Workergroups => "storage_cost",
    }
}

/// Whether two queries request the same rows and prices, ignoring limit and order.
pub(super) fn is_same_question(one: &Query, other: &Query) -> bool {
    let one = Query {
        order: other.order.clone(),
        ..one.clone()
    };
    one == *other
}

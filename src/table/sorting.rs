//! Sorting: at once among the loaded rows, and by the market too if the limit truncated them.
//!
//! The cheapest of 500 loaded offers is not the cheapest of 2,000. A new order over a truncated
//! response therefore also requests the market's own top rows.

use super::browser::Browser;
use super::remote::Ticket;
use crate::domain::insight::Coverage;
use crate::domain::time::Now;
use crate::domain::{Direction, Field, OrderKey, Query};

/// Seconds without another change before the market is queried.
///
/// Pressing `>` five times should cost one request, because markets limit them.
const SETTLE: f64 = 0.3;

impl Browser {
    /// Sorts the loaded rows by `order` and selects the first. Schedules a request if the limit may have left
    /// out rows and the market supports the order, but did not sort by it. Otherwise a request in flight for
    /// nothing but another order is cancelled, and its ticket is returned to abort it; else `None`.
    pub fn set_order(&mut self, order: Vec<OrderKey>, now: Now) -> Option<Ticket> {
        self.query.order = order;
        self.go_to_top();
        self.resort();
        let is_superseded = self.remote.is_loading() && !self.lacks_market_order() && self.asks_only_for_order();
        // Back to the order of the loaded rows: the request in flight is for another one.
        let abort = is_superseded.then(|| self.cancel()).flatten();
        self.ask_order_at = None;
        self.schedule_order(now);
        abort
    }

    /// Sorts by one field alone, its better end first, or ascending if it has none; reverses it if it is the
    /// first key already. Selects the first row, and schedules a request if the market's order is lacking.
    /// Returns the ticket of a cancelled request for another order, to abort it; else `None`.
    pub fn sort_by(&mut self, field: &'static Field, now: Now) -> Option<Ticket> {
        let first = match field.better {
            Some(true) => Direction::Descending,
            _ => Direction::Ascending,
        };
        let direction = match self.query.order.first() {
            Some(key) if key.field == field => key.direction.flipped(),
            _ => first,
        };
        self.set_order(vec![OrderKey { field, direction }], now)
    }

    /// Reverses every key of the order. Selects the first row, and schedules a request if the market's order
    /// is lacking. Returns the ticket of a cancelled request for another order, to abort it; else `None`.
    pub fn reverse(&mut self, now: Now) -> Option<Ticket> {
        let mut order = self.query.order.clone();
        for key in &mut order {
            key.direction = key.direction.flipped();
        }
        self.set_order(order, now)
    }

    /// The leading sort keys of `query` that the market supports, up to the first that it does not; keys with
    /// an unmet prerequisite are left out.
    fn market_keys(&self, query: &Query) -> Vec<OrderKey> {
        let (catalog, dialect) = (query.catalog(), self.dialect());
        let keys = query.order.iter();
        keys.filter(|key| self.need(key.field).is_none())
            .take_while(|key| catalog.orders_on_server(key.field, dialect))
            .copied()
            .collect()
    }

    /// Whether the limit may have left out rows and the market supports the order, but did not sort by it;
    /// false without a limit or a response.
    pub(crate) fn lacks_market_order(&self) -> bool {
        let wanted = self.market_keys(&self.query);
        let sent = self.shown_query().map(|query| self.market_keys(query));
        let is_limited = self.shown_query().is_some_and(|query| query.limit.is_some());
        is_limited && self.may_have_more() && sent.is_some_and(|sent| !sent.starts_with(&wanted))
    }

    /// Schedules a request for the market's order in 0.3 s, if it is lacking and none is scheduled yet.
    pub(crate) fn schedule_order(&mut self, now: Now) {
        if self.ask_order_at.is_none() && self.lacks_market_order() {
            self.ask_order_at = Some(now.mono + SETTLE);
        }
    }

    /// Whether the request in flight differs from the shown response only in its order.
    fn asks_only_for_order(&self) -> bool {
        let Some((asked, shown)) = self.asked_query.as_ref().zip(self.shown_query()) else {
            return false;
        };
        let reordered = Query {
            order: asked.order.clone(),
            ..shown.clone()
        };
        asked.order != shown.order && *asked == reordered
    }

    /// A note that the top rows in the new order are being requested or are about to be, `loading the top 500
    /// by Price ↑`; `None` if they are not, or without a limit or a response.
    pub fn order_request(&self) -> Option<String> {
        let is_asking = self.ask_order_at.is_some() || (self.remote.is_loading() && self.lacks_market_order());
        let limit = self.query.limit?;
        self.listing()?;
        let keys: Vec<_> = self
            .market_keys(&self.query)
            .iter()
            .map(|key| format!("{} {}", key.field.label, key.direction.arrow()))
            .collect();
        is_asking.then(|| {
            let order = keys.join(" ");
            format!("loading the top {limit} by {order}")
        })
    }

    /// Whether better rows than the first one may exist: the loaded rows are incomplete, and not the market's
    /// top ones in this order. False without a sort key that applies.
    pub fn is_sorted_among_loaded(&self) -> bool {
        let keys = self.sorting_keys();
        let is_whole = self.coverage().is_none_or(|coverage| coverage == Coverage::Whole);
        let Some(first) = keys.first().filter(|_| !is_whole) else {
            return false;
        };
        let sent = self.shown_query().map(|query| self.market_keys(query));
        let is_sent = sent.is_some_and(|sent| sent.first() == Some(first));
        // The market sorts by its quoted prices.
        !is_sent || self.is_unordered() || self.listing().is_some_and(|listing| listing.is_estimated(first.field))
    }
}

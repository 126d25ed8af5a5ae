//! Three prices in one row: one search for each price model, each with its own slot.

use super::remote::{Phase, Progress, Remote, Sending, Ticket, Tickets};
use crate::api::{ApiError, Request};
use crate::domain::insight::{Coverage, coverage};
use crate::domain::time::Now;
use crate::domain::{Listing, OfferType, Query};

/// The columns of the prices, in order.
pub const COLUMNS: [&str; 5] = [
    "price_on_demand",
    "price_bid",
    "saving_bid",
    "price_reserved",
    "saving_reserved",
];

#[derive(Debug, Default)]
pub struct PriceModelSearches {
    /// In the order of [`OfferType::ALL`].
    slots: [Remote<Listing>; 3],
    limit: Option<u32>,
}

impl PriceModelSearches {
    /// The request and response of the search for a price model.
    pub fn slot(&self, model: OfferType) -> &Remote<Listing> {
        let index = OfferType::ALL.iter().position(|known| *known == model);
        &self.slots[index.unwrap_or(0)]
    }

    /// The response to a price model's search; `None` until it has arrived.
    pub fn listing(&self, model: OfferType) -> Option<&Listing> {
        self.slot(model).shown()
    }

    /// Whether a price model's response may be truncated, so that a missing offer may exist; false before a
    /// response.
    pub fn is_cut(&self, model: OfferType) -> bool {
        self.listing(model)
            .is_some_and(|listing| coverage(listing, self.limit) != Coverage::Whole)
    }

    /// Whether the responses that a column of [`COLUMNS`] needs have all arrived; for any other key, those
    /// for on-demand and reserved.
    pub fn has_column(&self, key: &str) -> bool {
        let mut models = models_of(key).iter();
        models.all(|model| self.listing(*model).is_some())
    }

    /// Whether a column of `COLUMNS` has no values yet because a response is awaited; false for other
    /// columns.
    pub fn awaits_column(&self, key: &str) -> bool {
        let mut slots = models_of(key).iter().map(|model| self.slot(*model));
        COLUMNS.contains(&key) && slots.any(|slot| slot.is_loading() && slot.shown().is_none())
    }

    /// Whether no response to any of the three searches has arrived yet.
    pub fn is_empty(&self) -> bool {
        self.slots.iter().all(|slot| slot.shown().is_none())
    }

    /// Whether none of the three searches was sent, or all were cancelled before a response.
    pub fn is_unasked(&self) -> bool {
        let mut phases = self.slots.iter().map(Remote::phase);
        phases.all(|phase| matches!(phase, Phase::Idle))
    }

    /// Whether the response to any of the three searches is awaited.
    pub fn is_loading(&self) -> bool {
        self.slots.iter().any(Remote::is_loading)
    }

    /// Registers a search of `query` for each of the three price models; returns the requests to send and to
    /// abort.
    pub(crate) fn ask(&mut self, query: &Query, tickets: &mut Tickets, now: Now) -> Vec<Sending> {
        self.limit = query.limit;
        let mut requests = Vec::new();
        for (slot, model) in self.slots.iter_mut().zip(OfferType::ALL) {
            let ticket = tickets.take();
            requests.extend(slot.ask(ticket, now).map(Sending::Abort));
            requests.push(Sending::Send(
                ticket,
                Request::Search(Query {
                    offer_type: model,
                    ..query.clone()
                }),
            ));
        }
        requests
    }

    /// Sets the response to a price model's search that was requested elsewhere, with the limit of that
    /// search.
    pub fn set(&mut self, model: OfferType, listing: Listing, limit: Option<u32>) {
        self.limit = limit;
        let index = OfferType::ALL.iter().position(|known| *known == model);
        let (ticket, now) = (Ticket(0), Now::default());
        let slot = &mut self.slots[index.unwrap_or(0)];
        slot.ask(ticket, now);
        slot.accept(ticket, now, Ok(listing));
    }

    /// Stops waiting for the responses; returns the tickets to abort. Responses that have arrived stay.
    pub fn cancel(&mut self) -> Vec<Ticket> {
        self.slots.iter_mut().filter_map(Remote::cancel).collect()
    }

    /// Stores the response to the search with this ticket, or its error; ignored if it is not awaited.
    pub(crate) fn answered(&mut self, ticket: Ticket, now: Now, answer: Result<Listing, ApiError>) {
        let slot = self.slots.iter_mut().find(|slot| slot.awaited() == Some(ticket));
        if let Some(slot) = slot {
            slot.accept(ticket, now, answer);
        }
    }

    /// Records the progress of the search with this ticket; ignored if it is not awaited.
    pub(crate) fn progress(&mut self, ticket: Ticket, progress: &Progress) {
        for slot in &mut self.slots {
            slot.progress(ticket, progress.clone());
        }
    }
}

/// The price models that a column of [`COLUMNS`] is computed from; on-demand and reserved for any other key.
fn models_of(key: &str) -> &'static [OfferType] {
    use OfferType::{Bid, OnDemand, Reserved};
    match key {
        "price_on_demand" => &[OnDemand],
        "price_bid" => &[Bid],
        "saving_bid" => &[OnDemand, Bid],
        "price_reserved" => &[Reserved],
        _ => &[OnDemand, Reserved],
    }
}

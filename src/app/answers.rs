//! Routes responses by their ticket.

use super::browser::Arrival;
use super::message::Effect;
use super::model::Model;
use super::remote::{Now, Ticket};
use super::{groups, mutations, requests, row_filter, stack};
use crate::api::{ApiError, Reply};
use crate::domain::{Listing, Resource};

/// Passes a response to its receiver; drops it if there is none.
pub(super) fn on_reply(
    model: &mut Model,
    now: Now,
    ticket: Ticket,
    mut result: Result<Reply, ApiError>,
) -> Vec<Effect> {
    model.state.note_response(&result);
    model.state.hide_banned(&mut result);
    let (left, effects) = stack::response(model, now, ticket, result);
    let Some(result) = left else {
        return effects;
    };
    if requests::answered(&mut model.state, now, ticket, &result) {
        return Vec::new();
    }
    if let Some((completed, mut effects)) =
        mutations::answered(&mut model.state, now, ticket, &result)
    {
        let (is_shown, more) = stack::write_completed(model, now, &completed);
        effects.extend(more);
        if !is_shown {
            mutations::announce(&mut model.state, &completed, now);
        }
        return effects;
    }
    if groups::awaits(model, ticket) {
        return groups::answered(model, now, ticket, result);
    }
    let Some(answer) = records(result) else {
        return Vec::new();
    };
    let offers = &mut model.state.browsers[Resource::Offers];
    if offers.computed.price_models.awaits(ticket) {
        offers.computed.price_models.answered(ticket, now, answer);
        offers.revalue();
        return Vec::new();
    }
    let Some(browser) = model
        .state
        .browsers
        .iter_mut()
        .into_iter()
        .find(|browser| browser.awaits(ticket))
    else {
        return Vec::new();
    };
    let is_listing = browser.resource() == Resource::Workergroups && answer.is_ok();
    match answer.map(|listing| browser.arrival(ticket, listing, now)) {
        Ok(Ok(arrival)) => return vec![Effect::Arrange(arrival)],
        Ok(Err(listing)) => browser.answered(ticket, Ok(listing), now),
        Err(error) => browser.answered(ticket, Err(error), now),
    }
    if is_listing {
        return groups::listed(model, now);
    }
    Vec::new()
}

/// Shows a response that was arranged on another thread.
pub(super) fn arranged(model: &mut Model, arrival: Arrival) -> Vec<Effect> {
    model.state.browsers[arrival.resource()].arrived(arrival);
    Vec::new()
}

/// Reads columns that a response does not arrive with and that are needed soon after it: for its
/// check and for the market panel, and those that words are searched in.
pub fn read_ahead(listing: &Listing) {
    const NEEDED: [&str; 4] = ["is_bid", "gpu_ids", "datacenter", "verified"];
    let catalog = listing.catalog();
    let needed = NEEDED.iter().filter_map(|key| catalog.by_key(key));
    listing.prepare(row_filter::searched(listing).chain(needed));
}

/// The records of a reply; `None` for replies of another kind.
fn records(result: Result<Reply, ApiError>) -> Option<Result<Listing, ApiError>> {
    match result {
        Ok(Reply::Records(listing)) => Some(Ok(*listing)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    }
}

//! Routes responses by their ticket.

use super::feature::{self, Event};
use super::message::Effect;
use super::model::Model;
use super::{mutations, stack};
use crate::api::{ApiError, Reply};
use crate::domain::{Listing, Resource};
use crate::table::browser::Arrival;
use crate::table::recording::Asked;
use crate::table::remote::{Now, Ticket};
use crate::table::{recording, row_filter};
use crate::widgets::panel::Size;

/// Passes a response to its receiver; drops it if there is none.
pub(crate) fn on_reply(
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
    if let Some((completed, mut effects)) = mutations::answered(&mut model.state, now, ticket, &result) {
        let (is_shown, more) = stack::write_completed(model, now, &completed);
        effects.extend(more);
        if !is_shown {
            mutations::announce(&mut model.state, &completed, now);
        }
        return effects;
    }
    let features = model.state.features;
    let taken = feature::offer(features, result, |feature, response| {
        (feature.answered)(&mut model.state, now, ticket, response)
    });
    let left = match taken {
        Ok(effects) => return effects,
        Err(response) => response,
    };
    records(left).map_or_else(Vec::new, |answer| on_records(model, now, ticket, answer))
}

/// Passes records to the table that requested them.
fn on_records(model: &mut Model, now: Now, ticket: Ticket, answer: Result<Listing, ApiError>) -> Vec<Effect> {
    let offers = &mut model.state.browsers[Resource::Offers];
    if offers.computed.price_models.awaits(ticket) {
        offers.computed.price_models.answered(ticket, now, answer);
        offers.revalue();
        return Vec::new();
    }
    let (columns, rows) = model.state.size;
    let has_panel = Size::of(columns, rows) == Size::Wide;
    let Some(browser) = model
        .state
        .browsers
        .iter_mut()
        .into_iter()
        .find(|browser| browser.awaits(ticket))
    else {
        return Vec::new();
    };
    let resource = browser.resource();
    let asked = Asked::by(browser);
    let mut effects: Vec<Effect> = browser.take_unrecorded().into_iter().collect();
    match answer.map(|listing| browser.arrival(ticket, listing, now, has_panel)) {
        Ok(Ok(arrival)) => return vec![Effect::Arrange(arrival)],
        Ok(Err(listing)) => browser.answered(ticket, Ok(listing), now),
        Err(error) => browser.answered(ticket, Err(error), now),
    }
    let recorded = asked.and_then(|asked| recording::of_pane(browser, &asked, now));
    effects.extend(model.state.emit(now, Event::Listed(resource, recorded)));
    effects
}

/// Shows a response that was arranged on another thread.
pub(crate) fn arranged(model: &mut Model, mut arrival: Arrival) -> Vec<Effect> {
    let browser = &mut model.state.browsers[arrival.resource()];
    let poll = arrival.poll();
    let recorded = poll.filter(|_| browser.arrived(arrival));
    recorded.map(Effect::record).into_iter().collect()
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

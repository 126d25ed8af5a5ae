//! Routes responses by their ticket.

use super::feature::Event;
use super::message::Effect;
use super::{Update, mutations};
use crate::api::{ApiError, Reply};
use crate::domain::{Listing, Resource};
use crate::table::browser::Arrival;
use crate::table::recording::Asked;
use crate::table::remote::Ticket;
use crate::table::{recording, row_filter};
use crate::widgets::panel::Size;

impl Update<'_> {
    /// Passes a response to its receiver; drops it if there is none.
    pub(crate) fn replied(&mut self, ticket: Ticket, mut result: Result<Reply, ApiError>) {
        // In front of all receivers: a refused key holds every timer, and bans hold for every search, whoever
        // asked.
        self.model.state.note_response(&result);
        self.model.state.hide_banned(&mut result);
        // A ticket has one receiver, so the order decides only who is asked in vain: views, of which few are
        // open, the one write, the features, and at last the tables, since what is left must be records.
        let Some(result) = self.response(ticket, result) else {
            return;
        };
        if let Some(completed) = self.lend(|cx| cx.write_answered(ticket, &result)) {
            if !self.write_completed(&completed) {
                mutations::announce(&mut self.model.state, &completed, self.now);
            }
            return;
        }
        let taken = self.offer(result, |feature, cx, response| (feature.answered)(cx, ticket, response));
        if let Some(answer) = taken.err().and_then(records) {
            self.records(ticket, answer);
        }
    }

    /// Passes records to the table that requested them.
    fn records(&mut self, ticket: Ticket, answer: Result<Listing, ApiError>) {
        let (now, state) = (self.now, &mut self.model.state);
        let offers = &mut state.browsers[Resource::Offers];
        // Offers as well, but not the pane's own rows.
        if offers.computed.price_models.awaits(ticket) {
            offers.computed.price_models.answered(ticket, now, answer);
            return offers.revalue();
        }
        let (columns, rows) = state.size;
        let has_panel = Size::of(columns, rows) == Size::Wide;
        let mut browsers = state.browsers.iter_mut();
        let Some(browser) = browsers.find(|browser| browser.awaits(ticket)) else {
            return;
        };
        let resource = browser.resource();
        let asked = Asked::by(browser);
        // Before the new rows: the poll that waits for its causes is recorded ahead of theirs.
        let unrecorded = browser.take_unrecorded();
        match answer.map(|listing| browser.arrival(ticket, listing, now, has_panel)) {
            Ok(Ok(arrival)) => return self.effects.push(Effect::Arrange(arrival)),
            Ok(Err(listing)) => browser.answered(ticket, Ok(listing), now),
            Err(error) => browser.answered(ticket, Err(error), now),
        }
        let recorded = asked.and_then(|asked| recording::of_pane(browser, &asked, now));
        self.effects.extend(unrecorded);
        self.emit(Event::Listed(resource, recorded));
    }

    /// Shows a response that was arranged on another thread.
    pub(crate) fn arranged(&mut self, mut arrival: Arrival) {
        let browser = &mut self.model.state.browsers[arrival.resource()];
        let poll = arrival.poll();
        let recorded = poll.filter(|_| browser.arrived(arrival));
        self.effects.extend(recorded.map(Effect::record));
    }
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

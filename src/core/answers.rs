//! Records that arrive for a table.

use super::Update;
use super::feature::Event;
use super::message::{Effect, News};
use super::owners::Owner;
use crate::api::{ApiError, Reply};
use crate::domain::{Listing, Resource};
use crate::table::browser::Arrival;
use crate::table::recording::Asked;
use crate::table::remote::Ticket;
use crate::table::{recording, row_filter};
use crate::widgets::panel::Size;

impl Update<'_> {
    /// Passes records, or how they arrive, to the table that requested them.
    pub(crate) fn table_told(&mut self, resource: Resource, ticket: Ticket, news: News) {
        if let News::Progress(progress) = news {
            let browser = &mut self.model.state.browsers[resource];
            browser.computed.price_models.progress(ticket, &progress);
            browser.progress(ticket, progress);
        } else if let News::Arranged(arrival) = news {
            self.arranged(resource, *arrival);
        } else if let News::Reply(response) = news
            && let Some(answer) = records(*response)
        {
            self.records(resource, ticket, answer);
        }
    }

    fn records(&mut self, resource: Resource, ticket: Ticket, answer: Result<Listing, ApiError>) {
        let (now, state) = (self.now, &mut self.model.state);
        let (columns, rows) = state.size;
        let has_panel = Size::of(columns, rows) == Size::Wide;
        let browser = &mut state.browsers[resource];
        if !browser.awaits(ticket) {
            browser.computed.price_models.answered(ticket, now, answer);
            return browser.revalue();
        }
        let asked = Asked::by(browser);
        let unrecorded = browser.take_unrecorded();
        match answer.map(|listing| browser.arrival(ticket, listing, now, has_panel)) {
            Ok(Ok(arrival)) => {
                return self.lend(|cx| cx.effects_for(Owner::Table(resource), [Effect::Arrange(arrival)]));
            }
            Ok(Err(listing)) => browser.answered(ticket, Ok(listing), now),
            Err(error) => browser.answered(ticket, Err(error), now),
        }
        let recorded = asked.and_then(|asked| recording::of_pane(browser, &asked, now));
        self.effects.extend(unrecorded);
        self.emit(Event::Listed(resource, recorded));
    }

    /// Shows a response that was arranged on another thread.
    fn arranged(&mut self, resource: Resource, mut arrival: Arrival) {
        let poll = arrival.poll();
        let browser = &mut self.model.state.browsers[resource];
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

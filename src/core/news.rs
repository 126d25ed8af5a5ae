//! News of effects on its way to the owner of its ticket: a table, a write, a view or a feature.

use super::feature::Event;
use super::message::{Effect, News};
use super::owners::{Owner, on_written};
use super::{Update, watching, writes};
use crate::api::{ApiError, Reply};
use crate::domain::journal::WriteKind;
use crate::domain::{Listing, Resource};
use crate::record::{Moment, Poll};
use crate::table::browser::{Arrival, Responses};
use crate::table::recording::Asked;
use crate::table::remote::Ticket;
use crate::tui::panel::Size;

impl Update<'_> {
    /// Passes the news of a ticket to its owner. Banned rows are removed from a response first, unless banned
    /// offers are listed, and its success or error decides whether timers may send. News without an owner is
    /// dropped, except the result of an export, which becomes a notice.
    pub(crate) fn on_news(&mut self, ticket: Ticket, mut news: News) {
        let state = &mut self.model.state;
        if let News::Reply(response) = &mut news {
            state.note_response(response);
            state.hide_banned(ticket, response);
        }
        match state.owners.take_owner(ticket, &news) {
            Some(Owner::Table(resource)) => self.on_table_news(resource, ticket, news),
            Some(Owner::Write(kind)) => self.on_write_reply(kind, news),
            Some(Owner::View(index)) => {
                self.with(index, |view, cx| view.on_news(ticket, news, cx));
            }
            Some(Owner::Feature(receive)) => {
                self.lend(|cx| receive(cx, ticket, news));
                // The views show the result.
                self.tick();
            }
            // The form of an export was closed.
            None => self.lend(|cx| on_written(cx, ticket, news)),
        }
    }

    /// Passes a response, its progress, arranged rows or the rows last recorded to the table that requested
    /// them; other news is ignored.
    pub(crate) fn on_table_news(&mut self, resource: Resource, ticket: Ticket, news: News) {
        if let News::Progress(progress) = news {
            let browser = &mut self.model.state.browsers[resource];
            browser.computed.price_models.progress(ticket, &progress);
            browser.progress(ticket, progress);
        } else if let News::Arranged(arrival) = news {
            self.on_arranged(resource, *arrival);
        } else if let News::RecordedRows(latest) = news {
            self.on_recorded_rows(resource, ticket, latest.map(|latest| *latest));
        } else if let News::Reply(response) = news {
            let answer = response.and_then(Reply::into_records);
            self.on_records(resource, ticket, answer.map(|listing| *listing));
        }
    }

    /// Handles the response to a table's search: its rows are arranged on another thread; a failure is shown,
    /// and announced to the features. A response that the table does not await goes to its `price_models`,
    /// which load the prices of other price types.
    fn on_records(&mut self, resource: Resource, ticket: Ticket, answer: Result<Listing, ApiError>) {
        let (now, state) = (self.now, &mut self.model.state);
        let (columns, rows) = state.screen.size;
        let has_panel = Size::new(columns, rows) == Size::Wide;
        let browser = &mut state.browsers[resource];
        if !browser.awaits(ticket) {
            browser.computed.price_models.answered(ticket, now, answer);
            return browser.revalue();
        }
        match answer {
            Ok(listing) => {
                let arrival = browser.arrival(ticket, Responses::One(listing), now, has_panel);
                self.lend(|cx| cx.effects_for(Owner::Table(resource), [Effect::Arrange(arrival)]));
            }
            Err(error) => {
                let dialect = state.profile.dialect;
                let poll = Asked::by(browser).and_then(|asked| asked.failed(&error, dialect, now));
                browser.failed(ticket, error, now);
                self.announce_listed(resource, poll);
            }
        }
    }

    /// Arranges the rows last recorded for a search that still waits for its reply, without banned ones
    /// unless those are listed, on another thread. `latest` is `None` if the record has no such rows.
    fn on_recorded_rows(&mut self, resource: Resource, ticket: Ticket, latest: Option<(Listing, Moment)>) {
        let state = &mut self.model.state;
        let browser = &mut state.browsers[resource];
        let Some((mut listing, at)) = latest else {
            browser.no_recorded_rows(ticket);
            return;
        };
        if !state.annotations.shows_banned {
            state.annotations.all.hide_banned(&mut listing);
        }
        if let Some(arrival) = browser.recorded_arrival(ticket, listing, at, self.now) {
            self.lend(|cx| cx.effects_for(Owner::Table(resource), [Effect::Arrange(arrival)]));
        }
    }

    /// Shows rows that were prepared on another thread, recorded ones or a response; a response is then
    /// announced to the features, unless it is outdated.
    fn on_arranged(&mut self, resource: Resource, arrival: Arrival) {
        if arrival.recorded().is_some() {
            return self.model.state.browsers[resource].show_recorded(arrival);
        }
        let (is_shown, poll) = self.model.state.browsers[resource].arrived(arrival);
        if is_shown {
            self.announce_listed(resource, poll);
        }
    }

    /// Announces to the features that a table shows a new response, or its failure; first records an earlier
    /// poll of the table that still waits for its causes. `poll` is its entry for the record, `None` if it is
    /// not recorded.
    fn announce_listed(&mut self, resource: Resource, poll: Option<Poll>) {
        let unrecorded = self.model.state.browsers[resource].take_unrecorded();
        self.effects.extend(unrecorded.map(Effect::record));
        self.lend(|cx| watching::listed(cx, resource, poll.as_ref()));
        self.emit(Event::Listed(resource, poll));
    }

    /// Completes the write of this kind with its response, and reports the outcome as a notice if no dialog
    /// awaits it. Other news, such as progress, is ignored.
    pub(crate) fn on_write_reply(&mut self, kind: WriteKind, news: News) {
        let News::Reply(response) = news else { return };
        let sent = self.model.state.mutations.in_flight(kind);
        let is_awaited = sent.is_some_and(|sent| sent.is_awaited);
        let completed = self.lend(|cx| cx.write_answered(kind, &response));
        if let Some(completed) = completed.filter(|_| !is_awaited) {
            writes::announce(&mut self.model.state, &completed, self.now);
        }
        self.tick();
    }
}

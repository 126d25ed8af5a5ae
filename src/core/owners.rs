//! The owner of each ticket: recorded when its effect is requested, looked up when its news
//! arrives.

use std::collections::HashMap;

use super::feature::Event;
use super::message::{Effect, News};
use super::view::Cx;
use super::{Update, exported, watching};
use crate::api::{ApiError, Reply};
use crate::domain::journal::WriteKind;
use crate::domain::{Listing, Resource};
use crate::record::{Moment, Poll};
use crate::table::browser::{Arrival, Responses};
use crate::table::recording::Asked;
use crate::table::remote::Ticket;
use crate::tui::panel::Size;

/// The function of a feature that handles the news of its ticket.
pub type Receiver = fn(&mut Cx<'_>, Ticket, News);

#[derive(Debug, Clone, Copy)]
pub enum Owner {
    /// The table of a resource, and the prices of the other models beside it.
    Table(Resource),
    /// The write of this kind that is in flight.
    Write(WriteKind),
    /// The view at this index of the stack, as long as it is open.
    View(usize),
    Feature(Receiver),
}

/// The owner of each ticket whose result is awaited.
#[derive(Debug, Default)]
pub(crate) struct Owners(HashMap<Ticket, Owner>);

impl Owners {
    pub(crate) fn note(&mut self, owner: Owner, effect: &Effect) {
        if let Some(ticket) = effect.ticket() {
            self.0.insert(ticket, owner);
        }
    }

    /// The owner of a ticket. Its result removes the ticket; progress does not.
    fn take_owner(&mut self, ticket: Ticket, news: &News) -> Option<Owner> {
        if matches!(news, News::Progress(_)) {
            self.0.get(&ticket).copied()
        } else {
            self.0.remove(&ticket)
        }
    }

    /// Forgets the tickets of the views at this index of the stack and above, which have closed.
    pub(crate) fn closed(&mut self, from: usize) {
        self.0
            .retain(|_, owner| !matches!(owner, Owner::View(index) if *index >= from));
    }

    /// Forgets the tickets that an update aborts.
    pub(crate) fn settle(&mut self, effects: &[Effect]) {
        for effect in effects {
            if let Effect::Abort(ticket) = effect {
                self.0.remove(ticket);
            }
            debug_assert!(
                effect.ticket().is_none_or(|ticket| self.0.contains_key(&ticket)),
                "nobody gets what {effect:?} brings"
            );
        }
    }
}

impl Cx<'_> {
    /// Requests effects, whose news goes to `owner`.
    pub(crate) fn effects_for<E: Into<Effect>>(&mut self, owner: Owner, effects: impl IntoIterator<Item = E>) {
        for effect in effects.into_iter().map(Into::into) {
            self.state.owners.note(owner, &effect);
            self.effects.push(effect);
        }
    }
}

impl Update<'_> {
    /// Passes the news of a ticket to its owner.
    pub(crate) fn on_news(&mut self, ticket: Ticket, mut news: News) {
        let state = &mut self.model.state;
        if let News::Reply(response) = &mut news {
            state.note_response(response);
            state.hide_banned(response);
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
            None => {
                if let News::Written(result) = news {
                    let toast = exported::announce(result, self.now);
                    self.model.state.show(toast);
                }
            }
        }
    }
}

impl Update<'_> {
    /// Passes records, or their progress, to the table that requested them.
    pub(crate) fn on_table_news(&mut self, resource: Resource, ticket: Ticket, news: News) {
        if let News::Progress(progress) = news {
            let browser = &mut self.model.state.browsers[resource];
            browser.computed.price_models.progress(ticket, &progress);
            browser.progress(ticket, progress);
        } else if let News::Arranged(arrival) = news {
            self.arranged(resource, *arrival);
        } else if let News::RecordedRows(latest) = news {
            self.recorded_rows(resource, ticket, latest.map(|latest| *latest));
        } else if let News::Reply(response) = news {
            let answer = response.and_then(Reply::into_records);
            self.records(resource, ticket, answer.map(|listing| *listing));
        }
    }

    fn records(&mut self, resource: Resource, ticket: Ticket, answer: Result<Listing, ApiError>) {
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
                self.listed(resource, poll);
            }
        }
    }

    /// Prepares the rows last recorded for a search that still waits for its reply.
    fn recorded_rows(&mut self, resource: Resource, ticket: Ticket, latest: Option<(Listing, Moment)>) {
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

    /// Shows a response that was prepared on another thread.
    fn arranged(&mut self, resource: Resource, arrival: Arrival) {
        if arrival.recorded().is_some() {
            return self.model.state.browsers[resource].show_recorded(arrival);
        }
        let (is_shown, poll) = self.model.state.browsers[resource].arrived(arrival);
        if is_shown {
            self.listed(resource, poll);
        }
    }

    /// Announces to the features that a table shows a new response, or its failure.
    fn listed(&mut self, resource: Resource, poll: Option<Poll>) {
        let unrecorded = self.model.state.browsers[resource].take_unrecorded();
        self.effects.extend(unrecorded.map(Effect::record));
        self.lend(|cx| watching::listed(cx, resource, poll.as_ref()));
        self.emit(Event::Listed(resource, poll));
    }
}

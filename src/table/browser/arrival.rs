//! A response between its end and the screen: its rows are arranged on another thread.

use super::Browser;
use crate::domain::Listing;
use crate::domain::insight::Coverage;
use crate::record::{Moment, Poll};
use crate::table::recording::Asked;
use crate::table::remote::{Now, Ticket};
use crate::table::rows::Rows;

/// A response and what its rows are arranged by, to be sent to another thread and back.
#[derive(Debug)]
pub struct Arrival {
    pub(super) ticket: Ticket,
    pub(super) now: Now,
    pub(super) response: Option<Responses>,
    pub(super) rows: Rows,
    pub(super) asked: Option<Asked>,
    /// What the response adds to the recorded market.
    pub(super) poll: Option<Poll>,
    /// Whether the market panel shows what the rows offer.
    pub(super) has_panel: bool,
    /// When the record saw the rows, if they are not those of a response.
    pub(super) recorded: Option<Moment>,
}

/// What is shown as one response.
#[derive(Debug)]
pub enum Responses {
    One(Listing),
    /// Parts of a search, see [`Listing::merged`].
    Parts(Vec<(Listing, bool)>, Coverage),
}

impl PartialEq for Arrival {
    /// A ticket is never reused.
    fn eq(&self, other: &Self) -> bool {
        self.ticket == other.ticket
    }
}

impl Arrival {
    pub const fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// When the record saw the rows, if they are not those of a response.
    pub const fn recorded(&self) -> Option<Moment> {
        self.recorded
    }

    /// Arranges the rows: a tenth of a second for 100,000.
    #[must_use]
    pub fn arranged(mut self) -> Self {
        let catalog = self.rows.query.catalog();
        let listing = match self.response.take() {
            Some(Responses::One(listing)) => Some(listing),
            // The records of responses that were read are read again.
            Some(Responses::Parts(parts, coverage)) => Listing::merged(catalog, &parts, coverage).ok(),
            None => None,
        };
        if let Some(listing) = listing {
            if self.recorded.is_some() {
                self.rows.arrange_recorded(listing);
                return self;
            }
            self.rows.arrange(listing, self.has_panel);
            let rows = &self.rows;
            self.poll = rows
                .listing()
                .zip(self.asked.take())
                .map(|(listing, asked)| asked.answered(listing, &rows.check, rows.dialect(), self.now));
        }
        self
    }
}

impl Browser {
    /// The work to do for the awaited response before it is shown, perhaps beside the market panel.
    pub(crate) fn arrival(&self, ticket: Ticket, response: Responses, now: Now, has_panel: bool) -> Box<Arrival> {
        Box::new(Arrival {
            ticket,
            now,
            response: Some(response),
            rows: self.rows.for_response(self.asked_query.clone()),
            asked: Asked::by(self),
            poll: None,
            has_panel,
            recorded: None,
        })
    }

    /// Shows an arranged response, if it is still awaited. Returns whether it was, and what the response
    /// adds to the recorded market.
    pub(crate) fn arrived(&mut self, arrival: Arrival) -> (bool, Option<Poll>) {
        let Arrival {
            ticket,
            now,
            rows,
            poll,
            ..
        } = arrival;
        if !self.awaits(ticket) {
            return (false, None);
        }
        let starts_at_top = rows.listing().is_some_and(|listing| self.starts_at_top(listing));
        self.before_watched_answer(now);
        self.remote.accept(ticket, now, Ok(()));
        self.responses += 1;
        if starts_at_top {
            self.go_to_top();
        }
        self.asked_query = None;
        self.drop_recorded();
        let is_arranged = self.rows.take_arranged(rows);
        self.unmark_absent();
        self.remember_names();
        self.reprice();
        self.after_watched_answer(now);
        if is_arranged {
            self.revision += 1;
            self.follow_selection();
        } else {
            self.revalue();
        }
        self.schedule_order(now);
        (true, poll)
    }
}

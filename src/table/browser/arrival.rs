//! A response on its way to the screen: its rows are arranged on another thread.

use super::Browser;
use crate::domain::Listing;
use crate::domain::insight::Coverage;
use crate::domain::time::Now;
use crate::record::{Moment, Poll};
use crate::table::recording::Asked;
use crate::table::remote::Ticket;
use crate::table::rows::Rows;

/// A response and the settings that arrange its rows, sent to another thread and back.
#[derive(Debug)]
pub struct Arrival {
    pub(super) ticket: Ticket,
    pub(super) now: Now,
    pub(super) response: Option<Responses>,
    pub(super) rows: Rows,
    pub(super) asked: Option<Asked>,
    /// The poll to record for this response.
    pub(super) poll: Option<Poll>,
    /// Whether the market panel is shown.
    pub(super) has_panel: bool,
    /// The time at which the rows were recorded; `None` for those of a response.
    pub(super) recorded: Option<Moment>,
}

/// The responses that are shown as one.
#[derive(Debug)]
pub enum Responses {
    One(Listing),
    /// Parts of a search, see [`Listing::merged`].
    Parts(Vec<(Listing, bool)>, Coverage),
}

impl PartialEq for Arrival {
    /// Compares the tickets, which are never reused.
    fn eq(&self, other: &Self) -> bool {
        self.ticket == other.ticket
    }
}

impl Arrival {
    /// The ticket of the request whose response it is.
    pub const fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// The time at which the rows were recorded; `None` for those of a response.
    pub const fn recorded(&self) -> Option<Moment> {
        self.recorded
    }

    /// Filters, sorts and prices the rows, which takes half a second for 100,000, and creates the poll
    /// of a response to a recorded search. Responses that cannot be merged leave no rows. Runs on another
    /// thread.
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
    /// The job that arranges the awaited response on another thread, with the values of the market panel if
    /// `has_panel`.
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

    /// Shows an arranged response, in place of recorded rows as well, if it is still awaited. Returns whether
    /// it was, and the poll to record, if any. If the settings have changed meanwhile, it is arranged again.
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
        } else if self.asked_query.as_ref() != self.shown_query() {
            self.count_arrangement();
        }
        self.asked_query = None;
        self.drop_recorded();
        let is_arranged = self.rows.take_arranged(rows);
        self.unmark_absent();
        self.remember_names();
        self.adjust_prices();
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

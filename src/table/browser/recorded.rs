//! Recorded rows, shown until the reply to a search arrives.
//!
//! They are read-only: [`Rows::listing`] has none of them, so that no code that acts on rows, or
//! compares or counts them, uses them as a response.

use super::{Arrival, Browser, Responses};
use crate::domain::annotations::Annotations;
use crate::domain::time::Now;
use crate::domain::{Listing, Query, Resource, RowId, format};
use crate::record::Moment;
use crate::table::remote::{Ticket, Tickets};
use crate::table::rows::Rows;

/// The rows last seen complete for a search in the record.
#[derive(Debug)]
pub(super) struct RecordedRows {
    rows: Rows,
    at: Moment,
}

impl Browser {
    /// The time at which the rows on screen were recorded; `None` if they are a response.
    pub fn recorded_at(&self) -> Option<Moment> {
        self.recorded.as_ref().map(|recorded| recorded.at)
    }

    /// The age in seconds of the recorded rows on screen; `None` if they are a response.
    pub fn recorded_seconds(&self, now: Now) -> Option<f64> {
        self.recorded_at().map(|at| (now.epoch - at.unix()).max(0.0))
    }

    /// The age of recorded rows on screen, as text: `recorded 3 h ago`; `None` if they are a response.
    pub fn recorded_age(&self, now: Now) -> Option<String> {
        let age = format::brief(self.recorded_seconds(now)?);
        Some(format!("recorded {age} ago"))
    }

    /// The rows on screen: recorded ones, or else the response, perhaps empty.
    pub fn displayed(&self) -> &Rows {
        self.recorded.as_ref().map_or(&self.rows, |recorded| &recorded.rows)
    }

    /// The id of the row at the cursor, which may be a recorded one; `None` without rows.
    pub(super) fn displayed_id(&self) -> Option<RowId> {
        let rows = self.displayed();
        rows.listing()?.id(*rows.view().get(self.cursor)? as usize)
    }

    /// Starts to await the recorded rows of the search that is about to be sent; returns the ticket and query
    /// to look up. `None` if its rows are on screen already (in any order, with any limit), or for
    /// workergroups.
    ///
    /// Conditions that the market cannot apply are left to the table, as with a response.
    pub(crate) fn await_recorded(&mut self, tickets: &mut Tickets) -> Option<(Ticket, Box<Query>)> {
        self.recall = None;
        let is_shown = self.displayed().shown_query().is_some_and(|shown| {
            !self.asks_other_than(&Query {
                order: self.query.order.clone(),
                limit: self.query.limit,
                ..shown.clone()
            })
        });
        if is_shown || self.resource() == Resource::Workergroups {
            return None;
        }
        let ticket = tickets.take();
        self.recall = Some((ticket, self.query.clone()));
        let conditions = self.query.sent_conditions(self.dialect()).cloned().collect();
        let query = Query {
            conditions,
            ..self.query.clone()
        };
        Some((ticket, Box::new(query)))
    }

    /// Whether recorded rows are awaited.
    pub const fn awaits_recorded(&self) -> bool {
        self.recall.is_some()
    }

    /// The search whose recorded rows are awaited under this ticket; `None` if another or none is awaited.
    fn recalled(&self, ticket: Ticket) -> Option<&Query> {
        let (own, query) = self.recall.as_ref()?;
        (*own == ticket).then_some(query)
    }

    /// The job that arranges the rows recorded at `at`; `None` if they are no longer awaited.
    pub(crate) fn recorded_arrival(
        &self,
        ticket: Ticket,
        listing: Listing,
        at: Moment,
        now: Now,
    ) -> Option<Box<Arrival>> {
        let asked = self.recalled(ticket)?.clone();
        Some(Box::new(Arrival {
            ticket,
            now,
            response: Some(Responses::One(listing)),
            rows: self.rows.for_response(Some(asked)),
            asked: None,
            poll: None,
            has_panel: false,
            recorded: Some(at),
        }))
    }

    /// Shows recorded rows in place of the rows of an earlier search, if they are still awaited. Empty ones
    /// are not shown, but remove recorded rows of an earlier search.
    pub(crate) fn show_recorded(&mut self, arrival: Arrival) {
        let Arrival {
            ticket, rows, recorded, ..
        } = arrival;
        let Some(at) = recorded.filter(|_| self.recalled(ticket).is_some()) else {
            return;
        };
        if rows.listing().is_none_or(Listing::is_empty) {
            return self.no_recorded_rows(ticket);
        }
        if self.is_at_top() {
            self.go_to_top();
        }
        self.recall = None;
        self.rows.clear();
        self.remote.take();
        self.recorded = Some(Box::new(RecordedRows { rows, at }));
        self.rebuild();
    }

    /// Stops awaiting the recorded rows of this ticket, as there are none, and removes those of an earlier
    /// search.
    pub(crate) fn no_recorded_rows(&mut self, ticket: Ticket) {
        if self.recalled(ticket).is_some() {
            self.drop_recorded();
        }
    }

    /// Removes recorded rows from the screen and stops awaiting any.
    pub(super) fn drop_recorded(&mut self) {
        self.recall = None;
        if self.recorded.take().is_some() {
            self.rebuild();
        }
    }

    /// Arranges recorded rows on screen with the current settings; nothing without any.
    pub(super) fn rearrange_recorded(&mut self) {
        if let Some(recorded) = &mut self.recorded {
            recorded.rows.arrange_as(&self.rows);
        }
    }

    /// Removes banned rows from the recorded ones.
    pub(crate) fn hide_banned_recorded(&mut self, all: &Annotations) {
        if let Some(listing) = self.recorded.as_mut().and_then(|recorded| recorded.rows.listing_mut()) {
            all.hide_banned(listing);
        }
    }
}

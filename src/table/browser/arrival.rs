//! Long responses, which are arranged off the loop's thread: checked, priced, filtered and sorted.

use super::Browser;
use crate::domain::history::Poll;
use crate::domain::{Listing, Resource};
use crate::table::computed_columns::ComputedColumns;
use crate::table::recording::Asked;
use crate::table::remote::{Now, Ticket};

// Above it keys would wait for the rows, so that another thread arranges them.
/// Rows that are arranged between two frames.
const AT_ONCE: usize = 5_000;

/// A response and what it is arranged by, to be sent to another thread and back.
#[derive(Debug)]
pub struct Arrival {
    ticket: Ticket,
    now: Now,
    resource: Resource,
    response: Option<Listing>,
    /// A pane with the settings of the one that asked.
    pane: Browser,
    asked: Option<Asked>,
    /// What the response adds to the recorded market.
    poll: Option<Poll>,
    /// Whether the market panel shows what the rows offer.
    has_panel: bool,
}

impl PartialEq for Arrival {
    /// A ticket is never reused.
    fn eq(&self, other: &Self) -> bool {
        self.ticket == other.ticket
    }
}

impl Arrival {
    pub const fn resource(&self) -> Resource {
        self.resource
    }

    /// Arranges the rows: a tenth of a second for 100,000.
    #[must_use]
    pub fn arranged(mut self) -> Self {
        if let Some(listing) = self.response.take() {
            self.pane.answered(self.ticket, Ok(listing), self.now);
            self.pane.prepare(self.has_panel);
            let pane = &self.pane;
            self.poll = pane
                .listing()
                .zip(self.asked.take())
                .map(|(rows, asked)| asked.answered(rows, &pane.check, pane.dialect(), self.now));
        }
        self
    }

    pub(crate) const fn poll(&mut self) -> Option<Poll> {
        self.poll.take()
    }
}

impl Browser {
    /// The work to do for a response before it is shown, perhaps beside the market panel; gives back a
    /// response that takes none.
    pub fn arrival(
        &self,
        ticket: Ticket,
        listing: Listing,
        now: Now,
        has_panel: bool,
    ) -> Result<Box<Arrival>, Listing> {
        // A watched search compares with the rows shown, and prices of other models join them.
        let is_alone = self.watch.is_none() && self.computed.price_models.is_empty();
        let is_priced = self.resource() != Resource::Workergroups;
        if listing.len() <= AT_ONCE || !self.awaits(ticket) || !is_alone || !is_priced {
            return Err(listing);
        }
        let mut pane = Self::new(self.resource(), self.dialect);
        pane.query = self.query.clone();
        pane.words.clone_from(&self.words);
        pane.columns.clone_from(&self.columns);
        pane.computed = Box::new(self.computed.for_other_rows());
        pane.asked_query.clone_from(&self.asked_query);
        pane.remote.ask(ticket, now);
        Ok(Box::new(Arrival {
            ticket,
            now,
            resource: self.resource(),
            response: Some(listing),
            pane,
            asked: Asked::by(self),
            poll: None,
            has_panel,
        }))
    }

    /// Shows an arranged response, if it is still awaited; true if it was.
    pub fn arrived(&mut self, arrival: Arrival) -> bool {
        let Arrival {
            ticket, now, mut pane, ..
        } = arrival;
        let Some((listing, _)) = pane.remote.take().filter(|_| self.awaits(ticket)) else {
            return false;
        };
        let starts_at_top = self.starts_at_top(&listing);
        self.remote.accept(ticket, now, Ok(listing));
        if starts_at_top {
            self.go_to_top();
        }
        self.responses += 1;
        self.shown_query = self.asked_query.take();
        self.check = pane.check;
        self.remember_names();
        let is_as_asked = self.watch.is_none()
            && self.computed.price_models.is_empty()
            && self.preview.is_empty()
            && self.computed.is_for(&pane.computed)
            && (&self.query, &self.words, &self.columns) == (&pane.query, &pane.words, &pane.columns);
        if is_as_asked {
            pane.computed.jobless_storage = self.computed.jobless_storage;
            self.computed = pane.computed;
            self.view = pane.view;
            self.visible_best = pane.visible_best;
            self.revealed = pane.revealed;
            self.revision += 1;
            self.contents += 1;
            self.counted_ahead = pane.counted_ahead.map(|(_, counts)| (self.contents, counts));
            self.follow_selection();
        } else {
            // The person went on meanwhile.
            self.revalue();
        }
        self.schedule_order(now);
        true
    }
}

impl ComputedColumns {
    /// Whether the same is computed.
    fn is_for(&self, other: &Self) -> bool {
        (self.job, self.term) == (other.job, other.term)
    }
}

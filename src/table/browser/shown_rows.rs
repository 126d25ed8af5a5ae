//! Which rows a pane shows, and in which order.

use super::Browser;
use crate::domain::Listing;
use crate::table::row_filter;

impl Browser {
    /// Recomputes the view: local conditions, words, order; the selection follows its id.
    pub fn rebuild(&mut self) {
        self.revision += 1;
        let Some(listing) = self.remote.shown() else {
            self.view.clear();
            self.visible_best = 0;
            self.contents += 1;
            return;
        };
        let conditions = self.local_conditions().into_iter().chain(&self.preview);
        let matching = listing.matching(conditions);
        let narrowed = row_filter::narrow(listing, matching, &self.words, &self.columns);
        self.revealed = narrowed.revealed;
        self.view = self.sorted(listing, narrowed.rows);
        self.visible_best = self.computed.count_best(&self.view);
        self.contents += 1;
        self.follow_selection();
    }

    /// Sorts the view; the selection follows its id.
    pub(crate) fn resort(&mut self) {
        self.revision += 1;
        if let Some(listing) = self.remote.shown() {
            let view = std::mem::take(&mut self.view);
            self.view = self.sorted(listing, view);
            self.follow_selection();
        }
    }

    /// Some rows in the order of the query.
    fn sorted(&self, listing: &Listing, mut rows: Vec<u32>) -> Vec<u32> {
        let order = self.sorting_keys();
        let first = order.first();
        if first.is_some_and(|key| !listing.column(key.field).is_blank()) {
            listing.sort(&mut rows, &order);
        } else {
            rows.sort_unstable();
        }
        // Whatever the order, rows that cannot serve the request come last.
        if self.computed.unfit() > 0 {
            rows.sort_by_key(|row| self.computed.is_unfit(*row as usize));
        }
        rows
    }

    /// How many rows of the view are on the front of price against speed.
    pub const fn visible_best(&self) -> usize {
        self.visible_best
    }

    /// How many rows of the view cannot do the job or term: they come last.
    pub fn visible_unfit(&self) -> usize {
        let is_fit = |row: &u32| !self.computed.is_unfit(*row as usize);
        self.view.len() - self.view.partition_point(is_fit)
    }

    pub(super) fn follow_selection(&mut self) {
        let Some(listing) = self.remote.shown() else {
            return;
        };
        let line_of_chosen = self.chosen.and_then(|id| {
            let row = u32::try_from(listing.row(id)?).ok()?;
            self.view.iter().position(|candidate| *candidate == row)
        });
        self.cursor = line_of_chosen.unwrap_or_else(|| self.cursor.min(self.view.len().saturating_sub(1)));
        if self.chosen.is_none() {
            self.chosen = self.selected();
        }
    }
}

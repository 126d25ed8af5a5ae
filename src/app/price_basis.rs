//! What the rows of a pane are priced by, and the columns that follow from it.

use super::browser::Browser;
use crate::api::{Request, wire};
use crate::domain::cost::Basis;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{Listing, Query, Resource};

impl Browser {
    /// The storage in GB that the prices on screen include, and whether bourse worked them out for
    /// it itself: an estimate until the market confirms it.
    pub fn storage(&self) -> (f64, bool) {
        let wanted = self.query.storage.unwrap_or(DEFAULT_STORAGE_GB);
        let is_estimate = self
            .listing()
            .is_some_and(|listing| listing.estimated_storage().is_some());
        (wanted, is_estimate)
    }

    /// What the rows here are priced by: the job's bill, else $/h as quoted, or with the storage
    /// that is wanted where the answer was not priced for it.
    pub fn pricing(&self) -> Basis {
        let query = self.shown_query.as_ref().unwrap_or(&self.query);
        Basis {
            model: query.offer_type,
            gb: self.listing().and_then(Listing::estimated_storage),
            job: self.computed.job,
        }
    }

    /// The disk in GB that offers must have: what the person chose.
    fn wanted_disk(&self) -> Option<f64> {
        self.query
            .storage
            .filter(|gb| (gb - DEFAULT_STORAGE_GB).abs() > f64::EPSILON)
    }

    /// Recomputes the computed columns, then the view: when rows, prices, the job or the conditions
    /// that are applied here have changed.
    pub fn revalue(&mut self) {
        self.reprice();
        if self.resource() == Resource::Volumes {
            if let Some(listing) = self.remote.shown_mut() {
                self.computed.fill_volumes(listing);
            }
        } else if self.resource() == Resource::Offers {
            let conditions: Vec<_> = self.local_conditions().into_iter().cloned().collect();
            let (pricing, disk) = (self.pricing(), self.wanted_disk());
            if let Some(listing) = self.remote.shown_mut() {
                self.computed.fill_for(listing, pricing, disk, &conditions);
            }
        }
        self.rebuild();
    }

    /// Lays the prices at the wanted storage over those that came, where they came with another.
    pub(super) fn reprice(&mut self) {
        if self.resource() != Resource::Offers {
            return;
        }
        let Some(asked) = &self.shown_query else {
            return;
        };
        let wanted = self.query.storage.unwrap_or(DEFAULT_STORAGE_GB);
        let estimate = self
            .check
            .storage_to_estimate(asked, self.dialect(), wanted);
        let model = asked.offer_type;
        let baseline = self.watch.as_mut().and_then(|watch| watch.before_mut());
        for listing in self.remote.shown_mut().into_iter().chain(baseline) {
            listing.price_as(model);
            listing.estimate_storage(estimate);
        }
    }

    /// Whether a market would be asked something else than with the query `before`.
    pub(super) fn asks_other_than(&self, before: &Query) -> bool {
        let body = |query: &Query| {
            let request = Request::Search(query.clone());
            wire::encode(&request, self.dialect()).body
        };
        body(&self.query) != body(before)
    }
}

//! What the rows of a pane are priced by, and the columns that depend on it.

use super::browser::Browser;
use crate::api::{Request, wire};
use crate::domain::cost::Basis;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{Listing, Query, Resource};

impl Browser {
    /// The storage in GB that the displayed prices include, and whether they are bourse's estimate
    /// until the market confirms them.
    pub fn storage(&self) -> (f64, bool) {
        let wanted = self.query.storage_gb();
        let is_estimate = self
            .listing()
            .is_some_and(|listing| listing.estimated_storage().is_some());
        (wanted, is_estimate)
    }

    /// The price basis: the job's bill, else $/h as quoted, or with the chosen storage if the
    /// response was not priced for it.
    pub fn pricing(&self) -> Basis {
        let query = self.shown_query.as_ref().unwrap_or(&self.query);
        Basis {
            model: query.offer_type,
            gb: self.listing().and_then(Listing::estimated_storage),
            job: self.computed.job,
        }
    }

    /// The disk in GB that offers must have, as chosen by the person.
    fn wanted_disk(&self) -> Option<f64> {
        self.query
            .storage
            .filter(|gb| (gb - DEFAULT_STORAGE_GB).abs() > f64::EPSILON)
    }

    /// Recomputes the computed columns, then the view: after a change of rows, prices, job or local
    /// conditions.
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

    /// Fills computed columns of the loaded rows.
    pub(crate) fn set_columns<'k>(&mut self, columns: impl IntoIterator<Item = (&'k str, Vec<Option<f64>>)>) {
        if let Some(listing) = self.remote.shown_mut() {
            for (key, numbers) in columns {
                if let Some(field) = listing.catalog().column(key) {
                    listing.set_column(field, numbers);
                }
            }
            self.rebuild();
        }
    }

    /// Adjusts the prices to the chosen storage, if the response was priced for another.
    pub(crate) fn reprice(&mut self) {
        if self.resource() != Resource::Offers {
            return;
        }
        let Some(asked) = &self.shown_query else {
            return;
        };
        let wanted = self.query.storage_gb();
        let estimate = self.check.storage_to_estimate(asked, self.dialect(), wanted);
        let model = asked.offer_type;
        let kept = self.watch.iter_mut().flat_map(|watch| watch.kept_mut());
        for listing in self.remote.shown_mut().into_iter().chain(kept) {
            listing.price_as(model);
            listing.estimate_storage(estimate);
        }
    }

    /// Whether the request differs from that of the query `before`.
    pub(crate) fn asks_other_than(&self, before: &Query) -> bool {
        let body = |query: &Query| {
            let request = Request::Search(query.clone());
            wire::encode(&request, self.dialect()).body
        };
        body(&self.query) != body(before)
    }
}

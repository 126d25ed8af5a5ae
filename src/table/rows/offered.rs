//! What the rows of a pane are measured by, and what they offer by model, country and kind of host.

use super::Rows;
use crate::domain::cost::{Prices, VolumePrices};
use crate::domain::insight::{Measures, Offered, offered};
use crate::domain::{Field, Listing, Resource};

/// The groupings of a resource in the market panel: the name of each and its field. Never by host, of
/// which there are many.
pub fn groupings(resource: Resource) -> impl Iterator<Item = (&'static str, &'static Field)> {
    let groupings: &[(&str, &str)] = match resource {
        Resource::Offers => &[
            ("GPU", "gpu_name"),
            ("Country", "geolocation"),
            ("Hosting", "datacenter"),
        ],
        Resource::Volumes => &[("Country", "geolocation"), ("Verification", "verified")],
        Resource::Workergroups => &[],
    };
    let catalog = resource.catalog();
    groupings
        .iter()
        .filter_map(|(name, key)| Some((*name, catalog.by_key(key)?)))
}

impl Rows {
    /// Measures the rows by the price basis.
    pub fn measured<R>(&self, listing: &Listing, measure: impl FnOnce(&Measures<'_>) -> R) -> R {
        let pricing = self.pricing();
        match self.resource() {
            Resource::Volumes => measure(&Measures::volumes(listing, &VolumePrices::new(listing))),
            Resource::Offers | Resource::Workergroups => {
                let prices = Prices::new(listing, pricing.model);
                let is_choice = |row| !self.computed.is_unfit(row);
                measure(&Measures::priced(&prices, pricing, is_choice))
            }
        }
    }

    /// The groups of the rows shown, by each of the [`groupings`]: those that were counted ahead, or
    /// counted now.
    pub fn offer_counts(&self) -> Option<Vec<Vec<Offered>>> {
        let listing = self.listing()?;
        if let Some(counts) = &self.counted {
            return Some(counts.clone());
        }
        Some(self.measured(listing, |measures| {
            let price = |row: u32| (measures.unit_price)(row as usize);
            let fields = groupings(self.resource()).map(|(_, field)| field);
            fields
                .map(|field| offered(listing, self.view(), field, price))
                .collect()
        }))
    }

    /// Computes what the first frame with these rows shows beside them, in the market panel too if it
    /// is there, so that the frame need not.
    pub(super) fn prepare(&mut self, has_panel: bool) {
        let Some(listing) = self.listing() else {
            return;
        };
        self.computed.standing.prepare(listing);
        for field in &self.columns {
            listing.column(field).widest();
        }
        if has_panel {
            self.counted = self.offer_counts();
        }
    }
}

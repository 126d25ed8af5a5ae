//! The measures of a pane's rows, and their groups by model, country and kind of host.

use std::sync::Arc;

use super::Rows;
use crate::domain::cost::{Prices, VolumePrices};
use crate::domain::insight::{Measures, OfferIndex, Offered};
use crate::domain::{Field, Listing, Resource};

/// The groups of the market panel.
#[derive(Debug, Clone)]
pub struct OfferCounts {
    /// The response's rows by group, valid for any selection of them.
    pub index: Arc<OfferIndex>,
    /// The groups of the rows shown, for each of the [`groupings`].
    pub groups: Vec<Vec<Offered>>,
}

/// The groupings of the market panel for a resource, each with its name and field; none for workergroups.
///
/// There is none by host, as markets have many hosts.
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
    /// Passes the measures (price, speed and the like) of the rows, for the current price basis, to `measure`
    /// and returns its result.
    pub fn measured<R>(&self, listing: &Listing, measure: impl FnOnce(&Measures<'_>) -> R) -> R {
        let pricing = self.pricing();
        match self.resource() {
            Resource::Volumes => measure(&Measures::volumes(listing, &VolumePrices::new(listing))),
            Resource::Offers | Resource::Workergroups => {
                let prices = Prices::new(listing, pricing.model);
                measure(&Measures::priced(&prices, pricing, |row| !self.computed.is_unfit(row)))
            }
        }
    }

    /// The groups of the rows shown, from the counts in advance or computed now; `None` before a response.
    /// `index` is that of the response, if available.
    pub fn offer_counts(&self, index: Option<Arc<OfferIndex>>) -> Option<OfferCounts> {
        let listing = self.listing()?;
        if let Some(counts) = &self.counted {
            return Some(counts.clone());
        }
        let index = index.unwrap_or_else(|| {
            let fields: Vec<_> = groupings(self.resource()).map(|(_, field)| field).collect();
            Arc::new(OfferIndex::new(listing, &fields))
        });
        let groups = self.measured(listing, |measures| {
            index.count(self.view(), |row| (measures.unit_price)(row as usize))
        });
        Some(OfferCounts { index, groups })
    }

    /// Computes in advance the values that the first frame with these rows shows, with those of the
    /// market panel if `has_panel`.
    pub(super) fn prepare(&mut self, has_panel: bool) {
        let Some(listing) = self.listing() else {
            return;
        };
        self.computed.standing.prepare(listing);
        for field in &self.columns {
            listing.column(field).widest();
        }
        if has_panel {
            self.counted = self.offer_counts(None);
        }
    }
}

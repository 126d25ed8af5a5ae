//! The service's price arithmetic: every quoted price of an offer.

use bourse_domain::OfferType;
use bourse_domain::query::DEFAULT_STORAGE_GB;
use serde::{Serialize, Serializer};

use super::record::Cell;

/// Hours in a month of the service's storage billing.
///
/// Separate from the client's constant, so that a wrong month in one is detected by the other.
pub const HOURS_PER_MONTH: f64 = 720.0;

/// Months paid in advance for a host's full discount.
///
/// The real curve is unknown; this one is linear.
const FULL_DISCOUNT_MONTHS: f64 = 3.0;

/// The terms for which a search prices offers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// The rental type that prices are for.
    pub rental: OfferType,
    /// Disk to allocate, in GB, priced with the GPUs.
    pub storage: f64,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            rental: OfferType::OnDemand,
            storage: DEFAULT_STORAGE_GB,
        }
    }
}

/// A host's prices for an offer, as seen by clients.
#[derive(Debug, Clone, Copy)]
pub struct Tariff {
    /// On-demand price, $ per hour.
    pub on_demand: f64,
    /// Lowest bid, $ per hour.
    pub min_bid: f64,
    /// Disk price, $ per GB and month.
    pub storage_cost: f64,
    /// Download price, $ per GB.
    pub inet_down_cost: f64,
    /// Maximum discount for prepaid rentals, 0 to 1.
    pub discount: f64,
    /// The time the offer is available, seconds.
    pub duration: f64,
}

/// The quoted prices of one offer.
#[derive(Debug, Clone, Copy)]
pub struct Quote {
    /// Price of the GPUs, $ per hour.
    pub base: f64,
    /// Price of the disk, $ per hour.
    pub storage: f64,
    /// Price of GPUs and disk, $ per hour.
    pub total: f64,
    /// Price of GPUs, disk and some traffic, $ per hour, by which offers are ranked.
    pub adjusted: f64,
    /// The discount, 0 to 1; `None` if the host gives none or the search is not for reserved prices.
    pub discount_rate: Option<f64>,
    /// The discount, $ per hour.
    pub discount: f64,
    /// The discounted price, $ per hour.
    pub discounted: f64,
}

impl Quote {
    /// The prices for `tariff` under `terms`. Only reserved ones have a discount, which grows with the time
    /// left up to three months.
    pub fn new(tariff: &Tariff, terms: Terms) -> Self {
        let base = match terms.rental {
            OfferType::Bid => tariff.min_bid,
            OfferType::OnDemand | OfferType::Reserved => tariff.on_demand,
        };
        let storage = storage_per_hour(tariff.storage_cost, terms.storage);
        let total = base + storage;
        let months = tariff.duration / (HOURS_PER_MONTH * 3600.0);
        // On recorded on-demand offers it is zero or null, and the discount itself only with reserved prices.
        let discount_rate = match terms.rental {
            OfferType::Reserved => Some(tariff.discount * (months / FULL_DISCOUNT_MONTHS).min(1.0)),
            OfferType::OnDemand | OfferType::Bid => (tariff.discount > 0.0).then_some(0.0),
        };
        let discount = base * discount_rate.unwrap_or(0.0);
        Self {
            base,
            storage,
            total,
            // As in recorded offers: the market ranks with the traffic of a quarter of the disk.
            adjusted: total + tariff.inet_down_cost * terms.storage / 4.0,
            discount_rate,
            discount,
            discounted: total - discount,
        }
    }

    /// The members of the offer's object `search`, in $ per hour: its price while it runs, with the discount.
    pub fn running(&self) -> Charges {
        Charges::new(self.base, self.storage, self.discount)
    }

    /// The members of the offer's object `instance`, in $ per hour: its price while it is stopped, which is
    /// the disk's.
    pub fn stopped(&self) -> Charges {
        Charges::new(0.0, self.storage, 0.0)
    }
}

/// $ per hour of `gigabytes` at `storage_cost` $ per GB and month.
pub fn storage_per_hour(storage_cost: f64, gigabytes: f64) -> f64 {
    storage_cost * gigabytes / HOURS_PER_MONTH
}

/// The objects `search` and `instance` of an offer, $ per hour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Charges([(&'static str, f64); 6]);

impl Charges {
    /// The charges of these prices in $ per hour, of which the discount is subtracted.
    fn new(gpu: f64, disk: f64, discount: f64) -> Self {
        let total = gpu + disk;
        Self([
            ("gpuCostPerHour", gpu),
            ("diskHour", disk),
            // Listed, but not charged.
            ("slaPremiumPerHour", 0.0),
            ("totalHour", total),
            ("discountTotalHour", discount),
            ("discountedTotalPerHour", total - discount),
        ])
    }

    /// The value of a member, or `None` if there is no such member.
    pub fn member(&self, name: &str) -> Option<Cell<'static>> {
        let mut members = self.0.iter();
        let member = members.find(|(known, _)| *known == name);
        member.map(|(_, value)| Cell::Number(*value))
    }
}

impl Serialize for Charges {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0)
    }
}

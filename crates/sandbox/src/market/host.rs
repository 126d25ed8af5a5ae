//! Hosts: owners of machines, and the properties that their machines share.

use std::sync::Arc;

use super::super::USER;
use super::super::numbers::{float, whole};
use super::super::random::{Purpose, Rng};
use super::figures::{Figures, pick};
use super::machine::Verification;

/// A host: the shared properties of its machines.
#[derive(Debug)]
pub struct Host {
    pub id: u64,
    /// Index of its location in the figures.
    pub location: usize,
    /// Whether it is a data centre.
    pub datacenter: bool,
    /// The verification status of most of its machines.
    pub verification: Verification,
    /// The position of its prices in the price distribution of its GPUs, 0 to 1.
    pub price_level: f64,
    /// The position of its network in the speed distributions, 0 to 1.
    pub network_level: f64,
    /// Its disk price, $ per GB and month, before the market's share.
    pub storage_ask: f64,
    /// Traffic price, $ per GB, as seen by clients.
    pub traffic_cost: f64,
    /// Maximum discount for prepaid rentals, 0 to 1.
    pub discount: f64,
    /// The cluster of its machines, which share network volumes.
    pub cluster: Option<u64>,
    /// The number of its machines.
    pub machines: u64,
    /// Whether it has data centre GPUs only.
    pub server_cards: bool,
}

impl Host {
    /// Draws host number `serial` of the market of `seed`; equal arguments give equal hosts.
    pub fn draw(figures: &Figures, seed: u64, serial: u64) -> Arc<Self> {
        let rng = &mut Rng::keyed(seed, Purpose::Host, serial);
        let spread = &figures.spread;
        let shares = &spread.shares;
        let machines = pick(&spread.hosts, rng).copied().unwrap_or(1);
        let server_cards = rng.chance(shares.datacenter * 1.2);
        let datacenter = rng.chance(if server_cards { 0.6 } else { shares.datacenter * 0.5 });
        let id = 18 + serial * 701 + rng.below(700);
        Arc::new(Self {
            // No other host has the caller's id.
            id: if id == USER { id + 1 } else { id },
            location: rng.weighted(spread.locations.iter().map(|(_, weight)| *weight)),
            datacenter,
            verification: if datacenter && rng.chance(0.7) {
                Verification::Verified
            } else {
                Verification::draw(shares, rng)
            },
            price_level: rng.unit(),
            network_level: if datacenter { rng.between(0.4, 1.0) } else { rng.unit() },
            // The figures are what clients pay; a host asks for three quarters of it, and the market adds a
            // third.
            storage_ask: whole_cents(spread.storage_cost.draw(rng) * 0.75),
            traffic_cost: traffic(spread.traffic_cost.draw(rng)),
            discount: if rng.chance(shares.credit_discount) {
                [0.1, 0.2, 0.2, 0.3, 0.4][rng.index(5)]
            } else {
                0.0
            },
            cluster: (machines >= 3 && rng.chance(0.7)).then_some(100 + serial),
            machines,
            server_cards,
        })
    }

    /// This host with this location and kind, verified, with at least a middling network; owned by the caller
    /// if `is_users`.
    pub fn anchored(&self, location: usize, datacenter: bool, is_users: bool) -> Arc<Self> {
        Arc::new(Self {
            id: if is_users { USER } else { self.id },
            location,
            datacenter,
            verification: Verification::Verified,
            network_level: self.network_level.max(0.5),
            ..*self
        })
    }
}

/// A price in $ rounded to whole cents, at least one, as a host would type it.
pub fn whole_cents(dollars: f64) -> f64 {
    let cents = whole(dollars * 100.0).max(1).unsigned_abs();
    float(cents) / 100.0
}

/// The price that clients pay for a host's price: the market adds a third.
pub fn client_price(ask: f64) -> f64 {
    ask * 4.0 / 3.0
}

/// The price for clients, $ per GB, of a `drawn` one, as hosts set it: next to nothing, or whole cents per
/// TB.
fn traffic(drawn: f64) -> f64 {
    let terabyte_ask = drawn * 1024.0 * 0.75;
    if terabyte_ask < 0.05 {
        1e-6
    } else {
        client_price(whole_cents(terabyte_ask)) / 1024.0
    }
}

//! Network volumes: disk space shared by the machines of a cluster.

use super::super::USER;
use super::super::numbers::{rounded, since_midnight, unsigned, until_midnight};
use super::super::random::{Purpose, Rng};
use super::figures::Figures;
use super::host::{client_price, whole_cents};
use super::price::storage_per_hour;
use super::record::record;

/// The default size of a volume search, in GB.
///
/// Unlike the 8 GB of an offer search: the market's own volume search sends 1.
pub const DEFAULT_VOLUME: f64 = 1.0;

/// The lowest and highest price of a host, $ per GB and month.
pub const PRICES: (f64, f64) = (0.03, 0.16);

/// The minimum and maximum space of a volume, GB: e² and e⁵ times a hundred.
pub const SPACE: (f64, f64) = (738.9, 14_841.3);

/// The cluster of a volume, with its members of the record: the network in Mbit/s, traffic in $ per GB.
#[derive(Debug, Clone)]
pub struct Cluster {
    pub id: u64,
    pub host: u64,
    /// Index of its location in the figures.
    pub location: usize,
    /// Whether all its machines are verified.
    pub verified: bool,
    /// Mean reliability of its machines.
    pub reliability: f64,
    pub inet_down: f64,
    pub inet_up: f64,
    pub traffic_cost: f64,
}

#[derive(Debug, Clone)]
pub struct Volume {
    pub id: u64,
    pub cluster: Cluster,
    pub disk_space: f64,
    /// The host's price, $ per GB and month.
    pub ask: f64,
    /// Average, highest and lowest read rate, MB/s.
    pub bandwidth: [u64; 3],
    /// The time it was listed, in seconds since 1970.
    pub start_date: f64,
    /// The days that it is on offer from each midnight on: its host extends it every day.
    ///
    /// Otherwise ever fewer volumes would be on offer for months, and the cheapest of them would become more expensive.
    pub days: f64,
    /// Whether it belongs to another market; `None` if unknown.
    pub external: Option<bool>,
    /// Whether it is rented, so that it cannot be unlisted.
    pub active: bool,
}

impl Volume {
    /// Draws volume number `serial` of the market of `seed`, on `cluster`.
    pub fn draw(figures: &Figures, (seed, serial): (u64, u64), id: u64, cluster: Cluster, now: f64) -> Self {
        let rng = &mut Rng::keyed(seed, Purpose::Volume, serial);
        let average = rng.between(300.0, 6_400.0);
        let days = figures.spread.duration_days.draw(rng).max(3.0);
        Self {
            id,
            cluster,
            disk_space: rounded(rng.between(2.0, 5.0).exp() * 100.0, 1),
            ask: whole_cents(rng.between(PRICES.0, PRICES.1)),
            bandwidth: [
                unsigned(average),
                unsigned(average * rng.between(1.0, 1.4)),
                unsigned(average * rng.between(0.5, 1.0)),
            ],
            start_date: now - since_midnight(now) - rng.between(1.0, 300.0) * 86_400.0,
            days,
            external: rng.chance(0.05).then_some(false),
            active: rng.chance(0.15),
        }
    }

    /// The time at which it ends, as announced at `now`, in seconds since 1970.
    fn end_date(&self, now: f64) -> f64 {
        now + until_midnight(now) + self.days * 86_400.0
    }

    /// Whether it is one of the caller's listings.
    pub const fn is_users(&self) -> bool {
        self.cluster.host == USER
    }
}

record! {
    /// A network volume offer: the members of the specification and those that the market's own
    /// client shows. Space is in GB, the network in Mbit/s, traffic in $ per GB.
    pub struct VolumeRow<'m>;

    /// A volume as a record of a search for `storage` GB at `now`.
    pub fn row(figures: &'m Figures, codes: &super::geolocode::Codes, volume: &Volume, storage: f64, now: f64) {
        let storage_cost = client_price(volume.ask);
        let hourly = storage_per_hour(storage_cost, storage);
        let [average, highest, lowest] = volume.bandwidth;
        let location = figures.spread.locations.get(volume.cluster.location);
    }

    id: u64 = volume.id;
    /// The id under the specification's name.
    ask_contract_id: u64 = volume.id;
    /// The id of the cluster of machines that share it.
    cluster_id: u64 = volume.cluster.id;
    host_id: u64 = volume.cluster.host;
    disk_space: f64 = volume.disk_space;
    /// The price, $ per GB and month.
    storage_cost: f64 = storage_cost;
    /// The price of the search's allocation, $ per hour.
    ///
    /// The specification and the offers' interface name the same member differently.
    storage_cost_total: f64 = hourly;
    /// The price of the search's allocation under the service's name.
    storage_total_cost: f64 = hourly;
    inet_up: f64 = volume.cluster.inet_up;
    inet_down: f64 = volume.cluster.inet_down;
    inet_up_cost: f64 = volume.cluster.traffic_cost;
    inet_down_cost: f64 = volume.cluster.traffic_cost;
    /// Reliability of the cluster, 0 to 1.
    reliability: f64 = volume.cluster.reliability;
    reliability2: f64 = volume.cluster.reliability;
    /// Whether all machines of the cluster are verified.
    verified: bool = volume.cluster.verified;
    verification: &'static str = if volume.cluster.verified { "verified" } else { "unverified" };
    geolocation: Option<&'m str> = location.map(|(name, _)| name.as_str());
    /// A number derived from the country.
    geolocode: Option<u64> = location.map(|_| codes.code(volume.cluster.location));
    /// Average read rate over the cluster's machines, MB/s.
    nw_disk_avg_bw: u64 = average;
    nw_disk_max_bw: u64 = highest;
    nw_disk_min_bw: u64 = lowest;
    /// The time it was listed, seconds since 1970.
    start_date: f64 = volume.start_date;
    /// The time it ends, seconds since 1970.
    end_date: f64 = volume.end_date(now);
    /// Seconds until it ends.
    duration: f64 = volume.end_date(now) - now;
    /// Whether it belongs to another market; mostly null.
    external: Option<bool> = volume.external;
    /// Whether it can be rented.
    rentable: bool = true;
    resource_type: &'static str = "network_volume";
    /// The market's ranking of volumes.
    score: f64 = volume.cluster.reliability * super::super::numbers::float(average) / storage_cost / 1e3;
}

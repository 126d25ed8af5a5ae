//! A simulated market: pure, drawn from a seed, advanced by [`Market::step`].
//!
//! Hosts own machines; a machine is listed as one offer for each power-of-two part of its GPUs; hosts with several
//! machines form clusters, whose network volumes are listed too. The figures are those of a real market (`assets`),
//! quirks included. The same seed, sizes and steps give the same market on every machine and in every run.

mod figures;
mod geolocode;
mod host;
mod machine;
mod motion;
mod offer;
mod price;
pub(super) mod record;
pub mod runs;
mod volume;

use std::collections::VecDeque;
use std::sync::Arc;

pub use figures::FiguresError;
pub use geolocode::geolocode;
pub use offer::OfferRow;
pub use price::{Charges, Terms, storage_per_hour};
pub use record::{Cell, Record};
pub use volume::{DEFAULT_VOLUME, VolumeRow};

use super::numbers::float;
use super::random::{Purpose, Rng};
use super::{USER, UserListing};
use figures::Figures;
use host::Host;
use machine::{Commission, Ids, Machine, Order, Wish, chunks};
use volume::{Cluster, Volume};

/// The time of a frozen market: 2026-01-01, midnight UTC, in seconds since 1970.
pub const FROZEN_AT: f64 = 1_767_225_600.0;

/// The parameters of a market.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarketConfig {
    /// The seed from which the market is drawn.
    pub seed: u64,
    /// The number of machine offers at the start, which then drifts a little.
    pub offers: usize,
    /// The number of network volume offers at the start.
    pub volumes: usize,
    /// The start time, seconds since 1970.
    pub start: f64,
}

impl Default for MarketConfig {
    fn default() -> Self {
        Self {
            seed: 1,
            offers: 2_400,
            volumes: 60,
            start: FROZEN_AT,
        }
    }
}

/// The share of network volumes that belong to the caller: one in this many.
const OWN_EVERY: u64 = 15;

/// The caller's listing that is rented, counted from 0.
const OWN_RENTED: u64 = 1;

/// The index of the anchor that is one of the caller's machines.
const OWN_ANCHOR: usize = 4;

/// The reason a volume cannot be unlisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnlistError {
    /// The caller has no listing with that id.
    #[error("Volume listing does not exist")]
    Missing,
    /// The volume is rented.
    #[error("Unable to delete active volume listing")]
    Active,
}

/// The machines of every market, so that the searches people try first find something.
const ANCHORS: [Wish; 14] = [
    anchor("RTX 4090", 2, "Texas, US", false),
    anchor("RTX 4090", 4, "Quebec, CA", false),
    anchor("RTX 4090", 1, "Germany, DE", false),
    anchor("H100 SXM", 8, "Virginia, US", true),
    anchor("RTX 3090", 4, "Sweden, SE", false),
    anchor("RTX 4090", 8, "California, US", true),
    anchor("H100 SXM", 8, "The Netherlands, NL", true),
    anchor("RTX 4090", 2, "France, FR", false),
    anchor("A100 SXM4", 8, "Oregon, US", true),
    anchor("RTX 5090", 4, "Washington, US", false),
    anchor("H200", 8, "Iceland, IS", true),
    anchor("RTX 4090", 4, "Czechia, CZ", false),
    anchor("MI300X", 8, "Texas, US", true),
    anchor("GH200 SXM", 1, "Utah, US", true),
];

/// A machine that every market has, with this model, number of GPUs and location.
const fn anchor(model: &'static str, gpus: u32, location: &'static str, datacenter: bool) -> Wish {
    Wish {
        model,
        gpus,
        location,
        datacenter,
    }
}

/// The gap after a machine has left: its host lists another one with the same GPUs.
#[derive(Debug, Clone)]
struct Vacancy {
    host: Arc<Host>,
    model: usize,
    gpus: u32,
}

impl Vacancy {
    /// The gap that a machine leaves.
    fn new(machine: &Machine) -> Self {
        Self {
            host: Arc::clone(&machine.host),
            model: machine.model,
            gpus: machine.gpus,
        }
    }
}

/// A listed offer, whose prices depend on the search.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'m>(&'m Machine, &'m machine::Slice);

/// The hosts, machines and volumes of a market at a moment.
#[derive(Debug, Clone)]
pub struct Market {
    config: MarketConfig,
    figures: Arc<Figures>,
    codes: Arc<geolocode::Codes>,
    machines: Vec<Machine>,
    volumes: Vec<Volume>,
    ids: Ids,
    next_machine: u64,
    next_host: u64,
    /// The host that lists the next machine, and the number it still has to list.
    listing: Option<(Arc<Host>, u64)>,
    vacancies: VecDeque<Vacancy>,
    listed: usize,
    /// Seconds since the start.
    elapsed: f64,
    ticks: u64,
    run: RunStart,
}

/// The market's time at which its current run began.
#[derive(Debug, Clone, Copy, Default)]
struct RunStart {
    /// Seconds since the market's start.
    elapsed: f64,
    /// The number of ticks before.
    ticks: u64,
}

impl Market {
    /// Draws the market of `config`; an error only if the embedded figures are invalid.
    pub fn new(config: MarketConfig) -> Result<Self, FiguresError> {
        let figures = Arc::new(Figures::load()?);
        let codes = Arc::new(geolocode::Codes::new(&figures));
        let gap = 58_000_000 / (config.offers as u64 + 1);
        let mut market = Self {
            config,
            figures,
            codes,
            machines: Vec::new(),
            volumes: Vec::new(),
            ids: Ids {
                offer: 6_299_076,
                gap: gap.max(2),
                machine: 700,
                gpu: 1_000,
            },
            next_machine: 0,
            next_host: 0,
            listing: None,
            vacancies: VecDeque::new(),
            listed: 0,
            elapsed: 0.0,
            ticks: 0,
            run: RunStart::default(),
        };
        market.list_anchors();
        while market.offer_count() < config.offers {
            market.list_machine();
        }
        market.ids.gap = 40;
        market.list_volumes();
        Ok(market)
    }

    /// The market of `config` at its start, to be taken back from there.
    ///
    /// Machines drawn on the way back have ids and random numbers that the forward market never uses.
    pub fn before(config: MarketConfig) -> Result<Self, FiguresError> {
        let mut market = Self::new(config)?;
        market.ticks = 1 << 32;
        market.next_machine = 1 << 32;
        market.ids.offer += 1_000_000_000;
        market.ids.machine += 10_000_000;
        market.ids.gpu += 10_000_000;
        Ok(market)
    }

    /// The configuration from which it was drawn.
    pub fn config(&self) -> MarketConfig {
        self.config
    }

    /// The market's clock, seconds since 1970.
    pub fn now(&self) -> f64 {
        self.config.start + self.elapsed
    }

    /// The number of listed machine offers, rentable or not; one machine may have several.
    pub fn offer_count(&self) -> usize {
        self.listed
    }

    /// All listed offers that have not ended, without prices.
    pub fn listed(&self) -> impl Iterator<Item = Listed<'_>> {
        let now = self.now();
        self.machines
            .iter()
            .filter(move |machine| machine.end_date > now)
            .flat_map(|machine| machine.slices.iter().map(move |slice| Listed(machine, slice)))
    }

    /// An offer as the record in a search with `terms`.
    pub fn row<'m>(&'m self, listed: Listed<'m>, terms: Terms) -> OfferRow<'m> {
        offer::row(&self.figures, &self.codes, (listed.0, listed.1), terms, self.now())
    }

    /// All machine offers that have not ended, as the records in a search with `terms`, computed lazily.
    pub fn offers(&self, terms: Terms) -> impl Iterator<Item = OfferRow<'_>> {
        self.listed().map(move |listed| self.row(listed, terms))
    }

    /// The volumes of single machines, which can be rented separately: each as the offer of the whole
    /// machine, with the volume's id and size. Machines without a volume are left out.
    pub fn local_volumes(&self, terms: Terms) -> impl Iterator<Item = OfferRow<'_>> {
        self.offers(terms).filter_map(|offer| {
            let (id, size) = (offer.avail_vol_ask_id?, offer.avail_vol_size?);
            (offer.gpu_frac >= 1.0).then_some(OfferRow {
                id,
                ask_contract_id: id,
                disk_space: size,
                resource_type: "volume",
                ..offer
            })
        })
    }

    /// All network volume offers as the records in a search for `storage` GB.
    pub fn volumes(&self, storage: f64) -> impl Iterator<Item = VolumeRow<'_>> {
        let now = self.now();
        self.volumes
            .iter()
            .map(move |listed| volume::row(&self.figures, &self.codes, listed, storage, now))
    }

    /// The names of the GPU models, alphabetically, as the service lists them.
    pub fn gpu_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.figures.gpus.iter().map(|card| card.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// The volume listings of the caller, network volumes first.
    pub fn user_listings(&self) -> Vec<UserListing> {
        let own = self.volumes.iter().filter(|volume| volume.is_users());
        let network = own.map(|volume| UserListing {
            id: volume.id,
            rented: volume.active,
        });
        let machines = self.machines.iter().filter(|machine| machine.is_users());
        let local = machines.filter_map(|machine| {
            let id = machine.local_volume.as_ref()?.id;
            Some(UserListing { id, rented: false })
        });
        network.chain(local).collect()
    }

    /// Removes one of the caller's listings: a network volume, or the separately offered disk of a machine.
    /// An error if there is none with the id, or it is rented.
    ///
    /// Other hosts' listings do not exist for the caller.
    pub fn unlist(&mut self, id: u64) -> Result<(), UnlistError> {
        let is_listed = |volume: &Volume| volume.id == id && volume.is_users();
        if let Some(index) = self.volumes.iter().position(is_listed) {
            if self.volumes[index].active {
                return Err(UnlistError::Active);
            }
            self.volumes.remove(index);
            return Ok(());
        }
        let listed = |machine: &&mut Machine| {
            let volume = machine.local_volume.as_ref();
            machine.is_users() && volume.is_some_and(|volume| volume.id == id)
        };
        let machine = self.machines.iter_mut().find(listed).ok_or(UnlistError::Missing)?;
        machine.local_volume = None;
        Ok(())
    }

    /// Lists the machines of every market, each with a host of its own, one of them the caller, as far as the
    /// number of offers allows.
    fn list_anchors(&mut self) {
        for (index, wish) in ANCHORS.into_iter().enumerate() {
            let room = self.config.offers.saturating_sub(self.offer_count());
            if chunks(wish.gpus).count() > room {
                continue;
            }
            let locations = &self.figures.spread.locations;
            let location = locations.iter().position(|(name, _)| name == wish.location);
            let host = Host::draw(&self.figures, self.config.seed, self.next_host).anchored(
                location.unwrap_or(0),
                wish.datacenter,
                index == OWN_ANCHOR,
            );
            self.next_host += 1;
            let order = Order {
                wish: Some(wish),
                ..self.initial_order(room)
            };
            self.draw_machine(host, order);
        }
    }

    /// Lists one more machine, of the current host or of the next one.
    fn list_machine(&mut self) {
        let (host, left) = self.listing.take().unwrap_or_else(|| {
            let host = Host::draw(&self.figures, self.config.seed, self.next_host);
            self.next_host += 1;
            let machines = host.machines;
            (host, machines)
        });
        let room = self.config.offers.saturating_sub(self.offer_count()).max(1);
        self.listing = (left > 1).then(|| (Arc::clone(&host), left - 1));
        self.draw_machine(host, self.initial_order(room));
    }

    /// An order for any machine at the start, split into at most `room` offers.
    fn initial_order(&self, room: usize) -> Order {
        Order {
            wish: None,
            like: None,
            room,
            now: self.config.start,
            arriving: false,
        }
    }

    /// Lists a machine of the same host and with the same GPUs in place of one that has left. `arriving` is
    /// whether it is listed at `now`; else it has been on offer for some time already.
    fn fill(&mut self, vacancy: Vacancy, now: f64, arriving: bool) {
        let order = Order {
            wish: None,
            like: Some((vacancy.model, vacancy.gpus)),
            room: usize::MAX,
            now,
            arriving,
        };
        self.draw_machine(vacancy.host, order);
    }

    /// Draws the next machine, of a host, and lists it.
    fn draw_machine(&mut self, host: Arc<Host>, order: Order) {
        let commission = Commission {
            figures: &self.figures,
            seed: self.config.seed,
            serial: self.next_machine,
            host,
            order,
        };
        self.next_machine += 1;
        let machine = machine::draw(&commission, &mut self.ids);
        self.listed += machine.slices.len();
        self.machines.push(machine);
    }

    /// Lists the network volumes, distributed over the clusters of the listed machines and, so that each has
    /// about two, over added ones; one in fifteen is the caller's, on the caller's own cluster.
    fn list_volumes(&mut self) {
        let mut clusters = self.clusters();
        let user_cluster = self.user_cluster();
        for serial in 0..self.config.volumes as u64 {
            let rng = &mut Rng::keyed(self.config.seed, Purpose::Volume, serial | 1 << 32);
            let turn = usize::try_from(serial).unwrap_or(0);
            if turn >= clusters.len() * 2 {
                // All machines of the cluster are rented: only its volume is listed.
                let spread = &self.figures.spread;
                clusters.push(Cluster {
                    id: 90_000 + serial,
                    host: 18 + serial * 977,
                    location: rng.weighted(spread.locations.iter().map(|(_, weight)| *weight)),
                    verified: rng.chance(0.7),
                    reliability: spread.reliability.draw(rng),
                    inet_down: spread.inet_down.draw(rng).round(),
                    inet_up: spread.inet_up.draw(rng).round(),
                    traffic_cost: 0.002,
                });
            }
            let is_users = serial.is_multiple_of(OWN_EVERY);
            let cluster = if is_users {
                user_cluster.clone()
            } else {
                let Some(cluster) = clusters.get(turn % clusters.len()).cloned() else {
                    continue;
                };
                cluster
            };
            let id = self.ids.offer;
            self.ids.offer += 1 + rng.below(900);
            let now = self.now();
            let mut volume = Volume::draw(&self.figures, (self.config.seed, serial), id, cluster, now);
            if is_users {
                volume.active = serial / OWN_EVERY == OWN_RENTED;
            }
            self.volumes.push(volume);
        }
    }

    /// The cluster of the caller's network volumes.
    fn user_cluster(&self) -> Cluster {
        let spread = &self.figures.spread;
        let rng = &mut Rng::keyed(self.config.seed, Purpose::Volume, u64::MAX);
        Cluster {
            id: 99,
            host: USER,
            location: rng.weighted(spread.locations.iter().map(|(_, weight)| *weight)),
            verified: true,
            reliability: 0.995,
            inet_down: spread.inet_down.draw(rng).round(),
            inet_up: spread.inet_up.draw(rng).round(),
            traffic_cost: 0.002,
        }
    }

    /// The clusters of the listed machines, in the order of their first machine, which gives their location,
    /// network and prices; verified if all machines are, with their mean reliability.
    fn clusters(&self) -> Vec<Cluster> {
        let mut clusters: Vec<(Cluster, u64)> = Vec::new();
        for machine in &self.machines {
            let Some(id) = machine.host.cluster else {
                continue;
            };
            let verified = machine.verification == machine::Verification::Verified;
            if let Some((cluster, machines)) = clusters.iter_mut().find(|(known, _)| known.id == id) {
                cluster.verified &= verified;
                cluster.reliability += machine.reliability;
                *machines += 1;
            } else {
                let cluster = Cluster {
                    id,
                    host: machine.host.id,
                    location: machine.host.location,
                    verified,
                    reliability: machine.reliability,
                    inet_down: machine.inet_down,
                    inet_up: machine.inet_up,
                    traffic_cost: machine.host.traffic_cost,
                };
                clusters.push((cluster, 1));
            }
        }
        let mean = |(cluster, machines): (Cluster, u64)| Cluster {
            reliability: cluster.reliability / float(machines),
            ..cluster
        };
        clusters.into_iter().map(mean).collect()
    }
}

//! A recorded market instead of a simulated one: what was on offer at a virtual time.
//!
//! Rows have the members that are recorded. Conditions on others cannot be checked and are passed
//! over: what was recorded met those of its search.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::market::record::{AsCell as _, record};
use super::market::{Cell, DEFAULT_VOLUME, storage_per_hour};
use super::search::{Row, Search, pick};
use crate::domain::OfferType;

/// The members of a row, by which searches filter and order.
const OFFER_MEMBERS: [&str; 6] = [
    "id",
    "machine_id",
    "host_id",
    "gpu_name",
    "num_gpus",
    "dph_total",
];

const VOLUME_MEMBERS: [&str; 5] = ["id", "cluster_id", "host_id", "disk_space", "storage_cost"];

/// A time during which a machine offered GPUs of a model at one price.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedOffer {
    pub rental: OfferType,
    pub id: u64,
    pub machine: u64,
    pub host: Option<u64>,
    pub model: String,
    pub gpus: u32,
    /// $/h for all of them.
    pub price: f64,
    /// Seconds since 1970.
    pub first: f64,
    /// When it was no longer so.
    pub until: f64,
}

/// A time during which a cluster offered volumes at one price.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedVolume {
    pub id: u64,
    pub cluster: u64,
    pub host: Option<u64>,
    /// The largest of them, in GB.
    pub gb: u32,
    /// $ per GB and month.
    pub price: f64,
    /// Seconds since 1970.
    pub first: f64,
    /// When it was no longer so.
    pub until: f64,
}

/// What is replayed, and how fast.
#[derive(Debug, Clone)]
pub struct Replay {
    pub offers: Arc<[RecordedOffer]>,
    pub volumes: Arc<[RecordedVolume]>,
    /// The virtual time at the start, in seconds since 1970.
    pub from: f64,
    /// The virtual time at which it stands still.
    pub until: f64,
    /// Virtual seconds in a second.
    pub speed: f64,
}

impl Replay {
    /// The virtual time after so many seconds.
    pub fn time(&self, elapsed: f64) -> f64 {
        (self.from + elapsed * self.speed).min(self.until)
    }

    /// The rows of a search at a virtual time.
    fn search(&self, search: Search, at: f64) -> Vec<ReplayedRow<'_>> {
        let search = recorded(search, &OFFER_MEMBERS);
        // Several searches may have recorded the same machine: the latest counts.
        let mut lots: HashMap<(u64, &str), &RecordedOffer> = HashMap::new();
        for offer in self.offers.iter() {
            if offer.rental == search.rental && offer.first <= at && at < offer.until {
                let newest = lots.entry((offer.machine, &offer.model)).or_insert(offer);
                if newest.first < offer.first {
                    *newest = offer;
                }
            }
        }
        pick(lots.into_values(), |offer| ReplayedRow::of(offer), &search)
            .into_iter()
            .map(ReplayedRow::of)
            .collect()
    }

    fn search_volumes(&self, search: Search, at: f64) -> Vec<ReplayedVolume> {
        let search = recorded(search, &VOLUME_MEMBERS);
        let gb = search.storage.unwrap_or(DEFAULT_VOLUME);
        let mut clusters: HashMap<u64, &RecordedVolume> = HashMap::new();
        for volume in self.volumes.iter() {
            if volume.first <= at && at < volume.until {
                let newest = clusters.entry(volume.cluster).or_insert(volume);
                if newest.first < volume.first {
                    *newest = volume;
                }
            }
        }
        let row = |volume: &RecordedVolume| ReplayedVolume::of(volume, gb);
        pick(clusters.into_values(), |volume| row(volume), &search)
            .into_iter()
            .map(row)
            .collect()
    }
}

/// The search without conditions on what is not recorded.
fn recorded(mut search: Search, members: &[&str]) -> Search {
    search
        .conditions
        .retain(|condition| members.contains(&condition.field.key));
    search
}

#[derive(Debug)]
pub(super) struct Player {
    replay: Arc<Replay>,
    started: Instant,
}

impl Player {
    pub(super) fn start(replay: Arc<Replay>) -> Self {
        Self {
            replay,
            started: Instant::now(),
        }
    }

    fn time(&self) -> f64 {
        self.replay.time(self.started.elapsed().as_secs_f64())
    }

    pub(super) fn search(&self, search: Search) -> Vec<ReplayedRow<'_>> {
        self.replay.search(search, self.time())
    }

    pub(super) fn search_volumes(&self, search: Search) -> Vec<ReplayedVolume> {
        self.replay.search_volumes(search, self.time())
    }
}

record! {
    /// A recorded offer as the service sends offers.
    pub(super) struct ReplayedRow<'m> {
        id: u64,
        machine_id: u64,
        host_id: Option<u64>,
        gpu_name: &'m str,
        num_gpus: u32,
        dph_base: f64,
        dph_total: f64,
        /// The recorded price has storage in it.
        storage_cost: f64,
        rentable: bool,
        rented: bool,
    }
}

impl<'m> ReplayedRow<'m> {
    fn of(offer: &'m RecordedOffer) -> Self {
        Self {
            id: offer.id,
            machine_id: offer.machine,
            host_id: offer.host,
            gpu_name: &offer.model,
            num_gpus: offer.gpus,
            dph_base: offer.price,
            dph_total: offer.price,
            storage_cost: 0.0,
            rentable: true,
            rented: false,
        }
    }
}

impl<'m> Row<'m> for ReplayedRow<'m> {
    fn id(&self) -> u64 {
        self.id
    }

    fn member(&self, name: &str) -> Option<Cell<'m>> {
        ReplayedRow::member(self, name)
    }

    fn nested(&self, _: &str, _: &str) -> Option<Cell<'m>> {
        None
    }
}

/// A recorded volume as the service sends volumes.
#[derive(Debug, Clone, serde::Serialize)]
pub(super) struct ReplayedVolume {
    id: u64,
    cluster_id: u64,
    host_id: Option<u64>,
    disk_space: f64,
    storage_cost: f64,
    /// $ per hour for the allocation of the search.
    storage_cost_total: f64,
    /// The same under the service's name.
    storage_total_cost: f64,
}

impl ReplayedVolume {
    fn of(volume: &RecordedVolume, gb: f64) -> Self {
        let total = storage_per_hour(volume.price, gb);
        Self {
            id: volume.id,
            cluster_id: volume.cluster,
            host_id: volume.host,
            disk_space: f64::from(volume.gb),
            storage_cost: volume.price,
            storage_cost_total: total,
            storage_total_cost: total,
        }
    }
}

impl<'m> Row<'m> for ReplayedVolume {
    fn id(&self) -> u64 {
        self.id
    }

    fn member(&self, name: &str) -> Option<Cell<'m>> {
        let number = match name {
            "id" => return Some(self.id.as_cell()),
            "cluster_id" => return Some(self.cluster_id.as_cell()),
            "host_id" => return Some(self.host_id.as_cell()),
            "disk_space" => self.disk_space,
            "storage_cost" => self.storage_cost,
            "storage_cost_total" | "storage_total_cost" => self.storage_cost_total,
            _ => return None,
        };
        Some(Cell::Number(number))
    }

    fn nested(&self, _: &str, _: &str) -> Option<Cell<'m>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(machine: u64, price: f64, first: f64, until: f64) -> RecordedOffer {
        RecordedOffer {
            rental: OfferType::OnDemand,
            id: machine * 10,
            machine,
            host: None,
            model: "RTX 4090".to_owned(),
            gpus: 2,
            price,
            first,
            until,
        }
    }

    #[test]
    fn rows_are_those_of_the_virtual_time() {
        let replay = Replay {
            offers: Arc::new([
                offer(1, 0.5, 0.0, 100.0),
                offer(1, 0.25, 100.0, 300.0),
                offer(2, 0.4, 50.0, 150.0),
                RecordedOffer {
                    rental: OfferType::Bid,
                    ..offer(3, 0.1, 0.0, 300.0)
                },
            ]),
            volumes: Arc::new([]),
            from: 0.0,
            until: 200.0,
            speed: 60.0,
        };
        let seen = |at: f64| {
            let search = Search::of(Vec::new());
            let rows = replay.search(search, at);
            let told = rows.iter().map(|row| (row.machine_id, row.dph_total));
            told.collect::<Vec<_>>()
        };
        assert_eq!(seen(0.0), [(1, 0.5)]);
        assert_eq!(seen(99.0), [(1, 0.5), (2, 0.4)]);
        assert_eq!(seen(100.0), [(1, 0.25), (2, 0.4)]);
        assert_eq!(seen(150.0), [(1, 0.25)]);
        assert_eq!((replay.time(2.0), replay.time(3600.0)), (120.0, 200.0));
    }
}

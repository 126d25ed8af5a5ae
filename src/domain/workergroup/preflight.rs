//! What a group's search would find: how many machines, at which prices, and what to mind.

use std::collections::HashMap;

use super::{DEFAULT_COLD_WORKERS, DEFAULT_MAX_WORKERS, NewWorkergroup};
use crate::domain::catalog::{OFFERS, Resource};
use crate::domain::country;
use crate::domain::field::Field;
use crate::domain::insight::{self, Coverage, Spread};
use crate::domain::listing::Listing;
use crate::domain::query::{Condition, Direction, OrderKey, Query};
use crate::domain::text::Untrusted;
use crate::domain::value::CellRef;

/// How many offers a preflight asks for: the dearest must be among them.
const LIMIT: u32 = 3000;

/// From this share of one host on, its failure takes the group down.
const CONCENTRATED: f64 = 0.5;

/// The offer search that a group's conditions make, cheapest first.
pub fn preflight_query(conditions: Vec<Condition>) -> Query {
    let order = OFFERS.by_key("dph_total").map(|field| OrderKey {
        field,
        direction: Direction::Ascending,
    });
    Query {
        conditions,
        order: order.into_iter().collect(),
        limit: Some(LIMIT),
        ..Query::empty(Resource::Offers)
    }
}

/// How many offers have something in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What they have in common.
    pub label: Untrusted,
    /// How many.
    pub offers: usize,
}

/// The host with the most offers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostShare {
    /// Number of the host.
    pub host: i64,
    /// Its offers.
    pub offers: usize,
    /// Their share of all, from 0 to 1.
    pub share: f64,
}

/// Whether the machines have the memory that `gpu_ram` asks for. The parameter counts GB, offers
/// MB; 24 GB are 24000 MB here, as the market's client has it, so a 24564 MB card meets them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VramCheck {
    /// What is asked for, in GB.
    pub wanted: f64,
    /// Offers that have it.
    pub enough: usize,
    /// Offers that have less.
    pub too_small: usize,
    /// The smallest memory of a GPU among the offers, in GB.
    pub smallest: Option<f64>,
}

/// What an hour of some workers costs, if every worker is one of these offers. An estimate: prices
/// include the storage that the search was asked with, and no traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkerCost {
    /// How many workers.
    pub workers: u32,
    /// All of them the cheapest offers that there are, in $/h.
    pub least: f64,
    /// All of them at the median price, in $/h.
    pub typical: f64,
    /// All of them at the dearest price, in $/h: what it can cost at most.
    pub most: f64,
    /// How many workers there is no offer for.
    pub without_offer: u32,
}

/// How many workers a group may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerCounts {
    /// Those kept cold.
    pub min: u32,
    /// Those planned for the load; without a plan halfway between the others.
    pub typical: u32,
    /// The most.
    pub max: u32,
}

impl WorkerCounts {
    /// The counts of a group; parameters that are not set have their documented defaults.
    /// `planned` is the number of workers that a load takes, where one was planned for.
    pub fn of(group: &NewWorkergroup, planned: Option<u32>) -> Self {
        let max = group.max_workers.unwrap_or(DEFAULT_MAX_WORKERS);
        let min = group.cold_workers.unwrap_or(DEFAULT_COLD_WORKERS).min(max);
        let typical = planned.map_or(min + (max - min).div_ceil(2), |planned| {
            planned.clamp(min, max)
        });
        Self { min, typical, max }
    }
}

/// What a search would find for a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// Offers that match and can be rented.
    pub recruitable: usize,
    /// Offers that match, and say that they cannot be rented.
    pub not_rentable: usize,
    /// Whether these are all that the market has.
    pub coverage: Coverage,
    /// Prices of the recruitable offers in $/h (`dph_total`): lowest, median and highest.
    pub prices: Option<Spread>,
    /// GPU models, most offers first.
    pub gpus: Vec<Part>,
    /// Countries, most offers first.
    pub countries: Vec<Part>,
    /// How many hosts they stand at.
    pub hosts: usize,
    /// The host with the most of them.
    pub largest_host: Option<HostShare>,
    /// Whether their memory suffices; `None` where no memory is asked for.
    pub vram: Option<VramCheck>,
    /// What to mind, in words.
    pub warnings: Vec<String>,
    sorted: Vec<f64>,
}

impl Preflight {
    /// Looks at the answer to [`preflight_query`] of `conditions`. `gpu_ram` is the group's
    /// parameter in GB; `limit` is what the query allowed.
    pub fn of(
        listing: &Listing,
        conditions: &[Condition],
        gpu_ram: Option<f64>,
        limit: Option<u32>,
    ) -> Self {
        let active = conditions.iter().filter(|condition| condition.enabled);
        // The market's own word on filters that records do not carry is taken; a record that
        // breaks a condition is none the group would recruit.
        let mut rows: Vec<usize> = (0..listing.len())
            .filter(|row| {
                let broken = |condition: &Condition| {
                    condition.is_broken_by(listing.cell(*row, condition.field))
                };
                !active.clone().any(broken)
            })
            .collect();
        let matching = rows.len();
        if let Some(rentable) = OFFERS.by_key("rentable") {
            rows.retain(|row| listing.cell(*row, rentable) != CellRef::Flag(false));
        }
        let mut sorted = numbers(listing, &rows, "dph_total");
        sorted.retain(|price| *price >= 0.0);
        sorted.sort_by(f64::total_cmp);
        let hosts = hosts(listing, &rows);
        let mut preflight = Self {
            recruitable: rows.len(),
            not_rentable: matching - rows.len(),
            coverage: insight::coverage(listing, limit),
            prices: Spread::of(sorted.iter().copied()),
            gpus: parts(listing, &rows, "gpu_name", str::to_owned),
            countries: parts(listing, &rows, "geolocation", |place| {
                country::code(place).to_owned()
            }),
            hosts: hosts.len(),
            largest_host: hosts.first().copied(),
            vram: gpu_ram.map(|wanted| vram(listing, &rows, wanted)),
            warnings: Vec::new(),
            sorted,
        };
        preflight.warnings = preflight.warn(conditions);
        preflight
    }

    fn warn(&self, conditions: &[Condition]) -> Vec<String> {
        let mut warnings = Vec::new();
        for (key, meaning) in [
            (
                "verified",
                "machines that the market has not checked may be rented",
            ),
            (
                "rentable",
                "machines that cannot be rented now may be counted",
            ),
        ] {
            let is_said = |condition: &Condition| condition.enabled && condition.field.key == key;
            if !conditions.iter().any(is_said) {
                warnings.push(format!("the search has no {key} condition: {meaning}"));
            }
        }
        if self.recruitable == 0 {
            warnings.push("no offer can be recruited".to_owned());
        }
        if let Some(vram) = self.vram.filter(|vram| vram.too_small > 0) {
            warnings.push(format!(
                "{} of {} offers have less than {} GB of GPU memory",
                vram.too_small, self.recruitable, vram.wanted
            ));
        }
        if let Some(host) = self.largest_host
            && host.share > CONCENTRATED
            && self.recruitable > 1
        {
            warnings.push(format!(
                "host {} has {} of {} offers",
                host.host, host.offers, self.recruitable
            ));
        }
        if self.coverage == Coverage::Cut {
            warnings
                .push("the market has more offers than came: the dearest is not known".to_owned());
        }
        let unpriced = self.recruitable - self.sorted.len();
        if unpriced > 0 {
            warnings.push(format!("{unpriced} offers have no price"));
        }
        warnings
    }

    /// What an hour of so many workers costs; `None` where no offer has a price.
    pub fn cost(&self, workers: u32) -> Option<WorkerCost> {
        let prices = self.prices?;
        let wanted = workers as usize;
        let offers = u32::try_from(self.sorted.len()).unwrap_or(u32::MAX);
        Some(WorkerCost {
            workers,
            least: self.sorted.iter().take(wanted).sum(),
            typical: f64::from(workers) * prices.median,
            most: f64::from(workers) * prices.highest,
            without_offer: workers.saturating_sub(offers),
        })
    }
}

/// The numbers of a field, where records have them.
fn numbers(listing: &Listing, rows: &[usize], key: &str) -> Vec<f64> {
    OFFERS.by_key(key).map_or_else(Vec::new, |field: &Field| {
        let column = listing.column(field);
        rows.iter()
            .filter_map(|row| column.cell(*row).number())
            .collect()
    })
}

/// Offers by what `label` makes of a text field, most first, equals by label.
fn parts(listing: &Listing, rows: &[usize], key: &str, label: fn(&str) -> String) -> Vec<Part> {
    let Some(field) = OFFERS.by_key(key) else {
        return Vec::new();
    };
    let column = listing.column(field);
    let mut counts: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let text = match column.cell(*row) {
            CellRef::Text(text) => label(text),
            _ => String::new(),
        };
        *counts.entry(text).or_default() += 1;
    }
    let mut parts: Vec<Part> = counts
        .into_iter()
        .map(|(label, offers)| Part {
            label: Untrusted::from(if label.is_empty() {
                "not said".to_owned()
            } else {
                label
            }),
            offers,
        })
        .collect();
    parts.sort_by(|left, right| {
        right
            .offers
            .cmp(&left.offers)
            .then_with(|| left.label.cmp(&right.label))
    });
    parts
}

/// The hosts, most offers first.
fn hosts(listing: &Listing, rows: &[usize]) -> Vec<HostShare> {
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for host in numbers(listing, rows, "host_id") {
        #[expect(clippy::cast_possible_truncation)] // a cast saturates; numbers name hosts
        let host = host as i64;
        *counts.entry(host).or_default() += 1;
    }
    #[expect(clippy::cast_precision_loss)] // counts of offers
    let mut hosts: Vec<HostShare> = counts
        .into_iter()
        .map(|(host, offers)| HostShare {
            host,
            offers,
            share: offers as f64 / rows.len() as f64,
        })
        .collect();
    hosts.sort_by_key(|host| (std::cmp::Reverse(host.offers), host.host));
    hosts
}

fn vram(listing: &Listing, rows: &[usize], wanted: f64) -> VramCheck {
    let sizes: Vec<f64> = numbers(listing, rows, "gpu_ram")
        .into_iter()
        .map(|megabytes| megabytes / 1000.0)
        .collect();
    let enough = sizes.iter().filter(|size| **size >= wanted).count();
    VramCheck {
        wanted,
        enough,
        too_small: sizes.len() - enough,
        smallest: sizes.into_iter().min_by(f64::total_cmp),
    }
}

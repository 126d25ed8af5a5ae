//! The preflight of a group's search: the number of machines it would find, their prices, and warnings.

use std::collections::HashMap;

use super::NewWorkergroup;
use super::worst_case::{CostOutlook, UnknownCost, WorkerCounts, WorstCase, price_limit};
use crate::catalog::{OFFERS, Resource};
use crate::cost::{ColdStart, Prices, StartRange, StartTerms};
use crate::country;
use crate::dialect::Dialect;
use crate::insight::{self, Amount, Coverage, Machine, Picks, Supply};
use crate::listing::{Column, Listing, RowId};
use crate::query::{Condition, Direction, OfferType, OrderKey, Query};
use crate::text::Untrusted;
use crate::unit::MB_PER_GB;
use crate::value::CellRef;

/// The limit of a preflight search.
///
/// High, because the most expensive offers must be included.
const LIMIT: u32 = 3000;

/// The maximum number of offers of a search that are stored.
///
/// More than fit a screen.
const MOST_OFFERS: usize = 60;

/// The share of one host from which its failure takes the group down.
const CONCENTRATED: f64 = 0.5;

/// The search of a group, plus everything else that decides which machines it recruits and their cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Recruitment {
    /// The conditions of the search.
    pub conditions: Vec<Condition>,
    /// The group's `gpu_ram` in GB.
    pub gpu_ram: Option<f64>,
    /// The disk of each worker in GB; `None` if the launch arguments do not set it.
    pub disk: Option<f64>,
}

impl Recruitment {
    /// The search for the offers to recruit, at on-demand prices with the group's disk, cheapest first, at
    /// most 3,000.
    pub fn query(&self) -> Query {
        let order = OFFERS.by_key("dph_total").map(|field| OrderKey {
            field,
            direction: Direction::Ascending,
        });
        Query {
            conditions: self.conditions.clone(),
            order: order.into_iter().collect(),
            limit: Some(LIMIT),
            storage: self.disk,
            ..Query::empty(Resource::Offers)
        }
    }

    /// The rows of the listing that satisfy the search.
    ///
    /// Filters that records do not carry are trusted to the market; a record that violates a condition, or
    /// cannot hold the disk, is dropped.
    fn matching(&self, listing: &Listing) -> Vec<u32> {
        let columns: Vec<_> = self
            .conditions
            .iter()
            .filter(|condition| condition.enabled)
            .map(|condition| (condition, listing.column(condition.field)))
            .collect();
        let space = OFFERS.by_key("disk_space").map(|field| listing.column(field));
        let is_small = |row: usize| {
            let space = space.and_then(|column| column.cell(row).number());
            self.disk.zip(space).is_some_and(|(wanted, space)| space < wanted)
        };
        rows(listing.len())
            .filter(|row| {
                let row = *row as usize;
                let is_broken = |(condition, column): &(&Condition, &Column)| condition.is_broken_by(column.cell(row));
                !columns.iter().any(is_broken) && !is_small(row)
            })
            .collect()
    }
}

/// The row numbers from 0 up to, but not including, `many`.
fn rows(many: usize) -> std::ops::Range<u32> {
    0..u32::try_from(many).unwrap_or(u32::MAX)
}

/// A property and the number of machines that share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub label: Untrusted,
    pub machines: usize,
}

/// The host with the most machines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostShare {
    pub host: i64,
    pub machines: usize,
    /// Its share of all machines, from 0 to 1.
    pub share: f64,
}

/// Whether the machines have the memory that `gpu_ram` requires.
///
/// The parameter counts GB, offers MB; 24 GB are 24000 MB here, as in the market's client, so a 24564 MB card is
/// enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VramCheck {
    /// The required memory, in GB.
    pub wanted: f64,
    pub enough: usize,
    pub too_small: usize,
    /// The smallest memory of a GPU among them, in GB.
    pub smallest: Option<f64>,
}

/// Prices of one worker in $/h. They include the group's disk, else the market's default storage,
/// and no traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkerPrices {
    pub lowest: f64,
    /// The median over the offers for the maximum number of workers.
    pub median: f64,
    /// The most expensive offer, of any size: the market may recruit that one.
    pub highest: f64,
}

/// The cost of some workers per hour: an estimate from the current offers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorkerCost {
    pub workers: u32,
    /// The cost in $/h on the cheapest offers that can be rented at once; if there are fewer offers than workers, on
    /// all of them.
    pub least: f64,
    /// The cost in $/h on the offers around the median: never below `least`.
    pub typical: f64,
    /// The worst case in $/h: all workers at the highest price.
    pub most: f64,
    pub without_offer: u32,
}

/// An offer for one worker.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerOffer {
    pub id: RowId,
    /// Number and model of its GPUs.
    pub gpus: Untrusted,
    pub model: Untrusted,
    /// The number of GPUs; `None` if the record lacks it.
    pub count: Option<f64>,
    /// The code of its country.
    pub country: Untrusted,
    /// The reliability from 0 to 1; `None` if the record lacks it.
    pub reliability: Option<f64>,
    /// The price in $/h, with the group's disk.
    pub price: f64,
    /// The terms of its cold starts; `None` if it reports no price or speed of downloads.
    pub start: Option<StartTerms>,
}

/// The supply of a search for a group. Slices of one machine count once.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// Machines with a matching offer that can be rented, and their GPUs.
    pub recruitable: Amount,
    pub offers: usize,
    /// The number of offers among them that have no price.
    pub unpriced: usize,
    /// The highest price in $/h that the search allows; `None` if it has no limit.
    pub price_limit: Option<f64>,
    /// The number of workers that can run on them at once.
    pub most_workers: usize,
    /// The number of machines that match but have no rentable offer.
    pub not_rentable: usize,
    /// Whether the response has all matching offers of the market.
    pub coverage: Coverage,
    /// The disk in GB that prices include; `None` for the market's default storage.
    pub disk: Option<f64>,
    /// Prices of one worker; `None` if no offer has a price.
    pub prices: Option<WorkerPrices>,
    /// GPU models, most machines first.
    pub gpus: Vec<Part>,
    pub countries: Vec<Part>,
    pub hosts: usize,
    /// The host with the most of the machines.
    pub largest_host: Option<HostShare>,
    /// Whether their memory is enough; `None` if none is required.
    pub vram: Option<VramCheck>,
    pub warnings: Vec<String>,
    /// The cheapest offers that can be rented at once, at most 60.
    pub cheapest: Vec<WorkerOffer>,
    /// The terms of cold starts of each offer with a price.
    start_terms: Vec<Option<StartTerms>>,
    picks: Picks,
}

impl Preflight {
    /// Computes the supply and cost of a workergroup from the response to the query of `asked`, whose limit
    /// was `limit`. Only rows that satisfy the search and are not reported as unavailable to rent count;
    /// machines that have no other rows are counted in `not_rentable`.
    pub fn new(listing: &Listing, asked: &Recruitment, limit: Option<u32>) -> Self {
        let matching = asked.matching(listing);
        let rentable = OFFERS.by_key("rentable").map(|field| listing.column(field));
        let is_rentable = |row: &u32| rentable.is_none_or(|column| column.cell(*row as usize) != CellRef::Flag(false));
        let free: Vec<u32> = matching.iter().copied().filter(is_rentable).collect();
        let supply = Supply::new(listing, &free);
        let all = Supply::new(listing, &matching).machines().len();
        let quotes = Prices::new(listing, OfferType::OnDemand);
        let price = |row: u32| quotes.hourly(row as usize, asked.disk).ok();
        let picks = supply.pick_workers(price);
        let highest = free.iter().filter_map(|row| price(*row)).reduce(f64::max);
        let unpriced = free.iter().filter(|row| price(**row).is_none()).count();
        let machines = supply.machines();
        let hosts = hosts(listing, machines);
        let mut preflight = Self {
            recruitable: supply.amount(),
            offers: free.len(),
            unpriced,
            price_limit: price_limit(&asked.conditions),
            most_workers: picks.most_workers(),
            not_rentable: all - machines.len(),
            coverage: insight::coverage(listing, limit),
            disk: asked.disk,
            prices: highest.zip(picks.median()).map(|(highest, median)| WorkerPrices {
                lowest: picks.least(1),
                median,
                highest,
            }),
            gpus: parts(listing, machines, "gpu_name", str::to_owned),
            countries: parts(listing, machines, "geolocation", |location| {
                country::code(location).to_owned()
            }),
            hosts: hosts.len(),
            largest_host: hosts.first().copied(),
            vram: asked.gpu_ram.map(|wanted| vram(listing, machines, wanted)),
            warnings: Vec::new(),
            cheapest: cheapest(listing, &picks, &quotes),
            start_terms: free
                .iter()
                .filter_map(|row| Some(quotes.start_terms(*row as usize, price(*row)?).ok()))
                .collect(),
            picks,
        };
        preflight.warnings = preflight.warn(&asked.conditions);
        preflight
    }

    /// The warnings about a search with these conditions and its supply, such as unverified machines or a
    /// single host; empty if there are none.
    fn warn(&self, conditions: &[Condition]) -> Vec<String> {
        let unpriced = self.unpriced;
        let mut warnings = Vec::new();
        for (key, meaning) in [
            ("verified", "unverified machines may be rented"),
            ("rentable", "machines that can't be rented now may be counted"),
        ] {
            let is_said = |condition: &Condition| condition.enabled && condition.field.key == key;
            if !conditions.iter().any(is_said) {
                warnings.push(format!("the search has no {key} condition: {meaning}"));
            }
        }
        let all = self.recruitable.machines;
        if all == 0 {
            warnings.push("no machine can be recruited".to_owned());
        }
        if let Some(vram) = self.vram.filter(|vram| vram.too_small > 0) {
            let have = if vram.too_small == 1 { "has" } else { "have" };
            warnings.push(format!(
                "{} of {all} machines {have} less than {} GB of GPU memory",
                vram.too_small, vram.wanted
            ));
        }
        if let Some(host) = self.largest_host
            && host.share > CONCENTRATED
            && all > 1
        {
            warnings.push(format!("host {} has {} of {all} machines", host.host, host.machines));
        }
        match self.coverage {
            Coverage::Whole => {}
            Coverage::Cut => {
                warnings.push("more offers exist than were loaded: the highest price is unknown".to_owned());
            }
            Coverage::Unknown => {
                warnings.push("more offers may exist than were loaded: the highest price is unknown".to_owned());
            }
        }
        if unpriced > 0 {
            let noun = if unpriced == 1 { "offer has" } else { "offers have" };
            warnings.push(format!("{unpriced} {noun} no price"));
        }
        warnings
    }

    /// The worst case of a group with this search, the reason it may be higher, and whether the search has a
    /// price limit.
    pub fn outlook(&self, group: &NewWorkergroup, dialect: &Dialect) -> CostOutlook {
        let price = self.prices.map(|prices| prices.highest);
        let worst = price.map(|price| WorstCase {
            workers: WorkerCounts::new(group, dialect),
            price,
        });
        let unknown = match self.coverage {
            Coverage::Cut => Some(UnknownCost::Cut),
            Coverage::Unknown => Some(UnknownCost::MaybeCut),
            Coverage::Whole if worst.is_none() => Some(UnknownCost::NoOffer),
            Coverage::Whole if self.unpriced > 0 => Some(UnknownCost::Unpriced(self.unpriced)),
            Coverage::Whole => None,
        };
        CostOutlook {
            worst,
            unknown,
            is_unlimited: self.price_limit.is_none(),
        }
    }

    /// The range of the cost in $ of a cold start on the offers; `None` if none reports its downloads.
    pub fn cold_start_costs(&self, start: ColdStart) -> Option<StartRange> {
        StartRange::new(&self.start_terms, start)
    }

    /// The cost of this many workers in $/h at present: on the cheapest offers, around the median, and all at
    /// the highest price. `None` if no offer has a price.
    pub fn cost(&self, workers: u32) -> Option<WorkerCost> {
        let prices = self.prices?;
        let wanted = workers as usize;
        let missing = wanted.saturating_sub(self.most_workers);
        Some(WorkerCost {
            workers,
            least: self.picks.least(wanted),
            typical: self.picks.typical(wanted)?,
            most: f64::from(workers) * prices.highest,
            without_offer: u32::try_from(missing).unwrap_or(u32::MAX),
        })
    }
}

/// The cheapest offers for as many workers as can run at once, at most 60.
fn cheapest(listing: &Listing, picks: &Picks, quotes: &Prices<'_>) -> Vec<WorkerOffer> {
    let cell = |row: u32, key: &str| listing.cell_of(row as usize, key);
    let text = |row: u32, key: &str| cell(row, key).text().unwrap_or_default().to_owned();
    let offer = |pick: &insight::Lot| {
        let count = cell(pick.row, "num_gpus").number();
        let times = count.map_or_else(String::new, |count| format!("{count:.0}× "));
        let model = text(pick.row, "gpu_name");
        Some(WorkerOffer {
            id: listing.id(pick.row as usize)?,
            gpus: Untrusted::from(format!("{times}{model}")),
            model: Untrusted::from(model),
            count,
            country: Untrusted::from(country::code(&text(pick.row, "geolocation")).to_owned()),
            reliability: cell(pick.row, "reliability").number(),
            price: pick.price,
            start: quotes.start_terms(pick.row as usize, pick.price).ok(),
        })
    };
    let offers = picks.offers().iter().take(MOST_OFFERS);
    offers.filter_map(offer).collect()
}

/// The number in a field of each machine, from the first slice that reports it; machines without one are left
/// out.
fn numbers(listing: &Listing, machines: &[Machine], key: &str) -> Vec<f64> {
    let Some(column) = OFFERS.by_key(key).map(|field| listing.column(field)) else {
        return Vec::new();
    };
    let number = |machine: &Machine| {
        let mut rows = machine.rows();
        rows.find_map(|row| column.cell(row as usize).number())
    };
    machines.iter().filter_map(number).collect()
}

/// Machines grouped by `label` of a text field, most first, ties by label. Machines without a text count as
/// `not reported`.
fn parts(listing: &Listing, machines: &[Machine], key: &str, label: fn(&str) -> String) -> Vec<Part> {
    let Some(column) = OFFERS.by_key(key).map(|field| listing.column(field)) else {
        return Vec::new();
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for machine in machines {
        let text = machine
            .rows()
            .find_map(|row| column.cell(row as usize).text().map(label));
        *counts.entry(text.unwrap_or_default()).or_default() += 1;
    }
    let mut parts: Vec<Part> = counts
        .into_iter()
        .map(|(label, machines)| Part {
            label: Untrusted::from(if label.is_empty() {
                "not reported".to_owned()
            } else {
                label
            }),
            machines,
        })
        .collect();
    parts.sort_by(|left, right| {
        right
            .machines
            .cmp(&left.machines)
            .then_with(|| left.label.cmp(&right.label))
    });
    parts
}

/// The hosts with their shares of the machines, most machines first, ties by host id.
fn hosts(listing: &Listing, machines: &[Machine]) -> Vec<HostShare> {
    let mut counts: HashMap<i64, usize> = HashMap::new();
    for host in numbers(listing, machines, "host_id") {
        #[expect(clippy::cast_possible_truncation)] // a cast saturates; numbers name hosts
        let host = host as i64;
        *counts.entry(host).or_default() += 1;
    }
    let mut hosts: Vec<HostShare> = counts
        .into_iter()
        .map(|(host, machines_of)| HostShare {
            host,
            machines: machines_of,
            share: machines_of as f64 / machines.len() as f64,
        })
        .collect();
    hosts.sort_by_key(|host| (std::cmp::Reverse(host.machines), host.host));
    hosts
}

/// The number of machines whose GPUs have at least `wanted` GB each, the number of those with less, and the
/// smallest memory; machines that report none are left out.
fn vram(listing: &Listing, machines: &[Machine], wanted: f64) -> VramCheck {
    let sizes: Vec<f64> = numbers(listing, machines, "gpu_ram")
        .into_iter()
        .map(|megabytes| megabytes / MB_PER_GB)
        .collect();
    let enough = sizes.iter().filter(|size| **size >= wanted).count();
    VramCheck {
        wanted,
        enough,
        too_small: sizes.len() - enough,
        smallest: sizes.into_iter().min_by(f64::total_cmp),
    }
}

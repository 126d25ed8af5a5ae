//! Summary of one host among some offers: GPUs, trust, places, and its prices against the market's.

use std::collections::{BTreeMap, HashMap};

use super::{Spread, Supply};
use crate::cost::Prices;
use crate::country;
use crate::listing::Listing;

/// The maximum length of a name in the summary, in characters.
///
/// The summary lists several in a line of a panel.
const LONGEST: usize = 24;

/// A name and the number of GPUs or machines with it.
pub type Count<N> = (String, N);

/// A host's offers, added up. Slices of a machine count once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HostSummary {
    /// GPUs by model, most first.
    pub gpus: Vec<Count<u64>>,
    /// Machines by verification, most first, without those that do not report it.
    pub verification: Vec<Count<usize>>,
    /// Machines by country code, most first, without those that do not report it.
    pub countries: Vec<Count<usize>>,
    /// The reliability of the machines, 0 to 1.
    pub reliability: Option<Spread>,
    /// GPUs in offers that are rented now; `None` if no offer reports it.
    pub rented: Option<u64>,
    pub level: Option<PriceLevel>,
}

/// A host's prices against those of other hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceLevel {
    /// The median, over the host's offers, of the offer's price divided by the median price of other hosts' offers with
    /// the same model and number of GPUs: 0.9 is 10% below.
    pub ratio: f64,
    /// The number of the host's offers with comparable offers of other hosts.
    pub compared: usize,
}

/// The summary of `rows`, all of one host, without its price level, which `price_level` computes.
pub fn host_summary(listing: &Listing, rows: &[u32]) -> HostSummary {
    let text = |row: u32, key: &str| {
        let field = listing.catalog().by_key(key)?;
        let text = listing.text(row as usize, field)?;
        (!text.unescaped().is_empty()).then_some(text)
    };
    let shown = |row: u32, key: &str| Some(text(row, key)?.screen(LONGEST));
    let supply = Supply::new(listing, rows);
    let machines: Vec<u32> = supply
        .machines()
        .iter()
        .filter_map(|machine| machine.rows().next())
        .collect();
    let mut models: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for row in rows {
        if let Some(model) = shown(*row, "gpu_name") {
            models.entry(model).or_default().push(*row);
        }
    }
    let gpus = |rows: &[u32]| Supply::new(listing, rows).amount().gpus;
    let flag = |row: &u32| listing.cell_of(*row as usize, "rented").flag();
    let rented: Vec<u32> = rows.iter().copied().filter(|row| flag(row) == Some(true)).collect();
    let reliability = listing.catalog().by_key("reliability");
    let reliabilities = machines.iter().filter_map(|row| {
        let field = reliability?;
        listing.cell(*row as usize, field).number()
    });
    HostSummary {
        gpus: ordered(models.iter().map(|(model, rows)| (model.clone(), gpus(rows)))),
        verification: counted(machines.iter().filter_map(|row| shown(*row, "verification"))),
        countries: counted(machines.iter().filter_map(|row| {
            let location = text(*row, "geolocation")?.screen(256);
            Some(country::code(&location).chars().take(LONGEST).collect())
        })),
        reliability: Spread::from_values(reliabilities),
        rented: rows.iter().any(|row| flag(row).is_some()).then(|| gpus(&rented)),
        level: None,
    }
}

/// The number of occurrences of each name, most first, ties by name.
fn counted(names: impl Iterator<Item = String>) -> Vec<Count<usize>> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    ordered(counts.into_iter())
}

/// Sorts counts, most first, ties by name.
fn ordered<N: Ord>(counts: impl Iterator<Item = Count<N>>) -> Vec<Count<N>> {
    let mut counts: Vec<_> = counts.collect();
    counts.sort_by(|(left, some), (right, others)| others.cmp(some).then(left.cmp(right)));
    counts
}

/// The price level of one host: the median, over its `rows`, of the price divided by the median price of the
/// offers of other hosts in `market` with as many of the same GPUs. All with `gb` of storage or as quoted;
/// `None` if no offers are comparable, or the host's id is not reported.
pub fn price_level(host: &Prices<'_>, rows: &[u32], market: &Prices<'_>, gb: Option<f64>) -> Option<PriceLevel> {
    let id = |prices: &Prices<'_>, row: usize| prices.listing().cell_of(row, "host_id").whole();
    let machine = rows.first().and_then(|row| id(host, *row as usize));
    let mut elsewhere: HashMap<(String, u64), Vec<f64>> = HashMap::new();
    for row in 0..market.listing().len() {
        if machine.is_none() || id(market, row) == machine {
            continue;
        }
        if let (Some(kind), Ok(price)) = (kind(market.listing(), row), market.hourly(row, gb)) {
            elsewhere.entry(kind).or_default().push(price);
        }
    }
    let ratios: Vec<f64> = rows
        .iter()
        .filter_map(|row| {
            let row = *row as usize;
            let others = elsewhere.get(&kind(host.listing(), row)?)?;
            let median = Spread::from_values(others.iter().copied())?.median;
            let ratio = host.hourly(row, gb).ok()? / median;
            ratio.is_finite().then_some(ratio)
        })
        .collect();
    Some(PriceLevel {
        compared: ratios.len(),
        ratio: Spread::from_values(ratios)?.median,
    })
}

/// Model and number of the GPUs, which make offers comparable; `None` unless both are reported.
fn kind(listing: &Listing, row: usize) -> Option<(String, u64)> {
    let catalog = listing.catalog();
    let model = listing.text(row, catalog.by_key("gpu_name")?)?;
    let count = listing.cell(row, catalog.by_key("num_gpus")?).whole()?;
    Some((model.unescaped().to_owned(), u64::try_from(count).ok()?))
}

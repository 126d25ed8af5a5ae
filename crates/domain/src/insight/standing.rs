//! Ranks of a row among comparable rows: offers with the same GPU model, volumes among all.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::pareto::Goal;
use super::summary::quantile;
use crate::catalog::Resource;
use crate::format::percent;
use crate::listing::{Column, Listing};
use crate::value::CellRef;

/// The measure by which rows are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The job's bill if there is a job, else $/h; per GPU, so that slices compare with machines, unless the job is
    /// work.
    Price,
    /// `DLPerf` per GPU; of volumes the average read speed.
    Performance,
    Network,
    Reliability,
    /// `DLPerf` per dollar; of volumes the read speed per dollar.
    Value,
    /// The remaining rental time: longer is better.
    TimeLeft,
}

impl Measure {
    const ALL: [Self; 6] = [
        Self::Price,
        Self::Performance,
        Self::Network,
        Self::Reliability,
        Self::Value,
        Self::TimeLeft,
    ];

    /// The better end of the measure: the least price, the most of all others.
    const fn goal(self) -> Goal {
        match self {
            Self::Price => Goal::Least,
            Self::Performance | Self::Network | Self::Reliability | Self::Value | Self::TimeLeft => Goal::Most,
        }
    }
}

/// A row's rank among the comparable rows that have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// The number of other rows that are worse.
    pub beats: u32,
    /// The number of other rows that are equal.
    pub ties: u32,
    /// The number of compared rows, including this one.
    pub of: u32,
}

/// The minimum number of rows for a meaningful rank.
///
/// A fifth of fewer is less than one, and the best of two is not good.
pub const FEWEST: u32 = 5;

impl Rank {
    /// The share of the other rows that are worse, 0 to 1; `None` with fewer than [`FEWEST`] rows.
    ///
    /// Ties count half: rows that are all equal rank in the middle, not last.
    pub fn share(self) -> Option<f64> {
        let worse = f64::from(self.beats) + f64::from(self.ties) / 2.0;
        (self.of >= FEWEST).then(|| worse / f64::from(self.of - 1))
    }

    /// `Some(true)` in the best fifth, `Some(false)` in the worst; `None` between them, and with fewer than [`FEWEST`]
    /// rows.
    pub fn is_best(self) -> Option<bool> {
        let loses = self.of.saturating_sub(1 + self.beats + self.ties);
        let fifth = |share: u32| u64::from(share) * 5 >= u64::from(self.of) * 4;
        match (fifth(self.beats), fifth(loses)) {
            _ if self.of < FEWEST => None,
            (true, _) => Some(true),
            (_, true) => Some(false),
            (false, false) => None,
        }
    }

    /// Describes the rank of a price: `lowest of 57`, `same as all 57`, `highest of 57`,
    /// `highest of 57, tied`, else `below 91% of 56 others`; `None` without others.
    ///
    /// ```
    /// use bourse_domain::insight::Rank;
    /// let of_five = |beats, ties| Rank { beats, ties, of: 5 }.describe_price_rank().unwrap();
    /// assert_eq!([(4, 0), (0, 4)].map(|(beats, ties)| of_five(beats, ties)), ["lowest of 5", "same as all 5"]);
    /// assert_eq!([(0, 0), (0, 2)].map(|(beats, ties)| of_five(beats, ties)), ["highest of 5", "highest of 5, tied"]);
    /// assert_eq!(of_five(1, 1), "below 25% of 4 others");
    /// ```
    pub fn describe_price_rank(self) -> Option<String> {
        let Self { beats, ties, of } = self;
        let others = of.checked_sub(1).filter(|others| *others > 0)?;
        Some(match (beats, ties) {
            (beats, _) if beats == others => format!("lowest of {of}"),
            (_, ties) if ties == others => format!("same as all {of}"),
            (0, 0) => format!("highest of {of}"),
            (0, _) => format!("highest of {of}, tied"),
            _ => {
                let share = percent(f64::from(beats) / f64::from(others));
                format!("below {share} of {others} others")
            }
        })
    }
}

/// The price of a row, and the spread of the prices of its group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PriceScale {
    /// The row's price, by [`Measure::Price`].
    pub price: f64,
    /// The 5th percentile of the group.
    pub low: f64,
    /// The median of the group.
    pub median: f64,
    /// The 95th percentile of the group.
    pub high: f64,
    /// The number of rows with a price in the group, including this one.
    pub of: u32,
}

impl PriceScale {
    /// The 5th, 50th and 95th percentile of ascending prices, with the median as the row's price; `None`
    /// without prices.
    fn of_sorted(prices: &[f64]) -> Option<Self> {
        let median = quantile(prices, 0.5)?;
        Some(Self {
            price: median,
            low: quantile(prices, 0.05)?,
            median,
            high: quantile(prices, 0.95)?,
            of: u32::try_from(prices.len()).unwrap_or(u32::MAX),
        })
    }

    /// Whether there are at least `FEWEST` prices, enough for meaningful percentiles.
    pub const fn has_enough_prices(&self) -> bool {
        self.of >= FEWEST
    }
}

/// The price scales of all rows.
#[derive(Debug, Default)]
struct Scales {
    of_rows: Vec<Option<PriceScale>>,
    is_any_decisive: bool,
}

/// The ranks of a listing's rows, each computed on first use.
///
/// A frame that shows one row must not sort a hundred thousand.
#[derive(Debug, Default)]
pub struct Standing {
    ranks: [OnceLock<Vec<Option<Rank>>>; 6],
    scales: OnceLock<Scales>,
    machines: OnceLock<HashMap<i128, u32>>,
    hosts: OnceLock<HashMap<i128, u32>>,
}

impl Standing {
    /// Computes all ranks, price scales and counts of offers in advance, so that no frame has to.
    pub fn prepare(&self, listing: &Listing) {
        for measure in Measure::ALL {
            self.rank(listing, measure, 0);
        }
        self.price_scale(listing, 0);
        self.on_machine(listing, 0);
        self.count_of_host(listing, 0);
    }

    /// The rank of a row by a measure among the rows with its GPU model (of volumes, all); `None` if it has
    /// no value.
    pub fn rank(&self, listing: &Listing, measure: Measure, row: usize) -> Option<Rank> {
        let slot = Measure::ALL.iter().position(|known| *known == measure)?;
        let ranks = self.ranks[slot].get_or_init(|| {
            let value = value_of(listing, measure);
            ranks(&groups(listing), (0..listing.len()).map(value), measure.goal())
        });
        ranks.get(row).copied().flatten()
    }

    /// The row's price with the percentiles of the rows with its GPU model (of volumes, all); `None` if it
    /// has no price.
    pub fn price_scale(&self, listing: &Listing, row: usize) -> Option<PriceScale> {
        self.scales(listing).of_rows.get(row).copied().flatten()
    }

    /// Whether any row is in a group of at least five rows with a price, enough for a meaningful price scale.
    pub fn has_meaningful_scale(&self, listing: &Listing) -> bool {
        self.scales(listing).is_any_decisive
    }

    /// The price scales of all rows, computed on first use.
    fn scales(&self, listing: &Listing) -> &Scales {
        self.scales.get_or_init(|| {
            let price = value_of(listing, Measure::Price);
            let of_rows = scales(&groups(listing), (0..listing.len()).map(price));
            Scales {
                is_any_decisive: of_rows.iter().flatten().any(PriceScale::has_enough_prices),
                of_rows,
            }
        })
    }

    /// Price and performance (`None` if unknown) of all rows comparable with `row`, which have its GPU model,
    /// including itself; of all rows if `row` is `None`. Rows without a price are left out.
    pub fn figures(listing: &Listing, row: Option<usize>) -> Vec<(f64, Option<f64>)> {
        let groups = groups(listing);
        let price = value_of(listing, Measure::Price);
        let performance = value_of(listing, Measure::Performance);
        let alike = |other: &usize| row.is_none_or(|row| groups.get(*other) == groups.get(row));
        let rows = (0..listing.len()).filter(alike);
        rows.filter_map(|row| Some((price(row)?, performance(row)))).collect()
    }

    /// Whether the prices of [`Measure::Price`] are bills of the job; they are not while no row has one.
    pub fn compares_bills(listing: &Listing) -> bool {
        column(listing, "job_cost").is_some_and(|bills| !bills.is_blank())
    }

    /// The prices of the rows comparable with `row`, without a job: $/h per GPU, or $/GB/month. Rows without
    /// a price are left out; empty for workergroups.
    pub fn unit_prices(listing: &Listing, row: usize) -> Vec<f64> {
        let key = match listing.catalog().resource {
            Resource::Offers => "dph_per_gpu",
            Resource::Volumes => "storage_cost",
            Resource::Workergroups => return Vec::new(),
        };
        let (groups, prices) = (groups(listing), column(listing, key));
        let alike = (0..listing.len()).filter(|other| groups.get(*other) == groups.get(row));
        alike.filter_map(|row| prices?.cell(row).number()).collect()
    }

    /// The value of a row by a measure; `None` if the record lacks it, it is not finite, or the resource has
    /// no such measure.
    pub fn value(listing: &Listing, measure: Measure, row: usize) -> Option<f64> {
        value_of(listing, measure)(row)
    }

    /// The number of loaded offers on the machine of `row`, including `row`; `None` if the record does not report the
    /// machine.
    pub fn on_machine(&self, listing: &Listing, row: usize) -> Option<u32> {
        let counts = || counts(listing, "machine_id");
        same_id_count(listing, row, "machine_id", self.machines.get_or_init(counts))
    }

    /// The number of loaded offers of the host of `row`, including `row`; `None` if the record does not report the
    /// host.
    pub fn count_of_host(&self, listing: &Listing, row: usize) -> Option<u32> {
        let counts = || counts(listing, "host_id");
        same_id_count(listing, row, "host_id", self.hosts.get_or_init(counts))
    }
}

/// The column of the field or computed column `key`; `None` if the catalog has none.
fn column<'a>(listing: &'a Listing, key: &str) -> Option<&'a Column> {
    let catalog = listing.catalog();
    let field = catalog.by_key(key).or_else(|| catalog.column(key))?;
    Some(listing.column(field))
}

/// The number of rows with each id in the member `key`; rows without one are left out.
fn counts(listing: &Listing, key: &str) -> HashMap<i128, u32> {
    let mut counts = HashMap::new();
    if let Some(column) = column(listing, key) {
        for id in (0..listing.len()).filter_map(|row| column.cell(row).whole()) {
            *counts.entry(id).or_insert(0) += 1;
        }
    }
    counts
}

/// The count in `counts` for the id of `row` in the member `key`; `None` if its record does not report one.
fn same_id_count(listing: &Listing, row: usize, key: &str, counts: &HashMap<i128, u32>) -> Option<u32> {
    counts.get(&column(listing, key)?.cell(row).whole()?).copied()
}

/// A function from a row to its value by a measure, from the first of its columns with any value. A bill that
/// is not for work is divided by the row's GPUs.
fn value_of(listing: &Listing, measure: Measure) -> impl Fn(usize) -> Option<f64> {
    let keys: &[&str] = match (listing.catalog().resource, measure) {
        // With a job its bill is the price to pay; without one, offers of all sizes compare only per GPU.
        (Resource::Offers, Measure::Price) => &["job_cost", "dph_per_gpu"],
        (Resource::Offers, Measure::Performance) => &["dlperf_per_gpu"],
        (Resource::Offers, Measure::Reliability) => &["reliability"],
        (Resource::Volumes, Measure::Price) => &["storage_cost"],
        (Resource::Volumes, Measure::Performance) => &["nw_disk_avg_bw"],
        (Resource::Volumes, Measure::Reliability) => &["reliability2"],
        (Resource::Offers | Resource::Volumes, Measure::Network) => &["inet_down"],
        (Resource::Offers, Measure::Value) => &["dlperf_per_dphtotal"],
        (Resource::Volumes, Measure::Value) => &[],
        (Resource::Offers | Resource::Volumes, Measure::TimeLeft) => &["duration"],
        (Resource::Workergroups, _) => &[],
    };
    let price = keys.iter().find_map(|key| {
        let column = column(listing, key)?;
        (!column.is_blank()).then_some((*key, column))
    });
    // A bill is for all GPUs of an offer; only one for work is comparable without dividing it.
    let gpus = column(listing, "num_gpus")
        .filter(|_| price.is_some_and(|value| value.0 == "job_cost") && !listing.bills_work());
    move |row| {
        let value = price?.1.cell(row).number().filter(|value| value.is_finite())?;
        match gpus {
            None => Some(value),
            Some(gpus) => Some(value / gpus.cell(row).number().filter(|value| *value > 0.0)?),
        }
    }
}

/// The group of each row: an index for its GPU model; 0 without one.
fn groups(listing: &Listing) -> Vec<u32> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let models = column(listing, "gpu_name");
    (0..listing.len())
        .map(|row| match models.map(|models| models.cell(row)) {
            Some(CellRef::Text(model)) => {
                let next = u32::try_from(known.len() + 1).unwrap_or(u32::MAX);
                *known.entry(model).or_insert(next)
            }
            _ => 0,
        })
        .collect()
}

/// The rank of each row within its group, where equal values tie; `None` for rows without a value.
fn ranks(groups: &[u32], values: impl Iterator<Item = Option<f64>>, goal: Goal) -> Vec<Option<Rank>> {
    let mut sorted: Vec<(u32, f64, usize)> = groups
        .iter()
        .zip(values)
        .enumerate()
        .filter_map(|(row, (group, value))| {
            let cost = match goal {
                Goal::Least => value?,
                Goal::Most => -value?,
            };
            Some((*group, cost, row))
        })
        .collect();
    sorted.sort_unstable_by(|left, right| left.0.cmp(&right.0).then_with(|| left.1.total_cmp(&right.1)));
    let mut ranked = vec![None; groups.len()];
    for group in sorted.chunk_by(|left, right| left.0 == right.0) {
        let of = u32::try_from(group.len()).unwrap_or(u32::MAX);
        let mut worse = of;
        // Equal values share a rank: neither is worse than the other.
        for tie in group.chunk_by(|left, right| left.1.total_cmp(&right.1).is_eq()) {
            worse -= u32::try_from(tie.len()).unwrap_or(worse);
            let rank = Rank {
                beats: worse,
                ties: u32::try_from(tie.len() - 1).unwrap_or(0),
                of,
            };
            for (_, _, row) in tie {
                ranked[*row] = Some(rank);
            }
        }
    }
    ranked
}

/// The price of each row with the percentiles of its group; `None` for rows without a price.
fn scales(groups: &[u32], prices: impl Iterator<Item = Option<f64>>) -> Vec<Option<PriceScale>> {
    let rows = groups.iter().zip(prices).enumerate();
    let mut sorted: Vec<(u32, f64, usize)> = rows
        .filter_map(|(row, (group, price))| Some((*group, price?, row)))
        .collect();
    sorted.sort_unstable_by(|left, right| left.0.cmp(&right.0).then_with(|| left.1.total_cmp(&right.1)));
    let mut scales = vec![None; groups.len()];
    for group in sorted.chunk_by(|left, right| left.0 == right.0) {
        let prices: Vec<f64> = group.iter().map(|(_, price, _)| *price).collect();
        let scale = PriceScale::of_sorted(&prices);
        for (_, price, row) in group {
            scales[*row] = scale.map(|scale| PriceScale { price: *price, ..scale });
        }
    }
    scales
}

//! What a network volume costs, alone and together with an offer.

use serde::{Deserialize, Serialize};

use super::{
    DAYS_PER_MONTH, Gap, HOURS_PER_MONTH, Input, InputError, Measure, Member, Outlives, Room, Step,
    finite, hours_left, rounded, shown, storage_per_hour, summand,
};
use crate::domain::country;
use crate::domain::listing::{Listing, compare_cells};
use crate::domain::query::Direction;
use crate::domain::value::CellRef;

/// How large a volume and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VolumeTerm {
    /// Size in GB.
    pub gb: f64,
    /// Days that it is kept.
    pub days: f64,
}

impl Default for VolumeTerm {
    fn default() -> Self {
        Self::months(100.0, 1.0)
    }
}

impl VolumeTerm {
    /// A term in the market's months of 30 days.
    pub fn months(gb: f64, months: f64) -> Self {
        Self {
            gb,
            days: months * DAYS_PER_MONTH,
        }
    }

    pub fn hours(&self) -> f64 {
        self.days * 24.0
    }

    /// Checks that both inputs are numbers from 0 to their maximum; the error names the first that
    /// is not.
    pub fn validate(&self) -> Result<(), InputError> {
        Input::VolumeGb.check(self.gb)?;
        Input::Days.check(self.days).map(drop)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct VolumeCost {
    /// $ per hour.
    pub per_hour: f64,
    /// $ per month of 720 hours.
    pub per_month: f64,
    /// $ for the whole term.
    pub term: f64,
    /// Whether the volume is available until the term ends.
    pub outlives: Outlives,
    /// Whether it has the space.
    pub room: Room,
    /// The arithmetic, line by line.
    pub steps: Vec<Step>,
}

/// The prices of a network volume listing.
#[derive(Debug)]
pub struct VolumePrices<'a> {
    storage_cost: Member<'a>,
    disk_space: Member<'a>,
    duration: Member<'a>,
}

impl<'a> VolumePrices<'a> {
    pub const fn new(listing: &'a Listing) -> Self {
        Self {
            storage_cost: Member::new(listing, "storage_cost"),
            disk_space: Member::new(listing, "disk_space"),
            duration: Member::new(listing, "duration"),
        }
    }

    /// $ per GB and month.
    pub fn per_gb_month(&self, row: usize) -> Result<f64, Gap> {
        self.storage_cost.amount(row)
    }

    /// $ for the whole term, without the arithmetic: for a column that sorts.
    pub fn term_total(&self, row: usize, term: &VolumeTerm) -> Result<f64, Gap> {
        term.validate()?;
        let price = self.storage_cost.amount(row)?;
        finite(storage_per_hour(price, term.gb) * term.hours())
    }

    /// $ per hour of the term's size.
    pub fn hourly(&self, row: usize, term: &VolumeTerm) -> Result<f64, Gap> {
        term.validate()?;
        finite(storage_per_hour(self.storage_cost.amount(row)?, term.gb))
    }

    /// $ per month of 720 hours of the term's size.
    pub fn monthly(&self, row: usize, term: &VolumeTerm) -> Result<f64, Gap> {
        term.validate()?;
        finite(self.storage_cost.amount(row)? * term.gb)
    }

    /// Hours between the end of a term that starts at `now` (seconds since 1970) and the end of the
    /// offer; negative if the offer ends first.
    pub fn spare(&self, row: usize, term: &VolumeTerm, now: f64) -> Result<f64, Gap> {
        term.validate()?;
        Ok(hours_left(&self.duration, row, now)? - term.hours())
    }

    /// Whether the row reports too little space or time for a term that starts at `now` (seconds
    /// since 1970).
    pub fn cannot_serve(&self, row: usize, term: &VolumeTerm, now: f64) -> bool {
        let ends_early = self.spare(row, term, now).is_ok_and(|spare| spare < 0.0);
        let room = Room::of(self.disk_space.amount(row), term.gb);
        ends_early || matches!(room, Room::ShortBy(_))
    }

    /// What the volume costs from `now` (seconds since 1970) on.
    pub fn cost(&self, row: usize, term: &VolumeTerm, now: f64) -> Result<VolumeCost, Gap> {
        term.validate()?;
        let price = self.storage_cost.amount(row)?;
        let per_hour = finite(storage_per_hour(price, term.gb))?;
        let per_month = finite(price * term.gb)?;
        let total = finite(per_hour * term.hours())?;
        let [price, gb] = [rounded(price), shown(term.gb, 4)];
        let step = |label, formula, value, measure| Step {
            label,
            formula,
            value,
            measure,
        };
        let steps = vec![
            step(
                "Per hour",
                format!("{price} $/GB/month × {gb} GB / 720 h"),
                per_hour,
                Measure::DollarsPerHour,
            ),
            step(
                "Per month of 720 h",
                format!("{price} $/GB/month × {gb} GB"),
                per_month,
                Measure::Dollars,
            ),
            step(
                "Whole term",
                format!(
                    "{} $/h × {} days × 24 h",
                    rounded(per_hour),
                    shown(term.days, 4)
                ),
                total,
                Measure::Dollars,
            ),
        ];
        Ok(VolumeCost {
            per_hour,
            per_month,
            term: total,
            outlives: Outlives::of(hours_left(&self.duration, row, now), term.hours()),
            room: Room::of(self.disk_space.amount(row), term.gb),
            steps,
        })
    }
}

/// An offer and a volume together, per month of 720 hours.
#[derive(Debug, Clone, PartialEq)]
pub struct Basket {
    /// $ per month of the offer.
    pub offer: f64,
    /// $ per month of the volume.
    pub volume: f64,
    /// $ per month of both.
    pub total: f64,
    /// The arithmetic, line by line, the total last.
    pub steps: Vec<Step>,
}

/// The monthly cost of an offer at `hourly` $/h that runs all the time, plus a volume.
pub fn basket(hourly: f64, volume: &VolumeCost) -> Result<Basket, Gap> {
    let offer = finite(hourly * HOURS_PER_MONTH)?;
    let total = finite(offer + volume.per_month)?;
    let step = |label, formula, value| Step {
        label,
        formula,
        value,
        measure: Measure::Dollars,
    };
    let month = |hourly: f64| format!("{} $/h × 720 h", rounded(hourly));
    let sum = format!("{} + {}", summand(offer), summand(volume.per_month));
    Ok(Basket {
        offer,
        volume: volume.per_month,
        total,
        steps: vec![
            step("Offer per month", month(hourly), offer),
            step("Volume per month", month(volume.per_hour), volume.per_month),
            step("Total per month", sum, total),
        ],
    })
}

/// Why a volume suits an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proximity {
    /// They are in the same cluster.
    Cluster,
    /// They are in the same country; whether the machine can mount the volume is unknown.
    Country,
}

/// A volume that suits an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeMatch {
    /// Its row among the volumes.
    pub row: u32,
    pub by: Proximity,
}

/// The volumes that suit row `offer` of `offers`: those of its cluster first, then those of its
/// country, each cheapest per GB first.
pub fn volumes_for(offers: &Listing, offer: usize, volumes: &Listing) -> Vec<VolumeMatch> {
    let cluster = cluster(offers, offer);
    let land = country_of(offers, offer);
    let mut matches: Vec<VolumeMatch> = (0..u32::try_from(volumes.len()).unwrap_or(u32::MAX))
        .filter_map(|row| {
            let place = row as usize;
            let by = if cluster.is_some() && cluster == self::cluster(volumes, place) {
                Proximity::Cluster
            } else if land.is_some() && land == country_of(volumes, place) {
                Proximity::Country
            } else {
                return None;
            };
            Some(VolumeMatch { row, by })
        })
        .collect();
    let price = volumes.catalog().by_key("storage_cost");
    matches.sort_by(|left, right| {
        let (one, two) = (left.row as usize, right.row as usize);
        let by_price = price.map_or(std::cmp::Ordering::Equal, |price| {
            let cell = |row| volumes.cell(row, price);
            compare_cells(price, cell(one), cell(two), Direction::Ascending)
        });
        let ids = || volumes.id(one).cmp(&volumes.id(two));
        left.by.cmp(&right.by).then(by_price).then_with(ids)
    });
    matches
}

/// The cluster of a row; ids of 0 and below, which servers send for "none", count as no cluster.
fn cluster(listing: &Listing, row: usize) -> Option<i128> {
    let field = listing.catalog().by_key("cluster_id")?;
    listing
        .cell(row, field)
        .whole()
        .filter(|number| *number > 0)
}

/// The country of a row.
fn country_of(listing: &Listing, row: usize) -> Option<&str> {
    let field = listing.catalog().by_key("geolocation")?;
    match listing.cell(row, field) {
        CellRef::Text(text) => Some(country::code(text)).filter(|code| !code.is_empty()),
        _ => None,
    }
}

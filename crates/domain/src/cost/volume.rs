//! The cost of a network volume.

use serde::{Deserialize, Serialize};

use super::{
    DAYS_PER_MONTH, Fit, Gap, Input, InputError, Measure, Member, Outlives, Room, Shortfall, Step, finite, hours_left,
    rounded, shown, storage_per_hour,
};
use crate::listing::Listing;
use crate::time::UnixTime;

/// The size of a volume and the time it is rented.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VolumeTerm {
    /// Size of the volume in GB.
    pub gb: f64,
    /// Length of the rental in days.
    pub days: f64,
}

impl Default for VolumeTerm {
    fn default() -> Self {
        Self::months(100.0, 1.0)
    }
}

impl VolumeTerm {
    /// A term of `months` months of 30 days, the market's billing month.
    pub fn months(gb: f64, months: f64) -> Self {
        Self {
            gb,
            days: months * DAYS_PER_MONTH,
        }
    }

    /// The length of the term in hours.
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
    /// Price of the whole volume in $/h.
    pub per_hour: f64,
    /// $ per month of 720 hours.
    pub per_month: f64,
    /// $ for the whole term.
    pub term: f64,
    /// The comparison of the volume's end with that of the term.
    pub outlives: Outlives,
    /// The comparison of the volume's space with the size.
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
    /// The prices of a listing of network volumes, whose members are read when first used.
    pub const fn new(listing: &'a Listing) -> Self {
        Self {
            storage_cost: Member::new(listing, "storage_cost"),
            disk_space: Member::new(listing, "disk_space"),
            duration: Member::new(listing, "duration"),
        }
    }

    /// $ per GB and month; an error if that is missing, not a number or negative.
    pub fn per_gb_month(&self, row: usize) -> Result<f64, Gap> {
        self.storage_cost.amount(row)
    }

    /// $ for the whole term, without the arithmetic: for a column that sorts. An error if the term is out of
    /// range, or the row has no price.
    pub fn term_total(&self, row: usize, term: &VolumeTerm) -> Result<f64, Gap> {
        finite(self.hourly(row, term)? * term.hours())
    }

    /// $ per hour for the size of the term; an error if the term is out of range, or the row has no price.
    pub fn hourly(&self, row: usize, term: &VolumeTerm) -> Result<f64, Gap> {
        term.validate()?;
        finite(storage_per_hour(self.storage_cost.amount(row)?, term.gb))
    }

    /// $ per month of 720 hours for the size of the term; an error if the term is out of range, or the row
    /// has no price.
    pub fn monthly(&self, row: usize, term: &VolumeTerm) -> Result<f64, Gap> {
        term.validate()?;
        finite(self.storage_cost.amount(row)? * term.gb)
    }

    /// Hours between the end of a term that starts at `now` and the end of the offer; negative if the offer
    /// ends first. An error if the term is out of range, or the row does not report its end.
    pub fn spare(&self, row: usize, term: &VolumeTerm, now: UnixTime) -> Result<f64, Gap> {
        term.validate()?;
        Ok(hours_left(&self.duration, row, now)? - term.hours())
    }

    /// Compares the space and the time of a row with a term that starts at `now`: `Fit::No` if one is too
    /// little, else `Fit::Unknown` if one is not reported.
    pub fn fit(&self, row: usize, term: &VolumeTerm, now: UnixTime) -> Fit {
        let left = hours_left(&self.duration, row, now).ok();
        let room = Fit::compare(self.disk_space.amount(row).ok(), term.gb);
        Fit::compare(left, term.hours()).and(room)
    }

    /// The first reason why the row cannot serve a term that starts at `now`, known ones before those not
    /// reported; `None` if it can.
    pub fn shortfall(&self, row: usize, term: &VolumeTerm, now: UnixTime) -> Option<Shortfall> {
        let left = hours_left(&self.duration, row, now).ok();
        let room = Room::compare(self.disk_space.amount(row).ok(), term.gb);
        Shortfall::first(room, None, Outlives::compare(left, term.hours()))
    }

    /// The cost of a volume of the term's size that starts at `now`, with the arithmetic. An error if the
    /// term is out of range, or the row has no price; an unknown space or end of the offer is none.
    pub fn cost(&self, row: usize, term: &VolumeTerm, now: UnixTime) -> Result<VolumeCost, Gap> {
        term.validate()?;
        let price = self.storage_cost.amount(row)?;
        let (per_hour, per_month) = (self.hourly(row, term)?, self.monthly(row, term)?);
        let total = self.term_total(row, term)?;
        let [price, gb] = [rounded(price), shown(term.gb, 4)];
        let steps = vec![
            Step::new(
                "Per hour",
                format!("{price} $/GB/month × {gb} GB / 720 h"),
                per_hour,
                Measure::DollarsPerHour,
            ),
            Step::new(
                "Per month of 720 h",
                format!("{price} $/GB/month × {gb} GB"),
                per_month,
                Measure::Dollars,
            ),
            Step::new(
                "Whole term",
                format!("{} $/h × {} days × 24 h", rounded(per_hour), shown(term.days, 4)),
                total,
                Measure::Dollars,
            ),
        ];
        Ok(VolumeCost {
            per_hour,
            per_month,
            term: total,
            outlives: Outlives::compare(hours_left(&self.duration, row, now).ok(), term.hours()),
            room: Room::compare(self.disk_space.amount(row).ok(), term.gb),
            steps,
        })
    }
}

//! The price arithmetic: storage, price models, traffic, whole jobs, volumes.
//!
//! A price per hour is the GPUs plus the allocated storage, `storage_cost x GB / 720`: the market's
//! month is 30 days of 24 hours, not 730 hours. Traffic is billed on top, both ways; storage in
//! every state of an instance. A missing member is never taken for zero: the result is a [`Gap`]
//! that names it.

use std::cell::OnceCell;

use super::format::trimmed;
use super::listing::{Column, Listing};
use super::query::OfferType;
use super::throughput::{Work, WorkUnit};
use super::value::CellRef;
use crate::time::UnixTime;

mod basis;
mod cold_start;
mod fit;
mod job;
mod job_spec;
mod job_words;
mod price_models;
mod volume;

pub use basis::Basis;
pub use cold_start::{ColdStart, ModelSizes, StartCost, StartRange, StartTerms};
pub use fit::{Fit, Outlives, Room, Shortfall};
pub use job::{Job, JobCost};
pub use job_words::JobWords;
pub use price_models::{Joined, PriceJoin, Quote, ThreePrices, gpu_numbers};
pub use volume::{VolumeCost, VolumePrices, VolumeTerm};

/// Hours in a billing month of storage.
///
/// A billing month is 30 days, not 730 h: `storage_total_cost` of real offers equals `storage_cost` x GB / 720 to the
/// last digit.
pub const HOURS_PER_MONTH: f64 = 720.0;

/// Days in a billing month of storage.
///
/// The market's hourly price of storage is its monthly price over 720 hours, not 730: recorded totals agree exactly.
pub const DAYS_PER_MONTH: f64 = 30.0;

const MEGABITS_PER_GB: f64 = 8000.0;

const SECONDS_PER_HOUR: f64 = 3600.0;

/// The price in $/h of `gb` of storage at `storage_cost` $/GB/month.
///
/// ```
/// let per_hour = bourse_domain::cost::storage_per_hour(0.20, 150.0);
/// assert!((per_hour - 0.041_667).abs() < 1e-6);
/// ```
pub fn storage_per_hour(storage_cost: f64, gb: f64) -> f64 {
    storage_cost * gb / HOURS_PER_MONTH
}

/// The reason a price cannot be computed. Members go by their wire names.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Gap {
    /// The record lacks the member, or it is null.
    #[error("{0} is not reported")]
    Missing(&'static str),
    /// The member is not a number.
    #[error("{0} is not a number")]
    Misfit(&'static str),
    /// The member is negative, which no price, size or speed is.
    #[error("{0} is below zero")]
    Negative(&'static str),
    /// The member is zero and would be a divisor.
    #[error("{0} is zero")]
    Zero(&'static str),
    #[error("the numbers are too large")]
    TooLarge,
    /// No throughput is configured for the GPU model.
    #[error("the {rate} of {1} are unknown: fill in Rate in the job, or [throughput] in config.toml", rate = .0.rate())]
    NoRate(WorkUnit, String),
    /// An input is out of range.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// An input outside the range for which a price can be computed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{} must be a number from 0 to {most}", .input.label())]
pub struct InputError {
    pub input: Input,
    pub most: f64,
}

/// The inputs of a job and of a volume's term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Input {
    /// Hours that the instance runs, and is paid for.
    RunHours,
    /// Hours it is stopped but not destroyed.
    StoppedHours,
    DiskGb,
    GbIn,
    GbOut,
    /// Amount of work in DLPerf-hours, in place of a run time.
    Work,
    /// Work in tokens, images or steps.
    Amount,
    /// The deadline of the work.
    Deadline,
    /// Size of a volume in GB.
    VolumeGb,
    /// Days a volume is rented.
    Days,
}

impl Input {
    /// The label of this input of a job or volume, with its unit if it has one: `disk in GB`, `deadline`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::RunHours => "run hours",
            Self::StoppedHours => "stopped hours",
            Self::DiskGb => "disk in GB",
            Self::GbIn => "GB in",
            Self::GbOut => "GB out",
            Self::Work => "work in DLPerf-hours",
            Self::Amount => "amount of work",
            Self::Deadline => "deadline",
            Self::VolumeGb => "size in GB",
            Self::Days => "days",
        }
    }

    /// The maximum accepted value, in the unit of the input: far beyond use, and small enough that no sum
    /// overflows.
    pub const fn maximum(self) -> f64 {
        match self {
            Self::RunHours | Self::StoppedHours => 1e6,
            Self::DiskGb | Self::GbIn | Self::GbOut | Self::VolumeGb => 1e9,
            Self::Work => 1e12,
            Self::Amount => Work::MOST,
            // The last second of the year 9999.
            Self::Deadline => 253_402_300_799.0,
            Self::Days => 36_500.0,
        }
    }

    /// The value, if it is a number from 0 to the maximum of this input, both included; else an error that
    /// names the input and its maximum.
    pub fn check(self, value: f64) -> Result<f64, InputError> {
        let most = self.maximum();
        if (0.0..=most).contains(&value) {
            Ok(value)
        } else {
            Err(InputError { input: self, most })
        }
    }
}

/// One displayed line of arithmetic.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub label: &'static str,
    /// The arithmetic: numbers with their units.
    pub formula: String,
    pub value: f64,
    /// The unit of the value.
    pub measure: Measure,
}

impl Step {
    const fn new(label: &'static str, formula: String, value: f64, measure: Measure) -> Self {
        Self {
            label,
            formula,
            value,
            measure,
        }
    }
}

/// The unit of a [`Step`]'s value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    Dollars,
    DollarsPerHour,
    Hours,
}

/// The numbers of one member, its column read when first used.
#[derive(Debug)]
struct Member<'a> {
    listing: &'a Listing,
    key: &'static str,
    column: OnceCell<Option<&'a Column>>,
}

impl<'a> Member<'a> {
    const fn new(listing: &'a Listing, key: &'static str) -> Self {
        Self {
            listing,
            key,
            column: OnceCell::new(),
        }
    }

    /// The number that a row has in this member, as read from its record, without any estimate, and maybe
    /// negative; an error if it is missing, null or not a finite number.
    fn number(&self, row: usize) -> Result<f64, Gap> {
        let column = self.column.get_or_init(|| {
            let field = self.listing.catalog().by_key(self.key)?;
            Some(self.listing.sent_column(field))
        });
        match column.map_or(CellRef::Missing, |column| column.cell(row)) {
            CellRef::Number(number) if number.is_finite() => Ok(number),
            CellRef::Missing | CellRef::Null => Err(Gap::Missing(self.key)),
            _ => Err(Gap::Misfit(self.key)),
        }
    }

    /// The number that a row has in this member, zero included; an error if it is missing, null, not a finite
    /// number or negative.
    fn amount(&self, row: usize) -> Result<f64, Gap> {
        match self.number(row)? {
            number if number < 0.0 => Err(Gap::Negative(self.key)),
            number => Ok(number),
        }
    }

    /// The number that a row has in this member, as a divisor; an error unless it is a number above zero.
    fn divisor(&self, row: usize) -> Result<f64, Gap> {
        match self.amount(row)? {
            0.0 => Err(Gap::Zero(self.key)),
            number => Ok(number),
        }
    }

    /// The row's price in this member, times `quantity`. A quantity of zero costs nothing, even at an unknown
    /// price; otherwise an error if the price is missing, not a number or negative.
    fn price(&self, row: usize, quantity: f64) -> Result<f64, Gap> {
        // An offer without a traffic price can still be priced for a job without traffic.
        if quantity == 0.0 {
            return Ok(0.0);
        }
        Ok(self.amount(row)? * quantity)
    }
}

/// Hours that a record is still available at `now`; negative if it has ended, an error if that is not
/// reported. `left` is the member with the seconds left, which count from the moment the listing was read.
fn hours_left(left: &Member<'_>, row: usize, now: UnixTime) -> Result<f64, Gap> {
    Ok((left.number(row)? - (now - left.listing.read_at())) / SECONDS_PER_HOUR)
}

/// The value; an error if it overflowed.
fn finite(value: f64) -> Result<f64, Gap> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Gap::TooLarge)
    }
}

/// A number within a formula: at most `places` decimals, without trailing zeros; `1.234e15` from 1e15 up.
fn shown(value: f64, places: usize) -> String {
    // Larger numbers have no exact digits left, and would push the rest of the formula off the line.
    if value.abs() < 1e15 {
        trimmed(value, places)
    } else {
        format!("{value:.3e}")
    }
}

/// A price within a formula: six significant digits, so that the sum of months is right to the cent.
fn rounded(price: f64) -> String {
    significant(price, 6)
}

/// A number with at least four decimals and at most twelve: as many as leave `digits` significant digits, as a price per
/// GB of VRAM may be a thousandth of a cent. Trailing zeros are cut.
fn significant(number: f64, digits: u8) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // from 0 to 12
    let places = if number == 0.0 || !number.is_finite() {
        0
    } else {
        (f64::from(digits) - 1.0 - number.abs().log10().floor()).clamp(4.0, 12.0) as usize
    };
    shown(number, places)
}

/// An amount of dollars within a sum: two decimals, as it is listed above; below a cent (or from 1e15 up) four
/// significant digits.
fn summand(amount: f64) -> String {
    if amount.abs() >= 0.01 && amount.abs() < 1e15 {
        format!("{amount:.2}")
    } else {
        significant(amount, 4)
    }
}

/// `dividend / divisor`; `None` unless that is finite and the divisor is above zero.
fn ratio(dividend: Option<f64>, divisor: f64) -> Option<f64> {
    dividend
        .map(|dividend| dividend / divisor)
        .filter(|ratio| ratio.is_finite() && divisor > 0.0)
}

/// A row's prices at another storage size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repriced {
    /// $/h of GPUs and storage.
    pub total: f64,
    /// $/h of the GPUs alone, by the price model.
    pub base: f64,
    /// $/h of the storage alone.
    pub storage: f64,
    /// `DLPerf` per $/h at the new total; `None` without a performance score.
    pub dlperf_per_dollar: Option<f64>,
    /// Teraflops per $/h at the new total; `None` if the record does not report them.
    pub flops_per_dollar: Option<f64>,
}

/// A price per hour per GPU, per GB of memory and per point of `DLPerf`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PerUnit {
    /// Price in $/h per GPU.
    pub gpu: Option<f64>,
    /// $/h per GB (1000 MB) of the GPUs' memory.
    pub vram_gb: Option<f64>,
    /// $/h per point of `DLPerf`.
    pub dlperf: Option<f64>,
}

/// The prices of a machine offer listing under one price model.
///
/// The on-demand price is only right on a listing that was fetched as on-demand: in a bid search
/// the market puts the bid floor into `dph_base` as well.
#[derive(Debug)]
pub struct Prices<'a> {
    listing: &'a Listing,
    pub model: OfferType,
    dph_base: Member<'a>,
    dph_total: Member<'a>,
    min_bid: Member<'a>,
    discounted: Member<'a>,
    storage_cost: Member<'a>,
    storage_total: Member<'a>,
    traffic_in: Member<'a>,
    traffic_out: Member<'a>,
    inet_down: Member<'a>,
    num_gpus: Member<'a>,
    gpu_ram: Member<'a>,
    gpu_total_ram: Member<'a>,
    dlperf: Member<'a>,
    flops: Member<'a>,
    disk_space: Member<'a>,
    duration: Member<'a>,
}

impl<'a> Prices<'a> {
    /// The prices of `listing` under `model`.
    pub const fn new(listing: &'a Listing, model: OfferType) -> Self {
        Self {
            listing,
            model,
            dph_base: Member::new(listing, "dph_base"),
            dph_total: Member::new(listing, "dph_total"),
            min_bid: Member::new(listing, "min_bid"),
            discounted: Member::new(listing, "discounted_dph_total"),
            storage_cost: Member::new(listing, "storage_cost"),
            storage_total: Member::new(listing, "storage_total_cost"),
            traffic_in: Member::new(listing, "inet_down_cost"),
            traffic_out: Member::new(listing, "inet_up_cost"),
            inet_down: Member::new(listing, "inet_down"),
            num_gpus: Member::new(listing, "num_gpus"),
            gpu_ram: Member::new(listing, "gpu_ram"),
            gpu_total_ram: Member::new(listing, "gpu_total_ram"),
            dlperf: Member::new(listing, "dlperf"),
            flops: Member::new(listing, "total_flops"),
            disk_space: Member::new(listing, "disk_space"),
            duration: Member::new(listing, "duration"),
        }
    }

    pub const fn listing(&self) -> &'a Listing {
        self.listing
    }

    pub const fn model(&self) -> OfferType {
        self.model
    }

    /// $/h of the GPUs alone: the base price on demand, the bid floor for a bid; for a reserved instance the
    /// discounted price less the storage that it includes. An error if a price is missing, not a number or
    /// negative.
    pub fn base(&self, row: usize) -> Result<f64, Gap> {
        match self.model {
            OfferType::OnDemand => self.dph_base.amount(row),
            OfferType::Bid => self.min_bid.amount(row),
            OfferType::Reserved => {
                let base = self.discounted.amount(row)? - self.included(row)?;
                // Subtracting the storage that was added may leave a rounding error below zero.
                match base {
                    base if base < -1e-9 => Err(Gap::Negative("discounted_dph_total")),
                    base => Ok(base.max(0.0)),
                }
            }
        }
    }

    /// $/h as quoted by the market, with the storage that the response was priced for: the total, the bid
    /// floor plus that storage, or the discounted price of a reserved instance. An error if a price is
    /// missing, not a number or negative.
    pub fn quoted(&self, row: usize) -> Result<f64, Gap> {
        match self.model {
            OfferType::OnDemand => self.dph_total.amount(row),
            OfferType::Bid => finite(self.min_bid.amount(row)? + self.included(row)?),
            OfferType::Reserved => self.discounted.amount(row),
        }
    }

    /// $/h of the storage in the quoted prices: as reported, else the total less the base price, not below
    /// zero. An error if neither is reported, or a price is not a number or negative.
    fn included(&self, row: usize) -> Result<f64, Gap> {
        match self.storage_total.amount(row) {
            Err(Gap::Missing(key)) => {
                let total = self.dph_total.amount(row).map_err(|_| Gap::Missing(key))?;
                let base = self.dph_base.amount(row).map_err(|_| Gap::Missing(key))?;
                // Some responses omit the storage price: the market's total is base plus storage, so it is the
                // difference.
                Ok((total - base).max(0.0))
            }
            known => known,
        }
    }

    /// $/h with `gb` of storage, or as quoted if `gb` is `None`. An error if a price is missing, not a number
    /// or negative; with 0 GB no storage price is needed.
    pub fn hourly(&self, row: usize, gb: Option<f64>) -> Result<f64, Gap> {
        match gb {
            None => self.quoted(row),
            Some(gb) => finite(self.base(row)? + self.storage_cost.price(row, gb)? / HOURS_PER_MONTH),
        }
    }

    /// The row's prices with `gb` of storage: an estimate until the market confirms it. An error if a price
    /// is missing or `gb` is out of range.
    pub fn with_storage(&self, row: usize, gb: f64) -> Result<Repriced, Gap> {
        let gb = Input::DiskGb.check(gb)?;
        let base = self.base(row)?;
        let storage = finite(self.storage_cost.price(row, gb)? / HOURS_PER_MONTH)?;
        let total = finite(base + storage)?;
        Ok(Repriced {
            total,
            base,
            storage,
            dlperf_per_dollar: ratio(self.dlperf.amount(row).ok(), total),
            flops_per_dollar: ratio(self.flops.amount(row).ok(), total),
        })
    }

    /// $/h per GPU with `gb` of storage for each GPU. An error if a price or the number of GPUs is missing,
    /// not a number or negative, or there are no GPUs.
    pub fn per_gpu(&self, row: usize, gb: f64) -> Result<f64, Gap> {
        let gpus = self.num_gpus.divisor(row)?;
        Ok(self.hourly(row, Some(gb * gpus))? / gpus)
    }

    /// `hourly` $/h divided by the row's GPUs, by the GB of their memory and by their `DLPerf`; `None` where
    /// the row's divisor is not reported or not above zero.
    ///
    /// The price is for the whole offer, so it is not divided by the offer's share of the machine as well.
    pub fn per_unit(&self, row: usize, hourly: f64) -> PerUnit {
        let over = |divisor: Result<f64, Gap>| ratio(Some(hourly), divisor.ok()?);
        PerUnit {
            gpu: self.over_gpus(row, hourly),
            vram_gb: over(self.vram_gb(row)),
            dlperf: over(self.dlperf.divisor(row)),
        }
    }

    /// `hourly` $/h divided by the number of the row's GPUs; `None` if that is not reported or zero.
    pub fn over_gpus(&self, row: usize, hourly: f64) -> Option<f64> {
        ratio(Some(hourly), self.num_gpus.divisor(row).ok()?)
    }

    /// `DLPerf` of all GPUs of the row; an error if it is missing, not a number or negative.
    pub fn dlperf(&self, row: usize) -> Result<f64, Gap> {
        self.dlperf.amount(row)
    }

    /// `DLPerf` of one GPU of the row; an error if that or the number of GPUs is missing or negative, or
    /// there are none.
    pub fn dlperf_per_gpu(&self, row: usize) -> Result<f64, Gap> {
        finite(self.dlperf.amount(row)? / self.num_gpus.divisor(row)?)
    }

    /// Whether the row's disk has at least `gb`: `Fit::Yes`, also if `gb` is 0, or `Fit::No`; `Fit::Unknown`
    /// if its size is not reported.
    pub fn disk_fit(&self, row: usize, gb: f64) -> Fit {
        Fit::compare(self.disk_space.amount(row).ok(), gb)
    }

    /// The GB by which the row's disk is too small for `gb`, or that its size is unknown; `None` if it is
    /// large enough.
    pub fn disk_shortfall(&self, row: usize, gb: f64) -> Option<Shortfall> {
        let room = Room::compare(self.disk_space.amount(row).ok(), gb);
        Shortfall::first(room, None, Outlives::Yes { spare: 0.0 })
    }

    /// GB (1000 MB) of all GPUs' memory: the reported total, else that of one GPU times their number. An
    /// error if neither is reported as above zero.
    pub fn vram_gb(&self, row: usize) -> Result<f64, Gap> {
        let megabytes = match self.gpu_total_ram.divisor(row) {
            Ok(megabytes) => megabytes,
            Err(_) => self.gpu_ram.divisor(row)? * self.num_gpus.divisor(row)?,
        };
        Ok(megabytes / 1000.0)
    }
}

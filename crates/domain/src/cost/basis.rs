//! The price that ranks offers.

use super::{Gap, Job, Prices};
use crate::query::OfferType;

/// The price by which offers are ranked, compared and summed up: the bill of a job, else the price per hour under the
/// chosen price model and storage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Basis {
    /// The price model of the search.
    pub model: OfferType,
    /// The storage in GB to price for; `None` takes prices as quoted.
    pub gb: Option<f64>,
    /// The job to bill; `None` for prices per hour.
    pub job: Option<Job>,
}

impl Basis {
    /// Ranks by the price per hour as quoted under `model`, without a job.
    pub const fn hourly(model: OfferType) -> Self {
        Self {
            model,
            gb: None,
            job: None,
        }
    }

    /// Whether there is a job that takes the same time on every offer, so that only its bill counts; false
    /// without a job.
    pub fn has_fixed_length(&self) -> bool {
        self.job.is_some_and(|job| !job.is_work())
    }

    /// The wire name of the column that shows the price: `job_cost` with a job, else `dph_total`.
    pub const fn key(&self) -> &'static str {
        match self.job {
            Some(_) => "job_cost",
            None => "dph_total",
        }
    }

    /// The `price` of a row made comparable across sizes: per GPU, or the whole bill if it is for work, as
    /// more GPUs only finish sooner.
    ///
    /// `None` if it is per GPU, and the row does not report its GPUs.
    pub fn unit_price(&self, prices: &Prices<'_>, row: usize, price: f64) -> Option<f64> {
        if self.is_work() {
            Some(price)
        } else {
            prices.over_gpus(row, price)
        }
    }

    /// Whether prices are bills, in $, for a job given as an amount of work; false for prices in $/h and for a job of
    /// fixed hours.
    pub fn is_work(&self) -> bool {
        self.job.is_some_and(|job| job.is_work())
    }

    /// The price of a row: the bill of the job in $, else $/h with the storage of the basis. An error if
    /// something that it needs is not reported, or the job is invalid.
    pub fn price(&self, prices: &Prices<'_>, row: usize) -> Result<f64, Gap> {
        match &self.job {
            Some(job) => prices.job_total(row, job),
            None => prices.hourly(row, self.gb),
        }
    }
}

//! The price that offers are ranked by.

use super::{Gap, Job, Prices};
use crate::query::OfferType;

/// What offers are priced by wherever they are ranked, compared or summed up: the bill of a job,
/// else the price per hour under the chosen price model and storage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Basis {
    /// The price model that was searched.
    pub model: OfferType,
    /// The storage in GB to price for; `None` takes prices as quoted.
    pub gb: Option<f64>,
    /// The job whose bill counts.
    pub job: Option<Job>,
}

impl Basis {
    /// The price per hour as quoted.
    pub const fn hourly(model: OfferType) -> Self {
        Self {
            model,
            gb: None,
            job: None,
        }
    }

    /// Whether every offer does the job in the same time, so that only its bill counts.
    pub fn has_fixed_length(&self) -> bool {
        self.job.is_some_and(|job| !job.is_work())
    }

    /// The wire name of the column that shows the price.
    pub const fn key(&self) -> &'static str {
        match self.job {
            Some(_) => "job_cost",
            None => "dph_total",
        }
    }

    /// A price by which offers of any size compare: per GPU; of work the whole bill, as more GPUs only do it sooner.
    pub fn unit_price(&self, prices: &Prices<'_>, row: usize, price: f64) -> Option<f64> {
        if self.is_work() {
            Some(price)
        } else {
            prices.over_gpus(row, price)
        }
    }

    /// Whether prices are bills for work.
    pub fn is_work(&self) -> bool {
        self.job.is_some_and(|job| job.is_work())
    }

    /// The price of a row: $ for the job, else $/h.
    pub fn price(&self, prices: &Prices<'_>, row: usize) -> Result<f64, Gap> {
        match &self.job {
            Some(job) => prices.job_total(row, job),
            None => prices.hourly(row, self.gb),
        }
    }
}

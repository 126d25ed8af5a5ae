//! Totals of the marked offers.

use super::supply::{Amount, Machine, Supply};
use super::total;
use crate::cost::{Basis, Job, Prices};
use crate::format::nominal_total_gb;

/// Sums and extremes over offers; `None` if a record lacks the number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals {
    /// The number of machines, and of GPUs that can be rented at once.
    pub amount: Amount,
    /// The rows that share GPUs with others among them, so that not all can be rented.
    pub shared: Vec<u32>,
    /// The nominal memory of all GPUs, in GB.
    pub vram_gb: Option<f64>,
    /// The total price in $/h.
    pub hourly: Option<f64>,
    /// The total bill of the job in $, whose work is divided evenly among the GPUs; `None` without a job.
    pub bill: Option<f64>,
    /// The slowest download and upload speed, in the unit of the records.
    pub slowest: Option<(f64, f64)>,
    /// Seconds from the time the listing was read until the first of them ends.
    pub left: Option<f64>,
}

impl Totals {
    /// The totals of `rows`: prices with the storage of `basis`, bills of its job, whose work they divide. Each sum or extreme is
    /// `None` if any of the rows lacks the number, and the bill also without a job; without rows other sums
    /// are 0 and extremes `None`.
    pub fn new(prices: &Prices<'_>, basis: &Basis, rows: &[u32]) -> Self {
        let listing = prices.listing();
        let number = |key: &str, row: u32| {
            let number = listing.cell_of(row as usize, key).number();
            number.filter(|number| number.is_finite())
        };
        let least = |key: &str| -> Option<f64> {
            let numbers: Option<Vec<f64>> = rows.iter().map(|row| number(key, *row)).collect();
            numbers?.into_iter().reduce(f64::min)
        };
        let sum = |value: &dyn Fn(usize) -> Option<f64>| {
            let numbers: Option<Vec<f64>> = rows.iter().map(|row| value(*row as usize)).collect();
            Some(total(numbers?.into_iter()))
        };
        let supply = Supply::new(listing, rows);
        let amount = supply.amount();
        // Several offers divide the work of a job; its hours each of them runs.
        let job = basis.job.map(|job| Job {
            shared_by: u32::try_from(amount.gpus)
                .ok()
                .filter(|_| job.is_work() && rows.len() > 1),
            ..job
        });
        Self {
            amount,
            shared: supply.machines().iter().flat_map(Machine::shared).collect(),
            vram_gb: sum(&|row| {
                // Where the total is missing, `vram_gb` has it from the cards.
                let megabytes = prices.vram_gb(row).ok()? * 1000.0;
                let count = number("num_gpus", u32::try_from(row).ok()?);
                Some(nominal_total_gb(megabytes, count))
            }),
            hourly: sum(&|row| prices.hourly(row, basis.gb).ok()),
            bill: job.and_then(|job| sum(&|row| prices.job_total(row, &job).ok())),
            slowest: least("inet_down").zip(least("inet_up")),
            left: least("duration"),
        }
    }
}

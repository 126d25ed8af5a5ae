//! Price and performance of comparable rows, plotted by the overview on wide screens.

use crate::domain::insight::{FEWEST, Measure, Standing};
use crate::domain::{Listing, Resource, format};
use crate::table::browser::Browser;

/// The price of a row among those of comparable rows.
#[derive(Debug, Default)]
pub(super) struct Spread {
    pub title: String,
    pub values: Vec<f64>,
    pub of_row: Option<f64>,
    /// The axes of `points`: performance by price.
    pub axes: &'static str,
    pub points: Vec<(f64, f64)>,
    pub point_of_row: Option<(f64, f64)>,
}

impl Spread {
    /// The prices (or the job's costs if there is a job) and performance of the row's model, or of all models
    /// if it has too few offers; of all volumes. Empty for workergroups.
    pub fn new(browser: &Browser, listing: &Listing, row: usize) -> Self {
        let mut figures = Standing::figures(listing, Some(row));
        // With too few rows of its model, all rows are a better comparison.
        let is_of_all = figures.len() < FEWEST as usize;
        if is_of_all {
            figures = Standing::figures(listing, None);
        }
        let many = format::grouped(figures.len());
        let job = browser.computed.job.filter(|_| Standing::compares_bills(listing));
        let axes = match browser.resource() {
            Resource::Volumes => "Read MB/s (y) by $/GB/month (x)",
            _ if job.is_some_and(|job| job.is_work()) => "DLPerf per GPU (y) by job $ (x)",
            _ if job.is_some() => "DLPerf (y) by job $ (x), per GPU",
            Resource::Offers | Resource::Workergroups => "DLPerf (y) by $/h (x), per GPU",
        };
        let title = match browser.resource() {
            Resource::Workergroups => return Self::default(),
            Resource::Volumes => format!("$/GB/month of {many} volumes"),
            Resource::Offers => {
                let model = format::cell_of(listing, row, "gpu_name", 24);
                let what = match job {
                    Some(job) if job.is_work() => "Job $",
                    Some(_) => "Job $ per GPU",
                    None => "$/h per GPU",
                };
                let whose = if is_of_all {
                    if figures.len() == 1 {
                        "offer of any model"
                    } else {
                        "offers of all models"
                    }
                } else {
                    &model
                };
                format!("{what} of {many} {whose}")
            }
        };
        let of_row = Standing::value(listing, Measure::Price, row);
        Self {
            title,
            values: figures.iter().map(|(price, _)| *price).collect(),
            of_row,
            axes,
            points: figures
                .into_iter()
                .filter_map(|(price, speed)| Some((price, speed?)))
                .collect(),
            point_of_row: of_row.zip(Standing::value(listing, Measure::Performance, row)),
        }
    }
}

//! Price and performance of comparable rows, plotted by the overview on wide screens.

use crate::domain::insight::{Measure, Standing};
use crate::domain::{Listing, Resource, format};
use crate::table::browser::Browser;

/// The price of the row among those of comparable rows.
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
    pub fn new(browser: &Browser, listing: &Listing, row: usize) -> Self {
        let values = Standing::values(listing, Measure::Price, row);
        let many = format::grouped(values.len());
        let axes = match browser.resource() {
            Resource::Volumes => "Read MB/s (y) by $/GB/month (x)",
            _ if browser.computed.job.is_some() => "DLPerf (y) by job $ (x), per GPU",
            Resource::Offers | Resource::Workergroups => "DLPerf (y) by $/h (x), per GPU",
        };
        let title = match browser.resource() {
            Resource::Workergroups => return Self::default(),
            Resource::Volumes => format!("$/GB/month of {many} volumes"),
            Resource::Offers => {
                let model = listing.catalog().by_key("gpu_name");
                let model = model.map_or_else(String::new, |field| format::cell(listing, row, field, 24));
                let what = if browser.computed.job.is_some() { "Job $" } else { "$/h" };
                format!("{what} per GPU of {many} {model}")
            }
        };
        let of_row = Standing::value(listing, Measure::Price, row);
        Self {
            title,
            values,
            of_row,
            axes,
            points: Standing::points(listing, row),
            point_of_row: of_row.zip(Standing::value(listing, Measure::Performance, row)),
        }
    }
}

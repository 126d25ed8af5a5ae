//! The cost of a cold start: downloading image and model, and loading them.

use std::collections::BTreeMap;

use super::{Gap, MEGABITS_PER_GB, Prices, SECONDS_PER_HOUR, finite};
use crate::format::{dollars, gigabytes, span};

/// The download and the loading time of a cold start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColdStart {
    /// The size of image and model together, in GB.
    pub gb: f64,
    /// The loading time after the download, in seconds.
    pub loading: f64,
}

/// A machine's prices and speed for a cold start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartTerms {
    /// The price of the machine, in $/h.
    pub hourly: f64,
    /// The download time of 1 GB, in seconds.
    pub seconds_per_gb: f64,
    /// The price of downloading 1 GB, in $.
    pub dollars_per_gb: f64,
}

impl StartTerms {
    /// The cost of a cold start on these terms.
    ///
    /// ```
    /// use bourse_domain::cost::{ColdStart, StartTerms};
    /// // 800 Mbit/s are 10 s per GB; $2 per TB.
    /// let terms = StartTerms { hourly: 0.36, seconds_per_gb: 10.0, dollars_per_gb: 0.002 };
    /// let cost = terms.cost(ColdStart { gb: 40.0, loading: 200.0 });
    /// // 400 s + 200 s at $0.36/h are $0.06; 40 GB are $0.08.
    /// assert!((cost.total() - 0.14).abs() < 1e-9);
    /// ```
    pub fn cost(&self, start: ColdStart) -> StartCost {
        let download = start.gb * self.seconds_per_gb;
        StartCost {
            download,
            loading: start.loading,
            traffic: start.gb * self.dollars_per_gb,
            machine: (download + start.loading) / SECONDS_PER_HOUR * self.hourly,
        }
    }
}

/// The cost of one cold start on a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartCost {
    /// The download time, in seconds.
    pub download: f64,
    /// The loading time, in seconds.
    pub loading: f64,
    /// The price of the downloaded traffic, in $.
    pub traffic: f64,
    /// The price of the machine while it downloads and loads, in $.
    pub machine: f64,
}

impl StartCost {
    /// Seconds from the start until the worker is ready.
    pub fn seconds(&self) -> f64 {
        self.download + self.loading
    }

    /// The total cost in $.
    pub fn total(&self) -> f64 {
        self.traffic + self.machine
    }
}

impl Prices<'_> {
    /// The terms for cold starts of a row whose price is `hourly` in $/h.
    ///
    /// # Errors
    /// When the row reports no price of downloads, or no download speed above zero.
    pub fn start_terms(&self, row: usize, hourly: f64) -> Result<StartTerms, Gap> {
        let per_gb = MEGABITS_PER_GB / self.listing.transfer().megabits();
        Ok(StartTerms {
            hourly,
            seconds_per_gb: finite(per_gb / self.inet_down.divisor(row)?)?,
            dollars_per_gb: self.traffic_in.amount(row)?,
        })
    }
}

/// The cost of a cold start on the machines of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StartRange {
    pub least: StartCost,
    pub median: StartCost,
    pub most: StartCost,
    /// Machines whose price or speed of downloads is not reported.
    pub unknown: usize,
}

impl StartRange {
    /// The range of total costs over `terms`, which are `None` for machines that do not report them; `None`
    /// if all are. Of an even number, the median is the cheaper of the middle two.
    pub fn new(terms: &[Option<StartTerms>], start: ColdStart) -> Option<Self> {
        let mut costs: Vec<StartCost> = terms.iter().flatten().map(|terms| terms.cost(start)).collect();
        costs.sort_by(|left, right| left.total().total_cmp(&right.total()));
        Some(Self {
            least: *costs.first()?,
            median: costs[(costs.len() - 1) / 2],
            most: *costs.last()?,
            unknown: terms.len() - costs.len(),
        })
    }

    /// Describes the range of costs, for one start and for `starts` a day: `$0.14 to $0.46 a start (40 GB, 3m
    /// loading); 10 a day: $1.40 to $4.60`; equal ends as one price, and then `; 2 not reported` if any are.
    pub fn describe(&self, start: ColdStart, starts: u32) -> String {
        let range = |times: f64| {
            let [least, most] = [self.least, self.most].map(|cost| dollars(cost.total() * times));
            if least == most {
                least
            } else {
                format!("{least} to {most}")
            }
        };
        let unknown = match self.unknown {
            0 => String::new(),
            many => format!("; {many} not reported"),
        };
        format!(
            "{} a start ({}, {} loading); {starts} a day: {}{unknown}",
            range(1.0),
            gigabytes(start.gb),
            span(start.loading),
            range(f64::from(starts))
        )
    }
}

/// The sizes of image and model in GB, by the name of an endpoint or a template.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelSizes(BTreeMap<String, f64>);

// Sizes are never NaN.
impl Eq for ModelSizes {}

impl ModelSizes {
    /// The name whose size applies to names without one.
    pub const DEFAULT: &str = "default";

    /// Sets the size in GB of a name, in place of an earlier one.
    pub fn set(&mut self, name: &str, gb: f64) {
        self.0.insert(name.to_owned(), gb);
    }

    /// The size in GB of the first of `names` that has one, else the default size; `None` if there is none
    /// either.
    pub fn size(&self, names: &[String]) -> Option<f64> {
        let mut sizes = names.iter().filter_map(|name| self.0.get(name));
        sizes.next().or_else(|| self.0.get(Self::DEFAULT)).copied()
    }

    /// Iterates over the names of endpoints and templates with their sizes in GB, by name; the default size,
    /// if set, has the name [`Self::DEFAULT`].
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, gb)| (name.as_str(), *gb))
    }
}

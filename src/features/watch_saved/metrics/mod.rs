//! The metrics of a watch: its figures as `OpenMetrics` text, and their server.

pub mod server;

use std::fmt;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Metric, Registry};

use crate::domain::time::UnixTime;
use crate::record::watch::SearchFigures;

/// A gauge with fractional values.
type Number = Gauge<f64, AtomicU64>;

/// The figures of a watch at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metrics {
    pub requests: RequestCounts,
    /// Number of alerts that are checked.
    pub alerts: usize,
    pub searches: Vec<SearchSnapshot>,
}

/// The number of requests since the watch began, by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestCounts {
    pub sent: u64,
    /// Requests refused because of the rate limit.
    pub rate_limited: u64,
    /// Requests refused because the day's quota is used up.
    pub over_quota: u64,
    /// Requests refused because of the API key.
    pub key_refused: u64,
    /// Requests that failed for any other reason.
    pub failed: u64,
}

/// The figures of a saved search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchSnapshot {
    pub name: String,
    pub is_volumes: bool,
    /// The time at which its newest recorded response was requested.
    pub last: Option<UnixTime>,
    /// Its prices and supply; `None` before the first usable response.
    pub figures: Option<SearchFigures>,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Search {
    search: String,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Priced {
    search: String,
    /// The unit of the price.
    per: &'static str,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

impl Metrics {
    /// The metrics of a watch as `OpenMetrics` text, at `now`.
    ///
    /// # Errors
    ///
    /// When a value cannot be written, which no value of a snapshot causes.
    pub fn text(&self, now: UnixTime) -> Result<String, fmt::Error> {
        let mut registry = Registry::with_prefix("bourse");
        self.register_requests(&mut registry);
        self.register_searches(&mut registry, now);
        let mut text = String::new();
        encode(&mut text, &registry)?;
        Ok(text)
    }

    /// Adds the version of bourse and the counters of requests, failures and refusals to the metrics.
    fn register_requests(&self, registry: &mut Registry) {
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of bourse", version);
        let sent: Counter = add(registry, "requests", "Requests sent to the market", Counter::default());
        sent.inc_by(self.requests.sent);
        let failed = "Requests without a usable response, refusals not counted";
        let failures: Counter = add(registry, "request_failures", failed, Counter::default());
        failures.inc_by(self.requests.failed);
        let refusals: Family<Reason, Counter> = add(
            registry,
            "refusals",
            "Requests that the market refused",
            Family::default(),
        );
        for (reason, count) in [
            ("rate_limit", self.requests.rate_limited),
            ("quota", self.requests.over_quota),
            ("key", self.requests.key_refused),
        ] {
            refusals.get_or_create(&Reason { reason }).inc_by(count);
        }
    }

    /// Adds the numbers of searches and alerts, and the gauges of each watched search: age in seconds,
    /// completeness, supply and prices ($/h per GPU, of volumes $/GB/month); figures that it lacks are left
    /// out.
    fn register_searches(&self, registry: &mut Registry, now: UnixTime) {
        let count = |registry: &mut Registry, name, help, count| {
            let gauge: Gauge = add(registry, name, help, Gauge::default());
            gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
        };
        count(
            registry,
            "watched_searches",
            "Saved searches that are watched",
            self.searches.len(),
        );
        count(registry, "watched_alerts", "Alerts that are checked", self.alerts);
        let age = "Time since the newest recorded response to the search was requested";
        let age = searches(registry, "record_age_seconds", age);
        let complete = "Whether the response had every offer of the search: without, supply is a lower bound";
        let complete = searches(registry, "response_complete", complete);
        let machines = searches(registry, "machines", "Machines on offer; of volumes clusters");
        let gpus = searches(registry, "gpus_on_offer", "Distinct GPUs on offer");
        let gigabytes = searches(registry, "gigabytes_on_offer", "Volume storage on offer in GB");
        let mut prices =
            |name: &str, help: &str| -> Family<Priced, Number> { add(registry, name, help, Family::default()) };
        let lowest = "Lowest price of the machines on offer, in dollars";
        let lowest = prices("lowest_price_dollars", lowest);
        let median = "Median price of the machines on offer, in dollars";
        let median = prices("median_price_dollars", median);
        for one in &self.searches {
            let search = Search {
                search: one.name.clone(),
            };
            if let Some(last) = one.last {
                age.get_or_create(&search).set((now - last).max(0.0));
            }
            let Some(figures) = &one.figures else { continue };
            let amount = if one.is_volumes { &gigabytes } else { &gpus };
            complete
                .get_or_create(&search)
                .set(f64::from(u8::from(figures.is_complete)));
            amount.get_or_create(&search).set(figures.amount as f64);
            machines.get_or_create(&search).set(figures.machines as f64);
            let unit = Priced {
                search: search.search,
                per: if one.is_volumes { "gb_month" } else { "gpu_hour" },
            };
            for (family, value) in [(&lowest, figures.lowest), (&median, figures.median)] {
                if let Some(value) = value {
                    family.get_or_create(&unit).set(value);
                }
            }
        }
    }
}

/// Registers a metric and returns a handle to it.
fn add<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Registers a gauge with a value for each watched search, and returns a handle to it.
fn searches(registry: &mut Registry, name: &str, help: &str) -> Family<Search, Number> {
    add(registry, name, help, Family::default())
}

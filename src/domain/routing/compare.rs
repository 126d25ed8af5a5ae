//! Two runs side by side.

use super::sample::OutcomeKind;
use super::stats::{Quantiles, Summary};

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureUnit {
    /// Things.
    Count,
    /// Seconds.
    Seconds,
    /// Attempts per second.
    PerSecond,
    /// A share from 0 to 1.
    Share,
    /// Bytes.
    Bytes,
    /// Load, in the endpoint's own unit.
    Load,
}

/// One figure of two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// What it is.
    pub label: &'static str,
    /// What it counts.
    pub unit: FigureUnit,
    /// Of the first run; `None` where it has none.
    pub first: Option<f64>,
    /// Of the second run.
    pub second: Option<f64>,
    /// Whether more is better (`Some(true)`), less is better, or neither.
    pub better: Option<bool>,
}

impl Figure {
    /// Second less first.
    pub fn difference(&self) -> Option<f64> {
        Some(self.second? - self.first?)
    }

    /// The difference as a part of the first; `None` where the first is 0.
    pub fn change(&self) -> Option<f64> {
        let first = self.first.filter(|first| *first != 0.0)?;
        Some(self.difference()? / first)
    }

    /// Whether the second run is the better one in this; `None` where that cannot be said or both
    /// are alike.
    pub fn improved(&self) -> Option<bool> {
        let difference = self.difference().filter(|difference| *difference != 0.0)?;
        Some(self.better? == (difference > 0.0))
    }
}

/// The figures of two runs. Counts of outcomes that occur in neither are left out, but for the
/// first three.
pub fn compare(first: &Summary, second: &Summary) -> Vec<Figure> {
    use FigureUnit::{Bytes, Count, Load, PerSecond, Seconds, Share};
    let mut figures = Vec::new();
    let mut add = |label, unit, better, get: &dyn Fn(&Summary) -> Option<f64>| {
        figures.push(Figure {
            label,
            unit,
            first: get(first),
            second: get(second),
            better,
        });
    };
    let (more, less) = (Some(true), Some(false));
    add("attempts", Count, None, &|of| count(of.attempts));
    for kind in OutcomeKind::ALL {
        let is_shown =
            first.count(kind) + second.count(kind) > 0 || kind <= OutcomeKind::RateLimited;
        if is_shown {
            let better = match kind {
                OutcomeKind::Assigned => more,
                OutcomeKind::Cancelled => None,
                _ => less,
            };
            add(kind.label(), Count, better, &|of| count(of.count(kind)));
        }
    }
    add("share assigned", Share, more, &|of| of.assigned_share);
    add("polls", Count, less, &|of| count(of.polls));
    add("running time", Seconds, None, &|of| Some(of.seconds));
    add("attempts per second", PerSecond, more, &|of| of.per_second);
    let all = |get: fn(&Quantiles) -> f64| move |of: &Summary| of.all.as_ref().map(get);
    add("p50", Seconds, less, &all(|latency| latency.p50));
    add("p90", Seconds, less, &all(|latency| latency.p90));
    add("p95", Seconds, less, &all(|latency| latency.p95));
    add("p99", Seconds, less, &all(|latency| latency.p99));
    add("max", Seconds, less, &all(|latency| latency.max));
    add("mean", Seconds, less, &all(|latency| latency.mean));
    add("first assignment", Seconds, less, &|of| of.first_assigned);
    add("workers", Count, None, &|of| count(of.workers));
    add("reqnum gaps", Count, None, &|of| count(of.reqnum_gaps));
    add("reqnum repeats", Count, less, &|of| {
        count(of.reqnum_repeats)
    });
    add("bytes", Bytes, None, &|of| count(of.bytes));
    add("load injected", Load, None, &|of| Some(of.load));
    figures
}

#[expect(clippy::unnecessary_wraps)] // as the other figures
fn count(number: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss)] // shown to a few digits
    Some(number as f64)
}

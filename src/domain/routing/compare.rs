//! Two runs side by side.

use super::latency::Latencies;
use super::rank::{LEAST_VALUES, SIGNIFICANT, rank_test};
use super::sample::OutcomeKind;
use super::stats::{Quantiles, RouteStats, Summary};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureUnit {
    Count,
    Seconds,
    PerSecond,
    /// A share from 0 to 1.
    Share,
    Bytes,
    /// Load, in the endpoint's own unit.
    Load,
}

/// What a rank test says of the second run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is better than the first.
    Better,
    /// It is worse than the first.
    Worse,
    /// The difference may be chance.
    Unclear,
    /// One of them has fewer than [`LEAST_VALUES`] values: nothing was tested.
    TooFew,
}

/// One figure of two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    pub label: &'static str,
    pub unit: FigureUnit,
    /// Of the first run; `None` where it has none.
    pub first: Option<f64>,
    /// Of the second run.
    pub second: Option<f64>,
    /// Which run is better, for the figures that are tested: a count or a single percentile says
    /// too little.
    pub verdict: Option<Verdict>,
}

impl Figure {
    /// Second less first.
    pub fn difference(&self) -> Option<f64> {
        Some(self.second? - self.first?)
    }

    /// The difference relative to the first; `None` if the first is 0.
    pub fn change(&self) -> Option<f64> {
        let first = self.first.filter(|first| *first != 0.0)?;
        Some(self.difference()? / first)
    }
}

/// The figures of two runs, each with the seconds it has run. Counts of outcomes that neither run
/// has are left out, except the first three.
pub fn compare(first: (&RouteStats, f64), second: (&RouteStats, f64)) -> Vec<Figure> {
    use FigureUnit::{Bytes, Count, Load, PerSecond, Seconds, Share};
    let summaries = [first, second].map(|(stats, seconds)| stats.summary(seconds));
    let (first, second) = (first.0, second.0);
    let mut figures = Vec::new();
    let mut add = |label, unit, verdict, get: &dyn Fn(&Summary) -> Option<f64>| {
        let [first, second] = &summaries;
        figures.push(Figure {
            label,
            unit,
            first: get(first),
            second: get(second),
            verdict,
        });
    };
    add("requests", Count, None, &|of| count(of.requests));
    for kind in OutcomeKind::ALL {
        let is_shown =
            first.count(kind) + second.count(kind) > 0 || kind <= OutcomeKind::RateLimited;
        if is_shown {
            add(kind.label(), Count, None, &|of| count(of.count(kind)));
        }
    }
    let assigned = assigned_verdict(first, second);
    add("share assigned", Share, Some(assigned), &|of| {
        of.assigned_share
    });
    add("polls", Count, None, &|of| count(of.polls));
    add("running time", Seconds, None, &|of| Some(of.seconds));
    add("requests per second", PerSecond, None, &|of| of.per_second);
    let reply = time_verdict(first.router_reply(), second.router_reply());
    for (place, (label, get)) in REPLY_TIMES.into_iter().enumerate() {
        // The test compares distributions, which the median represents best.
        let verdict = (place == 0).then_some(reply);
        let of = |run: &Summary| run.router_reply.as_ref().map(get);
        add(label, Seconds, verdict, &of);
    }
    let worker = time_verdict(first.time_to_worker(), second.time_to_worker());
    for (place, (label, get)) in WORKER_TIMES.into_iter().enumerate() {
        let verdict = (place == 0).then_some(worker);
        let of = |run: &Summary| run.time_to_worker.as_ref().map(get);
        add(label, Seconds, verdict, &of);
    }
    add("first assignment", Seconds, None, &|of| of.first_assigned);
    add("workers", Count, None, &|of| count(of.workers));
    add("request no. gaps", Count, None, &|of| count(of.reqnum_gaps));
    add("repeated no.", Count, None, &|of| count(of.reqnum_repeats));
    add("bytes", Bytes, None, &|of| count(of.bytes));
    add("load", Load, None, &|of| Some(of.load));
    figures
}

type Quantile = fn(&Quantiles) -> f64;

/// The median first: it has the verdict.
const REPLY_TIMES: [(&str, Quantile); 6] = [
    ("router reply p50", |it| it.p50),
    ("router reply p90", |it| it.p90),
    ("router reply p95", |it| it.p95),
    ("router reply p99", |it| it.p99),
    ("router reply max", |it| it.max),
    ("router reply mean", |it| it.mean),
];

/// The median first: it has the verdict.
const WORKER_TIMES: [(&str, Quantile); 6] = [
    ("to a worker p50", |it| it.p50),
    ("to a worker p90", |it| it.p90),
    ("to a worker p95", |it| it.p95),
    ("to a worker p99", |it| it.p99),
    ("to a worker max", |it| it.max),
    ("to a worker mean", |it| it.mean),
];

/// Whether the second run is the faster one.
fn time_verdict(first: &Latencies, second: &Latencies) -> Verdict {
    verdict(&first.counts(), &second.counts(), false)
}

/// Whether the second run assigned the larger share of its requests: a request counts 1 with a
/// worker and 0 without.
fn assigned_verdict(first: &RouteStats, second: &RouteStats) -> Verdict {
    let counts = |of: &RouteStats| {
        let assigned = of.count(OutcomeKind::Assigned);
        [(0, of.answered() - assigned), (1, assigned)]
    };
    verdict(&counts(first), &counts(second), true)
}

fn verdict(first: &[(u64, u64)], second: &[(u64, u64)], more_is_better: bool) -> Verdict {
    let size = |sample: &[(u64, u64)]| sample.iter().map(|(_, count)| count).sum::<u64>();
    if size(first).min(size(second)) < LEAST_VALUES {
        return Verdict::TooFew;
    }
    match rank_test(first, second) {
        Some(test) if test.p < SIGNIFICANT => {
            let is_more = test.z < 0.0;
            if is_more == more_is_better {
                Verdict::Better
            } else {
                Verdict::Worse
            }
        }
        Some(_) | None => Verdict::Unclear,
    }
}

#[expect(clippy::unnecessary_wraps)] // as the other figures
fn count(number: u64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss)] // shown to a few digits
    Some(number as f64)
}

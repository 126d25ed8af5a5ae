//! Figures of a run, accumulated as attempts end.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::hop::{WorkerStats, WorkerSummary};
use super::latency::Latencies;
use super::sample::{OutcomeKind, RouteSample};
use super::workers::Workers;

/// The figures of a run so far.
///
/// Two of them are times: the *router reply* is the time of each reply, including polls; the *time to a worker* is the
/// time of a request from its first attempt to its assignment, including polls and waits.
#[derive(Debug, Clone, Default)]
pub struct RouteStats {
    /// The number of requests by outcome; one that is being polled counts as waiting.
    counts: [u64; OutcomeKind::ALL.len()],
    attempts: u64,
    /// The number of attempts that were polls.
    pub polls: u64,
    bytes: u64,
    /// Total load estimate of the finished attempts that were not refused.
    pub load: f64,
    /// The time of each reply; a timed-out attempt counts with the time until its timeout.
    pub router_reply: Latencies,
    /// The time to a worker of each request that got one.
    pub time_to_worker: Latencies,
    pub workers: Workers,
    first_assigned: Option<f64>,
    /// The calls of workers, in a run that sends requests on.
    pub worker_calls: WorkerStats,
}

impl RouteStats {
    /// The figures of these attempts, which must be in the order they ended.
    pub fn from_samples(samples: &[RouteSample]) -> Self {
        let mut stats = Self::default();
        for sample in samples {
            stats.record(sample);
        }
        stats
    }

    /// Adds a finished attempt; the outcome of a poll or a retry replaces the earlier one of its request.
    ///
    /// A cancelled one only counts as cancelled, as an attempt, as a poll and as load: its latency is ours,
    /// not the server's.
    pub fn record(&mut self, sample: &RouteSample) {
        let kind = sample.outcome.kind();
        self.attempts += 1;
        if sample.poll > 0 {
            self.polls += 1;
            // Only waiting requests are polled: the poll's outcome replaces "waiting".
            let waiting = &mut self.counts[OutcomeKind::Waiting.index()];
            *waiting = waiting.saturating_sub(1);
        } else if let Some(retry) = sample.retry {
            // Only requests with a worker are retried.
            let assigned = &mut self.counts[OutcomeKind::Assigned.index()];
            *assigned = assigned.saturating_sub(1);
            self.worker_calls.retract(retry);
        }
        self.counts[kind.index()] += 1;
        self.load += sample.load();
        if kind == OutcomeKind::Cancelled {
            return;
        }
        self.bytes = self.bytes.saturating_add(sample.bytes);
        self.router_reply.record(sample.latency());
        if let Some(worker) = sample.outcome.worker() {
            self.workers.record(worker, sample.outcome.reqnum());
            let first = self.first_assigned.unwrap_or(f64::INFINITY);
            self.first_assigned = Some(first.min(sample.ended));
        }
        if let Some(time) = sample.time_to_worker() {
            self.time_to_worker.record(time);
        }
        if let Some(call) = &sample.call {
            self.worker_calls.record(sample, call);
        }
    }

    /// The number of requests whose latest attempt had that outcome.
    pub const fn count(&self, kind: OutcomeKind) -> u64 {
        self.counts[kind.index()]
    }

    /// The number of requests with at least one finished attempt, each counted once, also those still polled
    /// and the cancelled ones.
    pub fn requests(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The number of requests whose latest finished attempt was not cancelled, also those that failed, timed
    /// out or still wait for a worker.
    pub fn answered(&self) -> u64 {
        self.requests() - self.count(OutcomeKind::Cancelled)
    }

    /// The number of requests that failed: neither assigned, nor waiting, nor cancelled.
    pub fn failed(&self) -> u64 {
        use OutcomeKind::{Assigned, Cancelled, Waiting};
        let kinds = OutcomeKind::ALL.into_iter();
        kinds
            .filter(|kind| !matches!(kind, Assigned | Waiting | Cancelled))
            .map(|kind| self.count(kind))
            .sum()
    }

    /// The share of the answered requests that got no worker, from 0 to 1; if they are sent on to workers
    /// (`sends`), the share without a 2xx response. `None` if none was answered.
    pub fn error_share(&self, sends: bool) -> Option<f64> {
        let answered = self.answered();
        let good = if sends {
            self.worker_calls.good
        } else {
            self.count(OutcomeKind::Assigned)
        };
        (answered > 0).then(|| answered.saturating_sub(good) as f64 / answered as f64)
    }

    /// All figures so far. `seconds` is the running time without pauses, for the rate; `worker_calls` is
    /// `None` if no worker was called.
    pub fn summary(&self, seconds: f64) -> Summary {
        let ranked = self.workers.ranked();
        let per = |part: u64, whole: f64| (whole > 0.0).then(|| part as f64 / whole);
        let answered = self.answered() as f64;
        let outcomes = OutcomeKind::ALL.into_iter();
        Summary {
            outcomes: outcomes.map(|kind| (kind.label(), self.count(kind))).collect(),
            requests: self.requests(),
            assigned: self.count(OutcomeKind::Assigned),
            waiting: self.count(OutcomeKind::Waiting),
            failed: self.failed(),
            attempts: self.attempts,
            polls: self.polls,
            seconds,
            per_second: per(self.answered(), seconds),
            assigned_share: per(self.count(OutcomeKind::Assigned), answered),
            router_reply: Quantiles::from_latencies(&self.router_reply),
            time_to_worker: Quantiles::from_latencies(&self.time_to_worker),
            first_assigned: self.first_assigned,
            bytes: self.bytes,
            load: self.load,
            workers: ranked.len() as u64,
            reqnum_gaps: ranked.iter().map(|share| share.gaps()).sum(),
            reqnums_missing: ranked.iter().fold(0, |sum, share| sum.saturating_add(share.missing())),
            reqnum_repeats: ranked.iter().map(|share| share.repeats()).sum(),
            worker_calls: (self.worker_calls.calls > 0).then(|| WorkerSummary {
                errors: self.error_share(true),
                ..self.worker_calls.summary()
            }),
        }
    }
}

/// Summary of latencies, in seconds.
///
/// Of a histogram with three significant digits; the maximum is exact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Quantiles {
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub mean: f64,
}

/// A function that reads one figure.
type QuantileFigure = fn(&Quantiles) -> f64;

impl Quantiles {
    /// Each figure with its label; the first four are the percentiles.
    pub const ALL: [(&'static str, QuantileFigure); 6] = [
        ("p50", |times| times.p50),
        ("p90", |times| times.p90),
        ("p95", |times| times.p95),
        ("p99", |times| times.p99),
        ("max", |times| times.max),
        ("mean", |times| times.mean),
    ];

    /// The percentiles, maximum and mean of latencies, in seconds; `None` if nothing was recorded.
    pub fn from_latencies(latencies: &Latencies) -> Option<Self> {
        Some(Self {
            p50: latencies.quantile(0.5)?,
            p90: latencies.quantile(0.9)?,
            p95: latencies.quantile(0.95)?,
            p99: latencies.quantile(0.99)?,
            max: latencies.most()?,
            mean: latencies.mean()?,
        })
    }
}

/// All figures of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Summary {
    /// Requests that have ended, not counting polls.
    pub requests: u64,
    pub assigned: u64,
    pub waiting: u64,
    pub failed: u64,
    /// Requests by outcome.
    outcomes: BTreeMap<&'static str, u64>,
    /// Attempts that have ended: requests and polls.
    pub attempts: u64,
    pub polls: u64,
    /// Running time in seconds, without pauses.
    pub seconds: f64,
    /// Requests per second, without cancelled ones.
    pub per_second: Option<f64>,
    /// The share of the requests that got a worker, from 0 to 1, without cancelled ones.
    pub assigned_share: Option<f64>,
    /// The time of each reply.
    #[serde(rename = "router_reply_seconds")]
    pub router_reply: Option<Quantiles>,
    /// The time to a worker of each request that got one, including polls.
    #[serde(rename = "time_to_worker_seconds")]
    pub time_to_worker: Option<Quantiles>,
    /// Seconds until the first assignment.
    #[serde(rename = "first_assigned_seconds")]
    pub first_assigned: Option<f64>,
    /// Total size of the response bodies, in bytes.
    pub bytes: u64,
    /// Total load estimate of the attempts that were not refused.
    #[serde(rename = "load_injected")]
    pub load: f64,
    #[serde(skip)]
    pub workers: u64,
    /// The number of gaps in the workers' request numbers.
    pub reqnum_gaps: u64,
    /// The number of missing request numbers in those gaps.
    pub reqnums_missing: u64,
    /// The number of request numbers that a worker was given more than once.
    pub reqnum_repeats: u64,
    /// The calls of workers; `None` if there were none.
    pub worker_calls: Option<WorkerSummary>,
}

impl Summary {
    /// The number of requests whose latest attempt had that outcome.
    pub fn count(&self, kind: OutcomeKind) -> u64 {
        self.outcomes.get(kind.label()).copied().unwrap_or(0)
    }
}

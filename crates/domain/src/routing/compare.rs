//! Comparison of two runs.

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

/// The direction in which a figure improves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    Lower,
    Higher,
    /// Neither: it follows from the plan, or says nothing about the endpoint.
    Neither,
}

/// One figure of two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub label: String,
    pub unit: FigureUnit,
    pub better: Better,
    /// The value of the first run; `None` if it has none.
    pub first: Option<f64>,
    /// The value of the second run; `None` if it has none.
    pub second: Option<f64>,
}

impl Figure {
    /// The second value minus the first; `None` unless both exist.
    pub fn difference(&self) -> Option<f64> {
        Some(self.second? - self.first?)
    }

    /// The difference relative to the first value, such as 0.1 for 10% more; `None` if the first is 0 or
    /// either is missing.
    pub fn change(&self) -> Option<f64> {
        let first = self.first.filter(|first| *first != 0.0)?;
        Some(self.difference()? / first)
    }

    /// Whether the second run is better by this figure; `None` if the values are equal, one is missing, or
    /// neither direction is better.
    pub fn is_better(&self) -> Option<bool> {
        let difference = self.difference().filter(|difference| *difference != 0.0)?;
        match self.better {
            Better::Lower => Some(difference < 0.0),
            Better::Higher => Some(difference > 0.0),
            Better::Neither => None,
        }
    }
}

/// The figures of two route runs; the number of each pair is its running time in seconds.
///
/// Counts of outcomes that occur in neither run are left out, except the first three. Counts are judged as
/// better or worse only between runs of equally many requests.
pub fn compare(first: (&RouteStats, f64), second: (&RouteStats, f64)) -> Vec<Figure> {
    use Better::{Higher, Lower, Neither};
    use FigureUnit::{Bytes, Count, Load, PerSecond, Seconds, Share};
    let summaries = [first, second].map(|(stats, seconds)| stats.summary(seconds));
    let (first, second) = (first.0, second.0);
    let mut figures = Vec::new();
    let mut add = |label: &str, unit, better, get: &dyn Fn(&Summary) -> Option<f64>| {
        let [first, second] = &summaries;
        figures.push(Figure {
            label: label.to_owned(),
            unit,
            better,
            first: get(first),
            second: get(second),
        });
    };
    // A longer run has more of everything: counts are judged only of as many requests.
    let has_as_many = first.requests() == second.requests();
    let if_as_many = |better| if has_as_many { better } else { Neither };
    add("requests", Count, Neither, &|of| count(of.requests));
    for kind in OutcomeKind::ALL {
        if first.count(kind) + second.count(kind) > 0 || kind <= OutcomeKind::RateLimited {
            add(kind.label(), Count, if_as_many(better_count(kind)), &|of| {
                count(of.count(kind))
            });
        }
    }
    add("share assigned", Share, Higher, &|of| of.assigned_share);
    add("polls", Count, if_as_many(Lower), &|of| count(of.polls));
    add("running time", Seconds, Neither, &|of| Some(of.seconds));
    add("requests per second", PerSecond, Higher, &|of| of.per_second);
    for (label, get) in Quantiles::ALL {
        add(&format!("router reply {label}"), Seconds, Lower, &|run| {
            run.router_reply.as_ref().map(get)
        });
    }
    for (label, get) in Quantiles::ALL {
        add(&format!("to a worker {label}"), Seconds, Lower, &|run| {
            run.time_to_worker.as_ref().map(get)
        });
    }
    add("first assignment", Seconds, Lower, &|of| of.first_assigned);
    add("workers", Count, Neither, &|of| count(of.workers));
    add("request no. gaps", Count, Neither, &|of| count(of.reqnum_gaps));
    add("repeated no.", Count, if_as_many(Lower), &|of| count(of.reqnum_repeats));
    add("bytes", Bytes, Neither, &|of| count(of.bytes));
    add("load", Load, Neither, &|of| Some(of.load));
    figures
}

/// The direction in which the number of requests with an outcome improves: more if assigned, fewer otherwise;
/// neither if cancelled.
const fn better_count(kind: OutcomeKind) -> Better {
    match kind {
        OutcomeKind::Assigned => Better::Higher,
        OutcomeKind::Waiting
        | OutcomeKind::RateLimited
        | OutcomeKind::Refused
        | OutcomeKind::Failed
        | OutcomeKind::Garbage
        | OutcomeKind::TimedOut => Better::Lower,
        OutcomeKind::Cancelled => Better::Neither,
    }
}

/// A count as the value of a figure; always `Some`.
#[expect(clippy::unnecessary_wraps)] // as the other figures
fn count(number: u64) -> Option<f64> {
    Some(number as f64)
}

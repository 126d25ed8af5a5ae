//! The requirements of a run, for scripts: `p95<2s, errors<1%`.

use std::fmt;
use std::str::FromStr;

use super::latency::Latencies;
use super::stats::RouteStats;
use super::words;
use crate::format::percent;
use crate::quantity::{self, Quantity};

/// A measured part of a request's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The whole measured time: until a worker is assigned, or until its last byte if requests are sent on to it.
    Whole,
    /// From the first attempt, or from a retry, until a worker is assigned.
    Queue,
    /// Connection and TLS handshake with the worker.
    Connect,
    /// From the ready connection until the first byte of the worker.
    FirstByte,
}

impl Part {
    const ALL: [Self; 4] = [Self::Queue, Self::Connect, Self::FirstByte, Self::Whole];

    /// The prefix of the part's percentiles in a requirement, such as `queue_`; empty for the whole time.
    const fn prefix(self) -> &'static str {
        match self {
            Self::Whole => "",
            Self::Queue => "queue_",
            Self::Connect => "connect_",
            Self::FirstByte => "first_byte_",
        }
    }

    /// The times of the part in a run; `sends` is whether it sends requests on to workers.
    const fn times(self, stats: &RouteStats, sends: bool) -> &Latencies {
        match self {
            Self::Whole if sends => &stats.worker_calls.total,
            Self::Whole | Self::Queue => &stats.time_to_worker,
            Self::Connect => &stats.worker_calls.connect,
            Self::FirstByte => &stats.worker_calls.first_byte,
        }
    }

    /// Whether a run that sends nothing to workers measures the part: only the whole and the queue time.
    const fn is_of_router(self) -> bool {
        match self {
            Self::Whole | Self::Queue => true,
            Self::Connect | Self::FirstByte => false,
        }
    }
}

/// The error for a text that is not a requirement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequirementError {
    #[error("'{0}' is no requirement: write p95<2s, queue_p50<400ms or errors<1%")]
    Unknown(String),
    /// A bare number could be seconds or milliseconds, a share or a percentage.
    #[error("'{text}' is no requirement: its bound needs a unit, {units}")]
    NoUnit { text: String, units: &'static str },
}

/// An upper bound for a figure of a run; the figure must be below it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Requirement {
    Time {
        part: Part,
        /// The percentile, from 50 to 99.
        percentile: u8,
        /// The upper bound in seconds.
        bound: f64,
    },
    /// The share, from 0 to 1, of requests that got no worker, or without a 2xx response if they are sent on to
    /// workers.
    Errors { bound: f64 },
}

impl Requirement {
    /// Parses a comma-separated list of requirements on a route run: `p95<2s, errors<1%`.
    ///
    /// # Errors
    /// If a part is not a requirement, also an empty one; the error contains it.
    ///
    /// ```
    /// use bourse_domain::routing::Requirement;
    /// assert_eq!(Requirement::parse_list("p95<2s, errors<1%").unwrap().len(), 2);
    /// assert!(Requirement::parse_list("p100<2s").is_err());
    /// ```
    pub fn parse_list(text: &str) -> Result<Vec<Self>, RequirementError> {
        text.split(',').map(|part| part.trim().parse()).collect()
    }

    /// Whether a run that sends nothing to workers measures its figure: errors, and the whole and the queue
    /// time.
    pub const fn is_of_router(&self) -> bool {
        match self {
            Self::Time { part, .. } => part.is_of_router(),
            Self::Errors { .. } => true,
        }
    }

    /// The violation with its figure, in a sentence; `None` if the figure is below its bound. A figure that
    /// was not measured is a violation.
    ///
    /// `sends` is whether the run sends requests on to workers.
    pub fn broken_by(&self, stats: &RouteStats, sends: bool) -> Option<String> {
        let figure = match self {
            Self::Time { part, percentile, .. } => part.times(stats, sends).quantile(f64::from(*percentile) / 100.0),
            Self::Errors { .. } => stats.error_share(sends),
        };
        let Some(figure) = figure else {
            let why = if sends {
                "no request was answered by a worker"
            } else {
                "no request was answered with a worker"
            };
            return Some(format!("{self}: not measured, {why}"));
        };
        let (bound, words) = match self {
            Self::Time { bound, .. } => (*bound, words::latency(figure)),
            Self::Errors { bound } => (*bound, percent(figure)),
        };
        (figure >= bound).then(|| format!("{self}: it is {words}"))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time {
                part,
                percentile,
                bound,
            } => write!(f, "{}p{percentile} < {}", part.prefix(), words::latency(*bound)),
            Self::Errors { bound } => write!(f, "errors < {}", percent(*bound)),
        }
    }
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Self, RequirementError> {
        let wrong = || RequirementError::Unknown(text.to_owned());
        let (name, bound) = text.split_once('<').ok_or_else(wrong)?;
        let (name, bound) = (name.trim(), bound.trim());
        if bound.parse::<f64>().is_ok() {
            let units = if name == "errors" { "%" } else { "ms, s or m" };
            let text = text.to_owned();
            return Err(RequirementError::NoUnit { text, units });
        }
        if name == "errors" {
            let number = bound.strip_suffix('%').ok_or_else(wrong)?;
            let share = number.trim().parse::<f64>().map_err(|_| wrong())? / 100.0;
            return if share > 0.0 && share <= 1.0 {
                Ok(Self::Errors { bound: share })
            } else {
                Err(wrong())
            };
        }
        let (part, figure) = Part::ALL
            .into_iter()
            .find_map(|part| Some((part, name.strip_prefix(part.prefix())?)))
            .ok_or_else(wrong)?;
        let percentile = figure.strip_prefix('p').and_then(|number| number.parse().ok());
        let percentile = percentile
            .filter(|number| (50..=99).contains(number))
            .ok_or_else(wrong)?;
        let bound = quantity::within(bound, Quantity::Seconds, 0.000_001..=86_400.0).map_err(|_| wrong())?;
        Ok(Self::Time {
            part,
            percentile,
            bound,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Outcome, RouteSample};
    use super::*;
    use crate::text::Untrusted;

    /// A request that ended after `seconds`.
    fn sample(index: u64, seconds: f64, outcome: Outcome) -> RouteSample {
        RouteSample {
            index,
            request: index,
            poll: 0,
            retry: None,
            asked: 0.0,
            first: 0.0,
            cost: 1.0,
            request_idx: None,
            intended: 0.0,
            sent: 0.0,
            ended: seconds,
            outcome,
            bytes: 0,
            request_id: None,
            call: None,
        }
    }

    /// Three requests with a worker after 1, 2 and 3 s, and one without.
    fn four() -> RouteStats {
        let assigned = || Outcome::Assigned {
            worker: Untrusted::from("w"),
            reqnum: None,
            echoed: true,
        };
        let mut samples: Vec<_> = [1.0, 2.0, 3.0]
            .into_iter()
            .enumerate()
            .map(|(index, seconds)| sample(index as u64, seconds, assigned()))
            .collect();
        samples.push(sample(3, 9.0, Outcome::waiting("{}")));
        RouteStats::from_samples(&samples)
    }

    #[test]
    fn a_figure_must_be_below_its_bound() {
        let stats = four();
        for (text, broken) in [
            ("p50<2.1s", None),
            ("p50<1500ms", Some("p50 < 1.50 s: it is 2.00 s")),
            ("p99 < 3.1s", None),
            ("queue_p99<2s", Some("queue_p99 < 2.00 s: it is 3.00 s")),
            ("errors<26%", None),
            ("errors<25%", Some("errors < 25%: it is 25%")),
        ] {
            let requirement: Requirement = text.parse().unwrap();
            assert_eq!(requirement.broken_by(&stats, false).as_deref(), broken, "{text}");
        }
        let requirement: Requirement = "p95<2s".parse().unwrap();
        let nothing = requirement.broken_by(&RouteStats::default(), false);
        assert!(nothing.unwrap().starts_with("p95 < 2.00 s: not measured"));
    }

    #[test]
    fn a_mistake_is_named() {
        for text in [
            "",
            "p95",
            "p95<2",
            "p49<2s",
            "p100<2s",
            "p95<0s",
            "errors<1",
            "errors<0%",
            "load_p95<1s",
        ] {
            let error = Requirement::parse_list(text).unwrap_err();
            assert!(error.to_string().contains("is no requirement"), "{text}: {error}");
        }
        for (text, hint) in [("p95<2", "needs a unit, ms, s or m"), ("errors<1", "needs a unit, %")] {
            let error = Requirement::parse_list(text).unwrap_err();
            assert!(error.to_string().ends_with(hint), "{error}");
        }
        let list = Requirement::parse_list("first_byte_p50<400ms, connect_p95<1s,queue_p50<1s,errors<1%").unwrap();
        let of_router: Vec<_> = list.iter().map(Requirement::is_of_router).collect();
        assert_eq!(of_router, [false, false, true, true]);
    }
}

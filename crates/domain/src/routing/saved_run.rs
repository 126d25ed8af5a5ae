//! A run saved as JSON, for comparison with a later one.

use serde_json::Value as Json;

use super::compare::{Better, Figure, FigureUnit};
use super::plan::RoutePlan;
use super::stats::{Quantiles, RouteStats};
use crate::text::Untrusted;

/// The compared figures of a saved run.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedRun {
    endpoint: String,
    /// The path at the workers; `None` if requests were not sent on to them.
    path: Option<String>,
    /// The number of finished requests.
    requests: u64,
    /// The share of requests without a worker, or without a 2xx response of one, from 0 to 1.
    errors: Option<f64>,
    /// The percentiles of each part, in seconds.
    times: [[Option<f64>; PERCENTILES]; PARTS.len()],
}

/// The reason a text is not a saved run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SavedRunError {
    #[error("it is not JSON: {0}")]
    Json(String),
    #[error("it is no saved run: save one with --format json, or export one from the route lab as JSON")]
    Shape,
}

/// The reason a run cannot be compared with a saved one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    #[error("it is a run of endpoint {saved}, this one is of {now}: they can't be compared")]
    Endpoint { saved: String, now: String },
    #[error("it {saved}, this one {now}: they can't be compared")]
    Kind { saved: String, now: String },
}

/// The parts of a request's time: the name, which is its member of the summary without the unit, and its label.
const PARTS: [(&str, &str); 5] = [
    ("time_to_worker", "time to worker"),
    ("connect", "connect, TLS"),
    ("first_byte", "first byte"),
    ("last_byte", "last byte"),
    ("total", "total"),
];

/// The number of compared percentiles of each part.
const PERCENTILES: usize = 4;

impl SavedRun {
    /// Parses a saved route run: the JSON of `bourse route --format json` or of an export of the route lab.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Self, SavedRunError> {
        let whole: Json = serde_json::from_str(text).map_err(|why| SavedRunError::Json(why.to_string()))?;
        // An export of the route lab has neither.
        let is_newer = whole.get("v").is_some_and(|version| version.as_u64() != Some(1));
        if is_newer || whole.get("kind").is_some_and(|kind| kind != "route") {
            return Err(SavedRunError::Shape);
        }
        let summary = &whole["summary"];
        // An export has its parameters beside the summary, the output of a command inside it.
        let run = whole.get("run").unwrap_or(&summary["run"]);
        let endpoint = run["endpoint"].as_str().ok_or(SavedRunError::Shape)?.to_owned();
        let requests = summary["requests"].as_u64().ok_or(SavedRunError::Shape)?;
        let outcome = |name: &str| summary["outcomes"][name].as_u64().ok_or(SavedRunError::Shape);
        let calls = &summary["worker_calls"];
        let path = run["send"]["path"].as_str().map(str::to_owned);
        let good = match &path {
            Some(_) => calls["good"].as_u64().unwrap_or(0),
            None => outcome("assigned")?,
        };
        let answered = requests.saturating_sub(outcome("cancelled")?);
        let errors = (answered > 0).then(|| answered.saturating_sub(good) as f64 / answered as f64);
        let times = PARTS.map(|(part, _)| {
            let place = if part == "time_to_worker" { summary } else { calls };
            let figures = ["seconds", "s"].map(|unit| &place[format!("{part}_{unit}")]);
            std::array::from_fn(|at| figures.iter().find_map(|of| of[Quantiles::ALL[at].0].as_f64()))
        });
        Ok(Self {
            endpoint,
            path,
            requests,
            errors,
            times,
        })
    }

    /// Checks that runs of a plan can be compared with the saved run.
    ///
    /// # Errors
    /// If the plan is for another endpoint, sends requests on to another path at its workers, or only one of
    /// the two sends them on.
    pub fn check(&self, plan: &RoutePlan) -> Result<(), Incomparable> {
        let screen = |name: &str| format!("'{}'", Untrusted::from(name).screen(80));
        if self.endpoint != plan.endpoint {
            return Err(Incomparable::Endpoint {
                saved: screen(&self.endpoint),
                now: screen(&plan.endpoint),
            });
        }
        let path = plan.hop.as_ref().map(|hop| hop.absolute_path());
        if self.path != path {
            let kind = |path: &Option<String>| match path {
                Some(path) => format!("sends requests on to {}", Untrusted::from(path.as_str()).screen(80)),
                None => "sends nothing to workers".to_owned(),
            };
            return Err(Incomparable::Kind {
                saved: kind(&self.path),
                now: kind(&path),
            });
        }
        Ok(())
    }

    /// The number of requests of the saved run that had a finished attempt, also cancelled ones, each counted
    /// once.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// The percentiles and error shares of the saved run (`first`) and of a comparable one (`second`, see
    /// `SavedRun::check`), without figures that both lack.
    pub fn differences(&self, stats: &RouteStats) -> Vec<Figure> {
        let calls = &stats.worker_calls;
        let parts = [
            &stats.time_to_worker,
            &calls.connect,
            &calls.first_byte,
            &calls.last_byte,
            &calls.total,
        ];
        let mut figures = Vec::new();
        for (((_, part), saved), now) in PARTS.into_iter().zip(self.times).zip(parts) {
            let now = Quantiles::from_latencies(now);
            figures.extend(
                saved
                    .into_iter()
                    .zip(Quantiles::ALL)
                    .map(|(first, (label, get))| Figure {
                        label: format!("{part} {label}"),
                        unit: FigureUnit::Seconds,
                        better: Better::Lower,
                        first,
                        second: now.as_ref().map(get),
                    }),
            );
        }
        figures.push(Figure {
            label: "errors".to_owned(),
            unit: FigureUnit::Share,
            better: Better::Lower,
            first: self.errors,
            second: stats.error_share(self.path.is_some()),
        });
        figures.retain(|figure| figure.first.is_some() || figure.second.is_some());
        figures
    }
}

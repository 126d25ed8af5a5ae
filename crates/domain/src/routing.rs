//! The route lab: sends requests to the routing endpoint, once or in a series, and measures it.
//!
//! A [`RoutePlan`] describes the requests; a [`Run`] executes it as a pure state machine: from the time it derives the
//! attempts to send and the time of its next step; every attempt ends as one [`RouteSample`]; [`RouteStats`]
//! accumulates the samples. The same figures can be computed from the exported attempts.
//!
//! A plan has one way of sending, not one for each combination of count, duration and rate:
//!
//! - without a rate, each of `concurrency` slots sends its next attempt when its last one is answered (a closed loop);
//! - with a rate, request `k` is due `k / rate` seconds after the start, whatever the responses do, and its latency
//!   counts from then. An attempt that had to wait for a free slot keeps its due time, so that a slow server cannot
//!   hide behind our own waiting (coordinated omission).
//!
//! A request is its first attempt and the polls that follow while no worker is ready; an attempt is one call. Counts
//! and rates are of requests. On a market with a queue (`Dialect::route_queue`) a poll repeats the index of its
//! request: the request keeps its place and adds its load once.
//!
//! There is no clock here: every time is passed in, in seconds of one monotonic clock.

mod compare;
mod export;
mod hop;
mod latency;
mod next_hop;
mod plan;
mod poll;
mod requirement;
mod run;
mod sample;
mod saved_run;
mod stats;
pub mod words;
mod workers;

pub use compare::{Better, Figure, FigureUnit, compare};
pub use export::{export_csv, export_json, parameters_json, statuses_json};
pub use hop::{Hop, MOST_RETRIES, Retry, WorkerCall, WorkerOutcome, WorkerStats, WorkerSummary, status_sentence};
pub use latency::Latencies;
pub use next_hop::{PayloadError, check_path, check_payload, next_hop_body};
pub use plan::{DEFAULT_RATE, MOST_ATTEMPTS, RoutePlan, Stop};
pub use poll::{Jitter, PollPolicy, SHORT_REPLAY};
pub use requirement::{Part, Requirement, RequirementError};
pub use run::{Attempt, Completion, End, Phase, Run, StatusChange};
pub use sample::{LONGEST_WAIT, Outcome, OutcomeKind, RouteSample, or_more};
pub use saved_run::{Incomparable, SavedRun, SavedRunError};
pub use stats::{Quantiles, RouteStats, Summary};
pub use workers::{WorkerShare, Workers};

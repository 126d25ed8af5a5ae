//! The request that a run sends to the workers, and their responses.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::latency::Latencies;
use super::sample::{RouteSample, cut, micros};
use super::stats::Quantiles;
use crate::text::Untrusted;

/// Seconds that the router holds the load of an assignment that is about to be used: the default of
/// the market's own client.
pub const SEND_REPLAY: f64 = 60.0;

/// The maximum number of retries of a request.
pub const MOST_RETRIES: u32 = 20;

/// The longest wait before a retry, in seconds.
const LONGEST_REST: f64 = 5.0;

/// The request that a run sends to each assigned worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    /// The path at the worker, from the first slash.
    pub path: String,
    /// The payload, as JSON text.
    pub payload: String,
    /// The maximum number of retries of a request after a temporary status.
    pub retries: u32,
}

impl Hop {
    /// The wait in seconds before retry number `retry` of a request, from 1: 2 to the power of `retry` plus
    /// `jitter` (from 0 to 1), at most 5, like that of the market's own client.
    pub fn retry_wait(retry: u32, jitter: f64) -> f64 {
        let doubled = f64::from(1_u32 << retry.min(16));
        (doubled + jitter).min(LONGEST_REST)
    }

    /// The path without surrounding blanks, with exactly one slash before it.
    pub fn absolute_path(&self) -> String {
        format!("/{}", self.path.trim().trim_start_matches('/'))
    }
}

/// The retry of a request after a worker's temporary status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The number of the retry, from 1.
    pub number: u32,
    /// The status of the preceding call.
    pub status: u16,
}

/// The outcome of the call of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerOutcome {
    /// The whole response arrived, with this status.
    Answered { status: u16 },
    /// There was no connection, or the response was cut off.
    Failed { words: Untrusted },
    /// The response took longer than the limit.
    TimedOut,
}

/// The call of a worker. Times are in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerCall {
    pub outcome: WorkerOutcome,
    /// The time until the connection was ready: name, TCP and TLS. `None` if it never was.
    pub connect: Option<f64>,
    /// The time from the ready connection to the first byte of the body, or to the head if there is no body.
    pub first_byte: Option<f64>,
    /// The time from the assignment to the last byte, or until it failed.
    pub total: f64,
    /// Bytes of the response body.
    pub bytes: u64,
    /// The number of tokens that the model generated; `None` if the response does not report it.
    pub tokens: Option<u64>,
}

impl WorkerCall {
    /// A call of a worker that failed without a response. `words` is the error, cut to 400 characters;
    /// `total` is its time in seconds.
    pub fn failed(words: &str, total: f64) -> Self {
        Self {
            outcome: WorkerOutcome::Failed {
                words: Untrusted::from(cut(words)),
            },
            connect: None,
            first_byte: None,
            total,
            bytes: 0,
            tokens: None,
        }
    }

    /// The HTTP status of the worker's response; `None` if the response did not arrive in full.
    pub const fn status(&self) -> Option<u16> {
        match self.outcome {
            WorkerOutcome::Answered { status } => Some(status),
            WorkerOutcome::Failed { .. } | WorkerOutcome::TimedOut => None,
        }
    }

    /// Whether the worker answered with a 2xx status.
    pub const fn is_good(&self) -> bool {
        matches!(self.outcome, WorkerOutcome::Answered { status: 200..=299 })
    }

    /// Whether the worker answered with 408, 429 or 5xx, after which clients retry.
    pub const fn is_retryable(&self) -> bool {
        matches!(
            self.outcome,
            WorkerOutcome::Answered {
                status: 408 | 429 | 500..=599
            }
        )
    }

    /// Tokens per second, from the ready connection to the last byte; `None` without a token count, without a
    /// connection, or if no time passed.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let seconds = self.total - self.connect?;
        (seconds > 0.0).then_some(self.tokens? as f64 / seconds)
    }

    /// The call with its times in whole microseconds, so that exports are short and exact.
    pub(super) fn rounded(mut self) -> Self {
        self.connect = self.connect.map(micros);
        self.first_byte = self.first_byte.map(micros);
        self.total = micros(self.total);
        self
    }
}

/// The class of a worker's HTTP status, such as `2xx`; `no response` for `None`.
fn status_class(status: Option<u16>) -> String {
    status.map_or_else(|| "no response".to_owned(), |status| format!("{}xx", status / 100))
}

/// The calls of workers in a run, accumulated as they end.
///
/// Times are those of requests that a worker answered with a 2xx status.
#[derive(Debug, Clone, Default)]
pub struct WorkerStats {
    /// The number of finished calls, including retries.
    pub calls: u64,
    /// The number of requests answered with a 2xx status.
    pub good: u64,
    /// The number of requests by the class of their last call.
    classes: BTreeMap<String, u64>,
    statuses: BTreeMap<String, u64>,
    /// The time of connection and TLS handshake.
    pub connect: Latencies,
    /// The time from the ready connection to the first byte.
    pub first_byte: Latencies,
    /// The time from the ready connection to the last byte.
    pub last_byte: Latencies,
    /// The time from when a request was first due to its last byte.
    pub total: Latencies,
    /// Tokens per second, in place of seconds.
    token_rate: Latencies,
    tokens: u64,
}

impl WorkerStats {
    /// Adds a finished call of a worker to the figures; only a 2xx response counts for times and tokens.
    pub(super) fn record(&mut self, sample: &RouteSample, call: &WorkerCall) {
        self.calls += 1;
        let status = call.status();
        *self.classes.entry(status_class(status)).or_default() += 1;
        let status = status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        *self.statuses.entry(status).or_default() += 1;
        if !call.is_good() {
            return;
        }
        self.good += 1;
        for (figure, seconds) in [
            (&mut self.connect, call.connect),
            (&mut self.first_byte, call.first_byte),
            (&mut self.last_byte, call.connect.map(|connect| call.total - connect)),
            (&mut self.total, sample.total()),
            (&mut self.token_rate, call.tokens_per_second()),
        ] {
            if let Some(seconds) = seconds {
                figure.record(seconds);
            }
        }
        self.tokens += call.tokens.unwrap_or(0);
    }

    /// Takes the call before `retry` out of the counts by class: only the last call of a request counts
    /// there.
    pub(super) fn retract(&mut self, retry: Retry) {
        if let Some(count) = self.classes.get_mut(&status_class(Some(retry.status))) {
            *count = count.saturating_sub(1);
        }
        self.classes.retain(|_, count| *count > 0);
    }

    /// All figures of the calls, except `errors`, which is `None` here.
    pub fn summary(&self) -> WorkerSummary {
        WorkerSummary {
            calls: self.calls,
            good: self.good,
            errors: None,
            classes: self.classes.clone(),
            statuses: self.statuses.clone(),
            connect: Quantiles::from_latencies(&self.connect),
            first_byte: Quantiles::from_latencies(&self.first_byte),
            last_byte: Quantiles::from_latencies(&self.last_byte),
            total: Quantiles::from_latencies(&self.total),
            token_rate: Quantiles::from_latencies(&self.token_rate),
            tokens: self.tokens,
        }
    }
}

/// The figures of the calls of workers; see [`WorkerStats`]. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct WorkerSummary {
    pub calls: u64,
    pub good: u64,
    /// The share of requests that failed, from 0 to 1.
    pub errors: Option<f64>,
    /// Requests by the class of the last response.
    pub classes: BTreeMap<String, u64>,
    /// Calls by HTTP status; `none` without a response.
    pub statuses: BTreeMap<String, u64>,
    #[serde(rename = "connect_seconds")]
    pub connect: Option<Quantiles>,
    #[serde(rename = "first_byte_seconds")]
    pub first_byte: Option<Quantiles>,
    #[serde(rename = "last_byte_seconds")]
    pub last_byte: Option<Quantiles>,
    #[serde(rename = "total_seconds")]
    pub total: Option<Quantiles>,
    /// Tokens per second of each response, in quantiles.
    #[serde(rename = "tokens_per_second")]
    pub token_rate: Option<Quantiles>,
    pub tokens: u64,
}

/// The meaning of a worker's HTTP status as a clause in lower case: `the worker took too long`.
pub const fn status_sentence(status: u16) -> &'static str {
    match status {
        200..=299 => "the worker answered",
        401 => "the worker refused the signature, or has no public key of the market yet",
        408 => "the worker took too long",
        410 => "the session is unknown to the worker",
        422 => "the worker could not use the request: auth_data lacks a member, or the payload is no JSON object",
        429 => "the worker's queue is full: more than 30 s of work",
        499 => "the request was cancelled before the worker answered",
        500..=599 => "the model failed",
        300..=399 => "the worker redirects, which is not followed",
        404 => "the model has no such path",
        _ => "the model's own answer",
    }
}

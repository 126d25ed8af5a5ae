//! The request that a run sends to the workers, and their responses.

use std::collections::BTreeMap;

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
    /// The wait before retry number `retry` of a request, from 1, in seconds, like that of the market's own client;
    /// `jitter` is from 0 to 1.
    pub fn rest(retry: u32, jitter: f64) -> f64 {
        let doubled = f64::from(1_u32 << retry.min(16));
        (doubled + jitter).min(LONGEST_REST)
    }

    /// The path with exactly one slash before it.
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
    /// A failed call without a response; `total` is its time in seconds.
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

    /// The status of the response; `None` if it did not arrive.
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

    /// Whether clients retry after this status: 408, 429 and 5xx.
    pub const fn may_pass(&self) -> bool {
        matches!(
            self.outcome,
            WorkerOutcome::Answered {
                status: 408 | 429 | 500..=599
            }
        )
    }

    /// Tokens per second, from the ready connection to the last byte; `None` without a token count.
    pub fn tokens_per_second(&self) -> Option<f64> {
        let seconds = self.total - self.connect?;
        #[expect(clippy::cast_precision_loss)] // tokens of one response
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

/// A class of worker responses: the first digit of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatusClass {
    /// The first digit of the status.
    Status(u16),
    /// The worker sent no complete response.
    None,
}

impl StatusClass {
    const fn from_call(call: &WorkerCall) -> Self {
        match call.status() {
            Some(status) => Self::Status(status / 100),
            None => Self::None,
        }
    }

    /// The name on screen and in exports.
    pub fn label(self) -> String {
        match self {
            Self::Status(digit) => format!("{digit}xx"),
            Self::None => "no response".to_owned(),
        }
    }
}

/// The calls of workers in a run, accumulated as they end.
///
/// Times are those of requests that a worker answered with a 2xx status.
#[derive(Debug, Clone, Default)]
pub struct WorkerStats {
    calls: u64,
    good: u64,
    /// The number of requests by the class of their last call.
    classes: BTreeMap<StatusClass, u64>,
    statuses: BTreeMap<Option<u16>, u64>,
    connect: Latencies,
    first_byte: Latencies,
    last_byte: Latencies,
    total: Latencies,
    /// Tokens per second, in place of seconds.
    token_rate: Latencies,
    tokens: u64,
}

impl WorkerStats {
    /// Adds a finished call to the figures.
    pub(super) fn record(&mut self, sample: &RouteSample, call: &WorkerCall) {
        self.calls += 1;
        *self.classes.entry(StatusClass::from_call(call)).or_default() += 1;
        *self.statuses.entry(call.status()).or_default() += 1;
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

    /// Removes the class of a call that was retried: only the last call of a request counts.
    pub(super) fn retract(&mut self, retry: Retry) {
        if let Some(count) = self.classes.get_mut(&StatusClass::Status(retry.status / 100)) {
            *count = count.saturating_sub(1);
        }
    }

    /// The number of finished calls, including retries.
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// The number of requests answered with a 2xx status.
    pub const fn good(&self) -> u64 {
        self.good
    }

    /// The number of requests with each class of response, by their last call.
    pub fn classes(&self) -> impl Iterator<Item = (StatusClass, u64)> {
        let classes = self.classes.iter().map(|(class, count)| (*class, *count));
        classes.filter(|(_, count)| *count > 0)
    }

    /// The number of calls with each status, including retries; `None` is an incomplete response.
    pub fn statuses(&self) -> impl Iterator<Item = (Option<u16>, u64)> {
        self.statuses.iter().map(|(status, count)| (*status, *count))
    }

    /// The time of connection and TLS handshake.
    pub const fn connect(&self) -> &Latencies {
        &self.connect
    }

    /// The time from the ready connection to the first byte.
    pub const fn first_byte(&self) -> &Latencies {
        &self.first_byte
    }

    /// The time from the ready connection to the last byte.
    pub const fn last_byte(&self) -> &Latencies {
        &self.last_byte
    }

    /// The time from when a request was first due to its last byte.
    pub const fn total(&self) -> &Latencies {
        &self.total
    }

    /// Tokens per second of each response with a token count.
    pub const fn token_rate(&self) -> &Latencies {
        &self.token_rate
    }

    /// The number of tokens in all responses.
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// All figures of the calls.
    pub fn summary(&self) -> WorkerSummary {
        WorkerSummary {
            calls: self.calls,
            good: self.good,
            classes: self.classes().collect(),
            statuses: self.statuses().collect(),
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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkerSummary {
    pub calls: u64,
    pub good: u64,
    pub classes: Vec<(StatusClass, u64)>,
    pub statuses: Vec<(Option<u16>, u64)>,
    pub connect: Option<Quantiles>,
    pub first_byte: Option<Quantiles>,
    pub last_byte: Option<Quantiles>,
    pub total: Option<Quantiles>,
    /// Tokens per second of each response, in quantiles.
    pub token_rate: Option<Quantiles>,
    pub tokens: u64,
}

/// The meaning of a worker's status, in a sentence.
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

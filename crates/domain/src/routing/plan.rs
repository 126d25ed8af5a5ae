//! The plan of a run: requests to the routing endpoint, and their rate.

use std::sync::Arc;

use super::hop::{Hop, MOST_RETRIES, SEND_REPLAY};
use super::next_hop::{check_path, check_payload};
use super::poll::{PollPolicy, SHORT_REPLAY};
use crate::dialect::Dialect;
use crate::objection::Objection;

/// The maximum number of attempts of one run, including polls.
///
/// Every attempt is stored for the table and the export.
pub const MOST_ATTEMPTS: u64 = 250_000;

/// Requests per second of a run by duration without a rate.
///
/// Enough for quantiles within half a minute, without flooding an endpoint that bills its workers.
pub const DEFAULT_RATE: f64 = 10.0;

/// The maximum number of attempts in flight at once.
const MOST_CONCURRENT: u32 = 1024;

/// The maximum rate, in requests per second, that a schedule in whole microseconds represents accurately.
const FASTEST: f64 = 10_000.0;

/// The maximum duration of a run, in seconds: a day.
const LONGEST: f64 = 86_400.0;

/// The maximum number of requests of a series that starts without a confirmation.
const UNASKED: f64 = 100.0;

/// The default load estimate of a request (specification, "Route").
const DEFAULT_COST: f64 = 100.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    /// After this many requests, not counting their polls.
    Count(u64),
    /// After this many seconds of running time, not counting pauses.
    Duration(f64),
}

/// A single shot or a series.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutePlan {
    pub endpoint: String,
    /// Load estimate of each request, in the unit of the endpoint's workers.
    pub cost: f64,
    pub stop: Stop,
    /// The maximum number of attempts in flight at once.
    pub concurrency: u32,
    /// Requests per second at fixed times; `None` sends whenever a slot is free.
    pub rate: Option<f64>,
    /// The polling of requests that wait for a worker.
    pub poll: PollPolicy,
    /// Seconds after which the router releases the load of an unused assignment; `None` on a market without a queue,
    /// where each poll is a request of its own.
    pub replay_timeout: Option<f64>,
    /// Whether a run of one request polls until it has a worker.
    pub polls_alone: bool,
    /// The request for each assigned worker; `None` sends nothing to workers.
    pub hop: Option<Arc<Hop>>,
}

impl RoutePlan {
    /// A plan of one request without polls, with a load estimate of 100 and nothing sent to workers.
    pub fn single(endpoint: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            cost: DEFAULT_COST,
            stop: Stop::Count(1),
            concurrency: 1,
            rate: None,
            poll: PollPolicy::default(),
            replay_timeout: None,
            polls_alone: false,
            hop: None,
        }
    }

    /// The plan for a market: if its router has a queue, unused assignments release their load after 10 s;
    /// else no timeout is sent.
    #[must_use]
    pub fn for_dialect(mut self, dialect: &Dialect) -> Self {
        self.replay_timeout = dialect.route_queue.then_some(SHORT_REPLAY);
        self
    }

    /// The plan with a request for each assigned worker.
    ///
    /// Each request, also a single one, polls until it has a worker. A router with a queue holds the load of
    /// an unused assignment for 60 s, as for other clients.
    #[must_use]
    pub fn sending(mut self, hop: Hop) -> Self {
        self.hop = Some(Arc::new(hop));
        self.polls_alone = true;
        self.replay_timeout = self.replay_timeout.map(|_| SEND_REPLAY);
        self
    }

    /// Whether requests without a worker are polled: in every series, and in a single request with
    /// `polls_alone`.
    pub const fn polls(&self) -> bool {
        !self.is_single() || self.polls_alone
    }

    /// Whether it is a single request: a count of 1, polled or not.
    pub const fn is_single(&self) -> bool {
        matches!(self.stop, Stop::Count(1))
    }

    /// The number of requests, not counting polls; `None` if that depends on the speed of replies.
    pub fn requests(&self) -> Option<f64> {
        match (self.stop, self.rate) {
            (Stop::Count(count), _) => Some(count as f64),
            (Stop::Duration(span), Some(rate)) => Some((rate * span).ceil()),
            (Stop::Duration(_), None) => None,
        }
    }

    /// Whether running it can wake and bill workers: its load estimate is above 0.
    pub fn injects_load(&self) -> bool {
        self.cost > 0.0
    }

    /// Whether starting it needs a confirmation: any plan that calls workers, and one with more than 100
    /// requests, or an unknown number, whose load can wake workers, which are billed.
    pub fn needs_consent(&self) -> bool {
        let adds_load = self.injects_load() || self.poll_load() > 0.0;
        self.hop.is_some() || adds_load && self.requests().is_none_or(|requests| requests > UNASKED)
    }

    /// The validation errors of the plan; empty if it can run.
    pub fn check(&self) -> Vec<Objection> {
        let mut objections = Vec::new();
        let mut object = |parameter, message: &str| objections.push(Objection::new(parameter, message.to_owned()));
        if self.endpoint.trim().is_empty() {
            object("endpoint", "enter an endpoint");
        }
        if !is_amount(self.cost) {
            object("cost", "must be 0 or more");
        }
        match self.stop {
            Stop::Count(0) => object("count", "must be at least 1"),
            Stop::Count(count) if count > MOST_ATTEMPTS => {
                object("count", "must be at most 250000");
            }
            Stop::Duration(span) if !(span.is_finite() && span > 0.0) => {
                object("duration", "must be longer than 0 s");
            }
            Stop::Duration(span) if span > LONGEST => object("duration", "must be at most a day"),
            Stop::Count(_) | Stop::Duration(_) => {}
        }
        if !(1..=MOST_CONCURRENT).contains(&self.concurrency) {
            object("concurrency", "must be from 1 to 1024");
        }
        if let Some(rate) = self.rate
            && !(rate.is_finite() && rate > 0.0 && rate <= FASTEST)
        {
            object("rate", "must be above 0 and at most 10000 a second");
        }
        if !(self.poll.least >= 0.1 && self.poll.least <= self.poll.most && self.poll.most <= 3600.0) {
            object(
                "poll",
                "waits must be from 0.1 s to an hour, the first not above the last",
            );
        }
        if !(0.0..=LONGEST).contains(&self.poll.patience) {
            object("patience", "must be from 0 s to a day");
        }
        if self.poll.cost.is_some_and(|cost| !is_amount(cost)) {
            object("poll", "the cost must be 0 or more");
        }
        if self.replay_timeout.is_some_and(|span| !(1.0..=LONGEST).contains(&span)) {
            object("replay_timeout", "must be from 1 s to a day");
        }
        if let Some(hop) = &self.hop {
            if let Err(why) = check_path(&hop.path) {
                object("path", why);
            }
            match check_payload(&hop.payload) {
                Err(why) => object("payload", &why.to_string()),
                Ok(()) if !hop.payload.trim_start().starts_with('{') => {
                    object("payload", "must be a JSON object, such as {\"prompt\": \"Hello\"}");
                }
                Ok(()) => {}
            }
            if hop.retries > MOST_RETRIES {
                object("retries", "must be at most 20");
            }
        }
        objections
    }

    /// The load that a poll adds: 0 if the router has a queue, where a poll keeps the place of its request,
    /// else the poll's cost.
    pub fn poll_load(&self) -> f64 {
        match self.replay_timeout {
            Some(_) => 0.0,
            None => self.poll.cost.unwrap_or(self.cost),
        }
    }

    /// The load estimate sent with an attempt: a poll on a market without a queue has its own cost, if one is
    /// set.
    pub(super) fn cost_of(&self, is_poll: bool) -> f64 {
        match self.poll.cost {
            Some(cost) if is_poll && self.replay_timeout.is_none() => cost,
            _ => self.cost,
        }
    }
}

/// Whether a load estimate is valid: finite and not negative.
fn is_amount(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

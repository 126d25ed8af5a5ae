//! The execution of a plan: a pure state machine that returns the attempts to send and the time of its next step.

mod schedule;

use std::collections::{BTreeMap, VecDeque};

use super::hop::{Retry, WorkerCall};
use super::plan::{MOST_ATTEMPTS, RoutePlan, Stop};
use super::poll::Jitter;
use super::sample::{Outcome, OutcomeKind, RouteSample, micros};
use super::stats::{RouteStats, Summary};
use crate::objection::Objection;
use crate::text::Untrusted;
use crate::time::{MonotonicTime, UnixTime};

/// The number of latest replies stored in full, for the details of an attempt and the next hop.
const REPLIES: usize = 1000;

/// The number of latest responses of workers stored, for the details of an attempt.
const ANSWERS: usize = 100;

/// The number of latest changes of the router's status stored for the timeline.
const STATUSES: usize = 100;

/// The number of consecutive rejections of the key after which [`Run::is_refused`] is true.
///
/// One rejection may be the server's slip; with a wrong key every further request is rejected as well.
const REFUSALS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Running,
    /// Nothing is sent; responses in flight still count.
    Paused,
    /// All requests are sent; the last replies, and polls of waiting requests, are outstanding.
    Draining,
    Ended(End),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Done,
    Stopped,
    /// At [`MOST_ATTEMPTS`], before the plan was complete.
    Capped,
    /// No worker was assigned to any request while the first one was polled.
    NoWorker,
}

/// An attempt to send now: a new request, or a poll of one that waits for a worker. Times are in seconds since the run
/// began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// Its number in the run, from 0.
    pub index: u64,
    /// The number of its request in the run, from 0.
    pub request: u64,
    /// The number of the poll of its request, from 1; 0 for a new request.
    pub poll: u32,
    /// The reason its request is routed again; `None` if it is not a retry.
    pub retry: Option<Retry>,
    /// The time its request was first due, or routed again if it is a retry.
    pub asked: f64,
    /// The time its request was first due, including retries.
    pub first: f64,
    pub cost: f64,
    /// The index of its request at the router, 0 before the router has assigned one; `None` on a market without a
    /// queue.
    pub request_idx: Option<u64>,
    pub intended: f64,
    /// The time it is sent: now.
    pub sent: f64,
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    pub outcome: Outcome,
    /// Bytes of the response body.
    pub bytes: u64,
    /// The id assigned to the request by the server.
    pub request_id: Option<Untrusted>,
    /// The index assigned to the request by the router, for polls.
    pub request_idx: Option<u64>,
    /// The full reply as JSON text, or the error message.
    ///
    /// The latest are stored in memory; none is exported.
    pub reply: Option<Untrusted>,
    /// The call of the assigned worker, in a run that sends requests on; its end is the end of the attempt.
    pub call: Option<WorkerCall>,
    /// The beginning of the worker's response, as text.
    pub answer: Option<Untrusted>,
}

impl Completion {
    /// A result without a response: 0 bytes and no ids, reply or call of a worker.
    pub const fn without_answer(outcome: Outcome) -> Self {
        Self {
            outcome,
            bytes: 0,
            request_id: None,
            request_idx: None,
            reply: None,
            call: None,
            answer: None,
        }
    }
}

/// A status reply that differs from the preceding one.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusChange {
    /// The time the reply arrived, in seconds since the run began.
    pub at: f64,
    pub status: Untrusted,
}

#[derive(Debug, Clone, Copy)]
struct Flight {
    attempt: Attempt,
    /// The number of consecutive replies without an assignment before it: of its slot in a closed loop, else of its
    /// request.
    misses: u32,
}

/// A wait before the next attempt.
#[derive(Debug, Clone, Copy)]
struct Wait {
    /// The end of the wait, in running time.
    due: f64,
    misses: u32,
    what: Next,
}

#[derive(Debug, Clone, Copy)]
enum Next {
    /// A poll of that attempt's request; the time is the end of the attempt.
    Poll(Attempt, f64),
    /// A retry of that attempt's request after its worker's status.
    Retry(Attempt),
    /// A new request of the slot.
    Request,
}

/// The execution of a plan, and its results.
///
/// A request is sent once and then polled until it gets a worker, fails, or its patience ends. Polls stay within the
/// plan: at a fixed rate and for a duration there are none after the last request, because the user limited the amount
/// to send.
///
/// The driver calls [`Run::step`] at the start, after every response and at the time that [`Run::wake`] returns, sends
/// the attempts that it returns, and reports each result through [`Run::complete`]. `now` is the driver's own
/// clock.
#[derive(Debug, Clone)]
pub struct Run {
    plan: RoutePlan,
    phase: Phase,
    began: MonotonicTime,
    started_at: UnixTime,
    paused: f64,
    paused_since: Option<MonotonicTime>,
    ended: Option<MonotonicTime>,
    /// The way it ends once nothing is in flight.
    end: End,
    limit: u64,
    /// The index of the next attempt.
    next: u64,
    /// The index of the next request.
    next_request: u64,
    /// The number of attempts that were retries.
    retries: u64,
    in_flight: BTreeMap<u64, Flight>,
    waits: Vec<Wait>,
    samples: Vec<RouteSample>,
    stats: RouteStats,
    replies: VecDeque<(u64, Untrusted)>,
    answers: VecDeque<(u64, Untrusted)>,
    statuses: VecDeque<StatusChange>,
}

impl Run {
    /// Starts a run at `now`, or returns the validation errors of the plan.
    ///
    /// `started_at` is the same time, for display and exports.
    pub fn start(plan: RoutePlan, now: MonotonicTime, started_at: UnixTime) -> Result<Self, Vec<Objection>> {
        let objections = plan.check();
        if !objections.is_empty() {
            return Err(objections);
        }
        Ok(Self {
            plan,
            phase: Phase::Running,
            began: now,
            started_at,
            paused: 0.0,
            paused_since: None,
            ended: None,
            end: End::Done,
            limit: MOST_ATTEMPTS,
            next: 0,
            next_request: 0,
            retries: 0,
            in_flight: BTreeMap::new(),
            waits: Vec::new(),
            samples: Vec::new(),
            stats: RouteStats::default(),
            replies: VecDeque::new(),
            answers: VecDeque::new(),
            statuses: VecDeque::new(),
        })
    }

    /// Corrects the time an attempt was sent, for a driver that measures it; it is never moved earlier.
    /// Without a rate, the due times move along. Ignored unless the attempt is in flight.
    pub fn sent_at(&mut self, index: u64, now: MonotonicTime) {
        let sent = micros(now - self.began);
        if let Some(Flight { attempt, .. }) = self.in_flight.get_mut(&index) {
            attempt.sent = sent.max(attempt.sent);
            // At a rate the schedule decides when a request is due: sending it late is part of its latency.
            if self.plan.rate.is_none() {
                attempt.intended = attempt.sent;
                if attempt.poll == 0 {
                    attempt.asked = attempt.sent;
                    if attempt.retry.is_none() {
                        attempt.first = attempt.sent;
                    }
                }
            }
        }
    }

    /// Records the result of an attempt, plans the next one and returns the finished sample; `None` if the
    /// attempt is not in flight. Ends the run if it starts no more requests, and nothing is in flight or
    /// waits to be sent.
    ///
    /// `jitter` is for the wait before the next attempt.
    pub fn complete(
        &mut self,
        index: u64,
        now: MonotonicTime,
        completion: Completion,
        jitter: impl Into<Jitter>,
    ) -> Option<&RouteSample> {
        let flight = self.in_flight.remove(&index)?;
        self.plan_next(&flight, &completion, now, jitter.into());
        self.store_result(&flight.attempt, now, completion);
        if self.phase == Phase::Draining {
            self.end_if_idle(now);
        }
        self.samples.last()
    }

    /// Stops sending until `resume`; responses in flight still count. Ignored unless new requests or polls
    /// are still to be sent.
    pub fn pause(&mut self, now: MonotonicTime) {
        if self.phase == Phase::Running || self.phase == Phase::Draining && !self.waits.is_empty() {
            self.phase = Phase::Paused;
            self.paused_since = Some(now);
        }
    }

    /// Resumes a paused run; everything due is postponed by the length of the pause.
    pub fn resume(&mut self, now: MonotonicTime) {
        if self.phase == Phase::Paused {
            self.end_pause(now);
            self.phase = Phase::Running;
        }
    }

    /// Adds the current pause to the length of all pauses, and takes it out of the waiting times of requests
    /// that are being polled. Does nothing outside a pause.
    fn end_pause(&mut self, now: MonotonicTime) {
        if let Some(since) = self.paused_since.take() {
            self.paused += (now - since).max(0.0);
            // Our own pause does not count as time that a request waited for its worker.
            let (from, until) = (since - self.began, now - self.began);
            for wait in &mut self.waits {
                if let Next::Poll(attempt, ended) = &mut wait.what {
                    attempt.asked = micros(attempt.asked + (until - from.max(*ended)).max(0.0));
                }
            }
        }
    }

    /// Stops at once: everything in flight counts as cancelled. Returns the indices of the attempts that the
    /// driver has to abort; empty if the run was over.
    pub fn stop(&mut self, now: MonotonicTime) -> Vec<u64> {
        if matches!(self.phase, Phase::Ended(_)) {
            return Vec::new();
        }
        self.end_pause(now);
        self.phase = Phase::Draining;
        self.end = End::Stopped;
        self.waits.clear();
        let broken = std::mem::take(&mut self.in_flight);
        for flight in broken.values() {
            let cancelled = Completion::without_answer(Outcome::Cancelled);
            self.store_result(&flight.attempt, now, cancelled);
        }
        self.end_if_idle(now);
        broken.into_keys().collect()
    }

    /// Stores the sample, reply and status change of an attempt that ended at `now`, and adds it to the
    /// figures.
    fn store_result(&mut self, attempt: &Attempt, now: MonotonicTime, completion: Completion) {
        if let Some(reply) = completion.reply {
            if self.replies.len() == REPLIES {
                self.replies.pop_front();
            }
            self.replies.push_back((attempt.index, reply));
        }
        if let Some(answer) = completion.answer {
            if self.answers.len() == ANSWERS {
                self.answers.pop_front();
            }
            self.answers.push_back((attempt.index, answer));
        }
        let call = completion.call.map(WorkerCall::rounded);
        // The router's reply ended the attempt at the router: the call of the worker followed.
        let called = call.as_ref().map_or(0.0, |call| call.total);
        if let Outcome::Waiting { status } = &completion.outcome
            && self.statuses.back().is_none_or(|last| last.status != *status)
        {
            if self.statuses.len() == STATUSES {
                self.statuses.pop_front();
            }
            self.statuses.push_back(StatusChange {
                at: micros(now - self.began),
                status: status.clone(),
            });
        }
        let sample = RouteSample {
            index: attempt.index,
            request: attempt.request,
            poll: attempt.poll,
            retry: attempt.retry,
            asked: attempt.asked,
            first: attempt.first,
            cost: attempt.cost,
            request_idx: attempt.request_idx,
            intended: attempt.intended,
            sent: attempt.sent,
            ended: micros(now - self.began - called).max(attempt.sent),
            outcome: completion.outcome,
            bytes: completion.bytes,
            request_id: completion.request_id,
            call: call.map(Box::new),
        };
        self.stats.record(&sample);
        self.samples.push(sample);
    }

    /// Ends the run at `now` if nothing is in flight and no attempt waits to be sent.
    fn end_if_idle(&mut self, now: MonotonicTime) {
        if self.in_flight.is_empty() && self.waits.is_empty() {
            self.phase = Phase::Ended(self.end);
            self.ended = Some(now);
        }
    }

    pub const fn plan(&self) -> &RoutePlan {
        &self.plan
    }

    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether the run has ended in any way, also early.
    pub const fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended(_))
    }

    /// The wall-clock time at which the run started, for display and exports.
    pub const fn started_at(&self) -> UnixTime {
        self.started_at
    }

    /// Running time in seconds, without pauses, up to `now` or to the end of the run; it stands still during
    /// a pause.
    pub fn elapsed(&self, now: MonotonicTime) -> f64 {
        let until = self.ended.or(self.paused_since).unwrap_or(now);
        (until - self.began - self.paused).max(0.0)
    }

    /// The length of all finished pauses in seconds, without the current one.
    pub const fn paused(&self) -> f64 {
        self.paused
    }

    /// The number of attempts sent: requests, polls and retries.
    pub const fn sent(&self) -> u64 {
        self.next
    }

    /// The number of requests sent, without their polls and retries.
    pub const fn requests(&self) -> u64 {
        self.next_request
    }

    /// The number of retries sent: requests routed again after their worker's temporary status.
    pub const fn retries(&self) -> u64 {
        self.retries
    }

    /// The number of requests that wait for their next poll or retry.
    pub fn waiting(&self) -> usize {
        let polls = self.waits.iter();
        polls.filter(|wait| !matches!(wait.what, Next::Request)).count()
    }

    /// The number of attempts that were sent and have no result yet.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Total load that the finished attempts added to the endpoint: none by those that the router certainly
    /// did not accept, or by polls of a request that keeps its place there.
    pub const fn load_injected(&self) -> f64 {
        self.stats.load
    }

    /// The progress from 0 to 1: the share of the requests that are finished and no longer polled, or of the
    /// duration that has passed. 1 if the run ended as planned.
    pub fn progress(&self, now: MonotonicTime) -> f64 {
        match (self.phase, self.plan.stop) {
            (Phase::Ended(End::Done), _) => 1.0,
            (_, Stop::Count(count)) => {
                let attempts = self.in_flight.values().map(|flight| &flight.attempt);
                let polled = attempts.filter(|attempt| attempt.poll > 0 || attempt.retry.is_some());
                let open = (self.waiting() + polled.count()) as u64;
                self.stats.requests().saturating_sub(open) as f64 / count as f64
            }
            (_, Stop::Duration(span)) => (self.elapsed(now) / span).min(1.0),
        }
    }

    /// The attempts that have ended, in the order they ended.
    pub fn samples(&self) -> &[RouteSample] {
        &self.samples
    }

    pub const fn stats(&self) -> &RouteStats {
        &self.stats
    }

    /// All figures of the finished attempts, with the running time up to `now`.
    pub fn summary(&self, now: MonotonicTime) -> Summary {
        self.stats.summary(self.elapsed(now))
    }

    /// The latest 100 changes of the router's status, oldest first.
    pub fn statuses(&self) -> impl ExactSizeIterator<Item = &StatusChange> + DoubleEndedIterator {
        self.statuses.iter()
    }

    /// Whether the key was refused in each of the three latest finished attempts, so that sending more is
    /// pointless; false if there are fewer.
    pub fn is_refused(&self) -> bool {
        let latest = self.samples.iter().rev().take(REFUSALS);
        latest.len() == REFUSALS
            && latest
                .into_iter()
                .all(|sample| sample.outcome.kind() == OutcomeKind::Refused)
    }

    /// The beginning of the worker's response to the attempt with this index; `None` if it has none, or it is
    /// not among the latest hundred.
    pub fn answer(&self, index: u64) -> Option<&Untrusted> {
        let mut answers = self.answers.iter().rev();
        answers.find(|(sent, _)| *sent == index).map(|(_, answer)| answer)
    }

    /// The full reply to the attempt with this index, or its error message; `None` if it has neither, or they
    /// are not among the latest thousand.
    pub fn reply(&self, index: u64) -> Option<&Untrusted> {
        self.replies
            .iter()
            .rev()
            .find(|(sent, _)| *sent == index)
            .map(|(_, reply)| reply)
    }
}

//! A plan being carried out: a pure machine that says what to send next and when to wake it.

use std::collections::{BTreeMap, VecDeque};

use super::plan::{MOST_ATTEMPTS, RoutePlan, Stop};
use super::sample::{Outcome, OutcomeKind, RouteSample, micros};
use super::stats::{RouteStats, Summary};
use crate::domain::objection::Objection;
use crate::domain::text::Untrusted;

/// How many replies are kept whole, the latest: for the detail of an attempt and the next hop.
const REPLIES: usize = 1000;

/// After so many refusals of the key in a row [`Run::is_refused`].
const REFUSALS: usize = 3;

/// How early a wake-up may come and still count as in time, in seconds.
const EARLY: f64 = 1e-6;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It sends.
    Running,
    /// It sends nothing; what is in flight may come back.
    Paused,
    /// It has sent all; the last answers are still to come.
    Draining,
    /// Nothing is in flight any more.
    Ended(End),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As planned.
    Done,
    /// The person stopped it.
    Stopped,
}

/// An attempt to send now. Times are seconds since the run began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// Its number in the run, from 0.
    pub index: u64,
    /// How many answers without an assignment its slot had just before.
    pub poll: u32,
    /// Load estimate to send.
    pub cost: f64,
    /// When it was due.
    pub intended: f64,
    /// When it is sent: now.
    pub sent: f64,
}

/// How an attempt came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// How it ended.
    pub outcome: Outcome,
    /// Bytes of the answer's body.
    pub bytes: u64,
    /// Id that the server gave the request.
    pub request_id: Option<Untrusted>,
    /// The reply whole, as JSON text, or the error in words; the latest are kept in memory, none is
    /// exported.
    pub reply: Option<Untrusted>,
}

impl Completion {
    /// An end without an answer.
    pub const fn without_answer(outcome: Outcome) -> Self {
        Self {
            outcome,
            bytes: 0,
            request_id: None,
            reply: None,
        }
    }
}

/// A slot of a closed loop that waits before it asks again.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Wait {
    /// When it is over, in running time.
    due: f64,
    misses: u32,
}

/// An attempt that may go now.
enum Due {
    /// A new request that was due at that running time.
    New(f64),
    /// The wait at that place is over.
    Poll(usize),
}

/// A plan being carried out, and all that came of it.
///
/// The driver calls [`Run::step`] at the start, after every answer and at the time that
/// [`Run::wake`] names, sends the attempts that it returns, and reports each end through
/// [`Run::complete`]. `now` is a steady clock in seconds; where its zero is does not matter.
#[derive(Debug, Clone)]
pub struct Run {
    plan: RoutePlan,
    phase: Phase,
    began: f64,
    started_at: f64,
    paused: f64,
    paused_since: Option<f64>,
    ended: Option<f64>,
    next: u64,
    in_flight: BTreeMap<u64, Attempt>,
    waits: Vec<Wait>,
    samples: Vec<RouteSample>,
    stats: RouteStats,
    replies: VecDeque<(u64, Untrusted)>,
}

impl Run {
    /// Begins a run at `now`, or says what stands against the plan. `started_at` is the same moment
    /// in seconds since 1970, for people and exports.
    pub fn start(plan: RoutePlan, now: f64, started_at: f64) -> Result<Self, Vec<Objection>> {
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
            next: 0,
            in_flight: BTreeMap::new(),
            waits: Vec::new(),
            samples: Vec::new(),
            stats: RouteStats::default(),
            replies: VecDeque::new(),
        })
    }

    /// The attempts to send at `now`.
    pub fn step(&mut self, now: f64) -> Vec<Attempt> {
        if self.phase != Phase::Running {
            return Vec::new();
        }
        let mut attempts = Vec::new();
        while let Some(due) = self.next_due(now) {
            attempts.push(match due {
                Due::New(due) => self.send(now, due, 0),
                Due::Poll(place) => {
                    let wait = self.waits.swap_remove(place);
                    self.send(now, wait.due, wait.misses)
                }
            });
        }
        let is_over = match self.plan.stop {
            Stop::Count(count) => self.next >= count,
            Stop::Duration(span) => self.elapsed(now) + EARLY >= span || self.next >= MOST_ATTEMPTS,
        };
        if is_over {
            self.waits.clear();
            self.phase = Phase::Draining;
            self.settle(now, End::Done);
        }
        attempts
    }

    /// The next attempt, if it may go now.
    fn next_due(&self, now: f64) -> Option<Due> {
        let in_flight = u32::try_from(self.in_flight.len()).unwrap_or(u32::MAX);
        if in_flight >= self.plan.concurrency || self.next >= MOST_ATTEMPTS {
            return None;
        }
        let elapsed = self.elapsed(now);
        let end = match self.plan.stop {
            Stop::Count(count) if self.next >= count => return None,
            Stop::Count(_) => f64::INFINITY,
            Stop::Duration(span) => span,
        };
        match self.plan.rate {
            Some(rate) => {
                let due = self.scheduled(rate);
                (due <= elapsed + EARLY && due < end).then_some(Due::New(due))
            }
            None if elapsed + EARLY >= end => None,
            None => self
                .waits
                .iter()
                .enumerate()
                .filter(|(_, wait)| wait.due <= elapsed + EARLY)
                .min_by(|(_, left), (_, right)| left.due.total_cmp(&right.due))
                .map(|(place, _)| Due::Poll(place))
                .or_else(|| self.has_idle_slot().then_some(Due::New(elapsed))),
        }
    }

    fn send(&mut self, now: f64, due: f64, poll: u32) -> Attempt {
        let sent = micros(now - self.began);
        // Without a rate nothing was due before it could be sent.
        let intended = match self.plan.rate {
            Some(_) => micros(due + self.paused).min(sent),
            None => sent,
        };
        let attempt = Attempt {
            index: self.next,
            poll,
            cost: self.plan.cost_of(poll > 0),
            intended,
            sent,
        };
        self.next += 1;
        self.in_flight.insert(attempt.index, attempt);
        attempt
    }

    /// When the next attempt of a fixed rate is due, in running time.
    fn scheduled(&self, rate: f64) -> f64 {
        #[expect(clippy::cast_precision_loss)] // at most 250,000 attempts
        let number = self.next as f64;
        number / rate
    }

    fn has_idle_slot(&self) -> bool {
        let busy = self.in_flight.len() + self.waits.len();
        u32::try_from(busy).is_ok_and(|busy| busy < self.plan.concurrency)
    }

    /// Corrects when an attempt was sent, for a driver that measures it. Only an attempt in flight
    /// can be corrected.
    pub fn sent_at(&mut self, index: u64, now: f64) {
        let is_timed = self.plan.rate.is_some();
        let sent = micros(now - self.began);
        if let Some(attempt) = self.in_flight.get_mut(&index) {
            attempt.sent = sent.max(attempt.sent);
            if !is_timed {
                attempt.intended = attempt.sent;
            }
        }
    }

    /// Takes the end of an attempt. An attempt that is not in flight (any more) is ignored. `jitter`
    /// is a random number from 0 to 1, for the wait before the slot asks again.
    pub fn complete(
        &mut self,
        index: u64,
        now: f64,
        completion: Completion,
        jitter: f64,
    ) -> Option<&RouteSample> {
        let attempt = self.in_flight.remove(&index)?;
        if self.plan.rate.is_none() && matches!(self.phase, Phase::Running | Phase::Paused) {
            self.plan_next(&attempt, &completion.outcome, now, jitter);
        }
        self.note(&attempt, now, completion);
        if self.phase == Phase::Draining {
            self.settle(now, End::Done);
        }
        self.samples.last()
    }

    /// A slot that got no worker waits before it asks again, longer each time.
    fn plan_next(&mut self, attempt: &Attempt, outcome: &Outcome, now: f64, jitter: f64) {
        let asked = match outcome {
            Outcome::Assigned { .. } => return,
            Outcome::RateLimited { wait: Some(wait) } if wait.is_finite() => {
                wait.clamp(0.0, 3600.0)
            }
            _ => 0.0,
        };
        let misses = attempt.poll.saturating_add(1);
        let due = self.elapsed(now) + self.plan.poll.wait(misses, jitter).max(asked);
        self.waits.push(Wait { due, misses });
    }

    /// When [`Run::step`] has something to do next, in the caller's clock, if time alone decides.
    pub fn wake(&self) -> Option<f64> {
        if self.phase != Phase::Running {
            return None;
        }
        let end = match self.plan.stop {
            Stop::Count(_) => None,
            Stop::Duration(span) => Some(span),
        };
        let in_flight = u32::try_from(self.in_flight.len()).unwrap_or(u32::MAX);
        let next = if in_flight >= self.plan.concurrency {
            None
        } else if let Some(rate) = self.plan.rate {
            Some(self.scheduled(rate))
        } else if self.has_idle_slot() {
            Some(0.0)
        } else {
            let dues = self.waits.iter().map(|wait| wait.due);
            dues.min_by(f64::total_cmp)
        };
        let soonest = [end, next].into_iter().flatten().min_by(f64::total_cmp)?;
        Some(self.began + self.paused + soonest)
    }

    /// Sends nothing until [`Run::resume`]. What is in flight may come back.
    pub fn pause(&mut self, now: f64) {
        if self.phase == Phase::Running {
            self.phase = Phase::Paused;
            self.paused_since = Some(now);
        }
    }

    /// Goes on; what was due during the pause is due later by its length.
    pub fn resume(&mut self, now: f64) {
        if self.phase == Phase::Paused {
            self.end_pause(now);
            self.phase = Phase::Running;
        }
    }

    fn end_pause(&mut self, now: f64) {
        if let Some(since) = self.paused_since.take() {
            self.paused += (now - since).max(0.0);
        }
    }

    /// Stops at once: everything in flight is broken off and counts as cancelled. Returns the
    /// attempts whose requests the driver has to abort.
    pub fn stop(&mut self, now: f64) -> Vec<u64> {
        if matches!(self.phase, Phase::Ended(_)) {
            return Vec::new();
        }
        self.end_pause(now);
        self.phase = Phase::Draining;
        self.waits.clear();
        let broken = std::mem::take(&mut self.in_flight);
        for attempt in broken.values() {
            let cancelled = Completion::without_answer(Outcome::Cancelled);
            self.note(attempt, now, cancelled);
        }
        self.settle(now, End::Stopped);
        broken.into_keys().collect()
    }

    /// Keeps what came of an attempt.
    fn note(&mut self, attempt: &Attempt, now: f64, completion: Completion) {
        if let Some(reply) = completion.reply {
            if self.replies.len() == REPLIES {
                self.replies.pop_front();
            }
            self.replies.push_back((attempt.index, reply));
        }
        let sample = RouteSample {
            index: attempt.index,
            poll: attempt.poll,
            cost: attempt.cost,
            intended: attempt.intended,
            sent: attempt.sent,
            ended: micros(now - self.began),
            outcome: completion.outcome,
            bytes: completion.bytes,
            request_id: completion.request_id,
        };
        self.stats.record(&sample);
        self.samples.push(sample);
    }

    fn settle(&mut self, now: f64, end: End) {
        if self.in_flight.is_empty() {
            self.phase = Phase::Ended(end);
            self.ended = Some(now);
        }
    }

    /// The plan.
    pub const fn plan(&self) -> &RoutePlan {
        &self.plan
    }

    /// Where it stands.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether it is over.
    pub const fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended(_))
    }

    /// When it began, in seconds since 1970.
    pub const fn started_at(&self) -> f64 {
        self.started_at
    }

    /// Seconds that it has run, without pauses.
    pub fn elapsed(&self, now: f64) -> f64 {
        let until = self.ended.or(self.paused_since).unwrap_or(now);
        (until - self.began - self.paused).max(0.0)
    }

    /// Seconds that it was paused, without a pause that lasts.
    pub const fn paused(&self) -> f64 {
        self.paused
    }

    /// How many attempts were sent.
    pub const fn sent(&self) -> u64 {
        self.next
    }

    /// How many of them have not come back.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Sum of the load estimates of what has ended and was not refused.
    pub const fn load_injected(&self) -> f64 {
        self.stats.load()
    }

    /// At a fixed rate: how many attempts are due and not sent, because all slots are busy. Those of
    /// a run that is over were never sent.
    pub fn backlog(&self, now: f64) -> u64 {
        let Some(rate) = self.plan.rate else {
            return 0;
        };
        let due = ((self.elapsed(now) + EARLY) * rate).floor() + 1.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // a day at 10,000 a second
        let due = match self.plan.stop {
            Stop::Count(count) => (due as u64).min(count),
            // What is due at the end itself is not due any more.
            Stop::Duration(span) => due.min((span * rate - EARLY).ceil()) as u64,
        };
        due.saturating_sub(self.next)
    }

    /// How far it is, from 0 to 1, for a progress bar.
    pub fn progress(&self, now: f64) -> f64 {
        #[expect(clippy::cast_precision_loss)] // at most 250,000 attempts
        match (self.phase, self.plan.stop) {
            (Phase::Ended(End::Done), _) => 1.0,
            (_, Stop::Count(count)) => self.samples.len() as f64 / count as f64,
            (_, Stop::Duration(span)) => (self.elapsed(now) / span).min(1.0),
        }
    }

    /// The attempts that have ended, in the order of their ends.
    pub fn samples(&self) -> &[RouteSample] {
        &self.samples
    }

    /// The figures so far.
    pub const fn stats(&self) -> &RouteStats {
        &self.stats
    }

    /// The figures so far, plain.
    pub fn summary(&self, now: f64) -> Summary {
        self.stats.summary(self.elapsed(now))
    }

    /// Whether the key was refused so often in a row that sending on is of no use.
    pub fn is_refused(&self) -> bool {
        let latest = self.samples.iter().rev().take(REFUSALS);
        latest.len() == REFUSALS
            && latest
                .into_iter()
                .all(|sample| sample.outcome.kind() == OutcomeKind::Refused)
    }

    /// The reply to an attempt, whole, or its error in words, if it is among the latest thousand.
    pub fn reply(&self, index: u64) -> Option<&Untrusted> {
        self.replies
            .iter()
            .rev()
            .find(|(own, _)| *own == index)
            .map(|(_, reply)| reply)
    }
}

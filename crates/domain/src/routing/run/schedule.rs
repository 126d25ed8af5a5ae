//! The schedule of a run: new requests by slot or by rate, and polls of waiting requests.

use super::super::hop::{Hop, Retry, WorkerCall};
use super::super::plan::Stop;
use super::super::poll::Jitter;
use super::super::sample::{Outcome, OutcomeKind, micros};
use super::{Attempt, Completion, End, Flight, Next, Phase, Run, Wait};
use crate::time::MonotonicTime;

/// The tolerance within which an early wake-up counts as on time, in seconds.
///
/// Times are stored in microseconds: a wake-up that is earlier by less would send nothing, and wait again for nothing.
const EARLY: f64 = 1e-6;

/// An attempt that can be sent now.
enum Due {
    /// A new request, due at this running time.
    New(f64),
    /// The wait at this index is over.
    Waited(usize),
}

impl Run {
    /// The attempts that are due at `now`; they count as sent. Empty while paused and after the end. Also
    /// ends the sending of new requests, and the run, when it is time.
    pub fn step(&mut self, now: MonotonicTime) -> Vec<Attempt> {
        if !matches!(self.phase, Phase::Running | Phase::Draining) {
            return Vec::new();
        }
        let mut attempts = Vec::new();
        while let Some(due) = self.next_due(now) {
            attempts.push(match due {
                Due::New(due) => self.send_new(now, due, 0),
                Due::Waited(index) => {
                    let wait = self.waits.swap_remove(index);
                    match wait.what {
                        Next::Poll(before, _) => self.send_poll(now, &wait, &before),
                        Next::Retry(before) => self.send_retry(now, &wait, &before),
                        Next::Request => self.send_new(now, wait.due, wait.misses),
                    }
                }
            });
        }
        if self.phase == Phase::Running {
            self.end_requests(now);
        }
        if self.phase == Phase::Draining {
            if self.next >= self.limit && !self.waits.is_empty() {
                self.waits.clear();
                self.end = End::Capped;
            }
            self.end_if_idle(now);
        }
        attempts
    }

    /// Switches to draining when the count, the duration or the limit of attempts is reached, and drops the
    /// waits that lead to no further attempt. The end is `Capped` if the limit cuts the run short.
    fn end_requests(&mut self, now: MonotonicTime) {
        let elapsed = self.elapsed(now);
        let is_full = self.next >= self.limit;
        let is_over = match self.plan.stop {
            Stop::Count(count) => self.next_request >= count,
            Stop::Duration(span) => elapsed + EARLY >= span,
        };
        if !is_over && !is_full {
            return;
        }
        let is_cut_short = match (self.plan.stop, self.plan.rate) {
            (Stop::Count(_), _) => !is_over || !self.waits.is_empty(),
            (Stop::Duration(span), Some(rate)) => self.scheduled(rate) < span,
            (Stop::Duration(_), None) => !is_over,
        };
        if is_full && is_cut_short {
            self.end = End::Capped;
        }
        self.phase = Phase::Draining;
        let polls_on = self.still_polls();
        self.waits
            .retain(|wait| polls_on && !matches!(wait.what, Next::Request));
    }

    /// Whether waiting requests are still polled: if the plan polls, and the run is neither at its limit of
    /// attempts nor ending early. While it drains, only in a run that calls workers, or by count without a
    /// rate.
    fn still_polls(&self) -> bool {
        // A request that needs a worker's response counts until it is answered.
        let is_counted =
            self.plan.hop.is_some() || matches!(self.plan.stop, Stop::Count(_)) && self.plan.rate.is_none();
        let is_in_time = match self.phase {
            Phase::Running | Phase::Paused => true,
            Phase::Draining => is_counted,
            Phase::Ended(_) => false,
        };
        is_in_time && self.end == End::Done && self.next < self.limit && self.plan.polls()
    }

    /// The next attempt that can be sent now; `None` if none is due, all slots are busy, or the run's
    /// duration or limit of attempts is reached.
    ///
    /// At a fixed rate new requests come before polls; without one, polls and other waits come first, the
    /// longest due before the rest.
    fn next_due(&self, now: MonotonicTime) -> Option<Due> {
        let in_flight = u32::try_from(self.in_flight.len()).unwrap_or(u32::MAX);
        if in_flight >= self.plan.concurrency || self.next >= self.limit {
            return None;
        }
        let elapsed = self.elapsed(now);
        let end = match self.plan.stop {
            Stop::Count(_) => f64::INFINITY,
            // Requests that were sent in time are still polled, if they go on to workers.
            Stop::Duration(_) if self.phase == Phase::Draining => f64::INFINITY,
            Stop::Duration(span) => span,
        };
        let takes_requests = self.takes_requests();
        let may_go = |wait: &Wait| {
            let has_work = takes_requests || !matches!(wait.what, Next::Request);
            has_work && wait.due <= elapsed + EARLY && elapsed + EARLY < end
        };
        // The longest due first, so that no request starves while others are polled.
        let waited = || {
            self.waits
                .iter()
                .enumerate()
                .filter(|(_, wait)| may_go(wait))
                .min_by(|(_, left), (_, right)| left.due.total_cmp(&right.due))
                .map(|(index, _)| Due::Waited(index))
        };
        match self.plan.rate {
            // New requests have priority at a fixed rate: polls use the remaining slots.
            Some(rate) => {
                let due = self.scheduled(rate);
                let is_due = takes_requests && due <= elapsed + EARLY && due < end;
                is_due.then_some(Due::New(due)).or_else(waited)
            }
            None if elapsed + EARLY >= end => None,
            None => waited().or_else(|| (takes_requests && self.has_idle_slot()).then_some(Due::New(elapsed))),
        }
    }

    /// Whether new requests can still be sent: the run is neither paused nor draining, and its count is not
    /// reached.
    fn takes_requests(&self) -> bool {
        let is_left = match self.plan.stop {
            Stop::Count(count) => self.next_request < count,
            Stop::Duration(_) => true,
        };
        is_left && self.phase == Phase::Running
    }

    /// Puts a new request in flight and returns its attempt. `due` is its due time in running time, which
    /// counts at a fixed rate only; `misses` is the number of failures in a row in its slot.
    fn send_new(&mut self, now: MonotonicTime, due: f64, misses: u32) -> Attempt {
        let sent = micros(now - self.began);
        // Without a rate a request is due when it can be sent.
        let intended = match self.plan.rate {
            Some(_) => micros(due + self.paused).min(sent),
            None => sent,
        };
        let request = self.next_request;
        self.next_request += 1;
        let attempt = Attempt {
            index: self.next,
            request,
            poll: 0,
            retry: None,
            asked: intended,
            first: intended,
            cost: self.plan.cost_of(false),
            request_idx: self.plan.replay_timeout.map(|_| 0),
            intended,
            sent,
        };
        self.put_in_flight(attempt, misses)
    }

    /// Puts the next poll of the request of `before`, the preceding attempt, in flight and returns it.
    fn send_poll(&mut self, now: MonotonicTime, wait: &Wait, before: &Attempt) -> Attempt {
        let sent = micros(now - self.began);
        let intended = match self.plan.rate {
            Some(_) => micros(wait.due + self.paused).min(sent),
            None => sent,
        };
        let attempt = Attempt {
            index: self.next,
            request: before.request,
            poll: before.poll.saturating_add(1),
            retry: before.retry,
            asked: before.asked,
            first: before.first,
            cost: self.plan.cost_of(true),
            request_idx: before.request_idx,
            intended,
            sent,
        };
        self.put_in_flight(attempt, wait.misses)
    }

    /// Puts a retry of the request of `before`, the preceding attempt, in flight and returns it.
    ///
    /// It is due when it is sent, but the waits before it count in the total time of its request.
    fn send_retry(&mut self, now: MonotonicTime, wait: &Wait, before: &Attempt) -> Attempt {
        self.retries += 1;
        let sent = micros(now - self.began);
        let attempt = Attempt {
            index: self.next,
            poll: 0,
            asked: sent,
            cost: self.plan.cost_of(false),
            intended: sent,
            sent,
            ..*before
        };
        self.put_in_flight(attempt, wait.misses)
    }

    /// Puts an attempt in flight under the next index, and returns it unchanged.
    fn put_in_flight(&mut self, attempt: Attempt, misses: u32) -> Attempt {
        self.next += 1;
        let flight = Flight { attempt, misses };
        self.in_flight.insert(attempt.index, flight);
        attempt
    }

    /// The due time of the next request at `rate` requests per second, in seconds of running time.
    fn scheduled(&self, rate: f64) -> f64 {
        self.next_request as f64 / rate
    }

    /// Whether fewer attempts are in flight or waiting than `concurrency` allows.
    fn has_idle_slot(&self) -> bool {
        // A request that waits for its worker keeps its slot.
        let busy = self.in_flight.len() + self.waits.len();
        u32::try_from(busy).is_ok_and(|busy| busy < self.plan.concurrency)
    }

    /// Plans the attempt that follows a finished one: a retry, a poll, or the next request of its slot.
    ///
    /// A request without a worker is polled after a wait that grows each time, until the plan's patience is
    /// over, which may end the run (`give_up`); in a closed loop a slot whose request failed waits as long
    /// before its next one, or as long as the router asks for. Nothing is planned after a cancellation, or an
    /// assignment without a retry; at a fixed rate the schedule sends new requests.
    pub(super) fn plan_next(&mut self, flight: &Flight, completion: &Completion, now: MonotonicTime, jitter: Jitter) {
        if self.plan_retry(flight, completion, now, jitter) {
            return;
        }
        let (is_waiting, asked) = match &completion.outcome {
            Outcome::Assigned { .. } | Outcome::Cancelled => return,
            Outcome::Waiting { .. } => (true, 0.0),
            Outcome::RateLimited { wait: Some(wait) } if wait.is_finite() => (false, wait.clamp(0.0, 3600.0)),
            Outcome::RateLimited { .. }
            | Outcome::Refused { .. }
            | Outcome::Failed { .. }
            | Outcome::Garbage { .. }
            | Outcome::TimedOut => (false, 0.0),
        };
        let misses = flight.misses.saturating_add(1);
        let own = if is_waiting {
            self.plan.poll.wait(flight.attempt.poll.saturating_add(1), jitter)
        } else {
            self.plan.poll.failure_wait(misses, jitter)
        };
        // The wait requested by the server counts if it is longer than our own pause.
        let wait = own.max(asked);
        let ended = micros(now - self.began);
        let is_patient = ended - flight.attempt.asked + wait <= self.plan.poll.patience;
        let what = if is_waiting && is_patient && self.still_polls() {
            let mut attempt = flight.attempt;
            // A router that assigns no index cannot keep the place: the poll is a new request to it.
            attempt.request_idx = attempt
                .request_idx
                .map(|before| completion.request_idx.unwrap_or(before));
            Next::Poll(attempt, ended)
        } else {
            if is_waiting && !is_patient && flight.attempt.poll > 0 {
                self.give_up(now);
            }
            Next::Request
        };
        // At a fixed rate the schedule decides when the next request is sent, whatever the outcome of this one.
        let is_slot = self.plan.rate.is_none() && matches!(self.phase, Phase::Running | Phase::Paused);
        if is_slot || matches!(what, Next::Poll(..)) {
            let due = self.elapsed(now) + wait;
            self.waits.push(Wait { due, misses, what });
        }
    }

    /// Plans a retry of a request after its worker's temporary status (408, 429, 5xx); false if there was
    /// none, the request has used up its retries, or the run no longer polls.
    fn plan_retry(&mut self, flight: &Flight, completion: &Completion, now: MonotonicTime, jitter: Jitter) -> bool {
        let call = completion.call.as_ref().filter(|call| call.is_retryable());
        let (Some(status), Some(hop)) = (call.and_then(WorkerCall::status), &self.plan.hop) else {
            return false;
        };
        let number = flight.attempt.retry.map_or(0, |retry| retry.number) + 1;
        if number > hop.retries || !self.still_polls() {
            return false;
        }
        let due = self.elapsed(now) + Hop::retry_wait(number, jitter.ceiling);
        let mut attempt = flight.attempt;
        attempt.retry = Some(Retry { number, status });
        attempt.request_idx = attempt
            .request_idx
            .map(|before| completion.request_idx.unwrap_or(before));
        self.waits.push(Wait {
            due,
            misses: 0,
            what: Next::Retry(attempt),
        });
        true
    }

    /// Stops sending in a run by count without a rate, because a request's patience is over and no request
    /// has been assigned yet; does nothing in any other run. The run ends once nothing is in flight.
    ///
    /// Every further request would wait as long, one after the other.
    fn give_up(&mut self, now: MonotonicTime) {
        let is_counted = matches!(self.plan.stop, Stop::Count(_)) && self.plan.rate.is_none();
        if is_counted && self.still_polls() && self.stats.count(OutcomeKind::Assigned) == 0 {
            self.end_pause(now);
            self.end = End::NoWorker;
            self.phase = Phase::Draining;
            self.waits.clear();
        }
    }

    /// The time of the next `Run::step`, which may have passed; `None` if the run is paused, over, or only
    /// waits for responses.
    pub fn wake(&self) -> Option<MonotonicTime> {
        if !matches!(self.phase, Phase::Running | Phase::Draining) {
            return None;
        }
        let end = match self.plan.stop {
            Stop::Duration(span) if self.phase == Phase::Running => Some(span),
            Stop::Count(_) | Stop::Duration(_) => None,
        };
        let in_flight = u32::try_from(self.in_flight.len()).unwrap_or(u32::MAX);
        let mut next = None;
        if in_flight < self.plan.concurrency {
            let new = match self.plan.rate {
                _ if !self.takes_requests() => None,
                Some(rate) => Some(self.scheduled(rate)),
                None => self.has_idle_slot().then_some(0.0),
            };
            let waits = self.waits.iter().map(|wait| wait.due);
            next = waits.chain(new).min_by(f64::total_cmp);
        }
        let soonest = [end, next].into_iter().flatten().min_by(f64::total_cmp)?;
        Some(self.began + (self.paused + soonest))
    }

    /// At a fixed rate, the number of requests that are due, at the latest by the end of the run, but unsent
    /// because all slots are busy; 0 without a rate.
    pub fn backlog(&self, now: MonotonicTime) -> u64 {
        let Some(rate) = self.plan.rate else {
            return 0;
        };
        // The first one is due at the very start.
        let due = ((self.elapsed(now) + EARLY) * rate).floor() + 1.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // At most a day at 10,000 requests per second, which fits.
        let due = match self.plan.stop {
            Stop::Count(count) => (due as u64).min(count),
            // A request due exactly at the end is not sent.
            Stop::Duration(span) => due.min((span * rate - EARLY).ceil()) as u64,
        };
        due.saturating_sub(self.next_request)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Completion, RoutePlan};
    use super::*;
    use crate::text::Untrusted;
    use crate::time::UnixTime;

    /// Runs a plan with a limit of ten attempts, each answered at once.
    fn limited(stop: Stop, rate: Option<f64>, outcome: &Outcome) -> Run {
        let plan = RoutePlan {
            stop,
            rate,
            ..RoutePlan::single("chat")
        };
        let mut run = Run::start(plan, MonotonicTime::default(), UnixTime::default()).unwrap();
        run.limit = 10;
        let mut now = MonotonicTime::default();
        while !run.is_over() {
            for attempt in run.step(now) {
                now += 0.01;
                let completion = Completion::without_answer(outcome.clone());
                run.complete(attempt.index, now, completion, 0.5);
            }
            now = run.wake().unwrap_or(now).max(now);
        }
        run
    }

    #[test]
    fn a_run_at_its_limit_ends_and_says_so() {
        let assigned = Outcome::Assigned {
            worker: Untrusted::from("http://w:1"),
            reqnum: None,
            echoed: true,
        };
        let waiting = Outcome::waiting("{}");
        let capped = Phase::Ended(End::Capped);
        for (stop, rate, outcome, phase, requests) in [
            (Stop::Duration(60.0), Some(10.0), &assigned, capped, 10),
            (Stop::Duration(60.0), None, &assigned, capped, 10),
            // All due requests were sent: the run was not cut.
            (Stop::Duration(1.0), Some(10.0), &assigned, Phase::Ended(End::Done), 10),
            (Stop::Count(10), None, &assigned, Phase::Ended(End::Done), 10),
            // Polls count towards the limit.
            (Stop::Count(2), None, &waiting, capped, 1),
        ] {
            let run = limited(stop, rate, outcome);
            assert_eq!(run.phase(), phase, "{stop:?} {rate:?}");
            assert_eq!((run.sent(), run.requests()), (10, requests), "{stop:?}");
        }
    }
}

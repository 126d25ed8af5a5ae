//! Rate limiting: minimum intervals per operation, documented and learned.
//!
//! The market refuses requests that follow each other too closely, for each operation separately, mostly without
//! reporting the required wait. So waiting is the client's job. [`Pacer`] is plain state; the time is passed in.

use std::time::Duration;

use bourse_domain::time::MonotonicTime;

use super::Operation;
use super::error::ApiError;

/// The safety factor on an interval named in a refusal.
///
/// The server's clock differs from ours.
const MARGIN: f64 = 1.1;
/// The first interval after a refusal that names none, in seconds.
///
/// Refusals of the public service mostly name no interval and have no `Retry-After`.
const FIRST_GUESS: f64 = 1.0;
/// The maximum interval that is observed, in seconds.
///
/// The one documented interval is 5 s, and a number beyond this is considered a mistake.
pub const LONGEST: f64 = 60.0;
/// The number of responses without a refusal after which a guessed or remembered interval is relaxed.
///
/// A guessed interval may result from a temporary shortage: without this one bad minute would slow the profile down
/// permanently. One that the market named in this run is observed: less is refused.
const CLEAN_CALLS: u32 = 20;
// A tenth less at a time: one step too far costs one refusal.
const RELAXED: f64 = 0.9;

/// The pacing of one operation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Lane {
    /// Minimum seconds between two requests.
    interval: f64,
    /// The documented interval, which is the lower bound.
    floor: f64,
    /// The time when the latest request was sent or answered, whichever is later.
    ///
    /// The server counts from some moment in between.
    last: Option<MonotonicTime>,
    /// The earliest time of the next request, set by a refusal.
    not_before: MonotonicTime,
    /// Responses since the last refusal.
    clean: u32,
    /// Whether the market named the interval in this run.
    is_named: bool,
}

impl Lane {
    /// The pacing of an operation before its first request, with the documented interval, which only
    /// unlisting has.
    const fn new(operation: Operation) -> Self {
        let floor = match operation {
            // Specification, "Limits": the only documented interval.
            Operation::UnlistVolume => 5.0,
            Operation::SearchOffers
            | Operation::SearchVolumes
            | Operation::ListWorkergroups
            | Operation::CreateWorkergroup
            | Operation::Route => 0.0,
        };
        Self {
            interval: floor,
            floor,
            last: None,
            not_before: MonotonicTime::new(0.0),
            clean: 0,
            is_named: false,
        }
    }

    /// Learns the interval from a refusal: a tenth more than `threshold` if that is not shorter than the
    /// present one and at most 60 s; twice the present one, from 1 to 60 s, if the refusal names neither.
    /// Returns the seconds to wait: the longer of `retry_after` and the interval, or of `retry_after` and 60
    /// s if a tenth more than `threshold` exceeds 60 s.
    fn refused(&mut self, threshold: Option<f64>, retry_after: Option<Duration>) -> f64 {
        self.clean = 0;
        let wait = retry_after.map_or(0.0, |span| span.as_secs_f64());
        match threshold.map(|seconds| seconds * MARGIN) {
            // It is too long to learn from, but the market demands a pause.
            Some(named) if named > LONGEST => return wait.max(LONGEST),
            Some(named) if named >= self.interval => {
                self.interval = named;
                self.is_named = true;
            }
            Some(_) => {}
            // A pause gives the time of the next request, not the interval.
            None if retry_after.is_some() => {}
            None => {
                let guess = (self.interval * 2.0).clamp(FIRST_GUESS, LONGEST);
                self.is_named = false;
                self.interval = guess.max(self.interval);
            }
        }
        wait.max(self.interval)
    }

    /// Counts a successful request; after 20 without a refusal in between, an interval that the market has
    /// not named shrinks by a tenth, to 0 if that is below 0.1 s, but never below the documented one.
    fn allowed(&mut self) {
        self.clean += 1;
        if self.clean >= CLEAN_CALLS && !self.is_named {
            self.clean = 0;
            let relaxed = self.interval * RELAXED;
            // An interval below a tenth of a second has no effect.
            let relaxed = if relaxed < 0.1 { 0.0 } else { relaxed };
            self.interval = relaxed.max(self.floor);
        }
    }
}

/// The intervals of all operations.
#[derive(Debug, Clone, PartialEq)]
pub struct Pacer {
    lanes: [Lane; Operation::ALL.len()],
}

impl Default for Pacer {
    fn default() -> Self {
        Self {
            lanes: Operation::ALL.map(Lane::new),
        }
    }
}

impl Pacer {
    /// A pacer that starts with intervals learned earlier, in seconds, at most a minute and at least the
    /// documented ones; those that are not finite are ignored.
    pub fn with_learned(learned: impl IntoIterator<Item = (Operation, f64)>) -> Self {
        let mut pacer = Self::default();
        for (operation, interval) in learned {
            if interval.is_finite() {
                let lane = pacer.lane_mut(operation);
                lane.interval = interval.clamp(lane.floor, LONGEST);
            }
        }
        pacer
    }

    /// The intervals in seconds that are longer than the documented ones, to save for the profile.
    pub fn learned(&self) -> Vec<(Operation, f64)> {
        Operation::ALL
            .into_iter()
            .zip(&self.lanes)
            .filter(|(_, lane)| lane.interval > lane.floor)
            .map(|(operation, lane)| (operation, lane.interval))
            .collect()
    }

    /// The minimum seconds between two requests of an operation at present, documented or learned; 0 if there
    /// is none.
    pub const fn interval(&self, operation: Operation) -> f64 {
        self.lane(operation).interval
    }

    /// The earliest time at which a request can be sent, after the interval since the last one and the wait
    /// of a refusal; at least `now`.
    pub fn ready_at(&self, operation: Operation, now: MonotonicTime) -> MonotonicTime {
        let lane = self.lane(operation);
        lane.last
            .map_or(now, |last| last + lane.interval)
            .max(lane.not_before)
            .max(now)
    }

    /// Records that a request is sent at `now`, from which the interval counts.
    pub fn sent(&mut self, operation: Operation, now: MonotonicTime) {
        self.lane_mut(operation).last = Some(now);
    }

    /// Records the result of a request at `now`: a refusal by the rate limit sets a wait and may lengthen the
    /// interval, a success may shorten it, other errors do neither. The interval counts from `now` if a
    /// request was recorded as sent before.
    pub fn answered<T>(&mut self, operation: Operation, now: MonotonicTime, result: &Result<T, ApiError>) {
        let lane = self.lane_mut(operation);
        if lane.last.is_some() {
            lane.last = Some(now);
        }
        match result {
            Err(ApiError::RateLimited {
                threshold, retry_after, ..
            }) => lane.not_before = now + lane.refused(*threshold, *retry_after),
            Ok(_) => lane.allowed(),
            Err(_) => {}
        }
    }

    /// Drops the intervals and waits learned from refusals; the documented ones stay.
    pub fn forget(&mut self) {
        for (operation, lane) in Operation::ALL.into_iter().zip(&mut self.lanes) {
            *lane = Lane {
                last: lane.last,
                ..Lane::new(operation)
            };
        }
    }

    /// The pacing of an operation, for reading.
    const fn lane(&self, operation: Operation) -> &Lane {
        &self.lanes[operation as usize]
    }

    /// The pacing of an operation, for changes.
    const fn lane_mut(&mut self, operation: Operation) -> &mut Lane {
        &mut self.lanes[operation as usize]
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // the moments are chosen to be exact
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::error::ErrorBody;

    const OP: Operation = Operation::SearchVolumes;

    const fn at(seconds: f64) -> MonotonicTime {
        MonotonicTime::new(seconds)
    }

    fn limited(threshold: Option<f64>, wait: Option<u64>) -> Result<(), ApiError> {
        Err(ApiError::RateLimited {
            threshold,
            retry_after: wait.map(Duration::from_secs),
            said: ErrorBody::Nothing,
        })
    }

    #[test]
    fn unlisting_is_paced_from_the_start_and_counts_from_the_answer() {
        let mut pacer = Pacer::default();
        let op = Operation::UnlistVolume;
        assert_eq!(pacer.ready_at(op, at(100.0)), at(100.0));
        pacer.sent(op, at(100.0));
        assert_eq!(pacer.ready_at(op, at(100.1)), at(105.0));
        pacer.answered(op, at(101.0), &Ok(()));
        assert_eq!(pacer.ready_at(op, at(102.0)), at(106.0));
        assert_eq!(pacer.ready_at(op, at(200.0)), at(200.0));
        assert_eq!(pacer.ready_at(OP, at(102.0)), at(102.0)); // others do not wait
        assert!(pacer.learned().is_empty());
    }

    #[test]
    fn a_named_threshold_is_learned_with_a_margin_and_never_lowered_by_another() {
        let mut pacer = Pacer::default();
        pacer.sent(OP, at(0.0));
        pacer.answered(OP, at(1.0), &limited(Some(2.0), None));
        assert!((pacer.interval(OP) - 2.2).abs() < 1e-9);
        assert!((pacer.ready_at(OP, at(1.0)) - at(3.2)).abs() < 1e-9);
        pacer.answered(OP, at(4.0), &limited(Some(1.0), None));
        assert!((pacer.interval(OP) - 2.2).abs() < 1e-9);
        let learned = pacer.learned();
        assert_eq!(learned.len(), 1);
        let kept = Pacer::with_learned(learned);
        assert!((kept.interval(OP) - 2.2).abs() < 1e-9);
    }

    #[test]
    fn an_absurd_threshold_costs_a_minute_and_teaches_nothing() {
        for absurd in [60.0, 300.0, 5000.0, 1e300] {
            let mut pacer = Pacer::default();
            pacer.sent(OP, at(0.0));
            pacer.answered(OP, at(1.0), &limited(Some(absurd), None));
            assert_eq!(pacer.ready_at(OP, at(1.0)), at(61.0));
            assert!(pacer.learned().is_empty());
            pacer.sent(OP, at(61.0));
            pacer.answered(OP, at(62.0), &Ok(()));
            assert_eq!(pacer.ready_at(OP, at(62.0)), at(62.0));
        }
        let poisoned = Pacer::with_learned([(OP, 5000.0), (Operation::Route, f64::NAN)]);
        assert_eq!(poisoned.interval(OP), 60.0);
        assert_eq!(poisoned.interval(Operation::Route), 0.0);
    }

    #[test]
    fn a_named_interval_is_kept_to_and_a_guessed_one_relaxes() {
        let mut pacer = Pacer::default();
        let guessed = Operation::SearchOffers;
        pacer.answered(OP, at(0.0), &limited(Some(5.0), None));
        pacer.answered(guessed, at(0.0), &limited(None, None));
        for _ in 0..100 {
            pacer.answered(OP, at(0.0), &Ok(()));
            pacer.answered(guessed, at(0.0), &Ok(()));
        }
        assert_eq!(pacer.interval(OP), 5.5);
        assert!((pacer.interval(guessed) - 0.590_49).abs() < 1e-9); // 0.9 five times
    }

    #[test]
    fn forgetting_leaves_the_documented_intervals_and_the_latest_request() {
        let mut pacer = Pacer::with_learned([(OP, 10.0), (Operation::UnlistVolume, 20.0)]);
        pacer.sent(Operation::UnlistVolume, at(100.0));
        pacer.answered(OP, at(100.0), &limited(Some(5000.0), None));
        pacer.forget();
        assert_eq!(pacer.ready_at(OP, at(100.0)), at(100.0));
        assert_eq!(pacer.ready_at(Operation::UnlistVolume, at(100.0)), at(105.0));
        assert!(pacer.learned().is_empty());
    }

    #[test]
    fn without_a_number_the_interval_doubles_from_one_second_to_sixty() {
        let mut pacer = Pacer::default();
        let mut seen = Vec::new();
        for turn in 0..8 {
            pacer.sent(OP, at(f64::from(turn) * 1000.0));
            pacer.answered(OP, at(f64::from(turn) * 1000.0), &limited(None, None));
            seen.push(pacer.interval(OP));
        }
        assert_eq!(seen, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]);
    }

    #[test]
    fn retry_after_is_kept_to_and_teaches_nothing() {
        let mut pacer = Pacer::default();
        pacer.sent(OP, at(0.0));
        pacer.answered(OP, at(1.0), &limited(None, Some(30)));
        assert_eq!(pacer.ready_at(OP, at(1.0)), at(31.0));
        assert!(pacer.learned().is_empty());
    }

    #[test]
    fn twenty_clean_answers_relax_a_learned_interval_but_not_a_documented_one() {
        let mut pacer = Pacer::with_learned([(OP, 10.0)]);
        for _ in 0..20 {
            pacer.answered(OP, at(0.0), &Ok(()));
            pacer.answered(Operation::UnlistVolume, at(0.0), &Ok(()));
        }
        assert_eq!(pacer.interval(OP), 9.0);
        assert_eq!(pacer.interval(Operation::UnlistVolume), 5.0);
    }

    #[test]
    fn every_operation_has_its_own_lane() {
        for (index, operation) in Operation::ALL.into_iter().enumerate() {
            assert_eq!(operation as usize, index);
        }
    }
}

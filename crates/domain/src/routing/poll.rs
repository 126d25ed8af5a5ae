//! The polling of requests that wait for a worker.

/// Seconds that a route-only test asks the router to hold the load of an unused assignment.
///
/// The market's default of 60 would occupy workers that nobody uses.
pub const SHORT_REPLAY: f64 = 10.0;

/// The minimum wait between two polls, in seconds.
const SOONEST: f64 = 0.1;

/// Two random numbers from 0 to 1, for a wait.
///
/// The driver draws them: the schedule itself has no randomness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jitter {
    /// Random addition to the ceiling of the wait, in seconds.
    pub ceiling: f64,
    /// The position of the wait between the minimum and the ceiling, from 0 to 1.
    pub wait: f64,
}

impl From<f64> for Jitter {
    /// Uses the same number for both, limited to 0 to 1; 0.5 if it is not finite.
    fn from(share: f64) -> Self {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
        Self {
            ceiling: share,
            wait: share,
        }
    }
}

/// The waits between polls of a request without a worker, and of a slot of a closed loop after a failure.
///
/// The waits grow from `least` to `most` and are random, so that slots do not poll in step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PollPolicy {
    /// Wait before the first poll, in seconds.
    pub least: f64,
    /// Longest wait before any later poll, in seconds.
    pub most: f64,
    /// Load estimate of a poll on a market without a queue; `None` repeats the plan's cost.
    ///
    /// The only way to poll there without adding load is a cost of 0.
    pub cost: Option<f64>,
    /// Seconds after which a request without a worker is no longer polled.
    pub patience: f64,
}

impl Default for PollPolicy {
    fn default() -> Self {
        Self {
            least: 1.0,
            // The longest wait of the market's own client.
            most: 5.0,
            cost: None,
            // The `replay_timeout` of the market's own client.
            patience: 60.0,
        }
    }
}

impl PollPolicy {
    /// The wait in seconds before poll number `poll` of a request, from 1: `least` before the first, then a
    /// random time between 0.1 s and a ceiling that doubles up to `most`, as in the market's own client.
    pub fn wait(&self, poll: u32, jitter: Jitter) -> f64 {
        if poll <= 1 {
            return self.least;
        }
        let doubled = self.least * f64::from(1_u32 << (poll - 1).min(16));
        let ceiling = (doubled + jitter.ceiling).min(self.most);
        let soonest = SOONEST.min(ceiling);
        soonest + (ceiling - soonest) * jitter.wait
    }

    /// The wait in seconds of a slot of a closed loop after `misses` (at least 1) failures in a row: a random
    /// time from half the ceiling to the whole; the ceiling doubles from `least` up to `most`.
    pub(super) fn failure_wait(&self, misses: u32, jitter: Jitter) -> f64 {
        // Doubling continues up to a bound: an endpoint without workers is polled less and less, one that starts a
        // worker is noticed soon.
        let doubled = self.least * f64::from(1_u32 << misses.saturating_sub(1).min(16));
        let ceiling = doubled.min(self.most).max(self.least);
        // Random, so that requests refused together are not repeated together.
        ceiling * (0.5 + 0.5 * jitter.wait)
    }
}

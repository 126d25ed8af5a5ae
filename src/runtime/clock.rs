//! The program's clocks: of the process and of the world.

use std::time::Duration;

use tokio::time::Instant;

use crate::api::client::current_time;
use crate::core::Now;
use crate::domain::time::MonotonicTime;

#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock whose monotonic time starts at 0 now.
    pub(super) fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// The current time on both clocks: since the start of this one, and of the world.
    pub(super) fn now(self) -> Now {
        Now {
            mono: MonotonicTime::after(self.start.elapsed()),
            epoch: current_time(),
        }
    }

    /// The instant of a monotonic time of this clock: a negative time is its start, and one that cannot be
    /// represented is a year after the start.
    pub(super) fn instant(self, time: MonotonicTime) -> Instant {
        let after = Duration::try_from_secs_f64(time.seconds().max(0.0)).unwrap_or(Duration::MAX);
        self.start
            .checked_add(after)
            .unwrap_or_else(|| self.start + Duration::from_hours(8760))
    }
}

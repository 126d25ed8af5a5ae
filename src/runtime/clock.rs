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
    pub(super) fn start() -> Self {
        Self { start: Instant::now() }
    }

    pub(super) fn now(self) -> Now {
        Now {
            mono: MonotonicTime::after(self.start.elapsed()),
            epoch: current_time(),
        }
    }

    pub(super) fn instant(self, time: MonotonicTime) -> Instant {
        let after = Duration::try_from_secs_f64(time.seconds().max(0.0)).unwrap_or(Duration::MAX);
        self.start
            .checked_add(after)
            .unwrap_or_else(|| self.start + Duration::from_hours(8760))
    }
}

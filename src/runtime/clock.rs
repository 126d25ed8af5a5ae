//! The program's clock: seconds since the start, and since 1970.

use std::time::Duration;

use tokio::time::Instant;

use crate::api::client::epoch_seconds;
use crate::core::Now;

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
            mono: self.start.elapsed().as_secs_f64(),
            epoch: epoch_seconds(),
        }
    }

    pub(super) fn instant(self, mono: f64) -> Instant {
        let after = Duration::try_from_secs_f64(mono.max(0.0)).unwrap_or(Duration::MAX);
        self.start
            .checked_add(after)
            .unwrap_or_else(|| self.start + Duration::from_hours(8760))
    }
}

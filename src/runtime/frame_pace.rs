//! Limits the rate of frames.

use std::time::Duration;

use tokio::time::Instant;

/// Average time between two frames.
///
/// 60 frames a second: a terminal would only queue more.
const GAP: Duration = Duration::from_millis(16);

/// Time that a pause saves up for frames without delay.
///
/// A key or response right after a frame is not delayed. The first frame, the background's color
/// and the first rows arrive within a few milliseconds.
const CREDIT: Duration = Duration::from_millis(48);

/// The time at which the next frame may be drawn.
#[derive(Debug)]
pub(super) struct FramePace {
    due: Instant,
}

impl FramePace {
    /// A pace that allows the first frames without delay.
    pub(super) fn new(now: Instant) -> Self {
        Self {
            due: now.checked_sub(CREDIT).unwrap_or(now),
        }
    }

    /// The time from which the next frame may be drawn.
    pub(super) const fn due(&self) -> Instant {
        self.due
    }

    /// Records a frame drawn `now`: the next one is due 16 ms after this one was due, or 32 ms before `now`
    /// if that is later, so that a pause allows three frames without delay.
    pub(super) fn drawn(&mut self, now: Instant) {
        let saved = now.checked_sub(CREDIT).unwrap_or(now);
        self.due = self.due.max(saved) + GAP;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The milliseconds at which frames are drawn if all are requested at once.
    fn drawn_at(pace: &mut FramePace, wanted: Instant, start: Instant) -> Vec<u128> {
        let frame = |_| {
            let now = pace.due().max(wanted);
            pace.drawn(now);
            (now - start).as_millis()
        };
        (0..6).map(frame).collect()
    }

    #[test]
    fn four_frames_follow_a_pause_at_once_and_the_rest_sixty_a_second() {
        let start = Instant::now();
        let mut pace = FramePace::new(start);
        assert_eq!(drawn_at(&mut pace, start, start), [0, 0, 0, 0, 16, 32]);
        let later = start + Duration::from_secs(9);
        let wanted = [9000, 9000, 9000, 9000, 9016, 9032];
        assert_eq!(drawn_at(&mut pace, later, start), wanted);
    }
}

//! Counts per time interval, in bounded memory.

/// The maximum number of intervals; beyond it neighbours are merged.
const MOST: usize = 240;

/// The first width of an interval, in seconds.
const FIRST_WIDTH: f64 = 0.125;

/// Attempts that ended in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bucket {
    /// Those that were assigned a worker.
    pub assigned: u64,
    pub waiting: u64,
    /// Those that were refused, failed or timed out.
    pub failed: u64,
}

impl Bucket {
    pub const fn total(&self) -> u64 {
        self.assigned + self.waiting + self.failed
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            assigned: self.assigned + other.assigned,
            waiting: self.waiting + other.waiting,
            failed: self.failed + other.failed,
        }
    }
}

/// Intervals of equal width from the start of a run. The width doubles when the run outgrows them.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    width: f64,
    buckets: Vec<Bucket>,
}

impl Default for Timeline {
    fn default() -> Self {
        Self {
            width: FIRST_WIDTH,
            buckets: Vec::new(),
        }
    }
}

impl Timeline {
    /// Adds what happened at `at` seconds since the start.
    pub fn record(&mut self, at: f64, what: Bucket) {
        if !at.is_finite() || what.total() == 0 {
            return;
        }
        let at = at.max(0.0);
        #[expect(clippy::cast_precision_loss)] // 240
        while at / self.width >= MOST as f64 {
            self.buckets = self
                .buckets
                .chunks(2)
                .map(|pair| pair.iter().copied().fold(Bucket::default(), Bucket::plus))
                .collect();
            self.width *= 2.0;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 239
        let index = (at / self.width) as usize;
        if index >= self.buckets.len() {
            self.buckets.resize(index + 1, Bucket::default());
        }
        self.buckets[index] = self.buckets[index].plus(what);
    }

    /// The width of an interval in seconds.
    pub const fn width(&self) -> f64 {
        self.width
    }

    /// The intervals from the start to the last in which something happened.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Responses per second in each interval. The last interval may be incomplete: `now` is how far
    /// it has got, in seconds since the start.
    pub fn per_second(&self, now: f64) -> Vec<f64> {
        let mut from = 0.0;
        self.buckets
            .iter()
            .map(|bucket| {
                let lasted = (now - from).clamp(self.width / 4.0, self.width);
                from += self.width;
                #[expect(clippy::cast_precision_loss)] // a count of attempts
                let total = bucket.total() as f64;
                total / lasted
            })
            .collect()
    }
}

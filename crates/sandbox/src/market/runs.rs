//! The runs of a market that is drawn once and goes on each time its sandbox starts.

use serde::{Deserialize, Serialize};

use super::MarketConfig;

/// The age in seconds up to which a market goes on: a week.
///
/// Between runs offers only expire, so after a longer time much of the market would be missing.
const LONGEST: f64 = 7.0 * 86_400.0;

/// The number of ticks after which a market is replaced by a new one: eight hours of running.
///
/// All of them are repeated at each start: 5,760 take 50 ms.
const MOST_TICKS: u64 = 5_760;

/// The number of runs after which a market is replaced by a new one.
const MOST_RUNS: usize = 1_000;

/// A time in which a market moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The start, seconds since 1970.
    pub at: f64,
    /// The number of ticks it moved, at least 1.
    pub ticks: u64,
}

/// When a market was drawn and when it has moved since. From these and the seed, each program gets the same market.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MarketRuns {
    /// The number of offers it was drawn with.
    pub offers: usize,
    /// The number of volumes it was drawn with.
    pub volumes: usize,
    /// The time it was drawn, seconds since 1970.
    pub start: f64,
    /// The runs since then, oldest first.
    pub runs: Vec<Run>,
}

impl MarketRuns {
    /// The runs of a market that is drawn at `config.start`: none.
    pub fn new(config: &MarketConfig) -> Self {
        Self {
            offers: config.offers,
            volumes: config.volumes,
            start: config.start,
            runs: Vec::new(),
        }
    }

    /// Whether a market of the size in `config` can go on at `now`; false if a new one must be drawn, since it is
    /// too old, has moved too much, or the clock stands before its last run.
    pub fn continues(&self, config: &MarketConfig, now: f64) -> bool {
        let starts = || self.runs.iter().map(|run| run.at);
        let times = || std::iter::once(self.start).chain(starts()).chain([now]);
        (self.offers, self.volumes) == (config.offers, config.volumes)
            && now - self.start <= LONGEST
            && times().zip(times().skip(1)).all(|(earlier, later)| earlier <= later)
            && self.runs.len() < MOST_RUNS
            && self.ticks() < MOST_TICKS
    }

    /// The number of ticks of all runs.
    pub fn ticks(&self) -> u64 {
        self.runs.iter().fold(0, |sum, run| sum.saturating_add(run.ticks))
    }

    /// Replaces them by the runs that another program saved, if those are of a market drawn later, or of the same
    /// one after more ticks.
    ///
    /// Programs that run at once repeat the same ticks, so the most of them include the others.
    pub fn merge(&mut self, other: Self) {
        if (other.start, other.ticks()) > (self.start, self.ticks()) {
            *self = other;
        }
    }
}

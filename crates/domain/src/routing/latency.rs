//! Latencies: a histogram with three significant digits, plus exact minimum, maximum and mean.

use hdrhistogram::Histogram;

/// The longest latency recorded, in microseconds: an hour.
const LONGEST: u64 = 3_600_000_000;

/// Latencies of one kind. Quantiles are accurate to three significant digits (a thousandth of their
/// value); minimum, maximum and mean are exact.
#[derive(Debug, Clone, Default)]
pub struct Latencies {
    histogram: Option<Histogram<u64>>,
    sum: f64,
    least: f64,
    most: f64,
}

impl Latencies {
    /// Adds a latency in seconds: a negative one as 0, one above an hour as an hour in the quantiles. One
    /// that is not finite is ignored.
    pub fn record(&mut self, seconds: f64) {
        if !seconds.is_finite() {
            return;
        }
        let seconds = seconds.max(0.0);
        if self.histogram.is_none() {
            self.histogram = Histogram::new_with_bounds(1, LONGEST, 3).ok();
        }
        let Some(histogram) = &mut self.histogram else {
            return;
        };
        let first = histogram.is_empty();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bounded just here
        histogram.saturating_record((seconds * 1e6).round().min(3.6e9) as u64);
        self.sum += seconds;
        self.least = if first { seconds } else { self.least.min(seconds) };
        self.most = if first { seconds } else { self.most.max(seconds) };
    }

    /// The number of latencies recorded.
    pub fn count(&self) -> u64 {
        self.histogram.as_ref().map_or(0, Histogram::len)
    }

    /// The latency in seconds at a quantile from 0 to 1, to three significant digits: the smallest recorded
    /// one with at least that share at or below it. `None` if nothing was recorded.
    pub fn quantile(&self, quantile: f64) -> Option<f64> {
        let histogram = self.filled()?;
        let seconds = histogram.value_at_quantile(quantile) as f64 / 1e6;
        Some(seconds.clamp(self.least, self.most))
    }

    /// The recorded latencies in microseconds, to three significant digits, ascending, each with its count.
    pub fn counts(&self) -> Vec<(u64, u64)> {
        let recorded = self.filled().map(Histogram::iter_recorded);
        recorded
            .into_iter()
            .flatten()
            .map(|step| (step.value_iterated_to(), step.count_at_value()))
            .collect()
    }

    /// The mean in seconds; `None` if nothing was recorded.
    pub fn mean(&self) -> Option<f64> {
        self.filled().map(|histogram| self.sum / histogram.len() as f64)
    }

    /// The minimum in seconds; `None` if nothing was recorded.
    pub fn least(&self) -> Option<f64> {
        self.filled().map(|_| self.least)
    }

    /// The maximum in seconds; `None` if nothing was recorded.
    pub fn most(&self) -> Option<f64> {
        self.filled().map(|_| self.most)
    }

    /// The histogram of the latencies; `None` if nothing was recorded.
    fn filled(&self) -> Option<&Histogram<u64>> {
        self.histogram.as_ref().filter(|histogram| !histogram.is_empty())
    }
}

//! Whether two runs differ: the Mann-Whitney rank test.
//!
//! Latencies are skewed and have outliers, so means and single percentiles of two runs always
//! differ; ranks tell whether one run's values tend to lie above the other's.

// With fewer the rank sum takes too few values for a p-value below the level to mean much.
/// The smallest sample size for the normal approximation.
pub const LEAST_VALUES: u64 = 8;

/// Differences as large as this arise by chance in one of twenty comparisons of equal runs.
pub const SIGNIFICANT: f64 = 0.05;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankTest {
    /// The statistic U of the first sample: the number of pairs in which its value is the larger
    /// one, ties counting half.
    pub u: f64,
    /// The standardised statistic, with tie and continuity correction; positive if the first sample
    /// tends to be larger.
    pub z: f64,
    /// The two-sided probability of a difference this large between equal runs.
    pub p: f64,
}

/// Compares two samples, each given as its values in ascending order with how often each occurs.
/// `None` if a sample is empty.
///
/// ```
/// use bourse::domain::routing::rank_test;
/// let (low, high) = ([(1, 10), (2, 10)], [(2, 5), (3, 15)]);
/// assert!(rank_test(&low, &high).is_some_and(|test| test.z < 0.0 && test.p < 0.001));
/// ```
pub fn rank_test(first: &[(u64, u64)], second: &[(u64, u64)]) -> Option<RankTest> {
    let (mut left, mut right) = (first.iter().peekable(), second.iter().peekable());
    let (mut before, mut rank_sum, mut ties) = (0.0, 0.0, 0.0);
    loop {
        let value = match (left.peek(), right.peek()) {
            (Some((left, _)), Some((right, _))) => *left.min(right),
            (Some((value, _)), None) | (None, Some((value, _))) => *value,
            (None, None) => break,
        };
        let take = |side: &mut std::iter::Peekable<std::slice::Iter<'_, (u64, u64)>>| {
            let count = side.next_if(|(own, _)| *own == value);
            count.map_or(0.0, |(_, count)| float(*count))
        };
        let (own, other) = (take(&mut left), take(&mut right));
        let both = own + other;
        // Tied values share the mean of their ranks.
        rank_sum += own * (before + f64::midpoint(both, 1.0));
        ties += both * (both * both - 1.0);
        before += both;
    }
    let size = |sample: &[(u64, u64)]| float(sample.iter().map(|(_, count)| count).sum());
    let (first, second) = (size(first), size(second));
    if first == 0.0 || second == 0.0 {
        return None;
    }
    let u = rank_sum - first * (first + 1.0) / 2.0;
    let all = first + second;
    let variance = first * second / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
    let distance = u - first * second / 2.0;
    let z = if variance > 0.0 {
        (distance.abs() - 0.5).max(0.0).copysign(distance) / variance.sqrt()
    } else {
        0.0
    };
    Some(RankTest {
        u,
        z,
        p: two_sided(z),
    })
}

#[expect(clippy::cast_precision_loss)] // counts of attempts
fn float(count: u64) -> f64 {
    count as f64
}

/// The probability that a standard normal variable lies at least as far from 0 as `z`: the
/// complementary error function by Abramowitz and Stegun 7.1.26, accurate to 1.5e-7.
fn two_sided(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let polynomial = series.iter().fold(0.0, |sum, factor| (sum + factor) * t);
    (polynomial * (-x * x).exp()).clamp(0.0, 1.0)
}

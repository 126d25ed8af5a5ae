//! Prices weighted by the time they were asked, and the lowest prices of polls.

use super::outline::Interval;
use super::{Moment, PollRow};

/// The prices of a time, each lot weighted by the time it was on offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    pub lowest: f64,
    pub p20: f64,
    pub median: f64,
    pub p80: f64,
}

/// Prices with weights, such as the seconds that each lasted.
#[derive(Debug, Clone, Default)]
pub struct Prices(Vec<(f64, f64)>);

impl Prices {
    /// Adds a price with its weight; ignored unless the price is finite and the weight above zero.
    pub fn add(&mut self, price: f64, weight: f64) {
        if price.is_finite() && weight > 0.0 {
            self.0.push((price, weight));
        }
    }

    /// The distinct prices, ascending, each with the sum of its weights.
    pub fn sorted(mut self) -> Vec<(f64, f64)> {
        self.0.sort_unstable_by(|(left, _), (right, _)| left.total_cmp(right));
        self.0.dedup_by(|(price, weight), (kept, sum)| {
            let is_same = kept.total_cmp(price).is_eq();
            if is_same {
                *sum += *weight;
            }
            is_same
        });
        self.0
    }

    /// The lowest price and the weighted 20th, 50th and 80th percentiles; `None` without prices.
    pub fn levels(self) -> Option<Levels> {
        let sorted = self.sorted();
        Some(Levels {
            lowest: sorted.first()?.0,
            p20: weighted_quantile(&sorted, 0.2)?,
            median: weighted_quantile(&sorted, 0.5)?,
            p80: weighted_quantile(&sorted, 0.8)?,
        })
    }
}

/// The lowest price up to which at least the share `part` (0 to 1) of the weight lies; `None` without prices.
/// `sorted` are prices with weights, ascending by price.
///
/// It is a price that was asked: between prices there is no offer.
pub fn weighted_quantile(sorted: &[(f64, f64)], part: f64) -> Option<f64> {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let reached = sorted.iter().find(|(_, weight)| {
        sum += weight;
        // Allows for rounding in the sum of weights.
        sum >= part * total * (1.0 - 1e-12)
    });
    reached.or(sorted.last()).map(|(price, _)| *price)
}

/// The intervals with a known lowest price, in order: start, end and price.
pub type LowIntervals = Vec<(Moment, Moment, f64)>;

/// The lowest prices of polls.
#[derive(Debug, Default)]
pub struct LowSeries {
    /// The lowest prices of the polls with offers, ascending.
    pub prices: Vec<f64>,
    /// The lowest price of each poll; `None` if nothing was on offer.
    pub of_polls: Vec<Option<f64>>,
    /// The lowest of all, and the first poll with it.
    pub record: Option<(f64, Moment)>,
}

impl LowSeries {
    /// The lowest prices of `polls`, which are in order of time, from all intervals of all lots.
    pub fn new(intervals: &[Interval], polls: &[PollRow]) -> Self {
        let mut lowest = LowestOfPolls::new(polls.len());
        for interval in intervals {
            lowest.add(interval, polls);
        }
        let of_polls = lowest.finish();
        let seen = || of_polls.iter().copied().flatten();
        let record = seen().reduce(f64::min).and_then(|record| {
            let mut polls = polls.iter().zip(&of_polls);
            let (first, _) = polls.find(|(_, low)| **low == Some(record))?;
            Some((record, first.at))
        });
        let mut prices: Vec<f64> = seen().collect();
        prices.sort_unstable_by(f64::total_cmp);
        Self {
            prices,
            of_polls,
            record,
        }
    }
}

/// Finds the lowest price of each poll, from one interval after another.
///
/// An interval may span thousands of polls, so noting its price at each would take long.
#[derive(Debug)]
pub struct LowestOfPolls {
    /// A tree: its second half are the polls, and the price of a node is the lowest among lots that were on offer at
    /// all polls below it. The children of the node `n` are `2n` and `2n + 1`.
    nodes: Vec<f64>,
}

impl LowestOfPolls {
    /// A finder for this number of polls, without prices yet.
    pub fn new(polls: usize) -> Self {
        Self {
            nodes: vec![f64::INFINITY; 2 * polls],
        }
    }

    /// Adds the price of an interval to all `polls` at which it was on offer. A price below zero counts as 0,
    /// an unknown one is ignored.
    pub fn add(&mut self, interval: &Interval, polls: &[PollRow]) {
        if !interval.price.is_finite() {
            return;
        }
        let many = self.nodes.len() / 2;
        let removed = interval.first_without();
        let mut from = many + polls.partition_point(|poll| poll.at < interval.first);
        let mut end = many + polls.partition_point(|poll| poll.at < removed);
        // A price below zero is the market's mistake.
        let price = interval.price.max(0.0);
        while from < end {
            if from % 2 == 1 {
                self.lower(from, price);
                from += 1;
            }
            if end % 2 == 1 {
                end -= 1;
                self.lower(end, price);
            }
            (from, end) = (from / 2, end / 2);
        }
    }

    /// Lowers the price of a node of the tree to `price`, if that is less.
    fn lower(&mut self, node: usize, price: f64) {
        if let Some(lowest) = self.nodes.get_mut(node) {
            *lowest = lowest.min(price);
        }
    }

    /// The lowest known price of each poll; `None` if nothing with a known price was on offer.
    pub fn finish(mut self) -> Vec<Option<f64>> {
        let many = self.nodes.len() / 2;
        for node in 1..many {
            let price = self.nodes.get(node).copied().unwrap_or(f64::INFINITY);
            self.lower(2 * node, price);
            self.lower(2 * node + 1, price);
        }
        let polls = self.nodes.split_off(many);
        polls
            .into_iter()
            .map(|low| Some(low).filter(|low| low.is_finite()))
            .collect()
    }
}

//! Prices that weigh by the time for which they were asked, and the lowest prices of polls.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::outline::Interval;
use super::{Moment, PollRow};

/// The prices of a time: each lot counts for as long as it was on offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    pub lowest: f64,
    pub p20: f64,
    pub median: f64,
    pub p80: f64,
}

/// Prices, and for how long each was asked.
#[derive(Debug, Clone, Default)]
pub struct Prices(Vec<(f64, f64)>);

impl Prices {
    pub fn add(&mut self, price: f64, weight: f64) {
        if price.is_finite() && weight > 0.0 {
            self.0.push((price, weight));
        }
    }

    /// The prices, ascending, each once, with their weights.
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

    pub fn levels(self) -> Option<Levels> {
        let sorted = self.sorted();
        Some(Levels {
            lowest: sorted.first()?.0,
            p20: quantile(&sorted, 0.2)?,
            median: quantile(&sorted, 0.5)?,
            p80: quantile(&sorted, 0.8)?,
        })
    }
}

/// The lowest price up to which at least a share of the weight lies. It is one that was asked:
/// between prices there is no offer.
pub fn quantile(sorted: &[(f64, f64)], part: f64) -> Option<f64> {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let reached = sorted.iter().find(|(_, weight)| {
        sum += weight;
        // Sums of weights round.
        sum >= part * total * (1.0 - 1e-12)
    });
    reached.or(sorted.last()).map(|(price, _)| *price)
}

/// A price as a number with the same order.
const fn rank(price: f64) -> u64 {
    let bits = price.to_bits();
    if price.is_sign_negative() {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// Times with a known lowest price, in their order, and the price.
pub type LowIntervals = Vec<(Moment, Moment, f64)>;

/// The lowest prices of polls.
#[derive(Debug, Default)]
pub struct LowSeries {
    /// Of the polls that saw any, ascending.
    pub prices: Vec<f64>,
    /// Of each poll, `None` where nothing was on offer.
    pub of_polls: Vec<Option<f64>>,
    /// The lowest of all, and the first poll that saw it.
    pub record: Option<(f64, Moment)>,
}

impl LowSeries {
    /// The first interval by price that was on offer at a poll is its lowest. The cheapest few are
    /// mostly those of all polls: the others need no sorting.
    pub fn of(intervals: &[Interval], polls: &[PollRow]) -> Self {
        let mut lows = Self {
            of_polls: vec![None; polls.len()],
            ..Self::default()
        };
        let mut left = Unpriced::of(polls.len());
        let ranked = intervals.iter().enumerate();
        let ranked = ranked.filter(|(_, interval)| interval.price.is_finite());
        let ranked = ranked.map(|(index, interval)| Reverse((rank(interval.price), index)));
        let mut by_price: BinaryHeap<Reverse<(u64, usize)>> = ranked.collect();
        while lows.prices.len() < polls.len()
            && let Some(Reverse((_, index))) = by_price.pop()
            && let Some(interval) = intervals.get(index)
        {
            let removed = interval.removed();
            let end = polls.partition_point(|poll| poll.at < removed);
            let mut poll = left.next(polls.partition_point(|poll| poll.at < interval.first));
            while poll < end {
                // A price below zero is the market's mistake.
                let low = interval.price.max(0.0);
                lows.see(low, polls.get(poll).map(|poll| poll.at));
                if let Some(lowest) = lows.of_polls.get_mut(poll) {
                    *lowest = Some(low);
                }
                left.remove(poll);
                poll = left.next(poll);
            }
        }
        lows
    }

    fn see(&mut self, low: f64, at: Option<Moment>) {
        self.prices.push(low);
        match (&mut self.record, at) {
            (Some((record, first)), Some(at)) if low <= *record => *first = at.min(*first),
            (None, Some(at)) => self.record = Some((low, at)),
            (Some(_) | None, _) => {}
        }
    }
}

/// The polls whose lowest price is not known yet.
struct Unpriced {
    /// For each poll one that is not earlier and may be without a price: itself, or where the search
    /// for one goes on. The last stands for none.
    next: Vec<usize>,
}

impl Unpriced {
    fn of(polls: usize) -> Self {
        Self {
            next: (0..=polls).collect(),
        }
    }

    /// The first poll without a price from `place` on.
    fn next(&mut self, mut poll: usize) -> usize {
        let mut passed = poll;
        while let Some(next) = self.next.get(poll).copied()
            && next != poll
        {
            poll = next;
        }
        // The next search need not come this way again.
        while let Some(next) = self.next.get_mut(passed)
            && *next != poll
        {
            passed = std::mem::replace(next, poll);
        }
        poll
    }

    fn remove(&mut self, poll: usize) {
        if let Some(next) = self.next.get_mut(poll) {
            *next = poll + 1;
        }
    }
}

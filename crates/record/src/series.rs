//! Prices and amounts over time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::outline::{Interval, Outline};
use super::recall::{Question, Recorded};
use super::timeline::{self, seconds, share};
use super::{Moment, PollOutcome, PollRow, SearchKey};

/// The prices of a time: each lot counts for as long as it was on offer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    pub lowest: f64,
    pub p20: f64,
    pub median: f64,
    pub p80: f64,
}

/// One part of the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    pub from: Moment,
    pub until: Moment,
    /// The share of it that was watched, from 0 to 1.
    pub watched: f64,
    /// `None` where nothing was on offer, or where it was not watched.
    pub levels: Option<Levels>,
    /// GPUs on offer on average, of volumes GB; `None` where it was not watched, or by a truncated response:
    /// what that lacks may be on offer.
    pub amount: Option<f64>,
}

/// What the last usable poll saw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    pub at: Moment,
    pub levels: Option<Levels>,
    pub lots: usize,
    /// GPUs, of volumes GB; of a truncated poll those that it has.
    pub amount: u64,
    pub is_complete: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub search: SearchKey,
    pub since: Moment,
    pub until: Moment,
    pub buckets: Vec<Bucket>,
    pub now: Option<Now>,
    /// The lowest price of the time, and the first poll that saw it.
    pub record: Option<(f64, Moment)>,
    /// The share of the time that was watched, from 0 to 1.
    pub watched: f64,
    /// Usable polls that were truncated.
    pub truncated: usize,
    /// The lowest price of each usable poll that saw any, ascending.
    lows: Vec<f64>,
    /// Usable polls, also those that saw none.
    pub polls: usize,
}

impl Series {
    /// The share of usable polls with a lot below a price; all others had none. `None` without
    /// polls.
    #[expect(clippy::cast_precision_loss)] // counts of polls are far below 2^53
    pub fn share_below(&self, price: f64) -> Option<f64> {
        let below = self.lows.partition_point(|low| *low < price);
        (self.polls > 0).then(|| below as f64 / self.polls as f64)
    }
}

/// The prices of a question's lots, in `buckets` equal parts of its time.
pub fn series(question: &Question, recorded: &Recorded, buckets: usize) -> Series {
    let (outline, _) = recorded.outline(&question.filter, |spell| question.price_of(spell));
    outline.series(question, buckets)
}

impl Outline {
    /// The prices of all its lots, in `buckets` equal parts of a question's time.
    pub fn series(&self, question: &Question, buckets: usize) -> Series {
        let (since, until) = (question.since, question.until);
        let polls = timeline::usable(&self.polls);
        let times = timeline::watched(&polls, since, until);
        let first = polls.partition_point(|poll| poll.at < since);
        let last = polls.partition_point(|poll| poll.at <= until);
        let within = polls.get(first..last).unwrap_or_default();
        let lows = Lows::of(&self.intervals, within);
        let mut parts = Parts::new(since, until, buckets);
        for interval in &self.intervals {
            parts.add(interval);
        }
        Series {
            search: self.search.clone(),
            since,
            until,
            // What the poll before the time saw holds until the first of it.
            buckets: parts.finish(&times, polls.get(first.saturating_sub(1)..last).unwrap_or_default()),
            now: within.last().map(|poll| self.now(poll)),
            record: lows.record,
            watched: share(
                seconds(timeline::overlap(&times, since, until)),
                seconds(until.since(since)),
            ),
            truncated: within.iter().filter(|poll| is_truncated(poll)).count(),
            lows: lows.prices,
            polls: within.len(),
        }
    }

    fn now(&self, poll: &PollRow) -> Now {
        let at = poll.at;
        let mut prices = Prices::default();
        let (mut lots, mut amount) = (0, 0);
        for interval in self.intervals.iter().filter(|interval| interval.is_on_offer(at)) {
            prices.add(interval.price, 1.0);
            amount += u64::from(interval.amount);
            lots += 1;
        }
        Now {
            at,
            levels: prices.levels(),
            lots,
            amount,
            is_complete: !is_truncated(poll),
        }
    }
}

fn is_truncated(poll: &PollRow) -> bool {
    poll.outcome == PollOutcome::Truncated
}

/// Prices, and for how long each was asked.
#[derive(Debug, Clone, Default)]
pub(super) struct Prices(Vec<(f64, f64)>);

impl Prices {
    pub(super) fn add(&mut self, price: f64, weight: f64) {
        if price.is_finite() && weight > 0.0 {
            self.0.push((price, weight));
        }
    }

    /// The prices, ascending, each once, with their weights.
    pub(super) fn sorted(mut self) -> Vec<(f64, f64)> {
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

    fn levels(self) -> Option<Levels> {
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
pub(super) fn quantile(sorted: &[(f64, f64)], part: f64) -> Option<f64> {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let reached = sorted.iter().find(|(_, weight)| {
        sum += weight;
        // Sums of weights round.
        sum >= part * total * (1.0 - 1e-12)
    });
    reached.or(sorted.last()).map(|(price, _)| *price)
}

/// What is summed up for each bucket.
struct Parts {
    edges: Vec<Moment>,
    prices: Vec<Prices>,
    /// Amounts times seconds.
    amounts: Vec<f64>,
}

impl Parts {
    fn new(since: Moment, until: Moment, buckets: usize) -> Self {
        let parts = buckets.max(1);
        let span = i128::from(until.since(since).max(0));
        let edge = |index: usize| {
            let part = span * index as i128 / parts as i128;
            Moment(since.0.saturating_add(i64::try_from(part).unwrap_or(i64::MAX)))
        };
        Self {
            edges: (0..=parts).map(edge).collect(),
            prices: vec![Prices::default(); parts],
            amounts: vec![0.0; parts],
        }
    }

    fn add(&mut self, interval: &Interval) {
        let (begin, end, removed) = (interval.first, interval.until(), interval.removed());
        let first = self.edges.partition_point(|edge| *edge <= begin);
        let bucket = first.saturating_sub(1);
        // Slices, not skipped iterators: of many parts an interval meets few.
        let edges = self.edges.get(bucket..).unwrap_or_default().windows(2);
        let prices = self.prices.get_mut(bucket..).unwrap_or_default();
        let amounts = self.amounts.get_mut(bucket..).unwrap_or_default();
        for (edges, (prices, amount)) in edges.zip(prices.iter_mut().zip(amounts)) {
            let [from, until] = edges else {
                break;
            };
            if begin >= *until || removed <= *from {
                break;
            }
            // What only a single poll saw would count for nothing.
            let span = end.min(*until).since(begin.max(*from)).max(1);
            prices.add(interval.price, seconds(span));
            *amount += f64::from(interval.amount) * seconds(span);
        }
    }

    fn finish(self, times: &[(Moment, Moment)], polls: &[PollRow]) -> Vec<Bucket> {
        let edges = self.edges.iter().zip(self.edges.iter().skip(1));
        let sums = self.prices.into_iter().zip(self.amounts);
        let buckets = edges.zip(sums).map(|((from, until), (prices, amount))| {
            let watched = timeline::overlap(times, *from, *until);
            let next = polls.partition_point(|poll| poll.at < *from);
            let has_poll = polls.get(next).is_some_and(|poll| poll.at < *until);
            // The poll whose rows the part begins with may be before it.
            let holds = polls.partition_point(|poll| poll.at <= *from).saturating_sub(1);
            let seen = polls.get(holds..).unwrap_or_default().iter();
            let is_whole = !seen.take_while(|poll| poll.at < *until).any(is_truncated);
            // What only one poll saw counts for a second, see `add`.
            let within = polls.get(next..).unwrap_or_default().iter();
            let is_alone = |poll: &&PollRow| {
                let (before, after) = (Moment(poll.at.0 - 1), Moment(poll.at.0 + 1));
                timeline::overlap(times, before.max(*from), after.min(*until)) == 0
            };
            let within = within.take_while(|poll| poll.at < *until);
            let alone = i64::try_from(within.filter(is_alone).count()).unwrap_or(0);
            Bucket {
                from: *from,
                until: *until,
                watched: share(seconds(watched), seconds(until.since(*from))),
                levels: prices.levels(),
                amount: (is_whole && (watched > 0 || has_poll)).then(|| amount / seconds((watched + alone).max(1))),
            }
        });
        buckets.collect()
    }
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

/// The lowest prices of polls.
#[derive(Debug, Default)]
pub(super) struct Lows {
    /// Ascending.
    prices: Vec<f64>,
    /// Of each poll, `None` where nothing was on offer.
    pub(super) of_polls: Vec<Option<f64>>,
    record: Option<(f64, Moment)>,
}

impl Lows {
    /// The first interval by price that was on offer at a poll is its lowest. The cheapest few are
    /// mostly those of all polls: the others need no sorting.
    pub(super) fn of(intervals: &[Interval], polls: &[PollRow]) -> Self {
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

//! Prices and amounts over time.

use std::collections::BTreeMap;

use super::recall::{Question, Recorded};
use super::timeline::{self, seconds, share};
use super::{Moment, PollRow, SearchKey, Spell};

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
    /// GPUs on offer on average, of volumes GB; `None` where it was not watched.
    pub amount: Option<f64>,
}

/// What the last usable poll saw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    pub at: Moment,
    pub levels: Option<Levels>,
    pub lots: usize,
    /// GPUs, of volumes GB.
    pub amount: u64,
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
    /// The lowest price of each usable poll that saw any, ascending.
    lows: Vec<f64>,
    /// Usable polls, also those that saw none.
    polls: usize,
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
    let (since, until) = (question.since, question.until);
    let polls = timeline::usable(&recorded.excerpt.polls);
    let times = timeline::watched(&polls, since, until);
    let spells: Vec<&Spell> = question.filter.of(&recorded.excerpt.spells).collect();
    let first = polls.partition_point(|poll| poll.at < since);
    let last = polls.partition_point(|poll| poll.at <= until);
    let within = polls.get(first..last).unwrap_or_default();
    let lows = Lows::of(&spells, within);
    let mut parts = Parts::new(since, until, buckets);
    for spell in &spells {
        parts.add(spell);
    }
    Series {
        search: recorded.search.clone(),
        since,
        until,
        buckets: parts.finish(&times, within),
        now: within.last().map(|poll| now(&spells, poll.at)),
        record: lows.record,
        watched: share(
            seconds(timeline::overlap(&times, since, until)),
            seconds(until.since(since)),
        ),
        lows: lows.prices,
        polls: within.len(),
    }
}

fn now(spells: &[&Spell], at: Moment) -> Now {
    let mut prices = Prices::default();
    let mut now = Now {
        at,
        levels: None,
        lots: 0,
        amount: 0,
    };
    for spell in spells.iter().filter(|spell| spell.is_on_offer(at)) {
        prices.add(spell.price, 1.0);
        now.lots += 1;
        now.amount += u64::from(spell.amount);
    }
    now.levels = prices.levels();
    now
}

/// Prices and for how long each was asked.
#[derive(Debug, Clone, Default)]
pub(super) struct Prices(Vec<(f64, f64)>);

impl Prices {
    pub(super) fn add(&mut self, price: f64, weight: f64) {
        if price.is_finite() && weight > 0.0 {
            self.0.push((price, weight));
        }
    }

    /// Ascending, each price once.
    pub(super) fn sorted(mut self) -> Vec<(f64, f64)> {
        self.0.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        self.0.dedup_by(|(next, more), (price, weight)| {
            let is_same = next.total_cmp(price).is_eq();
            if is_same {
                *weight += *more;
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
        let edge = |place: usize| {
            let part = span * place as i128 / parts as i128;
            Moment(
                since
                    .0
                    .saturating_add(i64::try_from(part).unwrap_or(i64::MAX)),
            )
        };
        Self {
            edges: (0..=parts).map(edge).collect(),
            prices: vec![Prices::default(); parts],
            amounts: vec![0.0; parts],
        }
    }

    fn add(&mut self, spell: &Spell) {
        let (begin, end, removed) = (spell.first, spell.until(), spell.removed());
        let first = self.edges.partition_point(|edge| *edge <= begin);
        let sums = self.prices.iter_mut().zip(&mut self.amounts);
        let edges = self.edges.iter().zip(self.edges.iter().skip(1));
        let parts = edges.zip(sums).skip(first.saturating_sub(1));
        for ((from, until), (prices, amount)) in parts {
            if begin >= *until || removed <= *from {
                break;
            }
            // What only a single poll saw would count for nothing.
            let span = end.min(*until).since(begin.max(*from)).max(1);
            prices.add(spell.price, seconds(span));
            *amount += f64::from(spell.amount) * seconds(span);
        }
    }

    fn finish(self, times: &[(Moment, Moment)], polls: &[PollRow]) -> Vec<Bucket> {
        let edges = self.edges.iter().zip(self.edges.iter().skip(1));
        let sums = self.prices.into_iter().zip(self.amounts);
        let buckets = edges.zip(sums).map(|((from, until), (prices, amount))| {
            let watched = timeline::overlap(times, *from, *until);
            let next = polls.partition_point(|poll| poll.at < *from);
            let has_poll = polls.get(next).is_some_and(|poll| poll.at < *until);
            Bucket {
                from: *from,
                until: *until,
                watched: share(seconds(watched), seconds(until.since(*from))),
                levels: prices.levels(),
                amount: (watched > 0 || has_poll).then(|| amount / seconds(watched.max(1))),
            }
        });
        buckets.collect()
    }
}

/// The lowest prices of polls.
#[derive(Debug, Default)]
struct Lows {
    /// Ascending.
    prices: Vec<f64>,
    record: Option<(f64, Moment)>,
}

impl Lows {
    fn of(spells: &[&Spell], polls: &[PollRow]) -> Self {
        // The bits of numbers from zero on are in the order of the numbers.
        let bits = |spell: &Spell| spell.price.max(0.0).to_bits();
        let begins = spells.iter().map(|spell| (spell.first, bits(spell), true));
        let ends = spells
            .iter()
            .map(|spell| (spell.removed(), bits(spell), false));
        let mut turns: Vec<(Moment, u64, bool)> = begins.chain(ends).collect();
        turns.sort_unstable();
        let mut turns = turns.into_iter().peekable();
        let mut asked: BTreeMap<u64, i64> = BTreeMap::new();
        let mut lows = Self::default();
        for poll in polls {
            while let Some((_, price, is_begin)) = turns.next_if(|(at, ..)| *at <= poll.at) {
                let count = asked.entry(price).or_default();
                *count += if is_begin { 1 } else { -1 };
                if *count == 0 {
                    asked.remove(&price);
                }
            }
            if let Some((bits, _)) = asked.first_key_value() {
                let low = f64::from_bits(*bits);
                lows.prices.push(low);
                if lows.record.is_none_or(|(record, _)| low < record) {
                    lows.record = Some((low, poll.at));
                }
            }
        }
        lows.prices.sort_by(f64::total_cmp);
        lows
    }
}

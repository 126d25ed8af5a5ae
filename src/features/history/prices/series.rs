//! Prices and amounts over time.

use crate::domain::format::counted;
use crate::record::lows::{Levels, LowSeries, Prices};
use crate::record::timeline::{self, seconds, share};
use crate::record::{Analysis, Excerpt, Interval, Moment, PollOutcome, PollRow, Question};

/// One of the equal steps that a time is divided into.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    pub from: Moment,
    pub until: Moment,
    /// The share of it that was watched, from 0 to 1.
    pub watched: f64,
    /// The prices; `None` if nothing was on offer or watched.
    pub levels: Option<Levels>,
    /// Average number of GPUs on offer, for volumes GB; `None` if it was not watched, or the
    /// response was truncated and may lack some.
    pub amount: Option<f64>,
}

/// The lots in the last usable poll.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    pub at: Moment,
    pub levels: Option<Levels>,
    pub lots: usize,
    /// Number of GPUs, for volumes GB; in a truncated poll, those it has.
    pub amount: u64,
    pub is_complete: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub since: Moment,
    pub until: Moment,
    pub buckets: Vec<Bucket>,
    pub now: Option<Now>,
    /// The lowest price of the time, and when it was first seen in it.
    pub record: Option<(f64, Moment)>,
    /// The share of the time that was watched, from 0 to 1.
    pub watched: f64,
    /// Number of truncated usable polls.
    pub truncated: usize,
    /// Number of offers that may belong to the subject; see [`Excerpt::unknown`].
    pub unknown: u32,
    /// The lowest price of each usable poll with any lot, ascending.
    lows: Vec<f64>,
    /// Number of usable polls, including those without a lot.
    pub polls: usize,
}

impl Series {
    /// The share of usable polls with a lot below a price, from 0 to 1; `None` without polls.
    pub fn share_below(&self, price: f64) -> Option<f64> {
        let below = self.lows.partition_point(|low| *low < price);
        (self.polls > 0).then(|| below as f64 / self.polls as f64)
    }

    /// A sentence on the number of offers that may belong to the subject, and the reason:
    /// `3 more offers may match: …`; `None` if there are none.
    pub fn unknown_sentence(&self) -> Option<String> {
        let unknown = Some(self.unknown as usize).filter(|unknown| *unknown > 0)?;
        let offers = counted(unknown, "more offer", "more offers");
        Some(format!(
            "{offers} may match: the record lacks a value that the search tests"
        ))
    }
}

/// The analysis of prices over the time of a question, in `buckets` equal parts.
#[derive(Debug, Clone)]
pub struct PriceSeries {
    pub question: Question,
    pub buckets: usize,
}

impl Analysis for PriceSeries {
    /// `None` if no matching offers are recorded.
    type Output = Option<Series>;

    fn questions(&self) -> Vec<Question> {
        vec![self.question.clone()]
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Option<Series> {
        let excerpt = excerpts.first()?;
        let question = &self.question;
        let (since, until) = (question.since, question.until);
        let polls = timeline::usable(&excerpt.polls);
        let times = timeline::watched(&polls, since, until);
        let first = polls.partition_point(|poll| poll.at < since);
        let last = polls.partition_point(|poll| poll.at <= until);
        let within = polls.get(first..last).filter(|polls| !polls.is_empty())?;
        let intervals = excerpt.intervals(|spell| question.price_of(spell));
        let lows = LowSeries::new(&intervals, within);
        // The poll before the time holds until the first one in it: its price counts, too.
        let before = polls.get(..first).and_then(<[PollRow]>::last);
        let earlier = before.filter(|before| !before.is_gap(since));
        let held = earlier.and_then(|before| Some((now(&intervals, before).levels?.lowest, since)));
        let found = held.into_iter().chain(lows.record);
        let record = found.reduce(|held, later| if later.0 < held.0 { later } else { held });
        let mut parts = Parts::new(since, until, self.buckets);
        for interval in &intervals {
            parts.add(interval);
        }
        Some(Series {
            since,
            until,
            // The poll before the time holds until the first one in it.
            buckets: parts.finish(&times, polls.get(first.saturating_sub(1)..last).unwrap_or_default()),
            now: within.last().map(|poll| now(&intervals, poll)),
            record,
            watched: share(
                seconds(timeline::overlap(&times, since, until)),
                seconds(until.since(since)),
            ),
            truncated: within.iter().filter(|poll| is_truncated(poll)).count(),
            unknown: excerpt.unknown,
            lows: lows.prices,
            polls: within.len(),
        })
    }
}

/// The prices, the number and the amount of the lots on offer in a poll.
fn now(intervals: &[Interval], poll: &PollRow) -> Now {
    let at = poll.at;
    let mut prices = Prices::default();
    let (mut lots, mut amount) = (0, 0);
    for interval in intervals.iter().filter(|interval| interval.is_on_offer(at)) {
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

/// Whether a limit cut the response of a poll.
fn is_truncated(poll: &PollRow) -> bool {
    poll.outcome == PollOutcome::Truncated
}

/// The sums for each bucket.
struct Parts {
    edges: Vec<Moment>,
    prices: Vec<Prices>,
    /// Amounts multiplied by seconds.
    amounts: Vec<f64>,
}

impl Parts {
    /// Empty sums for `buckets` equal parts, at least one, of the time from `since` to `until`.
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

    /// Adds an interval's price and amount to the sums of each bucket that it meets, weighted by the seconds
    /// in it, at least one.
    fn add(&mut self, interval: &Interval) {
        let (begin, end, removed) = (interval.first, interval.until(), interval.first_without());
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
            // A lot that only a single poll saw would count for nothing.
            let span = end.min(*until).since(begin.max(*from)).max(1);
            prices.add(interval.price, seconds(span));
            *amount += f64::from(interval.amount) * seconds(span);
        }
    }

    /// The buckets of the sums, given the watched times and the polls in or just before them. A bucket that
    /// is neither watched nor polled, or has a truncated poll, has no amount.
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
            // A lot that only one poll saw counts for a second, see `add`.
            let within = polls.get(next..).unwrap_or_default().iter();
            let is_alone = |poll: &&PollRow| {
                let (before, after) = (Moment(poll.at.0 - 1), Moment(poll.at.0 + 1));
                timeline::overlap(times, before.max(*from), after.min(*until)) == 0
            };
            let alone = i64::try_from(within.take_while(|poll| poll.at < *until).filter(is_alone).count()).unwrap_or(0);
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

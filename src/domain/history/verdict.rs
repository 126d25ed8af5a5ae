//! Whether a price is low, and how long such offers last.

use super::outline::Outline;
use super::recall::{Question, Recorded};
use super::series::{Prices, quantile};
use super::survival::Lifetimes;
use super::tape::{Lasted, Lived};
use super::timeline::{self, seconds, share};
use super::{Lot, Moment, SearchKey, lifetimes};
use crate::domain::format::{percent, trimmed};
use crate::domain::{OfferType, Resource};

/// Machine-days on offer below which there is no verdict.
const LEAST_MACHINE_DAYS: f64 = 30.0;
/// The share of the time that has to be watched for a verdict.
const LEAST_COVERAGE: f64 = 0.5;
/// Departures below which nothing is said of lifetimes.
const LEAST_DEPARTURES: usize = 30;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// What is remembered of the lots of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    pub search: SearchKey,
    /// The first usable poll of the time.
    pub since: Moment,
    pub until: Moment,
    /// The share of the time from `since` to `until` that was watched, from 0 to 1.
    pub coverage: f64,
    /// Days that lots were on offer, added up.
    pub machine_days: f64,
    pub lifetimes: Lifetimes,
    /// Prices, ascending, and for how many seconds each was asked.
    prices: Vec<(f64, f64)>,
    /// The lots on offer, sorted, and how long they are so at the last poll.
    on_offer: Vec<(Lot, Lasted)>,
    last: Moment,
}

/// Where a price lies among those of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Among the lowest fifth.
    Low,
    Typical,
    /// Among the highest fifth.
    High,
}

/// Too little is recorded for a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Withheld {
    pub machine_days: f64,
    pub coverage: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    pub standing: Standing,
    /// `(price - lowest) / (highest - lowest)`, from 0 to 1; `None` if all prices are equal.
    pub rank: Option<f64>,
    /// The share of machine time at lower prices, and half of that at the same, from 0 to 1.
    pub percentile: f64,
    pub lowest: f64,
    pub p20: f64,
    pub median: f64,
    pub p80: f64,
    pub highest: f64,
    /// For bids: the share of watched machine time in which the least bid was above the price, from
    /// 0 to 1. No probability of what comes.
    pub outbid: Option<f64>,
    pub machine_days: f64,
    pub coverage: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    Withheld(Withheld),
    Given(Rating),
}

impl Standing {
    /// What the price is called: `low`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Typical => "typical",
            Self::High => "high",
        }
    }
}

impl Withheld {
    /// Why there is no verdict.
    pub fn sentence(&self, resource: Resource) -> String {
        if self.machine_days >= LEAST_MACHINE_DAYS {
            let (watched, least) = (percent(self.coverage), percent(LEAST_COVERAGE));
            return format!("No price verdict yet: watched {watched} of the time ({least} needed)");
        }
        let place = match resource {
            Resource::Volumes => "cluster",
            Resource::Offers | Resource::Workergroups => "machine",
        };
        format!(
            "No price verdict yet: {} of {} {place}-days recorded",
            trimmed(self.machine_days.floor(), 0),
            trimmed(LEAST_MACHINE_DAYS, 0)
        )
    }
}

impl Memory {
    /// How long a lot has been on offer at `now`; `None` if the last poll did not see it.
    pub fn seen(&self, lot: &Lot, now: Moment) -> Option<Lasted> {
        let place = self.on_offer.binary_search_by(|(own, _)| own.cmp(lot));
        let (_, lasted) = self.on_offer.get(place.ok()?)?;
        Some(Lasted {
            seconds: lasted.seconds + now.since(self.last).max(0),
            ..*lasted
        })
    }

    /// How long such lots last; `None` while too few departures were seen.
    pub fn lasting(&self) -> Option<&Lifetimes> {
        let is_enough = self.lifetimes.departures >= LEAST_DEPARTURES;
        is_enough.then_some(&self.lifetimes)
    }
}

/// Sums up what was recorded of a question's lots.
pub fn memory(question: &Question, recorded: &Recorded) -> Memory {
    let (outline, lots) = recorded.outline(&question.filter);
    let name = |number: u32| lots.get(number as usize).map(|lot| Lot::clone(lot));
    outline.memory(question, name)
}

impl Outline {
    /// Sums up all its lots; `name` tells which lot has a number.
    pub fn memory(&self, question: &Question, name: impl Fn(u32) -> Option<Lot>) -> Memory {
        let polls = timeline::usable(&self.polls);
        let until = question.until;
        let first = polls.partition_point(|poll| poll.at < question.since);
        let since = polls.get(first).map_or(question.since, |poll| poll.at);
        let last = polls.iter().rfind(|poll| poll.at <= until);
        let last = last.map_or(since, |poll| poll.at);
        let mut prices = Prices::default();
        let mut asked = 0.0;
        for interval in &self.intervals {
            let span = interval.until().min(until).since(interval.first.max(since));
            if span > 0 {
                prices.add(interval.price, seconds(span));
                asked += seconds(span);
            }
        }
        let times = timeline::watched(&polls, since, until);
        let watched = seconds(timeline::overlap(&times, since, until));
        Memory {
            search: self.search.clone(),
            since,
            until,
            coverage: share(watched, seconds(until.since(since))),
            machine_days: asked / SECONDS_PER_DAY,
            lifetimes: lifetimes(&self.lives()),
            prices: prices.sorted(),
            on_offer: self.on_offer(last, name),
            last,
        }
    }

    /// The lots on offer at a poll, sorted, and how long they are so.
    fn on_offer(&self, at: Moment, name: impl Fn(u32) -> Option<Lot>) -> Vec<(Lot, Lasted)> {
        let mut lives: Vec<Option<Lived>> = vec![None; self.lots()];
        let mut on_offer = Vec::new();
        for interval in &self.intervals {
            let Some(known) = lives.get_mut(interval.lot as usize) else {
                continue;
            };
            let so_far = *known.insert(Lived::after(*known, interval));
            if interval.is_on_offer(at)
                && let Some(lot) = name(interval.lot)
            {
                on_offer.push((lot, so_far.lasted(at)));
            }
        }
        on_offer.sort_by(|(one, _), (other, _)| one.cmp(other));
        on_offer
    }
}

/// Compares a price with those that were asked: per GPU as in [`super::Sighting`].
pub fn verdict(memory: &Memory, price: f64) -> Verdict {
    let (machine_days, coverage) = (memory.machine_days, memory.coverage);
    let is_enough = machine_days >= LEAST_MACHINE_DAYS && coverage >= LEAST_COVERAGE;
    let rating = rate(memory, price).filter(|_| is_enough);
    rating.map_or(
        Verdict::Withheld(Withheld {
            machine_days,
            coverage,
        }),
        Verdict::Given,
    )
}

fn rate(memory: &Memory, price: f64) -> Option<Rating> {
    let prices = &memory.prices;
    let (lowest, highest) = (prices.first()?.0, prices.last()?.0);
    let [p20, median, p80] = [0.2, 0.5, 0.8].map(|part| quantile(prices, part));
    let (p20, median, p80) = (p20?, median?, p80?);
    // Where a fifth of the time has one price, that is low, though not below P20.
    let standing = if price < p20 || (price <= p20 && p20 < p80) {
        Standing::Low
    } else if price > p80 || (price >= p80 && p20 < p80) {
        Standing::High
    } else {
        Standing::Typical
    };
    let weight = |is_counted: &dyn Fn(f64) -> bool| -> f64 {
        let counted = prices.iter().filter(|(asked, _)| is_counted(*asked));
        counted.map(|(_, seconds)| seconds).sum()
    };
    let total = weight(&|_| true);
    let below = weight(&|asked| asked < price);
    let above = weight(&|asked| asked > price);
    let rank = (price - lowest) / (highest - lowest);
    Some(Rating {
        standing,
        rank: (highest > lowest).then(|| rank.clamp(0.0, 1.0)),
        percentile: share(below + (total - below - above) / 2.0, total),
        lowest,
        p20,
        median,
        p80,
        highest,
        outbid: (memory.search.offer_type == OfferType::Bid).then(|| share(above, total)),
        machine_days: memory.machine_days,
        coverage: memory.coverage,
    })
}

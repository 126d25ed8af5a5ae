//! Lifetimes: the time that lots stay on offer.
//!
//! Kaplan–Meier over ages in the watched time. A lot counts from its listing, seen between two polls, and continues
//! through new prices and amounts. It is censored when a gap begins, and enters again at its true age (delayed entry)
//! if it is found unchanged after the gap: events in a gap are neither risk nor departure, so that gaps bend nothing.
//! Lots whose listing was not seen have no known age and are left out: those on offer at a given moment are mostly
//! long-lived.
//!
//! Both listing and departure lie between two polls: the midpoint is used for them, which polls every few minutes allow
//! for lifetimes of hours. A lot that comes and goes between two polls is never seen: the curve is about those that
//! survive one poll.

use bourse_domain::time::UnixTime;

use super::outline::{Interval, Onset};
use super::timeline;
use super::{Ending, Excerpt, Moment, PollRow};

/// Quantile of the normal distribution for a band of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A stretch of watched time in the lifetime of a lot, in seconds of its age.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Life {
    /// The age at the beginning; 0 if it was watched from its listing on.
    pub from: f64,
    pub to: f64,
    /// Whether it departed at `to`; else the watch ended.
    pub is_departed: bool,
}

/// The share of lots still on offer at an age, from a departure until the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The age of the offers at this step, in seconds.
    pub age: f64,
    pub survival: f64,
    /// The lower end of the 95 % band.
    pub low: f64,
    pub high: f64,
    /// The number of lots watched at that age.
    pub at_risk: usize,
}

/// The median lifetime, in seconds, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub median: f64,
    /// The 95 % interval; its end is `None` if too few lots were watched for so long.
    pub low: f64,
    pub high: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lifetimes {
    /// The steps of the curve, by age.
    pub steps: Vec<Step>,
    /// The number of lots whose listing was seen.
    pub lives: usize,
    /// The number of those lots whose departure was seen.
    pub departures: usize,
    /// The greatest age that the curve covers, in seconds.
    pub longest: f64,
}

impl Lifetimes {
    /// The curve at an age in seconds; `None` beyond the watched ages. Before the first departure the share is 1.
    pub fn at(&self, age: f64) -> Option<Step> {
        if age > self.longest {
            return None;
        }
        let before = self.steps.partition_point(|step| step.age <= age);
        let step = before.checked_sub(1).and_then(|index| self.steps.get(index));
        Some(step.copied().unwrap_or(Step {
            age: 0.0,
            survival: 1.0,
            low: 1.0,
            high: 1.0,
            at_risk: self.lives,
        }))
    }

    /// The median lifetime in seconds, with its 95 % interval; `None` if more than half of the lots outlive
    /// the watched ages.
    pub fn median(&self) -> Option<Estimate> {
        let reached = |level: fn(&Step) -> f64| {
            let step = self.steps.iter().find(|step| level(step) <= 0.5)?;
            Some(step.age)
        };
        let median = reached(|step| step.survival)?;
        Some(Estimate {
            median,
            low: reached(|step| step.low).unwrap_or(median),
            high: reached(|step| step.high),
        })
    }
}

/// Computes the Kaplan–Meier curve of lifetimes, with its 95 % band, from stretches of watched time; it ends
/// at an age that no lot watched so far outlives, if others were first seen at a greater one.
///
/// Greenwood's variance on the log-log scale keeps the band between 0 and 1.
pub fn lifetimes(lives: &[Life]) -> Lifetimes {
    let mut entries: Vec<f64> = lives.iter().map(|life| life.from).collect();
    let mut exits: Vec<(f64, bool)> = lives.iter().map(|life| (life.to, life.is_departed)).collect();
    entries.sort_by(f64::total_cmp);
    exits.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    let mut lifetimes = Lifetimes {
        lives: lives.iter().filter(|life| life.from <= 0.0).count(),
        departures: lives.iter().filter(|life| life.is_departed).count(),
        longest: exits.last().map_or(0.0, |(age, _)| *age),
        ..Lifetimes::default()
    };
    let (mut survival, mut variance, mut entered, mut left) = (1.0, 0.0, 0, 0);
    for ages in exits.chunk_by(|(left, _), (right, _)| left.total_cmp(right).is_eq()) {
        let age = ages.first().map_or(0.0, |(age, _)| *age);
        let departed = ages.iter().filter(|(_, is_departed)| *is_departed).count();
        // Machines seen late are at risk only from the age at which they were first seen: counting them from
        // zero would make lives look longer.
        entered += entries.iter().skip(entered).take_while(|entry| **entry < age).count();
        let at_risk = entered.saturating_sub(left);
        left += ages.len();
        // Lots whose watch ended leave the risk set without a departure.
        if departed == 0 {
            continue;
        }
        // All lots watched so far have left, and others enter at a greater age: how many reach it is unknown.
        if departed >= at_risk && entered < entries.len() {
            lifetimes.longest = age;
            break;
        }
        let (risk, lost) = (count(at_risk), count(departed));
        survival *= 1.0 - lost / risk;
        variance += lost / (risk * (risk - lost));
        let (low, high) = band(survival, variance, lifetimes.steps.last());
        lifetimes.steps.push(Step {
            age,
            survival,
            low,
            high,
            at_risk,
        });
    }
    lifetimes
}

/// The 95 % band around a survival share with this variance; from 0 to the upper end of the `last` step if no
/// lots are left.
fn band(survival: f64, variance: f64, last: Option<&Step>) -> (f64, f64) {
    if survival <= 0.0 || !variance.is_finite() {
        return (0.0, last.map_or(1.0, |step| step.high));
    }
    let width = Z * variance.sqrt() / -survival.ln();
    (survival.powf(width.exp()), survival.powf((-width).exp()))
}

/// A count as a floating-point number.
const fn count(number: usize) -> f64 {
    number as f64
}

/// The watched stretches in the lifetimes of an excerpt's lots; spells without a finite price are left out.
pub fn lives(excerpt: &Excerpt) -> Vec<Life> {
    let polls = timeline::usable(&excerpt.polls);
    let lots = excerpt.lots().into_values();
    let lives = lots.flat_map(|spells| {
        let priced = spells.into_iter().filter(|spell| spell.price.is_finite());
        lot_lifetimes(priced.map(|spell| spell.interval(Some(spell.price))), &polls)
    });
    lives.collect()
}

/// The watched stretches in the lifetimes of one lot, from its intervals in order of time; only of times
/// whose beginning was seen. `polls` are the usable polls only.
pub fn lot_lifetimes(intervals: impl IntoIterator<Item = Interval>, polls: &[PollRow]) -> Vec<Life> {
    let mut alive = None;
    let lives = intervals
        .into_iter()
        .filter_map(|interval| follow(&mut alive, interval, polls));
    lives.collect()
}

/// A lot whose listing was seen.
#[derive(Debug, Clone, Copy)]
struct Alive {
    /// The time of its listing.
    born: UnixTime,
    /// Its age at the beginning of the current stretch.
    from: f64,
    latest: Interval,
}

/// Continues a lot with its next interval; returns the watched stretch that ends with it. `None` if the lot's
/// age is unknown, the stretch has no length, or the lot goes on with another price or amount.
fn follow(life: &mut Option<Alive>, interval: Interval, polls: &[PollRow]) -> Option<Life> {
    let alive = begin(life.take(), interval, polls)?;
    let (to, is_departed) = match interval.end {
        Some((Ending::Changed, _)) => {
            *life = Some(alive);
            return None;
        }
        Some((Ending::Gone(_), at)) => (middle(interval.last, at), true),
        Some((Ending::LostSight, _)) | None => {
            *life = Some(alive);
            (interval.last.unix(), false)
        }
    };
    let stretch = Life {
        from: alive.from,
        to: to - alive.born,
        is_departed,
    };
    (stretch.to > stretch.from).then_some(stretch)
}

/// The lot at the beginning of an interval: new if it was listed, else `before` if the interval goes on from
/// it, or has the same amount and price after it was lost from sight. `None` otherwise: its age is unknown.
fn begin(before: Option<Alive>, interval: Interval, polls: &[PollRow]) -> Option<Alive> {
    let latest = interval;
    match interval.onset {
        Onset::Listed => {
            let missed = timeline::before(polls, interval.first).map_or(interval.first, |poll| poll.at);
            Some(Alive {
                born: middle(missed, interval.first),
                from: 0.0,
                latest,
            })
        }
        Onset::Continued => {
            let before = before.filter(|alive| alive.latest.end == Some((Ending::Changed, interval.first)))?;
            Some(Alive { latest, ..before })
        }
        Onset::Found => {
            let is_same = |old: &Interval| {
                let has_lost = matches!(old.end, Some((Ending::LostSight, _)));
                has_lost && old.amount == interval.amount && super::is_same_price(old.price, interval.price)
            };
            let before = before.filter(|alive| is_same(&alive.latest))?;
            Some(Alive {
                from: interval.first.unix() - before.born,
                born: before.born,
                latest,
            })
        }
    }
}

/// The time halfway between two moments.
fn middle(left: Moment, right: Moment) -> UnixTime {
    let (left, right) = (left.unix(), right.unix());
    left + (right - left) / 2.0
}

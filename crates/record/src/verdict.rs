//! Verdicts: whether a price is low, and the lifetimes of such offers.
//!
//! Like is compared with like: a price with the lowest prices of the past, for the same model, number of GPUs and price
//! type. Against everything on offer, the cheapest would always be low.

use bourse_domain::insight::total;
use bourse_domain::{OfferType, Query};
use jiff::tz::TimeZone;

use super::lows::{LowSeries, LowestOfPolls, Prices, weighted_quantile};
use super::outline::Interval;
use super::survival::{Life, Lifetimes, lot_lifetimes};
use super::tape::{Lasted, Lived};
use super::timeline::{self, seconds, share};
use super::{
    Analysis, DAY, Excerpt, Lot, LotReader, LowIntervals, Moment, PollOutcome, PollRow, Present, Question, Spell,
    VERDICT_DAYS, lifetimes,
};

/// Seconds with a known lowest price below which there is no verdict: a day, with its nights.
pub const LEAST_WATCHED: i64 = DAY;
/// Seconds from which hours of the day and weekdays are compared: three weeks.
pub(crate) const LEAST_WEEKS: i64 = 21 * DAY;
/// The number of departures below which lifetimes are not reported.
///
/// With fewer the band around the curve is too wide to plan by.
pub const LEAST_DEPARTURES: usize = 30;
/// The number of days that a price is compared with one by one.
///
/// Few enough for a count, `cheaper on 7 of 10 days`, and recent enough to plan by.
const MOST_DAYS: i64 = 10;

/// The recent price history of the lots of a question, as the basis of verdicts.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    pub query: Query,
    /// The number of GPUs of the offers; `None` for all.
    pub gpus: Option<u32>,
    /// The memory of each card in GB, if cards of the model have several sizes; else, and if it is unknown, `None`.
    pub card_gb: Option<f64>,
    /// The first usable poll of the time.
    pub since: Moment,
    pub until: Moment,
    /// Seconds of the time in which the lowest price was known.
    pub watched: i64,
    /// The lowest price now: at the last poll that must contain it, or among the rows on screen; `None` if nothing is
    /// on offer.
    pub lowest: Option<f64>,
    recorded: Option<f64>,
    pub lifetimes: Lifetimes,
    /// The intervals with a known lowest price, in order, and the price.
    lows: LowIntervals,
    /// The lots on offer, sorted, with the time they have been on offer at the last poll.
    on_offer: Vec<(Lot, Lasted)>,
    last: Moment,
}

/// The smallest difference between two prices, as a share, that is worth a sentence.
pub(crate) const NOISE: f64 = 0.01;

/// The position of a price among those of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The price is among the lowest fifth, and below the usual one by a hundredth or more.
    Low,
    Typical,
    /// The price is among the highest fifth, and above the usual one by a hundredth or more.
    High,
}

/// The reason there is no verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Withheld {
    /// Too little is recorded; see [`Memory::watched`].
    TooLittle { watched: i64 },
    /// No such offer was on offer at the last poll; with the usual lowest price.
    NoneOnOffer { usual: Option<f64> },
}

/// A comparison of a price with the lowest prices of the last days.
///
/// Each day has 24 hours, of which at least half were watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The number of days on which the usual lowest price was higher.
    pub higher: usize,
    pub lower: usize,
    pub of: usize,
}

/// A comparison of a price with the lowest prices of the time, each weighted by its duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    pub standing: Standing,
    /// `(price - lowest) / (highest - lowest)`, from 0 to 1; `None` if all are equal.
    pub rank: Option<f64>,
    /// The share of the time (0 to 1) in which the lowest price was lower, plus half of that in which it was the same.
    pub percentile: f64,
    pub lowest: f64,
    pub p20: f64,
    pub median: f64,
    pub p80: f64,
    pub highest: f64,
    /// For bids: the share of the time in which every minimum bid was above the price, from 0 to 1. Not a probability
    /// for the future.
    pub outbid: Option<f64>,
    pub days: Days,
    /// See [`Memory::watched`].
    pub watched: i64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    Withheld(Withheld),
    Given(Rating),
}

impl Standing {
    /// The name of a price's standing among those of the time: `low`, `typical` or `high`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Typical => "typical",
            Self::High => "high",
        }
    }
}

impl Memory {
    /// The time a lot has been on offer at `now`; `None` if the last poll lacked it. Memory is compared only
    /// if both report it.
    pub fn time_on_offer(&self, lot: &Lot, now: Moment) -> Option<Lasted> {
        let key = (lot.machine, &*lot.model);
        let place = |offered: &Lot| (offered.machine, &*offered.model).cmp(&key);
        let first = self.on_offer.partition_point(|(offered, _)| place(offered).is_lt());
        let mut same = self
            .on_offer
            .iter()
            .skip(first)
            .take_while(|(offered, _)| place(offered).is_eq());
        // Not every record reports the memory.
        let is_it = |offered: &Lot| lot.memory == 0 || offered.memory == 0 || lot.memory == offered.memory;
        let (_, lasted) = same.find(|(offered, _)| is_it(offered))?;
        Some(Lasted {
            seconds: lasted.seconds + now.since(self.last).max(0),
            ..*lasted
        })
    }

    /// The lifetimes of the lots compared; `None` while fewer than 30 departures were seen.
    pub fn reliable_lifetimes(&self) -> Option<&Lifetimes> {
        (self.lifetimes.departures >= LEAST_DEPARTURES).then_some(&self.lifetimes)
    }
}

/// The analysis for a verdict on some offers: their lowest prices of the last [`VERDICT_DAYS`].
#[derive(Debug, Clone)]
pub struct VerdictBasis(Question);

impl VerdictBasis {
    /// The basis of a verdict on the offers of a query, see [`offers_like`](crate::offers_like): their record
    /// of the 30 days up to a moment.
    pub fn new(like: Query, until: Moment) -> Self {
        Self(Question::of_last(VERDICT_DAYS * DAY, like, until))
    }

    /// The basis of a verdict on the offers of a question, in the question's time.
    pub const fn for_question(question: Question) -> Self {
        Self(question)
    }
}

impl Analysis for VerdictBasis {
    /// `None` if no matching offers are recorded.
    type Output = Option<Memory>;

    fn questions(&self) -> Vec<Question> {
        vec![self.0.clone()]
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Option<Memory> {
        let excerpt = excerpts.first()?;
        let mut sums = Sums::new(&self.0, &excerpt.polls);
        for spells in excerpt.lots().values() {
            sums.follow(spells.iter().copied());
        }
        sums.memory(&excerpt.polls)
    }

    fn lot_reader(&self, polls: &[PollRow]) -> Option<Box<dyn LotReader<Option<Memory>>>> {
        Some(Box::new(Sums::new(&self.0, polls)))
    }
}

/// The sums over all lots.
struct Sums {
    question: Question,
    /// The usable responses, and the number of those in the question's time or before it.
    usable: Vec<PollRow>,
    many: usize,
    lows: LowestOfPolls,
    lives: Vec<Life>,
    on_offer: Vec<(Lot, Lasted)>,
}

impl Sums {
    /// Empty sums for a question, with the responses that cover it.
    fn new(question: &Question, polls: &[PollRow]) -> Self {
        let usable = timeline::usable(polls);
        let many = usable.partition_point(|poll| poll.at <= question.until);
        Self {
            question: question.clone(),
            lows: LowestOfPolls::new(many),
            many,
            usable,
            lives: Vec::new(),
            on_offer: Vec::new(),
        }
    }

    /// Adds all spells of one lot, in order of time: its prices, its lifetimes, and whether it is on offer.
    fn follow<'a>(&mut self, spells: impl Iterator<Item = &'a Spell>) {
        let asked = self.usable.get(..self.many).unwrap_or_default();
        let last = asked.last().map(|poll| poll.at);
        let mut lived: Option<Lived> = None;
        let mut intervals = Vec::new();
        for spell in spells.filter(|spell| spell.price.is_finite()) {
            let interval = spell.interval(self.question.price_of(spell));
            let so_far = *lived.insert(Lived::after(lived, &interval));
            if let Some(last) = last.filter(|last| interval.is_on_offer(*last)) {
                self.on_offer.push((spell.lot.clone(), so_far.lasted(last)));
            }
            self.lows.add(&interval, asked);
            intervals.push(interval);
        }
        self.lives.extend(lot_lifetimes(intervals, &self.usable));
    }

    /// The price history from the sums; `None` if no usable poll is recorded in the question's time. `polls`
    /// are those given before, now with the final `has_lowest`.
    fn memory(self, polls: &[PollRow]) -> Option<Memory> {
        let Self { question, many, .. } = self;
        let usable = timeline::usable(polls);
        let asked = usable.get(..many)?;
        let since = asked.get(asked.partition_point(|poll| poll.at < question.since))?.at;
        let last = asked.last()?.at;
        let (lows, lowest) = low_intervals(asked, &self.lows.finish(), since);
        let mut on_offer = self.on_offer;
        on_offer.sort_by(|(left, _), (right, _)| left.cmp(right));
        Some(Memory {
            gpus: question.gpus(),
            card_gb: None,
            since,
            until: question.until,
            watched: lows.iter().map(|(from, to, _)| to.since(*from)).sum(),
            lowest,
            recorded: lowest,
            lifetimes: lifetimes(&self.lives),
            lows,
            on_offer,
            last,
            query: question.query,
        })
    }
}

impl LotReader<Option<Memory>> for Sums {
    fn lot(&mut self, spells: &[Spell]) {
        self.follow(spells.iter());
    }

    fn finish(self: Box<Self>, polls: &[PollRow]) -> Option<Memory> {
        self.memory(polls)
    }
}

/// The times between two moments in which the lowest price of some intervals is known, from the usable
/// `polls`; each with that price.
pub fn known_lows(intervals: &[Interval], polls: &[PollRow], (since, until): (Moment, Moment)) -> LowIntervals {
    let mut polls = timeline::usable(polls);
    polls.retain(|poll| poll.at <= until);
    low_intervals(&polls, &LowSeries::new(intervals, &polls).of_polls, since).0
}

/// The intervals from `since` on with a known lowest price, and the price of the last poll that must contain
/// it, `None` if nothing was on offer. The content of a poll holds until the next one; if a gap follows, for
/// no time.
fn low_intervals(polls: &[PollRow], of_polls: &[Option<f64>], since: Moment) -> (LowIntervals, Option<f64>) {
    let mut lows = LowIntervals::new();
    let mut lowest = None;
    for (index, (poll, low)) in polls.iter().zip(of_polls).enumerate() {
        // A truncated poll without such an offer does not prove its price.
        if !poll.has_lowest || (low.is_none() && poll.outcome == PollOutcome::Truncated) {
            continue;
        }
        lowest = *low;
        let next = polls.get(index + 1).filter(|next| !poll.is_gap(next.at));
        let from = poll.at.max(since);
        let (Some(low), Some(to)) = (*low, next.map(|next| next.at).filter(|to| *to > from)) else {
            continue;
        };
        match lows.last_mut() {
            Some((_, end, price)) if *end == from && price.total_cmp(&low).is_eq() => *end = to,
            Some(_) | None => lows.push((from, to, low)),
        }
    }
    (lows, lowest)
}

impl Memory {
    /// The verdict on the lowest price now: its rating, or withheld if the lowest price was known for less
    /// than a day, or if nothing is on offer.
    pub fn verdict(&self) -> Verdict {
        let watched = self.watched;
        if watched < LEAST_WATCHED {
            return Verdict::Withheld(Withheld::TooLittle { watched });
        }
        let usual = || weighted_quantile(&self.between(self.since, self.until), 0.5);
        let rating = self.lowest.and_then(|lowest| self.rate(lowest));
        rating.map_or_else(
            || Verdict::Withheld(Withheld::NoneOnOffer { usual: usual() }),
            Verdict::Given,
        )
    }

    /// Compares a price per GPU, with the storage of the question, with the lowest prices of the past; `None` if too
    /// little is recorded for a verdict.
    pub fn rate(&self, price: f64) -> Option<Rating> {
        rate(self, price).filter(|_| self.watched >= LEAST_WATCHED)
    }

    /// Sets the lowest price now to that of the rows on screen, `None` if they are complete and have no price,
    /// and the memory of the cards.
    ///
    /// Of rows that may lack the cheapest one, only a lower price than the recorded one counts.
    pub fn set_present(&mut self, present: &Present) {
        let rows = &present.excerpt;
        self.card_gb = present.card_gb;
        let gb = self.query.storage_gb();
        let quotes = rows.spells.iter().flat_map(|spell| &spell.quotes);
        let lowest = quotes.map(|quote| quote.per_gpu(gb)).reduce(f64::min);
        self.lowest = match (lowest, self.recorded) {
            (lowest, _) if rows.polls.iter().all(|poll| poll.has_lowest) => lowest,
            (Some(lowest), Some(recorded)) => Some(lowest.min(recorded)),
            (lowest, recorded) => lowest.or(recorded),
        };
    }

    /// The share of the last 30 days in which the lowest price was known, from 0 to 1.
    pub fn known(&self) -> f64 {
        share(seconds(self.watched), seconds(VERDICT_DAYS * DAY))
    }
}

/// Compares a price with the lowest prices of the recorded time: low or high if it is in their lowest or
/// highest fifth by time, and at least a hundredth below or above their median. `None` if none is known.
fn rate(memory: &Memory, price: f64) -> Option<Rating> {
    let prices = &memory.between(memory.since, memory.until);
    let (lowest, highest) = (prices.first()?.0, prices.last()?.0);
    // Fifths, as in the ranks of rows: `low` is a price that is available on about one day in five.
    let [p20, median, p80] = [0.2, 0.5, 0.8].map(|part| weighted_quantile(prices, part));
    let (p20, median, p80) = (p20?, median?, p80?);
    // A price that holds for a fifth of the time is low, though not below P20.
    let standing = if (price / median - 1.0).abs() < NOISE {
        Standing::Typical
    } else if price < p20 || (price <= p20 && p20 < p80) {
        Standing::Low
    } else if price > p80 || (price >= p80 && p20 < p80) {
        Standing::High
    } else {
        Standing::Typical
    };
    let weight = |is_counted: &dyn Fn(f64) -> bool| -> f64 {
        let counted = prices.iter().filter(|(asked, _)| is_counted(*asked));
        total(counted.map(|(_, seconds)| *seconds))
    };
    let total = weight(&|_| true);
    let below = weight(&|asked| asked < price);
    let above = weight(&|asked| asked > price);
    let rank = (price - lowest) / (highest - lowest);
    Some(Rating {
        standing,
        // Without different prices there is no lower and higher.
        rank: (highest > lowest).then(|| rank.clamp(0.0, 1.0)),
        percentile: share(below + (total - below - above) / 2.0, total),
        lowest,
        p20,
        median,
        p80,
        highest,
        outbid: (memory.query.offer_type == OfferType::Bid).then(|| share(above, total)),
        days: memory.days(price),
        watched: memory.watched,
    })
}

impl Memory {
    /// The intervals of the recorded time with a known lowest price, in order: start, end and price.
    pub fn lows(&self) -> &[(Moment, Moment, f64)] {
        &self.lows
    }

    /// The lowest price in each of `parts` equal parts of the time; `None` where it was not known.
    pub fn trend(&self, parts: usize) -> Vec<Option<f64>> {
        trend(&self.lows, (self.since, self.until), parts)
    }

    /// The lowest prices between two moments, ascending, with the number of seconds of each.
    fn between(&self, since: Moment, until: Moment) -> Vec<(f64, f64)> {
        let mut prices = Prices::default();
        for (from, to, low) in &self.lows {
            let span = (*to).min(until).since((*from).max(since));
            prices.add(*low, seconds(span));
        }
        prices.sorted()
    }

    /// Compares a price with the median lowest price of each of ten days, which end 24 hours before the last
    /// poll and earlier; days watched for less than half are not counted.
    fn days(&self, price: f64) -> Days {
        let mut days = Days {
            higher: 0,
            lower: 0,
            of: 0,
        };
        // The last 24 hours are the ones the price is compared with.
        for day in 1..=MOST_DAYS {
            let until = Moment(self.last.0 - day * DAY);
            let prices = self.between(Moment(until.0 - DAY), until);
            let watched: f64 = prices.iter().map(|(_, seconds)| seconds).sum();
            // Half a day covers either its day or its night; less would compare a night with days.
            if watched >= seconds(DAY) / 2.0
                && let Some(usual) = weighted_quantile(&prices, 0.5)
            {
                days.of += 1;
                days.higher += usize::from(usual > price);
                days.lower += usize::from(usual < price);
            }
        }
        days
    }

    /// The usual lowest price of each hour of the day in a time zone; `None` for hours that were not watched, and for
    /// all before three weeks were.
    pub fn by_hour(&self, zone: &TimeZone) -> [Option<f64>; 24] {
        self.medians_by(|at| usize::try_from(local(at, zone)?.hour()).ok())
    }

    /// The usual lowest price of each weekday from Monday on, like [`Memory::by_hour`].
    pub fn by_weekday(&self, zone: &TimeZone) -> [Option<f64>; 7] {
        self.medians_by(|at| {
            let day = local(at, zone)?.weekday().to_monday_zero_offset();
            usize::try_from(day).ok()
        })
    }

    /// The median lowest price of each part of the time, where `part` maps a moment to the index of its part;
    /// all `None` before three weeks were watched.
    fn medians_by<const PARTS: usize>(&self, part: impl Fn(Moment) -> Option<usize>) -> [Option<f64>; PARTS] {
        let mut prices = [const { Vec::new() }; PARTS].map(|_: Vec<()>| Prices::default());
        if self.watched < LEAST_WEEKS {
            return [None; PARTS];
        }
        for (from, to, low) in &self.lows {
            let mut at = *from;
            while at < *to {
                // Time zones differ by quarters of an hour.
                let next = Moment((at.0.div_euclid(QUARTER) + 1) * QUARTER).min(*to);
                if let Some(prices) = part(at).and_then(|part| prices.get_mut(part)) {
                    prices.add(*low, seconds(next.since(at)));
                }
                at = next;
            }
        }
        prices.map(|prices| weighted_quantile(&prices.sorted(), 0.5))
    }
}

/// The lowest price in each of `count` equal parts of a time; `None` where it was not known.
pub fn trend(lows: &[(Moment, Moment, f64)], (since, until): (Moment, Moment), count: usize) -> Vec<Option<f64>> {
    let mut trend = vec![None; count];
    let length = until.since(since).max(1);
    let last = count.saturating_sub(1);
    let part = |at: Moment| {
        let parts = i64::try_from(count).unwrap_or(i64::MAX);
        usize::try_from(at.since(since) * parts / length).map_or(0, |part| part.min(last))
    };
    for (from, to, low) in lows {
        // A time ends before its last moment.
        let covered = part(*from)..=part(Moment(to.0 - 1));
        for lowest in trend.get_mut(covered).unwrap_or_default() {
            *lowest = Some(lowest.map_or(*low, |lowest: f64| lowest.min(*low)));
        }
    }
    trend
}

const QUARTER: i64 = 900;

/// The time in a zone; `None` if the moment is out of range.
fn local(at: Moment, zone: &TimeZone) -> Option<jiff::Zoned> {
    Some(jiff::Timestamp::from_second(at.0).ok()?.to_zoned(zone.clone()))
}

//! The usual price of each GPU model, and the ratios between its sizes and price types.
//!
//! Medians weigh each lowest price by the time for which it was the lowest. Two prices are compared
//! at the same times only: a size that was on offer on cheap days alone would look cheap.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::country::CountryCode;
use crate::domain::{OfferType, Query};
use crate::record::lows::{Prices, weighted_quantile};
use crate::record::timeline::seconds;
use crate::record::{
    Analysis, Cause, Ending, Excerpt, Interval, LEAST_DEPARTURES, LEAST_WATCHED, LowIntervals, Moment, PollOutcome,
    Question, Quote, Spell, known_lows,
};

/// The numbers of GPUs whose price per GPU is compared with that of one.
pub const SIZES: [u32; 3] = [2, 4, 8];

/// The price types that an index compares, on-demand first.
const INDEX_TYPES: [OfferType; 3] = [OfferType::OnDemand, OfferType::Bid, OfferType::Reserved];

#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// The time of the first usable poll.
    pub since: Moment,
    /// The lines by model, then by country; that of a whole model comes first.
    pub lines: Vec<IndexLine>,
    /// Number of models that are left out because their lowest price is known for less than a day.
    pub withheld: usize,
}

/// The prices of a model, everywhere or in one country. Values known for less than a day are
/// `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexLine {
    pub model: String,
    pub country: Option<CountryCode>,
    /// GPUs on offer at the last poll.
    pub gpus: u64,
    /// The times with a known lowest price, in order, and the price.
    pub lows: LowIntervals,
    /// The median of these: the usual lowest price per GPU on demand, with the storage of the
    /// question.
    pub lowest: f64,
    /// The usual difference of a GPU's price in offers of each of [`SIZES`] from that alone, as a
    /// share, without storage.
    pub premiums: [Option<f64>; 3],
    /// The usual difference of the lowest minimum bid and of the lowest reserved price from the
    /// on-demand one, as a share, without storage; negative if they are lower.
    pub bid: Option<f64>,
    pub reserved: Option<f64>,
    /// The share that was rented of the lots that departed for a known cause.
    pub rented: Option<f64>,
}

/// The analysis of on-demand prices of a query's offers, compared with those of the other price
/// types.
#[derive(Debug, Clone)]
pub struct PriceIndex {
    pub query: Query,
    pub since: Moment,
    pub until: Moment,
}

impl Analysis for PriceIndex {
    /// `None` if no matching on-demand offers are recorded.
    type Output = Option<Index>;

    fn questions(&self) -> Vec<Question> {
        Question::of_types(&INDEX_TYPES, &self.query, self.since, self.until)
    }

    fn answer(&self, excerpts: &[Excerpt]) -> Option<Index> {
        let [on_demand, bid, reserved] = excerpts else {
            return None;
        };
        let questions = self.questions();
        let question = questions.first()?;
        let mut polls = on_demand.polls.iter().filter(|poll| poll.outcome.is_usable());
        let since = polls.find(|poll| poll.at >= question.since)?.at;
        let mut index = Index {
            since,
            lines: Vec::new(),
            withheld: 0,
        };
        let [bids, reserved] = [bid, reserved].map(ModelGroup::all);
        for (key, group) in ModelGroup::all(on_demand) {
            let other = |groups: &BTreeMap<Key, ModelGroup<'_>>| {
                let group = groups.get(&key)?;
                Some(group.lows(question, since, |quote| Some(base_price(quote))))
            };
            match group.line(question, since, &key, [other(&bids), other(&reserved)]) {
                Some(line) => index.lines.push(line),
                None => index.withheld += usize::from(key.1.is_none()),
            }
        }
        Some(index)
    }
}

/// A model and a country; `None` for all countries.
type Key = (Arc<str>, Option<CountryCode>);

/// The spells of a line.
struct ModelGroup<'a> {
    excerpt: &'a Excerpt,
    spells: Vec<&'a Spell>,
}

/// The price of a quote in $/h per GPU, without storage.
fn base_price(quote: &Quote) -> f64 {
    quote.per_gpu(0.0)
}

impl<'a> ModelGroup<'a> {
    /// The groups of an excerpt: for each model one of all countries, and one of each country.
    fn all(excerpt: &'a Excerpt) -> BTreeMap<Key, Self> {
        let mut groups: BTreeMap<Key, Self> = BTreeMap::new();
        for spell in &excerpt.spells {
            let country = spell.country.map(Some);
            for country in std::iter::once(None).chain(country) {
                let group = groups.entry((Arc::clone(&spell.lot.model), country));
                group
                    .or_insert_with(|| Self {
                        excerpt,
                        spells: Vec::new(),
                    })
                    .spells
                    .push(spell);
            }
        }
        groups
    }

    /// The line of the group in the index; `None` if its lowest price is known for less than a day.
    ///
    /// `others` are the lowest bid and reserved prices of the same group, without storage.
    fn line(
        &self,
        question: &Question,
        since: Moment,
        key: &Key,
        others: [Option<LowIntervals>; 2],
    ) -> Option<IndexLine> {
        let lows = self.lows(question, since, |quote| {
            Some(quote.per_gpu(question.query.storage_gb()))
        });
        let lowest = weighted_median(lows.iter().map(|(from, to, low)| (*low, to.since(*from))))?;
        let of_size = |gpus| self.lows(question, since, |quote| (quote.gpus == gpus).then(|| base_price(quote)));
        let alone = of_size(1);
        let on_demand = self.lows(question, since, |quote| Some(base_price(quote)));
        let [bids, reserved] = others.map(|other| other.and_then(|other| premium(&on_demand, &other)));
        // Where no bid search is recorded, offers on demand name their minimum bids.
        let named = || {
            let named = self.lows(question, since, |quote| {
                Some(quote.min_bid? / f64::from(quote.gpus.max(1)))
            });
            premium(&on_demand, &named)
        };
        Some(IndexLine {
            model: key.0.to_string(),
            country: key.1,
            gpus: self.on_offer(),
            lows,
            lowest,
            premiums: SIZES.map(|gpus| premium(&alone, &of_size(gpus))),
            bid: bids.or_else(named),
            reserved,
            rented: self.rented(question),
        })
    }

    /// The lowest of the values that `price` gives to the group's quotes (`None` skips a quote) over time, in
    /// the intervals in which it is known: only complete polls count.
    fn lows(&self, question: &Question, since: Moment, price: impl Fn(&Quote) -> Option<f64>) -> LowIntervals {
        let intervals = self.spells.iter().map(|spell| {
            let prices = spell.quotes.iter().filter_map(&price);
            spell.interval(prices.reduce(f64::min))
        });
        let intervals: Vec<Interval> = intervals.collect();
        let mut polls = self.excerpt.polls.clone();
        // What a truncated response lacks is more expensive by its own order, not by any of these prices.
        polls.retain(|poll| poll.outcome == PollOutcome::Complete);
        known_lows(&intervals, &polls, (since, question.until))
    }

    /// The number of GPUs on offer at the last poll.
    fn on_offer(&self) -> u64 {
        let on_offer = self.spells.iter().filter(|spell| spell.end.is_none());
        on_offer.map(|spell| u64::from(spell.amount)).sum()
    }

    /// The share, from 0 to 1, of departures in the asked time that were rented, out of those rented or
    /// delisted; `None` for fewer than 30 of them.
    fn rented(&self, question: &Question) -> Option<f64> {
        let asked = question.since..=question.until;
        let ends = self
            .spells
            .iter()
            .filter_map(|spell| spell.end)
            .filter(|(_, at)| asked.contains(at));
        let count = |cause| {
            ends.clone()
                .filter(|(ending, _)| *ending == Ending::Gone(cause))
                .count()
        };
        let (rented, delisted) = (count(Cause::Rented), count(Cause::Delisted));
        let share = rented as f64 / (rented + delisted) as f64;
        (rented + delisted >= LEAST_DEPARTURES).then_some(share)
    }
}

/// The median of prices, each weighed by its span of time; `None` for spans of less than a day in sum.
fn weighted_median(weighed: impl Iterator<Item = (f64, i64)>) -> Option<f64> {
    let mut prices = Prices::default();
    let mut watched = 0;
    for (price, span) in weighed {
        prices.add(price, seconds(span));
        watched += span;
    }
    weighted_quantile(&prices.sorted(), 0.5).filter(|_| watched >= LEAST_WATCHED)
}

/// The usual difference of `others` from `lows` at the same times, as a share: 0.1 is 10 % more. `None` for
/// less than a day in common.
fn premium(lows: &[(Moment, Moment, f64)], others: &[(Moment, Moment, f64)]) -> Option<f64> {
    let (mut rest, mut ratios) = (others, Vec::new());
    for (from, to, low) in lows {
        while let Some((other_from, other_to, other)) = rest.first() {
            let both = (*other_to).min(*to).since((*other_from).max(*from));
            if both > 0 && *low > 0.0 {
                ratios.push((other / low, both));
            }
            if other_to > to {
                break;
            }
            rest = rest.split_first().map_or(&[], |(_, rest)| rest);
        }
    }
    Some(weighted_median(ratios.into_iter())? - 1.0)
}

//! Computes the spells of a lot from the times at which its lines were on offer and met a question.

use std::sync::Arc;

use super::presence::better;
use super::{Beginning, Cause, Ending, Lot, Moment, Quote, Spell, is_same_price};

/// A time in which a line was on offer, met the question, and did not change.
#[derive(Debug, Clone)]
pub struct Stretch {
    pub from: i64,
    /// The first second after it.
    pub stop: i64,
    pub begun: Begun,
    pub ended: Ended,
    pub quote: Quote,
    pub offers: u32,
    pub gpu_mask: Option<u64>,
    /// The size in GB of volumes; `None` for offers.
    pub space: Option<u32>,
    pub offer: i64,
    pub host: Option<i64>,
    pub country: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begun {
    /// It may have been there before.
    Found,
    /// A response shortly before lacked it.
    Listed,
    /// It was there with other values.
    Changed,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ended {
    /// Gone; the moment is that of the last response with it.
    Gone(Cause, i64),
    /// It may still be on offer; the moment is that of the last response with it.
    Lost(i64),
    Changed,
    /// On offer; the moment is that of the last response with it.
    Open(i64),
}

/// The sums over the lines of a lot.
#[derive(Debug, Clone, PartialEq)]
struct Figures {
    amount: u32,
    price: f64,
    offer: i64,
    quotes: Vec<Quote>,
    host: Option<i64>,
    country: Option<Arc<str>>,
}

impl Figures {
    fn from_stretches<'a>(stretches: impl Iterator<Item = &'a Stretch>) -> Option<Self> {
        let stretches: Vec<&Stretch> = stretches.collect();
        let cheapest = stretches
            .iter()
            .min_by(|left, right| left.quote.reference().total_cmp(&right.quote.reference()))?;
        let latest = stretches.iter().max_by_key(|stretch| stretch.from)?;
        let mut quotes: Vec<Quote> = stretches.iter().map(|stretch| stretch.quote).collect();
        quotes.sort_by_key(|quote| quote.gpus);
        Some(Self {
            amount: amount(&stretches),
            price: cheapest.quote.reference(),
            offer: cheapest.offer,
            quotes,
            host: latest.host,
            country: latest.country.clone(),
        })
    }

    fn is_quoted_as(&self, other: &Self) -> bool {
        self.quotes.len() == other.quotes.len()
            && std::iter::zip(&self.quotes, &other.quotes).all(|(left, right)| left.is_same(right))
    }
}

/// The number of GPUs that can be rented at once, or the size of the largest volume in GB.
fn amount(stretches: &[&Stretch]) -> u32 {
    if let Some(space) = stretches.iter().filter_map(|stretch| stretch.space).max() {
        return space;
    }
    let masks = stretches.iter().map(|stretch| stretch.gpu_mask);
    let union = masks.reduce(|left, right| left.zip(right).map(|(left, right)| left | right));
    if let Some(mask) = union.flatten() {
        return mask.count_ones();
    }
    let sizes = stretches
        .iter()
        .map(|stretch| stretch.quote.gpus.saturating_mul(stretch.offers));
    sizes.max().unwrap_or(0)
}

/// The spells of a lot from the `stretches` of its lines. `polls` are the moments of the responses that cover the
/// question.
pub fn spells(lot: &Lot, stretches: &[Stretch], polls: &[i64]) -> Vec<Spell> {
    let mut times: Vec<i64> = stretches
        .iter()
        .flat_map(|stretch| [stretch.from, stretch.stop])
        .collect();
    times.sort_unstable();
    times.dedup();
    // A stretch that is still on offer has no end.
    times.retain(|time| *time < i64::MAX);
    let mut coming: Vec<(usize, &Stretch)> = stretches.iter().enumerate().collect();
    coming.sort_by_key(|(_, stretch)| stretch.from);
    let mut coming = coming.into_iter().peekable();
    // A lot has few lines, though each may have changed thousands of times.
    let mut on_offer: Vec<(usize, &Stretch)> = Vec::new();
    let mut spells: Vec<Spell> = Vec::new();
    let mut before: Option<Figures> = None;
    for time in times {
        let ended = on_offer.extract_if(.., |(_, stretch)| stretch.stop == time);
        let ended: Vec<&Stretch> = ended.map(|(_, stretch)| stretch).collect();
        let mut begun = Vec::new();
        while let Some((index, stretch)) = coming.next_if(|(_, stretch)| stretch.from == time) {
            begun.push(stretch);
            let place = on_offer.partition_point(|(other, _)| *other < index);
            on_offer.insert(place, (index, stretch));
        }
        let figures = Figures::from_stretches(on_offer.iter().map(|(_, stretch)| *stretch));
        match (&before, figures.as_ref()) {
            (None, None) => {}
            (None, Some(figures)) => {
                let is_listed = begun.iter().all(|stretch| stretch.begun == Begun::Listed);
                let beginning = if is_listed { Beginning::Listed } else { Beginning::Found };
                spells.push(begin(lot, figures, beginning, time));
            }
            (Some(_), None) => {
                if let Some(open) = spells.last_mut() {
                    close(open, &ended, time, polls);
                }
            }
            (Some(old), Some(new)) => {
                let is_seen = begun.iter().all(|stretch| stretch.begun != Begun::Found)
                    && ended.iter().all(|stretch| !matches!(stretch.ended, Ended::Lost(_)));
                let beginning = if old.is_quoted_as(new) && old.amount == new.amount {
                    None
                } else if !is_seen {
                    Some(Beginning::Revealed)
                } else if !is_same_price(old.price, new.price) {
                    Some(Beginning::Repriced { from: old.price })
                } else if old.amount != new.amount {
                    Some(Beginning::Resized { from: old.amount })
                } else {
                    Some(Beginning::Revealed)
                };
                match (beginning, spells.last_mut()) {
                    (Some(beginning), Some(open)) => {
                        open.end = Some((Ending::Changed, Moment(time)));
                        open.last = Moment(seen_before(polls, time, open.first.0));
                        spells.push(begin(lot, new, beginning, time));
                    }
                    (None, Some(open)) => {
                        open.offer = new.offer;
                        open.host = new.host;
                        open.country = new.country.as_deref().map(str::to_owned);
                    }
                    (_, None) => {}
                }
            }
        }
        before = figures;
    }
    let open = stretches.iter().filter_map(|stretch| match stretch.ended {
        Ended::Open(last) => Some(last),
        Ended::Gone(..) | Ended::Lost(_) | Ended::Changed => None,
    });
    if let Some(spell) = spells.last_mut().filter(|spell| spell.end.is_none()) {
        spell.last = Moment(open.max().unwrap_or(spell.first.0).max(spell.first.0));
    }
    spells
}

fn begin(lot: &Lot, figures: &Figures, beginning: Beginning, at: i64) -> Spell {
    Spell {
        lot: lot.clone(),
        host: figures.host,
        country: figures.country.as_deref().map(str::to_owned),
        amount: figures.amount,
        price: figures.price,
        offer: figures.offer,
        quotes: figures.quotes.clone(),
        beginning,
        first: Moment(at),
        last: Moment(at),
        end: None,
    }
}

/// Ends a spell after which no line of its lot is on offer.
fn close(open: &mut Spell, ended: &[&Stretch], time: i64, polls: &[i64]) {
    // No line continues: those that changed no longer meet the question.
    let mut cause = None;
    let mut sight = None;
    let mut seen = open.first.0;
    for stretch in ended {
        let (own, last) = match stretch.ended {
            Ended::Gone(own, last) => (own, last),
            Ended::Changed => (Cause::LeftTheSearch, seen_before(polls, time, open.first.0)),
            Ended::Lost(last) => {
                sight = sight.max(Some(last));
                continue;
            }
            Ended::Open(_) => continue,
        };
        cause = Some(cause.map_or(own, |known| better(known, own)));
        seen = seen.max(last);
    }
    match (cause, sight) {
        (_, Some(last)) => {
            open.last = Moment(last.max(open.first.0));
            open.end = Some((Ending::LostSight, Moment(time.saturating_sub(1))));
        }
        (cause, None) => {
            open.last = Moment(seen);
            open.end = Some((Ending::Gone(cause.unwrap_or(Cause::Unknown)), Moment(time)));
        }
    }
}

/// The last response before a moment, but not before `first`.
fn seen_before(polls: &[i64], time: i64, first: i64) -> i64 {
    let index = polls.partition_point(|at| *at < time);
    let before = index.checked_sub(1).and_then(|index| polls.get(index));
    before.map_or(first, |at| (*at).max(first))
}

//! Computes the spells of a lot from the times at which its lines were on offer and met a question.

use std::collections::BTreeSet;

use bourse_domain::country::CountryCode;

use super::{Beginning, Cause, Ending, Lot, Moment, Onset, Quote, Spell, is_same_price};

/// A time in which a line was on offer, met the question, and did not change.
#[derive(Debug, Clone)]
pub struct Stretch {
    pub from: i64,
    /// The first second after it.
    pub stop: i64,
    pub onset: Onset,
    /// The last response with it.
    pub last: i64,
    /// `None` while it is on offer.
    pub end: Option<Ending>,
    pub state: LineState,
}

/// The figures of a line on offer.
#[derive(Debug, Clone)]
pub struct LineState {
    pub quote: Quote,
    pub offers: u32,
    pub gpu_mask: Option<u64>,
    /// The size in GB of volumes; `None` for offers.
    pub space: Option<u32>,
    pub offer: i64,
    pub host: Option<i64>,
    pub country: Option<CountryCode>,
}

/// The sums over the lines of a lot.
#[derive(Debug, Clone, PartialEq)]
struct Figures {
    amount: u32,
    price: f64,
    offer: i64,
    quotes: Vec<Quote>,
    host: Option<i64>,
    country: Option<CountryCode>,
}

impl Figures {
    /// The figures of a lot whose lines have these stretches at one moment: price and offer of the line
    /// cheapest per GPU, host and country of the latest stretch, the quotes by size. `None` if there are
    /// none.
    fn from_stretches<'a>(stretches: impl Iterator<Item = &'a Stretch>) -> Option<Self> {
        let stretches: Vec<&Stretch> = stretches.collect();
        let latest = &stretches.iter().max_by_key(|stretch| stretch.from)?.state;
        let states: Vec<&LineState> = stretches.iter().map(|stretch| &stretch.state).collect();
        let price = |state: &&&LineState| state.quote.reference();
        let cheapest = states
            .iter()
            .min_by(|left, right| price(left).total_cmp(&price(right)))?;
        let mut quotes: Vec<Quote> = states.iter().map(|state| state.quote).collect();
        quotes.sort_by_key(|quote| quote.gpus);
        Some(Self {
            amount: amount(&states),
            price: cheapest.quote.reference(),
            offer: cheapest.offer,
            quotes,
            host: latest.host,
            country: latest.country,
        })
    }

    /// The beginning of a spell with these figures right after one with `old` ones; `None` if nothing
    /// changed: the amount and, up to rounding, the quotes are equal. `Repriced` if the lowest price changed,
    /// else `Resized` if the amount did, else `Revealed`; always `Revealed` without `is_seen`, for a change
    /// out of sight.
    fn beginning_after(&self, old: &Self, is_seen: bool) -> Option<Beginning> {
        let mut quotes = std::iter::zip(&old.quotes, &self.quotes);
        if old.amount == self.amount
            && old.quotes.len() == self.quotes.len()
            && quotes.all(|(left, right)| left.is_same(right))
        {
            return None;
        }
        Some(if !is_seen {
            Beginning::Revealed
        } else if !is_same_price(old.price, self.price) {
            Beginning::Repriced { from: old.price }
        } else if old.amount != self.amount {
            Beginning::Resized { from: old.amount }
        } else {
            Beginning::Revealed
        })
    }
}

/// The number of GPUs of one lot that can be rented at once: of distinct ones if all lines list theirs, else
/// the highest product of a line's size and its number of offers; of volumes the size of the largest in GB.
fn amount(states: &[&LineState]) -> u32 {
    if let Some(space) = states.iter().filter_map(|state| state.space).max() {
        return space;
    }
    let masks = states.iter().map(|state| state.gpu_mask);
    let union = masks.reduce(|left, right| left.zip(right).map(|(left, right)| left | right));
    if let Some(mask) = union.flatten() {
        return mask.count_ones();
    }
    let sizes = states.iter().map(|state| state.quote.gpus.saturating_mul(state.offers));
    sizes.max().unwrap_or(0)
}

/// The spells of a lot, in order of time, from the `stretches` of its lines; a change of its figures begins
/// another. `polls` are the moments of the responses that cover the question, ascending. The first spell
/// after an absence is `Listed` if all lines that begin with it are, else `Found`.
pub fn spells(lot: &Lot, stretches: &[Stretch], polls: &[i64]) -> Vec<Spell> {
    let ends = stretches.iter().flat_map(|stretch| [stretch.from, stretch.stop]);
    // A stretch that is still on offer has no end.
    let times: BTreeSet<i64> = ends.filter(|time| *time < i64::MAX).collect();
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
                let is_listed = begun.iter().all(|stretch| stretch.onset == Onset::Listed);
                let beginning = if is_listed { Beginning::Listed } else { Beginning::Found };
                spells.push(begin(lot, figures, beginning, time));
            }
            (Some(_), None) => {
                if let Some(open) = spells.last_mut() {
                    close(open, &ended, time);
                }
            }
            (Some(old), Some(new)) => {
                let is_seen = begun.iter().all(|stretch| stretch.onset != Onset::Found)
                    && ended.iter().all(|stretch| stretch.end != Some(Ending::LostSight));
                match (new.beginning_after(old, is_seen), spells.last_mut()) {
                    (Some(beginning), Some(open)) => {
                        open.end = Some((Ending::Changed, Moment(time)));
                        let shown = ended.iter().map(|stretch| stretch.last).max();
                        let last = shown.unwrap_or_else(|| seen_before(polls, time));
                        open.last = Moment(last.max(open.first.0));
                        spells.push(begin(lot, new, beginning, time));
                    }
                    (None, Some(open)) => {
                        (open.offer, open.host, open.country) = (new.offer, new.host, new.country);
                    }
                    (_, None) => {}
                }
            }
        }
        before = figures;
    }
    let open = stretches.iter().filter(|stretch| stretch.end.is_none());
    if let Some(spell) = spells.last_mut().filter(|spell| spell.end.is_none()) {
        let last = open.map(|stretch| Moment(stretch.last)).max();
        spell.last = spell.first.max(last.unwrap_or(spell.first));
    }
    spells
}

/// A spell with these figures that begins at a moment and is still on offer.
fn begin(lot: &Lot, figures: &Figures, beginning: Beginning, at: i64) -> Spell {
    Spell {
        lot: lot.clone(),
        host: figures.host,
        country: figures.country,
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

/// Ends a spell after which no line of its lot is on offer at `time`: lost from sight a second earlier if one
/// of the `ended` stretches was, else gone with their most specific cause. A line that only changed has left
/// the search.
fn close(open: &mut Spell, ended: &[&Stretch], time: i64) {
    let last_with = |is_lost: bool| {
        let ends = ended
            .iter()
            .filter(|stretch| (stretch.end == Some(Ending::LostSight)) == is_lost);
        ends.map(|stretch| Moment(stretch.last)).max()
    };
    // No line continues: those that changed no longer meet the question.
    let causes = ended.iter().filter_map(|stretch| match stretch.end? {
        Ending::Gone(cause) => Some(cause),
        Ending::Changed => Some(Cause::LeftTheSearch),
        Ending::LostSight => None,
    });
    let out_of_sight = last_with(true);
    let (last, end) = if out_of_sight.is_some() {
        (out_of_sight, (Ending::LostSight, Moment(time.saturating_sub(1))))
    } else {
        let cause = causes.max().unwrap_or(Cause::Unknown);
        (last_with(false), (Ending::Gone(cause), Moment(time)))
    };
    open.last = open.first.max(last.unwrap_or(open.first));
    open.end = Some(end);
}

/// The last of the `polls` before a moment; `i64::MIN` if there is none.
fn seen_before(polls: &[i64], time: i64) -> i64 {
    let before = polls.partition_point(|at| *at < time).checked_sub(1);
    before.and_then(|index| polls.get(index)).copied().unwrap_or(i64::MIN)
}

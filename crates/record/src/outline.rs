//! The spells of a question without names, from which prices and lifetimes over a month are computed.
//!
//! A month of a busy market has hundreds of thousands of spells. Copying the model's name into each would take longer
//! than all the statistics.

use std::collections::BTreeMap;

use super::{Beginning, Ending, Excerpt, Lot, Moment, Spell};

/// The relation of an interval to the preceding ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onset {
    /// As [`Beginning::Found`]: perhaps older.
    Found,
    /// Not on offer in the preceding poll.
    Listed,
    /// With a new price or amount, or seen more completely.
    Continued,
}

/// A spell without its names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub amount: u32,
    /// The price with the storage of the question; NaN if it is unknown.
    pub price: f64,
    pub onset: Onset,
    pub first: Moment,
    pub last: Moment,
    pub end: Option<(Ending, Moment)>,
}

impl Onset {
    /// The onset for the beginning of a spell: a new price or amount, or a more complete view, is
    /// `Continued`.
    pub const fn from_beginning(beginning: Beginning) -> Self {
        match beginning {
            Beginning::Found => Self::Found,
            Beginning::Listed => Self::Listed,
            Beginning::Repriced { .. } | Beginning::Resized { .. } | Beginning::Revealed => Self::Continued,
        }
    }
}

impl Excerpt {
    /// The spells grouped by lot, those of each in order of time.
    pub fn lots(&self) -> BTreeMap<&Lot, Vec<&Spell>> {
        let mut lots: BTreeMap<&Lot, Vec<&Spell>> = BTreeMap::new();
        for spell in &self.spells {
            lots.entry(&spell.lot).or_default().push(spell);
        }
        lots
    }

    /// The spells as intervals, each with its `price`, or NaN for none; spells without a finite recorded
    /// price are left out.
    pub fn intervals(&self, price: impl Fn(&Spell) -> Option<f64>) -> Vec<Interval> {
        let spells = self.spells.iter().filter(|spell| spell.price.is_finite());
        spells.map(|spell| spell.interval(price(spell))).collect()
    }
}

impl Spell {
    /// The spell as an interval with a price; NaN for none.
    pub fn interval(&self, price: Option<f64>) -> Interval {
        Interval {
            amount: self.amount,
            price: price.unwrap_or(f64::NAN),
            onset: Onset::from_beginning(self.beginning),
            first: self.first,
            last: self.last,
            end: self.end,
        }
    }
}

impl Interval {
    /// The moment until which the lot counts as on offer: the poll at which it was gone, changed or out of
    /// sight, or the last poll with it while it is on offer.
    pub fn until(&self) -> Moment {
        match self.end {
            Some((Ending::Gone(_) | Ending::Changed | Ending::LostSight, at)) => at,
            None => self.last,
        }
    }

    /// Whether the lot counted as on offer at a poll.
    pub fn is_on_offer(&self, at: Moment) -> bool {
        self.first <= at && at < self.first_without()
    }

    /// The first moment at which the lot no longer counts as on offer: the poll at which it was gone or
    /// changed, else the second after it was lost from sight or last seen.
    pub fn first_without(&self) -> Moment {
        match self.end {
            Some((Ending::Gone(_) | Ending::Changed, at)) => at,
            Some((Ending::LostSight, at)) => Moment(at.0.saturating_add(1)),
            None => Moment(self.last.0.saturating_add(1)),
        }
    }
}

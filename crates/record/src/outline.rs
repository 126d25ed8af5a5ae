//! The record of a search without names: what prices and lifetimes over a month are computed from.
//!
//! A month of a busy market has hundreds of thousands of spells. Copying the model's name into each
//! would take longer than all the statistics.

use std::collections::{BTreeMap, HashMap};

use super::{Beginning, Ending, Excerpt, Lot, Moment, PollRow, Spell};

/// How an interval follows those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onset {
    /// As [`Beginning::Found`] says, perhaps older.
    Found,
    /// Not on offer in the poll before.
    Listed,
    /// At a new price, in a new amount, or seen more fully.
    Continued,
}

/// A spell without its names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Which lot, by a number from 0 on that only this outline uses.
    pub lot: u32,
    pub amount: u32,
    /// With the storage of the question; not a number if it is about other numbers of GPUs.
    pub price: f64,
    pub onset: Onset,
    pub first: Moment,
    pub last: Moment,
    pub end: Option<(Ending, Moment)>,
}

/// What was recorded of a search in the time of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Those of the time and the one before, see [`super::Excerpt::polls`].
    pub polls: Vec<PollRow>,
    /// Those of the lots that are asked about, of each lot in their order in time.
    pub intervals: Vec<Interval>,
}

impl Onset {
    pub const fn of(beginning: Beginning) -> Self {
        match beginning {
            Beginning::Found => Self::Found,
            Beginning::Listed => Self::Listed,
            Beginning::Repriced { .. } | Beginning::Resized { .. } | Beginning::Revealed => Self::Continued,
        }
    }
}

impl Excerpt {
    /// The spells by lot, of each in their order in time.
    pub fn lots(&self) -> BTreeMap<&Lot, Vec<&Spell>> {
        let mut lots: BTreeMap<&Lot, Vec<&Spell>> = BTreeMap::new();
        for spell in &self.spells {
            lots.entry(&spell.lot).or_default().push(spell);
        }
        lots
    }

    /// The outline of the lots with a price, and those lots by their numbers.
    pub fn outline(&self, price: impl Fn(&Spell) -> Option<f64>) -> (Outline, Vec<&Lot>) {
        let mut numbers: HashMap<&Lot, u32> = HashMap::new();
        let mut lots = Vec::new();
        let mut intervals = Vec::new();
        let spells = self.spells.iter();
        for spell in spells.filter(|spell| spell.price.is_finite()) {
            let next = u32::try_from(lots.len()).unwrap_or(u32::MAX);
            let lot = *numbers.entry(&spell.lot).or_insert_with(|| {
                lots.push(&spell.lot);
                next
            });
            intervals.push(Interval {
                price: price(spell).unwrap_or(f64::NAN),
                ..spell.interval(lot)
            });
        }
        let outline = Outline {
            polls: self.polls.clone(),
            intervals,
        };
        (outline, lots)
    }
}

impl Spell {
    /// The spell as an interval of the lot with a number.
    pub const fn interval(&self, lot: u32) -> Interval {
        Interval {
            lot,
            amount: self.amount,
            price: self.price,
            onset: Onset::of(self.beginning),
            first: self.first,
            last: self.last,
            end: self.end,
        }
    }
}

impl Interval {
    /// Until when the lot counts as on offer: what a poll saw holds until the next one.
    pub fn until(&self) -> Moment {
        match self.end {
            Some((Ending::Gone(_) | Ending::Changed | Ending::LostSight, at)) => at,
            None => self.last,
        }
    }

    /// Whether the lot counted as on offer at a poll.
    pub fn is_on_offer(&self, at: Moment) -> bool {
        self.first <= at && at < self.removed()
    }

    /// The first moment at which the lot no longer counts as on offer.
    pub fn removed(&self) -> Moment {
        match self.end {
            Some((Ending::Gone(_) | Ending::Changed, at)) => at,
            Some((Ending::LostSight, at)) => Moment(at.0.saturating_add(1)),
            None => Moment(self.last.0.saturating_add(1)),
        }
    }
}

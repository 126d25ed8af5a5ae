//! The record of a search without names, from which prices and lifetimes over a month are computed.
//!
//! A month of a busy market has hundreds of thousands of spells. Copying the model's name into each would take longer
//! than all the statistics.

use std::collections::{BTreeMap, HashMap};

use super::{Beginning, Ending, Excerpt, Lot, Moment, PollRow, Spell};

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
    /// The lot, as an index from 0 on within this outline.
    pub lot: u32,
    pub amount: u32,
    /// The price with the storage of the question; NaN for other numbers of GPUs.
    pub price: f64,
    pub onset: Onset,
    pub first: Moment,
    pub last: Moment,
    pub end: Option<(Ending, Moment)>,
}

/// The record of a search in the time of a question, without names.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The polls of the time and the one before it, see [`super::Excerpt::polls`].
    pub polls: Vec<PollRow>,
    /// The intervals of the lots of the question, of each lot in order of time.
    pub intervals: Vec<Interval>,
}

impl Onset {
    pub const fn from_beginning(beginning: Beginning) -> Self {
        match beginning {
            Beginning::Found => Self::Found,
            Beginning::Listed => Self::Listed,
            Beginning::Repriced { .. } | Beginning::Resized { .. } | Beginning::Revealed => Self::Continued,
        }
    }
}

impl Excerpt {
    /// The spells by lot, of each in order of time.
    pub fn lots(&self) -> BTreeMap<&Lot, Vec<&Spell>> {
        let mut lots: BTreeMap<&Lot, Vec<&Spell>> = BTreeMap::new();
        for spell in &self.spells {
            lots.entry(&spell.lot).or_default().push(spell);
        }
        lots
    }

    /// The outline of the lots with a price, and those lots by their index.
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
    /// The spell as an interval of the lot with an index.
    pub const fn interval(&self, lot: u32) -> Interval {
        Interval {
            lot,
            amount: self.amount,
            price: self.price,
            onset: Onset::from_beginning(self.beginning),
            first: self.first,
            last: self.last,
            end: self.end,
        }
    }
}

impl Interval {
    /// The moment until which the lot counts as on offer: the content of a poll holds until the next one.
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

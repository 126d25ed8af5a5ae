//! Events: the changes of lots from poll to poll.

use super::outline::{Interval, Onset};
use super::{Cause, Lot, Moment, Spell, is_same_price};

/// The kind of a change of a lot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ChangeKind {
    Listed,
    Gone(Cause),
    /// In a response, after a truncated one lacked it.
    IntoView,
    /// Missing from a truncated response.
    OutOfView,
    Repriced {
        from: f64,
    },
    /// Another amount at the same price.
    Resized {
        from: u32,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    pub lot: Lot,
    pub host: Option<i64>,
    /// The id of its cheapest offer.
    pub offer: i64,
    /// GPUs on offer, of volumes GB; the last amount if it is gone.
    pub amount: u32,
    /// The price, see [`super::Sighting`]; the last price if it is gone.
    pub price: f64,
    pub kind: ChangeKind,
}

impl ChangeKind {
    /// The change with its previous price replaced by `old`, which includes the question's storage like
    /// `price`; `None` if the two are equal up to rounding. Kinds other than `Repriced` are unchanged, and
    /// all without `old`.
    #[must_use]
    pub fn with_old_price(self, old: Option<f64>, price: f64) -> Option<Self> {
        match (self, old) {
            (Self::Repriced { .. }, Some(from)) => (!is_same_price(from, price)).then_some(Self::Repriced { from }),
            _ => Some(self),
        }
    }
}

impl Change {
    /// The change of the price as a share of the old one, negative for a lower price; `None` unless it was
    /// repriced, and if the old price was zero.
    pub fn share(&self) -> Option<f64> {
        match self.kind {
            ChangeKind::Repriced { from } => Some((self.price - from) / from).filter(|share| share.is_finite()),
            ChangeKind::Listed
            | ChangeKind::Gone(_)
            | ChangeKind::IntoView
            | ChangeKind::OutOfView
            | ChangeKind::Resized { .. } => None,
        }
    }
}

/// The duration of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lasted {
    pub seconds: i64,
    /// Whether its beginning was not seen, so that it may have been longer.
    pub is_at_least: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    Change {
        change: Change,
        /// The time it had been on offer, if it is gone; else the time at the old price or amount.
        lasted: Option<Lasted>,
    },
    /// The search was watched again after a gap.
    NotWatched {
        /// The last poll before the gap.
        since: Moment,
    },
}

/// One line of the tape.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub at: Moment,
    pub kind: EventKind,
}

impl Change {
    /// A change of a spell's lot at this price; host, offer and amount are the spell's.
    pub fn of_spell(spell: &Spell, price: f64, kind: ChangeKind) -> Self {
        Self {
            lot: spell.lot.clone(),
            host: spell.host,
            offer: spell.offer,
            amount: spell.amount,
            price,
            kind,
        }
    }
}

impl Event {
    /// The lot of the event; `None` for a gap.
    pub const fn lot(&self) -> Option<&Lot> {
        match &self.kind {
            EventKind::Change { change, .. } => Some(&change.lot),
            EventKind::NotWatched { .. } => None,
        }
    }
}

/// The moment since which a lot is on offer, and its latest interval.
#[derive(Debug, Clone, Copy)]
pub struct Lived {
    since: Moment,
    is_at_least: bool,
    pub latest_since: Moment,
    latest_until: Option<Moment>,
}

impl Lived {
    /// The state after the next interval of a lot: since when it is on offer, which goes on from `before` if
    /// the interval continues that, and else begins with the interval.
    pub fn after(before: Option<Self>, interval: &Interval) -> Self {
        let before = before.filter(|before| before.is_continued_by(interval));
        // A lot that began before the question's time is older than its first interval.
        let is_at_least = match before {
            Some(before) => before.is_at_least,
            None => interval.onset != Onset::Listed,
        };
        Self {
            since: before.map_or(interval.first, |before| before.since),
            is_at_least,
            latest_since: interval.first,
            latest_until: interval.end.map(|(_, at)| at),
        }
    }

    /// Whether the interval follows directly on the latest one, with a new price or amount, so that the lot's
    /// presence goes on.
    pub fn is_continued_by(&self, interval: &Interval) -> bool {
        interval.onset == Onset::Continued && self.latest_until == Some(interval.first)
    }

    /// The seconds that the lot has been on offer at a moment, and whether it may have been longer.
    pub fn lasted(&self, at: Moment) -> Lasted {
        Lasted {
            seconds: at.since(self.since),
            is_at_least: self.is_at_least,
        }
    }
}

//! The difference of a lot between two sightings, either of which may be incomplete.

use super::{PollOutcome, is_same_price};

/// The figures of a lot in a sighting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub price: f64,
    pub amount: u32,
    pub offer: i64,
}

/// The change of a lot's figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shift {
    /// No change, as far as the response shows.
    Same,
    Repriced,
    Resized,
    /// No change: the preceding response may not have shown all of the lot.
    Revealed,
}

/// The outcomes of the compared responses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcomes {
    pub before: PollOutcome,
    pub after: PollOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Same,
    Changed,
    Revealed,
}

impl Outcomes {
    /// The meaning of fewer GPUs or a higher price of another offer: a truncated response may lack the rest.
    fn less(self) -> Turn {
        match self.after {
            PollOutcome::Complete => Turn::Changed,
            PollOutcome::Truncated | PollOutcome::Failed | PollOutcome::FiltersIgnored => Turn::Same,
        }
    }

    /// The meaning of more GPUs or a lower price of another offer: a truncated response before may have lacked it.
    fn more(self) -> Turn {
        match self.before {
            PollOutcome::Complete => Turn::Changed,
            PollOutcome::Truncated | PollOutcome::Failed | PollOutcome::FiltersIgnored => Turn::Revealed,
        }
    }

    fn price(self, old: Figures, seen: Figures) -> Turn {
        if is_same_price(old.price, seen.price) {
            Turn::Same
        } else if old.offer == seen.offer {
            Turn::Changed
        } else if seen.price > old.price {
            self.less()
        } else {
            self.more()
        }
    }

    fn amount(self, old: Figures, seen: Figures) -> Turn {
        match seen.amount.cmp(&old.amount) {
            std::cmp::Ordering::Less => self.less(),
            std::cmp::Ordering::Equal => Turn::Same,
            std::cmp::Ordering::Greater => self.more(),
        }
    }

    /// The change from `old` to `seen`.
    pub(super) fn shift(self, old: Figures, seen: Figures) -> Shift {
        match (self.price(old, seen), self.amount(old, seen)) {
            (Turn::Changed, _) => Shift::Repriced,
            (Turn::Same, Turn::Changed) => Shift::Resized,
            (Turn::Same, Turn::Same) => Shift::Same,
            (Turn::Revealed, _) | (_, Turn::Revealed) => Shift::Revealed,
        }
    }
}

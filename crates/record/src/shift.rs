//! How a lot differs between two sightings, where either response may lack some of its offers.

use super::{PollOutcome, is_same_price};

/// What was on offer of a lot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figures {
    pub price: f64,
    pub amount: u32,
    pub offer: i64,
}

/// How the figures of a lot go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Shift {
    /// As they were, as far as the response tells.
    Same,
    Repriced,
    Resized,
    /// The response before may not have shown all of the lot.
    Revealed,
}

/// The responses that are compared.
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
    /// Fewer GPUs or a higher price of another offer: a truncated response may lack the rest.
    fn less(self) -> Turn {
        match self.after {
            PollOutcome::Complete => Turn::Changed,
            PollOutcome::Truncated | PollOutcome::Failed | PollOutcome::FiltersIgnored => Turn::Same,
        }
    }

    /// More GPUs or a lower price of another offer: a truncated response before may have lacked it.
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

    /// How `old` goes on where `seen` was seen.
    pub(super) fn shift(self, old: Figures, seen: Figures) -> Shift {
        match (self.price(old, seen), self.amount(old, seen)) {
            (Turn::Changed, _) => Shift::Repriced,
            (Turn::Same, Turn::Changed) => Shift::Resized,
            (Turn::Same, Turn::Same) => Shift::Same,
            (Turn::Revealed, _) | (_, Turn::Revealed) => Shift::Revealed,
        }
    }
}

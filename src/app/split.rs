//! How table and detail share a wide screen: by two keys or by dragging the rule between them.

/// From this width on, a detail view stands beside its table.
pub const SIDE_BY_SIDE: u16 = 130;

/// Per cent that a key press moves the rule.
const STEP: u16 = 5;

/// What each side keeps at least, in per cent.
const LEAST: u16 = 20;

/// The share of the table, and whether the mouse holds the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    share: u16,
    held: bool,
}

impl Default for Split {
    fn default() -> Self {
        Self {
            share: 50,
            held: false,
        }
    }
}

impl Split {
    /// The split that was kept; out of bounds it is brought back into them.
    pub fn of(share: Option<u16>) -> Self {
        let mut split = Self::default();
        if let Some(share) = share {
            split.set(share);
        }
        split
    }

    /// The share of the table in per cent, if it is not the one at first.
    pub fn kept(self) -> Option<u16> {
        (self.share != Self::default().share).then_some(self.share)
    }

    /// The columns of the table out of `width`; the rest is the detail's.
    pub fn table(self, width: u16) -> u16 {
        let columns = u32::from(width) * u32::from(self.share) / 100;
        u16::try_from(columns).unwrap_or(width)
    }

    /// Gives the detail more room, or less.
    pub fn widen_detail(&mut self, more: bool) {
        let share = if more {
            self.share.saturating_sub(STEP)
        } else {
            self.share + STEP
        };
        self.set(share);
    }

    /// Takes hold of the rule.
    pub const fn hold(&mut self) {
        self.held = true;
    }

    /// Lets it go.
    pub const fn let_go(&mut self) {
        self.held = false;
    }

    /// Moves the rule to a column, if it is held.
    pub fn drag(&mut self, column: u16, width: u16) {
        if self.held && width > 0 {
            // Rounded up, or a rule that is let go where it stood would creep.
            let share = (u32::from(column) * 100).div_ceil(u32::from(width));
            self.set(u16::try_from(share).unwrap_or(u16::MAX));
        }
    }

    fn set(&mut self, share: u16) {
        self.share = share.clamp(LEAST, 100 - LEAST);
    }
}

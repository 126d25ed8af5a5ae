//! How the table and the preview beside it share the screen: by two keys or by dragging the divider.

/// Per cent that a key press moves the divider.
const STEP: u16 = 5;

/// What each side has at least, in per cent.
const LEAST: u16 = 20;

/// The widest preview that nobody asked for: its lines are short, and columns wait for the room.
const WIDEST: u16 = 60;

/// The share of the table, whether the preview is folded, and whether the mouse holds the divider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Split {
    /// The share of the table in per cent, once somebody moved the divider.
    share: Option<u16>,
    is_folded: bool,
    is_held: bool,
}

impl Split {
    /// The split of an earlier run; out of bounds it is brought back into them.
    pub fn of(share: Option<u16>) -> Self {
        let mut split = Self::default();
        if let Some(share) = share {
            split.set(share);
        }
        split
    }

    /// The share of the table in per cent, if the divider was moved.
    pub const fn kept(self) -> Option<u16> {
        self.share
    }

    /// The columns of the table out of `width`; the rest is the preview's.
    pub fn table(self, width: u16) -> u16 {
        if let Some(share) = self.share {
            let columns = u32::from(width) * u32::from(share) / 100;
            return u16::try_from(columns).unwrap_or(width);
        }
        let preview = u32::from(width) * 2 / 5;
        let preview = u16::try_from(preview).unwrap_or(WIDEST).min(WIDEST);
        width - preview
    }

    /// Whether the preview is hidden.
    pub const fn is_folded(self) -> bool {
        self.is_folded
    }

    /// Hides the preview, or shows it again.
    pub const fn fold(&mut self) {
        self.is_folded = !self.is_folded;
    }

    /// Gives the preview more room, or less, where both share `width` columns.
    pub fn widen_preview(&mut self, more: bool, width: u16) {
        let table = u32::from(self.table(width)) * 100;
        let share = self
            .share
            .or_else(|| u16::try_from(table / u32::from(width.max(1))).ok())
            .unwrap_or(50);
        self.set(if more {
            share.saturating_sub(STEP)
        } else {
            share + STEP
        });
    }

    /// Takes hold of the divider.
    pub const fn hold(&mut self) {
        self.is_held = true;
    }

    pub const fn let_go(&mut self) {
        self.is_held = false;
    }

    /// Moves the divider to a column of `width`, if it is held.
    pub fn drag(&mut self, column: u16, width: u16) {
        if self.is_held && width > 0 {
            // Rounded up, or a divider that is let go where it stood would creep.
            let share = (u32::from(column) * 100).div_ceil(u32::from(width));
            self.set(u16::try_from(share).unwrap_or(u16::MAX));
        }
    }

    fn set(&mut self, share: u16) {
        self.share = Some(share.clamp(LEAST, 100 - LEAST));
    }
}

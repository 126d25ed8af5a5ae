//! The division of the screen between table and preview, changed by two keys or by dragging the
//! divider.

/// Percent by which a key press moves the divider.
const STEP: u16 = 5;

/// Minimum share of each side, in percent.
const LEAST: u16 = 20;

/// Maximum width of an automatic preview, in columns.
///
/// Lines of a preview are short, and table columns need the room.
const WIDEST: u16 = 60;

/// The table's share, whether the preview is hidden, and whether the mouse is dragging the divider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Split {
    /// The table's share in percent, once the user has moved the divider.
    share: Option<u16>,
    is_folded: bool,
    is_held: bool,
}

impl Split {
    /// The saved split: the table's share in percent, clamped to 20 to 80; `None` for the automatic width.
    pub fn from_share(share: Option<u16>) -> Self {
        let mut split = Self::default();
        if let Some(share) = share {
            split.set(share);
        }
        split
    }

    /// The table's share in percent, if the user has moved the divider.
    pub const fn table_share(self) -> Option<u16> {
        self.share
    }

    /// Width of the table out of `width` columns; the preview gets the rest. Until the user moves the
    /// divider, the preview gets two fifths, at most 60 columns.
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

    /// Hides the preview, or shows it again if it is hidden.
    pub const fn fold(&mut self) {
        self.is_folded = !self.is_folded;
    }

    /// Widens the preview, or narrows it if `more` is false, by 5 percent of the `width` columns that table
    /// and preview share; the table gets at least 20 and at most 80 percent.
    pub fn widen_preview(&mut self, more: bool, width: u16) {
        let table = u32::from(self.table(width)) * 100;
        let share = self
            .share
            .or_else(|| u16::try_from(table / u32::from(width.max(1))).ok())
            .unwrap_or(50);
        self.set(if more { share.saturating_sub(STEP) } else { share + STEP });
    }

    /// Starts or ends a drag of the divider.
    pub const fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Moves the divider to `column` out of `width` columns, or as far as the bounds of 20 and 80 percent
    /// allow; does nothing unless it is being dragged.
    pub fn drag(&mut self, column: u16, width: u16) {
        if self.is_held && width > 0 {
            // Rounded up, or a divider released where it was would creep.
            let share = (u32::from(column) * 100).div_ceil(u32::from(width));
            self.set(u16::try_from(share).unwrap_or(u16::MAX));
        }
    }

    /// Sets the table's share in percent, clamped to 20 to 80.
    fn set(&mut self, share: u16) {
        self.share = Some(share.clamp(LEAST, 100 - LEAST));
    }
}

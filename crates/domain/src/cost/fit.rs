//! Comparison of an offer's remaining time, disk and speed with a need.

/// The comparison of the time an offer remains available with the time needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outlives {
    /// Available long enough.
    Yes {
        /// Hours between the end of the job and the end of the offer.
        spare: f64,
    },
    /// Ends too early.
    No {
        /// Hours between the end of the offer and the end of the job.
        short_by: f64,
    },
    /// The record does not report its end.
    Unknown,
}

impl Outlives {
    /// Whether the offer outlives the need (`None` if unknown), and the spare hours, negative if it ends too early.
    pub const fn parts(self) -> (Option<bool>, Option<f64>) {
        match self {
            Self::Yes { spare } => (Some(true), Some(spare)),
            Self::No { short_by } => (Some(false), Some(-short_by)),
            Self::Unknown => (None, None),
        }
    }

    /// Compares the `left` hours with the `needed` hours.
    pub(super) fn of(left: Option<f64>, needed: f64) -> Self {
        match left {
            None => Self::Unknown,
            Some(left) if left >= needed => Self::Yes { spare: left - needed },
            Some(left) => Self::No {
                short_by: needed - left,
            },
        }
    }
}

/// The result of comparing an offer with a need. Offers are ranked in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Fit {
    #[default]
    Yes,
    /// The offer reports too little of something.
    No,
    /// The offer does not report something that is needed, which does not count as enough.
    Unknown,
}

impl Fit {
    /// Compares a reported amount with the `needed` one. Nothing needed always fits.
    pub(super) fn of(there: Option<f64>, needed: f64) -> Self {
        match there {
            _ if needed <= 0.0 => Self::Yes,
            None => Self::Unknown,
            Some(there) if there >= needed => Self::Yes,
            Some(_) => Self::No,
        }
    }

    /// The worse of two results.
    pub(super) const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }
}

/// The comparison of an offer's disk with the space needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Room {
    Enough,
    /// Too small, by this many GB.
    ShortBy(f64),
    /// The record does not report its space.
    Unknown,
}

impl Room {
    pub(super) fn of(there: Option<f64>, wanted: f64) -> Self {
        match there {
            _ if wanted <= 0.0 => Self::Enough,
            None => Self::Unknown,
            Some(there) if there >= wanted => Self::Enough,
            Some(there) => Self::ShortBy(wanted - there),
        }
    }
}

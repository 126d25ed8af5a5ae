//! Whether an offer has the time, the space and the speed that are needed.

/// Whether an offer is available for as long as it is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outlives {
    /// Yes, with time left over.
    Yes {
        /// Hours between the end of the job and the end of the offer.
        spare: f64,
    },
    /// No, it ends too early.
    No {
        /// Hours between the end of the offer and the end of the job.
        short_by: f64,
    },
    /// The record does not say when it ends.
    Unknown,
}

impl Outlives {
    /// Whether it does, and the hours that are left over; negative if it does not.
    pub const fn parts(self) -> (Option<bool>, Option<f64>) {
        match self {
            Self::Yes { spare } => (Some(true), Some(spare)),
            Self::No { short_by } => (Some(false), Some(-short_by)),
            Self::Unknown => (None, None),
        }
    }

    /// Compares `needed` hours with the hours that are left.
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

/// Whether an offer has what is needed. In this order offers are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Fit {
    #[default]
    Yes,
    /// It reports too little of something.
    No,
    /// Something that is needed is not reported, which is not enough.
    Unknown,
}

impl Fit {
    /// Whether `there` is at least `needed`.
    pub(super) fn of(there: Option<f64>, needed: f64) -> Self {
        match there {
            _ if needed <= 0.0 => Self::Yes,
            None => Self::Unknown,
            Some(there) if there >= needed => Self::Yes,
            Some(_) => Self::No,
        }
    }

    /// Whether two things that are needed are both there.
    pub(super) const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }
}

/// Whether an offer has the requested space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Room {
    Enough,
    /// No: this many GB are missing.
    ShortBy(f64),
    /// The record does not say how much it has.
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

//! Comparison of an offer's remaining time, disk and speed with a need.

use std::fmt;

use super::SECONDS_PER_HOUR;
use crate::format::{gigabytes, whole_span};

/// Whether an offer is available for as long as it is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outlives {
    /// The record is available beyond the end of the work.
    Yes {
        /// Hours between the end of the job and the end of the offer.
        spare: f64,
    },
    /// The record ends before the work is done.
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

    /// Compares the `left` hours with the `needed` hours: equal ones are enough, `None` is unknown.
    pub(super) fn compare(left: Option<f64>, needed: f64) -> Self {
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
    /// Compares a reported amount with the `needed` one; `None` is unknown. Nothing needed always fits.
    pub(super) fn compare(reported: Option<f64>, needed: f64) -> Self {
        match reported {
            _ if needed <= 0.0 => Self::Yes,
            None => Self::Unknown,
            Some(reported) if reported >= needed => Self::Yes,
            Some(_) => Self::No,
        }
    }

    /// The worse of two results: `No`, then `Unknown`, then `Yes`.
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
    /// Compares the reported GB of a disk with the `wanted` GB; `None` is unknown. Nothing wanted is always
    /// enough.
    pub(super) fn compare(reported: Option<f64>, wanted: f64) -> Self {
        match reported {
            _ if wanted <= 0.0 => Self::Enough,
            None => Self::Unknown,
            Some(reported) if reported >= wanted => Self::Enough,
            Some(reported) => Self::ShortBy(wanted - reported),
        }
    }
}

/// The one reason why an offer cannot do a job or term, in a few words: `80 GB short`, at most 14 cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shortfall {
    /// This many GB of disk are missing.
    Disk(f64),
    /// The work is done this many hours after its deadline.
    Late(f64),
    /// The offer ends this many hours before the job.
    End(f64),
    /// The record does not report this.
    Unknown(&'static str),
}

impl Shortfall {
    /// The first known reason of disk, deadline and end, else the first of disk and end that is not reported;
    /// `None` if nothing is short. `in_time` is `None` without a deadline.
    pub(super) fn first(room: Room, in_time: Option<Outlives>, outlives: Outlives) -> Option<Self> {
        let short = match (room, in_time, outlives) {
            (Room::ShortBy(gb), ..) => Self::Disk(gb),
            (_, Some(Outlives::No { short_by }), _) => Self::Late(short_by),
            (_, _, Outlives::No { short_by }) => Self::End(short_by),
            (Room::Unknown, ..) => Self::Unknown("disk"),
            (Room::Enough, _, Outlives::Unknown) => Self::Unknown("end"),
            (Room::Enough, _, Outlives::Yes { .. }) => return None,
        };
        Some(short)
    }
}

impl fmt::Display for Shortfall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// From these on a number would be too long, and say no more than words: 1,000 TB and 100 years, rounded.
        const MOST_GB: f64 = 999_949.0;
        const MOST_HOURS: f64 = 99.5 * 365.0 * 24.0;
        let span = |hours: f64| whole_span(hours * SECONDS_PER_HOUR);
        match self {
            Self::Disk(gb) if *gb >= MOST_GB => formatter.write_str("far too small"),
            Self::Late(hours) if *hours >= MOST_HOURS => formatter.write_str("far too slow"),
            Self::End(hours) if *hours >= MOST_HOURS => formatter.write_str("ends too early"),
            Self::Disk(gb) => write!(formatter, "{} short", gigabytes(gb.ceil())),
            Self::Late(hours) => write!(formatter, "{} too slow", span(*hours)),
            Self::End(hours) => write!(formatter, "ends {} early", span(*hours)),
            Self::Unknown(what) => write!(formatter, "{what} unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_fits_into_the_cells_of_a_rail_for_any_amount() {
        for exponent in -20..=150 {
            let amount = 1.3_f64.powi(exponent);
            for short in [Shortfall::Disk(amount), Shortfall::Late(amount), Shortfall::End(amount)] {
                let text = short.to_string();
                assert!(text.len() <= 14, "{amount}: {text}");
            }
        }
        for what in ["disk", "end", "rate", "speed"] {
            assert!(Shortfall::Unknown(what).to_string().len() <= 14, "{what}");
        }
    }

    #[test]
    fn a_reason_has_the_unit_that_is_exact_enough_and_words_for_an_absurd_amount() {
        let days = [1.0, 4.0, 99.0, 165.0, 696.0, 697.0, 36_300.0, 36_400.0];
        let early = days.map(|days| Shortfall::End(days * 24.0).to_string());
        let shown = ["24h", "4d", "99d", "24w", "99w", "2y", "99y", "too"];
        assert_eq!(early, shown.map(|span| format!("ends {span} early")));
        assert_eq!(Shortfall::Late(1e12).to_string(), "far too slow");
        assert_eq!(Shortfall::Disk(80.0).to_string(), "80 GB short");
        assert_eq!(Shortfall::Disk(999_900.0).to_string(), "999.9 TB short");
        assert_eq!(Shortfall::Disk(1e9).to_string(), "far too small");
    }
}

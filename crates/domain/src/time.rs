//! Times: of the process's clock and of the world. No value of one can stand for the other.
//!
//! A difference of two times of one clock is a span in seconds, and a span can be added to either; the compiler refuses
//! everything else. There is no clock here: programs read theirs and pass the time in.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A type of times in seconds, with the arithmetic that times have.
macro_rules! time {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            /// The time that is this many seconds after the clock's origin.
            pub const fn new(seconds: f64) -> Self {
                Self(seconds)
            }

            /// Seconds since the clock's origin.
            pub const fn seconds(self) -> f64 {
                self.0
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $name {}

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.total_cmp(&other.0)
            }
        }

        /// Seconds from the other time to this one.
        impl Sub for $name {
            type Output = f64;

            fn sub(self, earlier: Self) -> f64 {
                self.0 - earlier.0
            }
        }

        impl Add<f64> for $name {
            type Output = Self;

            fn add(self, seconds: f64) -> Self {
                Self(self.0 + seconds)
            }
        }

        impl Sub<f64> for $name {
            type Output = Self;

            fn sub(self, seconds: f64) -> Self {
                Self(self.0 - seconds)
            }
        }

        impl AddAssign<f64> for $name {
            fn add_assign(&mut self, seconds: f64) {
                self.0 += seconds;
            }
        }
    };
}

time! {
    /// A time of the process's clock, in seconds since an origin of the process's choice.
    ///
    /// This clock is never set and stops while the computer is suspended, so it is for waits and durations within one
    /// process, and is never saved.
    MonotonicTime
}

impl MonotonicTime {
    /// A time that does not come.
    pub const NEVER: Self = Self(f64::INFINITY);
}

impl MonotonicTime {
    /// The time when the clock has run for `elapsed` since its origin.
    pub const fn after(elapsed: Duration) -> Self {
        Self(elapsed.as_secs_f64())
    }

    /// Whether the time is finite; only `NEVER` is not, which no clock reaches.
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

time! {
    /// A time of the world, in seconds since 1970, UTC.
    ///
    /// Clocks that show it are set forward and back, so it is for display, files and comparisons with the market. The
    /// record has whole seconds: [`Moment`].
    UnixTime
}

impl From<jiff::Timestamp> for UnixTime {
    fn from(timestamp: jiff::Timestamp) -> Self {
        Self(timestamp.as_duration().as_secs_f64())
    }
}

impl UnixTime {
    /// The time in the calendar, without the fraction of its second; `None` if it is outside of the calendar.
    #[expect(clippy::cast_possible_truncation)] // the conversion saturates, outside of the calendar
    pub fn timestamp(self) -> Option<jiff::Timestamp> {
        self.0
            .is_finite()
            .then(|| jiff::Timestamp::from_second(self.0 as i64).ok())
            .flatten()
    }

    /// The time in whole seconds, rounded down.
    #[expect(clippy::cast_possible_truncation)] // the conversion saturates
    pub fn moment(self) -> Moment {
        Moment(self.0.floor() as i64)
    }
}

/// A time of the world as the record stores it: whole seconds since 1970, UTC.
///
/// It is a type of its own beside [`UnixTime`], because polls and prices are found and compared by their second; the
/// journal, keys against repeats and the ages on the screen need the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Moment(pub i64);

impl Moment {
    /// Seconds from an `earlier` moment to this one; negative if `earlier` is the later of the two.
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// The time at the beginning of the second.
    pub const fn unix(self) -> UnixTime {
        UnixTime(self.0 as f64)
    }
}

/// The current time on both clocks, passed to code that never reads one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// The time of the process's clock.
    pub mono: MonotonicTime,
    /// The time of the world.
    pub epoch: UnixTime,
}

impl Now {
    /// Whether the computer was suspended for more than 30 s since an `earlier` time: the clock of the world
    /// ran on meanwhile, that of the process stopped.
    pub fn was_suspended_since(self, earlier: Self) -> bool {
        const LEAST: f64 = 30.0;
        (self.epoch - earlier.epoch) - (self.mono - earlier.mono) > LEAST
    }
}

//! Conversions between number types, in one place.

/// Rounds to the nearest whole number, at the ends of the range to the last one.
#[expect(clippy::cast_possible_truncation, reason = "rounded; saturates at the ends")]
pub fn whole(value: f64) -> i64 {
    value.round() as i64
}

/// The integer part of a number; 0 for a negative one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "floored; saturates at the ends"
)]
pub fn unsigned(value: f64) -> u64 {
    value.floor() as u64
}

/// A count as a float.
pub fn float(value: u64) -> f64 {
    value as f64
}

/// Rounds to `digits` decimal places.
pub fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

/// Seconds from the last midnight (UTC) to `now`, in seconds since 1970.
///
/// The dates of seeded data count from whole days: restarted on the same day, the sandbox lists the same
/// dates. They follow the calendar, because offers of a fixed date would all have ended some months later.
pub fn since_midnight(now: f64) -> f64 {
    now.rem_euclid(86_400.0)
}

/// Seconds from `now`, in seconds since 1970, to the next midnight (UTC); 0 at midnight.
pub fn until_midnight(now: f64) -> f64 {
    (-now).rem_euclid(86_400.0)
}

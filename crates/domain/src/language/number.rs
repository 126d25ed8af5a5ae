//! Parses and prints numbers with their units.

use crate::dialect::Dialect;
use crate::field::{Field, Kind, Unit};

/// 2^53: larger doubles cannot represent every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The decimal at the start of `text`, with optional sign, fraction and exponent, and the rest; `None` if
/// there is none.
fn decimal(text: &str) -> Option<(f64, &str)> {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let first = usize::from(text.starts_with(['+', '-']));
    let mut end = digits(first);
    let mut count = end - first;
    if text[end..].starts_with('.') {
        let fraction = end + 1;
        end = digits(fraction);
        count += end - fraction;
    }
    if text[end..].starts_with(['e', 'E']) {
        let power = end + 1 + usize::from(text[end + 1..].starts_with(['+', '-']));
        end = Some(digits(power)).filter(|behind| *behind > power).unwrap_or(end);
    }
    let (number, rest) = text.split_at(end);
    Some((number.parse().ok().filter(|_| count > 0)?, rest))
}

/// Rounds to the fifteen digits that a double holds: 16.1 GB are 16100 MB, not 16100.000000000002.
fn rounded(number: f64) -> f64 {
    format!("{number:.14e}").parse().unwrap_or(f64::NAN)
}

/// The product rounded to fifteen digits; a factor of 1 changes nothing, and minus zero becomes zero.
#[expect(clippy::float_cmp)] // the factor of a number that stays what it is
fn times(number: f64, factor: f64) -> f64 {
    let product = if factor == 1.0 {
        number
    } else {
        rounded(number * factor)
    };
    product + 0.0 // no minus zero
}

/// Formats a number in decimal notation; with an exponent from 1e21 on and below 1e-7, except zero.
fn written(number: f64) -> String {
    if number == 0.0 || (1e-7..1e21).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

/// The mistake in a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    NotANumber,
    /// The suffix is not a unit of the field.
    Unit,
    /// `mb/s` is ambiguous: bits or bytes.
    BitsOrBytes,
    /// NaN, infinity, or beyond the largest double.
    NotFinite,
    /// An id with a fraction.
    Fraction,
    /// An id too large to be compared exactly.
    Inexact,
}

/// Parses a number of `field`, with or without a unit, and converts it to wire units. A bare number is in the
/// unit of queries, such as GB where the wire has MB; an amount of money may begin with `$`.
///
/// A fault for other text, an unknown or ambiguous unit, NaN and infinity, a fraction as an id, and a whole
/// number too large to be exact.
pub(super) fn read(text: &str, field: &Field, dialect: &Dialect) -> Result<f64, Fault> {
    read_with(text, field, dialect, None)
}

/// Like [`read`], with `suffix` as the unit of a bare number.
pub(super) fn read_with(text: &str, field: &Field, dialect: &Dialect, suffix: Option<&str>) -> Result<f64, Fault> {
    let text = text.trim();
    let money = field.unit.is_money() && text.starts_with('$');
    let amount = if money { text[1..].trim_start() } else { text };
    let name = amount.trim_start_matches(['+', '-']).to_ascii_lowercase();
    if matches!(name.as_str(), "nan" | "inf" | "infinity") {
        return Err(Fault::NotFinite);
    }
    let (number, written) = decimal(amount).ok_or(Fault::NotANumber)?;
    let written = match written.trim() {
        "" => suffix.unwrap_or_default(),
        written => written,
    };
    let factor = factor(written, field.unit, dialect, money)?;
    let value = times(number, factor);
    if !value.is_finite() {
        return Err(Fault::NotFinite);
    }
    match field.kind {
        Kind::Id if value.fract() != 0.0 => Err(Fault::Fraction),
        Kind::Id | Kind::Integer if value.abs() > EXACT => Err(Fault::Inexact),
        _ => Ok(value),
    }
}

/// The suffix after the number in `text`, which may begin with `$`; `None` if it has no number or no suffix.
pub(super) fn suffix(text: &str) -> Option<&str> {
    let amount = text.trim().trim_start_matches('$');
    let (_, suffix) = decimal(amount)?;
    let suffix = suffix.trim();
    (!suffix.is_empty()).then_some(suffix)
}

/// The factor from a number with `suffix` to the wire unit; without a suffix, from the unit of queries.
///
/// `money` is whether the number began with `$`. A fault for an unknown suffix, and for `mb/s` and `gb/s` in
/// small letters, which could mean bits or bytes.
fn factor(suffix: &str, unit: Unit, dialect: &Dialect, money: bool) -> Result<f64, Fault> {
    if suffix.is_empty() {
        return Ok(unit.query_factor());
    }
    let mut name = suffix.to_lowercase();
    if unit == Unit::Transfer {
        // `B` means bytes, `b` bits.
        let bytes = suffix.contains('B');
        match name.as_str() {
            "mb/s" | "gb/s" if suffix == name => return Err(Fault::BitsOrBytes),
            "mb/s" | "gb/s" if !bytes => name.replace_range(1.., "bit/s"),
            "mbps" | "gbps" if bytes => name.replace_range(1.., "b/s"),
            _ => {}
        }
    }
    if money {
        name.insert(0, '$');
    }
    unit.suffixes(dialect)
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, factor)| *factor)
        .ok_or_else(|| {
            let starts_as_unit =
                suffix.starts_with(|first: char| first.is_alphabetic()) || suffix.starts_with(['%', '$', '°']);
            if starts_as_unit && suffix.chars().all(|c| c.is_alphabetic() || "/%$°".contains(c)) {
                Fault::Unit
            } else {
                Fault::NotANumber
            }
        })
}

/// A wire value in query units.
///
/// A bare number if it parses to exactly the same value, in this program and in the market's client (which multiplies
/// doubles); else a number with a unit.
pub(super) fn write(value: f64, field: &Field) -> String {
    let unit = match field.unit {
        Unit::Megabytes => "MB",
        Unit::Seconds => "s",
        _ => return written(value),
    };
    let factor = field.unit.query_factor();
    let bare = value / factor;
    #[expect(clippy::float_cmp)] // the very same double is wanted
    let exact = rounded(bare) == bare && times(bare, factor) == value && bare * factor == value;
    if exact {
        written(bare)
    } else {
        format!("{}{unit}", written(value))
    }
}

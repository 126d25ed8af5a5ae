//! Parses and prints numbers without losing a digit.
//!
//! A text is parsed and multiplied as a decimal; only the result is rounded to a double, once. So
//! `16.1GB` is the double closest to 16100 whichever way the factor is written.

use crate::domain::dialect::Dialect;
use crate::domain::field::{Field, Kind, Unit};

/// 2^53: beyond it a double does not hold every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

struct Decimal {
    negative: bool,
    digits: String,
    exponent: i32,
}

impl Decimal {
    /// The decimal at the start of `text`, and the rest.
    fn read(text: &str) -> Option<(Self, &str)> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = digits(unsigned);
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(behind) => digits(behind),
            None => ("", rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let (power, rest) = power(rest);
        let decimals = i32::try_from(fraction.len()).ok()?;
        let decimal = Self {
            negative: text.starts_with('-'),
            digits: format!("{whole}{fraction}"),
            exponent: power.saturating_sub(decimals),
        };
        Some((decimal, rest))
    }

    /// The shortest decimal that parses to `value`.
    fn of(value: f64) -> Self {
        let text = format!("{value:e}");
        Self::read(&text).map_or(
            Self {
                negative: false,
                digits: "0".to_owned(),
                exponent: 0,
            },
            |(decimal, _)| decimal,
        )
    }

    /// The double closest to this decimal times `factor`.
    fn times(&self, factor: f64) -> f64 {
        let (multiplier, shift) = decimal_factor(factor);
        let digits = if multiplier == 1 {
            Some(self.digits.clone())
        } else {
            let digits = self.digits.parse::<u128>().ok();
            let product = digits.and_then(|digits| digits.checked_mul(multiplier));
            product.map(|product| product.to_string())
        };
        let text = |digits: &str, shift: i32| {
            let sign = if self.negative { "-" } else { "" };
            format!("{sign}{digits}e{}", self.exponent.saturating_add(shift))
        };
        let value = match digits {
            Some(digits) => text(&digits, shift).parse().unwrap_or(f64::NAN),
            None => text(&self.digits, 0).parse().unwrap_or(f64::NAN) * factor,
        };
        value + 0.0 // no minus zero
    }

    /// As people write it, with an exponent only for very large and small numbers.
    fn write(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let count = i32::try_from(self.digits.len()).unwrap_or(i32::MAX);
        let point = count.saturating_add(self.exponent);
        let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
        match (self.exponent, point) {
            (0.., ..=21) => format!("{sign}{}{}", self.digits, zeros(self.exponent)),
            (_, 1..=21) => {
                let (whole, fraction) = self.digits.split_at(usize::try_from(point).unwrap_or(0));
                format!("{sign}{whole}.{fraction}")
            }
            (_, -6..=0) => format!("{sign}0.{}{}", zeros(-point), self.digits),
            _ => format!("{sign}{}e{}", self.digits, self.exponent),
        }
    }
}

/// The digits at the start, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let end = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    text.split_at(end)
}

/// The power of ten at the start (`e-3`), and the rest.
fn power(text: &str) -> (i32, &str) {
    let Some(behind) = text.strip_prefix(['e', 'E']) else {
        return (0, text);
    };
    let unsigned = behind.strip_prefix(['+', '-']).unwrap_or(behind);
    let (count, rest) = digits(unsigned);
    if count.is_empty() {
        return (0, text);
    }
    // Any larger exponent is infinite or zero all the same, and must not overflow in sums.
    let power = count.parse().unwrap_or(99_999).min(99_999);
    (if behind.starts_with('-') { -power } else { power }, rest)
}

/// A factor as a whole number times a power of ten: 0.125 is 125 x 10^-3.
fn decimal_factor(factor: f64) -> (u128, i32) {
    let (mut scaled, mut shift) = (factor, 0);
    while scaled.fract() != 0.0 && shift > -12 {
        shift -= 1;
        scaled = factor * 10_f64.powi(-shift);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // factors of units are positive and far below 2^128
    let mut multiplier = scaled as u128;
    while multiplier > 1 && multiplier.is_multiple_of(10) {
        multiplier /= 10;
        shift += 1;
    }
    (multiplier, shift)
}

/// What is wrong with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    NotANumber,
    /// The suffix is no unit of the field.
    Unit,
    /// `mb/s` may mean bits or bytes.
    BitsOrBytes,
    /// NaN, infinity, or beyond the largest double.
    NotFinite,
    /// An id with a fraction.
    Fraction,
    /// An id too large to be compared exactly.
    Inexact,
}

/// A number of `field` in wire units.
pub(super) fn read(text: &str, field: &Field, dialect: &Dialect) -> Result<f64, Fault> {
    read_with(text, field, dialect, None)
}

/// Like [`read`]; a bare number gets `suffix` if there is one.
pub(super) fn read_with(text: &str, field: &Field, dialect: &Dialect, suffix: Option<&str>) -> Result<f64, Fault> {
    let text = text.trim();
    let money = field.unit.is_money() && text.starts_with('$');
    let amount = if money { text[1..].trim_start() } else { text };
    let name = amount.trim_start_matches(['+', '-']).to_ascii_lowercase();
    if matches!(name.as_str(), "nan" | "inf" | "infinity") {
        return Err(Fault::NotFinite);
    }
    let (decimal, written) = Decimal::read(amount).ok_or(Fault::NotANumber)?;
    let written = match written.trim() {
        "" => suffix.unwrap_or_default(),
        written => written,
    };
    let factor = factor(written, field.unit, dialect, money)?;
    let value = decimal.times(factor);
    if !value.is_finite() {
        return Err(Fault::NotFinite);
    }
    match field.kind {
        Kind::Id if value.fract() != 0.0 => Err(Fault::Fraction),
        Kind::Id | Kind::Integer if value.abs() > EXACT => Err(Fault::Inexact),
        _ => Ok(value),
    }
}

/// The suffix after the number in `text`.
pub(super) fn suffix(text: &str) -> Option<&str> {
    let amount = text.trim().trim_start_matches('$');
    let (_, suffix) = Decimal::read(amount)?;
    let suffix = suffix.trim();
    (!suffix.is_empty()).then_some(suffix)
}

/// The factor from a number with `suffix` to the wire unit.
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

/// A wire value in query units: a bare number if it parses to exactly the same value, in this
/// program and in the market's client (which multiplies doubles), else with a unit.
pub(super) fn write(value: f64, field: &Field) -> String {
    let factor = field.unit.query_factor();
    let plain = Decimal::of(value);
    let bare = match field.unit {
        Unit::Megabytes => Decimal {
            exponent: plain.exponent - field.unit.query_exponent(),
            ..Decimal::of(value)
        },
        Unit::Seconds => Decimal::of(value / factor),
        _ => return plain.write(),
    };
    let theirs = bare.times(1.0) * factor;
    #[expect(clippy::float_cmp)] // the very same double is wanted
    let exact = bare.times(factor) == value && theirs == value;
    if exact {
        return bare.write();
    }
    let unit = if field.unit == Unit::Megabytes { "MB" } else { "s" };
    format!("{}{unit}", plain.write())
}

//! Quantities in forms: numbers, with or without a unit.

use std::ops::RangeInclusive;

use super::cost::DAYS_PER_MONTH;
use super::format::{grouped, trimmed};

const HOURS_PER_DAY: f64 = 24.0;
const DAYS_PER_WEEK: f64 = 7.0;
const SECONDS_PER_HOUR: f64 = 3600.0;

/// The kind of a number in a form. A bare number is in the unit named first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// Hours, or minutes to months: `24`, `90m`, `3d`.
    Hours,
    /// Days: `45`, `2w`.
    Days,
    /// A term in days; a bare number is months of 30 days, as the market bills them: `3`, `45
    /// days`.
    Term,
    /// Seconds: `30`, `500ms`, `1.5h`.
    Seconds,
    /// Storage or traffic in GB: `200`, `1.5TB`.
    Gigabytes,
    /// A whole number: `20`.
    Count,
    /// Dollars: `0.40`, `$0.40`, `40 cents`.
    Dollars,
    /// Dollars per hour: `0.40`, `$0.40/h`, `40 cents per hour`.
    HourlyDollars,
    /// A number without a unit.
    Number,
}

/// Units of time with their length in hours.
///
/// `m` are minutes and `mo` months, as in queries.
const TIMES: [(&str, f64); 8] = [
    ("ms", 1.0 / (1000.0 * SECONDS_PER_HOUR)),
    ("s sec second seconds", 1.0 / SECONDS_PER_HOUR),
    ("m min minute minutes", 1.0 / 60.0),
    ("h hour hours", 1.0),
    ("d day days", HOURS_PER_DAY),
    ("w week weeks", DAYS_PER_WEEK * HOURS_PER_DAY),
    ("mo month months", DAYS_PER_MONTH * HOURS_PER_DAY),
    ("y year years", 365.0 * HOURS_PER_DAY),
];

/// The endings of a price per hour.
const PERIODS: [&str; 6] = ["/h", "/hr", "/hour", "per hour", "an hour", "hourly"];

impl Quantity {
    /// The factor from a unit, in lower case, to the quantity's base unit; an empty one is the base unit
    /// itself, of a term months of 30 days. `None` for a unit of another kind.
    fn factor(self, unit: &str) -> Option<f64> {
        let time = |base: f64| {
            let is_named = |(names, _): &&(&str, f64)| names.split(' ').any(|name| name == unit);
            let hours = TIMES.iter().find(is_named)?.1;
            Some(hours / base)
        };
        match (self, unit) {
            (Self::Term, "") => Some(DAYS_PER_MONTH),
            (_, "") => Some(1.0),
            (Self::Hours, _) => time(1.0),
            (Self::Days | Self::Term, _) => time(HOURS_PER_DAY),
            (Self::Seconds, _) => time(1.0 / SECONDS_PER_HOUR),
            (Self::Gigabytes, "mb" | "m") => Some(0.001),
            (Self::Gigabytes, "gb" | "g") => Some(1.0),
            (Self::Gigabytes, "tb" | "t") => Some(1000.0),
            (Self::Dollars | Self::HourlyDollars, "$" | "$/h" | "dollar" | "dollars") => Some(1.0),
            (Self::Dollars | Self::HourlyDollars, "c" | "ct" | "cent" | "cents" | "¢") => Some(0.01),
            (Self::HourlyDollars, _) => {
                let unit = unit.replace("/ ", "/");
                let period = PERIODS.iter().find_map(|period| unit.strip_suffix(period));
                period.and_then(|unit| Self::Dollars.factor(unit.trim_end()))
            }
            (Self::Gigabytes | Self::Dollars | Self::Count | Self::Number, _) => None,
        }
    }

    /// The error message for a malformed text, with examples of valid ones.
    const fn fault(self) -> &'static str {
        match self {
            Self::Hours => "Not a duration: write 24, 24h, 3d or 2w",
            Self::Days => "Not a duration: write 45, 45d or 2w",
            Self::Term => "Not a duration: write 3 months, 45 days or 2w; a bare number is months",
            Self::Seconds => "Not a duration: write 30, 30s, 2m or 1.5h",
            Self::Gigabytes => "Not a size: write 200, 200GB or 1.5TB",
            Self::Count => "Not a whole number",
            Self::Dollars => "Not a price: write 0.40, $0.40 or 40 cents",
            Self::HourlyDollars => "Not a price: write 0.40, $0.40/h or 40 cents",
            Self::Number => "Not a number",
        }
    }

    /// The unit of the values in messages, with a leading blank: ` days`; empty for counts, dollars and plain
    /// numbers.
    const fn unit(self) -> &'static str {
        match self {
            Self::Hours => " hours",
            Self::Days | Self::Term => " days",
            Self::Seconds => " s",
            Self::Gigabytes => " GB",
            Self::Count | Self::Dollars | Self::HourlyDollars | Self::Number => "",
        }
    }
}

/// The reason a text is not a valid quantity. Its `Display` is the sentence below a form field.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum QuantityError {
    #[error("Required")]
    Missing,
    /// Not a number, or a unit of another kind.
    #[error("{}", .0.fault())]
    Malformed(Quantity),
    /// The range is in the base unit of the quantity.
    #[error("Out of range: {} to {}{}", bound(*.least), bound(*.most), .quantity.unit())]
    OutOfRange { quantity: Quantity, least: f64, most: f64 },
}

/// Formats an end of a range in full: whole numbers with thousands separators, others with up to six
/// decimals.
fn bound(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked
    if value.fract() == 0.0 && value >= 0.0 {
        grouped(value as usize)
    } else {
        trimmed(value, 6)
    }
}

/// Parses a number whose commas separate groups of three digits, `1,500`, or, if there is one, a fraction: `0,5`.
/// `None` if it is malformed.
///
/// ```
/// use bourse_domain::quantity::decimal;
/// assert_eq!(decimal("1,500.5"), Some(1500.5));
/// assert_eq!(decimal("1,5"), Some(1.5));
/// assert_eq!(decimal("1,50,5"), None);
/// ```
pub fn decimal(text: &str) -> Option<f64> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let groups: Vec<_> = text.split(',').collect();
    let is_lead = |lead: &str| is_digits(lead) && lead.len() <= 3;
    let is_group = |group: &&str| is_digits(group) && group.len() == 3;
    match &groups[..] {
        [_] => text.parse().ok(),
        [lead, middle @ .., last]
            if is_lead(lead)
                && !lead.starts_with('0')
                && middle.iter().all(is_group)
                && is_group(&last.split('.').next().unwrap_or_default()) =>
        {
            groups.concat().parse().ok()
        }
        [lead, fraction] if is_lead(lead) && is_digits(fraction) => format!("{lead}.{fraction}").parse().ok(),
        _ => None,
    }
}

/// Parses a quantity in its base unit: hours, days (also of a term), seconds, GB, dollars. Blanks around
/// number and unit and the case are ignored; a sign and `_` between digits are allowed, commas and exponents
/// are not.
///
/// # Errors
/// If the text is empty or not such a quantity.
///
/// ```
/// use bourse_domain::quantity::{Quantity, parse};
/// assert_eq!(parse("3d", Quantity::Hours), Ok(72.0));
/// assert_eq!(parse("1.5 TB", Quantity::Gigabytes), Ok(1500.0));
/// assert!(parse("soon", Quantity::Hours).is_err());
/// ```
pub fn parse(text: &str, quantity: Quantity) -> Result<f64, QuantityError> {
    let text = text.trim().to_ascii_lowercase();
    if text.is_empty() {
        return Err(QuantityError::Missing);
    }
    read(&text, quantity).ok_or(QuantityError::Malformed(quantity))
}

/// Parses a trimmed text in lower case as a value in the quantity's base unit; `None` if it is malformed.
fn read(text: &str, quantity: Quantity) -> Option<f64> {
    let text = match quantity {
        Quantity::Dollars | Quantity::HourlyDollars => text.strip_prefix('$').unwrap_or(text),
        Quantity::Hours
        | Quantity::Days
        | Quantity::Term
        | Quantity::Seconds
        | Quantity::Gigabytes
        | Quantity::Count
        | Quantity::Number => text,
    };
    // An exponent is neither unit nor digit: 1e9 is never typed on purpose here.
    let end = text
        .find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | '-' | '_')))
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number: f64 = digits.replace('_', "").parse().ok()?;
    if quantity == Quantity::Count && number.fract() != 0.0 {
        return None;
    }
    let value = number * quantity.factor(unit.trim())?;
    value.is_finite().then_some(value)
}

/// Parses a quantity that must be within a range of its base unit.
///
/// # Errors
/// If the text is empty, not such a quantity or out of range.
pub fn within(text: &str, quantity: Quantity, range: RangeInclusive<f64>) -> Result<f64, QuantityError> {
    let value = parse(text, quantity)?;
    if range.contains(&value) {
        return Ok(value);
    }
    Err(QuantityError::OutOfRange {
        quantity,
        least: *range.start(),
        most: *range.end(),
    })
}

/// Formats a quantity as it would be typed: `3d` for 72 hours, `1500GB`, `2TB`, `3 months`, `$0.4`. `parse`
/// parses it back, to six decimals.
pub fn write(value: f64, quantity: Quantity) -> String {
    let plain = trimmed(value, 6);
    let is_whole = |value: f64| value > 0.0 && value.fract() == 0.0;
    match quantity {
        Quantity::Hours if is_whole(value / HOURS_PER_DAY) => {
            format!("{}d", trimmed(value / HOURS_PER_DAY, 0))
        }
        Quantity::Hours => format!("{plain}h"),
        Quantity::Days => format!("{plain}d"),
        Quantity::Term => match trimmed(value / DAYS_PER_MONTH, 9) {
            months if months == "1" => "1 month".to_owned(),
            // Months with up to two decimals read well; otherwise use days.
            months if months.len() <= 4 && value > 0.0 => format!("{months} months"),
            _ => format!("{plain} days"),
        },
        Quantity::Seconds => format!("{plain}s"),
        Quantity::Gigabytes if is_whole(value / 1000.0) => {
            format!("{}TB", trimmed(value / 1000.0, 0))
        }
        Quantity::Gigabytes => format!("{plain}GB"),
        Quantity::Dollars | Quantity::HourlyDollars => format!("${plain}"),
        Quantity::Count | Quantity::Number => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(text: &str, quantity: Quantity, wanted: f64) {
        let value = parse(text, quantity).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert!((value - wanted).abs() < 1e-9, "{text}: {value}");
    }

    #[test]
    fn units_are_understood_and_bare_numbers_have_one() {
        reads("24", Quantity::Hours, 24.0);
        reads("90 min", Quantity::Hours, 1.5);
        reads("3 Days", Quantity::Hours, 72.0);
        reads("2w", Quantity::Days, 14.0);
        reads("1.5", Quantity::Term, 45.0);
        reads("45 days", Quantity::Term, 45.0);
        reads("36h", Quantity::Term, 1.5);
        reads("500ms", Quantity::Seconds, 0.5);
        reads("2m", Quantity::Seconds, 120.0);
        reads("1.5TB", Quantity::Gigabytes, 1500.0);
        reads("2_000", Quantity::Gigabytes, 2000.0);
        reads("$0.40", Quantity::Dollars, 0.4);
        reads("0.40 $/h", Quantity::Dollars, 0.4);
        reads("30 cents", Quantity::Dollars, 0.3);
        for text in [
            "0.30",
            "$0.30/h",
            "0.30 $/h",
            "$0.30 / hour",
            "30c",
            "30 ct",
            "30 cents per hour",
            "0.3 dollars an hour",
        ] {
            reads(text, Quantity::HourlyDollars, 0.3);
        }
        reads("-1", Quantity::Number, -1.0);
    }

    #[test]
    fn an_error_names_valid_quantities() {
        let fault = |text, quantity| parse(text, quantity).unwrap_err().to_string();
        assert_eq!(
            fault("soon", Quantity::Hours),
            "Not a duration: write 24, 24h, 3d or 2w"
        );
        assert_eq!(fault(" ", Quantity::Hours), "Required");
        for (text, quantity) in [
            ("1e9", Quantity::Number),
            ("3d", Quantity::Gigabytes),
            ("5GB", Quantity::Seconds),
            ("2.5", Quantity::Count),
            ("$5/hour", Quantity::Dollars),
            ("$5/day", Quantity::HourlyDollars),
            ("1.2.3", Quantity::Number),
            ("inf", Quantity::Number),
            (&"9".repeat(400), Quantity::Number),
        ] {
            assert!(parse(text, quantity).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_is_shown_with_its_unit() {
        assert_eq!(within("3d", Quantity::Hours, 0.0..=100.0), Ok(72.0));
        assert_eq!(
            within("-1", Quantity::Hours, 0.0..=1e6).unwrap_err().to_string(),
            "Out of range: 0 to 1,000,000 hours"
        );
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for (value, quantity, text) in [
            (72.0, Quantity::Hours, "3d"),
            (10.0, Quantity::Hours, "10h"),
            (0.0, Quantity::Hours, "0h"),
            (200.0, Quantity::Gigabytes, "200GB"),
            (512.5, Quantity::Gigabytes, "512.5GB"),
            (12_000.0, Quantity::Gigabytes, "12TB"),
            (30.0, Quantity::Term, "1 month"),
            (45.0, Quantity::Term, "1.5 months"),
            (14.0, Quantity::Term, "14 days"),
            (0.4, Quantity::Dollars, "$0.4"),
        ] {
            assert_eq!(write(value, quantity), text);
            reads(text, quantity, value);
        }
    }
}

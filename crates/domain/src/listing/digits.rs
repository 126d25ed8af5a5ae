//! Parses JSON numbers, eight digits at a time.

use super::raw_cell::{RawCell, integer};

/// A word that repeats the byte eight times.
pub(super) const fn bytes_of(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The next eight bytes as a little-endian word; `None` if there are fewer.
pub(super) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*word))
}

/// The number of decimal digits before the first other byte, of eight ASCII bytes in a little-endian word.
const fn leading_digits(word: u64) -> usize {
    let digits = word ^ bytes_of(b'0');
    let nondigits = (digits.wrapping_add(bytes_of(0x80 - 10)) | digits) & bytes_of(0x80);
    (nondigits.trailing_zeros() / 8) as usize
}

/// The value of the first `digits` decimal digits, 1 to 8, of eight ASCII bytes in a little-endian word.
const fn number_of(word: u64, digits: usize) -> u64 {
    // Zeros in front, then pairs, fours and eights of digits at a time.
    let word = (word ^ bytes_of(b'0')) << (64 - 8 * digits);
    let pairs = word.wrapping_mul(10).wrapping_add(word >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF
}

/// The parts of a JSON number.
struct Digits {
    is_negative: bool,
    /// All digits without the point; `None` if there are too many.
    mantissa: Option<u64>,
    /// The number of digits after the point.
    decimals: usize,
    exponent: Option<i32>,
    is_whole: bool,
    end: usize,
}

/// 2^53: smaller whole numbers are exact doubles.
const EXACT_WHOLE: u64 = 1 << 53;

/// The maximum number of digits that always fit into a word of 64 bits.
const MOST_DIGITS: usize = 19;

impl Digits {
    /// Splits the JSON number that begins at `start` into its parts.
    ///
    /// `None` if it is not a valid number, or ends with the text and may continue. The mantissa is `None` if
    /// it has more than `MOST_DIGITS` digits, the exponent if it has five or more.
    fn read(bytes: &[u8], start: usize) -> Option<Self> {
        let is_negative = bytes.get(start) == Some(&b'-');
        let first = start + usize::from(is_negative);
        let (mut mantissa, mut at) = (0, first);
        match bytes.get(first..first + 2) {
            // Most shares and prices are below ten.
            Some([digit @ b'0'..=b'9', b'.']) => {
                mantissa = u64::from(digit - b'0');
                at += 1;
            }
            _ => at = run(bytes, first, &mut mantissa),
        }
        let mut digits = at - first;
        if digits == 0 || (digits > 1 && bytes.get(first) == Some(&b'0')) {
            return None;
        }
        let mut decimals = 0;
        let mut is_whole = true;
        if bytes.get(at) == Some(&b'.') {
            let end = run(bytes, at + 1, &mut mantissa);
            decimals = end - at - 1;
            if decimals == 0 {
                return None;
            }
            (digits, is_whole, at) = (digits + decimals, false, end);
        }
        let mut exponent = Some(0);
        if let Some(b'e' | b'E') = bytes.get(at) {
            let sign = bytes.get(at + 1);
            let first = at + 1 + usize::from(matches!(sign, Some(b'+' | b'-')));
            let mut power = 0;
            let end = run(bytes, first, &mut power);
            if end == first {
                return None;
            }
            let power = i32::try_from(power).ok().filter(|_| end - first < 5);
            exponent = power.map(|power| if sign == Some(&b'-') { -power } else { power });
            (is_whole, at) = (false, end);
        }
        // A number at the end of the text may continue.
        bytes.get(at)?;
        Some(Self {
            is_negative,
            mantissa: (digits <= MOST_DIGITS).then_some(mantissa),
            decimals,
            exponent,
            is_whole,
            end: at,
        })
    }

    /// The number if one division or product of exact numbers gives it, which is rounded correctly; else `None`.
    fn exact(&self) -> Option<f64> {
        const POWERS: [f64; 23] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
            1e19, 1e20, 1e21, 1e22,
        ];
        let mantissa = self.mantissa?;
        let power = self.exponent? - i32::try_from(self.decimals).ok()?;
        if mantissa >= EXACT_WHOLE {
            let divisor = POWERS_OF_TEN.get(usize::try_from(-power).ok()?)?;
            let number = quotient(mantissa, *divisor);
            return Some(if self.is_negative { -number } else { number });
        }
        let factor = *POWERS.get(usize::try_from(power.unsigned_abs()).ok()?)?;
        let double = mantissa as f64;
        let number = if power < 0 { double / factor } else { double * factor };
        Some(if self.is_negative { -number } else { number })
    }
}

/// The powers of ten that fit into a word.
const POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut power = 1;
    while power < powers.len() {
        powers[power] = powers[power - 1] * 10;
        power += 1;
    }
    powers
};

/// The double nearest to `dividend / divisor`, ties to even. Neither is zero.
///
/// Both fill a word when shifted, so that the quotient has at least 63 bits. A double takes 53 of them: that the last
/// bit stands for all that follow it changes no rounding.
fn quotient(dividend: u64, divisor: u64) -> f64 {
    let (above, below) = (dividend.leading_zeros(), divisor.leading_zeros());
    let (dividend, divisor) = (u128::from(dividend << above) << 63, u128::from(divisor << below));
    let whole = dividend / divisor;
    #[expect(clippy::cast_possible_truncation)] // below 2^64
    let bits = whole as u64 | u64::from(dividend != whole * divisor);
    // 2^(below - above - 63), far from the smallest double.
    let scale = f64::from_bits(u64::from(1023 + below - above - 63) << 52);
    bits as f64 * scale
}

/// Appends the run of digits that begins at `at` to the decimal digits of `number`, which wraps on overflow;
/// returns the end of the run.
#[inline]
fn run(bytes: &[u8], mut at: usize, number: &mut u64) -> usize {
    const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
    while let Some(word) = word(bytes, at) {
        let digits = leading_digits(word);
        let Some(power) = POWERS.get(digits) else {
            *number = number.wrapping_mul(100_000_000).wrapping_add(number_of(word, 8));
            at += 8;
            continue;
        };
        if digits > 0 {
            *number = number.wrapping_mul(*power).wrapping_add(number_of(word, digits));
        }
        return at + digits;
    }
    while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
        *number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        at += 1;
    }
    at
}

/// The position after the run of digits that begins at `at`.
#[inline]
fn skip_digits(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = word(bytes, at) {
        let digits = leading_digits(word);
        at += digits;
        if digits < 8 {
            return at;
        }
    }
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The end of the JSON number that begins at `start`; `None` if it is not a valid one, or it may continue
/// beyond the text.
pub(super) fn skip_number(bytes: &[u8], start: usize) -> Option<usize> {
    let first = start + usize::from(bytes.get(start) == Some(&b'-'));
    let mut at = match bytes.get(first..first + 2) {
        // Most shares and prices are below ten.
        Some([b'0'..=b'9', b'.']) => first + 1,
        _ => skip_digits(bytes, first),
    };
    if at == first || (at > first + 1 && bytes.get(first) == Some(&b'0')) {
        return None;
    }
    if bytes.get(at) == Some(&b'.') {
        let end = skip_digits(bytes, at + 1);
        if end == at + 1 {
            return None;
        }
        at = end;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let first = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = skip_digits(bytes, first);
        if at == first {
            return None;
        }
    }
    // A number at the end of the text may continue.
    (at < bytes.len()).then_some(at)
}

/// The value and the end of the JSON number that begins at `at`. `None` if it is invalid, beyond a double, a
/// whole number with too many digits or below the least `i64`, or at the end of the text, where it may
/// continue.
pub(super) fn number(text: &str, at: usize) -> Option<(RawCell<'static>, usize)> {
    let digits = Digits::read(text.as_bytes(), at)?;
    let cell = match digits.mantissa {
        // Most numbers are small and plain.
        Some(whole @ 1..EXACT_WHOLE) if digits.is_whole => {
            let double = whole as f64;
            RawCell::Number(if digits.is_negative { -double } else { double })
        }
        Some(whole) if digits.is_whole && (whole != 0 || !digits.is_negative) => {
            // serde_json reads it as a double.
            if digits.is_negative && i64::try_from(whole).is_err() {
                return None;
            }
            let whole = i128::from(whole);
            integer(if digits.is_negative { -whole } else { whole })
        }
        None if digits.is_whole => return None,
        _ => {
            let parsed = || text.get(at..digits.end)?.parse::<f64>().ok();
            let number = digits.exact().or_else(parsed)?;
            // Beyond a double.
            if !number.is_finite() {
                return None;
            }
            RawCell::Number(number)
        }
    };
    Some((cell, digits.end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> f64 {
        match number(&format!("{text},"), 0) {
            Some((RawCell::Number(number), end)) if end == text.len() => number,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn of_two_doubles_as_near_the_even_one_is_taken() {
        let cases: [(&str, f64); 8] = [
            // 2^53 + 1 and 2^53 + 3, and numbers slightly above and below the first.
            ("9007199254740993.0", 9_007_199_254_740_992.0),
            ("9007199254740995.0", 9_007_199_254_740_996.0),
            ("9007199254740993.01", 9_007_199_254_740_994.0),
            ("9007199254740992.99", 9_007_199_254_740_992.0),
            ("-9007199254740993.01", -9_007_199_254_740_994.0),
            ("0.9999999999999999999", 1.0),
            ("1.844674407370955161", 1.844_674_407_370_955_2),
            ("0.7599999999999999", 0.759_999_999_999_999_9),
        ];
        for (text, wanted) in cases {
            assert_eq!(read(text).to_bits(), wanted.to_bits(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn long_fractions_are_rounded_as_the_standard_library_does(
            mantissa in 1_u64..10_000_000_000_000_000_000,
            point in 1_usize..20,
        ) {
            let digits = format!("{mantissa:020}");
            let (whole, rest) = digits.split_at(20 - point);
            let whole = whole.trim_start_matches('0');
            let whole = if whole.is_empty() { "0" } else { whole };
            let text = format!("{whole}.{rest}");
            prop_assert_eq!(read(&text).to_bits(), text.parse::<f64>().unwrap().to_bits(), "{}", text);
        }
    }
}

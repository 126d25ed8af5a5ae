//! Values of operands and cells.

use std::cmp::Ordering;
use std::fmt;

/// 2^53: larger doubles cannot represent every whole number.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The number as an integer; `None` unless it is whole and below 2^53 in size.
///
/// By way of 64 bits, which the processor converts itself: every row's id is compared with a typed word.
fn exact(number: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation)] // a number out of range is not below 2^53
    let whole = number as i64;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp)] // equal only if it was whole
    let is_exact = whole as f64 == number && number.abs() < EXACT;
    is_exact.then(|| whole.into())
}

/// An operand of a condition, in wire units.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Flag(bool),
    /// A number; never infinite or NaN.
    Number(f64),
    /// A text, compared exactly; for an id that a double cannot represent, its digits.
    Text(String),
    Version(Version),
}

impl Value {
    /// An id as an operand: a number, or its digits if a double cannot represent it.
    pub fn id(id: i128) -> Self {
        Some(id as f64)
            .filter(|number| exact(*number) == Some(id))
            .map_or_else(|| Self::Text(id.to_string()), Self::Number)
    }

    /// The whole number of a number below 2^53, or of a text of digits with an optional sign, also larger;
    /// `None` for anything else.
    pub fn whole(&self) -> Option<i128> {
        match self {
            Self::Number(number) => exact(*number),
            Self::Text(text) => text.parse().ok(),
            Self::Null | Self::Flag(_) | Self::Version(_) => None,
        }
    }

    /// The order of two numbers or two versions; `None` for any other pair of operands.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => left.partial_cmp(right),
            (Self::Version(left), Self::Version(right)) => Some(left.code.cmp(&right.code)),
            _ => None,
        }
    }
}

/// A driver version, ordered part by part.
#[derive(Debug, Clone)]
pub struct Version {
    /// The nine-digit number of the service: `major x 1e6 + minor x 1e3 + patch`.
    pub code: u64,
    /// The version as text, as typed or as `major.minor.patch`.
    pub text: String,
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Version {
    /// Parses `535`, `535.86`, `535.86.05` or the number of the service, `535086005`, from one million to
    /// nine digits; `None` if it is malformed.
    ///
    /// ```
    /// use bourse_domain::Version;
    /// assert_eq!(Version::parse("570.181").map(|v| v.code), Some(570_181_000));
    /// assert_eq!(Version::parse("535086005").map(|v| v.text), Some("535.86.05".into()));
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = |text: &str| -> Option<Vec<u64>> {
            text.split('.')
                .map(|part| {
                    let digits = (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
                    digits.then(|| part.parse().ok()).flatten()
                })
                .collect()
        };
        let parts = numbers(text)?;
        if let [code] = parts[..]
            && code >= 1_000_000
        {
            return Some(Self::from_code(code));
        }
        let code = match parts[..] {
            [major] => major * 1_000_000,
            [major, minor] if minor < 1000 => major * 1_000_000 + minor * 1000,
            [major, minor, patch] if minor < 1000 && patch < 1000 => major * 1_000_000 + minor * 1000 + patch,
            _ => return None,
        };
        (parts[0] < 1_000_000).then(|| Self {
            code,
            text: text.to_owned(),
        })
    }

    /// The version with the given number of the service; its text has at least two digits for minor and
    /// patch, as in `535.86.05`.
    pub fn from_code(code: u64) -> Self {
        let (major, minor, patch) = (code / 1_000_000, code / 1000 % 1000, code % 1000);
        Self {
            code,
            text: format!("{major}.{minor:02}.{patch:02}"),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The type of a cell that does not match the kind of its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    Flag,
    Number,
    Text,
    List,
    Object,
}

impl JsonKind {
    /// The type as the noun of a message: `a number`, `text`.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Number => "a number",
            Self::Text => "text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// The value of a record's cell, by the kind of its field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CellRef<'a> {
    /// The record lacks the member.
    Missing,
    Null,
    Flag(bool),
    /// A number; never infinite or NaN.
    Number(f64),
    /// Untrusted text, only to compare. Show it through [`crate::Untrusted`].
    Text(&'a str),
    /// The member does not match the kind of the field.
    Bad(JsonKind),
}

impl<'a> CellRef<'a> {
    /// The text of the cell; `None` if it holds no text.
    pub const fn text(self) -> Option<&'a str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The flag of the cell; `None` if it holds no flag.
    pub const fn flag(self) -> Option<bool> {
        if let Self::Flag(flag) = self { Some(flag) } else { None }
    }

    /// The number of the cell; `None` if it holds no number. Text is not parsed.
    pub const fn number(self) -> Option<f64> {
        if let Self::Number(number) = self {
            Some(number)
        } else {
            None
        }
    }

    /// The whole number of a number below 2^53, or of a text of digits with an optional sign, also larger, as
    /// which ids are stored that a double cannot represent; `None` for anything else.
    pub fn whole(self) -> Option<i128> {
        match self {
            Self::Number(number) => exact(number),
            Self::Text(text) => text.parse().ok(),
            Self::Missing | Self::Null | Self::Flag(_) | Self::Bad(_) => None,
        }
    }

    /// Whether the cell has no usable value: it is missing, null, or of the wrong type.
    pub const fn is_blank(self) -> bool {
        matches!(self, Self::Missing | Self::Null | Self::Bad(_))
    }
}

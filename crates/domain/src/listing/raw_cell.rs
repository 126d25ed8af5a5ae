//! One value of a record as received, of any type.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::value::{EXACT, JsonKind};

/// A value as received, of any type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RawCell<'a> {
    Missing,
    Null,
    Flag(bool),
    Number(f64),
    Text(Cow<'a, str>),
    Bad(JsonKind),
}

impl RawCell<'_> {
    /// The value with its own copy of a borrowed text.
    pub(super) fn into_owned(self) -> RawCell<'static> {
        match self {
            Self::Missing => RawCell::Missing,
            Self::Null => RawCell::Null,
            Self::Flag(flag) => RawCell::Flag(flag),
            Self::Number(number) => RawCell::Number(number),
            Self::Text(text) => RawCell::Text(Cow::Owned(text.into_owned())),
            Self::Bad(kind) => RawCell::Bad(kind),
        }
    }

    /// Parses a value. One that the parser rejects becomes [`RawCell::Bad`]: a number beyond a double, half a surrogate
    /// pair, nesting too deep.
    pub(super) fn parse(json: &str) -> RawCell<'_> {
        serde_json::from_str(json).unwrap_or_else(|_| RawCell::Bad(kind_of(json)))
    }
}

/// The kind of a JSON text, by its first character: object, list, flag or text; a number for any other.
pub(super) fn kind_of(json: &str) -> JsonKind {
    match json.trim_start().as_bytes().first() {
        Some(b'{') => JsonKind::Object,
        Some(b'[') => JsonKind::List,
        Some(b't' | b'f') => JsonKind::Flag,
        Some(b'"') => JsonKind::Text,
        _ => JsonKind::Number,
    }
}

/// A whole number as a double, or as the text of its digits from 2^53 on, where a double may change them.
pub(super) fn integer(number: i128) -> RawCell<'static> {
    let double = number as f64;
    if double.abs() < EXACT {
        RawCell::Number(double)
    } else {
        RawCell::Text(Cow::Owned(number.to_string()))
    }
}

/// Whether a text holds the digits of a number that [`integer`] keeps as text.
fn is_beyond_doubles(text: &str) -> bool {
    let number = text.parse::<i128>();
    number.is_ok_and(|number| matches!(integer(number), RawCell::Text(_)))
}

impl<'de> Deserialize<'de> for RawCell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawCellVisitor)
    }
}

struct RawCellVisitor;

impl<'de> Visitor<'de> for RawCellVisitor {
    type Value = RawCell<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(RawCell::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(RawCell::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(integer(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(integer(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(if number.is_finite() {
            RawCell::Number(number)
        } else {
            RawCell::Bad(JsonKind::Number)
        })
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(RawCell::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(RawCell::Text(Cow::Owned(text.to_owned())))
    }

    /// Reads a list: one of at most 64 numbers becomes its text (`[0,1]`), the only form in which it is
    /// shown; any other becomes `RawCell::Bad`.
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut numbers = Vec::new();
        let mut plain = true;
        while let Some(item) = seq.next_element::<RawCell<'de>>()? {
            match item {
                RawCell::Number(number) if numbers.len() < 64 => numbers.push(number.to_string()),
                RawCell::Text(digits) if numbers.len() < 64 && is_beyond_doubles(&digits) => {
                    numbers.push(digits.into_owned());
                }
                _ => plain = false,
            }
        }
        Ok(if plain {
            RawCell::Text(Cow::Owned(format!("[{}]", numbers.join(","))))
        } else {
            RawCell::Bad(JsonKind::List)
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(RawCell::Bad(JsonKind::Object))
    }
}

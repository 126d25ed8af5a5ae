//! Parses one record: only the members that are needed, each on its own, tolerantly.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::RowId;
use crate::domain::catalog::Catalog;
use crate::domain::field::{Field, Filter, Kind, Source};
use crate::domain::value::{EXACT, Found};
use crate::domain::workergroup::search_query_text;

/// Members that prices are computed from, or that join the slices of a machine.
const PRICED_BY: [&str; 8] = [
    "dph_base",
    "min_bid",
    "discounted_dph_total",
    "storage_total_cost",
    "inet_up_cost",
    "inet_down_cost",
    "machine_id",
    "score",
];

/// Whether a field's column is read together with the response.
pub(super) fn is_hot(field: &Field) -> bool {
    field.kind != Kind::Secret
        && (field.column.rank.is_some()
            || field.filter == Filter::Documented
            || PRICED_BY.contains(&field.key))
}

/// The record members that a source reads.
pub(super) fn members(source: &Source) -> impl Iterator<Item = &'static str> {
    let (one, two, many): (_, _, &'static [&'static str]) = match *source {
        Source::Member(name)
        | Source::Search(name)
        | Source::TextIs(name, _)
        | Source::NumberIs(name, _)
        | Source::Known(name)
        | Source::Since(name)
        | Source::Nested(name, _) => (Some(name), None, &[]),
        Source::TimeLeft(name, end) => (Some(name), Some(end), &[]),
        Source::Either(names) => (None, None, names),
        Source::Nowhere | Source::Computed => (None, None, &[]),
    };
    one.into_iter().chain(two).chain(many.iter().copied())
}

/// A received value of any type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RawCell<'a> {
    Missing,
    Null,
    Flag(bool),
    Number(f64),
    Text(Cow<'a, str>),
    Bad(Found),
}

impl RawCell<'_> {
    fn into_owned(self) -> RawCell<'static> {
        match self {
            Self::Missing => RawCell::Missing,
            Self::Null => RawCell::Null,
            Self::Flag(flag) => RawCell::Flag(flag),
            Self::Number(number) => RawCell::Number(number),
            Self::Text(text) => RawCell::Text(Cow::Owned(text.into_owned())),
            Self::Bad(found) => RawCell::Bad(found),
        }
    }
}

/// Which members to read, found once for a listing.
pub(super) struct Plan {
    slots: HashMap<&'static str, usize>,
    names: Vec<&'static str>,
    nested: Vec<bool>,
    searches: Vec<bool>,
    ids: &'static [&'static str],
}

impl Plan {
    pub(super) fn new(catalog: &'static Catalog, positions: &[usize]) -> Self {
        let mut plan = Self {
            slots: HashMap::new(),
            names: Vec::new(),
            nested: Vec::new(),
            searches: Vec::new(),
            ids: catalog.id_members,
        };
        for name in catalog.id_members {
            plan.add(name, &Source::Member(name));
        }
        for position in positions {
            let Some(source) = catalog.at(*position).map(|field| &field.source) else {
                continue;
            };
            for name in members(source) {
                plan.add(name, source);
            }
        }
        plan
    }

    fn add(&mut self, name: &'static str, source: &Source) {
        let nested = matches!(source, Source::Nested(..));
        let search = matches!(source, Source::Search(..));
        if let Some(slot) = self.slots.get(name) {
            self.nested[*slot] |= nested;
            self.searches[*slot] |= search;
            return;
        }
        self.slots.insert(name, self.names.len());
        self.names.push(name);
        self.nested.push(nested);
        self.searches.push(search);
    }

    pub(super) fn read<'p, 'a>(&'p self, json: &'a str) -> Result<Record<'p, 'a>, &'static str> {
        if !json.trim_start().starts_with('{') {
            return Err("not an object");
        }
        let mut deserializer = serde_json::Deserializer::from_str(json);
        deserializer
            .deserialize_map(RecordVisitor { plan: self })
            .or_else(|_| self.repaired(json))
            // serde's message quotes the value, which may be a secret.
            .map_err(|_| "invalid JSON")
    }

    /// A second attempt for services that write NaN and Infinity: those become null.
    fn repaired<'p>(&'p self, json: &str) -> Result<Record<'p, 'static>, serde_json::Error> {
        let repaired = without_non_numbers(json);
        let mut deserializer = serde_json::Deserializer::from_str(&repaired);
        deserializer
            .deserialize_map(RecordVisitor { plan: self })
            .map(Record::into_owned)
    }
}

/// The text with NaN and infinities outside strings replaced by null.
fn without_non_numbers(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut in_string = false;
    while let Some(character) = rest.chars().next() {
        if !in_string
            && let Some(word) = ["NaN", "-Infinity", "Infinity"]
                .into_iter()
                .find(|word| rest.starts_with(word))
        {
            out.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        let mut taken = character.len_utf8();
        if character == '"' {
            in_string = !in_string;
        } else if in_string && character == '\\' {
            taken += rest[1..].chars().next().map_or(0, char::len_utf8);
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

/// The requested members of one record.
pub(super) struct Record<'p, 'a> {
    plan: &'p Plan,
    values: Vec<RawCell<'a>>,
    inner: Vec<(usize, Cow<'a, str>, RawCell<'a>)>,
}

impl<'p, 'a> Record<'p, 'a> {
    fn into_owned(self) -> Record<'p, 'static> {
        Record {
            plan: self.plan,
            values: self.values.into_iter().map(RawCell::into_owned).collect(),
            inner: self
                .inner
                .into_iter()
                .map(|(slot, name, value)| {
                    (slot, Cow::Owned(name.into_owned()), value.into_owned())
                })
                .collect(),
        }
    }

    /// The record's id: the first id member that is a whole number.
    pub(super) fn id(&self) -> Option<RowId> {
        self.plan.ids.iter().find_map(|name| match self.get(name) {
            RawCell::Number(number) => whole(*number).map(RowId),
            RawCell::Text(text) => text.trim().parse().ok().map(RowId),
            _ => None,
        })
    }

    fn get(&self, name: &str) -> &RawCell<'a> {
        self.plan
            .slots
            .get(name)
            .and_then(|slot| self.values.get(*slot))
            .unwrap_or(&RawCell::Missing)
    }

    /// The value of a field in the record.
    pub(super) fn cell(&self, field: &Field, now: f64) -> RawCell<'a> {
        match field.source {
            Source::Member(name) | Source::Search(name) => fit(field.kind, self.get(name)),
            Source::Known(name) => match fit(field.kind, self.get(name)) {
                RawCell::Number(0.0) => RawCell::Null,
                other => other,
            },
            Source::Either(names) => names
                .iter()
                .map(|name| fit(field.kind, self.get(name)))
                .find(|value| !matches!(value, RawCell::Missing | RawCell::Null))
                .unwrap_or(RawCell::Missing),
            Source::Nested(outer, inner) => self
                .plan
                .slots
                .get(outer)
                .and_then(|slot| {
                    self.inner
                        .iter()
                        .find(|(owner, name, _)| owner == slot && name == inner)
                })
                .map_or(RawCell::Missing, |(_, _, value)| fit(field.kind, value)),
            Source::TextIs(name, wanted) => match self.get(name) {
                RawCell::Text(text) => RawCell::Flag(text == wanted),
                RawCell::Missing => RawCell::Missing,
                RawCell::Null => RawCell::Null,
                other => misfit(other),
            },
            Source::NumberIs(name, wanted) => match self.get(name) {
                RawCell::Number(number) => RawCell::Flag(whole(*number) == Some(wanted)),
                RawCell::Missing => RawCell::Missing,
                RawCell::Null => RawCell::Null,
                other => misfit(other),
            },
            Source::TimeLeft(name, end) => match fit(field.kind, self.get(name)) {
                RawCell::Number(seconds) => RawCell::Number(seconds),
                other => match fit(Kind::Number, self.get(end)) {
                    RawCell::Number(end) => RawCell::Number(end - now),
                    _ => other,
                },
            },
            Source::Since(name) => match fit(Kind::Timestamp, self.get(name)) {
                RawCell::Number(moment) => RawCell::Number(now - moment),
                RawCell::Text(_) => RawCell::Null, // no moment that can be read
                other => other,
            },
            Source::Nowhere | Source::Computed => RawCell::Missing,
        }
    }
}

fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation)] // checked to be whole and exact
    (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64)
}

/// A whole number as a double, or as its digits if a double cannot hold it.
#[expect(clippy::cast_precision_loss)] // what would be lost is kept as digits
fn integer(number: i128) -> RawCell<'static> {
    let double = number as f64;
    if double.abs() < EXACT {
        RawCell::Number(double)
    } else {
        RawCell::Text(Cow::Owned(number.to_string()))
    }
}

/// Whether a text is the digits of a number that a double cannot hold, as [`integer`] keeps them.
fn is_beyond_doubles(text: &str) -> bool {
    let number = text.parse::<i128>();
    number.is_ok_and(|number| matches!(integer(number), RawCell::Text(_)))
}

fn misfit(value: &RawCell<'_>) -> RawCell<'static> {
    RawCell::Bad(match value {
        RawCell::Flag(_) => Found::Flag,
        RawCell::Number(_) => Found::Number,
        RawCell::Text(_) => Found::Text,
        RawCell::Bad(found) => *found,
        RawCell::Missing | RawCell::Null => return RawCell::Null,
    })
}

/// A value converted to the field's kind: numbers may be sent as text or booleans, ids as text.
fn fit<'a>(kind: Kind, value: &RawCell<'a>) -> RawCell<'a> {
    match (kind, value) {
        (_, RawCell::Missing | RawCell::Null) => value.clone(),
        (Kind::Flag, RawCell::Flag(_)) => value.clone(),
        (Kind::Flag, RawCell::Number(number)) if matches!(whole(*number), Some(0 | 1)) => {
            RawCell::Flag(*number != 0.0)
        }
        (Kind::Flag, RawCell::Text(text)) => match text.as_ref() {
            "true" | "True" => RawCell::Flag(true),
            "false" | "False" => RawCell::Flag(false),
            _ => misfit(value),
        },
        (Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch, RawCell::Number(_)) => {
            value.clone()
        }
        (Kind::Id, RawCell::Text(text)) if text.trim().parse::<i128>().is_ok() => {
            text.trim().parse().map_or_else(|_| misfit(value), integer)
        }
        (Kind::Integer, RawCell::Flag(flag)) => RawCell::Number(f64::from(u8::from(*flag))),
        (Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch, RawCell::Text(text)) => text
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map_or_else(|| misfit(value), RawCell::Number),
        (Kind::Text | Kind::Country | Kind::Secret, RawCell::Text(_)) => value.clone(),
        (Kind::Text, RawCell::Number(number)) => RawCell::Text(Cow::Owned(number.to_string())),
        (Kind::Text, RawCell::Bad(Found::Object | Found::List)) => value.clone(),
        (Kind::Version, RawCell::Text(_)) => value.clone(),
        (Kind::Version, RawCell::Number(number)) => RawCell::Text(Cow::Owned(number.to_string())),
        (Kind::Timestamp, RawCell::Text(text)) => moment(text),
        (Kind::Timestamp, RawCell::Number(_)) => value.clone(),
        (Kind::List, RawCell::Text(_)) => value.clone(),
        _ => misfit(value),
    }
}

/// A workergroup's search as text in the query language, whether sent as text, object or list.
fn search(raw: &RawValue) -> RawCell<'static> {
    let json = raw.get().trim();
    if json == "null" {
        return RawCell::Null;
    }
    let search = search_query_text(json);
    if search.text.compared().is_empty() && !search.left_out.is_empty() {
        return RawCell::Bad(match json.as_bytes().first() {
            Some(b'{') => Found::Object,
            Some(b'[') => Found::List,
            Some(b't' | b'f') => Found::Flag,
            _ => Found::Number,
        });
    }
    RawCell::Text(Cow::Owned(search.text.compared().to_owned()))
}

/// A moment as seconds since 1970: ISO 8601, in UTC without an offset. Anything else is kept as
/// text.
fn moment<'a>(text: &Cow<'a, str>) -> RawCell<'a> {
    let text_of = text.trim();
    let civil = || {
        let civil: jiff::civil::DateTime = text_of.parse().ok()?;
        Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let found: Option<jiff::Timestamp> = text_of.parse().ok().or_else(civil);
    found.map_or_else(
        || RawCell::Text(text.clone()),
        |moment| RawCell::Number(moment.as_duration().as_secs_f64()),
    )
}

/// The JSON of a member of a record; the last one of a repeated name.
pub(super) fn member<'j>(json: &'j str, name: &str) -> Option<&'j str> {
    struct Wanted<'n>(&'n str);
    impl<'de> Visitor<'de> for Wanted<'_> {
        type Value = Option<&'de str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a record")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut found = None;
            while let Some(Name(name)) = map.next_key()? {
                if name == self.0 {
                    found = Some(map.next_value::<&RawValue>()?.get());
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_map(Wanted(name)).ok().flatten()
}

/// The first `most` members of a record that are not among `known`, and how many more there are;
/// none of a record that cannot be read.
pub(super) fn other_members<'j>(
    json: &'j str,
    known: &HashSet<&str>,
    most: usize,
) -> (Vec<(String, &'j str)>, usize) {
    let visitor = Others { known, most };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_map(visitor).unwrap_or_default()
}

struct Others<'k> {
    known: &'k HashSet<&'k str>,
    most: usize,
}

impl<'de> Visitor<'de> for Others<'_> {
    type Value = (Vec<(String, &'de str)>, usize);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut others, mut more) = (Vec::new(), 0);
        while let Some(Name(name)) = map.next_key()? {
            if self.known.contains(name.as_ref()) {
                map.next_value::<IgnoredAny>()?;
            } else if others.len() < self.most {
                let value: &RawValue = map.next_value()?;
                others.push((name.into_owned(), value.get()));
            } else {
                map.next_value::<IgnoredAny>()?;
                more += 1;
            }
        }
        Ok((others, more))
    }
}

struct RecordVisitor<'p> {
    plan: &'p Plan,
}

impl<'p, 'de> Visitor<'de> for RecordVisitor<'p> {
    type Value = Record<'p, 'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut record = Record {
            plan: self.plan,
            values: vec![RawCell::Missing; self.plan.names.len()],
            inner: Vec::new(),
        };
        while let Some(Name(name)) = map.next_key()? {
            match self.plan.slots.get(name.as_ref()) {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(slot) if self.plan.nested[*slot] => {
                    let Inner(values) = map.next_value()?;
                    record
                        .inner
                        .extend(values.into_iter().map(|(name, value)| (*slot, name, value)));
                }
                Some(slot) if self.plan.searches[*slot] => {
                    record.values[*slot] = search(map.next_value()?);
                }
                Some(slot) => record.values[*slot] = map.next_value()?,
            }
        }
        Ok(record)
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The scalar members of a nested object; anything else counts as no members.
struct Inner<'a>(Vec<(Cow<'a, str>, RawCell<'a>)>);

impl<'de> Deserialize<'de> for Inner<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InnerVisitor;
        impl<'de> Visitor<'de> for InnerVisitor {
            type Value = Inner<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    values.push((name, map.next_value()?));
                }
                Ok(Inner(values))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Inner(Vec::new()))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Inner(Vec::new()))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Inner(Vec::new()))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Inner(Vec::new()))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Inner(Vec::new()))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Inner(Vec::new()))
            }

            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(Inner(Vec::new()))
            }
        }
        deserializer.deserialize_any(InnerVisitor)
    }
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
            RawCell::Bad(Found::Number)
        })
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(RawCell::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(RawCell::Text(Cow::Owned(text.to_owned())))
    }

    /// A short list of numbers is kept as text (`[0,1]`): it is only ever shown.
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
            RawCell::Bad(Found::List)
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(RawCell::Bad(Found::Object))
    }
}

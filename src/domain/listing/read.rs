//! Parses one record: only the members that are needed, each on its own, tolerantly.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::RowId;
use super::raw_cell::{Inner, Name, RawCell, found, integer};
use crate::domain::catalog::Catalog;
use crate::domain::field::{Field, Filter, Kind, Source};
use crate::domain::json_split;
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
            .or_else(|_| self.read_members(json).ok_or("invalid JSON"))
    }

    /// Reads each member on its own: valid JSON may hold what no reader takes (1e400, half a
    /// surrogate pair, 200 levels), and some services write NaN. Nothing if it is no JSON besides.
    fn read_members<'p>(&'p self, json: &str) -> Option<Record<'p, 'static>> {
        let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
        let json = if is_json(json) {
            Cow::Borrowed(json)
        } else {
            Cow::Owned(without_non_numbers(json))
        };
        if !is_json(&json) {
            return None;
        }
        let mut record = Record::blank(self);
        for (name, value) in json_split::members(&json).ok()? {
            let Some(slot) = self.slots.get(name.as_str()) else {
                continue;
            };
            let value = &json[value];
            if self.nested[*slot] {
                let Inner(values) = Inner::of(value);
                record.nest(*slot, values);
            } else if self.searches[*slot] {
                record.values[*slot] = search(value);
            } else {
                record.values[*slot] = RawCell::of(value).into_owned();
            }
        }
        Some(record)
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
    fn blank(plan: &'p Plan) -> Self {
        Self {
            plan,
            values: vec![RawCell::Missing; plan.names.len()],
            inner: Vec::new(),
        }
    }

    fn nest(&mut self, slot: usize, values: Vec<(Cow<'a, str>, RawCell<'a>)>) {
        let values = values.into_iter().map(|(name, value)| (slot, name, value));
        self.inner.extend(values);
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
fn search(json: &str) -> RawCell<'static> {
    let json = json.trim();
    if json == "null" {
        return RawCell::Null;
    }
    let search = search_query_text(json);
    if search.text.compared().is_empty() && !search.left_out.is_empty() {
        return RawCell::Bad(found(json));
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

struct RecordVisitor<'p> {
    plan: &'p Plan,
}

impl<'p, 'de> Visitor<'de> for RecordVisitor<'p> {
    type Value = Record<'p, 'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut record = Record::blank(self.plan);
        while let Some(Name(name)) = map.next_key()? {
            match self.plan.slots.get(name.as_ref()) {
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
                Some(slot) if self.plan.nested[*slot] => {
                    let Inner(values) = map.next_value()?;
                    record.nest(*slot, values);
                }
                Some(slot) if self.plan.searches[*slot] => {
                    record.values[*slot] = search(map.next_value::<&RawValue>()?.get());
                }
                Some(slot) => record.values[*slot] = map.next_value()?,
            }
        }
        Ok(record)
    }
}

//! Parses one record: only the required members, each on its own, tolerantly.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::de::IgnoredAny;

use super::raw_cell::{RawCell, integer, kind_of};
use super::{Builder, RowId};
use crate::catalog::Catalog;
use crate::field::{Field, Filter, Kind, Source};
use crate::json_split;
use crate::time::UnixTime;
use crate::value::{EXACT, JsonKind};
use crate::workergroup::search_query_text;

/// Members that prices are computed from or checked by, or that identify the slices of a machine.
const PRICED_BY: [&str; 9] = [
    "is_bid",
    "dph_base",
    "min_bid",
    "discounted_dph_total",
    "storage_total_cost",
    "inet_up_cost",
    "inet_down_cost",
    "machine_id",
    "score",
];

/// Whether a field's column is read together with the response: default columns, documented filters and
/// members that prices need, but no secrets.
pub(super) fn is_hot(field: &Field) -> bool {
    field.kind != Kind::Secret
        && (field.column.rank.is_some() || field.filter == Filter::Documented || PRICED_BY.contains(&field.key))
}

/// The members of the record itself that a source reads; for a nested one the outer member, which holds it.
pub(super) fn members(source: &Source) -> impl Iterator<Item = &'static str> {
    let (first, second, many): (_, _, &'static [&'static str]) = match *source {
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
    first.into_iter().chain(second).chain(many.iter().copied())
}

/// The use of a member of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Skipped,
    /// Its value is read into that slot.
    Slot(usize),
    /// The nested object with that index, whose members are read.
    Object(usize),
    /// It is read as a search for machines into that slot.
    Search(usize),
}

/// The members to read, determined once for a listing.
#[derive(Debug)]
pub(super) struct Plan {
    /// The members of the record, then those of each nested object.
    objects: Vec<HashMap<&'static str, Role>>,
    slots: usize,
    ids: Vec<usize>,
    cells: Vec<(Kind, SlotSource)>,
}

/// A [`Source`] with slots instead of names.
#[derive(Debug)]
enum SlotSource {
    Member(usize),
    Known(usize),
    Either(Vec<usize>),
    TextIs(usize, &'static str),
    NumberIs(usize, i64),
    TimeLeft(usize, usize),
    Since(usize),
    Nowhere,
}

impl Plan {
    /// A plan to read the fields at these positions of a catalog.
    pub(super) fn new(catalog: &'static Catalog, positions: &[usize]) -> Self {
        let mut plan = Self {
            objects: vec![HashMap::new()],
            slots: 0,
            ids: Vec::new(),
            cells: Vec::new(),
        };
        let fields = || positions.iter().map(|position| catalog.at(*position));
        // A member that is read as an object has no value of its own.
        for field in fields().flatten() {
            if let Source::Nested(outer, _) = field.source {
                plan.object(outer);
            }
        }
        plan.ids = catalog.id_members.iter().map(|name| plan.member(name)).collect();
        for field in fields() {
            let cell = field.map_or((Kind::Text, SlotSource::Nowhere), |field| {
                (field.kind, plan.slots_of(&field.source))
            });
            plan.cells.push(cell);
        }
        plan
    }

    /// The source with slots for the members that it reads: a member's earlier slot if it has one, else a new
    /// one. A computed or absent source has none.
    fn slots_of(&mut self, source: &Source) -> SlotSource {
        match *source {
            Source::Member(name) => SlotSource::Member(self.member(name)),
            Source::Known(name) => SlotSource::Known(self.member(name)),
            Source::Either(names) => SlotSource::Either(names.iter().map(|name| self.member(name)).collect()),
            Source::Search(name) => SlotSource::Member(self.slot(0, name, Role::Search)),
            Source::Nested(outer, inner) => {
                let object = self.object(outer);
                SlotSource::Member(self.slot(object, inner, Role::Slot))
            }
            Source::TextIs(name, wanted) => SlotSource::TextIs(self.member(name), wanted),
            Source::NumberIs(name, wanted) => SlotSource::NumberIs(self.member(name), wanted),
            Source::TimeLeft(name, end) => SlotSource::TimeLeft(self.member(name), self.member(end)),
            Source::Since(name) => SlotSource::Since(self.member(name)),
            Source::Nowhere | Source::Computed => SlotSource::Nowhere,
        }
    }

    /// The slot of a member of the record itself, allocated if it is new.
    fn member(&mut self, name: &'static str) -> usize {
        self.slot(0, name, Role::Slot)
    }

    /// The slot of the member `name` of an object (0 is the record), allocated if it is new, with the use
    /// that `role` makes of it; a search stays one. A member that is read as a nested object gets a slot that
    /// stays empty.
    fn slot(&mut self, object: usize, name: &'static str, role: fn(usize) -> Role) -> usize {
        let new = role(self.slots);
        let known = self.objects[object].entry(name).or_insert(new);
        // A member needed as a search is read as a search for all fields.
        if let (Role::Slot(slot), Role::Search(_)) = (*known, new) {
            *known = Role::Search(slot);
        }
        match *known {
            Role::Slot(slot) | Role::Search(slot) if slot < self.slots => slot,
            // A nested object has no value: its slot stays empty.
            Role::Slot(_) | Role::Search(_) | Role::Object(_) | Role::Skipped => {
                self.slots += 1;
                self.slots - 1
            }
        }
    }

    /// The index of the nested object with that name, allocated if it is new.
    fn object(&mut self, name: &'static str) -> usize {
        let new = self.objects.len();
        let role = self.objects[0].entry(name).or_insert(Role::Object(new));
        if let Role::Object(known) = *role
            && known < new
        {
            return known;
        }
        self.objects.push(HashMap::new());
        new
    }

    /// The number of objects with members to read: the record and those nested in it.
    pub(super) const fn object_count(&self) -> usize {
        self.objects.len()
    }

    /// The use of a member of an object (0 is the record); `Role::Skipped` if the plan does not read it.
    pub(super) fn role(&self, object: usize, name: &str) -> Role {
        let role = self.objects.get(object).and_then(|members_of| members_of.get(name));
        role.copied().unwrap_or(Role::Skipped)
    }

    /// The number of values to read of each record.
    pub(super) const fn slots(&self) -> usize {
        self.slots
    }

    /// Empty values, one for each slot.
    pub(super) fn blank<'a>(&self) -> Vec<RawCell<'a>> {
        vec![RawCell::Missing; self.slots]
    }

    /// Reads each member on its own; of repeated ones the last.
    ///
    /// Valid JSON may hold values that no parser accepts (1e400, half a surrogate pair, 200 levels), and some
    /// services write NaN.
    ///
    /// # Errors
    /// If the text is not an object, or is invalid JSON even with NaN and infinities replaced by null.
    pub(super) fn read(&self, json: &str) -> Result<Vec<RawCell<'static>>, &'static str> {
        if !json.trim_start().starts_with('{') {
            return Err("not an object");
        }
        let is_json = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
        let json = if is_json(json) {
            Cow::Borrowed(json)
        } else {
            Cow::Owned(without_non_numbers(json))
        };
        let members = json_split::members(&json).ok().filter(|_| is_json(&json));
        let mut values = self.blank();
        for (name, value) in members.ok_or("invalid JSON")? {
            let value = &json[value];
            match self.role(0, &name) {
                Role::Skipped => {}
                Role::Slot(slot) => values[slot] = RawCell::parse(value).into_owned(),
                Role::Object(object) => self.nest(object, value, &mut values),
                Role::Search(slot) => values[slot] = search(value),
            }
        }
        Ok(values)
    }

    /// Reads the members of a nested object; of repeated ones the first. Any other value has no members.
    fn nest(&self, object: usize, json: &str, values: &mut [RawCell<'static>]) {
        for (name, value) in json_split::members(json).unwrap_or_default() {
            if let Role::Slot(slot) = self.role(object, &name)
                && matches!(values[slot], RawCell::Missing)
            {
                values[slot] = RawCell::parse(&json[value]).into_owned();
            }
        }
    }

    /// The record's id: the first id member that is a whole number, as a number or as text; `None` if there
    /// is none.
    pub(super) fn id(&self, values: &[RawCell<'_>]) -> Option<RowId> {
        self.ids.iter().find_map(|slot| match &values[*slot] {
            RawCell::Number(number) => whole(*number).map(RowId),
            RawCell::Text(text) => text.trim().parse().ok().map(RowId),
            _ => None,
        })
    }

    /// Appends the values of the fields to their columns.
    ///
    /// Most are taken as they are.
    pub(super) fn fill(&self, values: &[RawCell<'_>], now: UnixTime, builders: &mut [Builder]) {
        for ((kind, slots), builder) in self.cells.iter().zip(builders) {
            let sent = match slots {
                SlotSource::Member(slot) => Some(&values[*slot]),
                _ => None,
            };
            match sent {
                Some(cell) if is_taken(*kind, cell) => builder.push(cell),
                _ => builder.push_other(&slots.cell(*kind, values, now)),
            }
        }
    }

    /// The values of the fields of a record, in the order of the positions.
    pub(super) fn cells<'v, 'a>(
        &'v self,
        values: &'v [RawCell<'a>],
        now: UnixTime,
    ) -> impl Iterator<Item = Cow<'v, RawCell<'a>>> {
        self.cells
            .iter()
            .map(move |(kind, slots)| slots.cell(*kind, values, now))
    }
}

impl SlotSource {
    /// The value of a field, computed from a record's values and converted to `kind`; `now` is the time of
    /// receipt.
    fn cell<'v, 'a>(&self, kind: Kind, values: &'v [RawCell<'a>], now: UnixTime) -> Cow<'v, RawCell<'a>> {
        let cell = match self {
            Self::Member(slot) => return fit(kind, &values[*slot]),
            Self::Known(slot) => match fit(kind, &values[*slot]) {
                number if matches!(*number, RawCell::Number(0.0)) => RawCell::Null,
                cell => return cell,
            },
            Self::Either(slots) => {
                let mut fits = slots.iter().map(|slot| fit(kind, &values[*slot]));
                let known = fits.find(|cell| !matches!(**cell, RawCell::Missing | RawCell::Null));
                return known.unwrap_or(Cow::Owned(RawCell::Missing));
            }
            Self::TextIs(slot, wanted) => match &values[*slot] {
                RawCell::Text(text) => RawCell::Flag(text == wanted),
                RawCell::Missing => RawCell::Missing,
                RawCell::Null => RawCell::Null,
                cell => misfit(cell),
            },
            Self::NumberIs(slot, wanted) => match &values[*slot] {
                RawCell::Number(number) => RawCell::Flag(whole(*number) == Some(*wanted)),
                RawCell::Missing => RawCell::Missing,
                RawCell::Null => RawCell::Null,
                cell => misfit(cell),
            },
            Self::TimeLeft(slot, end) => match fit(kind, &values[*slot]) {
                seconds if matches!(*seconds, RawCell::Number(_)) => return seconds,
                cell => match *fit(Kind::Number, &values[*end]) {
                    RawCell::Number(end) => RawCell::Number(UnixTime::new(end) - now),
                    _ => return cell,
                },
            },
            Self::Since(slot) => match fit(Kind::Timestamp, &values[*slot]) {
                moment if matches!(*moment, RawCell::Text(_)) => RawCell::Null, // cannot be read
                cell => match *cell {
                    RawCell::Number(moment) => RawCell::Number(now - UnixTime::new(moment)),
                    _ => return cell,
                },
            },
            Self::Nowhere => RawCell::Missing,
        };
        Cow::Owned(cell)
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

/// The number as an integer; `None` if it has a fraction or a double may not hold it exactly.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation)] // checked to be whole and exact
    (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64)
}

/// Replaces a value of a wrong kind by its kind; missing and null become null.
fn misfit(value: &RawCell<'_>) -> RawCell<'static> {
    RawCell::Bad(match value {
        RawCell::Flag(_) => JsonKind::Flag,
        RawCell::Number(_) => JsonKind::Number,
        RawCell::Text(_) => JsonKind::Text,
        RawCell::Bad(kind) => *kind,
        RawCell::Missing | RawCell::Null => return RawCell::Null,
    })
}

/// Whether a value needs no conversion to a field's kind.
const fn is_taken(kind: Kind, value: &RawCell<'_>) -> bool {
    match value {
        RawCell::Missing | RawCell::Null => true,
        RawCell::Number(_) => {
            matches!(kind, Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch)
        }
        RawCell::Flag(_) => matches!(kind, Kind::Flag),
        RawCell::Text(_) => matches!(kind, Kind::Text | Kind::Country | Kind::Version | Kind::List),
        RawCell::Bad(_) => false,
    }
}

/// Converts a value to the field's kind: numbers and ids may be sent as text, whole numbers as booleans,
/// booleans as 0, 1 or text, texts as numbers, times as ISO 8601. A value that cannot be converted becomes
/// `RawCell::Bad`, but a time in another form stays a text; missing and null stay.
fn fit<'v, 'a>(kind: Kind, value: &'v RawCell<'a>) -> Cow<'v, RawCell<'a>> {
    let cell = match (kind, value) {
        (_, RawCell::Missing | RawCell::Null) => return Cow::Borrowed(value),
        (Kind::Flag, RawCell::Flag(_)) => return Cow::Borrowed(value),
        (Kind::Flag, RawCell::Number(number)) if matches!(whole(*number), Some(0 | 1)) => RawCell::Flag(*number != 0.0),
        (Kind::Flag, RawCell::Text(text)) => match text.as_ref() {
            "true" | "True" => RawCell::Flag(true),
            "false" | "False" => RawCell::Flag(false),
            _ => misfit(value),
        },
        (Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch, RawCell::Number(_)) => {
            return Cow::Borrowed(value);
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
        (Kind::Text | Kind::Country | Kind::Secret, RawCell::Text(_)) => {
            return Cow::Borrowed(value);
        }
        (Kind::Text, RawCell::Number(number)) => RawCell::Text(Cow::Owned(number.to_string())),
        (Kind::Text, RawCell::Bad(JsonKind::Object | JsonKind::List)) => return Cow::Borrowed(value),
        (Kind::Version, RawCell::Text(_)) => return Cow::Borrowed(value),
        (Kind::Version, RawCell::Number(number)) => RawCell::Text(Cow::Owned(number.to_string())),
        (Kind::Timestamp, RawCell::Text(text)) => moment(text),
        (Kind::Timestamp, RawCell::Number(_)) => return Cow::Borrowed(value),
        (Kind::List, RawCell::Text(_)) => return Cow::Borrowed(value),
        _ => misfit(value),
    };
    Cow::Owned(cell)
}

/// A workergroup's search as text in the query language; it may be sent as text, object or list. Null stays
/// null; `RawCell::Bad` if it has conditions of which none can be expressed.
fn search(json: &str) -> RawCell<'static> {
    let json = json.trim();
    if json == "null" {
        return RawCell::Null;
    }
    let search = search_query_text(json);
    if search.text.unescaped().is_empty() && !search.left_out.is_empty() {
        return RawCell::Bad(kind_of(json));
    }
    RawCell::Text(Cow::Owned(search.text.unescaped().to_owned()))
}

/// Parses a moment as seconds since 1970: ISO 8601, in UTC without an offset. Any other text is unchanged.
fn moment<'a>(text: &Cow<'a, str>) -> RawCell<'a> {
    let text_of = text.trim();
    let civil = || {
        let civil: jiff::civil::DateTime = text_of.parse().ok()?;
        Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let moment: Option<jiff::Timestamp> = text_of.parse().ok().or_else(civil);
    moment.map_or_else(
        || RawCell::Text(text.clone()),
        |moment| RawCell::Number(moment.as_duration().as_secs_f64()),
    )
}

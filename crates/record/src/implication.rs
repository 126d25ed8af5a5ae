//! Whether one set of conditions implies another, so that a scope covers a query.
//!
//! A doubtful case counts as not covered: a covered query counts as completely known.

use std::collections::BTreeMap;

use bourse_domain::field::Source;
use bourse_domain::language::{Witness, named, witnesses};
use bourse_domain::value::CellRef;
use bourse_domain::{Condition, Field, Kind, Operand, Operator, Value};

/// Fields whose values include the storage of a search.
const WITH_STORAGE: [&str; 12] = [
    "dph_total",
    "dph_total_adj",
    "discounted_dph_total",
    "discounted_hourly",
    "vram_costperhour",
    "dlperf_per_dphtotal",
    "flops_per_dphtotal",
    "storage_total_cost",
    "score",
    "dph_per_gpu",
    "dph_per_vram_gb",
    "job_cost",
];

/// Whether the values of a field depend on the storage of a search.
pub fn includes_storage(field: &Field) -> bool {
    WITH_STORAGE.contains(&field.key) || matches!(field.source, Source::Nested(..))
}

/// The member that a condition reads: some fields read another member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum View {
    Itself,
    TextIs(&'static str),
    NumberIs(i64),
}

fn member(field: &Field) -> (&'static str, Kind, View) {
    match field.source {
        Source::TextIs(name, text) => (name, Kind::Text, View::TextIs(text)),
        Source::NumberIs(name, number) => (name, Kind::Integer, View::NumberIs(number)),
        Source::Member(name) => (name, field.kind, View::Itself),
        Source::Known(_)
        | Source::Either(_)
        | Source::Search(_)
        | Source::Nested(..)
        | Source::TimeLeft(..)
        | Source::Since(_)
        | Source::Nowhere
        | Source::Computed => (field.key, field.kind, View::Itself),
    }
}

impl View {
    /// The value of the member for which the field is true; `None` if the field reads its own member.
    fn value(self) -> Option<Value> {
        match self {
            Self::Itself => None,
            Self::TextIs(text) => Some(Value::Text(text.to_owned())),
            #[expect(clippy::cast_precision_loss)] // small codes
            Self::NumberIs(number) => Some(Value::Number(number as f64)),
        }
    }

    fn is_accepted(self, condition: &Condition, cell: CellRef<'_>) -> bool {
        let seen = match (self, cell) {
            (Self::TextIs(wanted), CellRef::Text(text)) => CellRef::Flag(text == wanted),
            #[expect(clippy::cast_precision_loss)] // small codes
            (Self::NumberIs(wanted), CellRef::Number(number)) => {
                CellRef::Flag(number.total_cmp(&(wanted as f64)).is_eq())
            }
            (Self::Itself | Self::TextIs(_) | Self::NumberIs(_), other) => other,
        };
        condition.accepts(seen)
    }
}

/// The conditions of scope and query on one member.
#[derive(Default)]
struct Both<'a> {
    scope: Vec<&'a Condition>,
    query: Vec<&'a Condition>,
}

/// Whether the conditions of `query` imply those of `scope`.
pub fn contains<'a>(
    scope: impl IntoIterator<Item = &'a Condition>,
    query: impl IntoIterator<Item = &'a Condition>,
) -> bool {
    let mut members: BTreeMap<(&'static str, bool), Both<'_>> = BTreeMap::new();
    let is_text = |kind: Kind| matches!(kind, Kind::Text | Kind::Country);
    for condition in scope {
        let (name, kind, _) = member(condition.field);
        members.entry((name, is_text(kind))).or_default().scope.push(condition);
    }
    for condition in query {
        let (name, kind, _) = member(condition.field);
        if let Some(both) = members.get_mut(&(name, is_text(kind))) {
            both.query.push(condition);
        }
    }
    members.iter().all(|((name, _), both)| both.is_contained(name))
}

impl Both<'_> {
    fn is_contained(&self, name: &str) -> bool {
        let Some(first) = self.scope.first() else {
            return true;
        };
        let (_, kind, _) = member(first.field);
        // Their text differs from the value by which they are compared.
        if matches!(kind, Kind::Timestamp | Kind::List | Kind::Secret) {
            return self.scope.iter().all(|condition| self.query.contains(condition));
        }
        let conditions = || self.scope.iter().chain(&self.query).copied();
        let views: Vec<Value> = conditions()
            .filter_map(|condition| member(condition.field).2.value())
            .collect();
        let cells = witnesses(kind, named(conditions()).chain(&views));
        let accepts = |condition: &Condition, cell: &Witness| {
            let (.., view) = member(condition.field);
            view.is_accepted(condition, cell.cell())
        };
        let is_real = |cell: &&Witness| match cell {
            Witness::Number(number) => name != "num_gpus" || number.fract() == 0.0,
            Witness::Null | Witness::Flag(_) | Witness::Text(_) => true,
        };
        cells.iter().filter(is_real).all(|cell| {
            let is_asked = self.query.iter().all(|condition| accepts(condition, cell));
            !is_asked || self.scope.iter().all(|condition| accepts(condition, cell))
        })
    }
}

/// One part of a query: its conditions, with a list reduced to one value.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    pub conditions: Vec<Condition>,
    /// The condition that selects its offers; `None` for the whole query.
    pub own: Option<Condition>,
}

/// The ways to divide a query into parts: whole, and by each of its lists.
pub fn divisions(conditions: &[Condition]) -> Vec<Vec<Part>> {
    let whole = vec![Part {
        conditions: conditions.to_vec(),
        own: None,
    }];
    let lists = conditions.iter().enumerate().filter_map(|(index, condition)| {
        let values = match (&condition.operand, condition.operator) {
            (Operand::Many(values), Operator::In) if values.len() > 1 => values,
            (Operand::Many(_) | Operand::One(_), _) => return None,
        };
        let part = |value: &Value| {
            let own = Condition::new(condition.field, Operator::In, Operand::Many(vec![value.clone()]));
            let mut conditions = conditions.to_vec();
            if let Some(place) = conditions.get_mut(index) {
                *place = own.clone();
            }
            Part {
                conditions,
                own: Some(own),
            }
        };
        Some(values.iter().map(part).collect())
    });
    std::iter::once(whole).chain(lists).collect()
}

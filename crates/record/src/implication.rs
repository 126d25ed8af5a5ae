//! Whether one set of conditions implies another, so that a scope covers a query.
//!
//! A doubtful case counts as not covered: a covered query counts as completely known.

use std::collections::BTreeMap;

use bourse_domain::field::Source;
use bourse_domain::language::{Witness, operand_values, witnesses};
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

/// Whether the values of a field depend on the storage of a search: its total price and what follows from it,
/// and every field nested in the price details.
pub fn includes_storage(field: &Field) -> bool {
    WITH_STORAGE.contains(&field.key) || matches!(field.source, Source::Nested(..))
}

/// The name of the record's member that a field reads, or the field's key if it does not read one directly;
/// and whether its values are texts or countries.
fn member(field: &Field) -> (&'static str, bool) {
    let name = match field.source {
        Source::Member(name) => name,
        Source::TextIs(..)
        | Source::NumberIs(..)
        | Source::Known(_)
        | Source::Either(_)
        | Source::Search(_)
        | Source::Nested(..)
        | Source::TimeLeft(..)
        | Source::Since(_)
        | Source::Nowhere
        | Source::Computed => field.key,
    };
    (name, matches!(field.kind, Kind::Text | Kind::Country))
}

/// The conditions of scope and query on one member.
#[derive(Default)]
struct Both<'a> {
    scope: Vec<&'a Condition>,
    query: Vec<&'a Condition>,
}

/// Whether the conditions of `query` imply those of `scope`, both [`normalised`](crate::normalised).
pub fn contains<'a>(
    scope: impl IntoIterator<Item = &'a Condition>,
    query: impl IntoIterator<Item = &'a Condition>,
) -> bool {
    let mut members: BTreeMap<(&'static str, bool), Both<'_>> = BTreeMap::new();
    for condition in scope {
        members
            .entry(member(condition.field))
            .or_default()
            .scope
            .push(condition);
    }
    for condition in query {
        if let Some(both) = members.get_mut(&member(condition.field)) {
            both.query.push(condition);
        }
    }
    members.iter().all(|((name, _), both)| both.is_contained(name))
}

impl Both<'_> {
    /// Whether every value of the member `name` that meets the query's conditions also meets the scope's,
    /// tested with values at and between their bounds. Without conditions of the scope it is true; for times,
    /// lists and secrets the query must repeat each of them.
    fn is_contained(&self, name: &str) -> bool {
        let Some(first) = self.scope.first() else {
            return true;
        };
        let kind = first.field.kind;
        // Their text differs from the value by which they are compared.
        if matches!(kind, Kind::Timestamp | Kind::List | Kind::Secret) {
            return self.scope.iter().all(|condition| self.query.contains(condition));
        }
        let conditions = || self.scope.iter().chain(&self.query).copied();
        let cells = witnesses(kind, operand_values(conditions()));
        let is_real = |cell: &&Witness| match cell {
            Witness::Number(number) => name != "num_gpus" || number.fract() == 0.0,
            Witness::Null | Witness::Flag(_) | Witness::Text(_) => true,
        };
        cells.iter().filter(is_real).all(|cell| {
            let accepts = |condition: &&Condition| condition.accepts(cell.cell());
            !self.query.iter().all(accepts) || self.scope.iter().all(accepts)
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

/// The possible divisions of a query into parts that together cover it: first the whole query as its only
/// part, then for each `in` condition with several values a division with one part per value, in which that
/// condition lists only the value.
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

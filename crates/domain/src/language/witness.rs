//! Whether conditions can hold together at all.

use std::collections::BTreeMap;

use super::print_condition;
use crate::value::CellRef;
use crate::{Condition, Kind, Operand, Value};

/// The conditions on one field that no value meets, as text; `None` if all of them can be met.
///
/// Conditions change their answer only at the values that they name: if one of those, or one beside it,
/// meets all conditions on a field, they can be met, else nothing does. Amounts and prices are not below
/// zero.
pub fn never_met<'a>(conditions: impl Iterator<Item = &'a Condition>) -> Option<String> {
    let mut of_fields: BTreeMap<&str, Vec<&Condition>> = BTreeMap::new();
    for condition in conditions {
        of_fields.entry(condition.field.key).or_default().push(condition);
    }
    let mut never = of_fields
        .into_values()
        .filter(|conditions_of| !is_possible(conditions_of));
    let never = never.next()?;
    let texts: Vec<String> = never.into_iter().map(print_condition).collect();
    Some(texts.join(" "))
}

fn is_possible(conditions: &[&Condition]) -> bool {
    let kind = conditions.first().map(|condition| condition.field.kind);
    let is_met = |cell: CellRef<'_>| conditions.iter().all(|condition| condition.accepts(cell));
    let named = conditions.iter().flat_map(|condition| match &condition.operand {
        Operand::One(value) => std::slice::from_ref(value),
        Operand::Many(values) => values.as_slice(),
    });
    if is_met(CellRef::Null) {
        return true;
    }
    match kind {
        Some(Kind::Flag) => [true, false].into_iter().any(|flag| is_met(CellRef::Flag(flag))),
        Some(Kind::Integer | Kind::Number) => {
            let beside = |number: f64| match kind {
                Some(Kind::Integer) => [number.ceil() - 1.0, number, number.floor() + 1.0],
                _ => [number.next_down(), number, number.next_up()],
            };
            let numbers = named.filter_map(|value| match value {
                Value::Number(number) => Some(*number),
                Value::Null | Value::Flag(_) | Value::Text(_) | Value::Version(_) => None,
            });
            let candidates = numbers.chain([0.0]).flat_map(beside);
            let mut candidates =
                candidates.filter(|number| *number >= 0.0 && (kind != Some(Kind::Integer) || number.fract() == 0.0));
            candidates.any(|number| is_met(CellRef::Number(number)))
        }
        Some(Kind::Text | Kind::Country) => {
            let texts = named.filter_map(|value| match value {
                Value::Text(text) => Some(text.as_str()),
                Value::Null | Value::Flag(_) | Value::Number(_) | Value::Version(_) => None,
            });
            // Some other text.
            let mut candidates = texts.chain(["\u{10ffff}"]);
            candidates.any(|text| is_met(CellRef::Text(text)))
        }
        // Their cells are written in other ways than their values.
        Some(Kind::Id | Kind::Version | Kind::Epoch | Kind::Timestamp | Kind::List | Kind::Secret) | None => true,
    }
}

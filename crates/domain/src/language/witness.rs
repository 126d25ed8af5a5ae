//! Decides whether conditions contradict each other, and whether some follow from others, by testing the cells at which
//! their results change.

use std::collections::BTreeMap;

use super::print_condition;
use crate::value::CellRef;
use crate::{Condition, Kind, Value};

/// A cell for testing conditions.
#[derive(Debug, Clone, PartialEq)]
pub enum Witness {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
}

impl Witness {
    /// The cell to test conditions with.
    pub const fn cell(&self) -> CellRef<'_> {
        match self {
            Self::Null => CellRef::Null,
            Self::Flag(flag) => CellRef::Flag(*flag),
            Self::Number(number) => CellRef::Number(*number),
            Self::Text(text) => CellRef::Text(text.as_str()),
        }
    }
}

/// Iterates over the values in the operands of conditions, those of lists one by one.
pub fn operand_values<'a>(conditions: impl IntoIterator<Item = &'a Condition>) -> impl Iterator<Item = &'a Value> {
    conditions.into_iter().flat_map(|condition| condition.operand.values())
}

/// The cells at which conditions with the operands `values` on a field of this kind can change their result: the
/// values, their neighbours, one other value, and null. A property that holds for all of them holds for every cell.
pub fn witnesses<'a>(kind: Kind, values: impl Iterator<Item = &'a Value>) -> Vec<Witness> {
    let mut cells = vec![Witness::Null];
    match kind {
        Kind::Flag => cells.extend([true, false].map(Witness::Flag)),
        Kind::Integer | Kind::Number | Kind::Epoch => {
            cells.extend(values.filter_map(number).chain([0.0]).flat_map(beside));
        }
        Kind::Id => {
            for value in values {
                let id = value.whole();
                let ids = id
                    .into_iter()
                    .flat_map(|id| [id.saturating_sub(1), id, id.saturating_add(1)]);
                cells.extend(ids.map(|id| match Value::id(id) {
                    Value::Number(number) => Witness::Number(number),
                    _ => Witness::Text(id.to_string()),
                }));
            }
            cells.extend(beside(0.0));
        }
        Kind::Version => {
            for value in values {
                if let Value::Version(version) = value {
                    let codes = [
                        version.code.saturating_sub(1),
                        version.code,
                        version.code.saturating_add(1),
                    ];
                    cells.extend(codes.map(|code| Witness::Number(code as f64)));
                }
            }
            // A text that is not a version, and the lowest version.
            cells.extend([Witness::Text(OTHER.to_owned()), Witness::Number(0.0)]);
        }
        Kind::Text | Kind::Country | Kind::Timestamp | Kind::List | Kind::Secret => {
            for value in values {
                match value {
                    Value::Text(text) => cells.push(Witness::Text(text.clone())),
                    Value::Number(number) => cells.extend(beside(*number)),
                    Value::Null | Value::Flag(_) | Value::Version(_) => {}
                }
            }
            cells.push(Witness::Text(OTHER.to_owned()));
        }
    }
    cells
}

/// A text that no condition names.
const OTHER: &str = "\u{10ffff}";

/// The number that a value is compared as: 1 or 0 for flags, that in a text if it holds one; `None` for other
/// texts, null and versions.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Flag(flag) => Some(f64::from(u8::from(*flag))),
        Value::Text(text) => text.trim().parse().ok(),
        Value::Null | Value::Version(_) => None,
    }
}

/// A number and its neighbours, among doubles and among whole numbers.
fn beside(number: f64) -> impl Iterator<Item = Witness> {
    let near = [number.next_down(), number, number.next_up()];
    let whole = [number.ceil() - 1.0, number.floor() + 1.0];
    near.into_iter().chain(whole).map(Witness::Number)
}

/// The conditions on one field that contradict each other, as text; `None` if no conditions do. Only the
/// first such field, by its name.
pub fn find_contradiction<'a>(conditions: impl Iterator<Item = &'a Condition>) -> Option<String> {
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

/// Whether some cell satisfies all of these conditions on one field; negative numbers do not count, nor do
/// fractions for a field of whole numbers.
///
/// Always true for times, lists and secrets, whose cells differ from their values.
fn is_possible(conditions: &[&Condition]) -> bool {
    let Some(kind) = conditions.first().map(|condition| condition.field.kind) else {
        return true;
    };
    // Amounts and prices are not below zero; a whole number has no fraction.
    let is_real = |cell: &Witness| match cell {
        Witness::Number(number) => *number >= 0.0 && (kind != Kind::Integer || number.fract() == 0.0),
        Witness::Null | Witness::Flag(_) | Witness::Text(_) => true,
    };
    let cells = witnesses(kind, operand_values(conditions.iter().copied()));
    let mut cells = cells.iter().filter(|cell| is_real(cell));
    cells.any(|cell| conditions.iter().all(|condition| condition.accepts(cell.cell())))
        // Their cells are written differently from their values.
        || matches!(kind, Kind::Timestamp | Kind::List | Kind::Secret)
}

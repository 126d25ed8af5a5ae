//! Writes a condition as plain text: `Europe`, `≥ 200 GB disk`, `< $0.5/h`, `not rented`.

use super::print::{group, print_value};
use crate::country;
use crate::dialect::Dialect;
use crate::field::{Field, Format, Kind, Operator, Unit};
use crate::format::trimmed;
use crate::query::{Condition, Operand};
use crate::text::visible;
use crate::value::Value;

/// The maximum length of a text in a condition, in cells.
const LONGEST: usize = 40;

/// The maximum number of values of a list that are written; others are counted.
const NAMED: usize = 3;

/// Describes a condition, active or not, as plain text that cannot be parsed back: `≥ 200 GB disk`, `not
/// rented`, `score not reported`, `Germany, France, Spain or 2 more`.
pub fn describe_condition(condition: &Condition, dialect: &Dialect) -> String {
    let (field, operator) = (condition.field, condition.operator);
    match &condition.operand {
        Operand::One(Value::Null) => {
            let not = if operator == Operator::Eq { "not " } else { "" };
            format!("{} {not}reported", noun(field))
        }
        Operand::One(value) => match (switched(field, value), operator) {
            (Some(on), Operator::Eq | Operator::Neq) => {
                let not = if on == (operator == Operator::Eq) { "" } else { "not " };
                format!("{not}{}", noun(field))
            }
            _ => compared(field, operator, value, dialect),
        },
        Operand::Many(values) => {
            let not = if operator == Operator::Nin { "not " } else { "" };
            format!("{not}{}", any_of(condition, values))
        }
    }
}

/// The boolean that a value stands for: a flag, or a number of a field shown as yes or no, where zero is
/// false. `None` for any other value.
fn switched(field: &Field, value: &Value) -> Option<bool> {
    match value {
        Value::Flag(on) => Some(*on),
        Value::Number(number) if matches!(field.format, Format::YesNo) => Some(*number != 0.0),
        _ => None,
    }
}

/// The values of a list as plain text: the name of a group of countries, or `A, B or C`; above three values,
/// the rest is counted. The noun of the field is before them, except for GPU models and countries.
fn any_of(condition: &Condition, values: &[Value]) -> String {
    if let Some(group) = group(condition) {
        let words = group.split('_').map(|word| match word.len() {
            // EU, DACH and APAC are abbreviations.
            ..=4 if word != "ASIA" && word != "EAST" => word.to_owned(),
            _ => capitalized(&word.to_lowercase()),
        });
        return words.collect::<Vec<_>>().join(" ");
    }
    let named: Vec<_> = values.iter().take(NAMED).map(|it| text(condition.field, it)).collect();
    let mut list = named.join(", ");
    if values.len() > NAMED {
        list = format!("{list} or {} more", values.len() - NAMED);
    } else if let Some((first, last)) = list.rsplit_once(", ") {
        list = format!("{first} or {last}");
    }
    with_noun(condition.field, list)
}

/// One value as plain text: the name of a country for its code, a text cut to 40 cells, others as in a query.
fn text(field: &Field, value: &Value) -> String {
    match value {
        Value::Text(code) if field.kind == Kind::Country => {
            country::name(code).map_or_else(|| visible(code, LONGEST), capitalized)
        }
        Value::Text(text) => visible(text, LONGEST),
        other => print_value(field, other),
    }
}

/// Puts the noun of the field before a text, except for a GPU model or a country.
fn with_noun(field: &Field, text: String) -> String {
    if field.key == "gpu_name" || field.kind == Kind::Country {
        text
    } else {
        format!("{} {text}", noun(field))
    }
}

/// A comparison as plain text, with the unit: `< $0.5/h`, `≥ 2 GPUs`, `≥ 200 GB disk`, `reliability ≥ 98%`.
fn compared(field: &Field, operator: Operator, value: &Value, dialect: &Dialect) -> String {
    let sign = match operator {
        Operator::Eq | Operator::In => "",
        Operator::Neq | Operator::Nin => "not ",
        Operator::Gt => "> ",
        Operator::Lt => "< ",
        Operator::Gte => "≥ ",
        Operator::Lte => "≤ ",
    };
    if let Value::Text(_) = value {
        return format!("{sign}{}", with_noun(field, text(field, value)));
    }
    let number = match (field.unit, value) {
        (Unit::Ratio, Value::Number(share)) => format!("{}%", trimmed(share * 100.0, 4)),
        _ => print_value(field, value),
    };
    if field.key == "num_gpus" {
        let noun = if number == "1" { "GPU" } else { "GPUs" };
        return format!("{sign}{number} {noun}");
    }
    if let Some((before, after)) = field.label.split_once('$').filter(|_| field.unit.is_money()) {
        return format!("{before}{sign}${number}{after}");
    }
    let unit = match field.unit {
        Unit::Ratio | Unit::Capability | Unit::DlperfPerDollar | Unit::TeraflopsPerDollar => "",
        unit => unit.query_symbol(dialect),
    };
    // A label such as `Disk MB/s` ends with its unit already.
    let noun = noun(field);
    let noun = noun.strip_suffix(unit).unwrap_or(&noun).trim();
    let number = format!("{sign}{number}");
    // `≥ 200 GB disk`, but `reliability ≥ 98%`.
    let words = match field.unit {
        Unit::Megabytes | Unit::Gigabytes => [&number, unit, noun],
        _ => [noun, &number, unit],
    };
    let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The label of a field for use in a sentence, with a small first letter unless the second is no small letter
/// (`GPU RAM`); in place of a label that ends with `.` the wire name with blanks.
fn noun(field: &Field) -> String {
    if field.label.ends_with('.') {
        return field.key.replace('_', " ");
    }
    let mut letters = field.label.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().collect::<String>() + &field.label[first.len_utf8()..]
        }
        _ => field.label.to_owned(),
    }
}

/// The text with a capital first letter of each word.
fn capitalized(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>());
        first.unwrap_or_default() + letters.as_str()
    });
    words.collect::<Vec<_>>().join(" ")
}

//! Prints a query: in the market's own language, so that other clients can read it, or briefly, as people type it.

use super::number;
use super::operand::canonical;
use crate::country;
use crate::field::{Field, Kind, Operator};
use crate::query::{Condition, Operand};
use crate::text::with_escapes;
use crate::value::Value;

/// Prints the active conditions as a query. [`super::parse()`] parses it back to the same conditions.
pub fn print(conditions: &[Condition]) -> String {
    joined(conditions, print_condition)
}

/// Prints a condition, active or not: `gpu_ram>=24`, `geolocation in [SE,NO]`.
pub fn print_condition(condition: &Condition) -> String {
    let (key, operator) = (condition.field.key, condition.operator);
    let value = print_operand(condition.field, &condition.operand);
    if matches!(operator, Operator::In | Operator::Nin) {
        format!("{key} {} {value}", operator.symbol())
    } else {
        format!("{key}{}{value}", operator.symbol())
    }
}

/// Prints the active conditions as people type them: like [`print()`], but with the names of country groups, which the
/// market's own client cannot parse.
pub fn print_briefly(conditions: &[Condition]) -> String {
    joined(conditions, print_condition_briefly)
}

/// Prints a condition, active or not, like `print_condition`, but a list of countries that is a group by its
/// name: `geolocation in EU`. It parses back to the same condition.
pub fn print_condition_briefly(condition: &Condition) -> String {
    group(condition).map_or_else(
        || print_condition(condition),
        |group| {
            let (key, operator) = (condition.field.key, condition.operator.symbol());
            format!("{key} {operator} {group}")
        },
    )
}

/// Prints the active conditions with `print`, separated by blanks.
fn joined(conditions: &[Condition], print: impl Fn(&Condition) -> String) -> String {
    let in_force = conditions.iter().filter(|condition| condition.enabled);
    in_force.map(print).collect::<Vec<_>>().join(" ")
}

/// The name of the group of countries that a condition lists exactly and in its order; `None` if there is
/// none.
pub(super) fn group(condition: &Condition) -> Option<&'static str> {
    let Operand::Many(values) = &condition.operand else {
        return None;
    };
    if condition.field.kind != Kind::Country {
        return None;
    }
    let is_same = |codes: &[&str]| {
        codes.len() == values.len()
            && codes
                .iter()
                .zip(values)
                .all(|(code, value)| matches!(value, Value::Text(text) if text == code))
    };
    let matched = country::GROUPS.iter().find(|(_, codes)| is_same(codes));
    matched.map(|(name, _)| *name)
}

/// Prints an operand as after an operator, a list in brackets: `24`, `[SE,NO]`.
fn print_operand(field: &Field, operand: &Operand) -> String {
    match operand {
        Operand::One(value) => print_value(field, value),
        Operand::Many(values) => {
            let values: Vec<_> = values.iter().map(|value| print_value(field, value)).collect();
            format!("[{}]", values.join(","))
        }
    }
}

/// Prints a value as after an operator or in a list: numbers bare and in query units (GB, days) where that is
/// exact, timestamps as dates or moments in UTC, texts quoted where necessary.
pub fn print_value(field: &Field, value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Flag(flag) => flag.to_string(),
        Value::Number(number) if field.kind == Kind::Timestamp => {
            written_moment(*number).unwrap_or_else(|| number::write(*number, field))
        }
        Value::Number(number) => number::write(*number, field),
        Value::Version(version) => version.text.clone(),
        Value::Text(text) => print_text(field, text),
    }
}

/// Prints a moment as a date, or to the second if it is not midnight in UTC; `None` for fractions of a second
/// and for times before 1970 or after 9999.
fn written_moment(epoch: f64) -> Option<String> {
    const YEAR_10000: f64 = 253_402_300_800.0;
    if epoch.fract() != 0.0 || !(0.0..YEAR_10000).contains(&epoch) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation)] // the range was checked
    let moment = jiff::Timestamp::from_second(epoch as i64).ok()?;
    let pattern = if epoch.rem_euclid(86_400.0) == 0.0 {
        "%Y-%m-%d"
    } else {
        "%Y-%m-%dT%H:%M:%SZ"
    };
    Some(moment.strftime(pattern).to_string())
}

/// Prints a text: with `_` for blanks in GPU names, as the market does, else quoted if it would not parse back
/// unchanged.
///
/// Hostile characters are escaped: a query is shown, copied and saved.
fn print_text(field: &Field, text: &str) -> String {
    let escaped = with_escapes(text);
    let plain = if field.kind == Kind::Country {
        // Unquoted, the name of a group of countries would expand to its members.
        text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase()) && country::group(text).is_none()
    } else {
        let blanks = field.key == "gpu_name";
        text.chars().all(|character| {
            character.is_alphanumeric()
                || matches!(character, '-' | '.' | '/' | '+' | ':' | '@' | '%' | '#')
                || (blanks && character == ' ')
        }) && !["", "any", "null", "none"].contains(&&*text.to_ascii_lowercase())
            && !text.starts_with(' ')
            && !text.ends_with(' ')
            && canonical(field, text) == text
            && escaped == text
    };
    if plain {
        text.replace(' ', "_")
    } else {
        quoted(&escaped)
    }
}

/// Puts a text between double quotes, with double quotes inside it doubled.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

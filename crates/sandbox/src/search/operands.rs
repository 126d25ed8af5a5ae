//! Parses operands as clients send them: numbers as text, booleans as words, versions as numbers.

use serde_json::Value as Json;

use bourse_domain::{Field, Kind, Operand, Operator, Value, Version};

/// Parses an operand for `field` into the field's unit: a list for operators that take one, else a single
/// value; numbers are multiplied by `factor`. The error names the kind of value wanted.
pub fn read(field: &Field, operator: Operator, sent: &Json, factor: f64) -> Result<Operand, &'static str> {
    match (operator.takes_list(), sent) {
        (true, Json::Array(items)) => {
            let values: Result<_, _> = items.iter().map(|item| value(field, item, factor)).collect();
            values.map(Operand::Many)
        }
        (true, _) => Err("a list is wanted"),
        (false, single) => value(field, single, factor).map(Operand::One),
    }
}

/// A finite number, also from a text or, as 0 or 1, a flag; `None` for other values.
pub fn number(sent: &Json) -> Option<f64> {
    let number = match sent {
        Json::Number(number) => number.as_f64()?,
        Json::String(text) => text.trim().parse().ok()?,
        Json::Bool(flag) => f64::from(u8::from(*flag)),
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// Parses one value by the kind of its field; null for all kinds. Numbers are multiplied by `factor`.
fn value(field: &Field, sent: &Json, factor: f64) -> Result<Value, &'static str> {
    if sent.is_null() {
        return Ok(Value::Null);
    }
    match field.kind {
        Kind::Flag => flag(sent).map(Value::Flag).ok_or("true or false is wanted"),
        Kind::Version => version(sent)
            .map(Value::Version)
            .ok_or("a version such as 535.86.05 is wanted"),
        Kind::Text | Kind::Country => text(field, sent).map(Value::Text).ok_or("a text is wanted"),
        _ => Ok(Value::Number(number(sent).ok_or("a number is wanted")? * factor)),
    }
}

/// A flag, also from `true` or `false` as text, or 0 or 1; `None` for other values.
fn flag(sent: &Json) -> Option<bool> {
    match sent {
        Json::Bool(flag) => Some(*flag),
        Json::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Json::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        Json::Number(number) => match number.as_f64() {
            Some(1.0) => Some(true),
            Some(0.0) => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A version, from a text or its nine-digit code; `None` for other values.
fn version(sent: &Json) -> Option<Version> {
    match sent {
        Json::String(text) => Version::parse(text.trim()),
        Json::Number(number) => {
            let code = number.as_f64().filter(|code| *code >= 0.0 && code.fract() == 0.0)?;
            Some(Version::from_code(super::super::numbers::unsigned(code)))
        }
        _ => None,
    }
}

/// A text, also from a number by its digits (`os_version` 22.04) or a flag; `None` for other values.
///
/// An underscore in a GPU name becomes a blank, as in documents and the service's own client.
fn text(field: &Field, sent: &Json) -> Option<String> {
    let text = match sent {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        Json::Bool(flag) => flag.to_string(),
        _ => return None,
    };
    Some(if field.key == "gpu_name" {
        text.replace('_', " ")
    } else {
        text
    })
}

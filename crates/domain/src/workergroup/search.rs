//! A group's search as text; servers send it in several forms.

use serde_json::Value as Json;

use crate::catalog::OFFERS;
use crate::field::{Field, Kind, Operator};
use crate::format::size;
use crate::language;
use crate::listing::Listing;
use crate::query::{Condition, Operand};
use crate::secrets::REMOVED;
use crate::text::Untrusted;
use crate::value::{Value, Version};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchText {
    /// The text in the query language.
    pub text: Untrusted,
    /// The names of members of the search that the text omits: order, limit, unknown ones.
    pub left_out: Vec<Untrusted>,
}

/// The search of the workergroup in a row of a listing; `None` if the record has none, or null.
pub fn group_search(listing: &Listing, row: usize) -> Option<SearchText> {
    let json = listing.member(row, "search_query")?;
    (json != "null").then(|| search_query_text(json))
}

/// The maximum length of a search, in bytes.
///
/// A person's has some hundred, and JSON parsers need many times its size.
const LONGEST: usize = 64 * 1024;

/// The search in a JSON value as text in the query language.
///
/// A JSON text is used as it is, unless it holds the JSON of an object; filter objects are printed in the
/// query language (`{"gpu_ram":{"gte":24000}}` becomes `gpu_ram>=24`), a list is joined. The specification
/// has a text, the public service sends an object. JSON that is malformed or longer than 64 KB has no text
/// and counts as left out.
pub fn search_query_text(json: &str) -> SearchText {
    if json.len() > LONGEST {
        return SearchText {
            text: Untrusted::default(),
            left_out: vec![Untrusted::from(format!("a search of {}", size(json.len())))],
        };
    }
    serde_json::from_str(json).map_or_else(
        |_| SearchText {
            text: Untrusted::default(),
            left_out: vec![Untrusted::from(json)],
        },
        |json| search_text_of(&json),
    )
}

/// The search in a JSON value: an object of conditions, which may be in its only member `q`, its JSON in a
/// text, a text, or a list of these; null is empty. In a text `<removed>` after `=` is put in quotes, so that
/// it is a value. Conditions that the query language cannot express, and any other value, are left out and
/// named.
fn search_text_of(json: &Json) -> SearchText {
    match json {
        Json::String(text) => match serde_json::from_str(text) {
            // Some servers put the object's JSON into the text.
            Ok(Json::Object(members)) => search_text_of(&Json::Object(members)),
            _ => SearchText {
                // In quotes it is a value like any other.
                text: Untrusted::from(text.replace(&format!("={REMOVED}"), &format!("=\"{REMOVED}\""))),
                left_out: Vec::new(),
            },
        },
        Json::Object(members) => {
            if let (Some(Json::Object(_)), 1) = (members.get("q"), members.len()) {
                return search_text_of(&members["q"]);
            }
            let mut conditions = Vec::new();
            let mut left_out = Vec::new();
            for (name, filter) in members {
                if !read_filter(name, filter, &mut conditions) {
                    left_out.push(Untrusted::from(name.as_str()));
                }
            }
            SearchText {
                text: Untrusted::from(language::print(&conditions)),
                left_out,
            }
        }
        Json::Array(items) => {
            let parts: Vec<SearchText> = items.iter().map(search_text_of).collect();
            let texts: Vec<&str> = parts
                .iter()
                .map(|part| part.text.unescaped())
                .filter(|text| !text.is_empty())
                .collect();
            SearchText {
                text: Untrusted::from(texts.join(" ")),
                left_out: parts.iter().flat_map(|part| part.left_out.clone()).collect(),
            }
        }
        Json::Null => SearchText::default(),
        value => SearchText {
            text: Untrusted::default(),
            left_out: vec![Untrusted::from(value.to_string())],
        },
    }
}

/// Adds the conditions of one filter object; returns false and adds nothing if it cannot be expressed in full.
fn read_filter(name: &str, filter: &Json, conditions: &mut Vec<Condition>) -> bool {
    let is_asked = |field: &&Field| field.is_filter() && !field.is_computed();
    let Some(field) = OFFERS.named(name).filter(is_asked) else {
        return false;
    };
    let mut read = Vec::new();
    let is_whole = match filter {
        Json::Object(operators) => operators
            .iter()
            .all(|(operator, operand)| read_condition(field, operator, operand, &mut read)),
        // A bare value means equality; the market's own library sends such values.
        value => read_condition(field, "eq", value, &mut read),
    };
    if is_whole {
        conditions.append(&mut read);
    }
    is_whole
}

/// Adds one condition; returns false if it cannot be expressed.
///
/// `{"eq": "any"}` is not a condition and adds nothing.
fn read_condition(field: &'static Field, operator: &str, operand: &Json, conditions: &mut Vec<Condition>) -> bool {
    let known = match operator {
        "notin" | "not in" => Some(Operator::Nin),
        name => Operator::ALL.into_iter().find(|known| known.name() == name),
    };
    let Some(operator) = known.filter(|known| field.operators.allows(*known)) else {
        return false;
    };
    if operator == Operator::Eq && operand.as_str() == Some("any") {
        return true;
    }
    let operand = match operand {
        Json::Array(values) if operator.takes_list() => values
            .iter()
            .map(|value| read_value(field, value))
            .collect::<Option<_>>()
            .map(Operand::Many),
        value if operator.takes_list() => read_value(field, value).map(|value| Operand::Many(vec![value])),
        value => read_value(field, value).map(Operand::One),
    };
    operand
        .map(|operand| conditions.push(Condition::new(field, operator, operand)))
        .is_some()
}

/// Converts a JSON value to the field's kind; the market's client sends most numbers as text. `None` if it
/// does not fit the kind.
fn read_value(field: &Field, json: &Json) -> Option<Value> {
    let number = match json {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => text.trim().parse::<f64>().ok(),
        _ => None,
    }
    .filter(|number| number.is_finite());
    match (field.kind, json) {
        (_, Json::Null) => Some(Value::Null),
        (Kind::Flag, Json::Bool(flag)) => Some(Value::Flag(*flag)),
        (Kind::Flag, Json::String(text)) => text.to_ascii_lowercase().parse().ok().map(Value::Flag),
        (Kind::Flag, Json::Number(_)) => match number {
            Some(0.0) => Some(Value::Flag(false)),
            Some(1.0) => Some(Value::Flag(true)),
            _ => None,
        },
        (Kind::Id, Json::Number(number)) if number.is_u64() => number.as_u64().map(|id| Value::id(id.into())),
        (Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch, Json::Bool(flag)) => {
            Some(Value::Number(f64::from(u8::from(*flag))))
        }
        (Kind::Integer | Kind::Number | Kind::Id | Kind::Epoch, _) => number.map(Value::Number),
        (Kind::Version, Json::String(text)) => Version::parse(text.trim()).map(Value::Version),
        (Kind::Version, Json::Number(number)) => Version::parse(&number.to_string()).map(Value::Version),
        (Kind::Text | Kind::Country, Json::String(text)) => Some(Value::Text(text.clone())),
        (Kind::Text, Json::Number(number)) => Some(Value::Text(number.to_string())),
        _ => None,
    }
}

//! Faults of a body's text: what is no JSON, or JSON of another shape.

use std::sync::LazyLock;

use axum::http::StatusCode;
use serde_json::{Map, Value as Json, json};

use super::case::{Case, PLACE, Sent, json as json_answer, records, replace};

/// How deep a nested value goes.
const DEPTH: usize = 100_000;

pub fn empty(_: &mut Case<'_>) -> Sent {
    Sent::Answer(json_answer(StatusCode::OK, ""))
}

pub fn not_an_object(case: &mut Case<'_>) -> Sent {
    let body = case.pick(&["null", "[]", "\"x\""], "null");
    case.with_body(body)
}

pub fn garbage(_: &mut Case<'_>) -> Sent {
    Sent::Answer(json_answer(
        StatusCode::OK,
        &b"\x00\xff{\"offers\": [\xc3\x28 nonsense"[..],
    ))
}

/// Leaves out the member that the answer is about.
pub fn key_missing(case: &mut Case<'_>) -> Sent {
    case.with_json(|_, members| {
        let lists = ["offers", "results"];
        let is_list = lists.iter().any(|name| members.contains_key(*name));
        let essential: &[&str] = if is_list {
            &lists
        } else {
            &["success", "id", "url"]
        };
        members.retain(|name, _| !essential.contains(&name.as_str()));
    })
}

pub fn byte_order_mark(case: &mut Case<'_>) -> Sent {
    case.with_body([b"\xef\xbb\xbf", &case.reply.body()[..]].concat())
}

pub fn invalid_utf8(case: &mut Case<'_>) -> Sent {
    if case.rng.index(2) == 0 {
        return case.with_raw("note", b"\"\xff\xfe\xc3\x28\"");
    }
    let body = case.reply.body();
    let mut bytes = body.to_vec();
    bytes.insert(body.len().min(1), 0xff);
    case.with_body(bytes)
}

pub fn deep(case: &mut Case<'_>) -> Sent {
    let raw = ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
    case.with_raw("nested", raw.as_bytes())
}

/// Records that are more than any client should take: each is 24 bytes or so.
pub fn million(case: &mut Case<'_>) -> Sent {
    static RECORDS: LazyLock<String> = LazyLock::new(|| {
        let record = |id: u32| format!("{{\"id\":{id},\"note\":\"\"}}");
        (1..=1_000_000).map(record).collect::<Vec<_>>().join(",")
    });
    let sent = case.with_json(|_, members| {
        if let Some(rows) = records(members) {
            *rows = vec![Json::from(PLACE)];
        }
    });
    replace(sent, format!("\"{PLACE}\"").as_bytes(), RECORDS.as_bytes())
}

pub fn megabyte(case: &mut Case<'_>) -> Sent {
    let text = "x".repeat(1 << 20);
    case.with_record(|_, record| {
        record.insert("note".to_owned(), Json::from(text));
    })
}

/// Every member twice: null first, as a parser that keeps the first would lose it.
pub fn duplicate_keys(case: &mut Case<'_>) -> Sent {
    let mut doubled = String::new();
    let sent = case.with_record(|_, record| {
        doubled = record
            .iter()
            .map(|(name, value)| {
                let name = Json::from(name.as_str());
                format!("{name}:null,{name}:{value}")
            })
            .collect::<Vec<_>>()
            .join(",");
        *record = Map::from_iter([(PLACE.to_owned(), Json::Null)]);
    });
    replace(
        sent,
        format!("\"{PLACE}\":null").as_bytes(),
        doubled.as_bytes(),
    )
}

pub fn single_object(case: &mut Case<'_>) -> Sent {
    case.with_json(|_, members| {
        let first = records(members).and_then(|rows| rows.first().cloned());
        members.insert("offers".to_owned(), first.unwrap_or_default());
    })
}

pub fn bad_row(case: &mut Case<'_>) -> Sent {
    case.with_json(|_, members| {
        if let Some(rows) = records(members) {
            rows.insert(rows.len().min(1), json!("this row is no record"));
        }
    })
}

/// A record as the list of its values.
pub fn positional(case: &mut Case<'_>) -> Sent {
    let mut body = String::new();
    let sent = case.with_json(|_, members| {
        let values = |record: &Map<String, Json>| record.values().cloned().collect::<Json>();
        match records(members) {
            Some(rows) => {
                if let Some(Json::Object(record)) = rows.first() {
                    rows[0] = values(record);
                }
            }
            None => body = values(members).to_string(),
        }
    });
    if body.is_empty() {
        sent
    } else {
        case.with_body(body)
    }
}

pub fn all_null(case: &mut Case<'_>) -> Sent {
    case.with_record(|_, record| record.values_mut().for_each(|value| *value = Json::Null))
}

pub fn wrong_types(case: &mut Case<'_>) -> Sent {
    case.with_record(|_, record| record.values_mut().for_each(mistyped))
}

fn mistyped(value: &mut Json) {
    *value = match value {
        Json::Null => json!({ "was": "null" }),
        Json::Bool(_) => json!("maybe"),
        Json::Number(_) => json!(["not a number"]),
        Json::String(_) => json!({ "text": 1 }),
        Json::Array(_) => json!(true),
        Json::Object(_) => json!(4.5),
    };
}

pub fn unknown_fields(case: &mut Case<'_>) -> Sent {
    case.with_record(|_, record| {
        for number in 0..500 {
            record.insert(format!("unknown_{number}"), json!(number));
        }
    })
}

/// A secret member that is no text.
pub fn mistyped_secret(case: &mut Case<'_>) -> Sent {
    case.with_record(|_, record| {
        for name in ["api_key", "signature"] {
            if let Some(value) = record.get_mut(name) {
                *value = json!({ "value": value.take() });
            }
        }
    })
}

/// The id of a new workergroup left out, negative or as text.
pub fn odd_id(case: &mut Case<'_>) -> Sent {
    case.with_json(|rng, members| {
        let id = members.remove("id").unwrap_or_default();
        match rng.index(3) {
            0 => {}
            1 => {
                let id = id.as_i64().map_or(-1, |id| -id);
                members.insert("id".to_owned(), json!(id));
            }
            _ => {
                members.insert("id".to_owned(), json!(id.to_string()));
            }
        }
    })
}

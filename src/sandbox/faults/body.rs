//! Faults of the body: not JSON, or JSON of another shape.

use std::sync::LazyLock;

use axum::http::StatusCode;
use serde_json::{Map, Value as Json, json};

use super::context::{FaultContext, FaultOutput, PLACE, json as json_answer, records, replace};

const DEPTH: usize = 100_000;

pub fn empty(_: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(json_answer(StatusCode::OK, ""))
}

pub fn not_an_object(cx: &mut FaultContext<'_>) -> FaultOutput {
    let body = cx.pick(&["null", "[]", "\"x\""], "null");
    cx.with_body(body)
}

pub fn garbage(_: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(json_answer(
        StatusCode::OK,
        &b"\x00\xff{\"offers\": [\xc3\x28 nonsense"[..],
    ))
}

/// Leaves out the member that the client needs most.
pub fn key_missing(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_json(|_, members| {
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

pub fn byte_order_mark(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_body([b"\xef\xbb\xbf", &cx.reply.body()[..]].concat())
}

pub fn invalid_utf8(cx: &mut FaultContext<'_>) -> FaultOutput {
    if cx.rng.index(2) == 0 {
        return cx.with_raw("note", b"\"\xff\xfe\xc3\x28\"");
    }
    let body = cx.reply.body();
    let mut bytes = body.to_vec();
    bytes.insert(body.len().min(1), 0xff);
    cx.with_body(bytes)
}

pub fn deep(cx: &mut FaultContext<'_>) -> FaultOutput {
    let raw = ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat();
    cx.with_raw("nested", raw.as_bytes())
}

/// 1,000,000 records of about 24 bytes: beyond any reasonable bound of a client.
pub fn million(cx: &mut FaultContext<'_>) -> FaultOutput {
    static RECORDS: LazyLock<String> = LazyLock::new(|| {
        let record = |id: u32| format!("{{\"id\":{id},\"note\":\"\"}}");
        (1..=1_000_000).map(record).collect::<Vec<_>>().join(",")
    });
    let output = cx.with_json(|_, members| {
        if let Some(rows) = records(members) {
            *rows = vec![Json::from(PLACE)];
        }
    });
    replace(
        output,
        format!("\"{PLACE}\"").as_bytes(),
        RECORDS.as_bytes(),
    )
}

pub fn megabyte(cx: &mut FaultContext<'_>) -> FaultOutput {
    let text = "x".repeat(1 << 20);
    cx.with_record(|_, record| {
        record.insert("note".to_owned(), Json::from(text));
    })
}

/// Every member twice, null first: a parser that keeps the first would lose the value.
pub fn duplicate_keys(cx: &mut FaultContext<'_>) -> FaultOutput {
    let mut doubled = String::new();
    let output = cx.with_record(|_, record| {
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
        output,
        format!("\"{PLACE}\":null").as_bytes(),
        doubled.as_bytes(),
    )
}

pub fn single_object(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_json(|_, members| {
        let first = records(members).and_then(|rows| rows.first().cloned());
        members.insert("offers".to_owned(), first.unwrap_or_default());
    })
}

pub fn bad_row(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_json(|_, members| {
        if let Some(rows) = records(members) {
            rows.insert(rows.len().min(1), json!("this row is no record"));
        }
    })
}

/// A record as an array of its values.
pub fn positional(cx: &mut FaultContext<'_>) -> FaultOutput {
    let mut body = String::new();
    let output = cx.with_json(|_, members| {
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
        output
    } else {
        cx.with_body(body)
    }
}

pub fn all_null(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_record(|_, record| record.values_mut().for_each(|value| *value = Json::Null))
}

pub fn wrong_types(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_record(|_, record| record.values_mut().for_each(mistyped))
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

pub fn unknown_fields(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_record(|_, record| {
        for number in 0..500 {
            record.insert(format!("unknown_{number}"), json!(number));
        }
    })
}

/// A secret that is an object instead of a string.
pub fn mistyped_secret(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_record(|_, record| {
        for name in ["api_key", "signature"] {
            if let Some(value) = record.get_mut(name) {
                *value = json!({ "value": value.take() });
            }
        }
    })
}

/// The id of a new workergroup missing, negative or a string.
pub fn odd_id(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_json(|rng, members| {
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

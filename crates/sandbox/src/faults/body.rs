//! Faults of the body: not JSON, or JSON with unexpected content.

use axum::http::StatusCode;
use serde_json::{Value as Json, json};

use super::context::{FaultContext, FaultOutput, json as json_answer, records};

/// Members that are never changed: secrets and addresses.
const SKIPPED: [&str; 3] = ["api_key", "signature", "url"];
/// The number of lists from which a new workergroup is missing.
const LAG: u32 = 3;

/// Simulates a fault of the market: responds with status 200 and bytes that are not JSON.
pub fn garbage(_: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Response(json_answer(
        StatusCode::OK,
        &b"\x00\xff{\"offers\": [\xc3\x28 nonsense"[..],
    ))
}

/// Simulates a fault of the market: inserts a text into the response's list of records, as its second entry,
/// or the only one of an empty list. A response without such a list is unchanged.
pub fn bad_row(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_json(|_, members| {
        if let Some(rows) = records(members) {
            rows.insert(rows.len().min(1), json!("this row is no record"));
        }
    })
}

/// Simulates a fault of the market: replaces every member of one random record of the response, or of the
/// response itself if it has no list of records, by a value of another JSON type.
pub fn wrong_types(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_record(|_, record| record.values_mut().for_each(mistyped))
}

/// Replaces a value by one of another JSON type.
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

/// Simulates a fault of the market: changes the id in the response to the creation of a workergroup, at
/// random: removes it, makes it negative (-1 if it is no number) or turns it into a string.
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

/// Simulates a hostile market: appends one random control sequence of terminals to every string of one random
/// record of the response, or of the response itself if it has no list of records, except an API key,
/// signature or URL. Nested strings are unchanged.
pub fn escapes(cx: &mut FaultContext<'_>) -> FaultOutput {
    let text = cx.pick(
        &[
            "\u{1b}[2J\u{1b}[31m",
            "\u{1b}]0;title\u{7}",
            "\u{1b}]8;;http://elsewhere.invalid/\u{1b}\\link\u{1b}]8;;\u{1b}\\",
            "\u{1b}]52;c;cm0gLXJmIH4K\u{7}",
            "\u{1b}Pq#0;2;0;0;0\u{1b}\\",
            "\u{1b}_command\u{1b}\\",
        ],
        "\u{1b}",
    );
    cx.with_record(|_, record| {
        for (name, value) in record.iter_mut() {
            if let Json::String(string) = value
                && !SKIPPED.contains(&name.as_str())
            {
                string.push_str(text);
            }
        }
    })
}

/// Simulates a fault of the market: removes new workergroups from the first three lists after their creation.
pub fn list_lag(cx: &mut FaultContext<'_>) -> FaultOutput {
    let hidden: Vec<u64> = cx
        .created
        .iter()
        .filter(|made| made.listings <= LAG)
        .map(|made| made.id)
        .collect();
    cx.with_json(|_, members| {
        if let Some(rows) = records(members) {
            rows.retain(|row| {
                let id = row.get("id").and_then(Json::as_u64);
                id.is_none_or(|id| !hidden.contains(&id))
            });
        }
    })
}

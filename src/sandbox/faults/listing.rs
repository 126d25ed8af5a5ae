//! Faults of lists over time: what was made is not listed yet, or not listed always.

use serde_json::Value as Json;

use super::case::{Case, Sent, records};

/// Listings that a workergroup takes to appear.
const LAG: u32 = 3;

fn hide(case: &mut Case<'_>, is_hidden: impl Fn(u32) -> bool) -> Sent {
    let hidden: Vec<u64> = case
        .created
        .iter()
        .filter(|made| is_hidden(made.listings))
        .map(|made| made.id)
        .collect();
    case.with_json(|_, members| {
        if let Some(rows) = records(members) {
            rows.retain(|row| {
                let id = row.get("id").and_then(Json::as_u64);
                id.is_none_or(|id| !hidden.contains(&id))
            });
        }
    })
}

pub fn lag(case: &mut Case<'_>) -> Sent {
    hide(case, |listings| listings <= LAG)
}

pub fn vanish(case: &mut Case<'_>) -> Sent {
    hide(case, |listings| listings > 1)
}

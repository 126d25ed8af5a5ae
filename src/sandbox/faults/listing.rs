//! Lists that show new workergroups late, or not every time.

use serde_json::Value as Json;

use super::context::{FaultContext, FaultOutput, records};

/// Lists in which a new workergroup is missing.
const LAG: u32 = 3;

fn hide(cx: &mut FaultContext<'_>, is_hidden: impl Fn(u32) -> bool) -> FaultOutput {
    let hidden: Vec<u64> = cx
        .created
        .iter()
        .filter(|made| is_hidden(made.listings))
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

pub fn lag(cx: &mut FaultContext<'_>) -> FaultOutput {
    hide(cx, |listings| listings <= LAG)
}

pub fn vanish(cx: &mut FaultContext<'_>) -> FaultOutput {
    hide(cx, |listings| listings > 1)
}

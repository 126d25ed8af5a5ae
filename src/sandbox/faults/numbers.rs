//! Faults of numbers and ids.

use serde_json::Value as Json;

use super::context::{FaultContext, FaultOutput, PLACE, records, replace};

/// Integers replaced by NaN, overflows or floats.
pub fn odd(cx: &mut FaultContext<'_>) -> FaultOutput {
    let raw = cx.pick(&["NaN", "1e999", "18446744073709551616", "1.0"], "NaN");
    let is_fraction = raw == "1.0";
    let mut number = 0_usize;
    let mut fractions = Vec::new();
    let mut output = cx.with_record(|_, record| {
        for value in record.values_mut() {
            let Some(whole) = value.as_i64() else {
                continue;
            };
            number += 1;
            fractions.push(format!("{whole}.0"));
            *value = Json::from(format!("{PLACE}{number}{PLACE}"));
        }
    });
    for (index, fraction) in fractions.iter().enumerate() {
        let place = format!("\"{PLACE}{}{PLACE}\"", index + 1);
        let text = if is_fraction { fraction } else { raw };
        output = replace(output, place.as_bytes(), text.as_bytes());
    }
    output
}

pub fn duplicate_ids(cx: &mut FaultContext<'_>) -> FaultOutput {
    cx.with_json(|_, members| {
        let Some(rows) = records(members) else {
            return;
        };
        let id = rows.first().and_then(|row| row.get("id").cloned());
        if let (Some(id), Some(second)) = (id, rows.get_mut(1)) {
            second["id"] = id;
        }
    })
}

//! Well-formed responses with wrong times or unsafe addresses.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use super::context::{FaultContext, FaultOutput, records};

pub fn clock_skew(cx: &mut FaultContext<'_>) -> FaultOutput {
    let hours = cx.pick(&[24, -24], 24);
    cx.with_json(|_, members| {
        for row in records(members).into_iter().flatten() {
            let created: Option<Timestamp> = row
                .get("created_at")
                .and_then(Json::as_str)
                .and_then(|text| text.parse().ok());
            if let Some(moment) =
                created.and_then(|at| at.checked_add(SignedDuration::from_hours(hours)).ok())
            {
                row["created_at"] = Json::from(moment.to_string());
            }
        }
    })
}

pub fn unsafe_url(cx: &mut FaultContext<'_>) -> FaultOutput {
    let url = cx.pick(
        &[
            "javascript:alert(1)",
            "file:///etc/passwd",
            "http://169.254.169.254/latest/meta-data/",
        ],
        "file:///etc/passwd",
    );
    cx.with_json(|_, members| {
        members.insert("url".to_owned(), Json::from(url));
    })
}

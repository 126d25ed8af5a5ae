//! Answers that are sound and wrong: clocks, addresses.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;

use super::case::{Case, Sent, records};

/// The clock of the market a day ahead, or a day behind.
pub fn clock_skew(case: &mut Case<'_>) -> Sent {
    let hours = case.pick(&[24, -24], 24);
    case.with_json(|_, members| {
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

/// A worker's address that nobody should open.
pub fn evil_url(case: &mut Case<'_>) -> Sent {
    let url = case.pick(
        &[
            "javascript:alert(1)",
            "file:///etc/passwd",
            "http://169.254.169.254/latest/meta-data/",
        ],
        "file:///etc/passwd",
    );
    case.with_json(|_, members| {
        members.insert("url".to_owned(), Json::from(url));
    })
}

//! The parts of a response, and everything that decodes one.

use bourse::domain::json_split::{Envelope, split_records};

use crate::domain::malformed::{judge, requests};

const TOKENS: &[&str] = &[
    "\"offers\":",
    "\"results\":",
    "\"success\":",
    "\"id\":",
    "\"msg\":",
    "\"url\":",
    "NaN",
    "null",
    "false",
    "{\"id\":1}",
    "[[[[",
    "18446744073709551616",
];

/// The parts as JSON again.
fn joined(text: &str, key: &str, parts: &Envelope) -> String {
    let mut members: Vec<String> = parts
        .members
        .iter()
        .map(|(name, value)| format!("{}: {}", serde_json::to_string(name).unwrap(), &text[value.clone()]))
        .collect();
    if parts.has_list {
        let records: Vec<&str> = parts.records.iter().map(|part| &text[part.clone()]).collect();
        members.push(format!(
            "{}: [{}]",
            serde_json::to_string(key).unwrap(),
            records.join(", ")
        ));
    }
    format!("{{{}}}", members.join(", "))
}

fn contents<'t>(text: &'t str, parts: &'t Envelope) -> (Vec<&'t str>, Vec<(&'t str, &'t str)>) {
    (
        parts.records.iter().map(|part| &text[part.clone()]).collect(),
        parts
            .members
            .iter()
            .map(|(name, part)| (name.as_str(), &text[part.clone()]))
            .collect(),
    )
}

pub const TARGET: super::Target = super::Target {
    name: "envelope",
    tokens: TOKENS,
    judge: target,
};

fn target(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let text = text.trim_start_matches('\u{feff}');
    for key in ["offers", "results", ""] {
        let Ok(parts) = split_records(text, key) else {
            continue;
        };
        assert!(parts.records.is_sorted_by(|one, next| one.end <= next.start));
        let again = joined(text, key, &parts);
        let read = split_records(&again, key).unwrap();
        assert_eq!(contents(text, &parts), contents(&again, &read));
    }
    for request in requests() {
        judge(&request, 200, input);
    }
}

#[test]
fn responses_split_and_decode_whatever_they_hold() {
    super::run(&TARGET);
}

//! The members of a record that are not in the catalog, among its fields.

use std::sync::Arc;

use super::{AS_NULL, FieldEntry, Reader, Tone, note_on_truncated};
use crate::api::redact;
use crate::domain::format;
use crate::domain::secrets::is_secret_name;
use crate::domain::text::{DETAIL, beginning, detail, json_for_terminal, visible};

/// Maximum length of an unknown member's name, in characters.
const LONGEST_NAME: usize = 200;

/// Maximum number of unknown members listed.
const MOST_UNKNOWN: usize = 1000;

/// Maximum length, in bytes, of an unknown member's JSON that is parsed to write it without
/// needless escapes.
///
/// JSON readers take many times its size in memory.
const LONGEST_READ: usize = 64 * 1024;

impl Reader<'_> {
    /// The members that are not in the catalog, as entries, at most 1,000, those that are `null` as blank
    /// ones and those named like a secret with a hidden value; a last entry has the number of the others.
    pub(super) fn unknown(&self) -> Vec<Arc<FieldEntry>> {
        let Some(listing) = self.browser.listing() else {
            return Vec::new();
        };
        let (members, more) = listing.unknown_members(self.row, MOST_UNKNOWN);
        let entry = |label: String, value: String, note: String| FieldEntry {
            section: "Other fields",
            key: "",
            label,
            value,
            tone: Tone::Normal,
            note,
        };
        let known = members.into_iter().map(|(name, json)| {
            let note = "The market sends it without documenting it.".to_owned();
            if json.trim() == "null" {
                let blank = entry(
                    visible(&name, LONGEST_NAME),
                    json.to_owned(),
                    format!("{AS_NULL}. {note}"),
                );
                return FieldEntry {
                    tone: Tone::Blank,
                    ..blank
                };
            }
            let (value, note) = if is_secret_name(&name) {
                ("(hidden)".to_owned(), note)
            } else {
                (Self::unknown_value(json), note_on_truncated(json, note))
            };
            entry(visible(&name, LONGEST_NAME), value, note)
        });
        let rest = (more > 0).then(|| {
            let text = format!("{} more fields", format::grouped(more));
            let note = "The JSON tab has all of them.".to_owned();
            entry("…".to_owned(), text, note)
        });
        known.chain(rest).map(Arc::new).collect()
    }

    /// The beginning of an unknown member's JSON, without secrets, and the size of the rest.
    fn unknown_value(json: &str) -> String {
        let short = Some(json).filter(|json| json.len() <= LONGEST_READ);
        let read = short.and_then(|json| serde_json::from_str::<serde_json::Value>(json).ok());
        let plain = read.map_or_else(|| json.to_owned(), |json| json.to_string());
        // A key may stand anywhere in it, and be repeated in front of that: all of it is searched.
        let safe = redact::without_possible_secrets(&plain);
        let (head, more) = beginning(&safe, DETAIL);
        detail(&json_for_terminal(head), more)
    }
}

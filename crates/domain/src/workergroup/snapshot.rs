//! A listing of groups without its secrets, and the changes between two of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::copies::Copies;
use crate::format::NONE;
use crate::json_split;
use crate::listing::{Listing, RowId};
use crate::secrets::{REMOVED, is_secret_name, remove_secrets};
use crate::text::Untrusted;
use crate::time::UnixTime;

/// The replacement of a value that may be a secret.
const HIDDEN: &str = "<hidden>";

/// The maximum size of a stored record, in bytes; changes of a larger one are not detected.
const LONGEST_RECORD: usize = 256 * 1024;

/// A listing of groups that is safe to store.
///
/// Members with secret names are removed, the group's key is removed from every other text, and values of variables and
/// of secret options in `launch_args` are hidden (changes to them go unnoticed).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GroupSnapshot {
    /// The time the listing was received.
    pub at: UnixTime,
    /// The groups' members by id; empty for a record that could not be parsed.
    groups: BTreeMap<i64, Map<String, Json>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// The group is new since the older listing.
    New,
    Gone,
    /// The value of a member changed.
    Changed {
        parameter: Untrusted,
        /// The old value; `None` if it had none.
        from: Option<Untrusted>,
        to: Option<Untrusted>,
    },
}

impl ChangeKind {
    /// Describes the change of a workergroup: `new`, `gone`, `max_workers: 20 → 5`.
    pub fn words(&self) -> String {
        let value = |value: &Option<Untrusted>| {
            let shown = value.as_ref().map(|value| value.screen(120));
            shown.unwrap_or_else(|| NONE.to_owned())
        };
        match self {
            Self::New => "new".to_owned(),
            Self::Gone => "gone".to_owned(),
            Self::Changed { parameter, from, to } => {
                format!("{}: {} → {}", parameter.screen(32), value(from), value(to))
            }
        }
    }
}

/// A change between two listings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub group: RowId,
    /// The name of its endpoint; `None` if the record has none.
    pub endpoint: Option<Untrusted>,
    pub kind: ChangeKind,
}

impl GroupSnapshot {
    /// The groups of a listing without secrets, by id. A record over 256 KB, or one that cannot be parsed, is
    /// empty.
    pub fn new(listing: &Listing) -> Self {
        let groups = (0..listing.len())
            .filter_map(|row| {
                let record = listing
                    .json(row)
                    .filter(|json| json.len() <= LONGEST_RECORD)
                    .and_then(json_split::object);
                Some((listing.id(row)?.0, record.map_or_else(Map::new, without_secrets)))
            })
            .collect();
        Self {
            at: listing.read_at(),
            groups,
        }
    }
}

/// A workergroup's record without the members whose names may be those of secrets; their values are hidden in
/// all other texts, and so are values in its launch arguments.
fn without_secrets(record: Map<String, Json>) -> Map<String, Json> {
    let keys = record
        .iter()
        .filter(|(name, _)| is_secret_name(name))
        .filter_map(|(_, value)| value.as_str());
    // Earlier removals look the same in every snapshot.
    let keys = Copies::new(keys.chain([REMOVED]));
    let mut whole = Json::Object(record);
    remove_secrets(&mut whole);
    hide(&mut whole, &keys);
    let Json::Object(mut record) = whole else {
        return Map::new();
    };
    if let Some(Json::String(text)) = record.get_mut("launch_args") {
        *text = hide_values(text);
    }
    record
}

/// Replaces copies of the keys with `<hidden>` in every text, at any depth; names of members stay.
fn hide(json: &mut Json, keys: &Copies) {
    match json {
        Json::String(text) => {
            if let Cow::Owned(hidden) = keys.remove(text, HIDDEN) {
                *text = hidden;
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| hide(item, keys)),
        Json::Object(members) => members.values_mut().for_each(|member| hide(member, keys)),
        _ => {}
    }
}

/// Launch arguments with hidden values of `NAME=value` words, and of options and headers with secret names.
/// Text that no shell could split is hidden entirely.
fn hide_values(arguments: &str) -> String {
    let Ok(words) = shell_words::split(arguments) else {
        return HIDDEN.to_owned();
    };
    let mut hide_next = false;
    let mut shown = Vec::with_capacity(words.len());
    for word in words {
        let is_option = word.starts_with('-');
        shown.push(if let Some((name, _)) = word.split_once('=') {
            format!("{name}={HIDDEN}")
        } else if hide_next && !is_option {
            HIDDEN.to_owned()
        } else if let Some((name, _)) = word.split_once(':').filter(|(name, _)| is_secret_name(name)) {
            format!("{name}:{HIDDEN}")
        } else {
            word.clone()
        });
        hide_next = is_option && !word.contains('=') && is_secret_name(&word);
    }
    shown.join(" ")
}

/// The changes of workergroups from `old` to `new`, by id: new groups, gone ones, and each member with
/// another value. A group whose record could not be parsed in either has not changed.
pub fn changes_between(old: &GroupSnapshot, new: &GroupSnapshot) -> Vec<Change> {
    let mut ids: Vec<i64> = old.groups.keys().chain(new.groups.keys()).copied().collect();
    ids.sort_unstable();
    ids.dedup();
    let mut changes = Vec::new();
    for id in ids {
        let (before, after) = (old.groups.get(&id), new.groups.get(&id));
        let endpoint = after
            .or(before)
            .and_then(|record| record.get("endpoint_name"))
            .and_then(Json::as_str)
            .map(Untrusted::from);
        let mut note = |kind| {
            changes.push(Change {
                group: RowId(id),
                endpoint: endpoint.clone(),
                kind,
            });
        };
        match (before, after) {
            (None, Some(_)) => note(ChangeKind::New),
            (Some(_), None) => note(ChangeKind::Gone),
            // An unreadable record does not prove changes.
            (Some(before), Some(after)) if !before.is_empty() && !after.is_empty() => {
                changed_members(before, after).into_iter().for_each(note);
            }
            _ => {}
        }
    }
    changes
}

/// The members whose values differ, with both values: first those of `after`, then the removed ones. Null
/// counts as missing.
fn changed_members(before: &Map<String, Json>, after: &Map<String, Json>) -> Vec<ChangeKind> {
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    after
        .keys()
        .chain(gone)
        .filter_map(|name| {
            let (from, to) = (before.get(name), after.get(name));
            let is_same = match (from, to) {
                (Some(from), Some(to)) => is_same(from, to),
                // Missing and null are the same.
                (old, new) => old.or(new).is_none_or(Json::is_null),
            };
            (!is_same).then(|| ChangeKind::Changed {
                parameter: Untrusted::from(name.as_str()),
                from: from.and_then(shown),
                to: to.and_then(shown),
            })
        })
        .collect()
}

/// Whether two JSON values are equal: 1 and 1.0 are, and the order of members does not matter.
fn is_same(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Number(left), Json::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, value)| right.get(name).is_some_and(|counterpart| is_same(value, counterpart)))
        }
        _ => left == right,
    }
}

/// A JSON value as untrusted text, a text without its quotes; `None` for null.
fn shown(value: &Json) -> Option<Untrusted> {
    match value {
        Json::Null => None,
        Json::String(text) => Some(Untrusted::from(text.as_str())),
        value => Some(Untrusted::from(value.to_string())),
    }
}

//! Finds the listed group that an unconfirmed creation may have created.

use serde_json::{Map, Value as Json};

use super::NewWorkergroup;
use super::parameters::{Key, PARAMETERS, ParameterKind};
use super::search::group_search;
use crate::catalog::OFFERS;
use crate::dialect::Dialect;
use crate::json_split;
use crate::language::{self, Mode};
use crate::listing::{Listing, RowId};
use crate::secrets::REMOVED;

/// The ids of the workergroups in `listing` that are not among those `before` the request to create `asked`,
/// and do not contradict it.
///
/// Parameters that the market is known to ignore, and those that a record lacks, contradict nothing. An empty result
/// means that the creation is not visible (yet), never that it failed.
pub fn candidates(before: &[RowId], listing: &Listing, asked: &NewWorkergroup) -> Vec<RowId> {
    let asked_for = serde_json::to_value(asked).unwrap_or_default();
    (0..listing.len())
        .filter_map(|row| listing.id(row).map(|id| (row, id)))
        .filter(|(_, id)| !before.contains(id))
        .filter(|(row, _)| fits(listing, *row, asked, &asked_for))
        .map(|(_, id)| id)
        .collect()
}

/// Whether the workergroup in a row contradicts neither the parameters nor the search of the request.
/// `asked_for` is the request as JSON.
fn fits(listing: &Listing, row: usize, asked: &NewWorkergroup, asked_for: &Json) -> bool {
    let json = listing.json(row).unwrap_or_default();
    let record = json_split::object(json).unwrap_or_default();
    let members = PARAMETERS.iter().all(|parameter| {
        parameter.inert.is_some()
            || parameter.kind == ParameterKind::Search
            || !contradicts(&record, asked_for, parameter.key)
    });
    let search = asked
        .search_params
        .as_ref()
        .is_none_or(|asked| group_search(listing, row).is_none_or(|search| holds(asked, search.text.unescaped())));
    members && search
}

/// Whether a parameter has different values in the record and in the request; false if either lacks it.
/// Numbers as text are compared as numbers.
fn contradicts(record: &Map<String, Json>, asked_for: &Json, key: Key) -> bool {
    match (record.get(key.wire()), asked_for.get(key.wire())) {
        (None | Some(Json::Null), _) | (_, None) => false,
        (Some(Json::String(recorded)), Some(Json::String(asked))) => !may_be(recorded.trim(), asked.trim()),
        // The market sends some numbers as text.
        (Some(Json::String(recorded)), Some(asked)) => recorded.trim().parse().ok() != asked.as_f64(),
        (Some(recorded), Some(asked)) => recorded.as_f64() != asked.as_f64(),
    }
}

/// Whether a recorded text, from which secrets were removed, may be the requested one.
fn may_be(recorded: &str, asked: &str) -> bool {
    let parts: Vec<&str> = recorded.split(REMOVED).collect();
    let [start, between @ .., end] = parts.as_slice() else {
        return recorded == asked;
    };
    let inner = asked.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    let Some(mut rest) = inner else {
        return false;
    };
    for part in between {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

/// Whether the recorded search includes all requested conditions; servers add their defaults. True if a
/// secret was removed from the record.
///
/// Texts that cannot be parsed are compared literally.
fn holds(asked: &str, recorded: &str) -> bool {
    if recorded.contains(REMOVED) {
        return true;
    }
    let read =
        |text| language::parse(text, &OFFERS, &Dialect::DOCUMENTED, &[], Mode::Market).map(|parsed| parsed.conditions);
    match (read(asked), read(recorded)) {
        (Ok(asked), Ok(recorded)) => asked.iter().all(|condition| recorded.contains(condition)),
        _ => asked.split_whitespace().eq(recorded.split_whitespace()),
    }
}

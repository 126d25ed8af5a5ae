//! The worker limits sent when a workergroup was created here, in addition to those that the market
//! returns, which may lack them.

use crate::domain::journal::{Entry, created};
use crate::domain::workergroup::{Key, NewWorkergroup};
use crate::domain::{Listing, WORKERGROUPS};

/// The limits, and the columns that show them as sent.
const LIMITS: [(Key, &str); 3] = [
    (Key::MaxWorkers, "sent_max"),
    (Key::ColdWorkers, "sent_cold"),
    (Key::TestWorkers, "sent_test"),
];

/// The workergroup in a row as it was sent when it was created here; `None` if `entries`, the writes to this
/// market, do not have its creation.
pub fn created_as<'e>(entries: &'e [Entry], listing: &Listing, row: usize) -> Option<&'e NewWorkergroup> {
    let endpoint = listing.cell_of(row, "endpoint_name").text();
    created(entries, listing.id(row)?.0, endpoint)
}

/// The limit on workers that a workergroup was created with; `None` if it was not sent, or `key` is no such
/// limit.
pub fn limit(sent: &NewWorkergroup, key: Key) -> Option<u32> {
    let limits = [
        (Key::MaxWorkers, sent.max_workers),
        (Key::ColdWorkers, sent.cold_workers),
        (Key::TestWorkers, sent.test_workers),
    ];
    limits
        .into_iter()
        .find_map(|(limit, sent)| sent.filter(|_| limit == key))
}

/// A limit as sent when the workergroup was created, if the market returns another value (`returned`) or
/// none: `at most 6, as created here; not returned by this market`. `None` if it returns the same, or none
/// was sent.
pub fn describe(sent: &NewWorkergroup, key: Key, returned: Option<f64>) -> Option<String> {
    let at_most = if key == Key::MaxWorkers { "at most " } else { "" };
    match (limit(sent, key), returned) {
        (Some(limit), None) => Some(format!(
            "{at_most}{limit}, as created here; not returned by this market"
        )),
        (Some(limit), Some(returned)) if f64::from(limit).total_cmp(&returned).is_ne() => {
            Some(format!("{at_most}{limit} as created here"))
        }
        (Some(_), Some(_)) | (None, _) => None,
    }
}

/// The three columns of workergroups' limits as sent, by their keys, with a value for every row; `None` for a
/// group not created here or without the limit.
pub fn columns(entries: &[Entry], listing: &Listing) -> [(&'static str, Vec<Option<f64>>); 3] {
    let groups: Vec<_> = (0..listing.len())
        .map(|row| created_as(entries, listing, row))
        .collect();
    LIMITS.map(|(key, column)| {
        let limits = groups.iter().map(|group| limit((*group)?, key).map(f64::from));
        (column, limits.collect())
    })
}

/// The sent limits of the workergroup in a row that the market does not return unchanged, each with its name;
/// empty if it was not created here.
pub fn describe_unreturned_limits(entries: &[Entry], listing: &Listing, row: usize) -> Vec<String> {
    let Some(sent) = created_as(entries, listing, row) else {
        return Vec::new();
    };
    let describe = |(key, _): (Key, &str)| {
        let returned = WORKERGROUPS.by_key(key.wire())?;
        let returned = listing.cell(row, returned).number();
        Some(format!("{} {}", key.wire(), describe(sent, key, returned)?))
    };
    LIMITS.into_iter().filter_map(describe).collect()
}

//! The changes between listings of the groups: from the last one this profile saw, perhaps in an
//! earlier run, to the latest.

use crate::domain::Listing;
use crate::domain::workergroup::{Change, Snapshot, drift};
use crate::table::remote::Now;

/// Maximum number of stored comparisons with changes.
///
/// Nobody scrolls further back, and each holds the changes of all groups.
const MOST: usize = 50;

/// The changes in one listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The time of the older listing, in seconds since 1970.
    pub since: f64,
    /// The time of the newer listing, in seconds since 1970.
    pub at: f64,
    pub changes: Vec<Change>,
}

/// The last listing, and the changes found so far.
#[derive(Debug, Default)]
pub struct Drift {
    last: Option<Snapshot>,
    changes: Vec<Changes>,
}

impl Drift {
    /// Starts from the last listing of an earlier run.
    pub fn resume(&mut self, last: Option<Snapshot>) {
        self.last = last;
    }

    pub fn changes(&self) -> impl ExactSizeIterator<Item = &Changes> {
        self.changes.iter().rev()
    }

    /// Compares a listing with the last one and replaces it.
    pub fn listed(&mut self, listing: &Listing, now: Now) -> Snapshot {
        let snapshot = Snapshot::of(listing);
        if let Some(last) = &self.last {
            let changes = drift(last, &snapshot);
            if !changes.is_empty() {
                self.changes.push(Changes {
                    since: last.at,
                    at: now.epoch,
                    changes,
                });
                if self.changes.len() > MOST {
                    self.changes.remove(0);
                }
            }
        }
        self.last = Some(snapshot.clone());
        snapshot
    }
}

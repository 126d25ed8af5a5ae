//! The changes between listings of the groups: from the last one this profile saw, perhaps in an
//! earlier run, to the latest.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use crate::domain::Listing;
use crate::domain::document::Document;
use crate::domain::time::{Now, UnixTime};
use crate::domain::workergroup::{Change, GroupSnapshot, changes_between};

/// Maximum number of stored comparisons with changes.
///
/// Nobody scrolls further back, and each holds the changes of all groups.
const MOST: usize = 50;

/// The workergroups that a profile last saw at a market. It has no secrets: see [`GroupSnapshot`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SeenGroups {
    /// The base address of the market.
    address: String,
    snapshot: GroupSnapshot,
}

impl Document for SeenGroups {
    type Change = Infallible;

    const FILE: &'static str = "groups.json";

    fn apply(&mut self, change: &Infallible) {
        match *change {}
    }
}

impl SeenGroups {
    pub fn new(address: &str, snapshot: GroupSnapshot) -> Self {
        Self {
            address: address.to_owned(),
            snapshot,
        }
    }

    /// The snapshot of the groups, if they were seen at the market with this base address; `None` if at
    /// another.
    pub fn at_address(self, address: &str) -> Option<GroupSnapshot> {
        (self.address == address).then_some(self.snapshot)
    }
}

/// The changes in one listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The time of the older listing.
    pub since: UnixTime,
    /// The time of the newer listing.
    pub at: UnixTime,
    pub changes: Vec<Change>,
}

/// The last listing, and the changes found so far.
#[derive(Debug, Default)]
pub struct Drift {
    last: Option<GroupSnapshot>,
    changes: Vec<Changes>,
}

impl Drift {
    /// Starts from the last listing of workergroups in an earlier run of the program; `None` starts with the
    /// next listing.
    pub fn resume(&mut self, last: Option<GroupSnapshot>) {
        self.last = last;
    }

    /// The comparisons of workergroup listings that found changes, the latest first: at most 50.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = &Changes> {
        self.changes.iter().rev()
    }

    /// Compares a listing of workergroups with the last one, stores the changes, if any, and replaces it;
    /// returns the snapshot of the new one. The first listing has none to compare with.
    pub fn listed(&mut self, listing: &Listing, now: Now) -> GroupSnapshot {
        let snapshot = GroupSnapshot::new(listing);
        if let Some(last) = &self.last {
            let changes = changes_between(last, &snapshot);
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

//! Workergroups created in the embedded sandbox, which outlive it: each run of the sandbox is a new market, but the
//! user's groups are restored.

use serde::{Deserialize, Serialize};

/// The maximum number of groups stored.
pub const MOST_GROUPS: usize = 100;

/// A group without its key: every run generates its own keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MadeGroup {
    pub id: u64,
    pub created_at: String,
    pub endpoint_name: String,
    pub endpoint_id: u64,
    pub template_hash: Option<String>,
    pub template_id: Option<u64>,
    pub search_query: String,
    pub launch_args: String,
    pub min_load: f64,
    pub target_util: f64,
    pub cold_mult: f64,
    pub test_workers: u64,
    pub max_workers: u64,
    pub gpu_ram: f64,
}

impl MadeGroup {
    /// Whether both are the same group.
    ///
    /// Two sandboxes running at the same time assign the same ids: the creation time and, within a second, the endpoint
    /// distinguish them.
    fn is_same(&self, other: &Self) -> bool {
        let identity = |group: &Self| (group.id, group.created_at.clone(), group.endpoint_name.clone());
        identity(self) == identity(other)
    }
}

/// A change to the created groups.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupChange {
    /// A group was created or changed.
    Put(MadeGroup),
    Deleted(MadeGroup),
}

/// The created groups, oldest first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MadeGroups(pub Vec<MadeGroup>);

impl MadeGroups {
    /// Adds a created workergroup, replaces the same one, or removes it; false if it would be one more than
    /// 100, which is not added.
    pub fn apply(&mut self, change: GroupChange) -> bool {
        match change {
            GroupChange::Put(group) => {
                let is_full = self.0.len() >= MOST_GROUPS;
                match self.0.iter_mut().find(|known| known.is_same(&group)) {
                    Some(known) => *known = group,
                    None if is_full => return false,
                    None => self.0.push(group),
                }
            }
            GroupChange::Deleted(group) => self.0.retain(|known| !known.is_same(&group)),
        }
        true
    }
}

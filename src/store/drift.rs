//! The workergroups that a profile last saw, so that the next listing shows what changed. The file
//! has no secrets: see [`Snapshot`].

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::paths::Paths;
use super::state_file;
use crate::domain::workergroup::Snapshot;

/// The file of a profile.
#[derive(Debug, Clone)]
pub struct GroupsFile {
    path: PathBuf,
    address: String,
    blocked: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Seen {
    /// The base address of the market: groups of another market are other groups.
    address: String,
    snapshot: Snapshot,
}

impl GroupsFile {
    /// The file of a profile at `address`, its content for that market, and a notice for the
    /// person.
    pub fn open(paths: &Paths, profile: &str, address: &str) -> (Self, Option<Snapshot>, Option<String>) {
        let path = paths.profile_state(profile).join("groups.json");
        let read = state_file::read::<Seen>(&path);
        let file = Self {
            path,
            address: address.to_owned(),
            blocked: read.blocked,
        };
        let last = read
            .content
            .filter(|seen| seen.address == address)
            .map(|seen| seen.snapshot);
        (file, last, read.notice)
    }

    /// Replaces the saved groups.
    ///
    /// # Errors
    ///
    /// When they cannot be written: the reason for display.
    pub fn save(&self, snapshot: &Snapshot) -> Result<(), String> {
        if let Some(why) = &self.blocked {
            return Err(why.clone());
        }
        let seen = Seen {
            address: self.address.clone(),
            snapshot: snapshot.clone(),
        };
        state_file::write(&self.path, &seen).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Listing, WORKERGROUPS};

    fn listing(json: &str) -> Listing {
        Listing::read(&WORKERGROUPS, json, 100.0).unwrap()
    }

    #[test]
    fn groups_come_back_for_the_same_market_only_and_without_secrets() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let (file, last, notice) = GroupsFile::open(&paths, "work", "https://a");
        assert_eq!((last, notice), (None, None));
        let groups = listing(r#"{"results":[{"id":7,"endpoint_name":"chat","api_key":"canary-42","max_workers":3}]}"#);
        let snapshot = Snapshot::of(&groups);
        file.save(&snapshot).unwrap();
        let (_, last, _) = GroupsFile::open(&paths, "work", "https://a");
        assert_eq!(last, Some(snapshot));
        let (_, last, _) = GroupsFile::open(&paths, "work", "https://b");
        assert_eq!(last, None);
        let path = root.path().join("state/bourse/profiles/work/groups.json");
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("chat") && !text.contains("canary"), "{text}");
    }

    #[test]
    fn a_broken_file_is_set_aside_and_said() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let folder = paths.profile_state("work");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("groups.json"), "{\"version\":1,").unwrap();
        let (file, last, notice) = GroupsFile::open(&paths, "work", "https://a");
        assert_eq!(last, None);
        assert!(notice.unwrap().contains("is corrupt"));
        assert!(folder.join("groups.json.corrupt-1").exists());
        file.save(&Snapshot::default()).unwrap();
    }
}

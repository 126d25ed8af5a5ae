//! The workergroups that a profile last saw, so that the next listing can show changes.
//!
//! The file has no secrets: see [`Snapshot`].

use serde::{Deserialize, Serialize};

use super::paths::Paths;
use super::state_file::{StateFile, StateFileError};
use crate::domain::workergroup::Snapshot;

/// The file of a profile.
#[derive(Debug, Clone)]
pub struct GroupsFile {
    file: StateFile<Seen>,
    address: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Seen {
    /// The base address of the market; groups of another market are ignored.
    address: String,
    snapshot: Snapshot,
}

impl GroupsFile {
    /// The file of a profile at `address`, and its content for that market. Problems are added to
    /// `notices`.
    pub fn open(paths: &Paths, profile: &str, address: &str, notices: &mut Vec<String>) -> (Self, Option<Snapshot>) {
        let path = paths.profile_state(profile).join("groups.json");
        let (file, seen) = StateFile::<Seen>::open(path, notices);
        let last = seen.filter(|seen| seen.address == address);
        let address = address.to_owned();
        (Self { file, address }, last.map(|seen| seen.snapshot))
    }

    /// Replaces the saved groups.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn save(&self, snapshot: &Snapshot) -> Result<(), StateFileError> {
        self.file.save(&Seen {
            address: self.address.clone(),
            snapshot: snapshot.clone(),
        })
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
        let mut notices = Vec::new();
        let (file, last) = GroupsFile::open(&paths, "work", "https://a", &mut notices);
        assert_eq!((last, notices.len()), (None, 0));
        let groups = listing(r#"{"results":[{"id":7,"endpoint_name":"chat","api_key":"canary-42","max_workers":3}]}"#);
        let snapshot = Snapshot::of(&groups);
        file.save(&snapshot).unwrap();
        let (_, last) = GroupsFile::open(&paths, "work", "https://a", &mut notices);
        assert_eq!(last, Some(snapshot));
        let (_, last) = GroupsFile::open(&paths, "work", "https://b", &mut notices);
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
        let mut notices = Vec::new();
        let (file, last) = GroupsFile::open(&paths, "work", "https://a", &mut notices);
        assert_eq!(last, None);
        assert!(notices[0].contains("is corrupt"));
        assert!(folder.join("groups.json.corrupt-1").exists());
        file.save(&Snapshot::default()).unwrap();
    }
}

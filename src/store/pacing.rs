//! The minimum intervals between requests, learned from refusals and saved per profile, so that the
//! next start need not be refused first.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::paths::Paths;
use super::state_file;

/// The file of a profile.
#[derive(Debug, Clone)]
pub struct PacingFile {
    path: PathBuf,
    address: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Learned {
    /// The base address of the market: another one has its own limits.
    address: String,
    /// Seconds between two requests, by operation.
    intervals: BTreeMap<String, f64>,
}

impl PacingFile {
    /// The file of a profile that speaks to the market at `address`.
    pub fn new(paths: &Paths, profile: &str, address: &str) -> Self {
        Self {
            path: paths.profile_state(profile).join("pacing.json"),
            address: address.to_owned(),
        }
    }

    /// The intervals learned from that market, in seconds, by the name of the operation. An
    /// unreadable file is set aside: the intervals are learned again.
    pub fn read(&self) -> BTreeMap<String, f64> {
        state_file::read::<Learned>(&self.path)
            .content
            .filter(|learned| learned.address == self.address)
            .map(|learned| learned.intervals)
            .unwrap_or_default()
    }

    /// Replaces the saved intervals; nothing is written while there are none.
    ///
    /// # Errors
    ///
    /// When they cannot be written.
    pub fn save(&self, intervals: BTreeMap<String, f64>) -> std::io::Result<()> {
        let is_new = intervals.is_empty() && !self.path.exists();
        // A newer version's file is not overwritten.
        if is_new || state_file::read::<Learned>(&self.path).blocked.is_some() {
            return Ok(());
        }
        let learned = Learned {
            address: self.address.clone(),
            intervals,
        };
        state_file::write(&self.path, &learned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_come_back_for_the_same_market_only() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let file = PacingFile::new(&paths, "work", "https://a");
        file.save(BTreeMap::new()).unwrap();
        assert!(!paths.profile_state("work").join("pacing.json").exists());
        let learned = BTreeMap::from([("search offers".to_owned(), 2.2)]);
        file.save(learned.clone()).unwrap();
        assert_eq!(file.read(), learned);
        let other = PacingFile::new(&paths, "work", "https://b");
        assert_eq!(other.read(), BTreeMap::new());
    }

    #[test]
    fn a_broken_file_teaches_nothing() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let folder = paths.profile_state("work");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("pacing.json"), "{\"version\":1,").unwrap();
        let file = PacingFile::new(&paths, "work", "https://a");
        assert_eq!(file.read(), BTreeMap::new());
    }
}

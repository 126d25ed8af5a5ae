//! The minimum intervals between requests, learned from refusals and saved per profile, so that the
//! next start respects them.

use crate::domain::time::UnixTime;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::paths::Paths;
use super::state_file::{StateFile, StateFileError};

/// Seconds for which a learned interval is valid.
///
/// Markets change their limits: after a day, another try is better than an old guess.
const REMEMBERED: f64 = 86_400.0;

/// The file of learned intervals of a profile.
#[derive(Debug, Clone)]
pub struct PacingFile {
    path: PathBuf,
    address: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Learned {
    /// The base address of the market; intervals of another market are ignored.
    address: String,
    /// Seconds between two requests, by operation.
    intervals: BTreeMap<String, f64>,
    /// The time at which each was learned.
    #[serde(default)]
    since: BTreeMap<String, UnixTime>,
}

impl Learned {
    /// The time at which the interval of an operation was learned; `None` if that is over a day ago, in the
    /// future or unknown.
    fn since(&self, operation: &str, now: UnixTime) -> Option<UnixTime> {
        let since = *self.since.get(operation)?;
        (0.0..REMEMBERED).contains(&(now - since)).then_some(since)
    }
}

impl PacingFile {
    /// The file of a profile whose market is at `address`.
    pub fn new(paths: &Paths, profile: &str, address: &str) -> Self {
        Self {
            path: paths.profile_state(profile).join("pacing.json"),
            address: address.to_owned(),
        }
    }

    /// The intervals learned from that market within a day of `now`, in seconds, by the name of the
    /// operation.
    ///
    /// A file that cannot be read is set aside; the market's next refusals replace it.
    pub fn read(&self, now: UnixTime) -> BTreeMap<String, f64> {
        let Some(mut learned) = self.open().1 else {
            return BTreeMap::new();
        };
        let mut intervals = std::mem::take(&mut learned.intervals);
        intervals.retain(|operation, _| learned.since(operation, now).is_some());
        intervals
    }

    /// The file and its content; `None` if it is missing, unreadable or about another market.
    fn open(&self) -> (StateFile<Learned>, Option<Learned>) {
        let (file, learned) = StateFile::<Learned>::open(self.path.clone(), &mut Vec::new());
        (file, learned.filter(|learned| learned.address == self.address))
    }

    /// Replaces the saved intervals, in seconds by operation; unchanged ones keep their time. Nothing is
    /// written while there are none and no file, or over the file of a newer version.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn save(&self, intervals: BTreeMap<String, f64>, now: UnixTime) -> Result<(), StateFileError> {
        let is_new = intervals.is_empty() && !self.path.exists();
        let (file, before) = self.open();
        // A newer version's file is not overwritten.
        if is_new || file.is_blocked() {
            return Ok(());
        }
        let known_since = |operation: &String, interval: f64| {
            let before = before.as_ref()?;
            let is_same = before.intervals.get(operation) == Some(&interval);
            before.since(operation, now).filter(|_| is_same)
        };
        let since = intervals
            .iter()
            .map(|(name, interval)| (name.clone(), known_since(name, *interval).unwrap_or(now)))
            .collect();
        file.save(&Learned {
            address: self.address.clone(),
            intervals,
            since,
        })
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
        file.save(BTreeMap::new(), UnixTime::new(0.0)).unwrap();
        assert!(!paths.profile_state("work").join("pacing.json").exists());
        let learned = BTreeMap::from([("search offers".to_owned(), 2.2)]);
        file.save(learned.clone(), UnixTime::new(0.0)).unwrap();
        assert_eq!(file.read(UnixTime::new(0.0)), learned);
        let elsewhere = PacingFile::new(&paths, "work", "https://b");
        assert_eq!(elsewhere.read(UnixTime::new(0.0)), BTreeMap::new());
    }

    #[test]
    fn an_interval_is_forgotten_a_day_after_it_was_learned() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let file = PacingFile::new(&paths, "work", "https://a");
        let learned = |seconds| BTreeMap::from([("search offers".to_owned(), seconds)]);
        file.save(learned(2.2), UnixTime::new(0.0)).unwrap();
        // Keeping it again makes it no younger.
        file.save(learned(2.2), UnixTime::new(80_000.0)).unwrap();
        assert_eq!(file.read(UnixTime::new(86_000.0)), learned(2.2));
        assert_eq!(file.read(UnixTime::new(86_400.0)), BTreeMap::new());
        file.save(learned(5.5), UnixTime::new(80_000.0)).unwrap();
        assert_eq!(file.read(UnixTime::new(166_000.0)), learned(5.5));
        // A clock that was turned back.
        assert_eq!(file.read(UnixTime::new(-1.0)), BTreeMap::new());
    }

    #[test]
    fn an_interval_without_its_age_is_forgotten() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let folder = paths.profile_state("work");
        std::fs::create_dir_all(&folder).unwrap();
        let old = r#"{"version":1,"kept":{"address":"https://a","intervals":{"search offers":330}}}"#;
        std::fs::write(folder.join("pacing.json"), old).unwrap();
        let file = PacingFile::new(&paths, "work", "https://a");
        assert_eq!(file.read(UnixTime::new(1_795_176_000.0)), BTreeMap::new());
    }

    #[test]
    fn a_broken_file_teaches_nothing() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::below(root.path());
        let folder = paths.profile_state("work");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("pacing.json"), "{\"version\":1,").unwrap();
        let file = PacingFile::new(&paths, "work", "https://a");
        assert_eq!(file.read(UnixTime::new(0.0)), BTreeMap::new());
    }
}

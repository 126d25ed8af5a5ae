//! What survives a restart, per profile: how the panes were left, and the saved searches.
//!
//! Nothing here can stop the program. Where the disk is full or cannot be written, the person is
//! told and goes on; what is in memory holds until the end.

use std::path::PathBuf;

use super::paths::Paths;
use super::searches::SearchFile;
use super::state_file;
use crate::domain::saved::{SearchChange, Searches, Snapshot};

/// The files of a profile.
#[derive(Debug, Clone)]
pub struct StateStore {
    ui: PathBuf,
    ui_blocked: Option<String>,
    searches: SearchFile,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavedState {
    /// How the dashboard was left.
    pub snapshot: Option<Snapshot>,
    pub searches: Searches,
    /// What a person should know.
    pub notices: Vec<String>,
}

impl StateStore {
    /// The files of a profile, and what they hold.
    pub fn open(paths: &Paths, profile: &str) -> (Self, SavedState) {
        let folder = paths.profile_state(profile);
        let ui = folder.join("ui.json");
        let snapshot = state_file::read::<Snapshot>(&ui);
        let (searches, found) = SearchFile::open(folder.join("searches.json"));
        let notices = snapshot.notice.into_iter().chain(found.notice).collect();
        let store = Self {
            ui,
            ui_blocked: snapshot.blocked,
            searches,
        };
        let kept = SavedState {
            snapshot: snapshot.content,
            searches: found.searches,
            notices,
        };
        (store, kept)
    }

    /// Keeps how the dashboard was left. Of several programs the last one wins.
    ///
    /// # Errors
    /// When it cannot be written; why, in words.
    pub fn save(&self, snapshot: &Snapshot) -> Result<(), String> {
        if let Some(why) = &self.ui_blocked {
            return Err(why.clone());
        }
        state_file::write(&self.ui, snapshot)
            .map_err(|error| format!("{}: {error}", self.ui.display()))
    }

    /// Makes a change to the saved searches; gives them as the file has them now, with what other
    /// programs changed. `here` is what this program had before the change.
    ///
    /// # Errors
    /// When the change cannot be written; why, in words.
    pub fn change(&self, change: &SearchChange, here: &Searches) -> Result<Searches, String> {
        self.searches.change(change, here)
    }
}

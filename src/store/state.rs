//! The state that survives a restart, per profile: how the panes were left, the saved searches, the
//! alerts, and the stars, notes and bans of machines and hosts.
//!
//! No error here stops the program. If the disk is full or read-only, the person is told and the
//! state lasts until the program ends.

use std::path::PathBuf;

use super::paths::Paths;
use super::shared_file::{Shared, SharedFile};
use super::state_file;
use crate::domain::alerts::Alerts;
use crate::domain::annotations::Annotations;
use crate::domain::saved::{Searches, Snapshot};

/// The files of a profile.
#[derive(Debug, Clone)]
pub struct StateStore {
    ui: PathBuf,
    ui_blocked: Option<String>,
    pub(super) searches: SharedFile<Searches>,
    pub(super) annotations: SharedFile<Annotations>,
    pub(super) alerts: SharedFile<Alerts>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavedState {
    /// How the dashboard was left.
    pub snapshot: Option<Snapshot>,
    pub searches: Searches,
    pub annotations: Annotations,
    pub alerts: Alerts,
    pub notices: Vec<String>,
}

/// The stars, notes and bans of a profile, and a notice if its file cannot be read.
pub fn annotations(paths: &Paths, profile: &str) -> (Annotations, Option<String>) {
    let (_, opened) = SharedFile::<Annotations>::open(annotations_file(paths, profile));
    (opened.content, opened.notice)
}

fn annotations_file(paths: &Paths, profile: &str) -> PathBuf {
    paths.profile_state(profile).join("annotations.json")
}

impl StateStore {
    /// The files of a profile, and their content.
    pub fn open(paths: &Paths, profile: &str) -> (Self, SavedState) {
        let folder = paths.profile_state(profile);
        let ui = folder.join("ui.json");
        let snapshot = state_file::read::<Snapshot>(&ui);
        let (searches, opened) = SharedFile::open(folder.join("searches.json"));
        let (annotations, noted) = SharedFile::open(annotations_file(paths, profile));
        let notices = snapshot.notice.into_iter().chain(opened.notice);
        let (alerts, alerted) = SharedFile::open(folder.join("alerts.json"));
        let notices = notices.chain(noted.notice).chain(alerted.notice).collect();
        let store = Self {
            ui,
            ui_blocked: snapshot.blocked,
            searches,
            annotations,
            alerts,
        };
        let kept = SavedState {
            snapshot: snapshot.content,
            searches: opened.content,
            annotations: noted.content,
            alerts: alerted.content,
            notices,
        };
        (store, kept)
    }

    /// Saves how the dashboard was left. Of several programs the last one wins.
    ///
    /// # Errors
    ///
    /// When it cannot be written: the reason for display.
    pub fn save(&self, snapshot: &Snapshot) -> Result<(), String> {
        if let Some(why) = &self.ui_blocked {
            return Err(why.clone());
        }
        state_file::write(&self.ui, snapshot).map_err(|error| format!("{}: {error}", self.ui.display()))
    }

    /// Applies a change to the searches, annotations or alerts; returns them as they are in the file
    /// now, including other programs' changes. `here` is what this program had before the change.
    ///
    /// # Errors
    ///
    /// When the change cannot be written: the reason for display.
    pub fn change<T: Shared>(&self, change: &T::Change, here: &T) -> Result<T, String> {
        T::file(self).change(change, here)
    }
}

//! The state that survives a restart, per profile: panes, saved searches, alerts, and the stars,
//! notes and bans of machines and hosts.
//!
//! No error here stops the program. If the disk is full or read-only, a notice says so and the
//! state is held in memory until the program ends.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::paths::Paths;
use super::state_file::{StateFile, StateFileError};
use crate::domain::annotations::{AnnotationChange, Annotations};
use crate::domain::saved::{SearchChange, Searches, Snapshot};
use crate::record::alerts::{AlertChange, Alerts};

/// The content of a file that programs share.
pub trait Shared: Default + Clone + Serialize + DeserializeOwned {
    type Change;

    /// Its file in the store of a profile.
    fn file(store: &StateStore) -> &StateFile<Self>;

    fn apply(&mut self, change: &Self::Change);
}

impl Shared for Searches {
    type Change = SearchChange;

    fn file(store: &StateStore) -> &StateFile<Self> {
        &store.searches
    }

    fn apply(&mut self, change: &SearchChange) {
        // A person may have broken it by hand.
        self.make_names_unique();
        self.apply(change);
    }
}

impl Shared for Annotations {
    type Change = AnnotationChange;

    fn file(store: &StateStore) -> &StateFile<Self> {
        &store.annotations
    }

    fn apply(&mut self, change: &AnnotationChange) {
        self.apply(change);
    }
}

impl Shared for Alerts {
    type Change = AlertChange;

    fn file(store: &StateStore) -> &StateFile<Self> {
        &store.alerts
    }

    fn apply(&mut self, change: &AlertChange) {
        self.apply(change);
    }
}

/// The files of a profile.
#[derive(Debug, Clone)]
pub struct StateStore {
    ui: StateFile<Snapshot>,
    searches: StateFile<Searches>,
    annotations: StateFile<Annotations>,
    alerts: StateFile<Alerts>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavedState {
    /// The saved state of the dashboard.
    pub snapshot: Option<Snapshot>,
    pub searches: Searches,
    pub annotations: Annotations,
    pub alerts: Alerts,
    pub notices: Vec<String>,
}

/// The stars, notes and bans of a profile. A problem with their file is added to `notices`.
pub fn annotations(paths: &Paths, profile: &str, notices: &mut Vec<String>) -> Annotations {
    let (_, annotations) = StateFile::open(annotations_file(paths, profile), notices);
    annotations.unwrap_or_default()
}

fn annotations_file(paths: &Paths, profile: &str) -> PathBuf {
    paths.profile_state(profile).join("annotations.json")
}

impl StateStore {
    /// The files of a profile, and their content.
    pub fn open(paths: &Paths, profile: &str) -> (Self, SavedState) {
        let folder = paths.profile_state(profile);
        let mut notices = Vec::new();
        let (ui, snapshot) = StateFile::open(folder.join("ui.json"), &mut notices);
        let (searches, saved) = StateFile::<Searches>::open(folder.join("searches.json"), &mut notices);
        let (annotations, noted) = StateFile::open(annotations_file(paths, profile), &mut notices);
        let (alerts, alerted) = StateFile::open(folder.join("alerts.json"), &mut notices);
        let mut saved = saved.unwrap_or_default();
        saved.make_names_unique();
        let kept = SavedState {
            snapshot,
            searches: saved,
            annotations: noted.unwrap_or_default(),
            alerts: alerted.unwrap_or_default(),
            notices,
        };
        let store = Self {
            ui,
            searches,
            annotations,
            alerts,
        };
        (store, kept)
    }

    /// Saves the state of the dashboard. The last of several programs wins.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn save(&self, snapshot: &Snapshot) -> Result<(), StateFileError> {
        self.ui.save(snapshot)
    }

    /// Applies a change to the searches, annotations or alerts; returns the content of the file,
    /// including other programs' changes.
    ///
    /// `here` is this program's content before the change, for the case that the file is gone.
    ///
    /// # Errors
    ///
    /// When the change cannot be written.
    pub fn change<T: Shared>(&self, change: &T::Change, here: &T) -> Result<T, StateFileError> {
        let changed = T::file(self).change(here.clone(), |content| content.apply(change));
        changed.map(|(content, ())| content)
    }
}

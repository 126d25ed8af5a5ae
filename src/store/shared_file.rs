//! Files that programs running at the same time share: each rereads the file under a lock, makes its
//! change and writes it back, so that none undoes another's.

use std::marker::PhantomData;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{StateStore, state_file};
use crate::domain::alerts::{AlertChange, Alerts};
use crate::domain::annotations::{AnnotationChange, Annotations};
use crate::domain::saved::{SearchChange, Searches};

/// The content of a shared file.
pub trait Shared: Default + Clone + Serialize + DeserializeOwned {
    type Change;

    /// Its file among those of a profile.
    fn file(store: &StateStore) -> &SharedFile<Self>;

    fn apply(&mut self, change: &Self::Change);

    /// Repairs what a person may have broken by hand.
    fn repair(&mut self) {}
}

impl Shared for Searches {
    type Change = SearchChange;

    fn file(store: &StateStore) -> &SharedFile<Self> {
        &store.searches
    }

    fn apply(&mut self, change: &SearchChange) {
        self.apply(change);
    }

    fn repair(&mut self) {
        self.make_names_unique();
    }
}

impl Shared for Annotations {
    type Change = AnnotationChange;

    fn file(store: &StateStore) -> &SharedFile<Self> {
        &store.annotations
    }

    fn apply(&mut self, change: &AnnotationChange) {
        self.apply(change);
    }
}

impl Shared for Alerts {
    type Change = AlertChange;

    fn file(store: &StateStore) -> &SharedFile<Self> {
        &store.alerts
    }

    fn apply(&mut self, change: &AlertChange) {
        self.apply(change);
    }
}

#[derive(Debug, Clone)]
pub struct SharedFile<T> {
    path: PathBuf,
    blocked: Option<String>,
    content: PhantomData<T>,
}

#[derive(Debug)]
pub(super) struct Opened<T> {
    pub content: T,
    /// A notice for the person.
    pub notice: Option<String>,
}

impl<T: Shared> SharedFile<T> {
    pub(super) fn open(path: PathBuf) -> (Self, Opened<T>) {
        let reading = state_file::read::<T>(&path);
        let mut content = reading.content.unwrap_or_default();
        content.repair();
        let opened = Opened {
            content,
            notice: reading.notice,
        };
        let file = Self {
            path,
            blocked: reading.blocked,
            content: PhantomData,
        };
        (file, opened)
    }

    /// Applies a change to the current content of the file. If the file is missing or damaged,
    /// `here`, this program's content before the change, replaces it.
    pub(super) fn change(&self, change: &T::Change, here: &T) -> Result<T, String> {
        if let Some(why) = &self.blocked {
            return Err(why.clone());
        }
        state_file::change(&self.path, |stored| {
            let mut content: T = stored.unwrap_or_else(|| here.clone());
            content.repair();
            content.apply(change);
            content
        })
    }
}

//! The documents of a profile: the state of the dashboard, saved searches, alerts, and the stars,
//! notes and bans of machines and hosts.
//!
//! No error here stops the program. If the disk is full or read-only, a notice says so and the
//! state is held in memory until the program ends.

use std::borrow::Cow;
use std::path::PathBuf;

use super::paths::Paths;
use super::state_file::{StateFile, StateFileError};
use crate::domain::document::{AnyDocument, AnyEdit, Document, Edit};
use crate::domain::secrets::Known;

/// The files of a profile.
#[derive(Debug, Clone)]
pub struct StateStore {
    folder: PathBuf,
}

impl StateStore {
    /// The files of a profile, in its state folder.
    pub fn new(paths: &Paths, profile: &str) -> Self {
        Self {
            folder: paths.profile_state(profile),
        }
    }

    /// Reads a document; `None` if it has no readable file. A problem with the file is added to
    /// `notices`.
    pub fn read<T: Document>(&self, notices: &mut Vec<String>) -> Option<T> {
        let mut document = StateFile::<T>::open(self.path::<T>(), notices).1?;
        document.repair();
        Some(document)
    }

    /// Saves an edit of a document, without `known` secrets that the user may have typed into it; returns the
    /// new content of the file. A replacement overwrites the content, a change is applied to it with the
    /// changes that other programs made.
    ///
    /// # Errors
    /// When it cannot be written, or the file cannot be read or is of a newer version.
    pub fn save<T: Document>(&self, edit: &Edit<T>, known: &Known) -> Result<T, StateFileError> {
        match edit {
            Edit::Replace(document) => {
                let document = cleaned(document.clone(), known);
                // Reading it first spares a file that a newer version wrote.
                let (file, _) = StateFile::open(self.path::<T>(), &mut Vec::new());
                file.save(&document)?;
                Ok(document)
            }
            Edit::Change { change, before } => {
                let changed = StateFile::new(self.path::<T>()).change(before.clone(), |content| {
                    content.repair();
                    content.apply(change);
                    *content = cleaned(content.clone(), known);
                });
                changed.map(|(content, ())| content)
            }
        }
    }

    /// Applies a change that the user did not type to a document and saves it, as [`StateStore::save`];
    /// `here` is the content in this program before it.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn change<T: Document>(&self, change: &T::Change, here: &T) -> Result<T, StateFileError> {
        let (change, before) = (change.clone(), here.clone());
        self.save(&Edit::Change { change, before }, &Known::default())
    }

    /// The path of a document's file in the folder of the profile.
    fn path<T: Document>(&self) -> PathBuf {
        self.folder.join(T::FILE)
    }
}

/// Saves an edit and returns the new content; `None` if it changes another document. Without a store
/// the content lasts until the program ends.
type Save = fn(Option<&StateStore>, &AnyEdit, &Known) -> Option<Result<AnyDocument, StateFileError>>;

/// A kind of document: reads its file and saves edits of it, whose types are erased.
#[derive(Debug, Clone, Copy)]
pub struct DocumentKind {
    /// Reads the document; `None` if it has no readable file. A problem with the file is added to
    /// the notices.
    pub read: fn(&StateStore, &mut Vec<String>) -> Option<AnyDocument>,
    pub save: Save,
}

impl DocumentKind {
    /// The functions that read and save documents of type `T`.
    pub const fn new<T: Document>() -> Self {
        Self {
            read: |store, notices| store.read::<T>(notices).map(AnyDocument::new),
            save: |store, edit, known| {
                let edit = edit.downcast::<T>()?;
                let saved = match store {
                    Some(store) => store.save(edit, known),
                    None => Ok(edit.clone().into_content()),
                };
                Some(saved.map(AnyDocument::new))
            },
        }
    }
}

/// The document with known secrets in its texts replaced; unchanged if it could not be read back.
fn cleaned<T: Document>(document: T, known: &Known) -> T {
    let text = serde_json::to_string(&document).unwrap_or_default();
    match known.remove(&text) {
        Cow::Borrowed(_) => document,
        Cow::Owned(clean) => serde_json::from_str(&clean).unwrap_or(document),
    }
}

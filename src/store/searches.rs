//! The file of saved searches. Programs that run at the same time share it: each rereads it under a
//! lock, makes its change and writes it back, so that none undoes another's.

use std::path::PathBuf;

use super::{files, state_file};
use crate::domain::saved::{SearchChange, Searches};

#[derive(Debug, Clone)]
pub(super) struct SearchFile {
    path: PathBuf,
    blocked: Option<String>,
}

#[derive(Debug)]
pub(super) struct Found {
    pub searches: Searches,
    /// A notice for the person.
    pub notice: Option<String>,
}

impl SearchFile {
    pub fn open(path: PathBuf) -> (Self, Found) {
        let reading = state_file::read::<Searches>(&path);
        let mut searches = reading.content.unwrap_or_default();
        searches.make_names_unique();
        let found = Found {
            searches,
            notice: reading.notice,
        };
        let file = Self {
            path,
            blocked: reading.blocked,
        };
        (file, found)
    }

    /// Applies a change to the current content of the file. If the file is missing or damaged,
    /// `here`, this program's searches before the change, replaces it.
    pub fn change(&self, change: &SearchChange, here: &Searches) -> Result<Searches, String> {
        if let Some(why) = &self.blocked {
            return Err(why.clone());
        }
        let failed = |error: std::io::Error| format!("{}: {error}", self.path.display());
        if let Some(folder) = self.path.parent() {
            files::private_dir(folder).map_err(failed)?;
        }
        let _lock = files::lock(&self.path)?;
        let reading = state_file::read::<Searches>(&self.path);
        if let Some(why) = reading.blocked {
            return Err(why);
        }
        let mut searches = reading.content.unwrap_or_else(|| here.clone());
        searches.make_names_unique();
        searches.apply(change);
        state_file::write(&self.path, &searches).map_err(failed)?;
        Ok(searches)
    }
}

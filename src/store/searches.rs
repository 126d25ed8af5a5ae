//! The file of saved searches. Programs that run at the same time share it: each rereads it
//! under a lock, makes its change and writes it back, so that none undoes another's.

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
    /// What a person should know.
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

    /// Makes a change to what the file holds now. Where the file is gone or damaged, what this
    /// program had before the change takes its place.
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

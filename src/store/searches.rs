//! The file of saved searches. Programs that run at the same time share it: each reads it anew
//! under a lock, makes its change and writes it back, so that none undoes another's.

use std::fs::{self, File, TryLockError};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::{files, kept};
use crate::domain::saved::{SearchChange, Searches};

/// How often the lock is tried, with [`PAUSE`] in between: 2 s in all.
const TRIES: u32 = 100;

/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// The file.
#[derive(Debug, Clone)]
pub(super) struct SearchFile {
    path: PathBuf,
    blocked: Option<String>,
}

/// What it held.
#[derive(Debug)]
pub(super) struct Found {
    /// The searches.
    pub searches: Searches,
    /// What a person should know.
    pub notice: Option<String>,
}

impl SearchFile {
    /// Reads the file.
    pub fn open(path: PathBuf) -> (Self, Found) {
        let reading = kept::read::<Searches>(&path);
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
        let _lock = self.lock()?;
        let reading = kept::read::<Searches>(&self.path);
        if let Some(why) = reading.blocked {
            return Err(why);
        }
        let mut searches = reading.content.unwrap_or_else(|| here.clone());
        searches.make_names_unique();
        searches.apply(change);
        kept::write(&self.path, &searches).map_err(failed)?;
        Ok(searches)
    }

    /// The lock, held until the file is closed; `None` where the file system has no locks.
    fn lock(&self) -> Result<Option<File>, String> {
        let path = self.path.with_extension("lock");
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(_)) => return Ok(None),
            }
        }
        Err(format!("{} is held by another program", path.display()))
    }
}

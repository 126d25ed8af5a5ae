//! One poller for each watched search: the program that holds the search's lock file.
//!
//! The system frees the lock of a program that ends, however it ends. A stopped one keeps it, so the
//! file's modification time says when its search was sent last: after three intervals of silence
//! another program stands in, and steps back as soon as a third one moves that time.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bourse_domain::Resource;

use super::HistoryLocation;
use crate::SearchKey;
use crate::files;

/// The folder of the lock files, beside the record.
const FOLDER: &str = "polls";

/// Which searches this program polls, one of each resource.
#[derive(Debug)]
pub struct PollLocks {
    /// `None` if nothing is shared with other programs.
    folder: Option<PathBuf>,
    market: String,
    watched: HashMap<Resource, Watched>,
}

#[derive(Debug, Default)]
struct Watched {
    path: PathBuf,
    /// The file, while this program holds its lock.
    lock: Option<File>,
    /// The modification time that this program set last.
    sent: Option<SystemTime>,
}

impl PollLocks {
    /// The locks beside a record; removes files that ended programs have left.
    pub fn new(history: &HistoryLocation) -> Self {
        let path = history.path.as_ref();
        let folder = path.map(|path| path.with_file_name(FOLDER));
        if let Some(folder) = folder.as_ref().filter(|folder| folder.is_dir()) {
            // What stays is tried again at the next start.
            let _ = sweep(folder);
        }
        Self {
            folder,
            market: history.market.clone(),
            watched: HashMap::new(),
        }
    }

    /// Whether this program may poll a search that it repeats `every` so many seconds, at `now` in
    /// seconds since 1970. If so, the others count on it until they have heard nothing for three of
    /// their intervals. Ends the claim to another search of the same resource.
    ///
    /// Where files cannot be written or locked, every program polls for itself.
    pub fn claim(&mut self, search: &SearchKey, every: u32, now: f64) -> bool {
        let Some(folder) = &self.folder else {
            return true;
        };
        let path = folder.join(name(&self.market, search));
        let watched = self.watched.entry(search.resource).or_default();
        if watched.path != path {
            *watched = Watched {
                path,
                ..Watched::default()
            };
        }
        let now = Duration::try_from_secs_f64(now).unwrap_or_default();
        // One late or failed poll must not make two programs take turns.
        watched.claim(every.saturating_mul(3), UNIX_EPOCH + now).unwrap_or(true)
    }

    /// Lets another program poll the search of a resource at once.
    pub fn release(&mut self, resource: Resource) {
        self.watched.remove(&resource);
    }
}

impl Watched {
    fn claim(&mut self, patience: u32, now: SystemTime) -> io::Result<bool> {
        let (file, is_held) = match self.lock.take() {
            Some(file) => (file, true),
            None => open(&self.path)?,
        };
        let sent = file.metadata()?.modified()?;
        // Either way round: a clock that was ahead holds nothing for long.
        let silence = now.duration_since(sent).unwrap_or_else(|ahead| ahead.duration());
        let is_silent = silence > Duration::from_secs(patience.into());
        let may_poll = is_held || is_silent || self.sent == Some(sent);
        if may_poll {
            file.set_modified(now)?;
            // As the file system rounds it.
            self.sent = Some(file.metadata()?.modified()?);
        }
        self.lock = Some(file).filter(|_| is_held);
        Ok(may_poll)
    }
}

/// The file of a search: its name tells nobody what is searched.
fn name(market: &str, search: &SearchKey) -> String {
    // A build that hashes in another way polls for itself.
    let mut hasher = DefaultHasher::new();
    (market, search).hash(&mut hasher);
    format!("{:016x}.lock", hasher.finish())
}

/// Opens a lock file, creating it, and says whether its lock was free.
fn open(path: &Path) -> io::Result<(File, bool)> {
    let folder = path.parent().unwrap_or(path);
    files::private_dir(folder)?;
    // Else it might be removed between the two steps, and the lock keep nobody out.
    let _guard = files::lock(folder).map_err(io::Error::other)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = files::private(&mut options).open(path)?;
    let is_held = try_lock(&file)?;
    Ok((file, is_held))
}

fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes the files whose lock is free.
fn sweep(folder: &Path) -> io::Result<()> {
    let _guard = files::lock(folder).map_err(io::Error::other)?;
    for path in fs::read_dir(folder)?.flatten().map(|entry| entry.path()) {
        let file = OpenOptions::new().write(true).open(&path)?;
        if try_lock(&file)? {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

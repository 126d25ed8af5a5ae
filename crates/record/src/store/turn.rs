//! The turn of a market: of all programs that watch it, one polls at a time.
//!
//! A program that wants to poll looks in the record for a poll that already answers, takes the market's lock file,
//! looks again, polls, records, and releases the lock. So no program owns a search, and none repeats the request of
//! another. The system releases the lock of a program that ends, however it ends; a stopped one keeps it, so the file's
//! modification time is the time it was taken: after a while the others continue.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bourse_domain::time::UnixTime;

use super::{Database, HistoryLocation, SharedBudget};
use crate::files;
use crate::watch::{Claim, Right};

/// The folder of the lock files, beside the record.
const FOLDER: &str = "polls";

/// Seconds after which a program that has the turn counts as stopped.
///
/// A request ends after 20 seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Seconds after which a program that waits for another one's response looks again.
const LOOK: f64 = 1.0;

/// A program's participation in the turns.
#[derive(Debug)]
pub struct Turns {
    /// The lock file of the market; `None` if nothing is shared with other programs.
    path: Option<PathBuf>,
    /// The lock file, while this program holds its lock.
    held: Option<File>,
    budget: SharedBudget,
}

impl Turns {
    /// The participation of this program in the turns of a market; lock files of earlier versions are
    /// removed.
    pub fn new(history: &HistoryLocation) -> Self {
        let record = history.path.as_deref();
        let path = record.map(|record| lock_file(record, &history.market, "turn"));
        if let Some(path) = &path {
            // Files that cannot be removed are retried at the next start.
            let _ = sweep(path);
        }
        Self {
            path,
            held: None,
            budget: SharedBudget::new(history),
        }
    }

    /// Decides a claim: a recorded poll answers it, this program polls, or it is to claim again later because
    /// of another program's turn or the budget. If this program polls, as also if the shared budget fails, it
    /// has the turn until [`Turns::end`].
    ///
    /// Without a record only the market can answer.
    pub fn claim(&mut self, record: Option<&Database>, claim: &Claim) -> Right {
        let look = || {
            let (record, since) = (record?, claim.since?);
            record.answer_since(&claim.query, &claim.bans, since).ok().flatten()
        };
        if let Some(poll) = look() {
            return Right::Recorded(Box::new(poll));
        }
        if !self.take(claim.now) {
            return Right::Later(LOOK);
        }
        let poll = look();
        if let Some(poll) = poll {
            self.end();
            return Right::Recorded(Box::new(poll));
        }
        let requests = usize::try_from(claim.requests).unwrap_or(usize::MAX);
        match self.budget.claim(requests, claim.a_minute, claim.now) {
            Ok(Some(wait)) => {
                self.end();
                Right::Later(wait)
            }
            Ok(None) => Right::Ours(Ok(())),
            // The program's own budget applies.
            Err(why) => Right::Ours(Err(why)),
        }
    }

    /// Counts a request in the shared budget of the market that is sent in the same turn, or regardless of
    /// turns.
    pub fn count(&self, now: UnixTime) {
        self.budget.count(now);
    }

    /// Takes a further request of the same turn out of the budget of `a_minute`; false if there is no room,
    /// and true if requests cannot be counted.
    pub fn take_request(&self, a_minute: u32, now: UnixTime) -> bool {
        // Requests that cannot be counted are limited by the program's own budget.
        !matches!(self.budget.claim(1, a_minute, now), Ok(Some(_)))
    }

    /// Ends the turn: the response is recorded, or there is none.
    pub fn end(&mut self) {
        self.held = None;
    }

    /// Takes the market's lock; false if another program has held it for at most 30 seconds. If files cannot
    /// be written or locked, every program may poll.
    fn take(&mut self, now: UnixTime) -> bool {
        let now = UNIX_EPOCH + Duration::try_from_secs_f64(now.seconds()).unwrap_or_default();
        self.try_take(now).unwrap_or(true)
    }

    /// Does the work of `take`; an error if the lock file cannot be opened, locked or written.
    fn try_take(&mut self, now: SystemTime) -> io::Result<bool> {
        let Some(path) = &self.path else { return Ok(true) };
        let (file, is_held) = match self.held.take() {
            Some(file) => (file, true),
            None => open(path)?,
        };
        let taken = file.metadata()?.modified()?;
        // In both directions: a clock that was ahead blocks nothing for long.
        let silence = now.duration_since(taken).unwrap_or_else(|ahead| ahead.duration());
        let is_ours = is_held || silence > PATIENCE;
        if is_ours {
            file.set_modified(now)?;
        }
        self.held = Some(file).filter(|_| is_held);
        Ok(is_ours)
    }
}

/// The lock file of a market beside its record, for one purpose. Its name is a hash, which does not reveal the market.
pub(super) fn lock_file(record: &Path, market: &str, purpose: &str) -> PathBuf {
    // A build with another hash function does not share turns.
    let mut hasher = DefaultHasher::new();
    market.hash(&mut hasher);
    let name = format!("{:016x}.{purpose}", hasher.finish());
    record.with_file_name(FOLDER).join(name)
}

/// Opens a lock file, creating it and its folder, and tries to lock it; true if it is locked now, false if
/// another program holds it.
pub(super) fn open(path: &Path) -> io::Result<(File, bool)> {
    files::private_dir(path.parent().unwrap_or(path))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = files::private(&mut options).open(path)?;
    let is_held = try_lock(&file)?;
    Ok((file, is_held))
}

/// Locks a file without waiting; false if another program holds it.
fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes the lock files of searches that earlier versions left beside the market's, unless another program
/// holds them.
fn sweep(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    for path in fs::read_dir(folder)?.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "lock")
            && try_lock(&OpenOptions::new().write(true).open(&path)?)?
        {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

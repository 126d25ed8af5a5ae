//! State files: JSON with a version, written in one step.
//!
//! JSON, because no prefix of a document is a document: a truncated file is always noticed. An unreadable file is set
//! aside under another name and reported; one that a newer version wrote is not touched. Programs that run at the same
//! time share a file: each reads it under a lock, makes its change and writes it back, so that none undoes another's.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::files::{self, LockError};

/// The version of all state files.
const VERSION: u32 = 1;

/// The maximum size of a state file, in bytes.
///
/// Far above the size of any file that bourse writes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The reason a state file cannot be read or written. Until it can, changes are lost when the program ends.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StateFileError {
    #[error("can't read {}: {}", .path.display(), files::read_error_text(.source))]
    Unreadable { path: PathBuf, source: Arc<io::Error> },
    #[error("{} was written by a newer bourse and is not changed", .0.display())]
    Newer(PathBuf),
    /// It is not a state file and cannot be moved aside.
    #[error("{} is corrupt (line {line}, column {column}) and can't be moved: {source}", .path.display())]
    Corrupt {
        path: PathBuf,
        line: usize,
        column: usize,
        source: Arc<io::Error>,
    },
    #[error("{}: {source}", .path.display())]
    Unwritable { path: PathBuf, source: Arc<io::Error> },
    #[error(transparent)]
    Lock(#[from] LockError),
}

/// A JSON file with a version, which stores a value of type `T`.
#[derive(Debug, Clone)]
pub struct StateFile<T> {
    path: PathBuf,
    /// The reason not to overwrite the file, as its content would be lost; `None` if it may be.
    blocked: Option<StateFileError>,
    content: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> StateFile<T> {
    /// The file at a path, which is first read by [`StateFile::change`].
    pub const fn new(path: PathBuf) -> Self {
        Self {
            path,
            blocked: None,
            content: PhantomData,
        }
    }

    /// Opens the file at a path; returns its content, `None` if it is missing, corrupt (then it is moved
    /// aside) or blocked. Adds a notice about a corrupt or blocked one to `notices`.
    pub fn open(path: PathBuf, notices: &mut Vec<String>) -> (Self, Option<T>) {
        let read = read(&path);
        notices.extend(read.notice);
        let file = Self {
            path,
            blocked: read.blocked,
            content: PhantomData,
        };
        (file, read.content)
    }

    /// Whether it must not be overwritten, because it could not be read or is from a newer version.
    pub const fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Replaces the content, without reading it first: of several programs the last one wins.
    ///
    /// # Errors
    /// If it is blocked or cannot be written.
    pub fn save(&self, content: &T) -> Result<(), StateFileError> {
        self.blocked.clone().map_or(Ok(()), Err)?;
        write(&self.path, content).map_err(|error| self.unwritable(error))
    }

    /// Applies a change to the content, which is `here` if the file is missing or corrupt (then it is moved
    /// aside), and writes it under a lock; returns the new content and the result of the change. Creates the
    /// folder.
    ///
    /// # Errors
    /// If the file is blocked, from a newer version or locked by another program, or cannot be read or
    /// written.
    pub fn change<R>(&self, here: T, change: impl FnOnce(&mut T) -> R) -> Result<(T, R), StateFileError> {
        self.blocked.clone().map_or(Ok(()), Err)?;
        let folder = self.path.parent().map_or(Ok(()), files::private_dir);
        folder.map_err(|error| self.unwritable(error))?;
        let _lock = files::lock(&self.path)?;
        let stored = read::<T>(&self.path);
        stored.blocked.map_or(Ok(()), Err)?;
        let mut content = stored.content.unwrap_or(here);
        let result = change(&mut content);
        write(&self.path, &content).map_err(|error| self.unwritable(error))?;
        Ok((content, result))
    }

    /// The error for a failed write of this file.
    fn unwritable(&self, error: io::Error) -> StateFileError {
        StateFileError::Unwritable {
            path: self.path.clone(),
            source: Arc::new(error),
        }
    }
}

/// The result of reading a state file.
struct Reading<T> {
    content: Option<T>,
    notice: Option<String>,
    blocked: Option<StateFileError>,
}

impl<T> Reading<T> {
    /// The result for a file that does not exist: no content, and it may be written.
    const fn missing() -> Self {
        Self {
            content: None,
            notice: None,
            blocked: None,
        }
    }

    /// The result for a file that must not be overwritten, with a notice that changes are not kept.
    fn blocked(error: StateFileError) -> Self {
        Self {
            content: None,
            notice: Some(format!("{error}. Changes are not kept.")),
            blocked: Some(error),
        }
    }
}

#[derive(Deserialize)]
struct Head {
    version: u32,
}

#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    version: u32,
    kept: T,
}

/// Reads a state file. A missing one has no content, a corrupt one is moved aside with a notice, and one that
/// cannot be read or moved aside or is from a newer version is blocked.
fn read<T: DeserializeOwned>(path: &Path) -> Reading<T> {
    let bytes = match bytes(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Reading::missing(),
        // A parent is not a folder, so there is no file; saving will report it.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Reading::missing(),
        Err(error) => {
            return Reading::blocked(StateFileError::Unreadable {
                path: path.to_owned(),
                source: Arc::new(error),
            });
        }
    };
    match serde_json::from_slice::<Head>(&bytes) {
        Ok(head) if head.version > VERSION => {
            return Reading::blocked(StateFileError::Newer(path.to_owned()));
        }
        _ => {}
    }
    match serde_json::from_slice::<Versioned<T>>(&bytes) {
        Ok(whole) => Reading {
            content: Some(whole.kept),
            ..Reading::missing()
        },
        Err(error) => set_aside(path, &error),
    }
}

/// The bytes of a file; empty, which counts as corrupt, if it is larger than 8 MiB.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    match files::read(path, LARGEST) {
        // Too large to read: treated as corrupt.
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Vec::new()),
        read => read,
    }
}

/// Moves a corrupt file aside; blocked if that fails. `error` gives the position for the notice.
fn set_aside<T>(path: &Path, error: &serde_json::Error) -> Reading<T> {
    let (line, column) = (error.line(), error.column());
    match files::set_aside(path) {
        Ok(aside) => Reading {
            notice: Some(format!(
                "{} is corrupt (line {line}, column {column}). Moved to {}; using defaults.",
                path.display(),
                aside
                    .file_name()
                    .map_or_else(|| aside.to_string_lossy(), |name| name.to_string_lossy())
            )),
            ..Reading::missing()
        },
        Err(source) => Reading::blocked(StateFileError::Corrupt {
            path: path.to_owned(),
            line,
            column,
            source: Arc::new(source),
        }),
    }
}

/// Replaces a file by `kept` as versioned, indented JSON in one step.
fn write<T: Serialize>(path: &Path, kept: &T) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(&Versioned { version: VERSION, kept })?;
    text.push(b'\n');
    files::write_atomically(path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_programs_change_one_file_and_a_newer_one_is_left_as_it_is() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("state/numbers.json");
        let open = || StateFile::<Vec<u32>>::open(path.clone(), &mut Vec::new());
        let [(first, none), (second, _)] = [open(), open()];
        assert_eq!(none, None);
        let add = |file: &StateFile<Vec<u32>>, number| file.change(Vec::new(), |all| all.push(number)).unwrap().0;
        assert_eq!(add(&first, 1), [1]);
        assert_eq!(add(&second, 2), [1, 2]);
        assert_eq!(add(&first, 3), [1, 2, 3]);
        assert_eq!(open().1, Some(vec![1, 2, 3]));

        std::fs::write(&path, r#"{"version":2,"kept":"unlike today's"}"#).unwrap();
        assert!(first.change(Vec::new(), |all| all.push(4)).is_err());
        let mut notices = Vec::new();
        let (file, content) = StateFile::<Vec<u32>>::open(path.clone(), &mut notices);
        assert!(file.is_blocked() && content.is_none());
        assert!(notices[0].contains("newer"));
        assert!(file.save(&vec![5]).is_err());
    }
}

//! State files: JSON with a version, written in one step.
//!
//! JSON, because no prefix of a document is a document: a truncated file is always noticed. An
//! unreadable file is set aside under another name and reported; one that a newer version wrote is
//! not touched.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::files;

/// The version of all state files.
const VERSION: u32 = 1;

// Far above what bourse writes.
/// The largest file that is read, in bytes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The result of reading a state file.
#[derive(Debug)]
pub(super) struct Reading<T> {
    /// Its content, if the file exists and is readable.
    pub content: Option<T>,
    /// A notice for the person.
    pub notice: Option<String>,
    /// Why the file must not be overwritten, if its content would be lost.
    pub blocked: Option<String>,
}

impl<T> Reading<T> {
    const fn missing() -> Self {
        Self {
            content: None,
            notice: None,
            blocked: None,
        }
    }

    fn blocked(why: String) -> Self {
        Self {
            content: None,
            notice: Some(format!("{why}. Changes are not kept.")),
            blocked: Some(why),
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

/// Reads a file. An unreadable one is set aside.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Reading<T> {
    let bytes = match bytes(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Reading::missing(),
        // A parent is not a folder, so there is no file; saving will report it.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Reading::missing(),
        Err(error) => {
            let why = files::why(&error);
            return Reading::blocked(format!("can't read {}: {why}", path.display()));
        }
    };
    match serde_json::from_slice::<Head>(&bytes) {
        Ok(head) if head.version > VERSION => {
            return Reading::blocked(format!(
                "{} was written by a newer bourse and is not changed",
                path.display()
            ));
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

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    match files::read(path, LARGEST) {
        // Too large to read: treated as corrupt.
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Vec::new()),
        read => read,
    }
}

fn set_aside<T>(path: &Path, error: &serde_json::Error) -> Reading<T> {
    let broken = format!(
        "{} is corrupt (line {}, column {})",
        path.display(),
        error.line(),
        error.column()
    );
    match files::set_aside(path) {
        Ok(aside) => Reading {
            notice: Some(format!(
                "{broken}. Moved to {}; using defaults.",
                aside
                    .file_name()
                    .map_or_else(|| aside.to_string_lossy(), |name| name.to_string_lossy())
            )),
            ..Reading::missing()
        },
        Err(why) => Reading::blocked(format!("{broken} and can't be moved: {why}")),
    }
}

/// Replaces a file in one step.
pub(super) fn write<T: Serialize>(path: &Path, kept: &T) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(&Versioned { version: VERSION, kept })?;
    text.push(b'\n');
    files::write_atomically(path, &text)
}

/// Changes a file that programs share: under its lock `change` makes the new content of the present
/// one, if there is any.
///
/// # Errors
///
/// Why nothing was changed, for display.
pub(super) fn change<T: Serialize + DeserializeOwned>(
    path: &Path,
    change: impl FnOnce(Option<T>) -> T,
) -> Result<T, String> {
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    path.parent().map_or(Ok(()), files::private_dir).map_err(failed)?;
    let _lock = files::lock(path)?;
    let stored = read::<T>(path);
    if let Some(why) = stored.blocked {
        return Err(why);
    }
    let content = change(stored.content);
    write(path, &content).map_err(failed)?;
    Ok(content)
}

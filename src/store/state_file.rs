//! Files of state: JSON with a version, whole or not there.
//!
//! JSON, since no beginning of a document is a document: a file that was cut is always noticed. A
//! file that cannot be read is put aside under another name and said so; one that a newer program
//! wrote is left as it is.

use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::files;

/// The version of all files of state.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes: far above what bourse writes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// What a file of state held.
#[derive(Debug)]
pub(super) struct Reading<T> {
    /// Its content, if it was there and could be read.
    pub content: Option<T>,
    /// What a person should know.
    pub notice: Option<String>,
    /// Why the file must not be written, if it must not: what is in it would be lost.
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

/// Reads a file. One that cannot be understood is set aside.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Reading<T> {
    let bytes = match bytes(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Reading::missing(),
        // A folder on the way that is no folder: there cannot be a file, and saving will say so.
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
        // Reading on would not make it sound: it is treated as broken.
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
    let mut text = serde_json::to_vec_pretty(&Versioned {
        version: VERSION,
        kept,
    })?;
    text.push(b'\n');
    files::write_atomically(path, &text)
}

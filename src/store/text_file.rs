//! Text files that the user names: payloads for workers, saved runs.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The longest payload for a worker, in MiB.
pub const LONGEST_PAYLOAD: u64 = 16;

/// A text file that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TextFileError {
    #[error("can't read {}: {source}", .path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is longer than {most} MiB", .path.display())]
    TooLong { path: PathBuf, most: u64 },
}

/// Reads a text file, `~/` being the home folder; `-` is standard input. `most` is its maximum length in MiB.
///
/// # Errors
/// When it cannot be read, is no UTF-8 or is longer than `most` MiB.
pub fn read(path: &Path, most: u64) -> Result<String, TextFileError> {
    let mut text = String::new();
    let bytes = most * 1024 * 1024;
    let mut take = |from: &mut dyn Read| from.take(bytes + 1).read_to_string(&mut text);
    let at_home = path.strip_prefix("~").ok().zip(etcetera::home_dir().ok());
    let file = at_home.map_or_else(|| path.to_owned(), |(rest, home)| home.join(rest));
    let read = if path == Path::new("-") {
        take(&mut io::stdin())
    } else {
        File::open(file).and_then(|mut file| take(&mut file))
    };
    read.map_err(|source| TextFileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    if text.len() as u64 > bytes {
        return Err(TextFileError::TooLong {
            path: path.to_owned(),
            most,
        });
    }
    Ok(text)
}

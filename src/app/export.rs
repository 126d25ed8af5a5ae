//! The result of an export.

use super::remote::Now;
use super::toast::Toast;

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its absolute path, for display.
    pub path: String,
    /// Its length in bytes.
    pub bytes: usize,
}

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotWritten {
    /// A file of that name exists; its path, for display.
    Exists(String),
    /// Writing failed; why, for display.
    Failed(String),
}

/// The notice for an export that succeeded, or whose form was closed meanwhile.
pub fn announce(result: Result<Written, NotWritten>, now: Now) -> Toast {
    match result {
        Ok(written) => {
            let size = match written.bytes {
                bytes if bytes < 10_000 => format!("{bytes} bytes"),
                bytes => format!("{} kB", bytes.div_ceil(1000)),
            };
            let mut toast = Toast::new(format!("Wrote {} ({size})", written.path), now);
            // Long enough to read a path.
            toast.until += 8.0;
            toast
        }
        Err(NotWritten::Exists(path)) => Toast::error(format!("{path} already exists"), now),
        Err(NotWritten::Failed(why)) => Toast::error(why, now),
    }
}

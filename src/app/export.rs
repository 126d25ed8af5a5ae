//! What becomes of a file that is exported.

use super::remote::Now;
use super::toast::Toast;

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its absolute path, for people.
    pub path: String,
    /// Its length in bytes.
    pub bytes: usize,
}

/// Why a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotWritten {
    /// There is one of that name; its path, for people.
    Exists(String),
    /// It could not be; why, in words.
    Failed(String),
}

/// Announces the end of an export whose form was closed meanwhile, or that succeeded.
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

//! The result of an export.

use super::toast::Toast;
use crate::table::remote::Now;

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its absolute path, for display.
    pub path: String,
    pub bytes: usize,
}

/// The reason a file was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotWritten {
    /// A file of that name exists; its path, for display.
    Exists(String),
    /// Writing failed, with the cause, for display.
    Failed(String),
}

/// The notice of an export: that it succeeded, or how it ended after its form was closed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_is_told_with_its_size_and_long_enough_to_read_its_path() {
        let now = Now {
            mono: 100.0,
            epoch: 0.0,
        };
        for (bytes, size) in [
            (0, "0 bytes"),
            (9_999, "9999 bytes"),
            (10_000, "10 kB"),
            (10_001, "11 kB"),
            (1_234_000, "1234 kB"),
        ] {
            let path = "/home/me/offers.csv".to_owned();
            let toast = announce(Ok(Written { path, bytes }), now);
            let text = format!("Wrote /home/me/offers.csv ({size})");
            assert_eq!(toast.text, text);
            let usual = Toast::new(text, now);
            assert!(toast.until - usual.until > 7.0 && toast.until < 130.0);
        }
    }
}

//! Files that the user exports: their content, and the result.

use std::borrow::Cow;
use std::fmt;

use super::toast::Toast;
use crate::domain::time::Now;

/// The content of a file to export.
///
/// Its text is made on the thread that writes the file: a long one would hold up the keys.
pub trait Content: fmt::Debug + Send + 'static {
    /// The whole content of the file, as it is written.
    fn text(&self) -> Cow<'_, str>;
}

impl Content for String {
    fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

/// A content with its type erased, to be written by the runtime.
#[derive(Debug)]
pub struct AnyContent(Box<dyn Content>);

impl AnyContent {
    /// Erases the type of a content; its text is not made yet.
    pub fn new(content: impl Content) -> Self {
        Self(Box::new(content))
    }

    /// The whole content of the file, made when this is called.
    pub fn text(&self) -> Cow<'_, str> {
        self.0.text()
    }
}

impl PartialEq for AnyContent {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

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

/// The notice of an export's result: path and size of the file, shown for twelve seconds, or an error.
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
    use crate::domain::time::MonotonicTime;

    #[test]
    fn a_written_file_is_told_with_its_size_and_long_enough_to_read_its_path() {
        let now = Now {
            mono: MonotonicTime::new(100.0),
            ..Now::default()
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
            assert!(toast.until - usual.until > 7.0 && toast.until < MonotonicTime::new(130.0));
        }
    }
}

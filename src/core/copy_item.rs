//! A text that can be copied.

use crate::api::OriginError;
use crate::domain::text::clipboard;

/// The longest text that is copied, in bytes: what all terminals accept.
pub const LONGEST: usize = 64 * 1024;

/// A text that is not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    #[error("it is empty")]
    Empty,
    /// There is no such text: the sentence says what is missing.
    #[error("{0}")]
    Missing(&'static str),
    /// The rows are recorded ones, or the table has none yet: the sentence says what they wait for.
    #[error("{0}")]
    Waiting(String),
    #[error("{} kB is over the clipboard's limit of {} kB: export it instead", .bytes.div_ceil(1024), LONGEST / 1024)]
    TooLong { bytes: usize },
    #[error("{rows} rows are over the clipboard's limit of {} kB: mark some, or export them instead", LONGEST / 1024)]
    TooManyRows { rows: usize },
    #[error(transparent)]
    Address(#[from] OriginError),
}

/// A text that can be copied, with a letter of its own in the menu of copies.
#[derive(Debug, Clone)]
pub struct CopyItem {
    /// The letter that copies it in the menu.
    pub letter: char,
    /// Its name in the palette.
    pub name: &'static str,
    /// What it is, as in “Copied …”.
    pub what: String,
    /// The text, or why there is none.
    pub text: Result<String, CopyError>,
    /// Whether the text is a secret: copied on request, never shown.
    pub is_secret: bool,
}

impl CopyItem {
    /// An item; a text that is too long becomes an error. Hostile characters are escaped, and it says
    /// so.
    pub fn new(letter: char, name: &'static str, what: impl Into<String>, text: Result<String, CopyError>) -> Self {
        let mut what = what.into();
        let text = text.and_then(|raw| {
            let text = clipboard(&raw);
            if text != raw {
                what.push_str("; control and invisible characters escaped");
            }
            if text.is_empty() {
                Err(CopyError::Empty)
            } else {
                check_size(text.len()).map(|()| text)
            }
        });
        Self {
            letter,
            name,
            what,
            text,
            is_secret: false,
        }
    }

    /// Marks it as a secret, which is never shown.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }
}

/// Checks that a text of `bytes` is not too long for a clipboard.
///
/// # Errors
/// When they are.
pub fn check_size(bytes: usize) -> Result<(), CopyError> {
    if bytes <= LONGEST {
        return Ok(());
    }
    Err(CopyError::TooLong { bytes })
}

//! A text that can be copied.

use crate::api::OriginError;
use crate::domain::text::clipboard;

/// Maximum length of a copied text, in bytes: all terminals accept as much.
pub const LONGEST: usize = 64 * 1024;

/// The reason a text is not copied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    #[error("it is empty")]
    Empty,
    /// The text does not exist; a sentence that names the missing part.
    #[error("{0}")]
    Missing(&'static str),
    /// The rows are recorded ones, or not loaded yet; a sentence that names the awaited event.
    #[error("{0}")]
    Waiting(String),
    #[error("{} kB is over the clipboard's limit of {} kB: export it instead", .bytes.div_ceil(1024), LONGEST / 1024)]
    TooLong { bytes: usize },
    #[error("{rows} rows are over the clipboard's limit of {} kB: mark some, or export them instead", LONGEST / 1024)]
    TooManyRows { rows: usize },
    #[error(transparent)]
    Address(#[from] OriginError),
}

/// A text that can be copied, with its letter in the copy menu.
#[derive(Debug, Clone)]
pub struct CopyItem {
    /// The letter that copies it in the menu.
    pub letter: char,
    /// Its name in the palette.
    pub name: &'static str,
    /// A description of the text, as in “Copied …”.
    pub what: String,
    /// The text, or the reason it cannot be copied.
    pub text: Result<String, CopyError>,
    /// Whether the text is a secret: copied on request, never shown.
    pub is_secret: bool,
}

impl CopyItem {
    /// Creates an item; an empty text, or one over 64 KiB, becomes an error.
    ///
    /// Control and invisible characters are escaped, and the description (`what`) then mentions that.
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

    /// Marks the text as a secret, which is never shown.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }
}

/// Checks that a text of `bytes` fits into a clipboard, at most 64 KiB.
///
/// # Errors
///
/// [`CopyError::TooLong`] above [`LONGEST`].
pub fn check_size(bytes: usize) -> Result<(), CopyError> {
    if bytes <= LONGEST {
        return Ok(());
    }
    Err(CopyError::TooLong { bytes })
}

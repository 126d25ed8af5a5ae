//! The files of the program: API keys, its state, the journal of writes.

pub mod export;
pub mod journal;
pub mod keys;
pub mod pacing;
pub mod paths;
pub mod state;
pub mod text_file;

pub use bourse_record::{files, state_file};
pub use journal::{Journal, JournalError};
pub use pacing::PacingFile;
pub use paths::Paths;
pub use state::{DocumentKind, StateStore};
pub use state_file::{StateFile, StateFileError};

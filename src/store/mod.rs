//! Files: configuration and profiles, API keys, and the program's state.

pub mod appearance;
pub mod config;
pub mod drift;
pub mod export;
pub mod files;
pub mod journal;
pub mod keys;
pub mod made_groups;
pub mod pacing;
pub mod paths;
pub mod places;
pub mod profiles;
mod searches;
pub mod state;
mod state_file;
pub mod themes;

pub use appearance::{Notifications, Theme};
pub use config::{Config, ConfigError, Profile};
pub use drift::GroupsFile;
pub use journal::Journal;
pub use made_groups::MadeGroupsFile;
pub use pacing::PacingFile;
pub use paths::Paths;
pub use state::{SavedState, StateStore};

//! What is kept: configuration and profiles, keys, and the files of the program's state.

pub mod config;
pub mod files;
pub mod keys;
pub mod paths;

pub use config::{Config, ConfigError, Profile, Theme};
pub use paths::Paths;

//! Files: configuration, profiles, state.

mod bounded;
mod configuration;
#[cfg(target_os = "linux")]
pub mod failing_disk;
mod history;
mod profiles;
mod state_files;

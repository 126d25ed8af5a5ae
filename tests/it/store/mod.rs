//! Files: configuration, profiles, state.

#[cfg(unix)]
mod bounded;
mod configuration;
#[cfg(target_os = "linux")]
pub mod failing_disk;
#[cfg(unix)]
mod history;
#[cfg(unix)]
mod profiles;
mod state_files;

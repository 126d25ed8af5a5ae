//! Files: configuration, profiles, state.

mod bounded;
mod configuration;
#[cfg(target_os = "linux")]
mod failing_disk;
mod history;
mod profiles;
mod state_files;

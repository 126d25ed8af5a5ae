//! Files: configuration, profiles, state.

mod configuration;
#[cfg(unix)]
mod profiles;
mod state_files;

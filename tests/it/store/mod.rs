//! Files: configuration, profiles, state.

#[cfg(unix)]
mod bounded;
mod configuration;
#[cfg(unix)]
mod profiles;
mod state_files;

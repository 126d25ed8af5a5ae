//! The commands without a screen.

pub mod commands;
#[cfg(unix)]
mod help;
mod job;
mod lists;
#[cfg(unix)]
mod route;
mod search_notes;
#[cfg(unix)]
mod writes;

//! The commands without a screen.

mod analysis;
pub mod commands;
mod enrich;
#[cfg(unix)]
mod help;
#[cfg(unix)]
pub mod history;
#[cfg(unix)]
mod history_bans;
mod job;
mod lists;
mod man;
mod markets;
mod pick;
#[cfg(unix)]
mod route;
mod search_notes;
mod whole_market;
#[cfg(unix)]
mod writes;

//! The commands without a screen.

mod analysis;
pub mod commands;
mod enrich;
mod help;
pub mod history;
mod history_bans;
mod job;
mod lists;
mod man;
mod markets;
mod pick;
mod route;
mod search_notes;
mod writes;

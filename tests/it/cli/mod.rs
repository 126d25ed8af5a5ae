//! The commands without a screen.

mod analysis;
#[cfg(unix)]
mod bids;
pub mod commands;
mod enrich;
mod first_use;
mod group_costs;
mod help;
pub mod history;
mod history_bans;
mod job;
mod key_reach;
mod lists;
mod man;
mod markets;
#[cfg(unix)]
mod mcp;
#[cfg(unix)]
mod metrics;
mod pick;
mod route;
mod route_send;
mod sandbox_past;
mod schema;
mod scripting;
mod search_notes;
mod verdict;
mod watch_saved;
mod whole_market;
mod writes;
mod writes_check;

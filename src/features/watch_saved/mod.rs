//! `bourse watch`: a search, or with `--saved` every saved search and every alert of the profile, until it is ended.
//!
//! `watcher` decides what is asked, recorded and told, without a clock or socket, and `one` what is only for one search;
//! `command` brings those and prints.

pub(crate) mod command;
mod one;
pub(crate) mod targets;
pub mod watcher;

use clap::Args;

#[derive(Debug, Args)]
pub struct SavedArguments {
    /// Watch every saved search and alert instead of one
    ///
    /// All share `watch.requests_per_minute`. Alerts ring without a screen: as a line, and with your
    /// `alert_command`.
    #[arg(long, conflicts_with_all = ["query", "volumes", "no_default", "offer_type", "no_bans", "limit",
        "condition", "with"])]
    pub saved: bool,

    /// Show what `--saved` would watch, without sending
    #[arg(long, requires = "saved", conflicts_with = "once")]
    pub list: bool,
}

//! `bourse watch`: polls a search, or with `--saved` every saved search and every alert of the
//! profile, until it is ended.
//!
//! `watcher` decides about requests, the record and output, without a clock or socket; `one` adds
//! the parts that only a single search has; `command` supplies the clock and requests, and prints.

pub(crate) mod command;
pub mod metrics;
mod one;
pub(crate) mod targets;
pub mod watcher;

use std::net::SocketAddr;

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

    /// Serve metrics of the watch at this address, for Prometheus
    ///
    /// `127.0.0.1:9184` serves `http://127.0.0.1:9184/metrics` to programs on this computer; port 0 picks a free one.
    /// Whoever reaches another address can read the names of your saved searches and their prices, unencrypted.
    #[arg(long, value_name = "ADDR:PORT", requires = "saved", conflicts_with_all = ["once", "list"],
        hide_short_help = true)]
    pub metrics: Option<SocketAddr>,
}

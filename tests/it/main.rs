//! All integration tests, in one binary: one module a topic.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::pedantic,
    // Figures are written as the market sends them.
    clippy::excessive_precision
)]

mod architecture;
#[cfg(unix)]
mod background;
mod catalog;
mod cli;
#[cfg(unix)]
mod cli_help;
mod cli_lists;
#[cfg(unix)]
mod cli_writes;
mod client;
mod columns_story;
mod comfort_story;
mod compare_story;
mod computed_story;
mod configuration;
mod copy_story;
mod cost;
#[cfg(unix)]
mod creating;
mod decode;
mod desk;
mod docs;
mod errors;
mod filter_story;
#[cfg(unix)]
mod group_keys;
mod groups_form_story;
mod groups_story;
mod honesty_story;
mod independent;
mod insight;
mod insights_story;
mod language;
mod language_editing;
mod language_properties;
mod leaving_story;
#[cfg(unix)]
mod markets_known;
#[cfg(unix)]
mod markets_live;
mod markets_story;
mod memory;
mod offers_story;
mod own_keys;
mod price_basis_story;
#[cfg(unix)]
mod pty;
#[cfg(unix)]
mod pty_support;
mod query_cases;
mod real_loop;
mod real_records;
#[cfg(unix)]
mod real_terminal;
mod recorder;
mod recording;
mod requests_loop;
mod requests_story;
#[cfg(unix)]
mod route_command;
mod route_loop;
mod route_server;
mod route_story;
mod routing;
mod sandbox_http;
mod sandbox_life;
mod sandbox_market;
mod saved_story;
#[cfg(unix)]
mod screenshots;
mod search_notes;
mod settings_story;
#[cfg(unix)]
mod shopping;
mod sorting_story;
mod state_files;
mod supply;
mod support;
mod surprises_story;
mod themes;
mod unlist_story;
mod unlisting;
mod volumes_story;
mod volumes_wire;
mod watch_story;
mod wire;
mod workergroups_domain;

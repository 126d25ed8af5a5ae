//! All integration tests, in one binary: one module a topic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::pedantic,
    // Figures are written as the market sends them.
    clippy::excessive_precision
)]

mod api;
mod cli;
mod comfort_story;
mod computed_story;
mod copy_story;
mod desk;
mod domain;
mod groups_form_story;
mod groups_story;
mod honesty_story;
mod insights_story;
mod memory;
mod offers_story;
mod own_keys;
mod price_basis_story;
#[cfg(unix)]
mod pty_support;
mod recorder;
mod repository;
mod route_server;
mod sandbox;
mod sorting_story;
mod store;
mod stories;
mod support;
mod surprises_story;
mod terminal;
mod themes;
mod unlist_story;
mod volumes_story;
mod watch_story;

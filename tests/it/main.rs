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
mod cases;
mod cli;
mod contract;
mod domain;
mod files;
mod frozen;
mod fuzz;
mod hostile;
mod polls;
mod pty_support;
#[path = "../../crates/client/tests/it/recorder.rs"]
mod recorder;
mod repository;
mod route_server;
mod safety;
mod sandbox;
mod store;
mod stories;
#[path = "../../crates/sandbox/tests/it/support.rs"]
mod support;
mod terminal;
mod test_app;
mod upgrade;
mod whole_market;

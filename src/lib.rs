//! bourse: a keyboard-driven terminal dashboard for GPU compute marketplaces.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod api;
pub mod app;
pub mod cli;
pub mod domain;
pub mod runtime;
pub mod sandbox;
pub mod store;
pub mod ui;

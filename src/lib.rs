//! bourse: a keyboard-driven terminal dashboard for GPU compute marketplaces.
//!
//! `docs/architecture.md` describes the rooms, their allowed imports, and the way from a key press
//! to a request and from a response to a cell. In short: a key press becomes an
//! [`crate::core::Message`]; [`crate::core::update`] changes the model and returns
//! [`crate::core::Effect`]s; the event loop in [`mod@runtime::dashboard`] carries them out and
//! sends responses back as messages; [`crate::frame::draw`] draws the model. All decisions are made
//! without a clock, a socket or a terminal, so that every one can be tested.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod cli;
pub mod core;
pub mod features;
pub mod frame;
pub mod keys;
pub mod process;
pub mod runtime;
pub mod settings;
pub mod store;
pub mod table;

pub use bourse_client as api;
pub use bourse_domain as domain;
pub use bourse_record as record;
pub use bourse_sandbox as sandbox;
pub use bourse_tui as tui;

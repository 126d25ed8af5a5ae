//! bourse: a keyboard-driven terminal dashboard for GPU compute marketplaces.
//!
//! # The architecture in one page
//!
//! A key press becomes an [`app::Message`]; [`app::update`] changes the model and returns
//! [`app::Effect`]s; the event loop in [`mod@runtime::dashboard`] carries them out and sends
//! responses back as messages; [`ui::draw`] shows the model and returns what it measured. Only
//! `runtime` has a clock, a socket or a terminal, so every decision can be tested without them.
//!
//! | module | responsibility | may use |
//! | --- | --- | --- |
//! | [`domain`] | fields, catalogs, queries, the query language, records, arithmetic | nothing else |
//! | [`api`] | requests and replies as data, wire formats, the HTTP client | `domain` |
//! | [`app`] | the pure core: state and updates | `domain`, `api` as data |
//! | [`views`] | one folder per view: state, update, drawing | `domain`, `api`, `app`, `widgets` |
//! | [`widgets`] | reusable drawing and input | `domain`, `app::keymap` |
//! | [`ui`] | the frame around the views: header, footer, overlays | `domain`, `api`, `app`, `widgets` |
//! | [`store`] | configuration, API keys and state on disk | `domain` |
//! | [`sandbox`] | a simulated marketplace over HTTP | `domain`, `api::wire` |
//! | [`runtime`], [`cli`] | clock, sockets, terminal; the command line | everything |
//!
//! One table describes every field ([`domain::catalog`]), one describes every key
//! ([`app::keymap`]). Text from a server is [`domain::Untrusted`] and leaves through one exit for
//! each sink; secrets are [`api::Secret`].
//!
//! # Known limits
//!
//! Sorting and filtering run on the event loop's thread: fast for what markets return today, to be
//! moved off it for hundreds of thousands of rows.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod api;
pub mod app;
pub mod cli;
pub mod domain;
pub mod runtime;
pub mod sandbox;
pub mod store;
pub mod ui;
pub mod views;
pub mod widgets;

//! bourse: a keyboard-driven terminal dashboard for GPU compute marketplaces.
//!
//! # The architecture in one page
//!
//! A key press becomes a [`app::Message`]; [`app::update`] decides and gives [`app::Effect`]s; the
//! event loop in [`mod@runtime::dashboard`] carries them out and brings answers back as messages;
//! [`ui::draw`] shows the model and returns what it measured. Only `runtime` has a clock, a socket
//! or a terminal, so everything that is decided can be tested without them.
//!
//! | room | what it holds | what it may name |
//! | --- | --- | --- |
//! | [`domain`] | what exists: fields, catalogs, queries, the language, records, arithmetic | nothing else |
//! | [`api`] | how it travels: requests and replies as data, wire form, the one HTTP client | `domain` |
//! | [`app`] | what is decided: the pure core | `domain`, `api` as data |
//! | [`ui`] | what is shown | `domain`, `app` |
//! | [`store`] | what is kept: configuration, keys, state | `domain` |
//! | [`sandbox`] | a marketplace in a box | `domain`, `api::wire` |
//! | [`runtime`], [`cli`] | the outside world and the way in | everything |
//!
//! One table describes every field ([`domain::catalog`]), one describes every key
//! ([`app::keymap`]). Text from a server is [`domain::Untrusted`] and leaves through one exit for
//! each sink; secrets are [`api::Secret`].
//!
//! # Weak spots, known
//!
//! Sorting and narrowing run on the loop's thread: quick for what a market answers in practice, to
//! be moved off it for sets of a hundred thousand rows. An answer is read when it is whole, not
//! while it streams.

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

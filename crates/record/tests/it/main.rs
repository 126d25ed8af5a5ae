//! The record of the market, as other packages use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::pedantic)]

mod retention;
mod scopes;
mod support;
mod tables;
mod writing;

//! The record of the market, as other packages use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::pedantic)]

mod before;
mod crash;
mod implication;
mod large;
mod retention;
mod scopes;
mod stories;
mod support;
mod tables;
mod truth;
mod world;
mod writing;

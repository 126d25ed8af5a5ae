//! The sandbox, as other packages use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::pedantic)]

mod bounds;
mod http;
mod life;
mod market;
mod past;
mod support;
mod workers;

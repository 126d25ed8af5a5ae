//! The widgets, as other packages use them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::pedantic)]

mod contrast;
mod keys;
mod reports;
mod themes;

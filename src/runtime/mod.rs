//! The only clock, socket and terminal: what the machine gives and takes.

mod background;
mod calls;
pub mod clipboard;
pub mod dashboard;
pub mod harden;
pub mod input;
mod keeper;
mod markets;
pub mod panics;
mod routes;
pub mod signals;
pub mod start;
pub mod terminal;
pub mod tty;
pub mod watchdog;
pub mod writes;

pub use harden::harden;
pub use start::dashboard;

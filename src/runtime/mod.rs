//! The only clock, socket and terminal: what the machine gives and takes.

mod background;
mod calls;
pub mod clipboard;
mod config_watch;
pub mod dashboard;
pub mod editor;
pub mod harden;
pub mod input;
mod keeper;
mod markets;
mod messages;
mod notification;
pub mod panics;
mod routes;
pub mod signals;
pub mod start;
mod surface;
pub mod terminal;
pub mod tty;
pub mod watchdog;
pub mod writes;

pub use harden::harden;
pub use start::dashboard;

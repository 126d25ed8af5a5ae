//! The effects of the core: the only place with a clock, sockets and a terminal.

pub mod alarm;
mod background_color;
mod calls;
pub mod clipboard;
mod clock;
mod config_watch;
pub mod dashboard;
mod disk_writer;
pub mod editor;
mod frame_pace;
pub mod history;
pub mod input;
pub mod log;
mod markets;
mod messages;
mod notification;
pub mod panics;
pub mod process_hardening;
mod repair;
mod routes;
pub mod signals;
pub mod start;
mod surface;
pub mod terminal;
pub mod tty;
mod user_command;
pub mod watchdog;
pub mod writes;

pub use process_hardening::harden;
pub use repair::await_repair;
pub use start::dashboard;

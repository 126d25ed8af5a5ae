//! The real event loop and the real program in a terminal.

mod background;
#[cfg(target_os = "linux")]
pub mod commands;
pub mod creating;
mod frames;
mod group_keys;
mod guard;
#[cfg(target_os = "linux")]
mod hardening;
mod hostile;
mod idle;
mod markets;
mod memory;
mod panicking;
mod prompts;
mod real_loop;
mod real_terminal;
mod requests_loop;
mod route_loop;
mod secret_sinks;
mod secrets;
mod shopping;
#[cfg(target_os = "linux")]
mod soak;
mod unlisting;
mod user_commands;
mod window;

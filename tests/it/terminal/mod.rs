//! The real event loop and the real program in a terminal.

#[cfg(unix)]
mod background;
#[cfg(unix)]
pub mod creating;
mod frames;
#[cfg(unix)]
mod group_keys;
#[cfg(unix)]
mod guard;
#[cfg(target_os = "linux")]
mod hardening;
#[cfg(unix)]
mod hostile;
mod idle;
#[cfg(unix)]
mod markets;
mod memory;
#[cfg(unix)]
mod panicking;
mod real_loop;
#[cfg(unix)]
mod real_terminal;
mod requests_loop;
mod route_loop;
#[cfg(unix)]
mod secret_sinks;
#[cfg(unix)]
mod secrets;
#[cfg(unix)]
mod shopping;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(unix)]
mod unlisting;
#[cfg(unix)]
mod window;

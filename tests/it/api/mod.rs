//! How requests travel.

#[cfg(target_os = "linux")]
mod bounds;
mod client;
mod errors;
mod origins;
mod volumes_wire;
mod wire;

//! How requests of the program travel. The client's own tests are in `crates/client`.

#[cfg(target_os = "linux")]
mod bounds;
mod volumes_wire;

//! How requests travel.

mod client;
mod errors;
mod volumes_wire;
mod wire;

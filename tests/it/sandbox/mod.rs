//! The marketplace in a box.

mod bounds;
mod faults;
mod http;
mod life;
mod market;
mod past;

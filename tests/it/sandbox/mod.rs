//! The marketplace in a box.

mod http;
mod life;
mod market;

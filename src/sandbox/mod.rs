//! A marketplace in a box: a simulated market and fleet behind the real interface.
//!
//! [`market`] and [`fleet`] are pure: they know neither clock nor network. Their figures come from
//! `assets/sandbox`, their variety from a seed.

pub mod fleet;
pub mod market;
mod numbers;
mod random;

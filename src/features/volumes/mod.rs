//! What a network volume costs over time, and unlisting it.

pub(crate) mod term;
pub mod unlist;

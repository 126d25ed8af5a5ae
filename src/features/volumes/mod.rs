//! The cost of network volumes over time, and unlisting them.

pub(crate) mod term;
pub mod unlist;

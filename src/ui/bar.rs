//! What the filter editor says of conditions that wait for something.

pub use crate::app::needs::not_applied;

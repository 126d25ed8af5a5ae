//! Bids checked on the recorded minimum bids: the holds that each would have had, and the cheapest
//! one for a job.

pub mod arguments;
pub mod command;
pub(crate) mod document;
pub(crate) mod rules;
pub mod study;
pub(crate) mod tool;
pub(crate) mod view;

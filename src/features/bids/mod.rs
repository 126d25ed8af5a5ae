//! What bids would have held on the recorded minimum bids, and which one makes a job cheapest.

pub mod arguments;
pub mod command;
pub(crate) mod rules;
pub mod study;
pub(crate) mod view;

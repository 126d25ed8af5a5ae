//! The cheapest machines for so many GPUs.

pub(crate) mod command;
pub(crate) mod view;

//! The market at a glance: models, the plot, and how deep each price goes.

pub(crate) mod arguments;
pub(crate) mod command;
pub(crate) mod depth;
pub mod plot;
pub mod summary;

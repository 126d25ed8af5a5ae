//! The views of the whole market: models, the plot, and the depth of prices.

pub(crate) mod arguments;
pub(crate) mod command;
pub(crate) mod depth;
pub(crate) mod document;
pub mod plot;
pub mod summary;
pub(crate) mod tool;

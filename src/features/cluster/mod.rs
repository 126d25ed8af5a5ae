//! Plans of clusters: the cheapest machines that together have a number of GPUs.

pub(crate) mod command;
pub(crate) mod document;
pub(crate) mod tool;
pub(crate) mod view;

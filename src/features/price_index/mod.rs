//! The price index: the usual price of each GPU model, and the ratios between its sizes and price
//! types.

pub mod arguments;
pub mod command;
pub(crate) mod document;
pub mod index;
pub(crate) mod rules;
pub(crate) mod view;

//! The price index: what each GPU model usually costs, and how its sizes and price types compare.

pub mod arguments;
pub mod command;
pub mod index;
pub(crate) mod rules;
pub(crate) mod view;

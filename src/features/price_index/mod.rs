//! The price index: what each GPU model usually costs, and how its sizes and price types compare.

pub mod command;
pub(crate) mod rules;
pub(crate) mod view;

//! Searching: the table of a pane with its query line, and the editors of conditions, order, columns and settings.

pub(crate) mod columns;
pub(crate) mod command;
pub(crate) mod filter;
pub(crate) mod funnel;
pub mod pane;
pub(crate) mod settings;
pub(crate) mod sort;

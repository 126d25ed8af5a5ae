//! Searching: the table of a pane with its query line, and the dialog that edits conditions, order, columns
//! and settings.

pub(crate) mod answer;
pub(crate) mod command;
pub(crate) mod dialog;
pub mod pane;
pub mod rules;
pub(crate) mod tool;

//! One record in full, and as a card beside the table.

pub mod panel;
pub mod preview;
pub mod view;

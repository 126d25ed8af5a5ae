//! One record in full, and in short beside the table.

pub mod preview;
pub mod view;

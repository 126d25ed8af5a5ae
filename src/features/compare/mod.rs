//! Marked rows side by side.

pub(crate) mod view;

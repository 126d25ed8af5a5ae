//! The comparison of marked rows.

pub(crate) mod view;

//! The help, the command palette and the notices.

pub(crate) mod notices;
pub mod palette;
pub(crate) mod view;

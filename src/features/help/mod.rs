//! Help, the palette and notices.

pub(crate) mod notices;
pub mod palette;
pub(crate) mod view;

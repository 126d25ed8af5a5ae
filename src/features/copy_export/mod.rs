//! The exits for data: the clipboard and exported files.

pub mod copy;
pub mod copy_menu;
pub mod export_form;
pub mod formats;
pub(crate) mod handoff;

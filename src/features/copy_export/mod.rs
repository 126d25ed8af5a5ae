//! What leaves the program: by the clipboard or in a file.

pub mod copy;
pub mod copy_menu;
pub mod export_form;
pub mod formats;
pub(crate) mod handoff;

//! Parts shared by views: dialogs, forms, charts and searchable lists.

pub(crate) mod chart;
pub mod confirm;
pub(crate) mod form_view;
pub(crate) mod keys;
pub(crate) mod member_notes;
pub(crate) mod request_preview;
pub(crate) mod searched;
pub(crate) mod sheet;
pub(crate) mod tabs;
pub(crate) mod text_dialog;
pub(crate) mod typed_search;
pub(crate) mod wider;
pub(crate) mod write_dialog;

//! Widgets that know nothing of marketplaces: they draw what they are given; forms, lists and
//! reports have their own cursor.

pub mod appearance;
pub mod dialog;
pub mod find;
pub mod finish;
pub mod form;
pub mod input_widget;
pub mod json;
pub mod list;
pub mod panel;
pub mod range_bar;
pub mod records;
pub mod report;
pub mod scrolled;
pub mod secret_input;
pub mod table;
pub mod text;
pub mod text_area;
pub mod text_input;
pub mod theme;
pub mod viewport;

//! The rows on screen, and the values computed from them.

pub(crate) mod annotated;
pub mod bar;
pub mod browser;
pub mod column_prerequisites;
pub mod computed_columns;
pub(crate) mod conditions;
pub mod gone;
mod kept_search;
pub(crate) mod marks;
pub mod price_models;
pub mod pricing;
pub(crate) mod query_input;
pub(crate) mod recording;
pub mod remote;
pub mod row_filter;
pub mod rows;
pub(crate) mod sorting;
pub(crate) mod suggestions;
pub(crate) mod typed_words;
pub(crate) mod violations;
pub mod watch;
mod watched;

//! The domain of a compute marketplace: fields, queries, records and the untrusted text in them.
//!
//! This crate is pure: no HTTP, clock, terminal or asynchronous work. If a function needs the time (`duration` is "time
//! left from now"), it is passed in ([`time`]).

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod annotations;
pub mod catalog;
pub mod copies;
pub mod cost;
pub mod country;
pub mod deadline;
pub mod dialect;
pub mod document;
pub mod evidence;
pub mod export;
pub mod field;
pub mod format;
pub mod insight;
pub mod journal;
pub mod json_split;
pub mod language;
pub mod limits;
pub mod listing;
pub mod local;
pub mod objection;
pub mod operator;
pub mod plain;
pub mod pretty;
pub mod quantity;
pub mod query;
pub mod response_check;
pub mod routing;
pub mod saved;
pub mod secrets;
pub mod text;
pub mod throughput;
pub mod time;
pub mod unit;
pub mod value;
pub mod watching;
pub mod workergroup;

pub use catalog::{Catalog, OFFERS, Resource, VOLUMES, WORKERGROUPS};
pub use dialect::Dialect;
pub use field::{Field, Filter, Kind, Operator, Operators, Section, Source, Unit};
pub use listing::{Listing, RowId};
pub use query::{Condition, Direction, OfferType, Operand, OrderKey, Query};
pub use text::Untrusted;
pub use value::{CellRef, JsonKind, Value, Version};

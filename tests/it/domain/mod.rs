//! What exists: catalogs, language, prices, routing, workergroups.

mod catalog;
mod cost;
mod decode;
mod independent;
mod insight;
mod language;
mod language_editing;
mod language_properties;
pub mod malformed;
mod plain;
mod query_cases;
mod real_records;
mod routing;
mod rows;
mod supply;
mod workergroups;

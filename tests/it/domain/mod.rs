//! What exists: catalogs, language, prices, routing, workergroups.

mod catalog;
mod cost;
mod decode;
mod depth;
mod evidence;
mod history;
mod independent;
mod insight;
mod language;
mod language_editing;
mod language_properties;
pub mod malformed;
mod plain;
mod plan;
mod plan_work;
mod query_cases;
mod real_records;
mod routing;
mod rows;
mod sentences;
mod streaming;
mod supply;
mod work;
mod workergroups;

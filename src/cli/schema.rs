//! `bourse schema`: the JSON Schemas of the documents that the commands print.

use serde_json::Value as Json;

use super::documents::schema_of;
use super::output::{self, CliError};
use crate::features::PRINTED;

/// The kinds of documents that have a JSON Schema.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    PRINTED.iter().map(|(kind, _)| *kind)
}

/// The schema of the documents of a kind; `None` if there is no such kind.
pub fn schema(kind: &str) -> Option<Json> {
    PRINTED.iter().find(|(own, _)| *own == kind).map(schema_of)
}

/// Prints the JSON Schema of a kind of documents; without one, or for an unknown one, the names of the kinds.
///
/// # Errors
/// When it cannot be written.
pub fn print_document_schema(kind: Option<&str>) -> Result<(), CliError> {
    match kind.and_then(schema) {
        Some(schema) => output::print_json(&format!("{schema:#}\n")),
        None => output::print(&kinds().fold(String::new(), |all, kind| all + kind + "\n")),
    }
}

//! The kinds of documents that the commands print, and `bourse schema`.

use schemars::Schema;
use serde_json::{Value as Json, json};

use super::documents;
use super::documents::members;
use super::output::{self, CliError, DOCUMENT_VERSION};
use crate::features::{
    bids, cluster, history, market, markets, pick, price_index, route_lab, watch_saved, workergroups,
};

/// Names each kind with its type: the schemas by kind, in the order of `docs/scripting.md`.
macro_rules! documents {
    ($($kind:literal: $document:ty,)+) => {
        /// The kinds of documents, each with the schema of the members behind `v` and `kind`.
        const SCHEMAS: &[(&str, fn() -> Schema)] = &[$(($kind, members::<$document>)),+];
    };
}

documents! {
    "offers": documents::OfferList,
    "volumes": documents::OfferList,
    "groups": documents::Groups,
    "supply": workergroups::document::Supply,
    "market": market::document::Analysis<market::document::Market>,
    "depth": market::document::Analysis<market::document::Depth>,
    "plan": market::document::Analysis<cluster::document::Plans>,
    "pick": pick::command::NoOffer,
    "history": history::document::History,
    "price-index": price_index::document::PriceIndex,
    "bids": bids::document::Bids,
    "change": history::document::WatchEvent,
    "watch-list": watch_saved::command::WatchList,
    "price": history::document::RecordedPrice,
    "db-check": history::document::DbCheck,
    "db-vacuum": history::document::DbVacuum,
    "db-reset": history::document::DbReset,
    "market-added": markets::document::MarketAdded,
    "market-check": markets::document::MarketCheck,
    "writes": documents::Writes,
    "request": documents::Request,
    "route": route_lab::command::document::Route,
    "sandbox": documents::Sandbox,
    "config": documents::Config,
    "config-check": documents::ConfigCheck,
    "paths": documents::Paths,
}

/// The kinds that have a schema.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|(kind, _)| *kind)
}

/// The schema of the documents of a kind; `None` if there is no such kind.
pub fn schema(kind: &str) -> Option<Json> {
    let (kind, members) = SCHEMAS.iter().find(|(own, _)| *own == kind)?;
    let mut schema = members().to_value();
    let members = schema["properties"].take();
    let mut properties = json!({
        "v": { "const": DOCUMENT_VERSION, "description": "Rises when a member changes its name, type or unit." },
        "kind": { "const": kind },
    });
    if let (Some(all), Json::Object(members)) = (properties.as_object_mut(), members) {
        all.extend(members);
    }
    let mut required = vec!["v".into(), "kind".into()];
    if let Json::Array(members) = schema["required"].take() {
        required.extend(members);
    }
    schema["required"] = required.into();
    schema["properties"] = properties;
    schema["title"] = format!("bourse {kind}").into();
    Some(schema)
}

/// Prints the schema of a kind, or the kinds.
///
/// # Errors
/// When it cannot be written.
pub fn print_schema(kind: Option<&str>) -> Result<(), CliError> {
    match kind.and_then(schema) {
        Some(schema) => output::print_json(&format!("{schema:#}\n")),
        None => output::print(&kinds().fold(String::new(), |all, kind| all + kind + "\n")),
    }
}

//! Plans of clusters: the cheapest machines that together have a number of GPUs.

pub(crate) mod command;
pub(crate) mod document;
pub(crate) mod tool;
pub(crate) mod view;

use crate::domain::insight::plan::OfferName;
use crate::domain::{Listing, country, format};

/// The names of the offer in a row for remarks about a plan: its id, and its GPU model and country.
fn offer_name(listing: &Listing, row: u32) -> OfferName {
    let cell = |key: &str| format::cell_of(listing, row as usize, key, 20);
    let (model, place) = (cell("gpu_name"), cell("geolocation"));
    let kind = match country::code(&place) {
        "" | format::NONE => model,
        code => format!("{model} in {code}"),
    };
    OfferName { id: cell("id"), kind }
}

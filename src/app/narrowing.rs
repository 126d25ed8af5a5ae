//! Narrowing rows by words.

use std::collections::BTreeSet;

use crate::domain::field::Kind;
use crate::domain::{Field, Listing, Untrusted};
use crate::widgets::list::fuzzy;

/// The rows whose text columns match all words, in their order.
pub(super) fn narrowed(listing: &Listing, view: Vec<u32>, words: &[String]) -> Vec<u32> {
    let fields: Vec<&'static Field> = listing
        .catalog()
        .fields()
        .iter()
        .filter(|field| {
            field.in_record && matches!(field.kind, Kind::Text | Kind::Country | Kind::Version)
        })
        .collect();
    listing.prepare(fields.iter().copied());
    let columns: Vec<_> = fields.iter().map(|field| listing.column(field)).collect();
    let lines: Vec<(u32, String)> = view
        .iter()
        .map(|row| {
            let texts: Vec<_> = columns
                .iter()
                .filter_map(|column| column.text(*row as usize))
                .map(Untrusted::compared)
                .collect();
            (*row, texts.join(" "))
        })
        .collect();
    let found: BTreeSet<u32> = fuzzy(&words.join(" "), &lines).into_iter().collect();
    view.into_iter().filter(|row| found.contains(row)).collect()
}

//! Several responses as one listing.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Listing, ListingError, Reader};
use crate::domain::catalog::Catalog;
use crate::domain::insight::Coverage;
use crate::domain::json_split::MOST_RECORDS;

impl Listing {
    /// The records of several responses, each as received, the newest response first; an offer that is in
    /// several is taken from the newest. The flag says whether a response counts: what a later one repeats
    /// was skipped, hidden and doubled only once.
    ///
    /// # Errors
    /// With more records than a response may have.
    pub fn merged(catalog: &'static Catalog, parts: &[(Self, bool)], coverage: Coverage) -> Result<Self, ListingError> {
        let mut text = format!("{{\"{}\":[", catalog.list_key);
        text.reserve(parts.iter().map(|(part, _)| part.text.len()).sum());
        let mut seen = HashSet::new();
        let records = parts.iter().rev().flat_map(|(part, _)| {
            let records = part.ids.iter().zip(&part.spans);
            records.map(|(id, span)| (id, &part.text[span.clone()]))
        });
        for (_, record) in records.filter(|(id, _)| seen.insert(**id)).take(MOST_RECORDS) {
            if !text.ends_with('[') {
                text.push_str(",\n");
            }
            text.push_str(record);
        }
        text.push_str("]}");
        let now = parts.last().map_or(0.0, |(part, _)| part.now);
        let mut reader = Reader::new(catalog, Arc::default(), now);
        if let Some((part, _)) = parts.last() {
            reader = reader.in_units(part.transfer);
        }
        reader.take(text);
        let mut merged = reader.finish().map_err(|unsplit| unsplit.error)?.listing;
        for (part, _) in parts.iter().filter(|(_, counts)| *counts) {
            merged.skipped.extend(part.skipped.iter().cloned());
            merged.duplicates += part.duplicates;
            merged.hidden += part.hidden;
        }
        merged.coverage = Some(coverage);
        Ok(merged)
    }

    /// Whether the records are all of their search, if that is known by other means than its limit.
    pub const fn known_coverage(&self) -> Option<Coverage> {
        self.coverage
    }
}

//! Several responses as one listing.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Listing, ListingError, Reader};
use crate::catalog::Catalog;
use crate::insight::Coverage;
use crate::json_split::MOST_RECORDS;
use crate::time::UnixTime;

impl Listing {
    /// The records of several responses, which are `parts` in the order of their arrival, the newest response
    /// first; of records with the same id only the newest. Records beyond 100,000 are left out.
    ///
    /// The flag of a part is whether its skipped, hidden and duplicate records are counted, so that a
    /// repetition is not counted twice.
    ///
    /// # Errors
    /// If the records cannot be read again.
    pub fn merged(catalog: &'static Catalog, parts: &[(Self, bool)], coverage: Coverage) -> Result<Self, ListingError> {
        let mut seen = HashSet::new();
        let all = parts.iter().rev().flat_map(|(part, _)| {
            let records = part.ids.iter().zip(&part.spans);
            records.map(|(id, span)| (id, &part.text[span.clone()]))
        });
        let records = all.filter(|(id, _)| seen.insert(**id)).take(MOST_RECORDS);
        let like = parts.last().map(|(part, _)| part);
        let mut merged = Self::read_again(catalog, records.map(|(_, record)| record), like)?;
        for (part, _) in parts.iter().filter(|(_, counts)| *counts) {
            merged.skipped.extend(part.skipped.iter().cloned());
            merged.duplicates += part.duplicates;
            merged.hidden += part.hidden;
        }
        merged.coverage = Some(coverage);
        Ok(merged)
    }

    /// A listing with the records of some rows as received, in this order, without estimates and computed
    /// columns. Rows beyond the last one are left out.
    ///
    /// # Errors
    /// If the records cannot be read again.
    pub fn subset(&self, rows: &[u32]) -> Result<Self, ListingError> {
        let records = rows.iter().filter_map(|row| self.json(*row as usize));
        Self::read_again(self.catalog, records, Some(self))
    }

    /// The rows removed by `Listing::hide` as a listing; `None` if there are none, or they cannot be read
    /// again.
    pub fn hidden_rows(&self) -> Option<Self> {
        let records = self.hidden_spans.iter().filter_map(|span| self.text.get(span.clone()));
        (!self.hidden_spans.is_empty()).then(|| Self::read_again(self.catalog, records, Some(self)).ok())?
    }

    /// Reads the JSON of received records as a new listing; time and unit of speeds are those of `like`, or
    /// the defaults. An error if the text cannot be split into records.
    fn read_again<'a>(
        catalog: &'static Catalog,
        records: impl Iterator<Item = &'a str>,
        like: Option<&Self>,
    ) -> Result<Self, ListingError> {
        let mut text = format!("{{\"{}\":[", catalog.list_key);
        for record in records {
            if !text.ends_with('[') {
                text.push_str(",\n");
            }
            text.push_str(record);
        }
        text.push_str("]}");
        let mut reader = Reader::new(
            catalog,
            Arc::default(),
            like.map_or_else(UnixTime::default, |part| part.now),
        );
        if let Some(part) = like {
            reader = reader.in_units(part.transfer);
        }
        reader.take(text);
        Ok(reader.finish().map_err(|unsplit| unsplit.error)?.listing)
    }

    /// Whether the records are complete, as set for a merged listing; `None` for any other.
    pub const fn known_coverage(&self) -> Option<Coverage> {
        self.coverage
    }
}

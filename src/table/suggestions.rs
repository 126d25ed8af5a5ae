//! Suggestions for a search without results: names that the market does not use, such as
//! `gpu_name=4090` for RTX 4090.

use std::collections::{BTreeMap, BTreeSet};

use super::browser::Browser;
use crate::domain::field::{Filter, Kind};
use crate::domain::text::visible;
use crate::domain::{Condition, Field, Listing, country, language, plain};

/// The names in the records of a pane, by field.
///
/// They are collected over time, because an empty response has none.
pub(crate) type Names = BTreeMap<&'static str, BTreeSet<String>>;

/// Maximum number of stored names of a field: more than any market has models or countries.
const MOST_NAMES: usize = 5000;

/// A change of a search that finds no row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// The filter words are dropped.
    WithoutWords,
    /// The filter words are replaced by these, in which one or two are corrected.
    Respelling(String),
    /// Unknown names are replaced by similar ones.
    Suggestion,
}

impl Browser {
    /// Adds the distinct names in the loaded rows to those seen before, at most 5,000 a field, for text
    /// fields that the market documents as filters.
    pub(crate) fn remember_names(&mut self) {
        // Only columns that are read with every response: others would cost another pass over all
        // rows.
        let is_name = |field: &&Field| field.kind == Kind::Text && field.filter == Filter::Documented;
        for field in self.query.catalog().fields().iter().filter(is_name) {
            let values = seen_values(self.listing(), field);
            let names = self.names.entry(field.key).or_default();
            let room = MOST_NAMES.saturating_sub(names.len());
            let new: Vec<_> = values
                .into_iter()
                .filter(|value| !names.contains(value))
                .take(room)
                .collect();
            names.extend(new);
        }
    }

    /// Conditions, as text, to try instead of the active ones with a name that the market does not use; empty
    /// if there are none.
    pub fn suggestions(&self) -> Vec<String> {
        let conditions = self.query.active();
        conditions
            .filter_map(|condition| self.suggested_condition(condition))
            .collect()
    }

    /// The condition, as text, to try instead of one with an unknown name; `None` if its name is known or
    /// none is similar.
    fn suggested_condition(&self, condition: &Condition) -> Option<String> {
        let mut seen = seen_values(self.listing(), condition.field);
        let known = self.names.get(condition.field.key);
        seen.extend(known.into_iter().flatten().cloned());
        language::did_you_mean(condition, &seen)
    }

    /// Whether no row is shown and a suggested condition may find some; false if filter words hide rows or
    /// records were skipped.
    pub fn has_suggestion(&self) -> bool {
        let is_for_query =
            |listing: &Listing| listing.skipped().is_empty() && (listing.is_empty() || self.words.is_empty());
        self.view().is_empty() && self.listing().is_some_and(is_for_query) && !self.suggestions().is_empty()
    }

    /// The change of the search after which rows may be shown, where none is; `None` if there are rows, or none is known.
    pub fn remedy(&self) -> Option<Remedy> {
        let has_loaded = self.listing().is_some_and(|listing| !listing.is_empty());
        if has_loaded && self.view().is_empty() && !self.words.is_empty() {
            return Some(self.respelled().map_or(Remedy::WithoutWords, Remedy::Respelling));
        }
        self.has_suggestion().then_some(Remedy::Suggestion)
    }

    /// The filter words with one or two of them corrected, if they are understood then: `4090` for `4900`; else `None`.
    fn respelled(&self) -> Option<String> {
        let (catalog, words) = (self.query.catalog(), self.words.join(" "));
        let reading = plain::read(&words, catalog, self.dialect(), &plain::Names::default());
        let parsed = reading.parse(catalog, self.dialect(), &[], language::Mode::Strict);
        Some(parsed.err()?.suggestion?.apply(&words))
    }

    /// Replaces the active conditions with unknown names by the suggested ones, and adds the new query to the
    /// bar's history; true if the market must be queried.
    pub(crate) fn take_suggestions(&mut self) -> bool {
        let mut query = self.query.clone();
        let (catalog, dialect) = (query.catalog(), self.dialect());
        let active = query.conditions.iter_mut().filter(|condition| condition.enabled);
        for condition in active {
            let parsed = self
                .suggested_condition(condition)
                .and_then(|text| language::parse(&text, catalog, dialect, &[], language::Mode::Strict).ok());
            if let Some(meant) = parsed.and_then(|parsed| parsed.conditions.into_iter().next()) {
                *condition = meant;
            }
        }
        let words = self.ran_words().to_vec();
        let must_ask = self.apply(query, words);
        self.show_query_in_bar();
        let text = self.query_text();
        self.bar.remember(&text);
        must_ask
    }
}

/// The distinct values of a text field in the loaded rows, sorted; countries as codes. Blank and hostile
/// values and those over 80 characters are left out; none before a response.
pub(crate) fn seen_values(listing: Option<&Listing>, field: &Field) -> Vec<String> {
    let Some(listing) = listing else {
        return Vec::new();
    };
    let known = listing.catalog().fields().iter().find(|known| *known == field);
    let Some(known) = known else { return Vec::new() };
    let mut values: Vec<String> = listing
        .column(known)
        .texts()
        .iter()
        .map(|text| match known.kind {
            Kind::Country => country::code(text.unescaped()),
            _ => text.unescaped(),
        })
        .filter(|text| !text.is_empty() && visible(text, 80) == **text)
        .map(str::to_owned)
        .collect();
    values.sort();
    values.dedup();
    values
}

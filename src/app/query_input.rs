//! Typing in the query bar: words filter the loaded rows at once, completion is offered, and Enter
//! turns the text into the query.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::browser::Browser;
use super::suggestions;
use crate::domain::field::Kind;
use crate::domain::language::{self, Completion};
use crate::domain::{CellRef, Field, Listing, country};

impl Browser {
    /// Starts editing the query after its last condition.
    pub(crate) fn edit_query(&mut self) {
        self.bar.edit();
        self.query_typed();
    }

    /// Handles a change of the text: words filter at once, completion is updated.
    pub(crate) fn query_typed(&mut self) {
        self.bar.error = None;
        let text = self.bar.input.text().to_owned();
        match parse_bar(self, &text) {
            Ok(parsed) => self.narrow_while_typing(settled(parsed.words, &text, self)),
            // An incomplete condition: the words of the running query filter until it is complete.
            Err(_) => self.restore_words(),
        }
        let listing = self.listing();
        let counted = OnceCell::new();
        let completion = language::complete(
            &text,
            self.bar.input.cursor_byte(),
            self.query.catalog(),
            self.dialect(),
            &|field| {
                let counts = counted.get_or_init(|| value_counts(listing, field));
                let mut values = suggestions::seen_values(listing, field);
                // They are in alphabetical order, which stays among equally frequent ones.
                values.sort_by_key(|value| Reverse(counts.get(value.as_str())));
                values
            },
        );
        let counts = counted.into_inner().unwrap_or_default();
        let counts = self.candidate_counts(&completion, &counts);
        self.bar.offer(completion, counts);
    }

    /// Runs the typed query; true if the market must be queried. A query with a mistake stays in
    /// the bar.
    pub(crate) fn run_typed(&mut self) -> bool {
        let text = self.bar.input.text().trim().to_owned();
        match parse_bar(self, &text) {
            Err(error) => {
                self.bar.error = Some(error);
                false
            }
            Ok(parsed) => {
                let must_ask = self.take_query(parsed.conditions, parsed.words);
                self.bar.ran(&text);
                self.show_query_in_bar();
                must_ask
            }
        }
    }

    /// Goes back to the running query; Up recalls the draft.
    pub(crate) fn cancel_typed(&mut self) {
        let running = self.query_text();
        self.bar.leave(&running);
        self.restore_words();
        self.show_query_in_bar();
    }

    /// How many loaded rows have the value of each candidate; empty if the candidates are not
    /// values.
    fn candidate_counts(&self, completion: &Completion, counts: &Counts<'_>) -> Vec<usize> {
        let (Some(listing), Some(field)) = (self.listing(), completion.values_of) else {
            return Vec::new();
        };
        if !matches!(field.kind, Kind::Text | Kind::Country | Kind::Flag) {
            return Vec::new();
        }
        let count = |label: &str| counts.get(label).copied().unwrap_or(0);
        completion
            .candidates
            .iter()
            .map(|candidate| match country::group(&candidate.label) {
                Some(codes) if field.kind == Kind::Country => {
                    codes.iter().map(|code| count(code)).sum()
                }
                _ if candidate.label == language::ANY => listing.len(),
                _ => count(&candidate.label),
            })
            .collect()
    }
}

/// How many rows have each value of a field.
type Counts<'a> = HashMap<&'a str, usize>;

/// Counts the rows of each text or boolean that can be a candidate.
fn value_counts<'a>(listing: Option<&'a Listing>, field: &Field) -> Counts<'a> {
    /// Longer texts are no candidates: in bytes.
    const LONGEST: usize = 320;
    let mut counts = Counts::new();
    let Some(listing) = listing else {
        return counts;
    };
    let column = listing.column(field);
    for row in 0..listing.len() {
        let value = match column.cell(row) {
            CellRef::Text(text) if field.kind == Kind::Country => country::code(text),
            CellRef::Text(text) => text,
            CellRef::Flag(true) => "true",
            CellRef::Flag(false) => "false",
            CellRef::Number(_) | CellRef::Missing | CellRef::Null | CellRef::Bad(_) => continue,
        };
        if value.len() <= LONGEST {
            *counts.entry(value).or_default() += 1;
        }
    }
    counts
}

/// The words without the one being typed, if it may still become a field's name.
fn settled(mut words: Vec<String>, text: &str, browser: &Browser) -> Vec<String> {
    let may_become_a_field = |word: &str| {
        let word = word.to_ascii_lowercase();
        let catalog = browser.query.catalog();
        catalog
            .fields()
            .iter()
            .chain(catalog.computed())
            .any(|field| {
                std::iter::once(&field.key)
                    .chain(field.aliases)
                    .any(|name| name.starts_with(&word))
            })
    };
    if words
        .last()
        .is_some_and(|word| text.ends_with(word.as_str()) && may_become_a_field(word))
    {
        words.pop();
    }
    words
}

/// Parses the bar's text. The defaults at its start can be overridden by what is typed after them:
/// `verified=true … verified=false` means unverified, not a contradiction.
fn parse_bar(browser: &Browser, text: &str) -> Result<language::Parsed, language::LanguageError> {
    let (catalog, dialect) = (browser.query.catalog(), browser.dialect());
    let defaults = language::default_conditions(catalog, dialect);
    let mut seed = Vec::new();
    let mut behind = 0;
    while let Some(condition) = defaults.iter().find(|condition| {
        let printed = language::print_condition_briefly(condition);
        let rest = text[behind..].trim_start();
        rest.strip_prefix(&printed)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }) {
        let blanks = text[behind..].len() - text[behind..].trim_start().len();
        behind += blanks + language::print_condition_briefly(condition).len();
        seed.push(condition.clone());
    }
    // Blanks instead of the defaults keep all later positions in the text.
    let rest = format!("{}{}", " ".repeat(behind), &text[behind..]);
    language::parse(&rest, catalog, dialect, &seed, language::Mode::Bar)
}

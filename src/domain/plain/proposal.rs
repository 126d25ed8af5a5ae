//! A spelling for a word that is not understood.

use std::ops::Range;

use super::vocabulary::{self, Role};
use super::{Names, read};
use crate::domain::catalog::Catalog;
use crate::domain::country;
use crate::domain::dialect::Dialect;
use crate::domain::language::{LanguageError, Suggestion};

/// The text with one word of a clause spelled differently so that the clause is understood.
pub(super) fn proposed(
    text: &str,
    clause: &Range<usize>,
    catalog: &'static Catalog,
    dialect: &'static Dialect,
) -> Option<Suggestion> {
    let names = Names::default();
    let is_unknown = |word: &&str| {
        let lower = word.to_lowercase();
        let is_known = !vocabulary::roles(&lower).is_empty()
            || country::named(&lower, false).is_some()
            || catalog.named(word).is_some()
            || !names.models(&lower).is_empty();
        !is_known && (lower.len() >= 4 || lower.len() == 3 && lower.starts_with(|first: char| first.is_ascii_digit()))
    };
    let words = text[clause.clone()].split([' ', ',', ';']).filter(is_unknown);
    let proposals = words.flat_map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let span = start..start + word.len();
        let spelled = move |replacement| (span.clone(), replacement);
        near(&word.to_lowercase(), &names).into_iter().map(spelled)
    });
    let mut proposals = proposals.map(|(span, replacement)| Suggestion { span, replacement });
    let is_understood = |proposal: &Suggestion| {
        let start = proposal.span.start;
        let touches = |error: &LanguageError| error.span.start <= start && start < error.span.end;
        let reading = read(&proposal.apply(text), catalog, dialect, &names);
        !reading.refused.iter().any(touches)
    };
    proposals.find(is_understood)
}

/// The known words that are one edit away, the likeliest first.
fn near(word: &str, names: &Names) -> Vec<String> {
    let letters = |word: &str, belongs: fn(&char) -> bool| {
        let mut letters: Vec<_> = word.chars().filter(belongs).collect();
        letters.sort_unstable();
        letters
    };
    let digits = |word: &str| letters(word, char::is_ascii_digit);
    let is_function = |role: &Role| matches!(role, Role::Filler | Role::Number(_));
    let is_near = |known: &&str| {
        // One letter more or less is at most four bytes; a pasted text is compared with nothing.
        known.len().abs_diff(word.len()) <= 4
            && strsim::damerau_levenshtein(known, word) == 1
            // Another digit names another model, which may exist.
            && (known.len() != word.len() || digits(known) == digits(word))
            && !vocabulary::roles(known).iter().any(is_function)
    };
    let built_in = vocabulary::words().chain(country::names()).map(|known| known as &str);
    let known = names.spellings().chain(built_in);
    let mut near: Vec<_> = known.filter(is_near).map(str::to_owned).collect();
    // Swapped letters are likelier than others.
    near.sort_by_key(|known| {
        let is_other = letters(known, |_| true) != letters(word, |_| true);
        (is_other, known.len() != word.len(), known.clone())
    });
    near.dedup();
    near
}

//! Suggested spellings for words that are not understood.

use std::ops::Range;

use super::vocabulary::{self, Role};
use super::{Names, Phrase, read};
use crate::language::Suggestion;
use crate::{Catalog, Dialect, country};

/// The first correction of one word in the range `clause`, or else of two, with which more of the text is understood and
/// every other phrase keeps its meaning; `None` if there is none.
pub(super) fn proposed(
    text: &str,
    clause: &Range<usize>,
    catalog: &'static Catalog,
    dialect: &'static Dialect,
) -> Option<Suggestion> {
    /// Maximum number of misspelt words in a clause: a proposal corrects one or two.
    const MOST_WORDS: usize = 4;
    /// Maximum number of corrections of one word that are tried, and of two: each try reads the whole text.
    const MOST_TRIED: usize = 16;
    let read = |text: &str| read(text, catalog, dialect, &Names::default());
    let before = read(text);
    let is_understood = |proposal: &Suggestion| {
        let after = read(&proposal.apply(text));
        let is_kept = |phrase: &Phrase| after.phrases.iter().any(|own| own.meaning == phrase.meaning);
        after.unclear.is_none() && after.refused.len() < before.refused.len() && before.phrases.iter().all(is_kept)
    };
    // A comma inside a clause is part of a number or of a list: half a number is not a word.
    let words = text[clause.clone()]
        .split(' ')
        .map(|word| word.trim_matches([',', ';']));
    // A sign in front may exclude: the word without it would mean the opposite.
    let words = words.filter(|word| word.starts_with(char::is_alphanumeric));
    let corrections = words.map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let span = start..start + word.len();
        let near = near_words(&word.to_lowercase()).into_iter();
        let near = near.map(|replacement| Suggestion {
            span: span.clone(),
            replacement,
        });
        near.collect::<Vec<_>>()
    });
    let corrections = corrections.filter(|near| !near.is_empty());
    let corrections: Vec<_> = corrections.take(MOST_WORDS + 1).collect();
    if corrections.len() > MOST_WORDS {
        return None;
    }
    let mut singles = corrections.iter().flatten().take(MOST_TRIED);
    let single = singles.find(|proposal| is_understood(proposal));
    single.cloned().or_else(|| {
        let pairs = corrections.iter().zip(corrections.iter().skip(1));
        let pairs =
            pairs.flat_map(|(near, next)| near.iter().flat_map(|own| next.iter().map(move |other| (own, other))));
        pairs.take(MOST_TRIED).find_map(|(own, other)| {
            let between = &text[own.span.end..other.span.start];
            let both = Suggestion {
                span: own.span.start..other.span.end,
                replacement: format!("{}{between}{}", own.replacement, other.replacement),
            };
            is_understood(&both).then_some(both)
        })
    })
}

/// The known words at an edit distance of one from an unknown one, those of the same length first; not
/// fillers or number words, nor models with other digits. Of a country's code in lower case its capitals.
/// Empty for a known word, one under three characters, or three letters.
fn near_words(word: &str) -> Vec<String> {
    /// The minimum length of the word. Shorter ones are close to too many others.
    const SHORTEST: usize = 3;
    let digits = |word: &str| {
        let mut digits: Vec<_> = word.bytes().filter(u8::is_ascii_digit).collect();
        digits.sort_unstable();
        digits
    };
    let is_function = |role: &Role| matches!(role, Role::Filler | Role::Joint | Role::Number(_));
    let is_near = |known: &&str| {
        // A long pasted text matches nothing: one letter more or less is at most four bytes.
        known.len().abs_diff(word.len()) <= 4
            && strsim::damerau_levenshtein(known, word) == 1
            // Another digit names another model, which may exist.
            && (known.len() != word.len() || digits(known) == digits(word))
            && !vocabulary::roles(known).iter().any(is_function)
    };
    let is_model = !Names::default().models(word).is_empty();
    let is_known = is_model || vocabulary::is_known(word) || country::named(word, false).is_some();
    let is_short = word.len() < SHORTEST || word.len() == SHORTEST && digits(word).is_empty();
    // `h100 is`: a code that is also a word is one in capitals only.
    if country::named(word, true).is_some() && country::named(word, false).is_none() {
        return vec![word.to_uppercase()];
    }
    if is_known || is_short {
        return Vec::new();
    }
    let known = Names::spellings().chain(vocabulary::words()).chain(country::names());
    let mut near: Vec<_> = known.filter(is_near).map(str::to_owned).collect();
    near.sort_by_key(|known| (known.len() != word.len(), known.clone()));
    near
}

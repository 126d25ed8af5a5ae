//! Reads tokens: words, numbers, bounds.

use super::token::{Kind, Token};
use super::words::BOUNDS;
use crate::domain::field::Operator;

#[rustfmt::skip]
const NUMBERS: &[(&str, f64)] = &[
    ("one", 1.0), ("two", 2.0), ("three", 3.0), ("four", 4.0), ("five", 5.0), ("six", 6.0),
    ("seven", 7.0), ("eight", 8.0), ("nine", 9.0), ("ten", 10.0), ("eleven", 11.0),
    ("twelve", 12.0), ("thirteen", 13.0), ("fourteen", 14.0), ("fifteen", 15.0),
    ("sixteen", 16.0), ("seventeen", 17.0), ("eighteen", 18.0), ("nineteen", 19.0),
    ("twenty", 20.0), ("thirty", 30.0), ("forty", 40.0), ("fifty", 50.0), ("sixty", 60.0),
    ("seventy", 70.0), ("eighty", 80.0), ("ninety", 90.0), ("hundred", 100.0),
    ("thousand", 1000.0), ("dual", 2.0), ("quad", 4.0), ("single", 1.0), ("couple", 2.0),
    ("pair", 2.0), ("half", 0.5), ("quarter", 0.25), ("dozen", 12.0), ("octa", 8.0),
    ("double", 2.0), ("triple", 3.0), ("octo", 8.0),
];

/// Whether an article may be around the number: `a couple of`, `half a`.
fn is_fuzzy(word: &str) -> bool {
    matches!(
        word,
        "half" | "couple" | "pair" | "dozen" | "quarter" | "hundred" | "thousand"
    )
}

/// The longest phrase that is tried, in tokens.
const LONGEST: usize = 6;

/// The tokens of a query.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub tokens: &'a [Token],
}

impl Cursor<'_> {
    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(word))
    }

    pub(super) fn is_one_of(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(at, word))
    }

    /// The position behind `words`, separated by blanks, if they are at `at`.
    pub(super) fn behind(&self, at: usize, words: &str) -> Option<usize> {
        words.split(' ').try_fold(at, |at, word| {
            let token = self.tokens.get(at)?;
            (token.text == word && token.kind != Kind::Opaque).then_some(at + 1)
        })
    }

    /// The entry of a table with the longest words at `at`, and the position behind them.
    pub(super) fn longest<'t, T>(
        &self,
        at: usize,
        table: impl IntoIterator<Item = (&'t str, T)>,
    ) -> Option<(T, usize)> {
        let found = table
            .into_iter()
            .filter_map(|(words, value)| Some((value, self.behind(at, words)?)));
        found.max_by_key(|(_, next)| *next)
    }

    /// The position behind the longest of `phrases` at `at`.
    pub(super) fn behind_any(&self, at: usize, phrases: &'static [&'static str]) -> Option<usize> {
        let phrases = phrases.iter().map(|words| (*words, ()));
        self.longest(at, phrases).map(|((), next)| next)
    }

    /// The position behind any of `words` that are at `at`.
    pub(super) fn skip(&self, mut at: usize, words: &[&str]) -> usize {
        while self.is_one_of(at, words) {
            at += 1;
        }
        at
    }

    /// As [`Self::skip`], behind a colon if there is one: `qty: 8`.
    pub(super) fn skip_joint(&self, at: usize, words: &[&str]) -> usize {
        let is_colon = self.tokens.get(at).is_some_and(|token| token.text == ":");
        let mut at = at + usize::from(is_colon);
        // The `at` of `at least` is part of a bound.
        while self.is_one_of(at, words) && self.bound(at).0.is_none() {
            at += 1;
        }
        at
    }

    /// A number in digits or in words: `24`, `twenty four`, `two hundred`, `2k`.
    pub(super) fn number(&self, at: usize) -> Option<(f64, usize)> {
        let token = self.tokens.get(at)?;
        match token.kind {
            Kind::Number(number) => {
                let is_thousands = self.is(at + 1, "k") && self.tokens[at + 1].glued;
                let factor = if is_thousands { 1e3 } else { 1.0 };
                Some((number * factor, at + 1 + usize::from(is_thousands)))
            }
            Kind::Word => {
                let (number, next) = self.spelled(at)?;
                // `half a dollar`, `a couple of days`
                let next = if is_fuzzy(&token.text) {
                    self.skip(next, &["a", "an", "of"])
                } else {
                    next
                };
                Some((number, next))
            }
            Kind::Bound(_)
            | Kind::Dollar
            | Kind::Percent
            | Kind::Slash
            | Kind::Dash
            | Kind::Plus
            | Kind::Times
            | Kind::Comma
            | Kind::Opaque => None,
        }
    }

    /// A number that is spelled out, such as `twenty four` or `two hundred`.
    fn spelled(&self, at: usize) -> Option<(f64, usize)> {
        let word = |at: usize| {
            let token = self.tokens.get(at)?;
            let (_, number) = NUMBERS.iter().find(|(word, _)| token.is(word))?;
            Some(*number)
        };
        let (mut number, mut next) = (word(at)?, at + 1);
        let is_ten = |number: f64| (20.0..100.0).contains(&number) && number % 10.0 == 0.0;
        while let Some(more) = word(next) {
            if is_ten(number) && (1.0..10.0).contains(&more) && more.fract() == 0.0 {
                number += more;
            } else if number < more && (more - 100.0).abs() < 1.0 || (more - 1000.0).abs() < 1.0 {
                number *= more;
            } else {
                break;
            }
            next += 1;
        }
        Some((number, next))
    }

    /// A number, or `a` for one.
    pub(super) fn number_or_article(&self, at: usize) -> Option<(f64, usize)> {
        let is_article = self.is_one_of(at, &["a", "an"]);
        let fuzzy = self
            .tokens
            .get(at + 1)
            .is_some_and(|next| is_fuzzy(&next.text));
        if is_article && fuzzy {
            return self.number(at + 1);
        }
        self.number(at)
            .or_else(|| is_article.then_some((1.0, at + 1)))
    }

    /// A bound in signs or words.
    pub(super) fn bound(&self, at: usize) -> (Option<Operator>, usize) {
        if let Some(Kind::Bound(operator)) = self.kind(at) {
            return (Some(operator), at + 1);
        }
        let words = BOUNDS.iter().map(|(words, operator)| (*words, *operator));
        match self.longest(at, words) {
            Some((operator, next)) => (Some(operator), next),
            None => (None, at),
        }
    }

    /// The runs of words and numbers that begin at `at`, longest first, each with the position
    /// behind it.
    pub(super) fn runs(&self, at: usize) -> impl Iterator<Item = (&[Token], usize)> {
        let is_text = |token: &&Token| matches!(token.kind, Kind::Word | Kind::Number(_));
        let rest = self.tokens.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(is_text).take(LONGEST).count();
        (1..=length)
            .rev()
            .map(move |length| (&rest[..length], at + length))
    }
}

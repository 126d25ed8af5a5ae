//! A text in tokens, with the phrases of the vocabulary: numbers, units, comparisons and models in it.

use std::ops::Range;

use super::models::Names;
use super::token::{Kind, Token};
use super::vocabulary::{Dim, Role, folded, roles};
use crate::domain::catalog::{Catalog, Resource};
use crate::domain::field::Operator::{self, Gte, Lt, Lte};

/// The longest phrase of the vocabulary and the longest name of a model, in tokens.
const LONGEST: usize = 6;

/// What the longest phrase at a position is, if it has such a role, and the position behind it.
macro_rules! role {
    ($text:expr, $at:expr, $pattern:pat => $value:expr) => {
        $text.find($at, |role| match role {
            $pattern => Some($value),
            _ => None,
        })
    };
}
pub(super) use role;

pub(super) struct Text<'a> {
    pub tokens: &'a [Token],
    pub catalog: &'static Catalog,
    pub names: &'a Names,
    /// Roles and the position behind each phrase, longest first.
    phrases: Vec<Vec<(usize, &'static [Role])>>,
}

/// A comparison, if one is told, and a number.
pub(super) type Bound = (Option<Operator>, f64);

/// A number with its unit: `24gb`, `4-8`, `between $1 and $2`, `a week`.
#[derive(Debug, Clone)]
pub(super) struct Amount {
    /// Two are a range; several without a comparison are alternatives.
    pub bounds: Vec<Bound>,
    /// The number as typed, for versions.
    pub text: String,
    /// What its unit can mean, and the factor of each; empty without a unit.
    pub units: Vec<(Dim, f64)>,
    pub next: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(tokens: &'a [Token], catalog: &'static Catalog, names: &'a Names) -> Self {
        let is_word = |token: &&Token| !matches!(token.kind, Kind::Break | Kind::Opaque);
        let phrases = (0..tokens.len()).map(|at| {
            let run = tokens[at..].iter().take(LONGEST).take_while(is_word);
            let ends = (at + 1..=at + run.count()).rev();
            let phrases = ends.map(|next| (next, roles(&joined(&tokens[at..next], " "))));
            phrases.filter(|(_, roles)| !roles.is_empty()).collect()
        });
        let phrases = phrases.collect();
        Self {
            tokens,
            catalog,
            names,
            phrases,
        }
    }

    pub(super) fn is_offers(&self) -> bool {
        self.catalog.resource == Resource::Offers
    }

    /// Whether the resource has a field of the vocabulary; a job is for offers, a price for all.
    pub(super) fn has_field(&self, field: &str) -> bool {
        let is_job = matches!(field, "+hours" | "+down" | "+up" | "+size") && self.is_offers();
        is_job || matches!(field, "+both" | "+rows") || self.catalog.named(field).is_some()
    }

    /// The bytes of some tokens.
    pub(super) fn span(&self, start: usize, next: usize) -> Range<usize> {
        self.tokens[start].span.start..self.tokens[next - 1].span.end
    }

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Whether a token is one of some words, which blanks separate.
    pub(super) fn is_one_of(&self, at: usize, words: &str) -> bool {
        let is_word = |token: &&Token| !matches!(token.kind, Kind::Opaque | Kind::Break);
        let token = self.tokens.get(at).filter(is_word).map(|token| folded(&token.text));
        token.is_some_and(|token| words.split(' ').any(|word| word == token))
    }

    /// The position behind any of `words` that are at `at`.
    pub(super) fn skip(&self, at: usize, words: &str) -> usize {
        let run = (at..self.tokens.len()).take_while(|at| self.is_one_of(*at, words));
        at + run.count()
    }

    /// The phrases at a position with their roles and the position behind each, longest first.
    pub(super) fn phrases(&self, at: usize) -> &[(usize, &'static [Role])] {
        self.phrases.get(at).map_or(&[], |phrases| phrases)
    }

    /// See [`role`].
    pub(super) fn find<T>(&self, at: usize, pick: impl Fn(Role) -> Option<T>) -> Option<(T, usize)> {
        let mut phrases = self.phrases(at).iter();
        phrases.find_map(|(next, roles)| Some((roles.iter().find_map(|role| pick(*role))?, *next)))
    }

    /// Whether a phrase can begin or end between two tokens: `4090d5` is no 4090.
    pub(super) fn is_border(&self, at: usize) -> bool {
        let ends = |at: usize| matches!(self.kind(at), Some(Kind::Break | Kind::Mark));
        let is_glued = self.tokens.get(at).is_some_and(|token| token.glued);
        !is_glued || ends(at) || at.checked_sub(1).is_some_and(ends)
    }

    pub(super) fn is_model(&self, at: usize) -> bool {
        self.model(at).is_some_and(|(_, next)| self.is_border(next))
    }

    /// The models that the longest run of words at a position means, and the position behind it.
    pub(super) fn model(&self, at: usize) -> Option<(Vec<String>, usize)> {
        let is_text = |token: &&Token| matches!(token.kind, Kind::Word | Kind::Number(_)) || token.text == "x";
        let run = self.tokens.get(at..)?.iter().take(LONGEST);
        let run = run.take_while(is_text).count();
        (at + 1..=at + run).rev().find_map(|next| {
            let spelling = joined(&self.tokens[at..next], "");
            let is_plural = |token: &Token| token.glued && token.text == "s";
            let next = next + usize::from(self.tokens.get(next).is_some_and(is_plural));
            let singular = spelling.strip_suffix('s').unwrap_or_default();
            let spellings = [&spelling, singular].into_iter();
            let mut models = spellings.map(|spelling| (self.names.models(spelling), next));
            models.find(|(models, _)| !models.is_empty())
        })
    }

    /// A number in digits or words, and the position behind it: `24`, `two hundred`, `2k`, `half a`, `a` week.
    pub(super) fn number(&self, at: usize) -> Option<(f64, usize)> {
        let token = self.tokens.get(at)?;
        if let Kind::Number(number) = token.kind {
            let is_thousands = self.is_one_of(at + 1, "k") && self.tokens[at + 1].glued;
            let factor = if is_thousands { 1e3 } else { 1.0 };
            return Some((number * factor, at + 1 + usize::from(is_thousands)));
        }
        // A version of three parts is a word of digits.
        if token.text.starts_with(|first: char| first.is_ascii_digit()) {
            let parts: Vec<_> = token.text.split('.').take(2).collect();
            return Some((parts.join(".").parse().ok()?, at + 1));
        }
        if self.is_one_of(at, "a an the") {
            let next = self.skip(at + 1, "whole full entire");
            let is_span = matches!(self.units(next).0.first(), Some((Dim::Time | Dim::Dollars, _)));
            return is_span.then_some((1.0, next));
        }
        let (mut number, mut next) = role!(self, at, Role::Number(number) => number)?;
        while let Some((more, behind)) = role!(self, next, Role::Number(number) => number) {
            match (number, more) {
                (_, 100.0..) => number *= more,
                (20.0.., ..10.0) => number += more,
                _ => break,
            }
            next = behind;
        }
        Some((number, self.skip(next, "a an of")))
    }

    /// The units at a position with their factors, and the position behind them.
    fn units(&self, at: usize) -> (Vec<(Dim, f64)>, usize) {
        // The dollar of the next price.
        let is_next = self.is_one_of(at, "$") && matches!(self.kind(at + 1), Some(Kind::Number(_)));
        for (next, roles) in self.phrases(at).iter().filter(|_| !is_next) {
            let units = roles.iter().filter_map(|role| match role {
                Role::Unit(dim, factor) => Some((*dim, *factor)),
                _ => None,
            });
            let units: Vec<_> = units.collect();
            if !units.is_empty() {
                return (units, *next);
            }
        }
        (Vec::new(), at)
    }

    pub(super) fn comparison(&self, at: usize) -> Option<(Operator, usize)> {
        role!(self, at, Role::Compare(operator) => operator)
    }

    /// The position behind a comparison behind a quantity: `or more`, `max`. One that also is that of the next
    /// quantity is left to it: `$0.5 and over 99%`.
    pub(super) fn behind(&self, at: usize) -> Option<usize> {
        let ((), next) = role!(self, at, Role::Behind(_) => ())?;
        let is_number = |at: usize| {
            let number = self.skip(at, "$");
            let is_card = self.model(number).is_some() && self.units(number + 1).0.is_empty();
            self.number(number).is_some() && !is_card
        };
        let noun = role!(self, next, Role::Noun(_) => ());
        let is_noun = |end: usize| is_number(self.comparison(end).map_or(end, |(_, next)| next));
        let is_quantity = is_number(next) || noun.is_some_and(|((), end)| is_noun(end));
        let is_compared = self
            .comparison(self.skip(at, "and"))
            .is_some_and(|(_, end)| end >= next);
        let is_of_next = is_compared && is_quantity || self.is_one_of(next, "than to");
        (!is_of_next).then_some(next)
    }

    /// A number with its unit, and whether there is a `+` behind either.
    fn measured(&self, at: usize) -> Option<(Amount, bool)> {
        let start = self.skip(at, "$");
        let (number, end) = self.number(start)?;
        let behind = self.skip(end, "+");
        let dollars = (vec![(Dim::Dollars, 1.0)], behind);
        let (units, next) = if start > at { dollars } else { self.units(behind) };
        let (bounds, text) = (vec![(None, number)], self.tokens[start].text.clone());
        let (is_least, next) = (behind > end || self.is_one_of(next, "+"), self.skip(next, "+"));
        #[rustfmt::skip]
        return Some((Amount { bounds, text, units, next }, is_least));
    }

    /// A number with its unit or a range of them, behind a comparison if there is one.
    pub(super) fn amount(&self, at: usize, operator: Option<Operator>) -> Option<Amount> {
        /// More than these are watts: `300w`.
        const MOST_WEEKS: f64 = 52.0;
        let is_between = self.is_one_of(at, "between from");
        let at = self.skip(at + usize::from(is_between), "about around roughly only");
        let (mut amount, is_least) = self.measured(at)?;
        let (low, next) = (amount.bounds[0].1, amount.next);
        amount.bounds[0].0 = operator.or(is_least.then_some(Gte));
        let is_upper = |operator| matches!(operator, Lt | Lte);
        let joins = self.is_one_of(next, "- to") || is_between && self.is_one_of(next, "and");
        // `4-8`, `$1 to $2`, `at least 2 and at most 4`
        let ends = match (operator, self.comparison(self.skip(next, "and but"))) {
            (None, _) => joins.then_some((Gte, Lte, next + 1)),
            (Some(own), ends) => ends
                .filter(|end| is_upper(end.0) != is_upper(own))
                .map(|(last, at)| (own, last, at)),
        };
        if let Some((first, last, at)) = ends
            && let Some((high, _)) = self.measured(at)
        {
            let ([(_, to)], of) = (&high.bounds[..], |units: &[(Dim, f64)]| units.first().copied()) else {
                return None;
            };
            let (from, unit) = (of(&amount.units), of(&high.units));
            // `500gb to 1tb`
            let low = low * from.zip(unit).map_or(1.0, |((_, from), (_, to))| from / to);
            let is_same = from.is_none()
                || unit.is_none() && operator.is_none()
                || from.map(|(dim, _)| dim) == unit.map(|(dim, _)| dim);
            if is_same && is_upper(last) == (low < *to) {
                let units = if unit.is_none() {
                    amount.units
                } else {
                    high.units.clone()
                };
                amount = Amount {
                    bounds: vec![(Some(first), low), (Some(last), *to)],
                    units,
                    ..high
                };
            }
        }
        // `4 or 8 h100`
        while amount.units.is_empty()
            && amount.bounds[0].0.is_none()
            && self.is_one_of(amount.next, "or")
            && !self.is_model(amount.next + 1)
            && let Some((more, false)) = self.measured(amount.next + 1)
            && more.units.is_empty()
        {
            amount.bounds.extend(more.bounds);
            amount.next = more.next;
        }
        if low > MOST_WEEKS && amount.units.iter().any(|(dim, _)| *dim == Dim::Watts) {
            amount.units.retain(|(dim, _)| *dim == Dim::Watts);
        }
        (amount.bounds.len() > 1 || !is_between).then_some(amount)
    }
}

/// The texts of some tokens.
pub(super) fn joined(tokens: &[Token], with: &str) -> String {
    let texts: Vec<_> = tokens.iter().map(|token| &*token.text).collect();
    texts.join(with)
}

//! A text in tokens, with the phrases of the vocabulary: numbers, units, comparisons and models in it.

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

    /// A number in digits or words: `24`, `twenty four`, `two hundred`, `2k`, `half a`.
    pub(super) fn number(&self, at: usize) -> Option<(f64, usize)> {
        let token = self.tokens.get(at)?;
        if let Kind::Number(number) = token.kind {
            let is_thousands = |next: &Token| next.glued && next.text == "k";
            let is_thousands = self.tokens.get(at + 1).is_some_and(is_thousands);
            let factor = if is_thousands { 1e3 } else { 1.0 };
            return Some((number * factor, at + 1 + usize::from(is_thousands)));
        }
        // A version of three parts is a word of digits.
        if token.text.starts_with(|first: char| first.is_ascii_digit()) {
            let parts: Vec<_> = token.text.split('.').take(2).collect();
            return Some((parts.join(".").parse().ok()?, at + 1));
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
    pub(super) fn units(&self, at: usize) -> (Vec<(Dim, f64)>, usize) {
        // The dollar of the next price.
        let is_next = self.is_one_of(at, "$") && matches!(self.kind(at + 1), Some(Kind::Number(_)));
        let phrases = self.phrases(at).iter().filter(|_| !is_next);
        let mut units = phrases.map(|(next, roles)| {
            let units = roles.iter().filter_map(|role| match role {
                Role::Unit(dim, factor) => Some((*dim, *factor)),
                _ => None,
            });
            (units.collect::<Vec<_>>(), *next)
        });
        let units = units.find(|(units, _)| !units.is_empty());
        units.unwrap_or((Vec::new(), at))
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

    /// A number with its unit, behind a comparison if there is one.
    pub(super) fn amount(&self, at: usize, operator: Option<Operator>) -> Option<Amount> {
        /// More than these are watts: `300w`.
        const MOST_WEEKS: f64 = 52.0;
        let is_upper = |operator| matches!(operator, Lt | Lte);
        let is_between = self.is_one_of(at, "between from");
        let at = self.skip(at + usize::from(is_between), "about around roughly only");
        let start = self.skip(at, "$");
        let article = || {
            self.is_one_of(start, "a an the")
                .then(|| (1.0, self.skip(start + 1, "whole full entire")))
        };
        let (mut low, mut next) = self.number(start).or_else(article)?;
        let plus = |at| self.is_one_of(at, "+").then_some(Gte);
        let mut bounds = vec![(operator.or(plus(next)), low)];
        next = self.skip(next, "+");
        let mut units = if start > at {
            vec![(Dim::Dollars, 1.0)]
        } else {
            Vec::new()
        };
        if units.is_empty() {
            (units, next) = self.units(next);
        }
        if self.number(start).is_none() && !matches!(units.first(), Some((Dim::Time | Dim::Dollars, _))) {
            return None;
        }
        bounds[0].0 = bounds[0].0.or(plus(next));
        next = self.skip(next, "+");
        // `4-8`, `$1 to $2`, `at least 2 and at most 4`
        let ends = match (operator, self.comparison(next + 1)) {
            (None, _) if self.is_one_of(next, "- to") || is_between && self.is_one_of(next, "and") => {
                Some((Gte, Lte, next + 1))
            }
            (Some(own), Some((last, from))) if self.is_one_of(next, "and but") && is_upper(own) != is_upper(last) => {
                Some((own, last, from))
            }
            _ => None,
        };
        if let Some((first, last, from)) = ends
            && let Some((high, behind)) = self.number(self.skip(from, "$"))
        {
            let (mut own, end) = self.units(behind);
            if self.is_one_of(from, "$") {
                own = vec![(Dim::Dollars, 1.0)];
            }
            // `500gb to 1tb`
            if let ([(_, from), ..], [(_, to), ..]) = (&units[..], &own[..]) {
                low *= from / to;
            }
            let of = |units: &[(Dim, f64)]| units.first().map(|unit| unit.0);
            let is_same = units.is_empty() || own.is_empty() && operator.is_none() || of(&units) == of(&own);
            if is_same && is_upper(last) == (low < high) {
                (bounds, next) = (vec![(Some(first), low), (Some(last), high)], end);
                units = if own.is_empty() { units } else { own };
            }
        }
        if is_between && bounds.len() < 2 {
            return None;
        }
        // `4 or 8 h100`
        while units.is_empty()
            && bounds[0].0.is_none()
            && self.is_one_of(next, "or")
            && !self.is_model(next + 1)
            && let Some((more, behind)) = self.number(next + 1)
            && self.units(behind).0.is_empty()
        {
            bounds.push((None, more));
            next = behind;
        }
        if low > MOST_WEEKS && units.iter().any(|(dim, _)| *dim == Dim::Watts) {
            units.retain(|(dim, _)| *dim == Dim::Watts);
        }
        let text = self.tokens[start].text.clone();
        Some(Amount {
            bounds,
            text,
            units,
            next,
        })
    }
}

/// The texts of some tokens.
pub(super) fn joined(tokens: &[Token], with: &str) -> String {
    let texts: Vec<_> = tokens.iter().map(|token| &*token.text).collect();
    texts.join(with)
}

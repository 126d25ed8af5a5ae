//! A text in tokens, with the phrases of the vocabulary: numbers, units, comparisons and models in it.

use std::ops::Range;

use super::models::Names;
use super::token::{Kind, Token};
use super::vocabulary::{Dim, Role, folded, roles};
use crate::domain::Operator::{self, Gte, Lt, Lte};
use crate::domain::{Catalog, Resource};

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
    /// The phrases at each position and at the end: the position behind and the roles, longest first.
    pub phrases: Vec<Vec<(usize, &'static [Role])>>,
}

/// A comparison, if one is told, and a number.
pub(super) type Bound = (Option<Operator>, f64);

/// A number with its unit, or a range: `24gb`, `4-8`, `between $1 and $2`, `a week`.
#[derive(Debug, Clone)]
pub(super) struct Amount {
    /// One, or both ends of a range.
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
        let phrases = (0..=tokens.len()).map(|at| {
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
        let is_job = matches!(field, "+hours" | "+down" | "+up" | "+size" | "+work") && self.is_offers();
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

    /// See [`role`].
    pub(super) fn find<T>(&self, at: usize, pick: impl Fn(Role) -> Option<T>) -> Option<(T, usize)> {
        let mut phrases = self.phrases[at].iter();
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
        let run = self.tokens.get(at..)?.iter().take(LONGEST).take_while(is_text);
        (at + 1..=at + run.count()).rev().find_map(|next| {
            let models = self.names.models(&joined(&self.tokens[at..next], ""));
            (!models.is_empty()).then_some((models, next))
        })
    }

    /// A number in digits or a word, and the position behind it: `24`, `two`, `half a`, `a` week.
    pub(super) fn number(&self, at: usize) -> Option<(f64, usize)> {
        if let Kind::Number(number) = self.tokens.get(at)?.kind {
            return Some((number, at + 1));
        }
        if self.is_one_of(at, "a an the") {
            let next = self.skip(at + 1, "whole full entire");
            let is_span = matches!(self.units(next).0.first(), Some((Dim::Time | Dim::Dollars, _)));
            return is_span.then_some((1.0, next));
        }
        let (number, next) = role!(self, at, Role::Number(number) => number)?;
        Some((number, self.skip(next, "a an of")))
    }

    /// The units at a position with their factors, and the position behind them.
    fn units(&self, at: usize) -> (Vec<(Dim, f64)>, usize) {
        // The dollar of the next price.
        let is_next = self.is_one_of(at, "$") && matches!(self.kind(at + 1), Some(Kind::Number(_)));
        let unit = |role: &Role| match role {
            Role::Unit(dim, factor) => Some((*dim, *factor)),
            _ => None,
        };
        let is_unit = |roles: &[Role]| roles.iter().any(|role| unit(role).is_some());
        let mut phrases = self.phrases[at].iter().filter(|_| !is_next);
        let found = phrases.find(|(_, roles)| is_unit(roles));
        found.map_or((Vec::new(), at), |(next, roles)| {
            (roles.iter().filter_map(unit).collect(), *next)
        })
    }

    pub(super) fn comparison(&self, at: usize) -> Option<(Operator, usize)> {
        role!(self, at, Role::Compare(operator) => operator)
    }

    /// Whether words that end here can be a comparison behind a quantity: `max` in the middle is that of the next.
    pub(super) fn is_behind(&self, next: usize) -> bool {
        let is_end = matches!(self.kind(next), None | Some(Kind::Break | Kind::Opaque));
        is_end || self.is_one_of(next, "and but with") || self.comparison(next - 1).is_none()
    }

    /// A number with its unit; a `+` behind either makes it the least.
    fn measured(&self, at: usize, operator: Option<Operator>) -> Option<Amount> {
        /// More of a `w` are watts.
        const MOST_WEEKS: f64 = 52.0;
        let start = self.skip(at, "$");
        let (number, end) = self.number(start)?;
        let from = self.skip(end, "+");
        let dollars = (vec![(Dim::Dollars, 1.0)], from);
        let (mut units, end_of_unit) = if start > at { dollars } else { self.units(from) };
        if number > MOST_WEEKS && units.len() > 1 {
            units.retain(|(dim, _)| *dim != Dim::Time);
        }
        let next = self.skip(end_of_unit, "+");
        let is_least = from > end || next > end_of_unit;
        let bounds = vec![(operator.or(is_least.then_some(Gte)), number)];
        let text = self.tokens[start].text.clone();
        Some(Amount {
            bounds,
            text,
            units,
            next,
        })
    }

    /// A number with its unit or a range of them, behind a comparison if there is one.
    pub(super) fn amount(&self, at: usize, operator: Option<Operator>) -> Option<Amount> {
        let is_between = self.is_one_of(at, "between from");
        let at = self.skip(at + usize::from(is_between), "about around roughly only");
        let low = self.measured(at, operator)?;
        let joins = self.is_one_of(low.next, "- to") || is_between && self.is_one_of(low.next, "and");
        let second = self.comparison(self.skip(low.next, "and but"));
        // `4-8`, `$1 to $2`, `at least 2 and at most 4`
        let ends = match operator {
            None => joins.then_some((Gte, Lte, low.next + 1)),
            Some(first) => second.map(|(last, at)| (first, last, at)),
        };
        let range = ends.and_then(|(first, last, at)| low.up_to(self.measured(at, None)?, first, last));
        range.or((!is_between).then_some(low))
    }
}

impl Amount {
    /// A range, if both ends measure the same and each bounds its side.
    fn up_to(&self, mut high: Self, first: Operator, last: Operator) -> Option<Self> {
        let is_upper = |operator| matches!(operator, Lt | Lte);
        if high.units.is_empty() && self.bounds[0].0.is_none() {
            high.units.clone_from(&self.units);
        }
        let (mut low, high_end) = (self.bounds[0].1, high.bounds[0].1);
        if let Some((dim, factor)) = self.units.first() {
            // `500gb to 1tb`
            let (_, other) = high.units.first().filter(|(other, _)| other == dim)?;
            low *= factor / other;
        }
        high.bounds = vec![(Some(first), low), (Some(last), high_end)];
        (is_upper(first) != is_upper(last) && is_upper(last) == (low < high_end)).then_some(high)
    }
}

/// The texts of some tokens.
pub(super) fn joined(tokens: &[Token], with: &str) -> String {
    let texts: Vec<_> = tokens.iter().map(|token| &*token.text).collect();
    texts.join(with)
}

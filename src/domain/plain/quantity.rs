//! Numbers with their comparison and unit, and the nouns that they are of.

use super::models::Names;
use super::token::{Kind, Token};
use super::vocabulary::{Attribute, Dim, Role, folded, inclusive, roles};
use crate::domain::catalog::{Catalog, Resource};
use crate::domain::field::Operator;

/// The longest phrase of the vocabulary and the longest name of a model, in tokens.
const LONGEST: usize = 6;

/// What a number without a unit can be of, the likeliest first.
#[rustfmt::skip]
const BARE: [Dim; 9] = [
    Dim::Count, Dim::Plain, Dim::Size, Dim::Dollars, Dim::Share, Dim::Celsius, Dim::Watts, Dim::Teraflops,
    Dim::Gigahertz,
];

/// What the longest phrase at a position is, if it has such a role, and the position behind it.
macro_rules! role {
    ($text:expr, $at:expr, $pattern:pat $(if $guard:expr)? => $value:expr) => {
        $text.find($at, |role| match role {
            $pattern $(if $guard)? => Some($value),
            _ => None,
        })
    };
}
pub(super) use role;

/// A text in tokens, with the phrases of the vocabulary that begin at each.
pub(super) struct Text<'a> {
    pub tokens: &'a [Token],
    pub catalog: &'static Catalog,
    pub names: &'a Names,
    /// Roles and the position behind each phrase, longest first.
    phrases: Vec<Vec<(usize, &'static [Role])>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    pub operator: Option<Operator>,
    pub low: f64,
    /// The upper end of a range.
    pub high: Option<f64>,
    /// The number as typed, for versions.
    pub text: String,
    /// What its unit can mean, and the factor of each; empty without a unit.
    pub units: Vec<(Dim, f64)>,
    /// The position behind it.
    pub next: usize,
}

impl Quantity {
    /// The quantity in the base of a unit.
    pub(super) fn times(mut self, factor: f64) -> Self {
        (self.low, self.high) = (self.low * factor, self.high.map(|high| high * factor));
        self
    }

    /// Whether it is a number without a comparison, a range or a unit.
    pub(super) fn is_bare(&self) -> bool {
        self.units.is_empty() && self.operator.is_none() && self.high.is_none()
    }
}

/// What a price is for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Basis {
    pub hours: Option<f64>,
    pub per_gpu: bool,
    /// GB that a price of data is for.
    pub per_gb: Option<f64>,
    pub total: bool,
}

/// An attribute by its noun, the factor of the unit, and the position behind the noun.
#[derive(Clone, Copy)]
pub(super) struct Named {
    pub row: &'static Attribute,
    pub factor: f64,
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

    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn is_mark(&self, at: usize, mark: char) -> bool {
        self.kind(at) == Some(Kind::Mark(mark))
    }

    /// The position behind a mark, if it is there.
    pub(super) fn behind_mark(&self, at: usize, mark: char) -> usize {
        at + usize::from(self.is_mark(at, mark))
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
        let mut phrases = self.phrases.get(at)?.iter();
        phrases.find_map(|(next, roles)| Some((roles.iter().find_map(|role| pick(*role))?, *next)))
    }

    /// Whether a phrase can begin or end between two tokens: `4090d5` is no 4090.
    pub(super) fn is_border(&self, at: usize) -> bool {
        let ends = |at: usize| matches!(self.kind(at), Some(Kind::Break | Kind::Mark(_)));
        let is_glued = self.tokens.get(at).is_some_and(|token| token.glued);
        !is_glued || ends(at) || at.checked_sub(1).is_some_and(ends)
    }

    pub(super) fn is_model(&self, at: usize) -> bool {
        self.model(at).is_some_and(|(_, next)| self.is_border(next))
    }

    /// The models that the longest run of words at a position means, and the position behind it.
    pub(super) fn model(&self, at: usize) -> Option<(Vec<String>, usize)> {
        let is_text = |token: &&Token| matches!(token.kind, Kind::Word | Kind::Number(_) | Kind::Mark('x'));
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
    fn number(&self, at: usize) -> Option<(f64, usize)> {
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
    fn units(&self, at: usize) -> (Vec<(Dim, f64)>, usize) {
        // The dollar of the next price.
        let is_next = self.is_mark(at, '$') && matches!(self.kind(at + 1), Some(Kind::Number(_)));
        let phrases = self.phrases.get(at).filter(|_| !is_next);
        let units = phrases.into_iter().flatten().map(|(next, roles)| {
            let units = roles.iter().filter_map(|role| match role {
                Role::Unit(dim, factor) => Some((*dim, *factor)),
                _ => None,
            });
            (units.collect::<Vec<_>>(), *next)
        });
        let mut units = units.filter(|(units, _)| !units.is_empty());
        units.next().unwrap_or((Vec::new(), at))
    }

    /// A comparison in signs or words, and the position behind it: `not more than` is at most.
    pub(super) fn comparison(&self, at: usize) -> (Option<Operator>, usize) {
        if let Some(Kind::Sign(operator)) = self.kind(at) {
            return (Some(operator), at + 1);
        }
        let compare = |at| role!(self, at, Role::Compare(operator) => operator);
        let negated = || {
            let ((), next) = role!(self, at, Role::Not => ())?;
            compare(self.skip(next, "be to")).map(|(operator, next)| (opposite(operator), next))
        };
        let found = compare(at).or_else(|| compare(self.skip(at, "a"))).or_else(negated);
        found.map_or((None, at), |(operator, next)| (Some(operator), next))
    }

    /// A comparison behind a quantity, and the position behind it: `or more`, `max`. One that also is that of
    /// the next quantity is left to it: `$0.5 and over 99%`.
    pub(super) fn behind(&self, at: usize) -> Option<(Operator, usize)> {
        let (operator, next) = role!(self, at, Role::Behind(operator) => operator)?;
        let is_number = |at: usize| {
            let number = self.behind_mark(at, '$');
            let is_card = self.model(number).is_some() && self.units(number + 1).0.is_empty();
            self.number(number).is_some() && !is_card
        };
        let noun = role!(self, next, Role::Noun(_) => ());
        let is_quantity = is_number(next) || noun.is_some_and(|((), end)| is_number(self.comparison(end).1));
        let is_of_next = self.comparison(self.skip(at, "and")).1 >= next && is_quantity;
        (!is_of_next && !self.is_one_of(next, "than to")).then_some((operator, next))
    }

    /// A quantity: `under $0.5`, `>=48gb`, `4-8`, `between $1 and $2`, `a week`, `24gb or more`.
    pub(super) fn quantity(&self, at: usize) -> Option<Quantity> {
        let dollar = |at: usize| {
            let units = self.is_mark(at, '$').then_some((Dim::Dollars, 1.0));
            (Vec::from_iter(units), self.behind_mark(at, '$'))
        };
        let (operator, from) = self.comparison(at);
        let between = operator.is_none() && self.is_one_of(from, "between from");
        let from = from + usize::from(between);
        let (mut units, from) = dollar(self.skip(from, "about around roughly only"));
        let start = self.skip(from, "a an the");
        let number = self.number(start);
        let article = (start > from).then(|| (1.0, self.skip(start, "whole full entire")));
        let (mut low, next) = number.or(article)?;
        let (is_money, mut next, mut high) = (!units.is_empty(), self.behind_mark(next, '+'), None);
        let plus = self.is_mark(next - 1, '+');
        if !is_money {
            (units, next) = self.units(next);
        }
        let joins = self.is_mark(next, '-') || self.is_one_of(next, "to");
        let (money, from) = dollar(next + 1);
        let joins = joins || between && self.is_one_of(next, "and");
        if let Some((end, behind)) = self.number(from).filter(|_| joins) {
            let is_money = is_money || !money.is_empty();
            let dollars = (vec![(Dim::Dollars, 1.0)], behind);
            let (last, behind) = if is_money { dollars } else { self.units(behind) };
            // `500gb to 1tb`
            if let ([(_, from), ..], [(_, to), ..]) = (&units[..], &last[..]) {
                low *= from / to;
            }
            units = if last.is_empty() { units } else { last };
            (high, next) = (Some(end), behind);
        }
        let is_span = matches!(units.first(), Some((Dim::Time | Dim::Dollars, _)));
        if between && high.is_none() || operator.is_some() && high.is_some() || number.is_none() && !is_span {
            return None;
        }
        let plus = (plus || self.is_mark(next, '+')).then_some(Operator::Gte);
        let (text, operator) = (self.tokens.get(start)?.text.clone(), operator.or(plus));
        let next = self.behind_mark(next, '+');
        let quantity = Quantity {
            operator,
            low,
            high,
            text,
            units,
            next,
        };
        self.bounded(quantity, next)
    }

    /// A quantity with the comparison behind it; none if that says the opposite of the one in front.
    pub(super) fn bounded(&self, mut quantity: Quantity, at: usize) -> Option<Quantity> {
        quantity.next = at;
        let Some((operator, next)) = self.behind(at) else {
            return Some(quantity);
        };
        let front = quantity.operator.replace(operator);
        quantity.next = next;
        let fits = front.is_none_or(|front| inclusive(front) == operator) && quantity.high.is_none();
        fits.then_some(quantity)
    }

    /// The attribute of the noun at a position that a quantity can be of.
    pub(super) fn noun(&self, at: usize, quantity: &Quantity) -> Option<Named> {
        /// `1 gig up` is a speed in Gb/s, `200 gig up` is data.
        const FASTEST: f64 = 40.0;
        let mut units = quantity.units.clone();
        if units.is_empty() {
            units.extend(BARE.map(|dim| (dim, 1.0)));
        } else if units.len() > 1 && units[0].0 == Dim::Size && quantity.low <= FASTEST {
            units.reverse();
        }
        self.named(at, &units)
    }

    /// The attribute of the longest noun at a position that has one of the units, the first that fits.
    pub(super) fn named(&self, at: usize, units: &[(Dim, f64)]) -> Option<Named> {
        let mut phrases = self.phrases.get(at)?.iter();
        phrases.find_map(|(next, roles)| {
            units.iter().find_map(|(dim, factor)| {
                let row = roles.iter().find_map(|role| match role {
                    Role::Noun(row) if row.1 == *dim && self.has_field(row.0) => Some(*row),
                    _ => None,
                })?;
                let (factor, next) = (*factor, *next);
                Some(Named { row, factor, next })
            })
        })
    }

    /// Whether the resource has a field of the vocabulary; a job is for offers, a price for all.
    pub(super) fn has_field(&self, field: &str) -> bool {
        let is_job = field.starts_with('+') && self.is_offers();
        is_job || matches!(field, "+both" | "dph_total") || self.catalog.named(field).is_some()
    }

    /// What the words at a position say that a price is for, and the position behind them.
    pub(super) fn basis(&self, mut at: usize) -> (Basis, usize) {
        let mut basis = Basis::default();
        loop {
            let joint = self.is_mark(at, '/') || self.is_one_of(at, "per a an each every");
            let from = at + usize::from(joint);
            let is_period = joint
                || self.is_one_of(from, "hourly daily weekly monthly")
                || basis.per_gpu && self.is_one_of(from, "hour h hr")
                || basis.per_gb.is_some() && self.is_one_of(from, "month");
            let period = role!(self, from, Role::Period(hours) if is_period => hours);
            if let Some(((), next)) = role!(self, at, Role::Total => ()) {
                (basis.total, at) = (true, next);
            } else if let Some((hours, next)) = period {
                (basis.hours, at) = (Some(hours), next);
            } else if joint && self.is_one_of(from, "gpu") {
                (basis.per_gpu, at) = (true, from + 1);
            } else if joint && self.is_one_of(from, "gb gig tb") {
                let gigabytes = if self.is_one_of(from, "tb") { 1e3 } else { 1.0 };
                (basis.per_gb, at) = (Some(gigabytes), from + 1);
            } else if self.is_one_of(at, "each") {
                (basis.per_gpu, at) = (true, at + 1);
            } else {
                return (basis, at);
            }
        }
    }
}

/// The texts of some tokens.
pub(super) fn joined(tokens: &[Token], with: &str) -> String {
    let texts: Vec<_> = tokens.iter().map(|token| &*token.text).collect();
    texts.join(with)
}

const fn opposite(operator: Operator) -> Operator {
    match operator {
        Operator::Lt => Operator::Gte,
        Operator::Lte => Operator::Gt,
        Operator::Gt => Operator::Lte,
        Operator::Gte => Operator::Lt,
        Operator::Eq => Operator::Neq,
        Operator::Neq => Operator::Eq,
        Operator::In => Operator::Nin,
        Operator::Nin => Operator::In,
    }
}

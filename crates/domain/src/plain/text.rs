//! A text as tokens, with the phrases of the vocabulary in it: numbers, units, comparisons and models.

use std::ops::Range;

use super::MarketWords;
use super::models::Names;
use super::token::{Kind, Token};
use super::vocabulary::{Dim, Role, folded, roles, speed_units};
use crate::Operator::{self, Gte, Lt, Lte};
use crate::quantity::decimal;
use crate::{Catalog, Resource, country};

/// The maximum length of a phrase of the vocabulary and of a model's name, in tokens.
const LONGEST: usize = 6;

/// Matches the longest phrase at a position that has a role; evaluates to the result and the position after it, or
/// `None`.
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
    /// The phrases at each position and at the end: the position after each and its roles, longest first.
    pub phrases: Vec<Vec<(usize, &'static [Role])>>,
}

/// A number with its comparison, if there is one.
pub(super) type Bound = (Option<Operator>, f64);

/// A number with its unit, or a range: `24gb`, `4-8`, `between $1 and $2`, `a week`.
#[derive(Debug, Clone)]
pub(super) struct Amount {
    /// One bound, or both ends of a range.
    pub bounds: Vec<Bound>,
    /// The number as typed, for versions.
    pub text: String,
    /// The possible measures of its unit, with the factor of each; empty without a unit.
    pub units: Vec<(Dim, f64)>,
    pub next: usize,
}

impl<'a> Text<'a> {
    /// A text with the phrases of the vocabulary that begin at each token looked up.
    pub(super) fn new(tokens: &'a [Token], market: MarketWords<'a>) -> Self {
        let is_word = |token: &&Token| !matches!(token.kind, Kind::Break | Kind::Opaque);
        let all = (0..=tokens.len()).map(|at| {
            let run = tokens[at..].iter().take(LONGEST).take_while(is_word);
            let ends = (at + 1..=at + run.count()).rev();
            let phrases = ends.map(|next| (next, roles(&joined(&tokens[at..next], " "))));
            phrases.filter(|(_, roles)| !roles.is_empty()).collect()
        });
        let phrases = all.collect();
        let MarketWords { catalog, names, .. } = market;
        Self {
            tokens,
            catalog,
            names,
            phrases,
        }
    }

    /// Whether the text is a search for machine offers rather than volumes or workergroups.
    pub(super) fn is_offers(&self) -> bool {
        self.catalog.resource == Resource::Offers
    }

    /// Whether the text is a search for network volumes.
    pub(super) fn is_volumes(&self) -> bool {
        self.catalog.resource == Resource::Volumes
    }

    /// Whether the text is a search for workergroups, whose names may be any words.
    pub(super) fn is_groups(&self) -> bool {
        self.catalog.resource == Resource::Workergroups
    }

    /// Whether the resource has a field of the vocabulary. Of the names with a `+`, those of a job are only
    /// for offers, and so is `+workers`; `+term` is only for volumes, `+both` for all, `+rows` for those that the
    /// market searches.
    pub(super) fn has_field(&self, field: &str) -> bool {
        let is_job = matches!(field, "+hours" | "+down" | "+up" | "+size" | "+work") && self.is_offers();
        // A volume has no job: its term is the time for which it must stay available.
        let is_term = field == "+term" && self.catalog.resource == Resource::Volumes;
        let is_rows = field == "+rows" && !self.is_groups() || field == "+workers" && self.is_offers();
        is_job || is_term || is_rows || field == "+both" || self.catalog.named(field).is_some()
    }

    /// The byte range of the tokens from `start` up to, but not including, `next`.
    pub(super) fn span(&self, start: usize, next: usize) -> Range<usize> {
        self.tokens[start].span.start..self.tokens[next - 1].span.end
    }

    /// The kind of a token; `None` beyond the last.
    pub(super) fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Whether a token is one of `words`, which are singular, without synonyms and separated by blanks; its
    /// plurals and synonyms count too. Never a comma or a condition.
    pub(super) fn is_one_of(&self, at: usize, words: &str) -> bool {
        let is_word = |token: &&Token| !matches!(token.kind, Kind::Opaque | Kind::Break);
        let token = self.tokens.get(at).filter(is_word).map(|token| folded(&token.text));
        token.is_some_and(|token| words.split(' ').any(|word| word == token))
    }

    /// Whether a word that else says nothing may be a country here, in lower case: `h100 is`, `4090 in it`. Within a
    /// sentence it is a word: `is there an h100`, `find it`.
    pub(super) fn is_code(&self, at: usize) -> bool {
        let code = &self.tokens[at].text;
        let is_code = country::named(code, true).is_some() && country::named(code, false).is_none();
        let is_last = matches!(self.kind(at + 1), None | Some(Kind::Break));
        let is_place = |before: usize| {
            self.is_one_of(before, "in") || is_last && role!(self, before, Role::Filler | Role::Joint => ()).is_none()
        };
        is_code && at.checked_sub(1).is_some_and(is_place)
    }

    /// The position after the tokens from `at` on that are any of `words`, which are separated by blanks;
    /// `at` if there are none.
    pub(super) fn skip(&self, at: usize, words: &str) -> usize {
        let run = (at..self.tokens.len()).take_while(|at| self.is_one_of(*at, words));
        at + run.count()
    }

    /// The result of `pick` for the first role it accepts of the longest phrase at a position that has one,
    /// and the position after the phrase; `None` if it accepts none.
    pub(super) fn find<T>(&self, at: usize, pick: impl Fn(Role) -> Option<T>) -> Option<(T, usize)> {
        let mut phrases = self.phrases[at].iter();
        phrases.find_map(|(next, roles)| Some((roles.iter().find_map(|role| pick(*role))?, *next)))
    }

    /// Whether a phrase can begin at token `at` or end before it. Not between tokens without a blank, unless
    /// one is a comma or a sign: `4090d5` is not a 4090. Nor at the dollar sign of `US$0.3`.
    pub(super) fn is_border(&self, at: usize) -> bool {
        let ends = |at: usize| matches!(self.kind(at), Some(Kind::Break | Kind::Mark));
        let is_glued = self.tokens.get(at).is_some_and(|token| token.glued);
        // `US$0.3` is a price in some dollars, not a place and a price.
        let is_currency = is_glued && self.is_one_of(at, "$") && self.kind(at - 1) == Some(Kind::Word);
        !is_currency && (!is_glued || ends(at) || at.checked_sub(1).is_some_and(ends))
    }

    /// Whether a GPU model begins at a position and ends where a phrase can end.
    pub(super) fn is_model(&self, at: usize) -> bool {
        self.model(at).is_some_and(|(_, next)| self.is_border(next))
    }

    /// The models that the longest run of words at a position names, and the position after it; `None` if it
    /// names none. A last number that counts GPUs (`h100 sxm 4 gpus`) is not part of it.
    pub(super) fn model(&self, at: usize) -> Option<(Vec<String>, usize)> {
        let is_text = |token: &&Token| {
            let is_word = matches!(token.kind, Kind::Word | Kind::Number(_)) || token.text == "x";
            is_word && token.text.starts_with(char::is_alphanumeric)
        };
        let run = self.tokens.get(at..)?.iter().take(LONGEST).take_while(is_text);
        let named = |next: usize| {
            let models = self.names.models(&joined(&self.tokens[at..next], ""));
            (!models.is_empty()).then_some((models, next))
        };
        let longest = (at + 1..=at + run.count()).rev().find_map(named);
        // `h100 sxm 4 gpus`
        let is_count =
            |next: usize| matches!(self.kind(next - 1), Some(Kind::Number(_))) && self.is_one_of(next, "gpu x");
        let counted = longest.as_ref().filter(|(_, next)| next - at > 1 && is_count(*next));
        counted.and_then(|(_, next)| named(next - 1)).or(longest)
    }

    /// The likeliest number at a position, in digits or as a word, and the position after it: `24`, `two`,
    /// `half a`, `a` before `week`. `None` if there is none.
    pub(super) fn number(&self, at: usize) -> Option<(f64, usize)> {
        self.numbers(at).into_iter().next()
    }

    /// The possible numbers at a position, the likeliest first, each with the position after it: `1.500` may
    /// have a fraction or thousands. Empty if there are none.
    fn numbers(&self, at: usize) -> Vec<(f64, usize)> {
        let mut found = self.written_numbers(at);
        let units = |at: usize| self.units(at).0;
        let is_one = |at: usize| matches!(units(at).first(), Some((Dim::Time | Dim::Dollars, _)));
        if found.is_empty() && self.is_one_of(at, "a an the") {
            let next = self.skip(at + 1, "whole full entire");
            found.extend(is_one(next).then_some((1.0, next)));
        }
        if found.is_empty() {
            let word = role!(self, at, Role::Number(number) => number);
            found.extend(word.map(|(number, next)| (number, self.skip(next, "a an of"))));
        }
        // `year and a half`
        if found.is_empty() && is_one(at) && self.half(self.units(at).1).0 > 0.0 {
            found.push((1.0, at));
        }
        // `two and a half`
        let halved = found
            .iter()
            .map(|(number, next)| (number + self.half(*next).0, self.half(*next).1));
        halved.collect()
    }

    /// The half at a position that adds to a number, and the position after it: `and a half`. 0 if there is none.
    fn half(&self, at: usize) -> (f64, usize) {
        role!(self, at, Role::Half => 0.5).unwrap_or((0.0, at))
    }

    /// The possible numbers in digits at a position, with the commas that can be part of them, each with the
    /// position after it.
    fn written_numbers(&self, at: usize) -> Vec<(f64, usize)> {
        let number = |at: usize| match self.kind(at) {
            Some(Kind::Number(number)) => Some((number, &*self.tokens[at].raw)),
            _ => None,
        };
        let Some((first, raw)) = number(at) else {
            return Vec::new();
        };
        let thousands = decimal(&raw.replacen('.', ",", 1)).filter(|number| number.fract() == 0.0);
        let mut found: Vec<_> = [Some(first), thousands]
            .into_iter()
            .flatten()
            .map(|number| (number, at + 1))
            .collect();
        let (mut text, mut next) = (raw.to_owned(), at + 1);
        let is_glued = |at: usize| self.tokens[at].span.end == self.tokens[at + 1].span.start;
        while let Some((_, group)) = number(next + 1)
            && self.tokens[next].text == ","
            && is_glued(next - 1)
            && is_glued(next)
        {
            text = format!("{text},{group}");
            next += 2;
            found.extend(decimal(&text).map(|number| (number, next)));
        }
        found
    }

    /// The possible units at a position with their factors, and the position after them. Empty if there are
    /// none, or at the dollar sign in front of a number.
    fn units(&self, at: usize) -> (Vec<(Dim, f64)>, usize) {
        // The dollar sign of the next price.
        let is_next = self.is_one_of(at, "$") && matches!(self.kind(at + 1), Some(Kind::Number(_)));
        let unit = |role: &Role| match role {
            Role::Unit(dim, factor) => Some((*dim, *factor)),
            _ => None,
        };
        let mut phrases = self.phrases[at].iter().filter(|_| !is_next);
        let found = phrases.find(|(_, roles)| roles.iter().any(|role| unit(role).is_some()));
        found.map_or((Vec::new(), at), |(next, roles)| {
            let raw: Vec<_> = self.tokens[at..*next].iter().map(|token| &*token.raw).collect();
            let units = speed_units(&raw.join(" ")).map(<[_]>::to_vec);
            (units.unwrap_or_else(|| roles.iter().filter_map(unit).collect()), *next)
        })
    }

    /// The comparison in front of a quantity at a position, such as `at least`, and the position after it;
    /// `None` if there is none.
    pub(super) fn comparison(&self, at: usize) -> Option<(Operator, usize)> {
        role!(self, at, Role::Compare(operator, _) => operator)
    }

    /// Whether the words from token `at` up to `next` can be a comparison after a quantity: at the end of a
    /// clause, before `and`, `but` or `with`, or if they cannot be one in front. `max` in the middle belongs
    /// to the next quantity.
    pub(super) fn is_behind(&self, at: usize, next: usize) -> bool {
        let is_end = matches!(self.kind(next), None | Some(Kind::Break | Kind::Opaque));
        let fronts = [at, at + 1].iter().any(|at| self.comparison(*at).is_some());
        is_end || self.is_one_of(next, "and but with") || !fronts
    }

    /// The possible numbers with their units at a position, after an optional `$`, and a time of several
    /// units (`3d 12h`) also as their sum; `operator` is the comparison in front of them. Without one, a `+`
    /// after number or unit makes it a minimum.
    fn measured(&self, at: usize, operator: Option<Operator>) -> Vec<Amount> {
        let start = self.skip(at, "$");
        let numbers = self.numbers(start).into_iter();
        let amounts = numbers.map(|(number, end)| self.with_unit(at..start, number, end, operator));
        amounts
            .flat_map(|amount| self.summed(&amount).into_iter().chain([amount]))
            .collect()
    }

    /// The amount of a number that ends before token `end`: in dollars if `sign`, the tokens of a `$` before
    /// it, is not empty, else with the unit after it (more than 52 `w` are not weeks). Without `operator`, a
    /// `+` after number or unit makes it a minimum.
    fn with_unit(&self, sign: Range<usize>, number: f64, end: usize, operator: Option<Operator>) -> Amount {
        /// The maximum number of weeks; a larger number of `w` are watts.
        const MOST_WEEKS: f64 = 52.0;
        let from = self.skip(end, "+");
        // `$5k`
        let is_thousands = !sign.is_empty() && self.tokens.get(end).is_some_and(|k| k.glued && k.text == "k");
        let (number, from) = if is_thousands {
            (number * 1e3, end + 1)
        } else {
            (number, from)
        };
        let dollars = (vec![(Dim::Dollars, 1.0)], from);
        let (mut units, end_of_unit) = if sign.is_empty() { self.units(from) } else { dollars };
        if number > MOST_WEEKS && units.len() > 1 {
            units.retain(|(dim, _)| *dim != Dim::Time);
        }
        // `a week and a half`
        let (half, end_of_unit) = if end_of_unit > from {
            self.half(end_of_unit)
        } else {
            (0.0, end_of_unit)
        };
        let next = self.skip(end_of_unit, "+");
        let is_least = from > end || next > end_of_unit;
        let bounds = vec![(operator.or(is_least.then_some(Gte)), number + half)];
        let text = self.tokens[sign.end].text.clone();
        Amount {
            bounds,
            text,
            units,
            next,
        }
    }

    /// A time that continues in a smaller unit, as one amount in the smallest: `1 month and 1 week`,
    /// `3d 12h`. `None` if it does not continue, or is not a time.
    fn summed(&self, amount: &Amount) -> Option<Amount> {
        let (Dim::Time, factor) = amount.units.first()? else {
            return None;
        };
        let joint = usize::from(self.tokens.get(amount.next)?.text == ",");
        let from = self.skip(amount.next + joint, "and");
        let (number, end) = self.number(from)?;
        let more = self.with_unit(from..from, number, end, None);
        let (Dim::Time, smaller) = more.units.first()? else {
            return None;
        };
        let is_sum = smaller < factor && more.bounds[0].0.is_none();
        let mut sum = self.summed(&more).unwrap_or(more);
        let total = amount.bounds[0].1 * factor / sum.units[0].1 + sum.bounds[0].1;
        sum.bounds = vec![(amount.bounds[0].0, total)];
        is_sum.then_some(sum)
    }

    /// The possible numbers with their units at a position, or ranges of them; `operator` is the comparison
    /// in front of them, if there is one. After `between` or `from` only ranges, after `about` only times.
    pub(super) fn amounts(&self, at: usize, operator: Option<Operator>) -> Vec<Amount> {
        let is_between = self.is_one_of(at, "between from");
        let start = at + usize::from(is_between);
        let from = self.skip(start, "about around roughly only");
        // Only a time can be given roughly.
        let is_rough = from > self.skip(start, "only");
        let mut amounts = Vec::new();
        for low in self.measured(from, operator) {
            if is_rough && !matches!(low.units.first(), Some((Dim::Time, _))) {
                continue;
            }
            let joins = self.is_one_of(low.next, "- to") || is_between && self.is_one_of(low.next, "and");
            let second = self.comparison(self.skip(low.next, "and but"));
            // `4-8`, `$1 to $2`, `at least 2 and at most 4`
            let ends = match operator {
                None => joins.then_some((Gte, Lte, low.next + 1)),
                Some(first) => second.map(|(last, at)| (first, last, at)),
            };
            let highs = ends.map(|(first, last, at)| (first, last, self.measured(at, None)));
            let (first, last, highs) = highs.unwrap_or((Gte, Lte, Vec::new()));
            let ranges: Vec<_> = highs
                .into_iter()
                .filter_map(|high| low.up_to(high, first, last))
                .collect();
            if ranges.is_empty() && !is_between {
                amounts.push(low);
            }
            amounts.extend(ranges);
        }
        amounts
    }
}

impl Amount {
    /// The range from this amount to `high`, in the unit of `high` (or of this amount, if `high` has none and
    /// this no comparison), with the comparisons `first` and `last`. `None` unless both ends measure the
    /// same, and the upper bound, of which there is one, is at the larger number.
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

/// The texts of some tokens in lower case, with `with` between them.
pub(super) fn joined(tokens: &[Token], with: &str) -> String {
    let texts: Vec<_> = tokens.iter().map(|token| &*token.text).collect();
    texts.join(with)
}

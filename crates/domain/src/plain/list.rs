//! Lists of models and places, alternative numbers of GPUs, rates and deadlines.

use super::grammar::{Clause, Fact, Sense, set};
use super::text::{Text, joined, role};
use super::token::Kind;
use super::vocabulary::{Dim, Role};
use crate::country;

/// Words between a negation and the excluded names.
const BEFORE_EXCLUDED: &str = "in from the any a an on of located be with nvidia machine host offer gpu use using have";

/// The fact that an offer has this number of GPUs; `None` unless it is a whole number from 1 to a million.
pub(super) fn count_of(gpus: f64) -> Option<Fact> {
    let names = vec![whole(gpus)?.to_string()];
    Some(Fact::Choice("num_gpus", names, Sense::Wanted))
}

/// The number as an integer; `None` unless it is whole and from 1 to a million.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
pub(super) fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (1.0..=1e6).contains(&number)).then_some(number as u32)
}

/// Whether the words at a position are a GPU model, after an optional `of` or brand.
pub(super) fn is_card(text: &Text<'_>, at: usize) -> bool {
    value(text, text.skip(at, "of nvidia")).is_some_and(|value| value.field == "gpu_name")
}

/// The clause of the work that a GPU does each second: `at 2500 tokens/s`, `does 12 images per second`, `2.5k tok/s`.
/// `None` if there is none at `at`, or the search is not for offers.
pub(super) fn rate(text: &Text<'_>, at: usize) -> Option<Clause> {
    let from = text.skip(
        at,
        "at @ a an with do doe doing make making of price dlperf bandwidth that which reach about around roughly",
    );
    let mut amounts = text.amounts(from, None).into_iter();
    let amount = amounts.find(|amount| matches!(amount.units[..], [(Dim::WorkRate(_), _)]))?;
    let ([(None, number)], (Dim::WorkRate(unit), factor)) = (&amount.bounds[..], amount.units[0]) else {
        return None;
    };
    let rate = number * factor;
    let next = text.skip(amount.next, "each per / gpu on a");
    let next = if text.is_one_of(next - 1, "on a") {
        amount.next
    } else {
        next
    };
    let fact = set(|settings| settings.rate = Some((unit, rate)));
    (rate > 0.0 && text.is_offers()).then(|| Clause::new(vec![fact], next))
}

/// The clause of alternative numbers of GPUs: `2 or 4 gpus`, `1, 2 or 4x`. `None` without an `or` between
/// them, without `gpus`, `x` or a model after them, or if the search is not for offers.
pub(super) fn counts(text: &Text<'_>, at: usize) -> Option<Clause> {
    let number = |at| text.number(at).filter(|_| !text.is_model(at));
    let count = |at| number(at).and_then(|(number, next)| Some((whole(number)?.to_string(), next)));
    let (first, mut next) = count(at)?;
    let mut names = vec![first];
    let mut is_choice = false;
    loop {
        let is_comma = text.tokens.get(next).is_some_and(|token| token.text == ",");
        let from = text.skip(next + usize::from(is_comma), "or");
        let Some((name, end)) = count(from).filter(|_| from > next) else {
            break;
        };
        is_choice |= text.is_one_of(from - 1, "or");
        names.push(name);
        next = end;
    }
    let end = text.skip(next, "x gpu");
    let facts = vec![Fact::Choice("num_gpus", names, Sense::Wanted)];
    (is_choice && (end > next || is_card(text, end)) && text.is_offers()).then_some(Clause::new(facts, end))
}

/// Words in front of a time that make it a deadline.
const SIGNS: &str = "by before due deadline until till finish finishe finished done complete completed ready latest";

/// The clause of a number of rows before a superlative: `20` of `the 20 cheapest`. `None` if there is none at `at`, or for
/// workergroups.
pub(super) fn ranked(text: &Text<'_>, at: usize) -> Option<Clause> {
    let (rows, next) = text.number(at).filter(|_| !text.is_model(at) && !text.is_groups())?;
    let rows = whole(rows)?;
    let is_best = |role: Role| matches!(role, Role::Best(..)).then_some(());
    text.find(next, is_best)
        .filter(|_| !text.is_one_of(next, "by order sort low"))?;
    Some(Clause::new(vec![set(|settings| settings.limit = Some(rows))], next))
}

/// The clause of a deadline: `by friday`, `until next sunday evening`, `before 2026-12-01 18:00`, `due
/// tomorrow`; `None` if there is none at `at`. Only offers have one. Before a day without a time of day means
/// before its beginning.
pub(super) fn deadline(text: &Text<'_>, at: usize) -> Option<Clause> {
    let from = text.skip(
        at,
        "must be should to is to done finished finish finishe complete completed ready due deadline by before until till \
         latest on at no later than",
    );
    if !text.is_offers() || !(at..from).any(|at| text.is_one_of(at, SIGNS)) {
        return None;
    }
    let is_before = (at..from).any(|at| text.is_one_of(at, "before"));
    // A date and a time of day are eight tokens.
    let mut ends = (from + 1..=text.tokens.len().min(from + 8)).rev();
    ends.find_map(|next| {
        let written = joined(&text.tokens[from..next], " ");
        // "Before a day" means before its beginning.
        let start = Some(format!("{written} 00:00")).filter(|_| is_before);
        let by = start
            .and_then(|start| start.parse().ok())
            .or_else(|| written.parse().ok())?;
        let facts = vec![set(|settings| settings.job.by = Some(by))];
        let next = text.skip(next, "at the latest sharp");
        Some(Clause::new(facts, next).open(true))
    })
}

/// A model or a place.
pub(super) struct Value {
    pub field: &'static str,
    pub names: Vec<String>,
    pub next: usize,
}

/// The clauses of models or places, included or excluded, that can begin at token `at`: `4090 or 5090`,
/// `not in china or russia`. There is one for each end, since a list may end before a comma or a blank
/// (`no 3090, 4090`), but only the longest if it has three values or a word between them; empty if there is
/// none.
pub(super) fn choices(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let negation = role!(text, at, Role::Not(true) => ());
    let from = negation.map_or(at, |((), next)| text.skip(next, BEFORE_EXCLUDED));
    let is_excluded = negation.is_some();
    let sense = if is_excluded { Sense::Excluded } else { Sense::Wanted };
    let (mut lists, mut all, mut is_list) = (Vec::new(), Vec::new(), false);
    let mut member = value(text, from);
    while let Some(Value { field, names, next }) = member {
        let is_repeated = names.iter().any(|name| all.contains(name));
        // `a6000 or a40 2x`
        let is_counted = is_list && text.number(next).is_some_and(|(_, end)| text.is_one_of(end, "x"));
        all.extend(names);
        let facts = vec![Fact::Choice(field, all.clone(), sense)];
        let clause = Clause::new(facts, next).open(is_excluded).going_on(is_excluded);
        lists.extend(Some(clause).filter(|_| !is_counted && !is_repeated));
        let more = next_value(text, field, from, next);
        // `germany, europe` may mean either; `europe or iceland` means both.
        let more = more.filter(|(value, is_joined, _)| *is_joined || !country::are_nested(&all, &value.names));
        let part = more.filter(|(_, is_joined, is_apart)| !is_apart || *is_joined && !is_excluded);
        // Three values are a list, and so are two with a word between them.
        is_list |= part
            .as_ref()
            .is_some_and(|(_, is_joined, _)| *is_joined || lists.len() > 1);
        member = part.map(|(value, ..)| value);
    }
    if is_list {
        lists.pop().into_iter().collect()
    } else {
        lists
    }
}

/// Whether the words at a position are a model and `offers` or the like, so that a number before them counts
/// rows: `4090 offers` after `3`.
pub(super) fn is_row_count(text: &Text<'_>, at: usize) -> bool {
    value(text, at).is_some_and(|value| value.field == "gpu_name" && text.is_one_of(value.next, "offer result row"))
}

/// The GPU models (offers only) or the place that the words at a position name, after an optional brand or
/// `in`; `None` if there is neither.
pub(super) fn value(text: &Text<'_>, start: usize) -> Option<Value> {
    let branded = text.skip(start, "nvidia geforce amd radeon instinct tesla quadro");
    let model = text.model(start).or_else(|| text.model(branded));
    if let Some((names, next)) = model.filter(|_| text.is_offers()) {
        let field = "gpu_name";
        return Some(Value { field, names, next });
    }
    // An endpoint of workergroups may be called as a country.
    text.catalog.by_key("geolocation")?;
    let from = text.skip(start, "in within inside the located based");
    let run = text.tokens.get(from..)?.iter().take(5);
    let run = run.take_while(|token| token.kind == Kind::Word).count();
    (from + 1..=from + run).rev().find_map(|next| {
        let tokens = &text.tokens[from..next];
        // `NO` is Norway in a list of codes, but not a country in `NO MORE THAN` and `NO 3090`.
        let is_last = matches!(text.kind(next), None | Some(Kind::Break)) || text.is_one_of(next, "or and");
        let capitals = is_last && tokens.iter().all(|token| token.capitals);
        let name = joined(tokens, " ");
        let (field, names) = ("geolocation", vec![country::named(&name, capitals)?.to_owned()]);
        Some(Value { field, names, next })
    })
}

/// The next value of a list on `field`; whether a word or a slash joins it, rather than a comma or a blank;
/// and whether it follows an `in` of its own, or precedes an `only`. `None` if no such value follows token
/// `end`.
fn next_value(text: &Text<'_>, field: &'static str, start: usize, end: usize) -> Option<(Value, bool, bool)> {
    let is_mark = |marks: &[&str]| text.tokens.get(end).is_some_and(|token| marks.contains(&&*token.text));
    let joint = end + usize::from(is_mark(&[",", "&", "/"]));
    let from = text.skip(joint, "or and nor vs a the in");
    let has = |words: &str| (joint..from).any(|at| text.is_one_of(at, words));
    let next = value(text, from).filter(|next| next.field == field && text.is_border(next.next));
    // `h100 pcie or sxm`
    let form = || {
        let form = text.tokens.get(from).filter(|_| from > end && field == "gpu_name")?;
        let model = joined(text.tokens.get(start..end - 1)?, "");
        let names = text.names.models(&format!("{model}{}", form.text));
        let next = from + 1;
        (!names.is_empty()).then_some(Value { field, names, next })
    };
    let value = next.or_else(form)?;
    let is_apart = has("in") || text.is_one_of(value.next, "only");
    Some((value, is_mark(&["&", "/"]) || has("or and nor vs"), is_apart))
}

//! Offers, machines and hosts by their ids: `offer 123456`, `not from hosts 4821 and 4822`.

use super::grammar::{Clause, Fact, Sense};
use super::question::Question;
use super::text::{Text, role};
use super::vocabulary::Role;

/// The smallest number that is an id without `id` in front; smaller ones may count something.
const LEAST: u64 = 1000;

/// The clauses of ids that begin at a position; empty if there are none, or for workergroups.
pub(super) fn clauses(text: &Text<'_>, at: usize) -> Vec<Clause> {
    if text.is_groups() {
        return Vec::new();
    }
    let alone = whole(text, at).filter(|id| *id >= LEAST && text.is_offers() && asks_for_missing(text));
    let alone = alone.map(|id| Clause::new(vec![Fact::Id(id)], at + 1));
    named(text, at).into_iter().chain(alone).collect()
}

/// Whether some words of a text may ask why an offer is missing.
fn asks_for_missing(text: &Text<'_>) -> bool {
    let mut roles = text.phrases.iter().flatten().flat_map(|(_, roles)| *roles);
    roles.any(|role| matches!(role, Role::Ask(Question::Missing)))
}

/// Whether a text has a number that may be an id: a large one, or the value of a condition.
pub(super) fn has_id(text: &Text<'_>) -> bool {
    let mut tokens = text.tokens.iter();
    tokens.any(|token| {
        let digits = token.raw.rsplit('=').next().unwrap_or_default();
        digits.parse().is_ok_and(|id: u64| id >= LEAST)
    })
}

/// The clause of ids after their noun: `host 4821`, `without hosts 4821, 4822`; `None` if there is none.
fn named(text: &Text<'_>, at: usize) -> Option<Clause> {
    let negation = role!(text, at, Role::Not(true) => ());
    let start = text.skip(negation.map_or(at, |((), next)| next), "from of the any by on");
    let noun = text.tokens.get(start).map(|token| &*token.text)?;
    let is_plain = text.is_one_of(start + 1, "id");
    let (field, from) = match noun {
        "id" | "ids" | "offer" | "offers" | "listing" | "contract" => ("id", start + 1),
        "host" | "hosts" | "owner" | "provider" => ("host_id", start + 1),
        "machine" | "machines" if text.is_one_of(start + 1, "owner host") => ("host_id", start + 2),
        "machine" | "machines" | "server" | "box" => ("machine_id", start + 1),
        _ => return None,
    };
    let field = text.catalog.by_key(field)?.key;
    let is_explicit = noun.starts_with("id") || is_plain;
    let least = if is_explicit { 1 } else { LEAST };
    let id = |at: usize| whole(text, at).filter(|id| *id >= least).map(|id| id.to_string());
    let mut next = text.skip(from + usize::from(is_plain), ": is");
    let (mut ids, mut end) = (Vec::new(), next);
    while let Some(id) = id(next) {
        ids.push(id);
        end = next + 1;
        let comma = usize::from(text.tokens.get(end).is_some_and(|token| token.text == ","));
        next = text.skip(end + comma, "and or nor &");
        if next == end {
            break;
        }
    }
    let sense = if negation.is_some() {
        Sense::Excluded
    } else {
        Sense::Wanted
    };
    // `machine 4090 gpus` counts them.
    let is_counted = text.is_one_of(end, "gpu x core port worker");
    (!ids.is_empty() && !is_counted && text.is_border(end))
        .then(|| Clause::new(vec![Fact::Choice(field, ids, sense)], end))
}

/// The whole number in digits at a position, which is no model and has no unit; `None` if there is none.
fn whole(text: &Text<'_>, at: usize) -> Option<u64> {
    let digits = text.tokens.get(at).map(|token| &token.raw)?;
    let amounts = text.amounts(at, None);
    let has_unit = amounts.iter().any(|amount| !amount.units.is_empty());
    digits.parse().ok().filter(|_| !text.is_model(at) && !has_unit)
}

//! Rules for models and places.

use super::cursor::Cursor;
use super::gpus;
use super::grammar::{Fact, Read};
use super::token::{Kind, Token};
use super::words::NEGATIONS;
use crate::domain::catalog::Resource;
use crate::domain::country;
use crate::domain::format::trimmed;
use crate::domain::region::country_of;

/// Models or places, or what is not wanted of them: `4090 or 5090`, `not in china`.
pub(super) fn chosen(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let negations = NEGATIONS.iter().map(|words| (*words, ()));
    let (is_excluded, from) = match cursor.longest(at, negations) {
        Some(((), next)) => (
            true,
            cursor.skip(
                next,
                &[
                    "in", "from", "the", "any", "located", "based", "hosted", "machines", "hosts",
                    "servers", "offers", "gpus", "cards", "a", "an", "on",
                ],
            ),
        ),
        None => (false, at),
    };
    let models = |at| match resource {
        Resource::Offers => model(cursor, at),
        Resource::Volumes | Resource::Workergroups => None,
    };
    if resource == Resource::Offers
        && !is_excluded
        && let Some((form, next)) = cursor.longest(at, gpus::FORMS.iter().copied())
    {
        return Some((vec![Fact::Form(form)], next));
    }
    if let Some((names, next)) = listed(cursor, from, models) {
        let mut facts = vec![Fact::Models { names, is_excluded }];
        // `h100x8`
        let count = cursor
            .number(next + 1)
            .filter(|_| cursor.kind(next) == Some(Kind::Times));
        if let Some((count, next)) = count {
            let condition = format!("num_gpus={}", trimmed(count, 0));
            facts.extend(Fact::conditions(condition));
            return Some((facts, next));
        }
        return Some((facts, next));
    }
    let from = if is_excluded {
        from
    } else {
        cursor.skip(
            from,
            &[
                "in",
                "from",
                "within",
                "the",
                "located",
                "based",
                "anywhere",
                "somewhere",
                "near",
                "close",
                "to",
                "hosted",
                "inside",
                "around",
                "for",
            ],
        )
    };
    let (names, next) = listed(cursor, from, |at| place(cursor, at))?;
    let regions = regions(cursor, from, next);
    // Without a part of a country the country stays.
    let is_choice = !is_excluded || regions.is_empty();
    let places = is_choice.then_some(Fact::Places { names, is_excluded });
    let regions = regions
        .into_iter()
        .map(|name| Fact::Region { name, is_excluded });
    Some((places.into_iter().chain(regions).collect(), next))
}

/// The parts of countries between two positions, as they were typed.
fn regions(cursor: Cursor<'_>, mut at: usize, end: usize) -> Vec<String> {
    let mut found = Vec::new();
    while at < end {
        match region(cursor, at) {
            Some((_, name, next)) => {
                found.push(name);
                at = next;
            }
            None => at += 1,
        }
    }
    found
}

/// The country of the part of one at a position, the words, and the position behind them.
fn region(cursor: Cursor<'_>, at: usize) -> Option<(&'static str, String, usize)> {
    cursor.runs(at).find_map(|(run, next)| {
        let name = words(run);
        country_of(&name).map(|country| (country, name, next))
    })
}

fn words(run: &[Token]) -> String {
    let words: Vec<_> = run.iter().map(|token| token.text.as_str()).collect();
    words.join(" ")
}

/// One or more of a kind: `a, b or c`.
fn listed(
    cursor: Cursor<'_>,
    at: usize,
    one: impl Fn(usize) -> Option<(Vec<&'static str>, usize)>,
) -> Option<(Vec<&'static str>, usize)> {
    let (mut names, mut next) = one(at)?;
    if gpus::is_class(&names) {
        return Some((names, next));
    }
    loop {
        let mut after = next;
        if matches!(cursor.kind(after), Some(Kind::Comma | Kind::Slash)) {
            after += 1;
        }
        let after = cursor.skip(after, &["or", "and", "nor", "vs", "versus"]);
        match one(after).filter(|_| after > next) {
            Some((more, end)) => {
                names.extend(more);
                next = end;
            }
            None => return Some((names, next)),
        }
    }
}

/// A GPU model, with or without its brand.
pub(super) fn model(cursor: Cursor<'_>, at: usize) -> Option<(Vec<&'static str>, usize)> {
    let start = cursor.skip(at, &gpus::BRANDS);
    for start in [at, start] {
        for (run, next) in cursor.runs(start) {
            let spelling: String = run.iter().map(|token| token.text.as_str()).collect();
            let found = gpus::models(&spelling);
            if !found.is_empty() {
                // `4090s` are several; a 4080S is found as such.
                let is_plural = cursor.is(next, "s") && cursor.tokens[next].glued;
                let next = next + usize::from(is_plural);
                return Some(with_other_forms(cursor, &spelling, found, next));
            }
            let singular = spelling.strip_suffix('s').map_or(&[][..], gpus::models);
            if !singular.is_empty() {
                return Some((singular.to_vec(), next));
            }
        }
    }
    None
}

/// The models of further form factors behind one: `h100 pcie or sxm`.
fn with_other_forms(
    cursor: Cursor<'_>,
    spelling: &str,
    models: &[&'static str],
    mut next: usize,
) -> (Vec<&'static str>, usize) {
    let mut models = models.to_vec();
    let forms = || gpus::FORMS.iter().map(|(form, _)| *form);
    let base = forms().find_map(|form| spelling.strip_suffix(form));
    while let Some(base) = base {
        let joint =
            next + usize::from(matches!(cursor.kind(next), Some(Kind::Comma | Kind::Slash)));
        let joint = cursor.skip(joint, &["or", "and"]);
        let form = forms().find(|form| joint > next && cursor.is(joint, form));
        let more = form.map_or(&[][..], |form| gpus::models(&format!("{base}{form}")));
        if more.is_empty() {
            break;
        }
        models.extend(more);
        next = joint + 1;
    }
    (models, next)
}

fn place(cursor: Cursor<'_>, at: usize) -> Option<(Vec<&'static str>, usize)> {
    let at = cursor.skip(at, &["the", "in"]);
    let named = cursor.runs(at).find_map(|(run, next)| {
        let in_capitals = run.iter().all(|token: &Token| token.capitals);
        country::named(&words(run), in_capitals).map(|name| (name, next))
    });
    let region = region(cursor, at).map(|(name, _, next)| (name, next));
    let longest = [region, named]
        .into_iter()
        .flatten()
        .max_by_key(|(_, next)| *next);
    longest.map(|(name, next)| (vec![name], next))
}

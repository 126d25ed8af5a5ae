//! Words that take back what they are around, and clauses without a condition: `no datacenter`,
//! `nvlink not needed`, `for my homework`.

use std::ops::Range;

use super::choice::model;
use super::cursor::Cursor;
use super::grammar::{Fact, Read, fixed_words, phrase};
use super::token::{Kind, Token};
use super::words::NEGATIONS;
use crate::domain::catalog::Resource;

/// Words in front of what is not needed.
#[rustfmt::skip]
const UNNEEDED: &[&str] = &[
    "don't need", "do not need", "doesn't need", "does not need", "don't need any", "dont need",
    "don't require", "do not require", "no need for", "no need of", "needn't have", "needn't be",
    "need not be", "need not have", "don't care about", "do not care about", "dont care about", "don't care if",
    "don't mind", "do not mind", "regardless of", "irrespective of", "no matter the", "not necessarily", "doesn't have to be",
    "does not have to be", "doesn't need to be", "don't have to be", "without needing", "don't insist on",
];

/// Words behind what is not needed.
#[rustfmt::skip]
const UNNEEDED_BEHIND: &[&str] = &[
    "not needed", "not required", "not necessary", "not important", "isn't needed",
    "isn't required", "isn't necessary", "isn't important", "is not needed", "is not required",
    "is not necessary", "is not important", "unnecessary", "is unnecessary", "optional", "is optional", "irrelevant",
    "is irrelevant", "doesn't matter", "does not matter", "don't matter", "not a must", "isn't a must", "not essential",
];

/// Words that begin a clause about what the machine is for.
const OPENERS: &[&str] = &[
    "for", "to", "because", "since", "so", "while", "running", "run", "using", "as", "my", "our",
    "doing", "about",
];

/// The opposite of words with a fixed meaning: `no datacenter`, `without spot`.
pub(super) fn negated(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let negations = NEGATIONS.iter().map(|words| (*words, ()));
    let ((), next) = cursor.longest(at, negations)?;
    let from = cursor.skip(next, &["a", "an", "in", "the", "any", "on"]);
    let (facts, next) = fixed_words(cursor, from, resource)?;
    let opposite = match &facts[..] {
        [Fact::Type("bid")] => Fact::Type("on-demand"),
        [Fact::Conditions(text)] => Fact::Conditions(opposite(text)?),
        _ => return None,
    };
    Some((vec![opposite], next))
}

/// The opposite of one condition that is a yes or no.
fn opposite(condition: &str) -> Option<String> {
    if condition == "bw_nvlink>0" {
        return Some("bw_nvlink=0".to_owned());
    }
    let (field, value) = condition.split_once('=')?;
    Some(match (field, value) {
        ("datacenter" | "static_ip" | "verified" | "vms_enabled", "true") => {
            format!("{field}=false")
        }
        ("gpu_display_active", "false") => format!("{field}=true"),
        ("has_avx", "1") => "has_avx=0".to_owned(),
        ("gpu_frac", "1") => "gpu_frac<1".to_owned(),
        ("gpu_arch" | "cpu_arch", value) => format!("{field}!={value}"),
        _ => return None,
    })
}

/// `don't need nvlink`: the words say something of a field, but want nothing of it.
pub(super) fn unneeded(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let next = cursor.behind_any(at, UNNEEDED)?;
    let from = cursor.skip(
        next,
        &[
            "a", "an", "the", "any", "to", "be", "in", "have", "it", "is",
        ],
    );
    match phrase(cursor, from, resource) {
        Some((facts, end)) if taken_back(cursor, at, end, &facts).is_some() => {
            Some((taken_back(cursor, at, end, &facts)?, end))
        }
        _ => Some((vec![Fact::Idle(text(cursor, at, next))], next)),
    }
}

/// What a phrase from `at` to `next` means if the words after it say that it is not needed:
/// `nvlink optional`.
pub(super) fn behind(cursor: Cursor<'_>, at: usize, next: usize, facts: &[Fact]) -> Read {
    let end = cursor.behind_any(next, UNNEEDED_BEHIND)?;
    Some((taken_back(cursor, at, end, facts)?, end))
}

/// What remains of facts that are not wanted: a field with a condition by default is freed of it.
fn taken_back(cursor: Cursor<'_>, at: usize, end: usize, facts: &[Fact]) -> Option<Vec<Fact>> {
    let is_verified = |text: &str| text.starts_with("verified=");
    match facts {
        [Fact::Conditions(text)] if is_verified(text) => Some(vec![Fact::Free("verified")]),
        [Fact::Conditions(_) | Fact::Type(_) | Fact::Form(_)] => {
            Some(vec![Fact::Idle(text(cursor, at, end))])
        }
        _ => None,
    }
}

/// Whether a token begins a clause about what the machine is for.
pub(super) fn opens(token: &Token) -> bool {
    token.kind == Kind::Word && OPENERS.contains(&&*token.text)
}

/// The bounds in front of the name of a model where a price is expected, and what to write instead:
/// `under 3090`.
pub(super) fn unpriced(cursor: Cursor<'_>) -> Vec<(Range<usize>, String)> {
    let bound = |at: usize| {
        let (operator, number) = cursor.bound(at);
        let first = cursor.tokens.get(at)?;
        let last = cursor.tokens.get(number)?;
        let is_number = operator.is_some() && matches!(last.kind, Kind::Number(_));
        let (names, _) = model(cursor, number).filter(|_| is_number)?;
        let (words, own) = (text(cursor, at, number), &last.text);
        let message = format!(
            "{own} is a GPU ({}), no price: write '{words} ${own}' for a price, or '{own}' for the GPU",
            names.join(", ")
        );
        Some((first.span.start..last.span.end, message))
    };
    (0..cursor.tokens.len()).filter_map(bound).collect()
}

/// The words between two positions as they were typed, in lower case.
pub(super) fn text(cursor: Cursor<'_>, at: usize, end: usize) -> String {
    let words = cursor.tokens.get(at..end).unwrap_or_default().iter();
    words.fold(String::new(), |text, token| {
        let is_joined = text.is_empty() || token.glued;
        text + if is_joined { "" } else { " " } + &token.text
    })
}

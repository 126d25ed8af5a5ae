//! The rules: each reads a phrase at a position of the tokens.

use super::amount::{Amount, Unit, amount};
use super::choice::chosen;
use super::clauses::{self, negated, unneeded};
use super::cursor::Cursor;
use super::english::{is_derived, is_everyday};
use super::meaning::choice;
use super::measure::{amounted, bare_size, counted, either, named_amount};
use super::measures::measured;
use super::nouns::{Noun, noun_behind};
use super::orders::ordered;
use super::phrases::fixed;
use super::price;
use super::spaced::spaced;
use super::token::Kind;
use super::words::{BOUNDS_BEHIND, NEGATIONS, NUMBERED, PRIVACY, PURPOSES};
use crate::domain::catalog::Resource;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// Conditions in the query language.
    Conditions(String),
    /// The field has no condition.
    Free(&'static str),
    Models {
        names: Vec<&'static str>,
        is_excluded: bool,
    },
    /// Part of the names of the models that are meant.
    Form(&'static str),
    /// Codes of countries and names of groups.
    Places {
        names: Vec<&'static str>,
        is_excluded: bool,
    },
    /// A part of a country, which the market has no filter for, and whether it is excluded.
    Region {
        name: String,
        is_excluded: bool,
    },
    /// A size in GB without a noun: memory or disk, which depends on the models.
    Size(Amount),
    /// Memory of each GPU, in GB.
    Vram(Amount),
    /// Memory of all GPUs, in GB.
    TotalVram(Amount),
    /// GB of disk, which prices include.
    Disk(f64),
    /// Hours that the job runs.
    Hours(f64),
    /// GB that the job downloads.
    Down(f64),
    /// GB that the job uploads.
    Up(f64),
    /// GB of traffic in each period of so many hours, down or up.
    Traffic {
        gb: f64,
        hours: f64,
        is_up: bool,
    },
    Type(&'static str),
    /// Fields in the query language, the first counts most.
    Order(String),
    /// The European Union, if no place is named.
    Privacy,
    /// Words without a condition.
    Idle(String),
}

impl Fact {
    pub(super) fn conditions(text: impl Into<String>) -> Vec<Self> {
        vec![Self::Conditions(text.into())]
    }
}

/// What a phrase says, and the position behind it.
pub(super) type Read = Option<(Vec<Fact>, usize)>;

/// The longest phrase at a position; of equally long ones that of the first rule.
pub(super) fn phrase(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let rules: [fn(Cursor<'_>, usize, Resource) -> Read; 20] = [
        spaced,
        fixed_words,
        numbered,
        identified,
        architecture,
        chosen,
        counted,
        either,
        amounted,
        bare_size,
        named_amount,
        price::in_front,
        rental,
        traffic,
        measured,
        price::quoted,
        ordered,
        negated,
        unneeded,
        idle,
    ];
    let mut best: Read = None;
    for rule in rules {
        let found = rule(cursor, at, resource);
        let best_next = best.as_ref().map_or(at, |(_, next)| *next);
        if found
            .as_ref()
            .is_some_and(|(_, next)| *next > best_next && is_apart(cursor, at, *next))
        {
            best = found;
        }
    }
    let (facts, next) = best?;
    clauses::behind(cursor, at, next, &facts).or(Some((facts, next)))
}

/// Whether a phrase begins and ends at a blank or a separator: `4090d5` is no 4090.
fn is_apart(cursor: Cursor<'_>, at: usize, next: usize) -> bool {
    let separates = |kind| matches!(kind, Kind::Comma | Kind::Slash);
    let is_border = |at: usize| {
        let Some(token) = cursor.tokens.get(at) else {
            return true;
        };
        let before = at.checked_sub(1).and_then(|before| cursor.kind(before));
        !token.glued || separates(token.kind) || before.is_some_and(separates)
    };
    is_border(at) && is_border(next)
}

pub(super) fn fixed_words(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let tables = fixed(resource).into_iter().flatten().copied();
    let (meaning, next) = cursor.longest(at, tables)?;
    let fact = match meaning.split_once(':') {
        Some(("type", word)) => Fact::Type(word),
        Some(("order", order)) => Fact::Order(order.to_owned()),
        Some(("free", field)) => Fact::Free(field),
        _ => Fact::Conditions(meaning.to_owned()),
    };
    Some((vec![fact], next))
}

/// Versions and generations in front of their number: `cuda 12.4`, `driver >= 550`, `pcie gen 4`.
fn numbered(cursor: Cursor<'_>, at: usize, _: Resource) -> Read {
    let (start, factor, next) = number_name(cursor, at)?;
    let (bound, next) = cursor.bound(next);
    let (value, mut next) = version(cursor, next, factor)?;
    let field = start.trim_end_matches(['>', '=']);
    let start = match bound {
        Some(bound) => format!("{field}{}", bound.symbol()),
        None => start.to_owned(),
    };
    if cursor.kind(next) == Some(Kind::Plus) {
        next += 1;
    }
    let behind = BOUNDS_BEHIND.iter().copied();
    let at_least = cursor.longest(next, behind);
    next = at_least
        .filter(|(bound, _)| *bound == Operator::Gte)
        .map_or(next, |(_, behind)| behind);
    let mut facts = Fact::conditions(format!("{start}{value}"));
    // `pcie 4.0 x16`
    if field == "pci_gen"
        && cursor.kind(next) == Some(Kind::Times)
        && let Some((lanes, behind)) = cursor.number(next + 1)
    {
        facts.extend(Fact::conditions(format!("gpu_lanes>={lanes}")));
        next = behind;
    }
    Some((facts, next))
}

/// Hosts, machines, clusters or offers by their ids: `host 58213`, `not on machines 12 or 17`.
fn identified(cursor: Cursor<'_>, at: usize, _: Resource) -> Read {
    let negations = NEGATIONS.iter().map(|words| (*words, ()));
    let (is_excluded, from) = match cursor.longest(at, negations) {
        Some(((), next)) => (true, cursor.skip(next, &["on", "from", "the", "at"])),
        None => (false, at),
    };
    let (start, factor, next) = number_name(cursor, from)?;
    let field = start
        .strip_suffix('=')
        .filter(|field| field.ends_with("id"))?;
    let (id, mut next) = version(cursor, next, factor)?;
    let mut ids = vec![id];
    loop {
        let joint = next + usize::from(cursor.kind(next) == Some(Kind::Comma));
        let joint = cursor.skip(joint, &["or", "and", "nor"]);
        // `host 12, 2 gpus` names one.
        let is_end = |at| cursor.kind(at).is_none_or(|kind| kind == Kind::Comma);
        match version(cursor, joint, factor).filter(|(_, end)| joint > next && is_end(*end)) {
            Some((id, end)) => {
                ids.push(id);
                next = end;
            }
            None => break,
        }
    }
    Some((Fact::conditions(choice(field, &ids, is_excluded)), next))
}

/// The name of a number in front of it, and the position behind it: the start of its condition, and the
/// factor from the number to the field.
fn number_name(cursor: Cursor<'_>, at: usize) -> Option<(&'static str, f64, usize)> {
    let table = NUMBERED.iter();
    let table = table.map(|(words, start, factor)| (*words, (*start, *factor)));
    let ((start, factor), next) = cursor.longest(at, table)?;
    let next = cursor.skip_joint(next, &["version", "is", "id", "number"]);
    Some((start, factor, next))
}

/// Architectures: their first compute capability, and that of the next one.
const ARCHITECTURES: &[(&str, (u32, u32))] = &[
    ("pascal", (600, 700)),
    ("volta", (700, 750)),
    ("turing", (750, 800)),
    ("ampere", (800, 890)),
    ("ada", (890, 900)),
    ("ada lovelace", (890, 900)),
    ("hopper", (900, 1000)),
    ("blackwell", (1000, 2000)),
];

/// Architectures with a bound: `not older than ampere`, `newer than turing`, `hopper and above`.
fn architecture(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let (bound, from) = cursor.bound(at);
    let ((first, next_first), next) = cursor.longest(from, ARCHITECTURES.iter().copied())?;
    let next = cursor.skip(
        next,
        &[
            "architecture",
            "generation",
            "gen",
            "gpu",
            "gpus",
            "card",
            "cards",
        ],
    );
    let behind = BOUNDS_BEHIND.iter().map(|(words, own)| (*words, *own));
    let (behind, next) = cursor
        .longest(next, behind)
        .map_or((None, next), |(own, next)| (Some(own), next));
    let text = match bound.or(behind)? {
        Operator::Gte => format!("compute_cap>={first}"),
        Operator::Gt => format!("compute_cap>={next_first}"),
        Operator::Lt => format!("compute_cap<{first}"),
        Operator::Lte => format!("compute_cap<{next_first}"),
        Operator::Eq | Operator::Neq | Operator::In | Operator::Nin => return None,
    };
    (resource == Resource::Offers).then(|| (Fact::conditions(text), next))
}

/// The number or version at a position, and the position behind it.
fn version(cursor: Cursor<'_>, at: usize, factor: f64) -> Option<(String, usize)> {
    let token = cursor.tokens.get(at)?;
    let value = match token.kind {
        Kind::Number(number) if (factor - 1.0).abs() > f64::EPSILON => trimmed(number * factor, 0),
        Kind::Number(_) => token.text.clone(),
        Kind::Word if token.text.starts_with(|c: char| c.is_ascii_digit()) => token.text.clone(),
        _ => return None,
    };
    Some((value, at + 1))
}

/// A rental by the period: `monthly`, `weekly rental`, but not `monthly price`.
fn rental(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let terms = [
        ("daily", 24.0),
        ("day rental", 24.0),
        ("weekly", 168.0),
        ("week rental", 168.0),
        ("monthly", 720.0),
        ("month rental", 720.0),
        ("per day", 24.0),
        ("per week", 168.0),
        ("per month", 720.0),
        ("by the day", 24.0),
        ("by the week", 168.0),
        ("by the month", 720.0),
        ("a year long", 8760.0),
        ("yearly", 8760.0),
    ];
    let (hours, next) = cursor.longest(at, terms)?;
    let next = cursor.skip(next, &["rental", "rent", "lease", "term", "job"]);
    let is_price = matches!(noun_behind(cursor, next), Some((Noun::Price, _)))
        && !cursor.is_one_of(next, &["for", "at"]);
    let is_rental = resource == Resource::Offers && !is_price;
    is_rental.then(|| (vec![Fact::Hours(hours)], next))
}

/// Traffic by the period: `200gb traffic per day`.
fn traffic(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let size = amount(cursor, at).filter(|size| size.unit == Unit::Gigabytes)?;
    let (noun, next) = noun_behind(cursor, size.next)?;
    let is_up = noun == Noun::Up;
    if !is_up && !matches!(noun, Noun::Down | Noun::Network) {
        return None;
    }
    let (hours, next) = price::period(cursor, next)?;
    let gb = size.low;
    (resource == Resource::Offers).then(|| (vec![Fact::Traffic { gb, hours, is_up }], next))
}

/// Words without a condition: `inference`, `70b`.
fn idle(cursor: Cursor<'_>, at: usize, _: Resource) -> Read {
    if let Some(next) = cursor.behind_any(at, PRIVACY) {
        return Some((vec![Fact::Privacy], next));
    }
    let parameters = cursor.number(at).map(|(_, next)| next);
    let is_glued = |next: &usize| cursor.is(*next, "b") && cursor.tokens[*next].glued;
    let parameters = parameters.filter(is_glued).map(|next| next + 1);
    let everyday = || {
        let word = cursor.tokens.get(at)?;
        let is_idle = is_everyday(&word.text) || is_derived(&word.text);
        (word.kind == Kind::Word && is_idle).then_some(at + 1)
    };
    let next = cursor
        .behind_any(at, PURPOSES)
        .or(parameters)
        .or_else(everyday)?;
    Some((vec![Fact::Idle(clauses::text(cursor, at, next))], next))
}

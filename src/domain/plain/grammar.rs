//! Divides a text into clauses. One that is not understood in full says nothing.

use std::cmp::Reverse;
use std::ops::Range;

use super::settings::Settings;
use super::text::{Bound, Text, role};
use super::token::Kind;
use super::vocabulary::Role;
use super::{clause, list};

#[derive(Debug, Clone)]
pub(super) enum Fact {
    /// Conditions in the query language.
    Condition(String),
    /// The field is one of several values, or none of them.
    Choice(&'static str, Vec<String>, Sense),
    /// A size without a noun: memory or disk, which depends on the models.
    Size(Vec<Bound>),
    /// Dollars without a period.
    Price(Vec<Bound>),
    Set(Settings),
    Note(String),
}

/// Whether values are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Wanted,
    Excluded,
}

impl Fact {
    /// The values of a field that it asks for, or leaves out.
    pub(super) fn values(&self, field: &str, sense: Sense) -> &[String] {
        let Self::Choice(own, names, is) = self else { return &[] };
        if (*own, *is) == (field, sense) { names } else { &[] }
    }
}

/// A clause that was read.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub facts: Vec<Fact>,
    pub next: usize,
    /// An unknown word right behind may belong to it: `under 5 bananas`.
    pub is_open: bool,
}

#[derive(Debug, Clone)]
enum What {
    Clause(Clause),
    /// A negation or a comparison without what it is of.
    Sign,
    Unknown,
    /// A word or sign between clauses that says nothing.
    Filler,
    Or,
    /// A comma, or a condition of the query language.
    Break,
}

impl What {
    fn facts(&self) -> Option<&[Fact]> {
        let Self::Clause(clause) = self else { return None };
        Some(&clause.facts)
    }

    fn chooses(&self, field: &str, sense: Sense) -> bool {
        let mut facts = self.facts().into_iter().flatten();
        facts.any(|fact| !fact.values(field, sense).is_empty())
    }
}

/// A part of a text: its tokens from `start` to `next`.
#[derive(Debug, Clone)]
struct Part {
    what: What,
    start: usize,
    next: usize,
}

/// Words that are understood together or not at all.
pub(super) struct Group {
    /// In bytes of the text.
    pub span: Range<usize>,
    /// What they say; nothing if they are not understood.
    pub facts: Option<Vec<Fact>>,
    /// Whether an `or` in front adds to what the text has: `gpu_name=H200 or b200`.
    pub adds: bool,
}

/// The groups of a text: a clause, or several parts of which one changes what the other means. Those are refused.
pub(super) fn groups(text: &Text<'_>) -> Vec<Group> {
    let (mut groups, mut is_apart, mut from) = (Vec::<Vec<Part>>::new(), true, 0);
    for mut part in parts(text) {
        // `any card but a 3090` is no search for 3090s.
        let is_but = (from..part.start).any(|at| text.is_one_of(at, "but"));
        if is_but && part.what.chooses("gpu_name", Sense::Wanted) {
            part.what = What::Unknown;
        }
        match &part.what {
            What::Filler => continue,
            What::Break => is_apart = !text.is_one_of(part.next, "or"),
            What::Sign | What::Unknown | What::Or | What::Clause(_) => {
                match groups.last_mut() {
                    Some(left) if !is_apart && are_bound(text, &left[left.len() - 1], &part) => left.push(part.clone()),
                    _ => groups.push(vec![part.clone()]),
                }
                is_apart = false;
            }
        }
        from = part.next;
    }
    groups.iter().map(|parts| group(text, parts)).collect()
}

fn group(text: &Text<'_>, parts: &[Part]) -> Group {
    let span = text.span(parts[0].start, parts[parts.len() - 1].next);
    let adds = matches!(parts[0].what, What::Or);
    let is_added = |fact: &Fact| matches!(fact, Fact::Choice(_, _, Sense::Wanted));
    let facts = match &parts[usize::from(adds)..] {
        [said] => said.what.facts().filter(|facts| !adds || facts.iter().all(is_added)),
        _ => None,
    };
    let facts = facts.map(<[_]>::to_vec);
    Group { span, facts, adds }
}

/// Whether two parts with nothing but fillers between them are understood together or not at all.
fn are_bound(text: &Text<'_>, left: &Part, right: &Part) -> bool {
    let is_joined = |words: &str| (left.next..right.start).any(|at| text.is_one_of(at, words));
    let is_adjacent = left.next == right.start;
    match (&left.what, &right.what) {
        (What::Or | What::Sign, _) | (_, What::Or) | (What::Unknown, What::Unknown | What::Sign) => true,
        // `beyond $5`, `sans china`, `closest to germany`
        (What::Unknown, what) => {
            let is_number = text.number(text.skip(right.start, "$ x")).is_some() && !text.is_model(right.start);
            let is_changed = is_number || what.chooses("geolocation", Sense::Wanted);
            is_joined("to of than from as at by for but") || is_adjacent && is_changed
        }
        // `verified not`
        (_, What::Sign) => {
            let is_last = matches!(text.kind(right.next), None | Some(Kind::Break));
            is_last && role!(text, right.start, Role::Not(true) | Role::Behind(_) => ()).is_some()
        }
        (What::Clause(left), What::Unknown) => left.is_open && is_adjacent,
        // `no 4090 with 24gb`
        (left, _) => left.chooses("gpu_name", Sense::Excluded) && is_joined("with has having that"),
    }
}

/// The parts of a text: of all ways to divide it the one with the fewest unknown words, then the fewest parts, the
/// longest first.
fn parts(text: &Text<'_>) -> Vec<Part> {
    let count = text.tokens.len();
    let mut best: Vec<Option<((usize, usize), Part)>> = vec![None; count + 1];
    for start in (0..count).rev() {
        let ways = ways(text, start).into_iter().map(|(next, what)| {
            let (unknown, parts) = best[next].as_ref().map_or((0, 0), |(cost, _)| *cost);
            let unknown = unknown + usize::from(matches!(what, What::Unknown | What::Sign));
            ((unknown, parts + 1), Part { what, start, next })
        });
        best[start] = ways.min_by_key(|(cost, part)| (*cost, Reverse(part.next)));
    }
    let mut parts: Vec<Part> = Vec::new();
    while let Some((_, part)) = &best[parts.last().map_or(0, |part| part.next)] {
        parts.push(part.clone());
    }
    parts
}

/// All that can begin at a position, and the position behind each.
fn ways(text: &Text<'_>, at: usize) -> Vec<(usize, What)> {
    if let Kind::Break | Kind::Opaque = text.tokens[at].kind {
        return vec![(at + 1, What::Break)];
    }
    let clauses = clause::clauses(text, at).into_iter().chain(list::choice(text, at));
    let clauses = clauses.chain(list::cluster(text, at)).chain(list::deadline(text, at));
    let mut ways: Vec<_> = clauses.map(|clause| (clause.next, What::Clause(clause))).collect();
    let filler = role!(text, at, Role::Filler => ());
    ways.extend(filler.map(|((), next)| (next, What::Filler)));
    ways.extend(text.is_one_of(at, "or").then_some((at + 1, What::Or)));
    ways.retain(|(next, _)| text.is_border(at) && text.is_border(*next));
    let sign = role!(text, at, Role::Not(_) | Role::Behind(_) | Role::Compare(_) => ());
    ways.push(sign.map_or((at + 1, What::Unknown), |((), next)| (next, What::Sign)));
    ways
}

/// What is said of the settings of a search.
pub(super) fn set(change: impl FnOnce(&mut Settings)) -> Fact {
    let mut settings = Settings::default();
    change(&mut settings);
    Fact::Set(settings)
}

//! Divides a text into clauses. One that is not understood in full says nothing.

use std::cmp::Reverse;
use std::ops::Range;

use super::clause;
use super::list;
use super::settings::Settings;
use super::text::{Bound, Text, role};
use super::token::Kind;
use super::vocabulary::Role;

/// What a clause says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// Conditions in the query language.
    Condition(String),
    Choice(Choice),
    /// Part of the names of the models that are meant.
    Form(&'static str),
    /// A state or city, which no market filters by.
    Region(String),
    /// A size without a noun: memory or disk, which depends on the models.
    Size(Vec<Bound>),
    /// Dollars without a period.
    Price(Vec<Bound>),
    Set(Settings),
    Note(String),
    /// Words that the market has no field for.
    Idle,
}

/// The field is one of several values, or none of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    pub field: &'static str,
    pub names: Vec<String>,
    pub is_excluded: bool,
}

impl Choice {
    pub(super) const fn new(field: &'static str, names: Vec<String>, is_excluded: bool) -> Self {
        Self {
            field,
            names,
            is_excluded,
        }
    }

    /// Whether both make one condition.
    pub(super) fn is_rival(&self, other: &Self) -> bool {
        (self.field, self.is_excluded) == (other.field, other.is_excluded)
    }

    pub(super) fn add(&mut self, names: &[String]) {
        for name in names {
            if !self.names.contains(name) {
                self.names.push(name.clone());
            }
        }
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

impl Clause {
    pub(super) const fn new(next: usize, facts: Vec<Fact>) -> Self {
        let is_open = false;
        Self { facts, next, is_open }
    }

    fn chooses(&self, field: &str, is_excluded: bool) -> bool {
        let is_choice =
            |fact: &Fact| matches!(fact, Fact::Choice(own) if (own.field, own.is_excluded) == (field, is_excluded));
        self.facts.iter().any(is_choice)
    }
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
        match &part.what {
            What::Filler => continue,
            What::Break => is_apart = !text.is_one_of(part.next, "or"),
            What::Sign | What::Unknown | What::Or | What::Clause(_) => {
                // `any card but a 3090` is no search for 3090s.
                if let What::Clause(clause) = &part.what
                    && clause.chooses("gpu_name", false)
                    && (from..part.start).any(|at| text.is_one_of(at, "but"))
                {
                    part.what = What::Unknown;
                }
                let left = groups.last_mut().filter(|_| !is_apart);
                match left.filter(|left| left.last().is_some_and(|left| are_bound(text, left, &part))) {
                    Some(left) => left.push(part.clone()),
                    None => groups.push(vec![part.clone()]),
                }
                is_apart = false;
            }
        }
        from = part.next;
    }
    groups.into_iter().map(|parts| group(text, parts)).collect()
}

fn group(text: &Text<'_>, parts: Vec<Part>) -> Group {
    let span = text.span(parts[0].start, parts[parts.len() - 1].next);
    let is_choice = |fact: &Fact| matches!(fact, Fact::Choice(choice) if !choice.is_excluded);
    let adds = matches!(parts[0].what, What::Or);
    let facts = match parts
        .into_iter()
        .skip(usize::from(adds))
        .map(|part| part.what)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [What::Clause(clause)] if !adds || clause.facts.iter().all(is_choice) => Some(clause.facts.clone()),
        _ => None,
    };
    Group { span, facts, adds }
}

/// Whether two parts with nothing but fillers between them are understood together or not at all.
fn are_bound(text: &Text<'_>, left: &Part, right: &Part) -> bool {
    let is_joined = |words: &str| (left.next..right.start).any(|at| text.is_one_of(at, words));
    let is_adjacent = left.next == right.start;
    match (&left.what, &right.what) {
        (What::Or | What::Sign, _) | (_, What::Or) | (What::Unknown, What::Unknown | What::Sign) => true,
        // `beyond $5`, `sans china`, `closest to germany`
        (What::Unknown, What::Clause(clause)) => {
            let is_number = text.number(text.skip(right.start, "$")).is_some() && !text.is_model(right.start);
            let is_changed = is_number || clause.chooses("geolocation", false);
            is_joined("to of than from as at by for but") || is_adjacent && is_changed
        }
        // `verified not`
        (What::Clause(_), What::Sign) => {
            let is_last = matches!(text.kind(right.next), None | Some(Kind::Break));
            is_last && role!(text, right.start, Role::Not | Role::Behind(_) => ()).is_some()
        }
        (What::Clause(left), What::Unknown) => left.is_open && is_adjacent,
        // `no 4090 with 24gb`
        (What::Clause(left), What::Clause(_)) => left.chooses("gpu_name", true) && is_joined("with has having that"),
        (What::Filler | What::Break, _) | (_, What::Filler | What::Break) => false,
    }
}

/// The parts of a text: of all ways to divide it the one with the fewest unknown words, then the fewest parts, the
/// longest first.
fn parts(text: &Text<'_>) -> Vec<Part> {
    let count = text.tokens.len();
    let mut best: Vec<Option<((usize, usize), Part)>> = vec![None; count + 1];
    for start in (0..count).rev() {
        let ways = ways(text, start).into_iter().map(|(what, next)| {
            let (unknown, parts) = best[next].as_ref().map_or((0, 0), |(cost, _)| *cost);
            let is_unknown = matches!(what, What::Unknown | What::Sign);
            (
                (unknown + usize::from(is_unknown), parts + 1),
                Part { what, start, next },
            )
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
fn ways(text: &Text<'_>, at: usize) -> Vec<(What, usize)> {
    if let Kind::Break | Kind::Opaque = text.tokens[at].kind {
        return vec![(What::Break, at + 1)];
    }
    let idle = role!(text, at, Role::Purpose => ()).map(|((), next)| Clause::new(next, vec![Fact::Idle]));
    let clauses = clause::clauses(text, at).into_iter().chain(list::choice(text, at));
    let clauses = clauses.chain(list::cluster(text, at)).chain(idle);
    let mut ways: Vec<_> = clauses
        .map(|clause| (clause.next, What::Clause(clause)))
        .map(|(next, what)| (what, next))
        .collect();
    let filler = role!(text, at, Role::Filler => ());
    ways.extend(filler.map(|((), next)| (What::Filler, next)));
    ways.extend(text.is_one_of(at, "or").then_some((What::Or, at + 1)));
    ways.retain(|(_, next)| text.is_border(at) && text.is_border(*next));
    let sign = role!(text, at, Role::Not | Role::Needless | Role::Behind(_) | Role::Compare(_) => ());
    ways.push(sign.map_or((What::Unknown, at + 1), |((), next)| (What::Sign, next)));
    ways
}

/// What is said of the settings of a search.
pub(super) fn set(change: impl FnOnce(&mut Settings)) -> Fact {
    let mut settings = Settings::default();
    change(&mut settings);
    Fact::Set(settings)
}

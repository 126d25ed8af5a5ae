//! The grammar: a text is a row of clauses, and one that is not understood in full says nothing.

use std::cmp::Reverse;

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
    /// The field is one of several values, or none of them.
    Choice(&'static str, Vec<String>, bool),
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

impl Fact {
    /// The field of a list of values.
    pub(super) fn field(&self) -> Option<&'static str> {
        let Self::Choice(field, ..) = self else { return None };
        Some(field)
    }
}

/// A clause that was read.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub facts: Vec<Fact>,
    pub next: usize,
    /// How far-fetched it is.
    pub cost: u32,
    /// An unknown word right behind may belong to it: `under 5 bananas`.
    pub is_open: bool,
}

/// A part of a text.
#[derive(Debug, Clone)]
pub(super) enum What {
    Clause(Clause),
    /// A word that is not understood; whether it is a negation or a comparison.
    Unknown(bool),
    /// A word or sign between clauses.
    Joint,
    Or,
    Break,
    Opaque,
}

#[derive(Debug, Clone)]
pub(super) struct Item {
    pub what: What,
    pub start: usize,
    pub next: usize,
}

/// Words between a negation and what it excludes.
pub(super) const BEFORE_EXCLUDED: &str = "in from the any a an on of located be with nvidia";

impl Item {
    /// What it says, if it is a clause.
    pub(super) fn facts(&self) -> &[Fact] {
        match &self.what {
            What::Clause(clause) => &clause.facts,
            What::Unknown(_) | What::Joint | What::Or | What::Break | What::Opaque => &[],
        }
    }

    fn chooses(&self, field: &str, excludes: bool) -> bool {
        let is_choice = |fact: &Fact| matches!(fact, Fact::Choice(own, _, not) if *own == field && *not == excludes);
        self.facts().iter().any(is_choice)
    }

    /// Whether an unknown word right in front may change it: `beyond $5`, `sans china`.
    fn leans(&self, text: &Text<'_>) -> bool {
        let is_digit = matches!(text.kind(self.start), Some(Kind::Number(_))) || text.is_one_of(self.start, "$");
        let is_number = is_digit || role!(text, self.start, Role::Number(_) => ()).is_some();
        is_number && !text.is_model(self.start)
            || self.chooses("geolocation", false)
            || text.is_one_of(self.start, "bandwidth")
    }
}

/// The parts of a text: of all ways to divide it the one with the fewest unknown words, then the fewest clauses.
pub(super) fn items(text: &Text<'_>) -> Vec<Item> {
    let count = text.tokens.len();
    let mut best: Vec<Option<(u32, Item)>> = vec![None; count + 1];
    for start in (0..count).rev() {
        let rest = |next: usize| best[next].as_ref().map_or(0, |(cost, _)| *cost);
        let ways = ways(text, start).into_iter();
        let ways = ways.map(|(cost, what, next)| (cost + rest(next), Item { what, start, next }));
        best[start] = ways.min_by_key(|(cost, item)| (*cost, Reverse(item.next)));
    }
    let mut items: Vec<Item> = Vec::new();
    while let Some((_, item)) = &best[items.last().map_or(0, |item| item.next)] {
        items.push(item.clone());
    }
    items
}

/// All that can begin at a position: its cost, and the position behind it.
fn ways(text: &Text<'_>, at: usize) -> Vec<(u32, What, usize)> {
    match text.kind(at) {
        Some(Kind::Break) => return vec![(0, What::Break, at + 1)],
        Some(Kind::Opaque) => return vec![(0, What::Opaque, at + 1)],
        _ => {}
    }
    let clauses = clause::clauses(text, at).into_iter().chain(list::choices(text, at));
    let clauses = clauses.chain(list::cluster(text, at)).chain(idle(text, at));
    let mut ways: Vec<_> = clauses
        .map(|clause| (10 + clause.cost, What::Clause(clause.clone()), clause.next))
        .collect();
    if let Some(((), next)) = role!(text, at, Role::Filler => ()) {
        ways.push((6, What::Joint, next));
    }
    if text.is_one_of(at, "or") {
        ways.push((2, What::Or, at + 1));
    }
    ways.retain(|(.., next)| text.is_border(at) && text.is_border(*next));
    ways.push((100, What::Unknown(false), at + 1));
    let behind = role!(text, at, Role::Not | Role::Waive(_) | Role::Behind(_) => ());
    let signs = [behind.map(|((), next)| next), text.comparison(at).map(|(_, next)| next)];
    ways.extend(signs.into_iter().flatten().map(|next| (60, What::Unknown(true), next)));
    ways
}

/// Words without a condition: `inference`, `70b`.
fn idle(text: &Text<'_>, at: usize) -> Option<Clause> {
    let is_number = matches!(text.kind(at), Some(Kind::Number(_)));
    let is_parameters = is_number && text.is_one_of(at + 1, "b") && text.tokens[at + 1].glued;
    let purpose = role!(text, at, Role::Purpose => ()).map(|((), next)| next);
    Some(say(purpose.or(is_parameters.then_some(at + 2))?, vec![Fact::Idle]))
}

/// The items in groups that are understood or refused together, and whether they are refused.
pub(super) fn groups(text: &Text<'_>, items: &[Item]) -> Vec<(bool, Vec<Item>)> {
    let mut groups: Vec<(bool, Vec<Item>)> = Vec::new();
    let mut joints: Vec<Item> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        if matches!(item.what, What::Joint) {
            joints.push(item.clone());
            continue;
        }
        let left = groups.last().and_then(|(_, items)| items.last());
        let joined = |words: &str| joints.iter().any(|joint| text.is_one_of(joint.start, words));
        let is_apart = !joints.is_empty();
        let refines = left.is_some_and(|left| left.chooses("gpu_name", true) && joined("with has having that"));
        let is_bound = match (left.map(|left| &left.what), &item.what) {
            (None | Some(What::Break | What::Joint | What::Opaque), _) | (_, What::Opaque | What::Joint) => false,
            (_, What::Break) => items.get(index + 1).is_some_and(|next| matches!(next.what, What::Or)),
            (Some(What::Or), _) | (_, What::Or) | (Some(What::Unknown(_)), What::Unknown(_)) => true,
            (Some(What::Unknown(is_sign)), What::Clause(_)) => {
                *is_sign || joined("to of than from as at by for but") || !is_apart && item.leans(text)
            }
            (Some(What::Clause(left)), What::Unknown(is_sign)) => {
                let is_last = matches!(text.kind(item.next), None | Some(Kind::Break));
                let is_behind = role!(text, item.start, Role::Not | Role::Behind(_) => ()).is_some();
                if *is_sign {
                    is_last && is_behind
                } else {
                    left.is_open && !is_apart
                }
            }
            // `no 4090 with 24gb`
            (Some(What::Clause(_)), What::Clause(_)) => refines,
        };
        let is_refused = match (left.map(|left| &left.what), &item.what) {
            (_, What::Unknown(_)) => true,
            (left, What::Or) => !matches!(left, None | Some(What::Opaque)) || items.len() < index + 2,
            // `gpu_name=H200 or h100` adds a value, `dph<1 or 4 gpus` is no search.
            (Some(What::Or), What::Clause(clause)) => {
                let is_wanted = |fact: &Fact| matches!(fact, Fact::Choice(.., false));
                !clause.facts.iter().all(is_wanted)
            }
            // `any card but a 3090` is no search for 3090s.
            (_, What::Clause(_)) => refines || joined("but") && item.chooses("gpu_name", false),
            (_, What::Joint | What::Break | What::Opaque) => false,
        };
        match groups.last_mut().filter(|_| is_bound) {
            Some((refused, group)) => {
                group.append(&mut joints);
                group.push(item.clone());
                *refused |= is_refused;
            }
            None => groups.push((is_refused, vec![item.clone()])),
        }
        joints.clear();
    }
    groups
}

pub(super) fn say(next: usize, facts: Vec<Fact>) -> Clause {
    Clause {
        facts,
        next,
        cost: 0,
        is_open: false,
    }
}

/// What is said of the settings of a search.
pub(super) fn set(change: impl FnOnce(&mut Settings)) -> Fact {
    let mut settings = Settings::default();
    change(&mut settings);
    Fact::Set(settings)
}

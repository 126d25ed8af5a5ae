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

/// A clause that was read.
#[derive(Debug, Clone, Default)]
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
        let What::Clause(clause) = &self.what else { return &[] };
        &clause.facts
    }

    fn chooses(&self, field: &str, excludes: bool) -> bool {
        let is_choice = |fact: &Fact| matches!(fact, Fact::Choice(own, _, not) if *own == field && *not == excludes);
        self.facts().iter().any(is_choice)
    }

    /// Whether an unknown word right in front may change it: `beyond $5`, `sans china`.
    fn leans(&self, text: &Text<'_>) -> bool {
        let is_number = text.number(text.skip(self.start, "$")).is_some() && !text.is_model(self.start);
        is_number || self.chooses("geolocation", false) || text.is_one_of(self.start, "bandwidth")
    }
}

/// The parts of a text: of all ways to divide it the one with the fewest unknown words, then the fewest clauses.
pub(super) fn items(text: &Text<'_>) -> Vec<Item> {
    let count = text.tokens.len();
    let mut best: Vec<Option<(u32, Item)>> = vec![None; count + 1];
    for start in (0..count).rev() {
        let rest = |next: usize| best[next].as_ref().map_or(0, |(cost, _)| *cost);
        let ways = ways(text, start).into_iter();
        let ways = ways.map(|(cost, next, what)| (cost + rest(next), Item { what, start, next }));
        best[start] = ways.min_by_key(|(cost, item)| (*cost, Reverse(item.next)));
    }
    let mut items: Vec<Item> = Vec::new();
    while let Some((_, item)) = &best[items.last().map_or(0, |item| item.next)] {
        items.push(item.clone());
    }
    items
}

/// All that can begin at a position: its cost, and the position behind it.
fn ways(text: &Text<'_>, at: usize) -> Vec<(u32, usize, What)> {
    match text.tokens[at].kind {
        Kind::Break => return vec![(0, at + 1, What::Break)],
        Kind::Opaque => return vec![(0, at + 1, What::Opaque)],
        Kind::Number(_) | Kind::Word | Kind::Mark => {}
    }
    let idle = role!(text, at, Role::Purpose => ()).map(|((), next)| say(next, vec![Fact::Idle]));
    let clauses = clause::clauses(text, at).into_iter().chain(list::choices(text, at));
    let clauses = clauses.chain(list::cluster(text, at)).chain(idle);
    let of = |clause: Clause| (10 + clause.cost, clause.next, What::Clause(clause));
    let mut ways: Vec<_> = clauses.map(of).collect();
    let filler = role!(text, at, Role::Filler => ());
    ways.extend(filler.map(|((), next)| (6, next, What::Joint)));
    ways.extend(text.is_one_of(at, "or").then_some((2, at + 1, What::Or)));
    ways.retain(|(_, next, _)| text.is_border(at) && text.is_border(*next));
    let sign = role!(text, at, Role::Not | Role::Waive(_) | Role::Behind(_) => ());
    let signs = sign.into_iter().chain(text.comparison(at).map(|(_, next)| ((), next)));
    ways.extend(signs.map(|((), next)| (60, next, What::Unknown(true))));
    ways.push((100, at + 1, What::Unknown(false)));
    ways
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
        let is_next = |what: fn(&What) -> bool| items.get(index + 1).is_some_and(|next| what(&next.what));
        // `any card but a 3090` is no search for 3090s.
        let is_but = joined("but") && item.chooses("gpu_name", false);
        let (is_bound, is_refused) = match (left.map(|left| &left.what), &item.what) {
            (_, What::Joint | What::Opaque) => (false, false),
            (left, What::Break) => (left.is_some() && is_next(|what| matches!(what, What::Or)), false),
            (None | Some(What::Opaque), What::Or) => (false, index + 1 == items.len()),
            (Some(What::Or), What::Unknown(_)) | (_, What::Or) => (true, true),
            // `gpu_name=H200 or h100` adds a value, `dph<1 or 4 gpus` is no search.
            (Some(What::Or), What::Clause(clause)) => (
                true,
                !clause.facts.iter().all(|fact| matches!(fact, Fact::Choice(.., false))),
            ),
            (None | Some(What::Break | What::Joint | What::Opaque), what) => {
                (false, matches!(what, What::Unknown(_)) || is_but)
            }
            (Some(What::Unknown(_)), What::Unknown(_)) => (true, true),
            (Some(What::Unknown(is_sign)), What::Clause(_)) => {
                let is_tied = joined("to of than from as at by for but") || joints.is_empty() && item.leans(text);
                (*is_sign || is_tied, is_but)
            }
            (Some(What::Clause(_)), What::Unknown(true)) => {
                let is_last = item.next == text.tokens.len() || is_next(|what| matches!(what, What::Break));
                (
                    is_last && role!(text, item.start, Role::Not | Role::Behind(_) => ()).is_some(),
                    true,
                )
            }
            (Some(What::Clause(left)), What::Unknown(false)) => (left.is_open && joints.is_empty(), true),
            // `no 4090 with 24gb`
            (Some(What::Clause(_)), What::Clause(_)) => {
                let refines = left.is_some_and(|left| left.chooses("gpu_name", true)) && joined("with has having that");
                (refines, refines || is_but)
            }
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
    let mut clause = Clause::default();
    (clause.facts, clause.next) = (facts, next);
    clause
}

/// What is said of the settings of a search.
pub(super) fn set(change: impl FnOnce(&mut Settings)) -> Fact {
    let mut settings = Settings::default();
    change(&mut settings);
    Fact::Set(settings)
}

//! The grammar: a text is a row of clauses, and one that is not understood in full says nothing.

use std::cmp::Reverse;

use super::attributes::{measured, named};
use super::clauses::{choice, cluster, counted, fixed, idle, limit, ordered};
use super::quantity::{Quantity, Text, role};
use super::settings::Settings;
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
    Size(Quantity),
    /// Dollars without a period, and whether words tie them to the length of the job.
    Price(Quantity, bool),
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
#[derive(Debug, Clone, Default)]
pub(super) struct Clause {
    pub facts: Vec<Fact>,
    pub next: usize,
    /// How far-fetched it is.
    pub cost: u32,
    /// An unknown word right behind may belong to it: `under 5 bananas`.
    pub is_open: bool,
    /// An unknown word right in front may change it: `beyond $5`, `sans china`.
    pub leans: bool,
    /// A list without a word such as `in`.
    pub is_list: bool,
    /// What `with` adds may be part of what is not wanted: `no 4090 with 24gb`.
    pub excludes_models: bool,
}

/// A part of a text.
#[derive(Debug, Clone)]
pub(super) enum What {
    Clause(Clause),
    /// Words that are not understood; whether they change what is behind them, or what is in front.
    Unknown(bool, bool),
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
            What::Unknown(..) | What::Joint | What::Or | What::Break | What::Opaque => &[],
        }
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
    let unknown = |leads, trails| What::Unknown(leads, trails);
    let mut ways = vec![(100, unknown(false, false), at + 1)];
    let single = [cluster, limit, fixed, counted, ordered, idle];
    let several = [choice, named, measured].into_iter().flat_map(|rule| rule(text, at));
    let clauses = single.into_iter().filter_map(|rule| rule(text, at)).chain(several);
    ways.extend(clauses.map(|clause| (10 + clause.cost, What::Clause(clause.clone()), clause.next)));
    if let Some(((), next)) = role!(text, at, Role::Filler => ()) {
        ways.push((6, What::Joint, next));
    }
    if text.is_one_of(at, "or") {
        ways.push((2, What::Or, at + 1));
    }
    let is_end = |at| matches!(text.kind(at), None | Some(Kind::Break));
    let negation = role!(text, at, Role::Not => ()).map(|((), next)| text.skip(next, BEFORE_EXCLUDED));
    let waived = role!(text, at, Role::Waive(_) => ()).map(|((), next)| next);
    let leading = [negation, waived].into_iter().flatten();
    ways.extend(leading.map(|next| (60, unknown(true, is_end(next)), next)));
    let behind = text.behind(at).map(|(_, next)| next);
    let compared = Some(text.comparison(at).1).filter(|next| *next > at);
    // `max` in front of a number says nothing of what is in front of it.
    let trails = |next| behind.is_some() && (compared.is_none() || is_end(next));
    let bounds = [behind, compared].into_iter().flatten();
    ways.extend(bounds.map(|next| (60, unknown(compared.is_some(), trails(next)), next)));
    ways.retain(|(_, what, next)| matches!(what, What::Unknown(..)) || text.is_border(at) && text.is_border(*next));
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
        let left = groups.last().and_then(|(_, items)| items.last()).map(|left| &left.what);
        let joined = |words: &str| joints.iter().any(|joint| text.is_one_of(joint.start, words));
        let preposition = joined("to of than from as at by for but");
        let is_bound = left.is_some_and(|left| match (left, &item.what) {
            (What::Opaque, _) | (_, What::Opaque) => false,
            (_, What::Break) => items.get(index + 1).is_some_and(|next| matches!(next.what, What::Or)),
            (What::Or, _) | (_, What::Or) => true,
            (What::Unknown(leads, _), What::Clause(clause)) => {
                *leads || preposition || joints.is_empty() && clause.leans
            }
            (What::Unknown(..), _) => true,
            (What::Clause(_), What::Unknown(_, trails)) => *trails,
            (What::Clause(left), What::Clause(_)) => left.excludes_models && joined("with has having that"),
            (What::Break | What::Joint, _) | (_, What::Joint) => false,
        });
        let is_refused = match (left, &item.what) {
            (_, What::Unknown(..)) => true,
            (left, What::Or) => !matches!(left, None | Some(What::Opaque)) || items.len() < index + 2,
            // `gpu_name=H200 or h100` adds a value, `dph<1 or 4 gpus` is no search.
            (Some(What::Or), What::Clause(clause)) => {
                let is_wanted = |fact: &Fact| matches!(fact, Fact::Choice(.., false));
                !clause.facts.iter().all(is_wanted)
            }
            // `any card but a 3090` is no search for 3090s.
            (_, What::Clause(clause)) if clause.is_list && joined("but") => true,
            (Some(What::Clause(left)), What::Clause(_)) => is_bound && left.excludes_models,
            (_, What::Clause(_) | What::Joint | What::Break | What::Opaque) => false,
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
    let mut whole: Vec<(bool, Vec<Item>)> = Vec::new();
    for (is_refused, group) in groups {
        let leads = matches!(group[0].what, What::Unknown(true, _));
        // `under 5 bananas`
        let is_open = |left: &Item| matches!(&left.what, What::Clause(clause) if clause.is_open);
        let is_open = |left: &Item| is_open(left) && left.next == group[0].start && is_refused && !leads;
        match whole.last_mut() {
            Some((refused, left)) if left.last().is_some_and(is_open) => {
                *refused = true;
                left.extend(group);
            }
            _ => whole.push((is_refused, group)),
        }
    }
    whole
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

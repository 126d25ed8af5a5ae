//! The grammar: a text is a row of clauses, and one that is not understood in full says nothing.

use std::cmp::Reverse;

use super::lists::{choice, cluster, counted, limit};
use super::measures::{measured, named};
use super::phrases::{architecture, fixed, idle, ordered};
use super::quantity::{Quantity, Text, role};
use super::token::Kind;
use super::vocabulary::Role;
use crate::domain::query::{OfferType, OrderKey};

/// What a clause says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// Conditions in the query language.
    Condition(String),
    /// The field is one of several values, or none of them.
    Choice {
        field: &'static str,
        names: Vec<String>,
        is_excluded: bool,
    },
    /// Part of the names of the models that are meant.
    Form(&'static str),
    /// A state or city, which no market filters by.
    Region(String),
    /// A size without a noun: memory or disk, which depends on the models.
    Size(Quantity),
    /// Dollars without a period, and whether words tie them to the length of the job.
    Price(Quantity, bool),
    /// GB of traffic in each period of so many hours.
    Traffic {
        gb: f64,
        hours: f64,
        is_up: bool,
    },
    /// Hours that the job runs.
    Hours(f64),
    /// GB that the job downloads.
    Down(f64),
    /// GB that the job uploads.
    Up(f64),
    /// GB of disk that prices include.
    Storage(f64),
    Type(OfferType),
    Order(Vec<OrderKey>),
    Limit(u32),
    /// Machines and the GPUs of each.
    Cluster(u32, u32),
    Note(String),
    /// Words that the market has no field for.
    Idle,
}

impl Fact {
    /// The field of a list of values.
    pub(super) fn field(&self) -> Option<&'static str> {
        if let Self::Choice { field, .. } = self {
            Some(field)
        } else {
            None
        }
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

impl Clause {
    /// Whether it lists values that a field is to have.
    fn is_choice(&self) -> bool {
        let is_choice = |fact: &Fact| matches!(fact, Fact::Choice { is_excluded: false, .. });
        self.facts.iter().all(is_choice)
    }
}

/// A part of a text.
#[derive(Debug, Clone)]
pub(super) enum What {
    Clause(Clause),
    /// Words that are not understood; whether they change what is behind them, or what is in front.
    Unknown {
        leads: bool,
        trails: bool,
    },
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
        if let What::Clause(own) = &self.what {
            &own.facts
        } else {
            &[]
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
        let item = |what, next| Item { what, start, next };
        let ways = ways.map(|(cost, what, next)| (cost + rest(next), item(what, next)));
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
    let unknown = |leads, trails| What::Unknown { leads, trails };
    let mut ways = vec![(100, unknown(false, false), at + 1)];
    let rules = [
        cluster,
        limit,
        fixed,
        choice,
        counted,
        named,
        measured,
        architecture,
        ordered,
        idle,
    ];
    let clauses = rules.iter().flat_map(|rule| rule(text, at));
    ways.extend(
        clauses
            .map(|own| (10 + own.cost, own.next, own))
            .map(|(cost, next, own)| (cost, What::Clause(own), next)),
    );
    if let Some(next) = role!(text, at, Role::Filler => ()) {
        ways.push((6, What::Joint, next.1));
    }
    if text.is_one_of(at, "or") {
        ways.push((2, What::Or, at + 1));
    }
    let is_end = |at| matches!(text.kind(at), None | Some(Kind::Break));
    let negation = role!(text, at, Role::Not => ()).map(|((), next)| text.skip(next, BEFORE_EXCLUDED));
    let waived = role!(text, at, Role::Waive(_) => ()).map(|((), next)| next);
    for next in negation.into_iter().chain(waived) {
        ways.push((60, unknown(true, is_end(next)), next));
    }
    let behind = text.behind(at).map(|(_, next)| next);
    let compared = Some(text.comparison(at).1).filter(|next| *next > at);
    for next in [behind, compared].into_iter().flatten() {
        // `max` in front of a number says nothing of what is in front of it.
        let trails = behind.is_some() && (compared.is_none() || is_end(next));
        ways.push((60, unknown(compared.is_some(), trails), next));
    }
    ways.retain(|(_, what, next)| matches!(what, What::Unknown { .. }) || text.is_border(at) && text.is_border(*next));
    ways
}

/// The items in groups that are understood or refused together, and whether they are refused.
pub(super) fn groups(text: &Text<'_>, items: &[Item]) -> Vec<(bool, Vec<Item>)> {
    let mut groups: Vec<(bool, Vec<Item>)> = Vec::new();
    let mut joints: Vec<Item> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let is_or = |item: Option<&Item>| item.is_some_and(|item| matches!(item.what, What::Or));
        if matches!(item.what, What::Joint) {
            joints.push(item.clone());
            continue;
        }
        let left = groups.last().and_then(|(_, items)| items.last());
        let joined = |words: &str| joints.iter().any(|joint| text.is_one_of(joint.start, words));
        let preposition = joined("to of than from as at by for but");
        let opens = matches!(left.map(|left| &left.what), None | Some(What::Opaque));
        let is_bound = left.is_some_and(|left| match (&left.what, &item.what) {
            (What::Opaque, _) | (_, What::Opaque) => false,
            (_, What::Break) => is_or(items.get(index + 1)),
            (What::Or, _) | (_, What::Or) => true,
            (What::Break, _) => false,
            (What::Unknown { leads, .. }, What::Clause(own)) => *leads || preposition || joints.is_empty() && own.leans,
            (What::Unknown { .. }, _) => true,
            (What::Clause(_), What::Unknown { trails, .. }) => *trails,
            (What::Clause(own), What::Clause(_)) => own.excludes_models && joined("with has having that"),
            (What::Joint, _) | (_, What::Joint) => false,
        });
        let is_refused = match (left.map(|left| &left.what), &item.what) {
            (_, What::Unknown { .. }) => true,
            (_, What::Or) => !opens || items.len() < index + 2,
            // `gpu_name=H200 or h100` adds a value, `dph<1 or 4 gpus` is no search.
            (Some(What::Or), What::Clause(own)) => !own.is_choice(),
            // `any card but a 3090` is no search for 3090s.
            (_, What::Clause(own)) if own.is_list && joined("but") => true,
            (Some(What::Clause(left)), What::Clause(_)) => is_bound && left.excludes_models,
            (_, What::Clause(_) | What::Joint | What::Break | What::Opaque) => false,
        };
        match groups.last_mut().filter(|_| is_bound) {
            Some((refused, own)) => {
                own.append(&mut joints);
                own.push(item.clone());
                *refused |= is_refused;
            }
            None => groups.push((is_refused, vec![item.clone()])),
        }
        joints.clear();
    }
    let mut whole: Vec<(bool, Vec<Item>)> = Vec::new();
    for (is_refused, group) in groups {
        let leads = matches!(group[0].what, What::Unknown { leads: true, .. });
        // `under 5 bananas`
        let is_open = |left: &Item| matches!(&left.what, What::Clause(own) if own.is_open);
        let left = whole.last_mut().filter(|_| is_refused && !leads);
        match left.filter(|(_, left)| {
            left.last()
                .is_some_and(|left| is_open(left) && left.next == group[0].start)
        }) {
            Some((refused, left)) => {
                *refused = true;
                left.extend(group);
            }
            None => whole.push((is_refused, group)),
        }
    }
    whole
}

pub(super) fn say(next: usize, facts: Vec<Fact>) -> Clause {
    Clause {
        facts,
        next,
        ..Clause::default()
    }
}

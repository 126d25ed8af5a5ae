//! Divides a text into clauses. A clause that is not understood in full has no meaning.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::cluster::{self, Machines};
use super::settings::Settings;
use super::text::{Bound, Text, role};
use super::token::Kind;
use super::vocabulary::Role;
use super::{clause, id, list, question};
use crate::insight::plan::Same;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// Conditions in the query language.
    Condition(String),
    /// The field is one of several values, or none of them.
    Choice(&'static str, Vec<String>, Sense),
    /// A size without a noun: memory or disk, depending on the models.
    Size(Vec<Bound>),
    /// Dollars without a period.
    Price(Vec<Bound>),
    Set(Settings),
    /// A number of machines, and one of the GPUs on each.
    Machines(Machines),
    PerMachine(u32),
    /// A place that machines share.
    Shared(Same),
    /// A number that may be an id.
    Id(u64),
    Note(String),
}

/// Whether values are included or excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Wanted,
    Excluded,
}

impl Fact {
    /// The values of the field that it includes or excludes, depending on `sense`; empty for any other fact.
    pub(super) fn values(&self, field: &str, sense: Sense) -> &[String] {
        let Self::Choice(own, names, is) = self else { return &[] };
        if (*own, *is) == (field, sense) { names } else { &[] }
    }

    /// Whether it is a need that the market bills separately from the machine: a disk, traffic.
    fn is_billed_apart(&self) -> bool {
        match self {
            Self::Condition(text) => text.starts_with("disk_space"),
            Self::Set(settings) => settings.job.gb_in.or(settings.job.gb_out).is_some(),
            Self::Choice(..) | Self::Size(_) | Self::Price(_) | Self::Note(_) => false,
            Self::Machines(_) | Self::PerMachine(_) | Self::Shared(_) | Self::Id(_) => false,
        }
    }

    /// Whether it limits a price: per hour, of a job, or dollars without a period.
    fn is_price(&self) -> bool {
        match self {
            Self::Price(_) => true,
            Self::Condition(text) => text.starts_with("dph_total") || text.starts_with("job_cost"),
            Self::Choice(..) | Self::Size(_) | Self::Set(_) | Self::Note(_) => false,
            Self::Machines(_) | Self::PerMachine(_) | Self::Shared(_) | Self::Id(_) => false,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub facts: Vec<Fact>,
    pub next: usize,
    /// Whether an unknown word directly after it may belong to it: `under 5 bananas`.
    pub is_open: bool,
    /// Whether the next words may or may not belong to it: `no 3090` before `, 4090`, `best` before `5 4090`.
    pub may_go_on: bool,
    /// Whether its number has a noun.
    pub is_named: bool,
    /// Whether its first word is that noun: `disk` of `disk 180gb`.
    pub is_led: bool,
}

impl Clause {
    /// A clause that ends before token `next`, with all flags off.
    pub(super) const fn new(facts: Vec<Fact>, next: usize) -> Self {
        Self {
            facts,
            next,
            is_open: false,
            may_go_on: false,
            is_named: false,
            is_led: false,
        }
    }

    /// The clause with the flag `is_open`: whether an unknown word directly after it may belong to it.
    pub(super) fn open(self, is_open: bool) -> Self {
        Self { is_open, ..self }
    }

    /// The clause with the flags `is_named`, whether its number has a noun, and `is_led`, whether it begins
    /// with that noun.
    pub(super) fn named(self, is_named: bool, is_led: bool) -> Self {
        Self {
            is_named,
            is_led,
            ..self
        }
    }

    /// The clause with the flag `may_go_on`: whether the next words may or may not belong to it.
    pub(super) fn going_on(self, may_go_on: bool) -> Self {
        Self { may_go_on, ..self }
    }
}

#[derive(Debug, Clone)]
pub(super) enum What {
    Clause(Clause),
    /// A dangling `not` or `under`: its operand is missing.
    Sign,
    Unknown,
    /// A word or sign between clauses without a meaning.
    Filler,
    Or,
    /// A comma, or a condition of the query language.
    Break,
}

impl What {
    /// The facts of a clause; `None` for anything else.
    fn facts(&self) -> Option<&[Fact]> {
        let Self::Clause(clause) = self else { return None };
        Some(&clause.facts)
    }

    /// Whether it is a clause that includes or excludes, depending on `sense`, values of the field.
    fn chooses(&self, field: &str, sense: Sense) -> bool {
        let mut facts = self.facts().into_iter().flatten();
        facts.any(|fact| !fact.values(field, sense).is_empty())
    }
}

/// A part of a text: its tokens from `start` to `next`.
#[derive(Debug, Clone)]
pub(super) struct Part {
    what: What,
    start: usize,
    next: usize,
}

/// Words that are understood together or not at all.
pub(super) struct Group {
    /// The range in bytes of the text.
    pub span: Range<usize>,
    /// The facts of the words; `None` if they are not understood.
    pub facts: Option<Vec<Fact>>,
    /// Whether a preceding `or` adds to the conditions of the text: `gpu_name=H200 or b200`.
    pub adds: bool,
    /// The ranges in bytes of its unknown words, neighbours as one: `beyond` in `beyond $5`.
    pub unknown: Vec<Range<usize>>,
}

impl Group {
    /// Whether some of its words are unknown, but not all.
    pub(super) fn is_partly_known(&self) -> bool {
        !self.unknown.is_empty() && self.unknown[..] != [self.span.clone()]
    }
}

/// Joins the parts of one division of a text into groups of words that are understood together or not at all;
/// fillers are dropped. A model, or a place without `in`, is not understood after `but`.
pub(super) fn groups(text: &Text<'_>, parts: &[Rc<Part>]) -> Vec<Group> {
    let (mut groups, mut is_apart, mut from) = (Vec::<Vec<Part>>::new(), true, 0);
    for part in parts {
        let mut part = Part::clone(part);
        // `any card but a 3090` does not search for 3090s.
        let is_but = (from..part.start).any(|at| text.is_one_of(at, "but"));
        // `cheap but in europe` is a search for Europe, `any country but us` is none for the US.
        let is_in = (from..part.next).any(|at| text.is_one_of(at, "in within inside located based"));
        let chooses = |field| part.what.chooses(field, Sense::Wanted);
        if is_but && (chooses("gpu_name") || !is_in && chooses("geolocation")) {
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

/// Combines the parts of a group. It has facts only if it is one clause; after an `or` only if that clause
/// adds values of a field.
fn group(text: &Text<'_>, parts: &[Part]) -> Group {
    let span = text.span(parts[0].start, parts[parts.len() - 1].next);
    let adds = matches!(parts[0].what, What::Or);
    let is_added = |fact: &Fact| matches!(fact, Fact::Choice(_, _, Sense::Wanted));
    let found = match &parts[usize::from(adds)..] {
        [said] => said.what.facts().filter(|facts| !adds || facts.iter().all(is_added)),
        _ => None,
    };
    let facts = found.map(<[_]>::to_vec);
    let is_unknown = |part: &Part| matches!(part.what, What::Unknown);
    let runs = parts.chunk_by(|left, right| is_unknown(left) == is_unknown(right));
    let runs = runs.filter(|run| is_unknown(&run[0]));
    let unknown = runs.map(|run| text.span(run[0].start, run[run.len() - 1].next));
    Group {
        span,
        facts,
        adds,
        unknown: unknown.collect(),
    }
}

/// The number of clauses that end although a longer one begins at the same word: `$8` before `a day`,
/// `nvlink` before `400 GB/s`. Those that may end there (`may_go_on`), and two that share a noun, do not
/// count.
pub(super) fn loose(text: &Text<'_>, parts: &[Rc<Part>]) -> usize {
    // `460gb storage disk 180gb`: the second noun may belong to either number.
    let clause = |part: &Part| match &part.what {
        What::Clause(clause) => Some((clause.is_named, clause.is_led)),
        What::Sign | What::Unknown | What::Filler | What::Or | What::Break => None,
    };
    let is_shared = |part: &Part, next: Option<&Rc<Part>>| {
        let next = next.filter(|next| next.start == part.next);
        clause(part).is_some_and(|(is_named, _)| is_named)
            && next.and_then(|next| clause(next)).is_some_and(|(_, is_led)| is_led)
    };
    let is_loose = |at: &usize| {
        let part = &parts[*at];
        let is_longer = |(next, what): &(usize, What)| *next > part.next && what.facts().is_some();
        let ends = matches!(&part.what, What::Clause(clause) if !clause.may_go_on);
        ends && !is_shared(part, parts.get(at + 1)) && ways(text, part.start).iter().any(is_longer)
    };
    (0..parts.len()).filter(is_loose).count()
}

/// Whether only fillers are between a position and the beginning of the text, or the last comma or condition
/// of the query language before it.
fn is_first(text: &Text<'_>, at: usize) -> bool {
    let before = (0..at).rfind(|at| role!(text, *at, Role::Filler => ()).is_none());
    before.is_none_or(|at| text.kind(at) == Some(Kind::Break))
}

/// Whether two parts with only fillers between them are understood together or not at all: an `or`, a
/// dangling sign, an unknown word and a number or place after it (`beyond $5`), a price of storage or
/// traffic, an exclusion of a model with more words (`no 4090 with 24gb`), an amount and an unknown word that may be
/// its noun or its period (`5 bananas`, `2000 tokens/s`).
fn are_bound(text: &Text<'_>, left: &Part, right: &Part) -> bool {
    let is_joined = |words: &str| (left.next..right.start).any(|at| text.is_one_of(at, words));
    let is_adjacent = left.next == right.start;
    match (&left.what, &right.what) {
        (What::Or | What::Sign, _) | (_, What::Or) | (What::Unknown, What::Unknown | What::Sign) => true,
        // `beyond $5`, `sans china`, `closest to germany`
        (What::Unknown, what) => {
            // `workers <= 6`
            let from = match text.kind(right.start) {
                Some(Kind::Mark) => text.comparison(right.start).map_or(right.start, |(_, next)| next),
                _ => right.start,
            };
            let is_number = text.number(text.skip(from, "$ x")).is_some() && !text.is_model(from);
            let is_changed = is_number || what.chooses("geolocation", Sense::Wanted);
            text.is_one_of(left.start, "to than as by") || is_joined("of from at for but") || is_adjacent && is_changed
        }
        // `verified not`
        (_, What::Sign) => {
            matches!(text.kind(right.next), None | Some(Kind::Break))
                && role!(text, right.start, Role::Not(true) | Role::Behind(_) => ()).is_some()
        }
        // `3d at 2000 tokens/s`: `at` begins another clause.
        (What::Clause(left), What::Unknown) => {
            let is_noun = is_adjacent && !text.is_one_of(right.start, "at @");
            left.is_open && (is_noun || is_joined("/"))
        }
        // `100gb storage for $5 a month, 4090`: the price of the storage, not of a machine.
        (What::Clause(own), What::Clause(price))
            if text.is_offers() && is_joined("for") && is_first(text, left.start) =>
        {
            own.facts.iter().any(Fact::is_billed_apart) && price.facts.iter().any(Fact::is_price)
        }
        // `no 4090 with 24gb`
        (left, _) => left.chooses("gpu_name", Sense::Excluded) && is_joined("with has having that"),
    }
}

/// The number of tokens that no clause explains, then of tokens without a meaning: fewer are better.
type Cost = (usize, usize);

/// A division of the text from a position on.
#[derive(Clone, Default)]
struct Division {
    /// The indices of its facts in order; divisions with the same facts mean the same.
    facts: Vec<usize>,
    /// Its parts, from the last to the first.
    parts: Vec<Rc<Part>>,
}

/// All divisions of a text that leave the fewest words unexplained, and of those the fewest without a
/// meaning: one for each set of facts, at most 32; true if some were dropped.
///
/// A chart parser, filled from the end.
pub(super) fn divisions(text: &Text<'_>) -> (Vec<Vec<Rc<Part>>>, bool) {
    /// The maximum number of divisions. A user, who chooses one, has no use for more.
    const MOST: usize = 32;
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut chart: Vec<(Cost, Vec<Division>)> = vec![((0, 0), vec![Division::default()])];
    let is_joint = |at: usize| text.kind(at) != Some(Kind::Word) || role!(text, at, Role::Joint => ()).is_some();
    let mut is_cut = false;
    for start in (0..text.tokens.len()).rev() {
        let mut best = ((usize::MAX, 0), Vec::<Division>::new());
        for (next, what) in ways(text, start) {
            let (own, facts) = match &what {
                What::Clause(clause) => ((0, 0), clause.facts.iter().map(|fact| format!("{fact:?}")).collect()),
                What::Sign | What::Unknown | What::Or => ((1, 0), vec![start.to_string()]),
                What::Filler => ((0, usize::from(!is_joint(start))), Vec::new()),
                What::Break => ((0, 0), Vec::new()),
            };
            let (rest, divisions) = &chart[text.tokens.len() - next];
            let cost = (rest.0 + own.0, rest.1 + own.1);
            if cost < best.0 {
                best = (cost, Vec::new());
            }
            let number = |fact| {
                let number = numbers.len();
                *numbers.entry(fact).or_insert(number)
            };
            let facts: Vec<_> = facts.into_iter().map(number).collect();
            let part = Rc::new(Part { what, start, next });
            for division in divisions.iter().filter(|_| cost == best.0) {
                let mut new = division.clone();
                new.facts.extend(&facts);
                new.facts.sort_unstable();
                new.parts.push(part.clone());
                match best.1.iter_mut().find(|old| old.facts == new.facts) {
                    Some(old) if new.parts.len() < old.parts.len() => *old = new,
                    Some(_) => {}
                    None => best.1.push(new),
                }
            }
        }
        best.1.sort_by_key(|division| division.parts.len());
        is_cut |= best.1.len() > MOST;
        best.1.truncate(MOST);
        chart.push(best);
    }
    let (_, divisions) = chart.pop().unwrap_or_default();
    let parts = divisions
        .into_iter()
        .map(|division| division.parts.into_iter().rev().collect());
    (parts.collect(), is_cut)
}

/// All parts that can begin at a token, each with the index of the token after it. The last is always the word as
/// unknown, or a sign without its operand. At a comma or a condition of the query language, only a break.
fn ways(text: &Text<'_>, at: usize) -> Vec<(usize, What)> {
    if let Kind::Break | Kind::Opaque = text.tokens[at].kind {
        return vec![(at + 1, What::Break)];
    }
    let clauses = clause::clauses(text, at).into_iter().chain(list::choices(text, at));
    let clauses = clauses.chain(list::counts(text, at)).chain(cluster::clauses(text, at));
    let clauses = clauses.chain(list::rate(text, at)).chain(list::deadline(text, at));
    let clauses = clauses.chain(list::ranked(text, at));
    let clauses = clauses.chain(question::clauses(text, at)).chain(id::clauses(text, at));
    let mut ways: Vec<_> = clauses.map(|clause| (clause.next, What::Clause(clause))).collect();
    for (next, roles) in &text.phrases[at] {
        let joins = |at: usize| text.is_one_of(at, "and or but plus +");
        let is_followed = text.kind(*next).is_some_and(|kind| kind != Kind::Break) && (joins(at) || !joins(*next));
        let is_filler = |role: &Role| match role {
            Role::Filler => !text.is_code(at),
            // `whisper` may be the name of an endpoint.
            Role::Thing => !text.is_groups(),
            Role::Joint => {
                // `at $1` may be the price of one or of all; the `at` of `at most` is not a word of its own.
                let is_price = text.is_one_of(at, "at @") && text.number(text.skip(*next, "$")).is_some();
                let is_part = text.is_one_of(at, "at") && text.phrases[at][0].0 > *next;
                is_followed && !is_price && !is_part
            }
            _ => false,
        };
        ways.extend(roles.iter().any(is_filler).then_some((*next, What::Filler)));
    }
    // All volumes are network volumes.
    let is_network = text.is_volumes() && text.tokens[at].text == "network";
    ways.extend(is_network.then_some((at + 1, What::Filler)));
    ways.extend(text.is_one_of(at, "or").then_some((at + 1, What::Or)));
    ways.retain(|(next, _)| text.is_border(at) && text.is_border(*next));
    let sign = role!(text, at, Role::Not(_) | Role::Behind(_) | Role::Compare(..) => ());
    ways.push(sign.map_or((at + 1, What::Unknown), |((), next)| (next, What::Sign)));
    ways
}

/// The fact of the settings that `change` makes of the default ones, in which nothing is set.
pub(super) fn set(change: impl FnOnce(&mut Settings)) -> Fact {
    let mut settings = Settings::default();
    change(&mut settings);
    Fact::Set(settings)
}

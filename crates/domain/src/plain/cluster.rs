//! Clusters in plain words: GPUs on several machines, for the planner.
//!
//! A shape (`2 nodes of 8 h100`) is one clause. The parts of any other cluster may stand anywhere in a text: the number
//! of GPUs, that of machines (`on at least three machines`) and the place that they share (`in one country`).

use std::fmt;

use super::grammar::{Clause, Fact, Sense, set};
use super::list::{count_of, is_card, value, whole};
use super::text::{Bound, Text, role};
use super::vocabulary::Role;
use crate::Operator;
use crate::format::counted;
use crate::insight::plan::Same;

/// The maximum number of GPUs of a machine; more of them are on several machines.
const MOST_OF_A_MACHINE: u32 = 8;

/// The size of a cluster: GPUs on several machines, for the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// The number of GPUs in all.
    pub gpus: u32,
    pub least_machines: Option<u32>,
    pub most_machines: Option<u32>,
    /// The minimum number of GPUs on each machine.
    pub per_machine: Option<u32>,
    /// The place that the machines share.
    pub same: Option<Same>,
}

impl Cluster {
    /// Exactly `machines` machines with at least `gpus_each` GPUs each.
    const fn of_shape(machines: u32, gpus_each: u32) -> Self {
        Self {
            gpus: machines.saturating_mul(gpus_each),
            least_machines: Some(machines),
            most_machines: Some(machines),
            per_machine: Some(gpus_each),
            same: None,
        }
    }

    /// This many GPUs on any machines.
    const fn of_gpus(gpus: u32) -> Self {
        Self {
            gpus,
            least_machines: None,
            most_machines: None,
            per_machine: None,
            same: None,
        }
    }

    /// The same cluster as flags of `bourse plan`: `--gpus 24 --min-machines 3 --same country`.
    pub fn flags(&self) -> String {
        let number = |flag: &str, number: Option<u32>| Some(format!("--{flag} {}", number?));
        let flags = match (self.per_machine, self.most_machines) {
            (Some(gpus), Some(machines)) => vec![Some(format!("--shape {machines}x{gpus}"))],
            _ => vec![
                number("gpus", Some(self.gpus)),
                number("min-machines", self.least_machines),
                number("machines", self.most_machines),
                number("per-machine", self.per_machine),
            ],
        };
        let same = self.same.map(|same| format!("--same {}", same.name()));
        let flags: Vec<String> = flags.into_iter().chain([same]).flatten().collect();
        flags.join(" ")
    }
}

/// The cluster as words: `2 machines of 8 GPUs`, `24 GPUs on at least 3 machines in one country`.
impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.per_machine, self.most_machines) {
            (Some(gpus), Some(machines)) => {
                write!(f, "{machines} machines of {}", counted(gpus as usize, "GPU", "GPUs"))?;
            }
            _ => write!(f, "{} GPUs", self.gpus)?,
        }
        match (self.least_machines, self.most_machines) {
            (Some(least), Some(most)) if least == most && self.per_machine.is_some() => {}
            (Some(least), Some(most)) if least == most => write!(f, " on {least} machines")?,
            (Some(least), Some(most)) => write!(f, " on {least} to {most} machines")?,
            (Some(least), None) => write!(f, " on at least {least} machines")?,
            (None, Some(most)) => write!(f, " on at most {most} machines")?,
            (None, None) => {}
        }
        self.same.map_or(Ok(()), |same| write!(f, " in one {}", same.name()))
    }
}

/// A number of machines in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Machines {
    least: u32,
    /// `None` if there is no maximum.
    most: Option<u32>,
    /// Whether a word in front of it, such as `over`, says that the GPUs are spread.
    is_spread: bool,
}

/// The parts of a cluster in all clauses of a text.
#[derive(Default)]
pub(super) struct Parts {
    /// The number of GPUs; several if the text has several.
    pub gpus: Vec<u32>,
    /// The numbers of GPUs on each machine.
    pub per_machine: Vec<u32>,
    pub machines: Vec<Machines>,
    pub same: Vec<Same>,
    /// Whole clusters.
    pub shapes: Vec<Cluster>,
}

impl Parts {
    /// Whether they describe a cluster rather than only a number of GPUs.
    pub(super) fn has_cluster(&self) -> bool {
        let is_empty = self.per_machine.is_empty() && self.machines.is_empty();
        !is_empty || !self.same.is_empty() || !self.shapes.is_empty()
    }

    /// The cluster that the parts describe together. `None` if one is missing or given twice, or if the GPUs may be in
    /// all or on each machine (`8 gpus, 2 machines`). GPUs that divide evenly among an exact number of machines make a
    /// shape.
    pub(super) fn cluster(&self) -> Option<Cluster> {
        let same = self.same.first().copied().filter(|_| self.same.len() == 1);
        if self.same.len() > 1 {
            return None;
        }
        let cluster = match (
            &self.shapes[..],
            &self.machines[..],
            &self.per_machine[..],
            &self.gpus[..],
        ) {
            ([shape], [], [], _) => *shape,
            ([], [machines], [each], []) if machines.most == Some(machines.least) => {
                Cluster::of_shape(machines.least, *each)
            }
            ([], [machines], [], [gpus]) => machines.of(*gpus)?,
            // `24 gpus in one country`
            ([], [], [], [gpus]) if same.is_some() => Cluster::of_gpus(*gpus),
            _ => return None,
        };
        Some(Cluster { same, ..cluster })
    }
}

impl Machines {
    /// A cluster of this many GPUs in all on these machines; `None` if the number may be that of each machine.
    fn of(self, gpus: u32) -> Option<Cluster> {
        let exact = self.most.filter(|most| *most == self.least);
        if exact.is_some() && !self.is_spread && gpus <= MOST_OF_A_MACHINE {
            return None;
        }
        Some(match exact {
            Some(machines) if gpus.is_multiple_of(machines) => Cluster::of_shape(machines, gpus / machines),
            _ => Cluster {
                least_machines: Some(self.least).filter(|least| *least > 1),
                most_machines: self.most,
                ..Cluster::of_gpus(gpus)
            },
        })
    }
}

/// The clauses of a cluster that begin at a position; empty if there are none, or if the search is not for offers.
pub(super) fn clauses(text: &Text<'_>, at: usize) -> Vec<Clause> {
    if !text.is_offers() {
        return Vec::new();
    }
    let parts = [shape(text, at), per_machine(text, at), shared_place(text, at)];
    parts.into_iter().flatten().chain(machines(text, at)).collect()
}

/// The clause of a cluster of equal machines: `2 nodes of 8 h100`, `2x8 h100`. `None` if there is none at `at`, or
/// neither `gpus` nor a model follows; of one machine only the number of GPUs counts.
fn shape(text: &Text<'_>, at: usize) -> Option<Clause> {
    let count = |at| text.number(at).filter(|_| !text.is_model(at));
    let (machines, next) = count(at)?;
    let from = having(text, next);
    let (gpus, end) = count(from).filter(|_| from > next)?;
    // `8x 4x` does not describe machines.
    let after_gpu = text.skip(end, "gpu");
    let next = if text.is_one_of(end, "x") && is_card(text, end + 1) {
        end + 1
    } else {
        after_gpu
    };
    let (machines, gpus_each) = (whole(machines)?, whole(gpus)?);
    let cluster = (machines > 1).then(|| Cluster::of_shape(machines, gpus_each));
    let mut facts = vec![count_of(gpus)?, set(|settings| settings.cluster = cluster)];
    let card = value(text, next).filter(|card| card.field == "gpu_name");
    let is_shape = next > end || card.is_some();
    // `2 nodes with 8 h100 each`
    let each = card.filter(|card| text.is_one_of(card.next, "each"));
    let next = each.as_ref().map_or(next, |card| card.next + 1);
    let next = text.skip(next, if next == after_gpu { "each" } else { "" });
    facts.extend(each.map(|card| Fact::Choice(card.field, card.names, Sense::Wanted)));
    is_shape.then_some(Clause::new(facts, next))
}

/// The position after the words between machines and the GPUs of each: `nodes of`, `servers w/`, `x`. A slash alone is
/// none, as in `24/7`.
fn having(text: &Text<'_>, at: usize) -> usize {
    const WORDS: &str = "machine host of with each x that have having";
    let next = text.skip(at, WORDS);
    let is_with = text.is_one_of(next, "w") && text.is_one_of(next + 1, "/");
    if is_with { text.skip(next + 2, WORDS) } else { next }
}

/// The clause of the GPUs on each machine: `8x h200 each`, `2 4090 per node`. `None` if there is none at `at`.
fn per_machine(text: &Text<'_>, at: usize) -> Option<Clause> {
    let (gpus, from) = text.number(at).filter(|_| !text.is_model(at))?;
    let noun = text.skip(from, "gpu x");
    let card = value(text, noun).filter(|card| card.field == "gpu_name");
    let end = card.as_ref().map_or(noun, |card| card.next);
    let joint = text.skip(end, "each per / a every on in");
    let is_each = (end..joint).any(|at| text.is_one_of(at, "each per / every"));
    let next = text.skip(joint, "machine host");
    let is_machine = next > joint || joint > end && text.is_one_of(joint - 1, "each");
    let mut facts = vec![Fact::PerMachine(whole(gpus)?)];
    facts.extend(card.map(|card| Fact::Choice(card.field, card.names, Sense::Wanted)));
    (end > from && is_each && is_machine).then(|| Clause::new(facts, next))
}

/// The clauses of a number of machines: `on at least three machines`, `3+ hosts`, `3 to 6 nodes`. One with a maximum
/// only is for the planner's form, and one machine is none of several.
fn machines(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let joint = text.skip(at, "spread split divided distributed on over across among in using");
    let front = text.comparison(joint);
    let (operator, from) = front.map_or((None, joint), |(operator, next)| (Some(operator), next));
    let start = text.skip(from, "exactly");
    let amounts = text
        .amounts(start, operator)
        .into_iter()
        .filter(|_| !text.is_model(start));
    let clauses = amounts.filter(|amount| amount.units.is_empty()).filter_map(|amount| {
        let behind = |at: usize| role!(text, at, Role::Behind(operator) => operator).unwrap_or((Operator::Eq, at));
        let (before_noun, next) = behind(amount.next);
        let end = text.skip(next, "different separate distinct machine host");
        let (after_noun, after) = behind(end);
        let is_count = end > next && text.is_one_of(end - 1, "machine host");
        // `2 nodes of 8 h100` is a shape.
        let of = having(text, end);
        let is_shape = of > end && text.number(of).is_some();
        let bounds = bounded(&amount.bounds, [before_noun, after_noun])?;
        let (minimum, most) = limits(&bounds)?;
        let machines = Machines {
            least: minimum,
            most,
            is_spread: joint > at,
        };
        let next = text.skip(after, "exactly");
        let is_several = is_count && !is_shape && most != Some(1);
        is_several.then(|| Clause::new(vec![Fact::Machines(machines)], next))
    });
    clauses.collect()
}

/// The bounds with the comparison behind the number or its noun, `Eq` for none; `None` if there are two comparisons.
fn bounded(bounds: &[Bound], behind: [Operator; 2]) -> Option<Vec<Bound>> {
    let mut signs = behind.into_iter().filter(|operator| *operator != Operator::Eq);
    let Some(sign) = signs.next() else {
        return Some(bounds.to_vec());
    };
    match bounds {
        [(None, number)] if signs.next().is_none() => Some(vec![(Some(sign), *number)]),
        _ => None,
    }
}

/// The least and the greatest number, `None` for no maximum, of bounds on a whole number; `None` without a minimum.
fn limits(bounds: &[Bound]) -> Option<(u32, Option<u32>)> {
    let (mut least, mut most) = (None, None);
    for (operator, number) in bounds {
        let number = whole(*number)?;
        match operator.unwrap_or(Operator::Eq) {
            Operator::Eq => (least, most) = (Some(number), Some(number)),
            Operator::Gte => least = Some(number),
            Operator::Gt => least = Some(number + 1),
            Operator::Lte => most = Some(number),
            Operator::Lt => most = Some(number - 1),
            Operator::Neq | Operator::In | Operator::Nin => return None,
        }
    }
    Some((least?, most))
}

/// The clause of a place that machines share: `in one country`, `all on the same host`; `None` if there is none.
fn shared_place(text: &Text<'_>, at: usize) -> Option<Clause> {
    let from = text.skip(at, "all in within at of from on share sharing");
    let next = text.skip(from, "1 one the same a single");
    let is_one = (from..next).any(|at| text.is_one_of(at, "1 one same single"));
    let same = Same::ALL.into_iter().find(|same| text.is_one_of(next, same.name()))?;
    is_one.then(|| Clause::new(vec![Fact::Shared(same)], next + 1))
}

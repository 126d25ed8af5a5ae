//! Lists of models and places, and the machines of a cluster.

use super::grammar::{Clause, Fact, Sense, set};
use super::settings::Cluster;
use super::text::{Text, joined, role};
use super::token::Kind;
use super::vocabulary::{Dim, Role};
use crate::insight::plan::Same;
use crate::{Operator, country};

/// Words between a negation and the excluded names.
const BEFORE_EXCLUDED: &str = "in from the any a an on of located be with nvidia machine host offer gpu";

/// The fact that an offer has this number of GPUs; `None` unless it is a whole number from 1 to a million.
pub(super) fn count_of(gpus: f64) -> Option<Fact> {
    let names = vec![whole(gpus)?.to_string()];
    Some(Fact::Choice("num_gpus", names, Sense::Wanted))
}

/// The number as an integer; `None` unless it is whole and from 1 to a million.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
pub(super) fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (1.0..=1e6).contains(&number)).then_some(number as u32)
}

/// Whether the words at a position are a GPU model, after an optional `of` or brand.
pub(super) fn is_card(text: &Text<'_>, at: usize) -> bool {
    value(text, text.skip(at, "of nvidia")).is_some_and(|value| value.field == "gpu_name")
}

/// The clause of the machines of a cluster: `2 nodes of 8 h100`, `2x8 h100`. `None` if there is none at `at`,
/// neither `gpus` nor a model follows, or the search is not for offers; of one machine only the number of
/// GPUs counts.
pub(super) fn cluster(text: &Text<'_>, at: usize) -> Option<Clause> {
    let count = |at| text.number(at).filter(|_| text.is_offers() && !text.is_model(at));
    let (machines, next) = count(at)?;
    let from = text.skip(next, "machine host of with each x");
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
    facts.extend(each.map(|card| Fact::Choice(card.field, card.names, Sense::Wanted)));
    is_shape.then_some(Clause::new(facts, next))
}

/// The clause of GPUs on several machines: `24 gpus on at least three machines in one country`, `16 h100 over 2 nodes`,
/// of which each has as many if they divide evenly. `None` if there is none at `at`, if they are on one machine, or if
/// the search is not for offers.
pub(super) fn spread(text: &Text<'_>, at: usize) -> Option<Clause> {
    let (gpus, from) = text.number(at).filter(|_| text.is_offers() && !text.is_model(at))?;
    let card = value(text, text.skip(from, "gpu x")).filter(|card| card.field == "gpu_name");
    let noun = text.skip(card.as_ref().map_or(from, |card| card.next), "gpu x");
    let machines = machines(text, noun);
    let end = machines.as_ref().map_or(noun, |machines| machines.next);
    let place = shared_place(text, end);
    let (gpus, same) = (whole(gpus)?, place.map(|(same, _)| same));
    let (least, is_exact) = match (&machines, same) {
        (Some(machines), _) => (machines.least, machines.is_exact),
        // `24 gpus in one country`
        (None, Some(_)) => (1, false),
        (None, None) => return None,
    };
    let cluster = if is_exact && least > 1 && gpus % least == 0 {
        Cluster {
            same,
            ..Cluster::of_shape(least, gpus / least)
        }
    } else {
        Cluster {
            gpus,
            least_machines: Some(least).filter(|least| *least > 1),
            most_machines: Some(least).filter(|_| is_exact),
            per_machine: None,
            same,
        }
    };
    let mut facts = vec![set(|settings| settings.cluster = Some(cluster))];
    facts.extend(cluster.per_machine.and_then(|gpus| count_of(gpus.into())));
    facts.extend(card.map(|card| Fact::Choice(card.field, card.names, Sense::Wanted)));
    let next = place.map_or(end, |(_, next)| next);
    (noun > from && cluster.most_machines != Some(1)).then(|| Clause::new(facts, next))
}

/// A number of machines in a text.
struct Machines {
    least: u32,
    /// Whether it is also the greatest number.
    is_exact: bool,
    /// The position after it.
    next: usize,
}

/// The number of machines at a position, such as `on at least three machines`; `None` if there is none. One with a
/// maximum only is for the planner's form.
fn machines(text: &Text<'_>, at: usize) -> Option<Machines> {
    let joint = text.skip(at, "spread split divided distributed on over across among in");
    let (operator, from) = text
        .comparison(joint)
        .map_or((Operator::Eq, joint), |(operator, next)| (operator, next));
    let (number, next) = text.number(text.skip(from, "exactly"))?;
    let end = text.skip(next, "different separate machine host");
    let least = match operator {
        Operator::Eq | Operator::Gte => number,
        Operator::Gt => number + 1.0,
        Operator::Lte | Operator::Lt | Operator::Neq | Operator::In | Operator::Nin => return None,
    };
    let is_count = joint > at && end > next && text.is_one_of(end - 1, "machine host");
    whole(least).filter(|_| is_count).map(|least| Machines {
        least,
        is_exact: operator == Operator::Eq,
        next: end,
    })
}

/// The place that machines share, such as `in one country`, and the position after it; `None` if there is none.
fn shared_place(text: &Text<'_>, at: usize) -> Option<(Same, usize)> {
    let from = text.skip(at, "all in within at of from");
    let next = text.skip(from, "one the same a single");
    let same = Same::ALL.into_iter().find(|same| text.is_one_of(next, same.name()))?;
    (from > at && next > from).then_some((same, next + 1))
}

/// The clause of the work that a GPU does each second: `at 2500 tokens/s`, `does 12 images per second`. `None` if
/// there is none at `at`, or the search is not for offers.
pub(super) fn rate(text: &Text<'_>, at: usize) -> Option<Clause> {
    let from = text.skip(at, "at a an with do doe doing make making of price that which");
    let amount = text
        .amounts(from, None)
        .into_iter()
        .find(|amount| amount.bounds.len() == 1)?;
    let (Dim::Work(unit), factor) = *amount.units.first()? else {
        return None;
    };
    let second = text.skip(amount.next, "per / a each every");
    let is_second = text
        .tokens
        .get(second)
        .is_some_and(|token| ["s", "sec", "second"].contains(&&*token.text));
    let rate = amount.bounds[0].1 * factor;
    let next = text.skip(second + 1, "each per / gpu");
    let fact = set(|settings| settings.rate = Some((unit, rate)));
    (second > amount.next && is_second && rate > 0.0 && text.is_offers()).then(|| Clause::new(vec![fact], next))
}

/// The clause of alternative numbers of GPUs: `2 or 4 gpus`, `1, 2 or 4x`. `None` without an `or` between
/// them, without `gpus`, `x` or a model after them, or if the search is not for offers.
pub(super) fn counts(text: &Text<'_>, at: usize) -> Option<Clause> {
    let number = |at| text.number(at).filter(|_| !text.is_model(at));
    let count = |at| number(at).and_then(|(number, next)| Some((whole(number)?.to_string(), next)));
    let (first, mut next) = count(at)?;
    let mut names = vec![first];
    let mut is_choice = false;
    loop {
        let is_comma = text.tokens.get(next).is_some_and(|token| token.text == ",");
        let from = text.skip(next + usize::from(is_comma), "or");
        let Some((name, end)) = count(from).filter(|_| from > next) else {
            break;
        };
        is_choice |= text.is_one_of(from - 1, "or");
        names.push(name);
        next = end;
    }
    let end = text.skip(next, "x gpu");
    let facts = vec![Fact::Choice("num_gpus", names, Sense::Wanted)];
    (is_choice && (end > next || is_card(text, end)) && text.is_offers()).then_some(Clause::new(facts, end))
}

/// The clause of a deadline: `by friday`, `until next sunday evening`, `before 2026-12-01 18:00`, `due
/// tomorrow`; `None` if there is none at `at`. Only offers have one. Before a day without a time of day means
/// before its beginning.
pub(super) fn deadline(text: &Text<'_>, at: usize) -> Option<Clause> {
    let from = text.skip(
        at,
        "must be done finished finish ready due deadline by before until till",
    );
    let sign = Some(from.checked_sub(1)?).filter(|sign| *sign >= at && text.is_offers())?;
    if !text.is_one_of(sign, "by before due deadline until till") {
        return None;
    }
    // A date and a time of day are eight tokens.
    let mut ends = (from + 1..=text.tokens.len().min(from + 8)).rev();
    ends.find_map(|next| {
        let written = joined(&text.tokens[from..next], " ");
        // "Before a day" means before its beginning.
        let start = Some(format!("{written} 00:00")).filter(|_| text.is_one_of(sign, "before"));
        let by = start
            .and_then(|start| start.parse().ok())
            .or_else(|| written.parse().ok())?;
        let facts = vec![set(|settings| settings.job.by = Some(by))];
        Some(Clause::new(facts, next).open(true))
    })
}

/// A model or a place.
struct Value {
    field: &'static str,
    names: Vec<String>,
    next: usize,
}

/// The clauses of models or places, included or excluded, that can begin at token `at`: `4090 or 5090`,
/// `not in china or russia`. There is one for each end, since a list may end before a comma or a blank
/// (`no 3090, 4090`), but only the longest if it has three values or a word between them; empty if there is
/// none.
pub(super) fn choices(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let negation = role!(text, at, Role::Not(true) => ());
    let from = negation.map_or(at, |((), next)| text.skip(next, BEFORE_EXCLUDED));
    let is_excluded = negation.is_some();
    let sense = if is_excluded { Sense::Excluded } else { Sense::Wanted };
    let (mut lists, mut all, mut is_list) = (Vec::new(), Vec::new(), false);
    let mut member = value(text, from);
    while let Some(Value { field, names, next }) = member {
        let is_repeated = names.iter().any(|name| all.contains(name));
        // `a6000 or a40 2x`
        let is_counted = is_list && text.number(next).is_some_and(|(_, end)| text.is_one_of(end, "x"));
        all.extend(names);
        let facts = vec![Fact::Choice(field, all.clone(), sense)];
        let clause = Clause::new(facts, next).open(is_excluded).going_on(is_excluded);
        lists.extend(Some(clause).filter(|_| !is_counted && !is_repeated));
        let more = next_value(text, field, from, next);
        // `germany, europe` may mean either; `europe or iceland` means both.
        let more = more.filter(|(value, is_joined, _)| *is_joined || !country::are_nested(&all, &value.names));
        let part = more.filter(|(_, is_joined, is_apart)| !is_apart || *is_joined && !is_excluded);
        // Three values are a list, and so are two with a word between them.
        is_list |= part
            .as_ref()
            .is_some_and(|(_, is_joined, _)| *is_joined || lists.len() > 1);
        member = part.map(|(value, ..)| value);
    }
    if is_list {
        lists.pop().into_iter().collect()
    } else {
        lists
    }
}

/// Whether the words at a position are a model and `offers` or the like, so that a number before them counts
/// rows: `4090 offers` after `3`.
pub(super) fn is_row_count(text: &Text<'_>, at: usize) -> bool {
    value(text, at).is_some_and(|value| value.field == "gpu_name" && text.is_one_of(value.next, "offer result row"))
}

/// The GPU models (offers only) or the place that the words at a position name, after an optional brand or
/// `in`; `None` if there is neither.
fn value(text: &Text<'_>, start: usize) -> Option<Value> {
    let branded = text.skip(start, "nvidia geforce amd radeon instinct tesla quadro");
    let model = text.model(start).or_else(|| text.model(branded));
    if let Some((names, next)) = model.filter(|_| text.is_offers()) {
        let field = "gpu_name";
        return Some(Value { field, names, next });
    }
    // An endpoint of workergroups may be called as a country.
    text.catalog.by_key("geolocation")?;
    let from = text.skip(start, "in within inside the located based");
    let run = text.tokens.get(from..)?.iter().take(5);
    let run = run.take_while(|token| token.kind == Kind::Word).count();
    (from + 1..=from + run).rev().find_map(|next| {
        let tokens = &text.tokens[from..next];
        // `NO` is Norway in a list of codes, but not a country in `NO MORE THAN` and `NO 3090`.
        let is_last = matches!(text.kind(next), None | Some(Kind::Break)) || text.is_one_of(next, "or and");
        let capitals = is_last && tokens.iter().all(|token| token.capitals);
        let name = joined(tokens, " ");
        let (field, names) = ("geolocation", vec![country::named(&name, capitals)?.to_owned()]);
        Some(Value { field, names, next })
    })
}

/// The next value of a list on `field`; whether a word or a slash joins it, rather than a comma or a blank;
/// and whether it follows an `in` of its own, or precedes an `only`. `None` if no such value follows token
/// `end`.
fn next_value(text: &Text<'_>, field: &'static str, start: usize, end: usize) -> Option<(Value, bool, bool)> {
    let is_mark = |marks: &[&str]| text.tokens.get(end).is_some_and(|token| marks.contains(&&*token.text));
    let joint = end + usize::from(is_mark(&[",", "&", "/"]));
    let from = text.skip(joint, "or and nor vs a the in");
    let has = |words: &str| (joint..from).any(|at| text.is_one_of(at, words));
    let next = value(text, from).filter(|next| next.field == field && text.is_border(next.next));
    // `h100 pcie or sxm`
    let form = || {
        let form = text.tokens.get(from).filter(|_| from > end && field == "gpu_name")?;
        let model = joined(text.tokens.get(start..end - 1)?, "");
        let names = text.names.models(&format!("{model}{}", form.text));
        let next = from + 1;
        (!names.is_empty()).then_some(Value { field, names, next })
    };
    let value = next.or_else(form)?;
    let is_apart = has("in") || text.is_one_of(value.next, "only");
    Some((value, is_mark(&["&", "/"]) || has("or and nor vs"), is_apart))
}

//! Lists of models and places, and the machines of a cluster.

use super::grammar::{Clause, Fact, Sense, set};
use super::settings::Cluster;
use super::text::{Text, joined, role};
use super::token::Kind;
use super::vocabulary::Role;
use crate::domain::country;

/// Words between a negation and what it excludes.
const BEFORE_EXCLUDED: &str = "in from the any a an on of located be with nvidia machine host offer gpu";

pub(super) fn count_of(gpus: f64) -> Option<Fact> {
    let names = vec![whole(gpus)?.to_string()];
    Some(Fact::Choice("num_gpus", names, Sense::Wanted))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
pub(super) fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (1.0..=1e6).contains(&number)).then_some(number as u32)
}

/// Whether GPU models are at a position, as behind a count.
pub(super) fn is_card(text: &Text<'_>, at: usize) -> bool {
    value(text, text.skip(at, "of nvidia")).is_some_and(|value| value.field == "gpu_name")
}

/// `2 nodes of 8 h100`, `2x8 h100`: machines for the cluster planner.
pub(super) fn cluster(text: &Text<'_>, at: usize) -> Option<Clause> {
    let count = |at| text.number(at).filter(|_| text.is_offers() && !text.is_model(at));
    let (machines, next) = count(at)?;
    let from = text.skip(next, "machine host of with each x");
    let (gpus, end) = count(from).filter(|_| from > next)?;
    let next = text.skip(end, "x gpu");
    let (machines, gpus_each) = (whole(machines)?, whole(gpus)?);
    let cluster = (machines > 1).then_some(Cluster { machines, gpus_each });
    let facts = vec![count_of(gpus)?, set(|settings| settings.cluster = cluster)];
    let is_open = false;
    (next > end || is_card(text, next)).then_some(Clause { facts, next, is_open })
}

/// `by friday`, `before 2026-12-01 18:00`: when the job is to be done.
pub(super) fn deadline(text: &Text<'_>, at: usize) -> Option<Clause> {
    let from = Some(at + 1).filter(|_| text.is_offers() && text.is_one_of(at, "by before"))?;
    // A date and a time of day are eight tokens.
    let mut ends = (from + 1..=text.tokens.len().min(from + 8)).rev();
    ends.find_map(|next| {
        let by = joined(&text.tokens[from..next], " ").parse().ok()?;
        let (facts, is_open) = (vec![set(|settings| settings.job.by = Some(by))], true);
        Some(Clause { facts, next, is_open })
    })
}

/// A model or a place.
struct Value {
    field: &'static str,
    names: Vec<String>,
    next: usize,
}

/// Models or places, or what is not wanted of them: `4090 or 5090`, `not in china russia`.
pub(super) fn choice(text: &Text<'_>, at: usize) -> Option<Clause> {
    let negation = role!(text, at, Role::Not(true) => ());
    let from = negation.map_or(at, |((), next)| text.skip(next, BEFORE_EXCLUDED));
    let mut list = value(text, from)?;
    while let Some(more) = another(text, list.field, from, list.next) {
        list.names.extend(more.names);
        list.next = more.next;
    }
    let is_open = negation.is_some();
    let sense = if is_open { Sense::Excluded } else { Sense::Wanted };
    let facts = vec![Fact::Choice(list.field, list.names, sense)];
    let next = list.next;
    Some(Clause { facts, next, is_open })
}

fn value(text: &Text<'_>, start: usize) -> Option<Value> {
    let branded = text.skip(start, "nvidia geforce amd radeon instinct tesla quadro");
    let model = text.model(start).or_else(|| text.model(branded));
    if let Some((names, next)) = model.filter(|_| text.is_offers()) {
        let field = "gpu_name";
        return Some(Value { field, names, next });
    }
    let from = text.skip(start, "in within inside the located based");
    let run = text.tokens.get(from..)?.iter().take(5);
    let run = run.take_while(|token| token.kind == Kind::Word).count();
    (from + 1..=from + run).rev().find_map(|next| {
        let tokens = &text.tokens[from..next];
        let (name, capitals) = (joined(tokens, " "), tokens.iter().all(|token| token.capitals));
        let (field, names) = ("geolocation", vec![country::named(&name, capitals)?.to_owned()]);
        Some(Value { field, names, next })
    })
}

/// The next value of a list: behind blanks, a comma, a slash, `or`, `and`, `nor`.
fn another(text: &Text<'_>, field: &'static str, start: usize, end: usize) -> Option<Value> {
    let is_comma = matches!(&*text.tokens.get(end)?.text, "," | "&" | "/");
    let from = text.skip(end + usize::from(is_comma), "or and nor vs a the in");
    let next = value(text, from).filter(|next| next.field == field && text.is_border(next.next));
    // `h100 pcie or sxm`
    let form = || {
        let form = text.tokens.get(from).filter(|_| from > end && field == "gpu_name")?;
        let model = joined(text.tokens.get(start..end - 1)?, "");
        let names = text.names.models(&format!("{model}{}", form.text));
        let next = from + 1;
        (!names.is_empty()).then_some(Value { field, names, next })
    };
    next.or_else(form)
}

//! Lists of models and places, and the machines of a cluster.

use super::grammar::{Choice, Clause, Fact, set};
use super::settings::Cluster;
use super::text::{Text, joined, role};
use super::token::Kind;
use super::vocabulary::Role;
use crate::domain::country;
use crate::domain::format::trimmed;
use crate::domain::region;

/// Words between a negation and what it excludes.
const BEFORE_EXCLUDED: &str = "in from the any a an on of located be with nvidia";

pub(super) fn count_of(counts: impl IntoIterator<Item = f64>) -> Fact {
    let names = counts.into_iter().map(|count| trimmed(count, 0)).collect();
    Fact::Choice(Choice {
        field: "num_gpus",
        names,
        is_excluded: false,
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
pub(super) fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (1.0..=1e6).contains(&number)).then_some(number as u32)
}

/// Whether GPU models are at a position, as behind a count.
pub(super) fn is_card(text: &Text<'_>, at: usize) -> bool {
    listed(text, text.skip(at, "of nvidia")).is_some_and(|list| list.field == "gpu_name")
}

/// `2 nodes of 8 h100`, `2x8 h100`: machines for the cluster planner.
pub(super) fn cluster(text: &Text<'_>, at: usize) -> Option<Clause> {
    let count = |at| {
        let (count, next) = text.number(at).filter(|_| text.is_offers() && !text.is_model(at))?;
        Some((whole(count).filter(|count| *count <= 64)?, next))
    };
    let (machines, next) = count(at)?;
    let from = text.skip(text.skip(next, "machine host"), "of with each x");
    let (gpus_each, end) = count(from).filter(|_| from > next)?;
    let next = text.skip(end, "x gpu");
    let mut facts = vec![count_of([gpus_each.into()])];
    if machines > 1 {
        facts.push(set(|settings| settings.cluster = Some(Cluster { machines, gpus_each })));
    }
    (next > end || is_card(text, next)).then(|| Clause::new(next, facts))
}

/// A part of a list of values of one field.
struct Listed {
    field: &'static str,
    names: Vec<String>,
    region: Option<Fact>,
    next: usize,
}

/// Models or places, or what is not wanted of them: `4090 or 5090`, `not in china russia`.
pub(super) fn choices(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let negation = role!(text, at, Role::Not => ());
    let is_excluded = negation.is_some();
    let mut from = negation.map_or(at, |((), next)| text.skip(next, BEFORE_EXCLUDED));
    // `gpu_name=RTX 4090`
    if text.is_one_of(from, "gpu_name geolocation") && text.is_one_of(from + 1, "=") {
        from += 2;
    }
    // `no machines in china`
    let behind = text.skip(text.skip(from, "machine host offer gpu"), BEFORE_EXCLUDED);
    let start = if is_excluded && listed(text, from).is_none() {
        behind
    } else {
        from
    };
    let (mut next, mut clauses) = (listed(text, start), Vec::new());
    let (mut names, mut regions) = (Vec::new(), Vec::new());
    while let Some(mut list) = next {
        for name in list.names.drain(..) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        regions.extend(list.region.take());
        let choice = Fact::Choice(Choice {
            field: list.field,
            names: names.clone(),
            is_excluded,
        });
        let mut clause = Clause::new(list.next, [choice].into_iter().chain(regions.clone()).collect());
        clause.is_open = is_excluded;
        next = next_listed(text, &list, start);
        // All of a list is excluded, or nothing; the rest of a country remains, no search can ask for it.
        if !is_excluded || next.is_none() && regions.is_empty() {
            clauses.push(clause);
        }
    }
    clauses
}

fn listed(text: &Text<'_>, start: usize) -> Option<Listed> {
    let branded = text.skip(start, "nvidia geforce amd radeon instinct tesla quadro");
    let model = text.model(start).or_else(|| text.model(branded));
    let (field, region) = ("gpu_name", None);
    if let Some((names, next)) = model.filter(|_| text.is_offers()) {
        #[rustfmt::skip]
        return Some(Listed { field, names, region, next });
    }
    let from = text.skip(start, "in within inside the located based");
    let run = text.tokens.get(from..)?.iter().take(5);
    let run = run.take_while(|token| token.kind == Kind::Word).count();
    (from + 1..=from + run).rev().find_map(|next| {
        let tokens = &text.tokens[from..next];
        let (name, capitals) = (joined(tokens, " "), tokens.iter().all(|token| token.capitals));
        let region = region::country_of(&name);
        let names = vec![region.or_else(|| country::named(&name, capitals))?.to_owned()];
        let (field, region) = ("geolocation", region.map(|_| Fact::Region(name)));
        #[rustfmt::skip]
        return Some(Listed { field, names, region, next });
    })
}

/// The next part of a list: behind blanks, a comma, a slash, `or`, `and`, `nor`.
fn next_listed(text: &Text<'_>, list: &Listed, start: usize) -> Option<Listed> {
    let is_comma = matches!(&*text.tokens.get(list.next)?.text, "," | "&" | "/");
    let from = text.skip(list.next + usize::from(is_comma), "or and nor vs a the in");
    let next = listed(text, from).filter(|next| next.field == list.field && text.is_border(next.next));
    // `h100 pcie or sxm`
    let form = || {
        let form = text.tokens.get(from).filter(|form| form.kind == Kind::Word)?;
        let model = joined(text.tokens.get(start..list.next - 1)?, "");
        let names = text.names.models(&format!("{model}{}", form.text));
        let is_form = list.field == "gpu_name" && from > list.next && list.next > start + 1 && !names.is_empty();
        let (field, region, next) = (list.field, None, from + 1);
        #[rustfmt::skip]
        return is_form.then_some(Listed { field, names, region, next });
    };
    next.or_else(form)
}

//! Lists of models, places and ids, and counts.

use super::grammar::{BEFORE_EXCLUDED, Clause, Fact, say};
use super::measures::compared;
use super::quantity::{Quantity, Text, role};
use super::token::Kind;
use super::vocabulary::{Dim, Role};
use crate::domain::country;
use crate::domain::field::Operator::Eq;
use crate::domain::format::trimmed;
use crate::domain::region;

/// Forms that a text can name apart from the model: `a100 80gb pcie`.
const FORMS: [(&str, &str); 5] = [
    ("sxm", "SXM"),
    ("sxm4", "SXM"),
    ("sxm5", "SXM"),
    ("nvl", "NVL"),
    ("pcie", "PCIE"),
];

/// Words in front of a place.
const BEFORE_PLACE: &str = "in within inside the located based";

/// The most GPUs of an offer.
pub(super) const MOST_GPUS: f64 = 64.0;

pub(super) fn count_of(counts: &[f64]) -> Fact {
    let names = counts.iter().map(|count| trimmed(*count, 0)).collect();
    Fact::Choice {
        field: "num_gpus",
        names,
        is_excluded: false,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
pub(super) fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (1.0..=1e6).contains(&number)).then_some(number as u32)
}

/// Whether a quantity can be a number of GPUs or machines.
pub(super) fn is_count(count: &Quantity) -> bool {
    let is_one = |count: f64| whole(count).is_some() && count <= MOST_GPUS;
    count.units.is_empty() && is_one(count.low) && count.high.is_none_or(is_one)
}

pub(super) fn is_bare(count: &Quantity) -> bool {
    is_count(count) && count.operator.is_none() && count.high.is_none()
}

/// `2 nodes of 8 h100`, `2x8 h100`: machines for the cluster planner.
pub(super) fn cluster(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let found = || {
        let machines = text.quantity(at).filter(|count| text.is_offers() && is_bare(count))?;
        let nouns = text.skip(machines.next, "machine host");
        let from = text
            .behind_mark(machines.next, 'x')
            .max(text.skip(nouns, "of with each"));
        let gpus = text
            .quantity(from)
            .filter(|count| from > machines.next && is_bare(count) && !text.is_model(from))?;
        let times = text.behind_mark(gpus.next, 'x');
        let noun = text.noun(times, &gpus).filter(|noun| noun.row.0 == "num_gpus");
        let next = noun.map_or(times, |noun| noun.next);
        let is_counted = noun.is_some() || times > gpus.next || text.model(text.skip(times, "nvidia")).is_some();
        let (machines_count, gpus_each) = (whole(machines.low)?, whole(gpus.low)?);
        let cluster = Fact::Cluster(machines_count, gpus_each);
        let mut facts = vec![count_of(&[gpus.low])];
        facts.extend(Some(cluster).filter(|_| machines.low > 1.0));
        is_counted.then(|| say(next, facts))
    };
    Vec::from_iter(found())
}

/// `top 5`, `10 offers`: how many rows.
pub(super) fn limit(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let found = || {
        let from = text.skip(at, "top first limit");
        let count = text
            .quantity(from)
            .filter(|count| count.units.is_empty() && count.operator.is_none())?;
        let next = text.skip(count.next, "offer result row");
        let is_limit = (from > at || next > count.next) && count.high.is_none() && !text.is_model(from);
        let limit = Fact::Limit(whole(count.low)?);
        is_limit.then(|| say(next, vec![limit]))
    };
    Vec::from_iter(found())
}

/// A part of a list of values of one field.
pub(super) struct Listed {
    field: &'static str,
    names: Vec<String>,
    region: Option<String>,
    /// The model without its form, which another form may follow: `h100 pcie or sxm`.
    base: Option<String>,
    next: usize,
}

/// Models, places or ids, or what is not wanted of them: `4090 or 5090`, `not in china russia`.
pub(super) fn choice(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let negation = role!(text, at, Role::Not => ()).map(|((), next)| next);
    let is_excluded = negation.is_some();
    let mut from = negation.map_or(at, |next| text.skip(next, BEFORE_EXCLUDED));
    // `gpu_name=RTX 4090`
    if text.is_one_of(from, "gpu_name geolocation") && text.kind(from + 1) == Some(Kind::Sign(Eq)) {
        from += 2;
    }
    if let Some((form, next)) = form(text, from).filter(|_| !is_excluded) {
        return vec![say(next, vec![Fact::Form(form)])];
    }
    // `no machines in china`
    let behind = text.skip(text.skip(from, "machine host offer gpu"), BEFORE_EXCLUDED);
    let list = listed(text, from).or_else(|| listed(text, behind).filter(|_| is_excluded));
    let Some(mut list) = list else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let (field, mut names, mut regions) = (list.field, Vec::new(), Vec::new());
    loop {
        names.append(&mut list.names);
        regions.extend(list.region.take());
        let choice = Fact::Choice {
            field,
            names: names.clone(),
            is_excluded,
        };
        let facts = std::iter::once(choice)
            .chain(regions.iter().cloned().map(Fact::Region))
            .collect();
        let is_list = !is_excluded && !text.is_one_of(from, "in within");
        let clause = Clause {
            is_open: is_excluded,
            leans: !is_excluded && field == "geolocation",
            is_list,
            excludes_models: is_excluded && field == "gpu_name",
            ..say(list.next, facts)
        };
        let Some(more) = next_listed(text, &list) else {
            // The rest of a country remains: no search can ask for it.
            found.extend(Some(clause).filter(|_| !is_excluded || regions.is_empty()));
            return found;
        };
        // All of a list is excluded, or nothing.
        found.extend(Some(clause).filter(|_| !is_excluded));
        list = more;
    }
}

pub(super) fn listed(text: &Text<'_>, at: usize) -> Option<Listed> {
    let list = |field, name: &str, next| Listed {
        field,
        names: vec![name.to_owned()],
        region: None,
        base: None,
        next,
    };
    let branded = text.skip(at, "nvidia geforce amd radeon instinct tesla quadro");
    if let Some((names, next)) = text
        .model(at)
        .or_else(|| text.model(branded))
        .filter(|_| text.is_offers())
    {
        let spelling = text.joined(at, next, "");
        let base = FORMS
            .iter()
            .find_map(|(form, _)| spelling.strip_suffix(form).map(str::to_owned));
        return Some(Listed {
            names,
            base,
            ..list("gpu_name", "", next)
        });
    }
    if let Some(noun) = text.named(at, &[(Dim::Id, 1.0)])
        && let Some(number) = text.quantity(noun.next)
    {
        let is_id = number.units.is_empty()
            && number.operator.is_none()
            && number.high.is_none()
            && whole(number.low / 1e3).is_some() | whole(number.low).is_some();
        let is_other =
            text.noun(number.next, &number).is_some() || text.is_mark(number.next, 'x') || text.is_model(noun.next);
        return (is_id && !is_other).then(|| list(noun.row.0, &text.tokens[noun.next].text, number.next));
    }
    let from = text.skip(at, BEFORE_PLACE);
    let run = text
        .tokens
        .get(from..)?
        .iter()
        .take(5)
        .take_while(|token| token.kind == Kind::Word)
        .count();
    (from + 1..=from + run).rev().find_map(|next| {
        let name = text.joined(from, next, " ");
        if let Some(code) = region::country_of(&name) {
            return Some(Listed {
                region: Some(name),
                ..list("geolocation", code, next)
            });
        }
        let capitals = text.tokens[from..next].iter().all(|token| token.capitals);
        Some(list("geolocation", country::named(&name, capitals)?, next))
    })
}

/// The next part of a list: behind blanks, a comma, a slash, `or`, `and`, `nor`.
fn next_listed(text: &Text<'_>, list: &Listed) -> Option<Listed> {
    let is_comma = text
        .tokens
        .get(list.next)
        .is_some_and(|token| matches!(&*token.text, "," | "&"));
    let sign = list.next + usize::from(is_comma || text.is_mark(list.next, '/'));
    let from = text.skip(sign, "or and nor vs a the in");
    let part = |names: Vec<String>, next| Listed {
        field: list.field,
        names,
        region: None,
        base: list.base.clone(),
        next,
    };
    if let (Some(base), Some((_, next))) = (&list.base, form(text, from).filter(|_| from > list.next)) {
        let names = text.names.models(&format!("{base}{}", text.tokens[from].text));
        return (!names.is_empty()).then(|| part(names, next));
    }
    // `host 12 or 34`
    if list.field.ends_with("id") {
        let id = text
            .quantity(from)
            .filter(|id| from > list.next && id.units.is_empty() && id.operator.is_none())?;
        let is_end = matches!(text.kind(id.next), None | Some(Kind::Break));
        return is_end.then(|| part(vec![text.tokens[from].text.clone()], id.next));
    }
    listed(text, from).filter(|more| more.field == list.field && text.is_border(more.next))
}

fn form(text: &Text<'_>, at: usize) -> Option<(&'static str, usize)> {
    let form = FORMS
        .iter()
        .find(|(word, _)| text.is_offers() && text.is_one_of(at, word))?;
    Some((form.1, at + 1))
}

/// How many GPUs: `2x`, `x2`, `4 or more 3090s`, `4 or 8 h100`, `2x4090`.
pub(super) fn counted(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let found = || {
        let from = text.behind_mark(at, 'x');
        let count = text
            .quantity(from)
            .filter(|count| text.is_offers() && is_count(count))?;
        if from > at {
            return Some(say(count.next, vec![count_of(&[count.low])]));
        }
        let mut next = text.behind_mark(count.next, 'x');
        let mut counts = vec![count.low];
        // `4 or 8 h100`
        while let Some(more) = text
            .quantity(next + 1)
            .filter(|more| text.is_one_of(next, "or") && is_bare(&count) && is_bare(more) && !text.is_model(next + 1))
        {
            counts.push(more.low);
            next = text.behind_mark(more.next, 'x');
        }
        let is_times = text.is_mark(next - 1, 'x');
        let noun = text
            .noun(next, &count)
            .filter(|noun| noun.row.0 == "num_gpus" && counts.len() > 1);
        let of = text.skip(next, "of nvidia");
        let is_model = || listed(text, of).is_some_and(|list| list.field == "gpu_name");
        let fact = match (count.operator, count.high) {
            (None | Some(Eq), None) => count_of(&counts),
            _ => Fact::Condition(compared(&count, "num_gpus", Eq, 1.0, "")),
        };
        (is_times || noun.is_some() || !text.is_model(at) && is_model()).then(|| Clause {
            is_open: true,
            leans: true,
            ..say(noun.map_or(next, |noun| noun.next), vec![fact])
        })
    };
    Vec::from_iter(found())
}

//! Clauses without a measure: lists, counts, words with a meaning of their own, and orders.

use super::attributes::compared;
use super::grammar::{BEFORE_EXCLUDED, Clause, Fact, say, set};
use super::quantity::{Quantity, Text, joined, role};
use super::settings::Cluster;
use super::token::Kind;
use super::vocabulary::{Dim, EVERY, End, Fixed, Role};
use crate::domain::field::Operator::{Eq, Gte};
use crate::domain::format::trimmed;
use crate::domain::{country, language, region};

/// The most GPUs of an offer.
pub(super) const MOST_GPUS: f64 = 64.0;

pub(super) fn count_of(counts: &[f64]) -> Fact {
    let names = counts.iter().map(|count| trimmed(*count, 0)).collect();
    Fact::Choice("num_gpus", names, false)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
fn whole(number: f64) -> Option<u32> {
    (number.fract() == 0.0 && (1.0..=1e6).contains(&number)).then_some(number as u32)
}

/// Whether a quantity can be a number of GPUs or machines.
fn is_count(count: &Quantity) -> bool {
    let is_whole = |count: f64| whole(count).is_some() && count <= MOST_GPUS;
    count.units.is_empty() && is_whole(count.low) && count.high.is_none_or(is_whole)
}

/// A number of GPUs or machines without a comparison.
pub(super) fn bare_count(text: &Text<'_>, at: usize) -> Option<Quantity> {
    let is_bare = |count: &Quantity| text.is_offers() && is_count(count) && count.is_bare();
    text.quantity(at).filter(is_bare)
}

/// `2 nodes of 8 h100`, `2x8 h100`: machines for the cluster planner.
pub(super) fn cluster(text: &Text<'_>, at: usize) -> Option<Clause> {
    let machines = bare_count(text, at)?;
    let nouns = text.skip(machines.next, "machine host");
    let from = text.skip(nouns, "of with each");
    let from = from.max(text.behind_mark(machines.next, 'x'));
    let gpus = bare_count(text, from).filter(|_| from > machines.next && !text.is_model(from))?;
    let times = text.behind_mark(gpus.next, 'x');
    let noun = text.noun(times, &gpus).filter(|noun| noun.row.0 == "num_gpus");
    let is_counted = noun.is_some() || times > gpus.next || text.model(text.skip(times, "nvidia")).is_some();
    let mut facts = vec![count_of(&[gpus.low])];
    let (machines, gpus_each) = (whole(machines.low)?, whole(gpus.low)?);
    if machines > 1 {
        facts.push(set(|settings| settings.cluster = Some(Cluster { machines, gpus_each })));
    }
    is_counted.then(|| say(noun.map_or(times, |noun| noun.next), facts))
}

/// `top 5`, `10 offers`: how many rows.
pub(super) fn limit(text: &Text<'_>, at: usize) -> Option<Clause> {
    let from = text.skip(at, "top first limit");
    let count = text.quantity(from).filter(Quantity::is_bare)?;
    let next = text.skip(count.next, "offer result row");
    let is_limit = (from > at || next > count.next) && !text.is_model(from);
    let rows = whole(count.low).filter(|_| is_limit)?;
    Some(say(next, vec![set(|settings| settings.limit = Some(rows))]))
}

/// How many GPUs: `2x`, `x2`, `4 or more 3090s`, `4 or 8 h100`, `2x4090`.
pub(super) fn counted(text: &Text<'_>, at: usize) -> Option<Clause> {
    let at = Some(at).filter(|_| text.is_offers())?;
    let from = text.behind_mark(at, 'x');
    let count = text.quantity(from).filter(is_count)?;
    if from > at {
        return Some(say(count.next, vec![count_of(&[count.low])]));
    }
    let (mut next, mut counts) = (text.behind_mark(count.next, 'x'), vec![count.low]);
    while let Some(more) = bare_count(text, next + 1)
        && text.is_one_of(next, "or")
        && count.is_bare()
        && !text.is_model(next + 1)
    {
        counts.push(more.low);
        next = text.behind_mark(more.next, 'x');
    }
    let is_times = text.is_mark(next - 1, 'x');
    let noun = text.noun(next, &count).filter(|_| counts.len() > 1);
    let noun = noun.filter(|noun| noun.row.0 == "num_gpus");
    let model = listed(text, text.skip(next, "of nvidia")).filter(|list| list.field == "gpu_name");
    let fact = match (count.operator, count.high) {
        (None | Some(Eq), None) => count_of(&counts),
        _ => Fact::Condition(compared(&count, "num_gpus", Eq, 1.0)),
    };
    let mut clause = say(noun.map_or(next, |noun| noun.next), vec![fact]);
    (clause.is_open, clause.leans) = (true, true);
    (is_times || noun.is_some() || model.is_some() && !text.is_model(at)).then_some(clause)
}

/// A part of a list of values of one field.
struct Listed {
    field: &'static str,
    names: Vec<String>,
    region: Option<String>,
    start: usize,
    next: usize,
}

impl Listed {
    fn new(field: &'static str, names: Vec<String>, [start, next]: [usize; 2]) -> Self {
        let region = None;
        Self {
            field,
            names,
            region,
            start,
            next,
        }
    }
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
    // `no machines in china`
    let behind = text.skip(text.skip(from, "machine host offer gpu"), BEFORE_EXCLUDED);
    let mut next = listed(text, from).or_else(|| listed(text, behind).filter(|_| is_excluded));
    let (mut clauses, mut names, mut regions) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(mut list) = next {
        let field = list.field;
        names.append(&mut list.names);
        regions.extend(list.region.take().map(Fact::Region));
        let choice = Fact::Choice(field, names.clone(), is_excluded);
        let mut clause = say(list.next, [choice].into_iter().chain(regions.iter().cloned()).collect());
        clause.is_open = is_excluded;
        clause.leans = !is_excluded && field == "geolocation";
        clause.is_list = !is_excluded && !text.is_one_of(from, "in within");
        clause.excludes_models = is_excluded && field == "gpu_name";
        next = next_listed(text, &list);
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
    if let Some((names, next)) = model.filter(|_| text.is_offers()) {
        return Some(Listed::new("gpu_name", names, [start, next]));
    }
    if let Some(noun) = text.named(start, &[(Dim::Id, 1.0)])
        && let Some(number) = text.quantity(noun.next)
    {
        let is_id = number.is_bare() && (whole(number.low / 1e3).is_some() || whole(number.low).is_some());
        let counts = text.noun(number.next, &number).is_some() || text.is_mark(number.next, 'x');
        let names = vec![text.tokens[noun.next].text.clone()];
        let is_id = is_id && !counts && !text.is_model(noun.next);
        return is_id.then(|| Listed::new(noun.row.0, names, [start, number.next]));
    }
    let from = text.skip(start, "in within inside the located based");
    let run = text.tokens.get(from..)?.iter().take(5);
    let run = run.take_while(|token| token.kind == Kind::Word).count();
    (from + 1..=from + run).rev().find_map(|next| {
        let tokens = &text.tokens[from..next];
        let (name, capitals) = (joined(tokens, " "), tokens.iter().all(|token| token.capitals));
        let region = region::country_of(&name);
        let code = region.or_else(|| country::named(&name, capitals))?.to_owned();
        let region = region.is_some().then_some(name);
        let list = Listed::new("geolocation", vec![code], [start, next]);
        Some(Listed { region, ..list })
    })
}

/// The next part of a list: behind blanks, a comma, a slash, `or`, `and`, `nor`.
fn next_listed(text: &Text<'_>, list: &Listed) -> Option<Listed> {
    let token = text.tokens.get(list.next)?;
    let is_comma = matches!(&*token.text, "," | "&" | "/");
    let from = text.skip(list.next + usize::from(is_comma), "or and nor vs a the in");
    let (field, start) = (list.field, list.start);
    let part = |names, next| Listed::new(field, names, [start, next]);
    // `host 12 or 34`
    if field.ends_with("id") {
        let id = text.quantity(from).filter(|id| from > list.next && id.is_bare())?;
        let is_end = matches!(text.kind(id.next), None | Some(Kind::Break));
        return is_end.then(|| part(vec![text.tokens[from].text.clone()], id.next));
    }
    let next = listed(text, from).filter(|next| next.field == field && text.is_border(next.next));
    // `h100 pcie or sxm`
    let form = || {
        let form = text.tokens.get(from).filter(|form| form.kind == Kind::Word)?;
        let model = joined(&text.tokens[start..list.next - 1], "");
        let names = text.names.models(&format!("{model}{}", form.text));
        let is_form = field == "gpu_name" && (start + 1..from).contains(&list.next) && !names.is_empty();
        is_form.then(|| part(names, from + 1))
    };
    next.or_else(form)
}

/// Words with a meaning of their own, or the opposite of it: `verified`, `no datacenter`, `spot ok`.
pub(super) fn fixed(text: &Text<'_>, at: usize) -> Option<Clause> {
    // The speed of `nvme speed 1gbps` is not that of a network.
    let is_whole = |next: usize| !text.is_one_of(next, "bandwidth");
    let row = |at| role!(text, at, Role::Fixed(row) => row).filter(|(_, next)| is_whole(*next));
    let articles = |next| text.skip(next, "a an in the any on to be have");
    // `ampere or newer`, `not older than turing`: an architecture begins with its first compute capability.
    let (front, from) = text.comparison(at);
    let generation = |next| text.skip(next, "architecture generation gen gpu");
    if let Some((row, next)) = row(from)
        && let Some(first) = row.1.strip_prefix("compute_cap")
        && let (Some(Gte), None, next) | (None, Some((Gte, next)), _) = (front, text.behind(generation(next)), next)
    {
        let first = first.trim_start_matches(['>', '=']).split(' ').next()?;
        return Some(say(next, vec![Fact::Condition(format!("compute_cap>={first}"))]));
    }
    if let Some((row, next)) = row(at) {
        let behind = text.skip(next, "host machine offer is are");
        return Some(match role!(text, behind, Role::Waived(accepts) => accepts) {
            Some((accepts, next)) => say(next, waived(text, row, accepts)?),
            None => say(next, told(text, row.1)?),
        });
    }
    if let Some((accepts, next)) = role!(text, at, Role::Waive(accepts) => accepts) {
        let (row, next) = row(articles(next))?;
        // `also verified` wants them.
        let is_wanted = accepts && row.1 != "verified=false" && !row.1.starts_with("type:");
        return Some(say(next, waived(text, row, accepts)?)).filter(|_| !is_wanted);
    }
    let ((), next) = role!(text, at, Role::Not => ())?;
    let (row, next) = row(articles(next))?;
    Some(say(next, told(text, row.2)?))
}

/// What is meant by words whose meaning is accepted, or not needed.
fn waived(text: &Text<'_>, row: &Fixed, accepts: bool) -> Option<Vec<Fact>> {
    match row.1 {
        meaning if meaning.starts_with("verified") => told(text, "free:verified"),
        meaning if accepts && meaning.starts_with("type:") => told(text, meaning),
        _ => Some(vec![Fact::Idle]),
    }
}

/// The facts of a meaning in the table.
fn told(text: &Text<'_>, meaning: &'static str) -> Option<Vec<Fact>> {
    let fact = match meaning.split_once([':', '=']) {
        Some(("type" | "hours" | "form", _)) if !text.is_offers() => return None,
        Some(("type", model)) => {
            let model = model.parse().ok()?;
            set(|settings| settings.offer_type = Some(model))
        }
        Some(("hours", number)) => {
            let hours = number.parse().ok();
            set(|settings| settings.job.hours = hours)
        }
        Some(("form", form)) => Fact::Form(form),
        Some(("order", order)) => sorted_by(text, order)?,
        Some(("num_gpus", count)) => count_of(&[count.parse().ok()?]),
        _ => Fact::Condition(meaning.to_owned()),
    };
    (!meaning.is_empty()).then(|| vec![fact])
}

/// An order; volumes have prices and speeds of their own, and bids are a price model.
fn sorted_by(text: &Text<'_>, order: &str) -> Option<Fact> {
    let order = match order {
        "dph_total" if !text.is_offers() => "storage_cost",
        "disk_bw-" | "dlperf-" if !text.is_offers() => "nw_disk_avg_bw-",
        order => order,
    };
    let keys = language::parse_order(order, text.catalog).ok()?;
    let bid = (order == "min_bid").then(|| "bid".parse().ok()).flatten();
    let order = Some(keys);
    Some(set(|settings| (settings.order, settings.offer_type) = (order, bid)))
}

/// `most vram`, `lowest temperature first`, `sort by upload speed descending`, `price low to high`.
pub(super) fn ordered(text: &Text<'_>, at: usize) -> Option<Clause> {
    let sort = role!(text, at, Role::Sort => ());
    let from = text.skip(sort.map_or(at, |((), next)| next), "the");
    let best = role!(text, from, Role::Best(end, dims) => (end, dims));
    let (end, dims) = best.map_or((None, EVERY), |((end, dims), _)| (Some(end), dims));
    let from = text.skip(best.map_or(from, |(_, next)| next), "the of");
    let units: Vec<_> = dims.iter().map(|dim| (*dim, 1.0)).collect();
    let is_gpu = end == Some(End::Better) && text.is_one_of(from, "gpu each");
    let noun = text.named(from, &units).filter(|_| !is_gpu)?;
    let direction = role!(text, noun.next, Role::Direction(end) => end);
    let is_asked = sort.is_some() || matches!(direction, Some((End::High | End::Low, _)));
    // `max price 2` is a condition.
    let number = text.behind_mark(noun.next, ':');
    let is_bound = text.quantity(number).is_some() || text.is_one_of(number, "is of");
    if end.is_none() && !is_asked || is_bound && text.comparison(at).0.is_some() {
        return None;
    }
    let behind = direction.map_or(noun.next, |(_, next)| next);
    let end = match direction {
        Some((last @ (End::High | End::Low), _)) => last,
        Some((End::Better, _)) | None => end.unwrap_or(End::Better),
    };
    // The job's cost, once there is one; see `Settings::settle`.
    let key = match noun.row.0 {
        "job_cost" => "dph_total",
        "dph_total" | "dph_per_vram_gb" if !text.is_offers() => "storage_cost",
        key => key,
    };
    let field = text.catalog.named(key).or_else(|| text.catalog.column(key))?;
    let is_high = match end {
        // The most memory for a dollar is the lowest price of it.
        End::High => key != "dph_per_vram_gb",
        End::Low => false,
        End::Better => field.better.unwrap_or(true),
    };
    let order = sorted_by(text, &format!("{key}{}", if is_high { "-" } else { "" }))?;
    Some(say(text.skip(behind, "first possible available"), vec![order]))
}

/// Words without a condition: `inference`, `70b`; a rental by the period: `monthly`.
pub(super) fn idle(text: &Text<'_>, at: usize) -> Option<Clause> {
    let is_number = matches!(text.kind(at), Some(Kind::Number(_)));
    let is_parameters = is_number && text.is_one_of(at + 1, "b") && text.tokens[at + 1].glued;
    let purpose = role!(text, at, Role::Purpose => ()).map(|((), next)| next);
    let next = purpose.or(is_parameters.then_some(at + 2))?;
    Some(say(next, vec![Fact::Idle]))
}

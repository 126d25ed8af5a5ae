//! Words with a meaning of their own, orders, and words without a condition.

use super::grammar::{Clause, Fact, say};
use super::lists::count_of;
use super::quantity::{Text, role};
use super::token::Kind;
use super::vocabulary::{Dim, EVERY, End, Fixed, Lens, Role};
use crate::domain::field::Operator::{self, Eq, Gt, Gte, Lt, Lte};
use crate::domain::language;

/// Words with a meaning of their own, or the opposite of it: `verified`, `no datacenter`, `spot ok`.
pub(super) fn fixed(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let own = |at| role!(text, at, Role::Fixed(row) => row);
    let waive = role!(text, at, Role::Waive(accepts) => accepts);
    let negated = role!(text, at, Role::Not => ());
    let articles = "a an in the any on to be have";
    let found = || -> Option<Clause> {
        if let Some((row, next)) = own(at) {
            let behind = text.skip(next, "host machine offer is are");
            return Some(match role!(text, behind, Role::Waived(accepts) => accepts) {
                Some((accepts, next)) => say(next, waived(text, row, accepts)?),
                None => say(next, told(text, row.1)?),
            });
        }
        if let Some((accepts, next)) = waive {
            let (row, next) = own(text.skip(next, articles))?;
            // `also verified` wants them.
            let is_wanted = accepts && row.1 != "verified=false" && !row.1.starts_with("type:");
            return (!is_wanted).then(|| Some(say(next, waived(text, row, accepts)?)))?;
        }
        let (row, next) = own(text.skip(negated?.1, articles))?;
        Some(say(next, told(text, row.2)?))
    };
    Vec::from_iter(found())
}

/// What is meant by words whose meaning is accepted, or not needed.
fn waived(text: &Text<'_>, row: &Fixed, accepts: bool) -> Option<Vec<Fact>> {
    if row.1.starts_with("verified") {
        return Some(vec![Fact::Condition("free:verified".to_owned())]);
    }
    let is_type = accepts && row.1.starts_with("type:");
    if is_type {
        told(text, row.1)
    } else {
        Some(vec![Fact::Idle])
    }
}

/// The facts of a meaning in the table.
fn told(text: &Text<'_>, meaning: &'static str) -> Option<Vec<Fact>> {
    Some(match meaning.split_once(':') {
        _ if meaning.is_empty() => return None,
        Some(("type" | "hours", _)) if !text.is_offers() => return None,
        Some(("type", word)) => vec![Fact::Type(word.parse().ok()?)],
        Some(("hours", number)) => vec![Fact::Hours(number.parse().ok()?)],
        Some(("order", order)) => return sorted_by(text, order),
        _ => match meaning.strip_prefix("num_gpus=") {
            Some(count) => vec![count_of(&[count.parse().ok()?])],
            None => vec![Fact::Condition(meaning.to_owned())],
        },
    })
}

/// An order; volumes have prices and speeds of their own.
fn sorted_by(text: &Text<'_>, order: &str) -> Option<Vec<Fact>> {
    let order = match order {
        "dph_total" if !text.is_offers() => "storage_cost",
        "disk_bw-" | "dlperf-" if !text.is_offers() => "nw_disk_avg_bw-",
        order => order,
    };
    let bid = (order == "min_bid").then(|| "bid".parse().ok()).flatten();
    let order = language::parse_order(order, text.catalog).ok()?;
    Some([Fact::Order(order)].into_iter().chain(bid.map(Fact::Type)).collect())
}

/// `hopper`, `ampere or newer`, `not older than turing`.
pub(super) fn architecture(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let found = || {
        let (front, from) = text.comparison(at);
        let (row, next) = role!(text, from, Role::Architecture(row) => row)?;
        let next = text.skip(next, "architecture generation gen gpu");
        let (behind, next) = text.behind(next).map_or((None, next), |(own, next)| (Some(own), next));
        let (first, later) = (row.1, row.2);
        let condition = match (front, behind) {
            (Some(_), Some(_)) => return None,
            (front, behind) => match front.or(behind) {
                None => row.3.to_owned(),
                Some(Gte) => format!("compute_cap>={first}"),
                Some(Gt) => format!("compute_cap>={later}"),
                Some(Lt) => format!("compute_cap<{first}"),
                Some(Lte) => format!("compute_cap<{later}"),
                Some(Eq | Operator::Neq | Operator::In | Operator::Nin) => return None,
            },
        };
        text.is_offers().then(|| say(next, vec![Fact::Condition(condition)]))
    };
    Vec::from_iter(found())
}

/// `most vram`, `lowest temperature first`, `sort by upload speed descending`, `price low to high`.
pub(super) fn ordered(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let found = || {
        let sort = role!(text, at, Role::Sort => ());
        let from = text.skip(sort.map_or(at, |((), next)| next), "the");
        let best = role!(text, from, Role::Superlative(end, lens) => (end, lens));
        let (end, lens) = best.map_or((None, Lens::Amount), |((end, lens), _)| (Some(end), lens));
        let from = text.skip(best.map_or(from, |(_, next)| next), "the of");
        let dims: &[Dim] = match lens {
            Lens::Price => &[Dim::Dollars],
            Lens::Speed => &[Dim::Bits, Dim::Bytes, Dim::Gigahertz],
            Lens::Amount => &EVERY,
        };
        let units: Vec<_> = dims.iter().map(|dim| (*dim, 1.0)).collect();
        let noun = text
            .named(from, &units)
            .filter(|_| end != Some(End::Better) || !text.is_one_of(from, "gpu each"))?;
        let direction = role!(text, noun.next, Role::Direction(end) => end);
        let is_asked = sort.is_some() || matches!(direction, Some((End::High | End::Low, _)));
        // `max price 2` is a condition.
        let number = text.behind_mark(noun.next, ':');
        let is_bound = text.quantity(number).is_some() || text.is_one_of(number, "is of");
        if end.is_none() && !is_asked || is_bound && text.comparison(at).0.is_some() {
            return None;
        }
        let next = text.skip(
            direction.map_or(noun.next, |(_, next)| next),
            "first possible available",
        );
        let end = match direction {
            Some((own @ (End::High | End::Low), _)) => own,
            Some((End::Better, _)) | None => end.unwrap_or(End::Better),
        };
        let key = match noun.row.0 {
            // The job's cost, once there is one; see `Settings::settle`.
            "job_cost" => "dph_total",
            "dph_per_vram_gb" | "dph_total" if !text.is_offers() => "storage_cost",
            key => key,
        };
        let field = text.catalog.named(key).or_else(|| text.catalog.column(key))?;
        let is_high = match end {
            // The most memory for a dollar is the lowest price of it.
            End::High => key != "dph_per_vram_gb",
            End::Low => false,
            End::Better => field.better.unwrap_or(true),
        };
        let facts = sorted_by(text, &format!("{key}{}", if is_high { "-" } else { "" }))?;
        Some(say(next, facts))
    };
    Vec::from_iter(found())
}

/// Words without a condition: `inference`, `70b`; a rental by the period: `monthly`.
pub(super) fn idle(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let purpose = role!(text, at, Role::Purpose => ()).map(|((), next)| next);
    let is_number = matches!(text.kind(at), Some(Kind::Number(_)));
    let is_parameters = is_number && text.is_one_of(at + 1, "b") && text.tokens[at + 1].glued;
    let idle = purpose
        .or(is_parameters.then_some(at + 2))
        .map(|next| say(next, vec![Fact::Idle]));
    let from = at + usize::from(text.is_one_of(at, "per"));
    let period = role!(text, from, Role::Period(own) if own > 1.0 => own);
    let period = period.filter(|_| text.is_offers() && (from > at || text.tokens[at].text.ends_with("ly")));
    let rental = period.map(|(own, next)| say(text.skip(next, "rental rent job"), vec![Fact::Hours(own)]));
    idle.into_iter().chain(rental).collect()
}

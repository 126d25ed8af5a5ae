//! Prices: `under $0.5`, `<40 cents`, `max 2/h per gpu`, `$20 a day`, `budget $50`.

use super::amount::{Amount, Unit, amount};
use super::cursor::Cursor;
use super::gpus;
use super::grammar::Fact;
use super::nouns::{Noun, noun};
use super::token::Kind;
use crate::domain::catalog::Resource;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;

type Read = Option<(Vec<Fact>, usize)>;

/// Words for periods, and the hours of each.
#[rustfmt::skip]
const PERIODS: &[(&str, f64)] = &[
    ("h", 1.0), ("hr", 1.0), ("hour", 1.0), ("hourly", 1.0), ("day", 24.0), ("d", 24.0),
    ("daily", 24.0), ("week", 168.0), ("weekly", 168.0), ("month", 720.0), ("mo", 720.0),
    ("monthly", 720.0),
];

const TOTALS: [&str; 9] = [
    "total",
    "in total",
    "overall",
    "altogether",
    "all in",
    "for the job",
    "for the whole job",
    "for everything",
    "budget",
];

/// What a price is for.
#[derive(Debug, Clone, Copy, Default)]
struct Basis {
    /// The hours that it covers.
    hours: Option<f64>,
    per_gpu: bool,
    per_gb: bool,
    per_tb: bool,
    total: bool,
}

impl Basis {
    const fn is_of_data(self) -> bool {
        self.per_gb || self.per_tb
    }
}

/// A price without a noun; a bare number is one if it has an upper bound or a period, and names no
/// model: `3090 monthly` is a card.
pub(super) fn read(cursor: Cursor<'_>, amount: &Amount, at: usize, resource: Resource) -> Read {
    let (basis, next) = basis(cursor, at);
    let has_upper_bound = matches!(amount.bound, Some(Operator::Lt | Operator::Lte));
    let is_price = match amount.unit {
        Unit::Dollars => true,
        Unit::None if !gpus::models(&trimmed(amount.low, 6)).is_empty() => false,
        Unit::None => basis.hours.is_some() || has_upper_bound,
        _ => false,
    };
    let (amount, next) = amount.bounded_at(cursor, next);
    let mut basis = basis;
    basis.total |= is_for_the_job(cursor, &amount, basis, at, next);
    is_price
        .then(|| condition(&amount, basis, resource, next))
        .flatten()
}

/// Whether a price without a period is that of the job: `$200 for 3 days`, `12 hours for under $30`. No
/// GPU costs less than 3 cents an hour, so `h100 under $2 for 3 days` is a price per hour; and none
/// costs $100 an hour.
fn is_for_the_job(
    cursor: Cursor<'_>,
    price: &Amount,
    basis: Basis,
    at: usize,
    next: usize,
) -> bool {
    const LEAST_PER_HOUR: f64 = 0.03;
    const MOST_PER_HOUR: f64 = 100.0;
    if basis.hours.is_some() || basis.per_gpu || basis.is_of_data() || price.unit != Unit::Dollars {
        return false;
    }
    let hours = |at| amount(cursor, at).filter(|time| time.unit == Unit::Hours);
    let behind = cursor
        .is_one_of(next, &["for", "over"])
        .then(|| hours(next + 1))
        .flatten();
    // The amount begins somewhere before `at`: with `for`, a bound, or the dollar sign.
    let before = || {
        let starts = (0..at).rev().take(8);
        let mut times = starts.filter_map(hours);
        times.find(|time| {
            let is_joint = |at: &usize| cursor.is_one_of(*at, &["for", "at"]);
            is_joint(&time.next) && time.next < at
        })
    };
    let anywhere = || (0..cursor.tokens.len()).find_map(hours);
    let per_hour = |time: Amount| price.low / time.low;
    behind
        .or_else(before)
        .is_some_and(|time| per_hour(time) >= LEAST_PER_HOUR)
        || (price.low >= MOST_PER_HOUR && anywhere().is_some())
}

/// A price behind its period: `monthly price under $900`, `price per month < 900`.
pub(super) fn in_front(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let period = |at| {
        let words = ["hourly", "daily", "weekly", "monthly"];
        let from = cursor.skip(at, &["per"]);
        let is_period = cursor.is_one_of(from, &words) || from > at;
        let found = cursor.longest(from, PERIODS.iter().copied());
        found.filter(|_| is_period)
    };
    let (bound, start) = cursor.bound(at);
    let (hours, from) = period(start).map_or((None, start), |(hours, next)| (Some(hours), next));
    let (noun, next) = noun(cursor, from)?;
    let (own, next) = basis(cursor, next);
    let is_priced = matches!(noun, Noun::Price | Noun::Budget);
    let basis = Basis {
        hours: hours.or(own.hours),
        ..own
    };
    if !is_priced
        || (basis.hours.is_none() && !basis.per_gpu)
        || cursor.is_one_of(from, &["for", "at"])
    {
        return None;
    }
    let found = amount(cursor, cursor.skip(next, &["of", "is"]))?;
    if !matches!(found.unit, Unit::Dollars | Unit::None) {
        return None;
    }
    let bound = found.bound.or(bound);
    let found = Amount { bound, ..found };
    let (found, next) = found.bounded_at(cursor, found.next);
    condition(&found, basis, resource, next)
}

/// Data that have a price, and the fields of it per GB and per TB.
#[rustfmt::skip] // a table reads as a table
const TRADED: &[(&str, [&str; 2])] = &[
    ("storage", STORAGE), ("disk", STORAGE), ("disk space", STORAGE), ("space", STORAGE), ("volume", STORAGE), ("volumes", STORAGE),
    ("download", DOWN), ("downloads", DOWN), ("download traffic", DOWN), ("traffic", DOWN),
    ("bandwidth", DOWN), ("download bandwidth", DOWN), ("inbound", DOWN), ("inbound traffic", DOWN), ("ingress", DOWN), ("internet", DOWN), ("network", DOWN), ("network traffic", DOWN), ("data", DOWN), ("data transfer", DOWN), ("transfer", DOWN), ("incoming traffic", DOWN), ("internet traffic", DOWN), ("down", DOWN),
    ("upload", UP), ("uploads", UP), ("upload traffic", UP), ("upload bandwidth", UP), ("egress", UP), ("egress traffic", UP), ("outbound", UP), ("outbound traffic", UP), ("outgoing traffic", UP), ("up", UP),
];
const STORAGE: [&str; 2] = ["storage_cost"; 2];
const DOWN: [&str; 2] = ["inet_down_cost", "internet_down_cost_per_tb"];
const UP: [&str; 2] = ["inet_up_cost", "internet_up_cost_per_tb"];

/// What is traded at a position, whether the word is of its price, and the position behind it.
fn traded(cursor: Cursor<'_>, at: usize) -> Option<([&'static str; 2], bool, usize)> {
    let at = cursor.skip(at, &["of", "for", "the", "on"]);
    // `cost of storage`
    let costs = [
        "cost", "costs", "price", "prices", "pricing", "rate", "fee", "fees",
    ];
    let after = cursor.skip(at, &costs);
    let start = cursor.skip(after, &["of", "for"]);
    let (fields, next) = cursor.longest(start, TRADED.iter().copied())?;
    let behind = cursor.skip(next, &costs);
    Some((fields, start > at || behind > next, behind))
}

/// The price of storage or traffic: `storage under $0.10/gb/month`, `$2 per tb download`.
pub(super) fn quoted(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let (bound, start) = cursor.bound(at);
    let in_front = traded(cursor, start);
    let from = in_front.map_or(start, |(_, _, next)| next);
    let from = cursor.skip_joint(
        from,
        &["of", "is", "at", "for", "costs", "costing", "priced"],
    );
    let found = amount(cursor, from)?;
    if !matches!(found.unit, Unit::Dollars | Unit::None) {
        return None;
    }
    let (basis, next) = basis(cursor, found.next);
    let behind = traded(cursor, next).filter(|_| in_front.is_none());
    let (fields, is_price, next) = match in_front {
        Some((fields, is_price, _)) => (fields, is_price, next),
        None => behind?,
    };
    // What storage costs is quoted per GB and month.
    let is_storage = fields == STORAGE;
    let is_monthly = basis.hours.is_none_or(|hours| (hours - 720.0).abs() < 1.0);
    let is_of_data = basis.is_of_data()
        || (is_storage && is_price && basis.hours.is_none() && !basis.total && !basis.per_gpu);
    if !is_of_data || (is_storage && !is_monthly) || (!is_storage && basis.hours.is_some()) {
        return None;
    }
    let bound = found.bound.or(bound);
    let (found, next) = Amount { bound, ..found }.bounded_at(cursor, next);
    let factor = if is_storage && basis.per_tb {
        1e-3
    } else {
        1.0
    };
    let field = resource
        .catalog()
        .column(fields[usize::from(basis.per_tb)])?;
    let text = found.on(field.key, Operator::Lte, factor, "");
    Some((Fact::conditions(text), next))
}

/// A price behind its noun: `price under 2`, `budget $50`.
pub(super) fn named(
    cursor: Cursor<'_>,
    noun: Noun,
    amount: &Amount,
    at: usize,
    resource: Resource,
) -> Read {
    if !matches!(amount.unit, Unit::Dollars | Unit::None) {
        return None;
    }
    let (mut basis, next) = basis(cursor, at);
    // `for` and `at` are also used without a price.
    if amount.unit == Unit::None
        && amount.bound.is_none()
        && basis.hours.is_none()
        && noun == Noun::Price
    {
        return None;
    }
    basis.total |= noun == Noun::Budget && basis.hours.is_none();
    let (amount, next) = amount.bounded_at(cursor, next);
    condition(&amount, basis, resource, next)
}

fn condition(amount: &Amount, basis: Basis, resource: Resource, next: usize) -> Read {
    let (field, hours) = match resource {
        Resource::Offers if basis.is_of_data() => return None,
        Resource::Offers if basis.total && basis.hours.is_none() => ("job_cost", 1.0),
        Resource::Offers if basis.per_gpu => ("dph_per_gpu", basis.hours.unwrap_or(1.0)),
        Resource::Offers => ("dph_total", basis.hours.unwrap_or(1.0)),
        // The market quotes storage per GB and month.
        Resource::Volumes if basis.total || basis.per_gpu => return None,
        Resource::Volumes => ("storage_cost", basis.hours.unwrap_or(720.0) / 720.0),
        Resource::Workergroups => return None,
    };
    let text = amount.on(field, Operator::Lte, 1.0 / hours, "");
    Some((Fact::conditions(text), next))
}

/// The hours of a period at a position: `per day`, `/ month`, `weekly`.
pub(super) fn period(cursor: Cursor<'_>, at: usize) -> Option<(f64, usize)> {
    let (basis, next) = basis(cursor, at);
    basis.hours.map(|hours| (hours, next))
}

/// What the words behind a price say it is for.
fn basis(cursor: Cursor<'_>, mut at: usize) -> (Basis, usize) {
    let mut basis = Basis::default();
    loop {
        let totals = TOTALS.iter().map(|words| (*words, ()));
        if let Some(((), next)) = cursor.longest(at, totals) {
            basis.total = true;
            at = next;
            continue;
        }
        let is_joint = cursor.kind(at) == Some(Kind::Slash)
            || cursor.is_one_of(at, &["per", "a", "an", "each", "every"]);
        let from = at + usize::from(is_joint);
        // The second is for `$2/gpu-hour`.
        let bare = cursor.is_one_of(from, &["hourly", "daily", "weekly", "monthly"])
            || (basis.per_gpu && cursor.is_one_of(from, &["hour", "h", "hr"]))
            || (basis.is_of_data() && cursor.is_one_of(from, &["month", "mo"]));
        let period = cursor.longest(from, PERIODS.iter().copied());
        if let Some((hours, next)) = period.filter(|_| is_joint || bare) {
            basis.hours = Some(hours);
            at = next;
        } else if is_joint && cursor.is_one_of(from, &["gpu", "gpus", "card", "cards"]) {
            basis.per_gpu = true;
            at = from + 1;
        } else if is_joint && cursor.is_one_of(from, &["gb", "gigabyte", "gig"]) {
            basis.per_gb = true;
            at = from + 1;
        } else if is_joint && cursor.is_one_of(from, &["tb", "terabyte"]) {
            basis.per_tb = true;
            at = from + 1;
        } else if cursor.is(at, "each") {
            basis.per_gpu = true;
            at += 1;
        } else {
            return (basis, at);
        }
    }
}

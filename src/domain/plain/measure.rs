//! Rules for amounts: counts, sizes, speeds, times, shares.

use super::amount::{Amount, Unit, amount};
use super::choice::model;
use super::cursor::Cursor;
use super::gpus;
use super::grammar::{Fact, Read};
use super::nouns::{Noun, noun, noun_behind, noun_in_front};
use super::price;
use super::token::Kind;
use crate::domain::catalog::Resource;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;

/// How many GPUs: `2x`, `x2`, or a number, a bounded one or a range in front of a model.
pub(super) fn counted(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let (bound, from) = cursor.bound(at);
    let from = if bound.is_none() {
        cursor.skip(at, &["a"])
    } else {
        from
    };
    let (count, next) = if cursor.kind(from) == Some(Kind::Times) {
        let (low, next) = cursor.number(from + 1)?;
        let count = Amount {
            bound,
            low,
            high: None,
            unit: Unit::None,
            next,
        };
        (count, next)
    } else {
        let count = amount(cursor, from).filter(|count| count.unit == Unit::None)?;
        let bound = bound.or(count.bound);
        let (count, next) = Amount { bound, ..count }.bounded_at(cursor, count.next);
        let next = cursor.skip(next, &["of"]);
        if cursor.kind(next) == Some(Kind::Times) {
            (count, next + 1)
        } else {
            let is_model = |at| resource == Resource::Offers && model(cursor, at).is_some();
            let after = cursor.skip(next, &["nvidia", "amd"]);
            let is_few = count.low <= 64.0 && count.high.is_none_or(|high| high <= 64.0);
            (is_few && is_model(after)).then_some((count, next))?
        }
    };
    let is_whole = |count: f64| count.fract() == 0.0 && count >= 1.0;
    if !is_whole(count.low) || !count.high.is_none_or(is_whole) {
        return None;
    }
    let facts = Fact::conditions(count.on("num_gpus", Operator::Eq, 1.0, ""));
    // The next token may be the model, as in `2x4090`.
    match phrase_behind_times(cursor, next, resource) {
        Some((more, end)) => Some(([facts, more].concat(), end)),
        None => Some((facts, next)),
    }
}

/// Two counts to choose from: `4 or 8 h100`, `one or two cards`, `4x or 8x 4090`.
pub(super) fn either(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    const MOST: f64 = 64.0;
    let times = |at| at + usize::from(cursor.kind(at) == Some(Kind::Times));
    let count = |at| {
        let (count, next) = cursor.number(at)?;
        let is_count = count.fract() == 0.0 && (1.0..=MOST).contains(&count);
        is_count.then(|| (trimmed(count, 0), times(next)))
    };
    let (first, next) = count(at)?;
    if !cursor.is(next, "or") {
        return None;
    }
    let (second, next) = count(next + 1)?;
    let is_counted = cursor.kind(next - 1) == Some(Kind::Times);
    let gpus = noun(cursor, next).filter(|(noun, _)| *noun == Noun::Gpus);
    if gpus.is_none() && !is_counted && model(cursor, next).is_none() {
        return None;
    }
    let next = gpus.map_or(next, |(_, behind)| behind);
    let facts = Fact::conditions(format!("num_gpus in [{first},{second}]"));
    (resource == Resource::Offers).then_some((facts, next))
}

/// What the `x` of a count is glued to: a model or a size of memory.
fn phrase_behind_times(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    if cursor.kind(at.checked_sub(1)?) != Some(Kind::Times) {
        return None;
    }
    if let Some((names, next)) = model(cursor, at).filter(|_| resource == Resource::Offers) {
        let is_excluded = false;
        return Some((vec![Fact::Models { names, is_excluded }], next));
    }
    let size = amount(cursor, at).filter(|amount| amount.unit == Unit::Gigabytes)?;
    let next = match noun_behind(cursor, size.next) {
        Some((Noun::Gpus | Noun::Vram, next)) => next,
        _ => size.next,
    };
    Some((vec![Fact::Vram(size)], next))
}

/// An amount and the noun behind it.
pub(super) fn amounted(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let from = cursor.skip(at, &["for"]);
    let found = amount(cursor, from)?;
    // `5090 day rental` is a card, `for 5090 hours` is a time, and so is `5090h`.
    let is_model = from == at && model(cursor, at).is_some();
    let is_glued = cursor.tokens.get(at + 1).is_some_and(|unit| unit.glued);
    if found.unit == Unit::Hours && is_model && !is_glued {
        return None;
    }
    let (found, next) = found.bounded_at(cursor, found.next);
    // `3090 gpu` is a card, and so is `4090 reliability 99%`.
    let is_card = is_model && found.unit == Unit::None;
    let is_counted = |noun| {
        matches!(
            noun,
            Noun::Gpus | Noun::Cores | Noun::Ports | Noun::Reliability
        )
    };
    let noun = noun_behind(cursor, next).filter(|(noun, _)| !(is_card && is_counted(*noun)));
    // `under 2 gpus` is a count, `under 0.5 gpu` is not.
    let is_count = found.unit == Unit::None
        && found.low.fract() == 0.0
        && matches!(noun, Some((Noun::Gpus | Noun::Cores | Noun::Ports, _)));
    if !is_count && let Some(read) = price::read(cursor, &found, next, resource) {
        return Some(read);
    }
    if let Some((noun, behind)) = noun {
        let is_of_gpu =
            noun == Noun::Ram && cursor.is(behind - 1, "memory") && is_of_gpu(cursor, at);
        let noun = if is_of_gpu { Noun::Vram } else { noun };
        // `1 gig up` is a speed.
        let spelling = cursor.tokens.get(found.next - 1);
        let is_speed = spelling.is_some_and(|unit| matches!(&*unit.text, "gig" | "g"))
            && matches!(noun, Noun::Up | Noun::Down | Noun::BothWays)
            && found.low <= 40.0;
        let found = if is_speed {
            Amount {
                unit: Unit::MegabitsPerSecond,
                low: found.low * 1e3,
                high: found.high.map(|high| high * 1e3),
                ..found
            }
        } else {
            found
        };
        let (found, behind) = found.bounded_at(cursor, behind);
        if let Some(facts) = facts(&found, Some(noun), resource) {
            return Some((facts, behind));
        }
    }
    // `99.9 verified`
    let is_score = found.bound.is_none() && found.high.is_none() && found.low.fract() != 0.0;
    if found.unit == Unit::None && is_score && (90.0..100.0).contains(&found.low) {
        let condition = found.on("rel", Operator::Gte, 0.01, "");
        return Some((Fact::conditions(condition), next));
    }
    facts(&found, None, resource).map(|facts| (facts, next))
}

/// The memory of the model in front of it: `a100 80`, `v100/32`.
pub(super) fn bare_size(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    const LEAST: f64 = 20.0; // smaller numbers may be counts
    const LONGEST: usize = 6;
    let size = amount(cursor, at).filter(|size| size.unit == Unit::None && size.bound.is_none())?;
    let end = at - usize::from(cursor.kind(at.checked_sub(1)?) == Some(Kind::Slash));
    let starts = end.saturating_sub(LONGEST)..end;
    let mut names =
        starts.filter_map(|start| model(cursor, start).filter(|(_, next)| *next == end));
    let (names, _) = names.next()?;
    let is_size = size.low >= LEAST && size.high.is_none() && gpus::have_size(&names, size.low);
    (is_size && resource == Resource::Offers).then(|| (vec![Fact::Vram(size)], size.next))
}

/// Whether the amount is part of a GPU: `gpu with at least 96gb memory`.
fn is_of_gpu(cursor: Cursor<'_>, at: usize) -> bool {
    let Some(with) = at.checked_sub(2) else {
        return false;
    };
    cursor.is_one_of(with, &["gpu", "gpus", "card", "cards"])
        && cursor.is_one_of(with + 1, &["with", "having", "has", "of"])
}

/// An amount and the noun in front of it.
pub(super) fn named_amount(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    // `min vram 24gb`
    let (bound, from) = cursor.bound(at);
    let (noun, from) = noun_in_front(cursor, from)?;
    let found = amount(cursor, from)?;
    let found = Amount {
        bound: found.bound.or(bound),
        ..found
    };
    // `nvme 3090` is a card.
    let is_bare = found.unit == Unit::None && found.bound.is_none();
    if is_bare && resource == Resource::Offers && model(cursor, from).is_some() {
        return None;
    }
    let (found, next) = found.bounded_at(cursor, found.next);
    // `gpu 24gb vram`
    let behind = noun_behind(cursor, next).map(|(noun, _)| noun);
    if noun == Noun::Gpus && matches!(behind, Some(Noun::Vram | Noun::TotalVram | Noun::Ram)) {
        return None;
    }
    if matches!(noun, Noun::Price | Noun::Budget) {
        return price::named(cursor, noun, &found, next, resource);
    }
    let is_size = matches!(noun, Noun::Vram | Noun::Ram | Noun::Disk | Noun::TotalVram);
    let unit = if is_size && found.unit == Unit::None {
        Unit::Gigabytes
    } else {
        found.unit
    };
    let found = Amount { unit, ..found };
    let is_own = found.unit != Unit::None
        || matches!(
            noun,
            Noun::Reliability | Noun::Cores | Noun::Ports | Noun::Gpus
        );
    // `upload 200 gb of results`, `downloading a 300gb dataset`
    let again = noun_behind(cursor, next);
    let is_data = matches!(noun, Noun::Down | Noun::Up);
    let next = again
        .filter(|(what, _)| is_data && *what == noun)
        .map_or(next, |(_, behind)| behind);
    facts(&found, Some(noun), resource)
        .filter(|_| is_own)
        .map(|facts| (facts, next))
}

/// What an amount of something says.
fn facts(amount: &Amount, noun: Option<Noun>, resource: Resource) -> Option<Vec<Fact>> {
    match amount.unit {
        Unit::Gigabytes => size(amount, noun, resource),
        Unit::MegabitsPerSecond => network(amount, noun),
        Unit::MegabytesPerSecond => throughput(amount, noun),
        Unit::Percent => {
            let is_reliability = matches!(noun, None | Some(Noun::Reliability));
            let condition = amount.on("rel", Operator::Gte, 0.01, "");
            is_reliability.then(|| Fact::conditions(condition))
        }
        Unit::Hours => time(amount, noun, resource),
        Unit::Gigahertz => {
            let is_clock = matches!(noun, None | Some(Noun::Cores));
            is_clock.then(|| Fact::conditions(amount.on("cpu_ghz", Operator::Gte, 1.0, "")))
        }
        Unit::None => plain_number(amount, noun?),
        Unit::Dollars | Unit::Own => None,
    }
}

fn size(amount: &Amount, noun: Option<Noun>, resource: Resource) -> Option<Vec<Fact>> {
    let on = |field| Some(Fact::conditions(amount.on(field, Operator::Gte, 1.0, "")));
    let is_volume = resource == Resource::Volumes;
    match noun {
        None if !is_volume => Some(vec![Fact::Size(*amount)]),
        None | Some(Noun::Disk) if is_volume => on("disk_space"),
        Some(Noun::Gpus | Noun::Vram) => Some(vec![Fact::Vram(*amount)]),
        Some(Noun::TotalVram) => Some(vec![Fact::TotalVram(*amount)]),
        Some(Noun::Ram) => on("cpu_ram"),
        Some(Noun::Disk) => Some(disk(amount)),
        Some(Noun::Down) if !is_volume => Some(vec![Fact::Down(amount.low)]),
        Some(Noun::Up) if !is_volume => Some(vec![Fact::Up(amount.low)]),
        // `10g network` is a speed.
        Some(Noun::Network) => {
            let speed = Amount {
                unit: Unit::MegabitsPerSecond,
                ..*amount
            };
            Some(Fact::conditions(speed.on(
                "inet_down",
                Operator::Gte,
                1.0,
                "Gbps",
            )))
        }
        _ => None,
    }
}

/// A disk is a condition, and the storage that prices include.
pub(super) fn disk(amount: &Amount) -> Vec<Fact> {
    let mut facts = Fact::conditions(amount.on("disk_space", Operator::Gte, 1.0, ""));
    if !matches!(amount.bound, Some(Operator::Lt | Operator::Lte)) {
        facts.push(Fact::Disk(amount.low));
    }
    facts
}

fn network(amount: &Amount, noun: Option<Noun>) -> Option<Vec<Fact>> {
    let on = |field| amount.on(field, Operator::Gte, 1.0, "Mbps");
    match noun {
        None | Some(Noun::Down | Noun::Network) => Some(Fact::conditions(on("inet_down"))),
        Some(Noun::Up) => Some(Fact::conditions(on("inet_up"))),
        Some(Noun::BothWays) => Some(Fact::conditions(format!(
            "{} {}",
            on("inet_down"),
            on("inet_up")
        ))),
        _ => None,
    }
}

fn throughput(amount: &Amount, noun: Option<Noun>) -> Option<Vec<Fact>> {
    let on = |field| {
        Some(Fact::conditions(amount.on(
            field,
            Operator::Gte,
            1.0,
            "MB/s",
        )))
    };
    match noun {
        None | Some(Noun::Disk) => on("disk_bw"),
        Some(Noun::Down | Noun::Network) => on("inet_down"),
        Some(Noun::Up) => on("inet_up"),
        Some(Noun::GpuMemory | Noun::Vram) => on("gpu_mem_bw"),
        Some(Noun::Nvlink) => on("bw_nvlink"),
        _ => None,
    }
}

/// A time that the job runs, or that the offer is still available.
fn time(amount: &Amount, noun: Option<Noun>, resource: Resource) -> Option<Vec<Fact>> {
    let left = || Fact::conditions(amount.on("duration", Operator::Gte, 1.0 / 24.0, ""));
    match noun {
        Some(Noun::TimeLeft | Noun::Reliability) => Some(left()),
        None if resource == Resource::Volumes => Some(left()),
        None if amount.high.is_none() => Some(vec![Fact::Hours(amount.low)]),
        _ => None,
    }
}

fn plain_number(amount: &Amount, noun: Noun) -> Option<Vec<Fact>> {
    let field = match noun {
        Noun::Gpus => "num_gpus",
        Noun::Cores => "cpu_cores_effective",
        Noun::Ports => "direct_port_count",
        Noun::Reliability => {
            let factor = if amount.low > 1.0 { 0.01 } else { 1.0 };
            return Some(Fact::conditions(amount.on(
                "rel",
                Operator::Gte,
                factor,
                "",
            )));
        }
        _ => return None,
    };
    let default = if noun == Noun::Gpus {
        Operator::Eq
    } else {
        Operator::Gte
    };
    Some(Fact::conditions(amount.on(field, default, 1.0, "")))
}

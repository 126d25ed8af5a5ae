//! The rules: each reads a phrase at a position of the tokens.

use super::amount::{Amount, Unit, amount};
use super::cursor::Cursor;
use super::gpus;
use super::nouns::{Noun, noun_behind, noun_in_front};
use super::phrases::{NEGATIONS, NUMBERED, PRIVACY, PURPOSES, fixed};
use super::price;
use super::token::{Kind, Token};
use crate::domain::catalog::Resource;
use crate::domain::country;
use crate::domain::field::Operator;
use crate::domain::format::trimmed;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fact {
    /// Conditions in the query language.
    Conditions(String),
    /// The field has no condition.
    Free(&'static str),
    Models {
        names: Vec<&'static str>,
        is_excluded: bool,
    },
    /// Part of the names of the models that are meant.
    Form(&'static str),
    /// Codes of countries and names of groups.
    Places {
        names: Vec<&'static str>,
        is_excluded: bool,
    },
    /// A size in GB without a noun: memory or disk, which depends on the models.
    Size(Amount),
    /// Memory of each GPU, in GB.
    Vram(Amount),
    /// GB of disk, which prices include.
    Disk(f64),
    /// Hours that the job runs.
    Hours(f64),
    /// GB that the job downloads.
    Down(f64),
    /// GB that the job uploads.
    Up(f64),
    /// GB of traffic in each period of so many hours, down or up.
    Traffic {
        gb: f64,
        hours: f64,
        is_up: bool,
    },
    Type(&'static str),
    Order(&'static str),
    /// The European Union, if no place is named.
    Privacy,
    /// Words without a condition.
    Idle(String),
}

impl Fact {
    pub(super) fn conditions(text: impl Into<String>) -> Vec<Self> {
        vec![Self::Conditions(text.into())]
    }
}

/// What a phrase says, and the position behind it.
type Read = Option<(Vec<Fact>, usize)>;

/// The longest phrase at a position; of equally long ones that of the first rule.
pub(super) fn phrase(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let rules: [fn(Cursor<'_>, usize, Resource) -> Read; 9] = [
        fixed_words,
        numbered,
        chosen,
        counted,
        amounted,
        named_amount,
        rental,
        traffic,
        idle,
    ];
    let mut best: Read = None;
    for rule in rules {
        let found = rule(cursor, at, resource);
        let best_next = best.as_ref().map_or(at, |(_, next)| *next);
        if found
            .as_ref()
            .is_some_and(|(_, next)| *next > best_next && is_apart(cursor, at, *next))
        {
            best = found;
        }
    }
    best
}

/// Whether a phrase begins and ends at a blank or a separator: `4090d5` is no 4090.
fn is_apart(cursor: Cursor<'_>, at: usize, next: usize) -> bool {
    let separates = |kind| matches!(kind, Kind::Comma | Kind::Slash);
    let is_border = |at: usize| {
        let Some(token) = cursor.tokens.get(at) else {
            return true;
        };
        let before = at.checked_sub(1).and_then(|before| cursor.kind(before));
        !token.glued || separates(token.kind) || before.is_some_and(separates)
    };
    is_border(at) && is_border(next)
}

fn fixed_words(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let tables = fixed(resource).into_iter().flatten().copied();
    let (meaning, next) = cursor.longest(at, tables)?;
    let fact = match meaning.split_once(':') {
        Some(("type", word)) => Fact::Type(word),
        Some(("order", order)) => Fact::Order(order),
        Some(("free", field)) => Fact::Free(field),
        _ => Fact::Conditions(meaning.to_owned()),
    };
    Some((vec![fact], next))
}

/// `cuda 12.4`, `driver >= 550`, `pcie gen 4`.
fn numbered(cursor: Cursor<'_>, at: usize, _: Resource) -> Read {
    let table = NUMBERED
        .iter()
        .map(|(words, start, factor)| (*words, (*start, *factor)));
    let ((start, factor), next) = cursor.longest(at, table)?;
    let (bound, next) = cursor.bound(cursor.skip(next, &["version"]));
    let token = cursor.tokens.get(next)?;
    let value = match token.kind {
        Kind::Number(number) if (factor - 1.0).abs() > f64::EPSILON => trimmed(number * factor, 0),
        Kind::Number(_) => token.text.clone(),
        Kind::Word if token.text.starts_with(|c: char| c.is_ascii_digit()) => token.text.clone(),
        _ => return None,
    };
    let start = match bound {
        Some(bound) => {
            let field = start.trim_end_matches(['>', '=']);
            format!("{field}{}", bound.symbol())
        }
        None => start.to_owned(),
    };
    let mut next = next + 1;
    if cursor.kind(next) == Some(Kind::Plus) {
        next += 1;
    }
    if let Some(newer) = cursor.longest(next, [("or newer", ()), ("or higher", ())]) {
        next = newer.1;
    }
    Some((Fact::conditions(format!("{start}{value}")), next))
}

/// Models or places, or what is not wanted of them: `4090 or 5090`, `not in china`.
fn chosen(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let negations = NEGATIONS.iter().map(|words| (*words, ()));
    let (is_excluded, from) = match cursor.longest(at, negations) {
        Some(((), next)) => (
            true,
            cursor.skip(next, &["in", "from", "the", "any", "located"]),
        ),
        None => (false, at),
    };
    let models = |at| match resource {
        Resource::Offers => model(cursor, at),
        Resource::Volumes | Resource::Workergroups => None,
    };
    if resource == Resource::Offers
        && !is_excluded
        && let Some((form, next)) = cursor.longest(at, gpus::FORMS.iter().copied())
    {
        return Some((vec![Fact::Form(form)], next));
    }
    if let Some((names, next)) = listed(cursor, from, models) {
        let mut facts = vec![Fact::Models { names, is_excluded }];
        // `h100x8`
        let count = cursor
            .number(next + 1)
            .filter(|_| cursor.kind(next) == Some(Kind::Times));
        if let Some((count, next)) = count {
            let condition = format!("num_gpus={}", trimmed(count, 0));
            facts.extend(Fact::conditions(condition));
            return Some((facts, next));
        }
        return Some((facts, next));
    }
    let from = if is_excluded {
        from
    } else {
        cursor.skip(
            from,
            &[
                "in", "from", "within", "the", "located", "based", "anywhere",
            ],
        )
    };
    let (names, next) = listed(cursor, from, |at| place(cursor, at))?;
    Some((vec![Fact::Places { names, is_excluded }], next))
}

/// One or more of a kind: `a, b or c`.
fn listed(
    cursor: Cursor<'_>,
    at: usize,
    one: impl Fn(usize) -> Option<(Vec<&'static str>, usize)>,
) -> Option<(Vec<&'static str>, usize)> {
    let (mut names, mut next) = one(at)?;
    loop {
        let mut after = next;
        if matches!(cursor.kind(after), Some(Kind::Comma | Kind::Slash)) {
            after += 1;
        }
        let after = cursor.skip(after, &["or", "and", "nor"]);
        match one(after).filter(|_| after > next) {
            Some((more, end)) => {
                names.extend(more);
                next = end;
            }
            None => return Some((names, next)),
        }
    }
}

/// A GPU model, with or without its brand.
fn model(cursor: Cursor<'_>, at: usize) -> Option<(Vec<&'static str>, usize)> {
    let start = cursor.skip(at, &gpus::BRANDS);
    for start in [at, start] {
        for (run, next) in cursor.runs(start) {
            let spelling: String = run.iter().map(|token| token.text.as_str()).collect();
            let found = gpus::models(&spelling);
            if !found.is_empty() {
                // `4090s` are several; a 4080S is found as such.
                let is_plural = cursor.is(next, "s") && cursor.tokens[next].glued;
                return Some((found.to_vec(), next + usize::from(is_plural)));
            }
            let singular = spelling.strip_suffix('s').map_or(&[][..], gpus::models);
            if !singular.is_empty() {
                return Some((singular.to_vec(), next));
            }
        }
    }
    None
}

fn place(cursor: Cursor<'_>, at: usize) -> Option<(Vec<&'static str>, usize)> {
    let at = cursor.skip(at, &["the", "in"]);
    cursor.runs(at).find_map(|(run, next)| {
        let words: Vec<_> = run.iter().map(|token| token.text.as_str()).collect();
        let name = words.join(" ");
        let in_capitals = run.iter().all(|token: &Token| token.capitals);
        country::named(&name, in_capitals).map(|name| (vec![name], next))
    })
}

/// A rental by the period: `monthly`, `weekly rental`, but not `monthly price`.
fn rental(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let terms = [
        ("daily", 24.0),
        ("day rental", 24.0),
        ("weekly", 168.0),
        ("week rental", 168.0),
        ("monthly", 720.0),
        ("month rental", 720.0),
    ];
    let (hours, next) = cursor.longest(at, terms)?;
    let next = cursor.skip(next, &["rental", "rent", "lease", "term", "job"]);
    let is_price = matches!(noun_behind(cursor, next), Some((Noun::Price, _)))
        && !cursor.is_one_of(next, &["for", "at"]);
    let is_rental = resource == Resource::Offers && !is_price;
    is_rental.then(|| (vec![Fact::Hours(hours)], next))
}

/// Traffic by the period: `200gb traffic per day`.
fn traffic(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let size = amount(cursor, at).filter(|size| size.unit == Unit::Gigabytes)?;
    let (noun, next) = noun_behind(cursor, size.next)?;
    let is_up = match noun {
        Noun::Down | Noun::Network => false,
        Noun::Up => true,
        _ => return None,
    };
    let (hours, next) = price::period(cursor, next)?;
    let gb = size.low;
    (resource == Resource::Offers).then(|| (vec![Fact::Traffic { gb, hours, is_up }], next))
}

/// Words without a condition: `inference`, `70b`.
fn idle(cursor: Cursor<'_>, at: usize, _: Resource) -> Read {
    if let Some(next) = cursor.behind_any(at, PRIVACY) {
        return Some((vec![Fact::Privacy], next));
    }
    let parameters = cursor.number(at).map(|(_, next)| next);
    let is_glued = |next: &usize| cursor.is(*next, "b") && cursor.tokens[*next].glued;
    let parameters = parameters.filter(is_glued).map(|next| next + 1);
    let next = cursor.behind_any(at, PURPOSES).or(parameters)?;
    let words = cursor.tokens.get(at..next)?.iter();
    let text = words.fold(String::new(), |text, token| {
        let blank = if text.is_empty() || token.glued {
            ""
        } else {
            " "
        };
        text + blank + &token.text
    });
    Some((vec![Fact::Idle(text)], next))
}

/// How many GPUs: `2x`, `x2`, or a number, a bounded one or a range in front of a model.
fn counted(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
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
fn amounted(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let from = cursor.skip(at, &["for"]);
    let found = amount(cursor, from)?;
    // `5090 day rental` is a card, `for 5090 hours` is a time, and so is `5090h`.
    let is_model = from == at && model(cursor, at).is_some();
    let is_glued = cursor.tokens.get(at + 1).is_some_and(|unit| unit.glued);
    if found.unit == Unit::Hours && is_model && !is_glued {
        return None;
    }
    let (found, next) = found.bounded_at(cursor, found.next);
    let noun = noun_behind(cursor, next);
    // `under 2 gpus` is a count, `under 0.5 gpu` is not.
    let is_count = found.unit == Unit::None
        && found.low.fract() == 0.0
        && matches!(noun, Some((Noun::Gpus | Noun::Cores | Noun::Ports, _)));
    if !is_count && let Some(read) = price::read(cursor, &found, next, resource) {
        return Some(read);
    }
    if let Some((noun, behind)) = noun {
        let (found, behind) = found.bounded_at(cursor, behind);
        if let Some(facts) = facts(&found, Some(noun), resource) {
            return Some((facts, behind));
        }
    }
    facts(&found, None, resource).map(|facts| (facts, next))
}

/// An amount and the noun in front of it.
fn named_amount(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let (noun, from) = noun_in_front(cursor, at)?;
    let found = amount(cursor, from)?;
    let (found, next) = found.bounded_at(cursor, found.next);
    // `gpu 24gb vram`
    let behind = noun_behind(cursor, next).map(|(noun, _)| noun);
    if noun == Noun::Gpus && matches!(behind, Some(Noun::Vram | Noun::TotalVram | Noun::Ram)) {
        return None;
    }
    if matches!(noun, Noun::Price | Noun::Budget) {
        return price::named(cursor, noun, &found, next, resource);
    }
    let found = match (noun, found.unit) {
        (Noun::Vram | Noun::Ram | Noun::Disk | Noun::TotalVram, Unit::None) => Amount {
            unit: Unit::Gigabytes,
            ..found
        },
        _ => found,
    };
    let is_own = found.unit != Unit::None
        || matches!(
            noun,
            Noun::Reliability | Noun::Cores | Noun::Ports | Noun::Gpus
        );
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
        Unit::Dollars => None,
    }
}

fn size(amount: &Amount, noun: Option<Noun>, resource: Resource) -> Option<Vec<Fact>> {
    let on = |field| Some(Fact::conditions(amount.on(field, Operator::Gte, 1.0, "")));
    let is_volume = resource == Resource::Volumes;
    match noun {
        None if !is_volume => Some(vec![Fact::Size(*amount)]),
        None | Some(Noun::Disk) if is_volume => on("disk_space"),
        Some(Noun::Gpus | Noun::Vram) => Some(vec![Fact::Vram(*amount)]),
        Some(Noun::TotalVram) => on("gpu_total_ram"),
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

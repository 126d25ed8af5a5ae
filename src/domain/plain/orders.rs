//! Orders: `most vram`, `lowest temperature first`, `sort by upload speed descending`.

use super::cursor::Cursor;
use super::grammar::{Fact, Read};
use super::measures;
use super::nouns::{Noun, noun};
use crate::domain::catalog::Resource;

/// Which end of a field is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    High,
    Low,
    /// That which is better, as the field tells.
    Better,
}

#[rustfmt::skip] // a table reads as a table
const SUPERLATIVES: &[(&str, End)] = &[
    ("most", End::High), ("highest", End::High), ("largest", End::High), ("biggest", End::High),
    ("greatest", End::High), ("longest", End::High), ("maximum", End::High),
    ("max", End::High), ("widest", End::High), ("fastest", End::High), ("maximize", End::High), ("maximise", End::High), ("quickest", End::High),
    ("lowest", End::Low), ("least", End::Low), ("smallest", End::Low), ("fewest", End::Low),
    ("shortest", End::Low), ("cheapest", End::Low), ("coolest", End::Low), ("coldest", End::Low),
    ("minimum", End::Low), ("minimal", End::Low), ("minimize", End::Low), ("minimise", End::Low),
    ("best", End::Better), ("top", End::Better),
];

const SORTS: &[&str] = &[
    "sort by",
    "sorted by",
    "order by",
    "ordered by",
    "rank by",
    "ranked by",
    "sort on",
    "by",
    "sort",
    "order",
    "sorting by",
    "sort results by",
    "sort them by",
    "arrange by",
    "arranged by",
];

#[rustfmt::skip]
const DIRECTIONS: &[(&str, End)] = &[
    ("descending", End::High), ("desc", End::High), ("high to low", End::High),
    ("highest first", End::High), ("largest first", End::High), ("most first", End::High),
    ("biggest first", End::High), ("longest first", End::High), ("fastest first", End::High),
    ("from high to low", End::High),
    ("ascending", End::Low), ("asc", End::Low), ("low to high", End::Low), ("from low to high", End::Low),
    ("lowest first", End::Low), ("smallest first", End::Low), ("cheapest first", End::Low),
    ("coolest first", End::Low), ("shortest first", End::Low), ("least first", End::Low),
    ("best first", End::Better), ("first", End::Better),
];

/// Prices of other things than the machine, which a `cheapest` is of.
#[rustfmt::skip]
const PRICES: &[(&str, &str)] = &[
    ("storage", "storage_cost"), ("storage cost", "storage_cost"), ("storage costs", "storage_cost"),
    ("storage price", "storage_cost"), ("disk price", "storage_cost"), ("disk cost", "storage_cost"), ("disk space", "storage_cost"),
    ("disk", "storage_cost"), ("cost of storage", "storage_cost"), ("price of storage", "storage_cost"),
    ("download", "inet_down_cost"), ("download cost", "inet_down_cost"), ("download costs", "inet_down_cost"),
    ("download price", "inet_down_cost"), ("download traffic", "inet_down_cost"), ("downloads", "inet_down_cost"),
    ("traffic", "inet_down_cost"), ("traffic cost", "inet_down_cost"), ("traffic price", "inet_down_cost"),
    ("bandwidth", "inet_down_cost"), ("bandwidth cost", "inet_down_cost"), ("bandwidth price", "inet_down_cost"),
    ("network cost", "inet_down_cost"), ("internet cost", "inet_down_cost"), ("ingress", "inet_down_cost"), ("ingress cost", "inet_down_cost"),
    ("upload", "inet_up_cost"), ("upload cost", "inet_up_cost"), ("upload costs", "inet_up_cost"),
    ("upload price", "inet_up_cost"), ("upload traffic", "inet_up_cost"), ("uploads", "inet_up_cost"), ("egress", "inet_up_cost"),
    ("egress cost", "inet_up_cost"), ("egress price", "inet_up_cost"), ("egress costs", "inet_up_cost"), ("egress fees", "inet_up_cost"),
    ("bid", "min_bid"), ("bid price", "min_bid"), ("min bid", "min_bid"), ("minimum bid", "min_bid"), ("bid floor", "min_bid"),
    ("bids", "min_bid"),
    ("total", "dph_total"), ("total cost", "dph_total"), ("total price", "dph_total"),
    ("total bill", "dph_total"), ("overall", "dph_total"), ("overall cost", "dph_total"),
    ("overall price", "dph_total"), ("in total", "dph_total"), ("all in", "dph_total"),
    ("for the job", "dph_total"), ("job cost", "dph_total"), ("cost for the job", "dph_total"), ("total job cost", "dph_total"), ("bill", "dph_total"),
    ("hourly", "dph_total"), ("per hour", "dph_total"), ("hourly rate", "dph_total"), ("hourly price", "dph_total"),
    ("hourly cost", "dph_total"), ("dollars per hour", "dph_total"), ("$ / h", "dph_total"), ("$ / hr", "dph_total"), ("dph", "dph_total"),
    ("price per hour", "dph_total"), ("cost per hour", "dph_total"), ("overall for the job", "dph_total"), ("for the whole job", "dph_total"), ("altogether", "dph_total"),
];

pub(super) fn ordered(cursor: Cursor<'_>, at: usize, resource: Resource) -> Read {
    let (end, field, next) = superlative(cursor, at).or_else(|| sorted(cursor, at))?;
    let field = resource.catalog().column(field)?;
    let is_high = match end {
        End::High => true,
        End::Low => false,
        End::Better => field.better.unwrap_or(true),
    };
    let sign = if is_high { "-" } else { "" };
    let mut facts = vec![Fact::Order(format!("{}{sign}", field.key))];
    if field.key == "min_bid" {
        facts.push(Fact::Type("bid"));
    }
    Some((facts, next))
}

/// The end, the field and the position behind a superlative: `lowest temperature first`.
fn superlative(cursor: Cursor<'_>, at: usize) -> Option<(End, &'static str, usize)> {
    let from = cursor.skip(at, &["the"]);
    let (end, from) = cursor.longest(from, SUPERLATIVES.iter().copied())?;
    let word = &cursor.tokens.get(from - 1)?.text;
    let of = match &**word {
        "fastest" | "quickest" => Of::Speed,
        "cheapest" => Of::Price,
        "largest" | "biggest" | "smallest" => Of::Size,
        "best" | "top" => Of::Quality,
        _ => Of::Number,
    };
    let (field, next) = field(cursor, from, of)?;
    // `max price` begins a condition.
    if matches!(&**word, "max" | "maximum") && field == "dph_total" {
        return None;
    }
    let next = cursor.skip(next, &["first", "possible", "available"]);
    Some((end, field, next))
}

/// The end, the field and the position behind a sort: `sort by upload speed descending`.
fn sorted(cursor: Cursor<'_>, at: usize) -> Option<(End, &'static str, usize)> {
    let from = cursor.behind_any(at, SORTS)?;
    let (end, from) = cursor
        .longest(from, SUPERLATIVES.iter().copied())
        .map_or((None, from), |(end, next)| (Some(end), next));
    let (field, next) = field(cursor, from, Of::Number)?;
    let directions = DIRECTIONS.iter().copied();
    let comma = next
        + usize::from(
            cursor
                .tokens
                .get(next)
                .is_some_and(|token| token.text == ","),
        );
    match cursor.longest(comma, directions) {
        Some((own, next)) => Some((own, field, next)),
        None => Some((end.unwrap_or(End::Better), field, next)),
    }
}

/// What a superlative is of: it chooses between the fields of a noun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Number,
    Size,
    Speed,
    Price,
    Quality,
}

/// The field that a noun at a position names for an order, and the position behind it.
fn field(cursor: Cursor<'_>, at: usize, of: Of) -> Option<(&'static str, usize)> {
    let at = cursor.skip(at, &["the", "of"]);
    let is_priced = match of {
        Of::Price | Of::Number | Of::Quality => true,
        Of::Size | Of::Speed => false,
    };
    let price = cursor
        .longest(at, PRICES.iter().copied())
        .filter(|(field, _)| is_priced && (of == Of::Price || is_money(cursor, at, field)));
    if of == Of::Price {
        return price;
    }
    // `best for training` names no field.
    let is_noun = !cursor.is_one_of(at, &["for", "at", "each", "per", "out"]);
    let of_noun = noun(cursor, at).filter(|_| is_noun);
    let of_noun = of_noun.and_then(|(noun, next)| Some((of_field(noun, of)?, next)));
    let found = [measures::named(cursor, at), of_noun, price];
    found.into_iter().flatten().max_by_key(|(_, next)| *next)
}

/// Whether the words of [`PRICES`] are about money without a `cheapest`: `lowest upload` is a speed.
fn is_money(cursor: Cursor<'_>, at: usize, field: &str) -> bool {
    let words = ["cost", "costs", "price", "prices", "fees", "bid", "bids"];
    let is_said = |at: &usize| cursor.is_one_of(*at, &words);
    field == "dph_total" || (at..at + 3).any(|at| is_said(&at))
}

/// The field that rows are ordered by if they are by a noun.
const fn of_field(noun: Noun, of: Of) -> Option<&'static str> {
    Some(match (noun, of) {
        (_, Of::Price) => return None,
        (Noun::Disk, Of::Speed | Of::Quality) => "disk_bw",
        (Noun::Cores, Of::Speed) => "cpu_ghz",
        (Noun::Vram, Of::Speed) => "gpu_mem_bw",
        (Noun::Gpus, Of::Speed) => "dlperf",
        (Noun::Gpus, Of::Size) => "gpu_ram",
        (Noun::Gpus, Of::Quality) => return None,
        (
            Noun::Ram | Noun::TotalVram | Noun::Ports | Noun::TimeLeft | Noun::Reliability,
            Of::Speed,
        ) => return None,
        (Noun::Gpus, Of::Number) => "num_gpus",
        (Noun::Vram, _) => "gpu_ram",
        (Noun::TotalVram, _) => "gpu_total_ram",
        (Noun::Ram, _) => "cpu_ram",
        (Noun::Disk, _) => "disk_space",
        (Noun::Down | Noun::Network | Noun::BothWays, _) => "inet_down",
        (Noun::Up, _) => "inet_up",
        (Noun::GpuMemory, _) => "gpu_mem_bw",
        (Noun::Nvlink, _) => "bw_nvlink",
        (Noun::Reliability, _) => "reliability",
        (Noun::Cores, _) => "cpu_cores_effective",
        (Noun::Ports, _) => "direct_port_count",
        (Noun::Price | Noun::Budget, _) => "dph_total",
        (Noun::TimeLeft, _) => "duration",
    })
}

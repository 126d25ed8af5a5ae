//! Quantities with their attribute, and prices.

use super::grammar::{Clause, Fact, say};
use super::lists::{MOST_GPUS, count_of, is_bare};
use super::models;
use super::quantity::{Basis, Named, Quantity, Text, role};
use super::vocabulary::{ATTRIBUTES, Attribute, Dim, Role};
use crate::domain::field::Operator::{self, Eq, Gt, Gte, Lt, Lte};
use crate::domain::format::trimmed;

/// A quantity with its noun in front: `vram at least 24gb`, `monthly price under $300`, `cuda 12.4`.
pub(super) fn named(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let mut found = Vec::new();
    let (front, from) = text.comparison(at);
    let period = Some(text.basis(from)).filter(|(basis, _)| basis.hours.is_some());
    let (period, from) = period.unwrap_or((Basis::default(), from));
    let noun = role!(text, from, Role::Noun(_) => ()).filter(|_| !text.is_mark(from, '$'));
    let Some(((), behind)) = noun else {
        return found;
    };
    let (mut basis, joint) = text.basis(behind);
    basis.hours = basis.hours.or(period.hours);
    let mut start = text.behind_mark(joint, ':');
    if text.comparison(start).0.is_none() {
        start = text.skip(start, "of is are should be must version");
    }
    // `nvme 3090` is a card.
    let is_number = |own: &Quantity| !own.units.is_empty() || own.operator.is_some() || !text.is_model(start);
    let is_free = |own: &Quantity| front.is_none() || own.operator.is_none();
    let quantity = text.quantity(start).filter(|own| is_number(own) && is_free(own));
    let Some(mut quantity) = quantity else {
        return found;
    };
    quantity.operator = front.or(quantity.operator);
    let noun = text.noun(from, &quantity);
    let Some(noun) = noun.filter(|noun| noun.next == behind && noun.row.1 != Dim::Id) else {
        return found;
    };
    found.extend(priced(text, at, &quantity, Some(noun), basis));
    let is_vague = quantity.units.is_empty() && noun.row.0.starts_with('+');
    if is_vague || !basis.is_empty() {
        return found;
    }
    found.extend(attributed(text, &quantity, &noun, quantity.next));
    // `downloading a 300gb dataset`
    let again = text.noun(quantity.next, &quantity);
    let again = again.filter(|again| again.row.0 == noun.row.0);
    found.extend(again.and_then(|again| attributed(text, &quantity, &noun, again.next)));
    // `pcie 4.0 x16`
    let is_bus = text.is_mark(quantity.next, 'x') && noun.row.0 == "pci_gen";
    if let Some(lanes) = text.quantity(quantity.next + 1).filter(|_| is_bus)
        && let Some(mut clause) = attributed(text, &quantity, &noun, lanes.next)
    {
        let lanes = format!("gpu_lanes>={}", lanes.low);
        clause.facts.push(Fact::Condition(lanes));
        found.push(clause);
    }
    found
}

/// A quantity with its noun behind, or without: `at least 24gb vram`, `under $2/h per gpu`, `3d`.
pub(super) fn measured(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let mut found = Vec::new();
    let start = text.comparison(at).1;
    let Some(quantity) = text
        .quantity(at)
        .filter(|own| !own.units.is_empty() || !text.is_model(start))
    else {
        return found;
    };
    // `5090 day rental`
    let is_apart = text.tokens.get(start + 1).is_some_and(|unit| !unit.glued);
    let is_for = at.checked_sub(1).is_some_and(|at| text.is_one_of(at, "for"));
    if text.is_model(start) && is_apart && start == at && !is_for {
        return found;
    }
    found.extend(priced(text, at, &quantity, None, Basis::default()));
    let leans = start == at;
    let skipped = text.skip(quantity.next, "of the free usable is in");
    let nouns = [text.noun(quantity.next, &quantity), text.noun(skipped, &quantity)];
    for noun in nouns.into_iter().flatten() {
        if let Some(clause) = over_gpus(text, &noun, &quantity) {
            found.push(clause);
        }
        let Some(quantity) = text.bounded(quantity.clone(), noun.next) else {
            continue;
        };
        // `a gpu with 96gb memory`
        let is_gpu = noun.row.0 == "cpu_ram" && text.is_one_of(noun.next - 1, "memory") && is_of_gpu(text, at);
        let row = if is_gpu { attribute("gpu_ram") } else { noun.row };
        let noun = Named { row, ..noun };
        // `under 0.15 per gpu` is a price.
        let is_vague = quantity.units.is_empty() && matches!(noun.row.1, Dim::Size | Dim::Share);
        if let Some(mut clause) = attributed(text, &quantity, &noun, quantity.next) {
            clause.cost += if is_vague { 4 } else { 0 };
            found.push(Clause { leans, ..clause });
        }
        let (basis, next) = text.basis(quantity.next);
        if let (Some(hours), "+up" | "+down", None) = (basis.hours, noun.row.0, quantity.operator) {
            let (gb, is_up) = (quantity.low * noun.factor, noun.row.0 == "+up");
            found.push(say(next, vec![Fact::Traffic { gb, hours, is_up }]));
        }
    }
    found.extend(two_ended(text, &quantity));
    if let Some(clause) = unnamed(text, &quantity) {
        let (is_open, cost) = (true, 1);
        found.push(Clause {
            cost,
            is_open,
            leans,
            ..clause
        });
    }
    found
}

/// `at least 2 and at most 4 gpus`: the first end takes noun and unit of the second.
fn two_ended(text: &Text<'_>, low: &Quantity) -> Option<Clause> {
    let from = text.skip(low.next, "and but");
    let high = text.quantity(from).filter(|_| from > low.next)?;
    let is_lower = |end: Operator| matches!(end, Lt | Lte);
    let is_range = is_lower(low.operator?) != is_lower(high.operator?);
    let is_same = low.units.is_empty() || low.units == high.units;
    let noun = text.noun(high.next, &high).filter(|_| is_range && is_same)?;
    let (units, low) = (high.units.clone(), low.clone());
    let mut clause = attributed(text, &Quantity { units, ..low }, &noun, noun.next)?;
    let most = attributed(text, &high, &noun, noun.next)?;
    clause.facts.extend(most.facts);
    Some(clause)
}

/// `640gb vram over 8 gpus`: the memory of all, and their number.
fn over_gpus(text: &Text<'_>, noun: &Named, size: &Quantity) -> Option<Clause> {
    let from = text.skip(noun.next, "over across");
    let count = text.quantity(from).filter(|count| from > noun.next && is_bare(count))?;
    let gpus = text.noun(count.next, &count).filter(|gpus| gpus.row.0 == "num_gpus")?;
    let is_memory = matches!(noun.row.0, "gpu_ram" | "gpu_total_ram");
    let mut facts = as_sold(&size.times(noun.factor), "gpu_total_ram");
    facts.push(count_of(&[count.low]));
    is_memory.then(|| say(gpus.next, facts))
}

/// What a quantity of an attribute says.
fn attributed(text: &Text<'_>, quantity: &Quantity, noun: &Named, next: usize) -> Option<Clause> {
    let own = quantity.times(noun.factor);
    let is_exact = own.operator.is_none_or(|operator| operator == Eq) && own.high.is_none();
    let on =
        |field: &str, factor: f64, suffix: &str| Fact::Condition(compared(&own, field, noun.row.2, factor, suffix));
    let is_most = is_exact || own.operator == Some(Lte);
    let facts = match noun.row.0 {
        "+hours" if is_exact => vec![Fact::Hours(own.low)],
        "+down" if is_most => vec![Fact::Down(own.low)],
        "+up" if is_most => vec![Fact::Up(own.low)],
        "+hours" | "+down" | "+up" => return None,
        "+both" => vec![on("inet_down", 1.0, "Mbps"), on("inet_up", 1.0, "Mbps")],
        field @ ("gpu_ram" | "gpu_total_ram") => as_sold(&own, field),
        "disk_space" if text.is_offers() => disk(&own),
        // `reliability over 98`, `8.9`, `sm 89`
        "rel" if quantity.units.is_empty() && own.low > 1.0 => vec![on("rel", 0.01, "")],
        "compute_cap" if own.low < 20.0 => vec![on("compute_cap", 100.0, "")],
        "compute_cap" if own.low < 200.0 => vec![on("compute_cap", 10.0, "")],
        field @ ("driver_version" | "os_version") => {
            let operator = own.operator.unwrap_or(noun.row.2).symbol();
            vec![Fact::Condition(format!("{field}{operator}{}", own.text))]
        }
        "num_gpus" if own.low > MOST_GPUS => return None,
        "num_gpus" if is_exact => vec![count_of(&[own.low])],
        field => vec![match noun.row.1 {
            // Days, as the query language has them.
            Dim::Time => on(field, 1.0 / 24.0, ""),
            Dim::Bits => on(field, 1.0, "Mbps"),
            Dim::Bytes if !quantity.units.is_empty() => on(field, 1.0, "MB/s"),
            Dim::Dollars => return None,
            _ => on(field, 1.0, ""),
        }],
    };
    let cost = u32::from(noun.row.0 == "total_flops" && quantity.units.is_empty());
    Some(Clause {
        cost,
        ..say(next, facts)
    })
}

/// The condition of a quantity on a field.
pub(super) fn compared(quantity: &Quantity, field: &str, default: Operator, factor: f64, suffix: &str) -> String {
    let written = |value: f64| trimmed(value * factor, 6) + suffix;
    let low = written(quantity.low);
    match quantity.high {
        Some(high) => format!("{field}>={low} {field}<={}", written(high)),
        None => format!("{field}{}{low}", quantity.operator.unwrap_or(default).symbol()),
    }
}

/// The condition on memory. A size as sold includes the cards that report a little less or more.
pub(super) fn as_sold(size: &Quantity, field: &str) -> Vec<Fact> {
    let cards = if field == "gpu_ram" { 1 } else { 16 };
    let reported = |gb| models::reported(gb, cards);
    let (least, most) = reported(size.low);
    let text = match (size.operator, size.high) {
        (_, Some(high)) => format!("{field}>={least} {field}<={}", reported(high).1),
        (Some(Eq), _) => format!("{field}>={least} {field}<={most}"),
        (Some(operator @ (Gt | Lte)), _) => format!("{field}{}{most}", operator.symbol()),
        (operator, _) => format!("{field}{}{least}", operator.unwrap_or(Gte).symbol()),
    };
    let sizes = [Some(size.low), size.high].into_iter().flatten();
    let sold: Vec<_> = sizes
        .filter(|gb| reported(*gb) != (*gb, *gb))
        .map(|gb| trimmed(gb, 3))
        .collect();
    let note = (!sold.is_empty()).then(|| Fact::Note(format!("{} GB as sold", sold.join(" and "))));
    [Fact::Condition(text)].into_iter().chain(note).collect()
}

/// A disk is a condition, and the storage that prices include.
pub(super) fn disk(size: &Quantity) -> Vec<Fact> {
    let condition = Fact::Condition(compared(size, "disk_space", Gte, 1.0, ""));
    let storage = Some(size.low).filter(|_| !matches!(size.operator, Some(Lt | Lte)));
    [condition].into_iter().chain(storage.map(Fact::Storage)).collect()
}

/// What a quantity without a noun says, as far as its unit tells.
fn unnamed(text: &Text<'_>, quantity: &Quantity) -> Option<Clause> {
    const LONGEST_IN_WEEKS: f64 = 52.0;
    let is_watts = quantity.units.contains(&(Dim::Watts, 1.0)) && quantity.low > LONGEST_IN_WEEKS;
    let (dim, factor) = if is_watts {
        (Dim::Watts, 1.0)
    } else {
        *quantity.units.first()?
    };
    let field = match dim {
        Dim::Size if text.is_offers() => {
            return Some(say(quantity.next, vec![Fact::Size(quantity.times(factor))]));
        }
        Dim::Size => "disk_space",
        Dim::Share => "rel",
        Dim::Bits => "inet_down",
        Dim::Bytes => "disk_bw",
        Dim::Gigahertz => "cpu_ghz",
        Dim::Watts => "gpu_max_power",
        Dim::Celsius => "gpu_max_temp",
        Dim::Teraflops => "total_flops",
        // A job has one length; at least that long is how long a machine is to be available.
        Dim::Time if quantity.operator == Some(Gte) || !text.is_offers() => "duration",
        Dim::Time => "+hours",
        Dim::Count | Dim::Plain | Dim::Id | Dim::Dollars => return None,
    };
    let (row, next) = (attribute(field), quantity.next);
    attributed(text, quantity, &Named { row, factor, next }, next)
}

/// The row of a field that the table has.
fn attribute(field: &str) -> &'static Attribute {
    ATTRIBUTES.iter().find(|row| row.0 == field).unwrap_or(&ATTRIBUTES[0])
}

/// Whether a quantity is of a GPU: it is behind `gpu with`.
fn is_of_gpu(text: &Text<'_>, at: usize) -> bool {
    let with = at.checked_sub(2).filter(|gpu| text.is_one_of(gpu + 1, "with has"));
    with.is_some_and(|gpu| text.is_one_of(gpu, "gpu"))
}

/// The clause of a price, with the noun in front of it if there is one.
fn priced(text: &Text<'_>, at: usize, price: &Quantity, noun: Option<Named>, front: Basis) -> Option<Clause> {
    let unit = price.units.iter().find(|(dim, _)| *dim == Dim::Dollars);
    let (mut basis, mut next) = text.basis(price.next);
    basis.hours = basis.hours.or(front.hours);
    basis.per_gpu |= front.per_gpu;
    let (is_bare, mut cost) = (price.units.is_empty(), 0);
    let is_upper = matches!(price.operator, Some(Lt | Lte));
    let is_told = noun.is_some_and(|noun| noun.row.1 == Dim::Dollars);
    if !is_bare && unit.is_none()
        || noun.is_some() && !is_told
        || is_bare && !is_told && basis.hours.is_none() && !is_upper
    {
        return None;
    }
    if is_bare && !is_told {
        // `at most 4 gpus` is a count.
        let other = text.noun(next, price).map(|noun| noun.row.1);
        let is_other = !matches!(other, None | Some(Dim::Dollars | Dim::Share | Dim::Size));
        if is_other || text.comparison(next).0.is_some() {
            return None;
        }
        cost = 3;
    }
    let is_data = basis.per_gb || basis.per_tb;
    let dollars = Quantity {
        units: vec![(Dim::Dollars, 1.0)],
        ..price.clone()
    };
    let traded = |noun: &Named| ["storage_cost", "inet_down_cost", "inet_up_cost"].contains(&noun.row.0);
    let skipped = text.skip(next, "of for on");
    let behind = [skipped, next].into_iter().find_map(|at| text.noun(at, &dollars));
    let behind = behind.filter(|own| noun.is_none() && traded(own) == is_data && own.row.0 != "dph_per_vram_gb");
    next = behind.map_or(next, |noun| noun.next);
    let noun = noun.or(behind);
    let price = text.bounded(price.clone(), next)?;
    let factor = unit.map_or(1.0, |(_, factor)| *factor);
    let price = Quantity {
        units: Vec::new(),
        ..price.times(factor)
    };
    let is_volumes = !text.is_offers();
    let on = |field: &str, factor: f64| vec![Fact::Condition(compared(&price, field, Lte, factor, ""))];
    let field = noun.map_or("dph_total", |noun| noun.row.0);
    let per_tb = if basis.per_tb { 1e-3 } else { 1.0 };
    let mut is_open = false;
    let is_storage = is_volumes && field == "dph_total";
    let field = if is_storage { "storage_cost" } else { field };
    let facts = match (field, basis.hours) {
        // What storage costs is quoted per GB and month.
        ("storage_cost", hours) if !basis.total && !basis.per_gpu => {
            let months = hours.unwrap_or(720.0) / 720.0;
            let has_price = is_data || is_volumes || noun.is_some_and(|noun| text.is_one_of(noun.next - 1, "price"));
            let is_monthly = is_volumes || hours.is_none_or(|own| own > 700.0);
            let factor = Some(per_tb / months).filter(|_| has_price && is_monthly)?;
            on("storage_cost", factor)
        }
        ("inet_down_cost", None) if basis.per_tb => on("internet_down_cost_per_tb", 1.0),
        ("inet_up_cost", None) if basis.per_tb => on("internet_up_cost_per_tb", 1.0),
        (field @ ("inet_down_cost" | "inet_up_cost"), None) if basis.per_gb => on(field, 1.0),
        ("min_bid", None) => on("min_bid", 1.0),
        _ if is_data || is_volumes => return None,
        ("dph_per_gpu", hours) => on("dph_per_gpu", 1.0 / hours.unwrap_or(1.0)),
        ("dph_total" | "job_cost", hours) if basis.per_gpu => on("dph_per_gpu", 1.0 / hours.unwrap_or(1.0)),
        ("dph_total" | "job_cost", Some(hours)) => on("dph_total", 1.0 / hours),
        ("job_cost", None) => on("job_cost", 1.0),
        ("dph_total", None) if basis.total => on("job_cost", 1.0),
        ("dph_total", None) => {
            is_open = true;
            let time = text.quantity(text.skip(price.next, "for over in the"));
            let is_time = time.is_some_and(|time| time.units.iter().any(|(dim, _)| *dim == Dim::Time));
            let is_tied = is_time || at.checked_sub(1).is_some_and(|before| text.is_one_of(before, "for"));
            vec![Fact::Price(price.clone(), is_tied)]
        }
        _ => return None,
    };
    let leans = price.operator.is_none() && noun.is_none();
    let clause = say(price.next, facts);
    Some(Clause {
        cost,
        is_open,
        leans,
        ..clause
    })
}

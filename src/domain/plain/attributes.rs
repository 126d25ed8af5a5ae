//! Quantities with their attribute, and prices.

use super::clauses::{MOST_GPUS, bare_count, count_of};
use super::grammar::{Clause, Fact, say, set};
use super::models;
use super::quantity::{Basis, Named, Quantity, Text, role};
use super::vocabulary::{ATTRIBUTES, Dim, GPU_MEMORY, Role};
use crate::domain::field::Operator::{self, Eq, Gt, Gte, Lt, Lte};
use crate::domain::format::trimmed;

/// A quantity with its noun in front: `vram at least 24gb`, `monthly price under $300`, `cuda 12.4`.
pub(super) fn named(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let clauses = || {
        let (front, from) = text.comparison(at);
        let period = Some(text.basis(from)).filter(|(basis, _)| basis.hours.is_some());
        let (period, from) = period.unwrap_or((Basis::default(), from));
        let ((), behind) = role!(text, from, Role::Noun(_) => ()).filter(|_| !text.is_mark(from, '$'))?;
        let (mut basis, joint) = text.basis(behind);
        basis.hours = basis.hours.or(period.hours);
        let mut start = text.behind_mark(joint, ':');
        if text.comparison(start).0.is_none() {
            start = text.skip(start, "of is are should be must version");
        }
        let mut quantity = text.quantity(start)?;
        // `nvme 3090` is a card.
        let is_card = quantity.units.is_empty() && quantity.operator.is_none() && text.is_model(start);
        if is_card || front.is_some() && quantity.operator.is_some() {
            return None;
        }
        quantity.operator = front.or(quantity.operator);
        let is_noun = |noun: &Named| noun.next == behind && noun.row.1 != Dim::Id;
        let noun = text.noun(from, &quantity).filter(is_noun)?;
        let price = priced(text, at, &quantity, Some(noun), basis);
        let is_vague = quantity.units.is_empty() && noun.row.0.starts_with('+');
        if is_vague || basis != Basis::default() {
            return Some(Vec::from_iter(price));
        }
        // `downloading a 300gb dataset`
        let again = text.noun(quantity.next, &quantity);
        let again = again.filter(|again| again.row.0 == noun.row.0);
        let ends = again.map(|again| again.next).into_iter().chain([quantity.next]);
        // `nvme speed 1gbps` is no speed of a network.
        let leans = text.is_one_of(from, "bandwidth");
        let clauses = ends.filter_map(|next| attributed(text, &quantity, &noun, next));
        let clauses = clauses.map(|clause| Clause { leans, ..clause });
        let mut clauses: Vec<_> = price.into_iter().chain(clauses).collect();
        // `pcie 4.0 x16`
        let is_bus = text.is_mark(quantity.next, 'x') && noun.row.0 == "pci_gen";
        if let Some(lanes) = text.quantity(quantity.next + 1).filter(|_| is_bus) {
            let mut clause = attributed(text, &quantity, &noun, lanes.next)?;
            clause.facts.push(Fact::Condition(format!("gpu_lanes>={}", lanes.low)));
            clauses.push(clause);
        }
        Some(clauses)
    };
    clauses().unwrap_or_default()
}

/// A quantity with its noun behind, or without: `at least 24gb vram`, `under $2/h per gpu`, `3d`.
pub(super) fn measured(text: &Text<'_>, at: usize) -> Vec<Clause> {
    let (start, before) = (text.comparison(at).1, |words| at > 0 && text.is_one_of(at - 1, words));
    let is_number = |quantity: &Quantity| !quantity.units.is_empty() || !text.is_model(start);
    let Some(quantity) = text.quantity(at).filter(is_number) else {
        return Vec::new();
    };
    // `5090 day rental`
    let is_apart = text.tokens.get(start + 1).is_some_and(|unit| !unit.glued);
    if text.is_model(start) && is_apart && start == at && !before("for") {
        return Vec::new();
    }
    let mut clauses = Vec::from_iter(priced(text, at, &quantity, None, Basis::default()));
    let leans = start == at;
    let skipped = text.skip(quantity.next, "of the free usable is in");
    let nouns = [text.noun(quantity.next, &quantity), text.noun(skipped, &quantity)];
    for mut noun in nouns.into_iter().flatten() {
        clauses.extend(over_gpus(text, &noun, &quantity));
        let Some(quantity) = text.bounded(quantity.clone(), noun.next) else {
            continue;
        };
        // `a gpu with 96gb memory`
        let is_memory = noun.row.0 == "cpu_ram" && text.is_one_of(noun.next - 1, "memory");
        if is_memory && before("with has") && at > 1 && text.is_one_of(at - 2, "gpu") {
            noun.row = GPU_MEMORY;
        }
        // `under 0.15 per gpu` is a price.
        let is_vague = quantity.units.is_empty() && matches!(noun.row.1, Dim::Size | Dim::Share);
        if let Some(mut clause) = attributed(text, &quantity, &noun, quantity.next) {
            clause.cost += if is_vague { 4 } else { 0 };
            clauses.push(Clause { leans, ..clause });
        }
    }
    clauses.extend(two_ended(text, &quantity));
    if let Some(clause) = unnamed(text, &quantity) {
        let (cost, is_open) = (1, true);
        clauses.push(Clause {
            cost,
            is_open,
            leans,
            ..clause
        });
    }
    clauses
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
    clause.facts.extend(attributed(text, &high, &noun, noun.next)?.facts);
    Some(clause)
}

/// `640gb vram over 8 gpus`: the memory of all, and their number.
fn over_gpus(text: &Text<'_>, noun: &Named, size: &Quantity) -> Option<Clause> {
    let from = text.skip(noun.next, "over across");
    let count = bare_count(text, from).filter(|_| from > noun.next)?;
    let gpus = text.noun(count.next, &count).filter(|gpus| gpus.row.0 == "num_gpus")?;
    let mut facts = as_sold(&size.clone().times(noun.factor), "gpu_total_ram");
    facts.push(count_of(&[count.low]));
    matches!(noun.row.0, "gpu_ram" | "gpu_total_ram").then(|| say(gpus.next, facts))
}

/// What a quantity of an attribute says.
fn attributed(text: &Text<'_>, quantity: &Quantity, noun: &Named, next: usize) -> Option<Clause> {
    let (measure, field) = (quantity.clone().times(noun.factor), noun.row.0);
    let (has_unit, low) = (!quantity.units.is_empty(), measure.low);
    let is_exact = measure.operator.is_none_or(|operator| operator == Eq) && measure.high.is_none();
    let on = |field: &str, factor: f64| Fact::Condition(compared(&measure, field, noun.row.2, factor));
    let is_most = is_exact || measure.operator == Some(Lte);
    // `50gb upload per day` is another amount.
    let is_all = is_most && !text.is_one_of(next, "per") && text.basis(next).0.hours.is_none();
    let facts = match field {
        "+hours" if is_exact => vec![set(|settings| settings.job.hours = Some(low))],
        "+down" if is_all => vec![set(|settings| settings.job.gb_in = Some(low))],
        "+up" if is_all => vec![set(|settings| settings.job.gb_out = Some(low))],
        "+hours" | "+down" | "+up" => return None,
        "+both" => vec![on("inet_down", 1.0), on("inet_up", 1.0)],
        "gpu_ram" | "gpu_total_ram" => as_sold(&measure, field),
        "disk_space" if text.is_offers() => disk(&measure),
        // `reliability over 98`, `8.9`, `sm 89`
        "rel" if !has_unit && low > 1.0 => vec![on(field, 0.01)],
        "compute_cap" if low < 20.0 => vec![on(field, 100.0)],
        "compute_cap" if low < 200.0 => vec![on(field, 10.0)],
        "gpu_mem_bw" | "bw_nvlink" | "pcie_bw" if has_unit => vec![on(field, 1e-3)],
        "driver_version" | "os_version" => {
            let operator = measure.operator.unwrap_or(noun.row.2).symbol();
            vec![Fact::Condition(format!("{field}{operator}{}", measure.text))]
        }
        "num_gpus" if low > MOST_GPUS => return None,
        "num_gpus" if is_exact => vec![count_of(&[low])],
        // Days, as the query language has them.
        _ if noun.row.1 == Dim::Time => vec![on(field, 1.0 / 24.0)],
        _ if noun.row.1 == Dim::Dollars => return None,
        _ => vec![on(field, 1.0)],
    };
    let mut clause = say(next, facts);
    clause.cost = u32::from(field == "total_flops" && !has_unit);
    Some(clause)
}

/// The condition of a quantity on a field.
pub(super) fn compared(quantity: &Quantity, field: &str, default: Operator, factor: f64) -> String {
    let written = |value: f64| trimmed(value * factor, 6);
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
    let sold = sizes.filter(|gb| reported(*gb) != (*gb, *gb));
    let sold: Vec<_> = sold.map(|gb| trimmed(gb, 3)).collect();
    let note = (!sold.is_empty()).then(|| Fact::Note(format!("{} GB as sold", sold.join(" and "))));
    [Fact::Condition(text)].into_iter().chain(note).collect()
}

/// A disk is a condition, and the storage that prices include.
pub(super) fn disk(size: &Quantity) -> Vec<Fact> {
    let storage = Some(size.low).filter(|_| !matches!(size.operator, Some(Lt | Lte)));
    let condition = Fact::Condition(compared(size, "disk_space", Gte, 1.0));
    vec![condition, set(|settings| settings.storage = storage)]
}

/// What a quantity without a noun says, as far as its unit tells.
fn unnamed(text: &Text<'_>, quantity: &Quantity) -> Option<Clause> {
    const LONGEST_IN_WEEKS: f64 = 52.0;
    let watts = quantity.units.iter().find(|unit| **unit == (Dim::Watts, 1.0));
    let watts = watts.filter(|_| quantity.low > LONGEST_IN_WEEKS);
    let (dim, factor) = *watts.or(quantity.units.first())?;
    let (next, times) = (quantity.next, quantity.clone().times(factor));
    let is_available = dim == Dim::Time && quantity.operator == Some(Gte);
    let mut rows = ATTRIBUTES.iter().filter(|row| text.has_field(row.0));
    let row = match dim {
        Dim::Size if text.is_offers() => return Some(say(next, vec![Fact::Size(times)])),
        Dim::Count | Dim::Plain | Dim::Id | Dim::Dollars => return None,
        // A job has one length; at least that long is how long a machine is to be available.
        _ => rows.find(|row| row.1 == dim && (!is_available || row.0 == "duration"))?,
    };
    attributed(text, quantity, &Named { row, factor, next }, next)
}

/// The clause of a price, with the noun in front of it if there is one.
fn priced(text: &Text<'_>, at: usize, price: &Quantity, noun: Option<Named>, front: Basis) -> Option<Clause> {
    let unit = price.units.iter().find(|(dim, _)| *dim == Dim::Dollars);
    let (mut basis, mut next) = text.basis(price.next);
    basis.hours = basis.hours.or(front.hours);
    basis.per_gpu |= front.per_gpu;
    let is_bare = price.units.is_empty();
    let is_told = noun.is_some_and(|noun| noun.row.1 == Dim::Dollars);
    if !is_bare && unit.is_none() || noun.is_some() && !is_told {
        return None;
    }
    if is_bare && !is_told {
        let is_price = basis.hours.is_some() || matches!(price.operator, Some(Lt | Lte));
        // `at most 4 gpus` is a count.
        let noun = text.noun(next, price).map(|noun| noun.row.1);
        let is_count = !matches!(noun, None | Some(Dim::Dollars | Dim::Share | Dim::Size));
        if !is_price || is_count || text.comparison(next).0.is_some() {
            return None;
        }
    }
    let is_data = basis.per_gb.is_some();
    let is_traded = |noun: &Named| matches!(noun.row.0, "storage_cost" | "inet_down_cost" | "inet_up_cost");
    let mut nouns = [text.skip(next, "of for on"), next].into_iter();
    let behind = nouns.find_map(|at| text.named(at, &[(Dim::Dollars, 1.0)]));
    let fits = |behind: &Named| is_traded(behind) == is_data && behind.row.0 != "dph_per_vram_gb";
    let behind = behind.filter(|behind| noun.is_none() && fits(behind));
    next = behind.map_or(next, |noun| noun.next);
    let noun = noun.or(behind);
    let price = text.bounded(price.clone(), next)?;
    let price = price.times(unit.map_or(1.0, |(_, factor)| *factor));
    let is_volumes = !text.is_offers();
    let field = match noun.map_or("dph_total", |noun| noun.row.0) {
        "dph_total" if is_volumes => "storage_cost",
        field => field,
    };
    let hourly = 1.0 / basis.hours.unwrap_or(1.0);
    let (field, factor) = match field {
        // What storage costs is quoted per GB and month.
        "storage_cost" if !basis.total && !basis.per_gpu => {
            let is_price = is_data || is_volumes || noun.is_some_and(|noun| text.is_one_of(noun.next - 1, "price"));
            let hours = basis.hours.unwrap_or(720.0);
            let is_quoted = is_price && (is_volumes || hours > 700.0);
            is_quoted.then(|| (field, 720.0 / hours / basis.per_gb.unwrap_or(1.0)))?
        }
        "inet_down_cost" if basis.per_gb == Some(1e3) && basis.hours.is_none() => ("internet_down_cost_per_tb", 1.0),
        "inet_up_cost" if basis.per_gb == Some(1e3) && basis.hours.is_none() => ("internet_up_cost_per_tb", 1.0),
        "inet_down_cost" | "inet_up_cost" if is_data && basis.hours.is_none() => (field, 1.0),
        "min_bid" if basis.hours.is_none() => (field, 1.0),
        _ if is_data || is_volumes => return None,
        "dph_per_gpu" => (field, hourly),
        "dph_total" | "job_cost" if basis.per_gpu => ("dph_per_gpu", hourly),
        "dph_total" | "job_cost" if basis.hours.is_some() => ("dph_total", hourly),
        "dph_total" if !basis.total => ("", 1.0),
        "dph_total" | "job_cost" => ("job_cost", 1.0),
        _ => return None,
    };
    let time = text.quantity(text.skip(price.next, "for over in the"));
    let is_time = time.is_some_and(|time| time.units.iter().any(|(dim, _)| *dim == Dim::Time));
    let is_tied = is_time || at > 0 && text.is_one_of(at - 1, "for");
    let fact = match field {
        "" => Fact::Price(price.clone(), is_tied),
        field => Fact::Condition(compared(&price, field, Lte, factor)),
    };
    let mut clause = say(price.next, vec![fact]);
    clause.cost = if is_bare && !is_told { 3 } else { 0 };
    clause.is_open = field.is_empty();
    clause.leans = price.operator.is_none() && noun.is_none();
    Some(clause)
}

//! Other offers of an offer's machine and host, and the offer's share of its machine.

use crate::cost::{Prices, gpu_numbers};
use crate::listing::Listing;

/// The rows on the machine of `row`, including `row`; empty if the record does not report the machine.
pub fn same_machine(listing: &Listing, row: usize) -> Vec<u32> {
    rows_with_same(listing, row, "machine_id")
}

/// The rows of the host of `row`, including `row`; empty if the record does not report the host.
pub fn same_host(listing: &Listing, row: usize) -> Vec<u32> {
    rows_with_same(listing, row, "host_id")
}

/// The rows with the same id in the member `key` as `row`, including `row`; empty if its record does not
/// report one.
fn rows_with_same(listing: &Listing, row: usize, key: &str) -> Vec<u32> {
    let Some(field) = listing.catalog().by_key(key) else {
        return Vec::new();
    };
    let column = listing.column(field);
    let Some(wanted) = column.cell(row).whole() else {
        return Vec::new();
    };
    (0..u32::try_from(listing.len()).unwrap_or(u32::MAX))
        .filter(|candidate| column.cell(*candidate as usize).whole() == Some(wanted))
        .collect()
}

/// One slice of a machine, compared with its other slices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    pub row: u32,
    /// Its number of GPUs; `None` if the record does not report it.
    pub gpus: Option<f64>,
    /// Its price in $/h; `None` if it is unknown.
    pub price: Option<f64>,
    /// Its price in $/h per GPU.
    pub per_gpu: Option<f64>,
    /// $/h per additional GPU over the cheapest slice of the next smaller size; `None` for the smallest size.
    pub marginal: Option<f64>,
    /// Whether it shares a GPU with the given offer, so that both cannot be rented at once; `None` if a record does not
    /// list its GPUs.
    pub overlaps: Option<bool>,
}

/// The slices of the machine of `row`, smallest first, then cheapest, with `gb` of storage or as quoted.
/// Empty if the record does not report the machine.
pub fn slices(prices: &Prices<'_>, row: usize, gb: Option<f64>) -> Vec<Slice> {
    let listing = prices.listing();
    let numbers = gpu_numbers(listing, row);
    let gpus = listing.catalog().by_key("num_gpus");
    let mut slices: Vec<Slice> = same_machine(listing, row)
        .into_iter()
        .map(|candidate| {
            let index = candidate as usize;
            let price = prices.hourly(index, gb).ok();
            let theirs = gpu_numbers(listing, index);
            let reported = !numbers.is_empty() && !theirs.is_empty();
            Slice {
                row: candidate,
                gpus: gpus
                    .and_then(|field| listing.cell(index, field).number())
                    .filter(|gpus| *gpus > 0.0),
                price,
                per_gpu: price.and_then(|price| prices.per_unit(index, price).gpu),
                marginal: None,
                overlaps: reported.then(|| theirs.iter().any(|gpu| numbers.contains(gpu))),
            }
        })
        .collect();
    slices.sort_by(|left, right| {
        let known = |value: Option<f64>| value.unwrap_or(f64::INFINITY);
        let by_gpus = known(left.gpus).total_cmp(&known(right.gpus));
        let by_price = known(left.price).total_cmp(&known(right.price));
        let ids = || listing.id(left.row as usize).cmp(&listing.id(right.row as usize));
        by_gpus.then(by_price).then_with(ids)
    });
    for index in 0..slices.len() {
        slices[index].marginal = marginal(&slices[..index], &slices[index]);
    }
    slices
}

/// $/h per additional GPU of `slice` over the cheapest of the next smaller size in `smaller`, which are
/// ordered by size and price. `None` if its size or price is unknown, or no smaller one has a price.
fn marginal(smaller: &[Slice], slice: &Slice) -> Option<f64> {
    let (gpus, price) = (slice.gpus?, slice.price?);
    let priced = || {
        smaller
            .iter()
            .filter_map(|contained| Some((contained.gpus?, contained.price?)))
            .filter(|(fewer, _)| *fewer < gpus)
    };
    let next = priced().map(|(fewer, _)| fewer).reduce(f64::max)?;
    // Slices of one size are sorted by price, so the first is the one to compare the next size with.
    let (_, cheapest) = priced().find(|(fewer, _)| *fewer >= next)?;
    Some((price - cheapest) / (gpus - next)).filter(|marginal| marginal.is_finite())
}

/// An offer's share of its machine's memory and processors.
///
/// A record has the offer's own memory, in step with its GPUs, but the processors of the whole machine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Share {
    /// Its share of the machine's GPUs, 0 to 1.
    pub of_machine: Option<f64>,
    /// Main memory in MB that belongs to the offer.
    pub ram: Option<f64>,
    /// Main memory in MB of the whole machine, computed from the offer's share.
    pub machine_ram: Option<f64>,
    /// Virtual processors that belong to the offer.
    pub cores: Option<f64>,
    /// Virtual processors of the whole machine.
    pub machine_cores: Option<f64>,
}

/// The share of its machine that an offer has, by `gpu_frac`, or by its share of the processors if that is
/// not reported; and the memory and processors of both. Numbers that are not reported, negative, or as a
/// share above 1 are `None`.
pub fn share(listing: &Listing, row: usize) -> Share {
    // Not from columns, which are read for all rows.
    let record = listing.full_record(row);
    let number = |key: &str| {
        let field = listing.catalog().by_key(key)?;
        record.cell(field).number().filter(|count| *count >= 0.0)
    };
    let machine_cores = number("cpu_cores");
    let effective = number("cpu_cores_effective");
    let of_machine = number("gpu_frac")
        .or_else(|| Some(effective? / machine_cores.filter(|cores| *cores > 0.0)?))
        .filter(|share| *share <= 1.0);
    let ram = number("cpu_ram");
    let whole = |part: Option<f64>| Some(part? / of_machine.filter(|share| *share > 0.0)?);
    let part = |whole: Option<f64>| Some(whole? * of_machine?);
    Share {
        of_machine,
        ram,
        machine_ram: whole(ram),
        cores: effective.or_else(|| part(machine_cores)),
        machine_cores,
    }
}

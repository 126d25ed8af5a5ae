//! Groups of rows with their prices: by model, by number of GPUs, by country, by host.

use std::collections::HashMap;

use super::count;
use super::supply::{Amount, Machine, Supply};
use crate::cost::{Basis, Prices, VolumePrices};
use crate::country;
use crate::field::{Field, Kind, Operator};
use crate::listing::Listing;
use crate::query::{Condition, Operand};
use crate::text::Untrusted;
use crate::value::{CellRef, Value, Version};

/// The value that the rows of a group share in one field.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupValue {
    /// The records have no usable value.
    Blank,
    Flag(bool),
    Number(f64),
    /// A text; for a location, its country code.
    Text(Untrusted),
}

impl GroupValue {
    /// The condition that selects this value of `field`: `=`, with null for a blank one.
    pub fn condition(&self, field: &'static Field) -> Condition {
        let value = match self {
            Self::Blank => Value::Null,
            Self::Flag(flag) => Value::Flag(*flag),
            Self::Number(number) => Value::Number(*number),
            Self::Text(text) if field.kind == Kind::Version => {
                let text = text.unescaped();
                Version::parse(text.trim()).map_or_else(|| Value::Text(text.into()), Value::Version)
            }
            Self::Text(text) => Value::Text(text.unescaped().to_owned()),
        };
        Condition::new(field, Operator::Eq, Operand::One(value))
    }
}

/// A [`GroupValue`] as a key that borrows its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part<'a> {
    Flag(bool),
    Bits(u64),
    Text(&'a str),
    Blank,
}

impl<'a> Part<'a> {
    /// The key of a cell of a field of this kind; a location is its country code. Secrets and cells without a
    /// usable value are blank.
    pub(super) fn new(kind: Kind, cell: CellRef<'a>) -> Self {
        match cell {
            _ if kind == Kind::Secret => Self::Blank,
            CellRef::Flag(flag) => Self::Flag(flag),
            // Adding zero converts -0 to 0, so that both are one key.
            CellRef::Number(number) => Self::Bits((number + 0.0).to_bits()),
            CellRef::Text(text) if kind == Kind::Country => match country::code(text) {
                "" => Self::Blank,
                code => Self::Text(code),
            },
            CellRef::Text(text) => Self::Text(text),
            CellRef::Missing | CellRef::Null | CellRef::Bad(_) => Self::Blank,
        }
    }

    /// The shared value of a group with this key.
    pub(super) fn value(self) -> GroupValue {
        match self {
            Self::Flag(flag) => GroupValue::Flag(flag),
            Self::Bits(bits) => GroupValue::Number(f64::from_bits(bits)),
            Self::Text(text) => GroupValue::Text(Untrusted::from(text)),
            Self::Blank => GroupValue::Blank,
        }
    }
}

/// The distribution of a set of values.
///
/// Quantiles between two values are interpolated linearly, so the median of an even number of values is the mean of the
/// middle two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The number of rows that have a value.
    pub known: usize,
    pub lowest: f64,
    /// A quarter of the values is at or below this.
    pub lower_quartile: f64,
    /// Half of the values is at or below this.
    pub median: f64,
    /// Three quarters of the values are at or below this.
    pub upper_quartile: f64,
    pub highest: f64,
}

impl Spread {
    /// The spread of the finite values; `None` if there are none.
    pub fn from_values(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            known: sorted.len(),
            lowest: quantile(&sorted, 0.0)?,
            lower_quartile: quantile(&sorted, 0.25)?,
            median: quantile(&sorted, 0.5)?,
            upper_quartile: quantile(&sorted, 0.75)?,
            highest: quantile(&sorted, 1.0)?,
        })
    }

    /// The spread of values with their numbers of units, sorted by value; each unit counts as one. `None` if
    /// there are none.
    fn weighted(sorted: &[(f64, u64)]) -> Option<Self> {
        let mut total = 0_u64;
        let ends: Vec<u64> = sorted
            .iter()
            .map(|(_, many)| {
                total += many;
                total
            })
            .collect();
        let known = usize::try_from(total).unwrap_or(usize::MAX);
        let at = |share: f64| {
            let last = known.checked_sub(1)?;
            let position = share * count(last);
            let below = super::whole(position, last);
            let part = position - count(below);
            // The value of the GPU with this index.
            let value = |index: usize| {
                let level = ends.partition_point(|end| *end <= index as u64);
                Some(sorted.get(level)?.0)
            };
            let low = value(below)?;
            match value(below + 1) {
                Some(high) if part > 0.0 => Some(low * (1.0 - part) + high * part),
                _ => Some(low),
            }
        };
        Some(Self {
            known,
            lowest: at(0.0)?,
            lower_quartile: at(0.25)?,
            median: at(0.5)?,
            upper_quartile: at(0.75)?,
            highest: at(1.0)?,
        })
    }
}

/// The value at `share` (0 to 1) of ascending values, interpolated linearly; `None` without values.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = share.clamp(0.0, 1.0) * count(last);
    let below = super::whole(position, last);
    let part = position - count(below);
    let low = sorted.get(below)?;
    match sorted.get(below + 1) {
        Some(high) if part > 0.0 => Some(low * (1.0 - part) + high * part),
        _ => Some(*low),
    }
}

/// The measures of a group: functions of a row, `None` if the record has no value.
pub struct Measures<'a> {
    pub price: Box<dyn Fn(usize) -> Option<f64> + 'a>,
    /// The price per unit: of offers per GPU, of work the whole bill.
    pub unit_price: Box<dyn Fn(usize) -> Option<f64> + 'a>,
    /// Performance per price; more is better.
    pub merit: Box<dyn Fn(usize) -> Option<f64> + 'a>,
}

impl std::fmt::Debug for Measures<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Measures").finish_non_exhaustive()
    }
}

impl<'a> Measures<'a> {
    /// The measures of offers: $/h with `gb` of storage (or as quoted), $/h per GPU, and `DLPerf` per $/h.
    pub fn offers(prices: &'a Prices<'a>, gb: Option<f64>) -> Self {
        let basis = Basis {
            gb,
            ..Basis::hourly(prices.model())
        };
        Self::priced(prices, basis, |_| true)
    }

    /// The measures of offers by `basis`: the price, the price per GPU unless it is for work, and `DLPerf` per price.
    /// Rows that fail `is_choice` have no price.
    pub fn priced(prices: &'a Prices<'a>, basis: Basis, is_choice: impl Fn(usize) -> bool + Copy + 'a) -> Self {
        let price = move |row| {
            let price = basis.price(prices, row).ok();
            price.filter(|_| is_choice(row))
        };
        Self {
            price: Box::new(price),
            unit_price: Box::new(move |row| basis.unit_price(prices, row, price(row)?)),
            merit: Box::new(move |row| {
                let per_point = prices.per_unit(row, price(row)?).dlperf?;
                (per_point > 0.0).then(|| 1.0 / per_point)
            }),
        }
    }

    /// The measures of network volumes: $/GB/month as both prices, and average MB/s per $/GB/month.
    pub fn volumes(listing: &'a Listing, prices: &'a VolumePrices<'a>) -> Self {
        let price = move |row| prices.per_gb_month(row).ok();
        let speed = listing.catalog().by_key("nw_disk_avg_bw");
        Self {
            price: Box::new(price),
            unit_price: Box::new(price),
            merit: Box::new(move |row| {
                let speed = listing.cell(row, speed?).number()?;
                let merit = speed / price(row)?;
                merit.is_finite().then_some(merit)
            }),
        }
    }
}

/// The best row of a group by one measure, and its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    pub row: u32,
    pub value: f64,
}

/// Rows with equal values in the fields of a grouping.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The shared values, one for each field of the grouping.
    pub key: Vec<GroupValue>,
    /// The rows, in the given order.
    pub rows: Vec<u32>,
    /// The number of their machines and GPUs; slices of one machine count once.
    pub amount: Amount,
    /// The spread of the lowest price on each machine; `None` if no record has a price.
    pub price: Option<Spread>,
    /// The spread of the price per unit over all units: of offers, over all GPUs that can be rented.
    pub unit_price: Option<Spread>,
    /// The row with the lowest price per unit, and its price.
    pub cheapest: Option<Best>,
    /// The row with the best performance per price.
    pub best: Option<Best>,
}

impl Group {
    /// The number of its rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The conditions that select this group of `grouping`.
    pub fn conditions(&self, grouping: &[&'static Field]) -> Vec<Condition> {
        let values = self.key.iter().zip(grouping);
        values.map(|(value, field)| value.condition(field)).collect()
    }
}

/// The groups of `rows` by `grouping`, most rows first, ties by key; rows without a value share one, too.
pub fn summarise(listing: &Listing, rows: &[u32], grouping: &[&'static Field], measures: &Measures<'_>) -> Vec<Group> {
    let mut members: Vec<(Vec<Part<'_>>, Vec<u32>)> = partition(listing, rows, grouping);
    members.sort_by(|(left, some), (right, others)| others.len().cmp(&some.len()).then_with(|| left.cmp(right)));
    members
        .into_iter()
        .map(|(key, rows)| group(listing, key, rows, measures))
        .collect()
}

/// The rows by the values that they share in `grouping`; the groups are in no particular order, their rows in
/// the given one.
fn partition<'a>(listing: &'a Listing, rows: &[u32], grouping: &[&'static Field]) -> Vec<(Vec<Part<'a>>, Vec<u32>)> {
    let columns: Vec<_> = grouping
        .iter()
        .map(|field| (field.kind, listing.column(field)))
        .collect();
    let mut groups: HashMap<Vec<Part<'a>>, Vec<u32>> = HashMap::new();
    for row in rows {
        let part = |(kind, column): &(Kind, &'a crate::listing::Column)| Part::new(*kind, column.cell(*row as usize));
        let key = columns.iter().map(part).collect();
        groups.entry(key).or_default().push(*row);
    }
    groups.into_iter().collect()
}

/// The group of these rows with their supply, prices and best offers. `cheapest` is by price per unit, but
/// has the row's own price.
fn group(listing: &Listing, key: Vec<Part<'_>>, rows: Vec<u32>, measures: &Measures<'_>) -> Group {
    let supply = Supply::new(listing, &rows);
    let values = |measure: &dyn Fn(usize) -> Option<f64>| -> Vec<Best> {
        let value = |row: &u32| {
            let value = measure(*row as usize)?;
            value.is_finite().then_some(Best { row: *row, value })
        };
        rows.iter().filter_map(value).collect()
    };
    let prices = values(&measures.unit_price);
    let merits = values(&measures.merit);
    let spread = |measure: &dyn Fn(usize) -> Option<f64>| Spread::from_values(lowest(&supply, measure));
    let first = |of: Vec<Best>, better: fn(f64, f64) -> bool| {
        of.into_iter()
            .reduce(|best, next| if better(next.value, best.value) { next } else { best })
    };
    // The table's lowest price is per unit, this one is the offer's.
    let cheapest = first(prices, |next, best| next < best).and_then(|best| {
        Some(Best {
            value: (measures.price)(best.row as usize)?,
            ..best
        })
    });
    Group {
        key: key.into_iter().map(Part::value).collect(),
        amount: supply.amount(),
        price: spread(&measures.price),
        unit_price: Spread::weighted(&levels(&supply, measures)),
        cheapest,
        best: first(merits, |next, best| next > best),
        rows,
    }
}

/// The lowest price per unit on each machine of `rows` that has a price.
pub fn machine_prices(listing: &Listing, rows: &[u32], measures: &Measures<'_>) -> Vec<f64> {
    lowest(&Supply::new(listing, rows), &measures.unit_price)
}

/// The lowest value of `measure` on each machine that has one.
fn lowest(supply: &Supply, measure: &dyn Fn(usize) -> Option<f64>) -> Vec<f64> {
    let lowest = |machine: &Machine| {
        let values = machine.rows().filter_map(|row| measure(row as usize));
        values.filter(|value| value.is_finite()).reduce(f64::min)
    };
    supply.machines().iter().filter_map(lowest).collect()
}

/// The prices per unit at which more units become available, with the number of additional units, lowest first.
fn levels(supply: &Supply, measures: &Measures<'_>) -> Vec<(f64, u64)> {
    let price = |row: u32| (measures.unit_price)(row as usize).filter(|price| price.is_finite());
    let machines = supply.machines().iter();
    let mut levels: Vec<(f64, u64)> = machines.flat_map(|machine| machine.levels(price)).collect();
    levels.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    levels
}

/// The order of the groups of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupOrder {
    /// Most machines first (of volumes, most rows).
    #[default]
    Count,
    /// Lowest price per unit first.
    Lowest,
    /// Lowest median price per unit first.
    Median,
    /// Best performance per price first.
    Merit,
}

impl GroupOrder {
    /// The next order, wrapping around.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Count => Self::Lowest,
            Self::Lowest => Self::Median,
            Self::Median => Self::Merit,
            Self::Merit => Self::Count,
        }
    }
}

/// Sorts the groups of a summary by `order`: most machines, lowest price, lowest median price or best
/// performance per price first. Those without the value come last, ties keep their order.
pub fn sort_groups(groups: &mut [Group], order: GroupOrder) {
    let value = |group: &Group| match order {
        GroupOrder::Count => -count(group.amount.machines),
        GroupOrder::Lowest => group.unit_price.map_or(f64::INFINITY, |price| price.lowest),
        GroupOrder::Median => group.unit_price.map_or(f64::INFINITY, |price| price.median),
        GroupOrder::Merit => group.best.map_or(f64::INFINITY, |best| -best.value),
    };
    groups.sort_by(|left, right| value(left).total_cmp(&value(right)));
}

/// The distinct values of a field among `rows` with their counts, most frequent first, ties by value: choices
/// for an editor. Rows without a value count as blank.
pub fn facets(listing: &Listing, rows: &[u32], field: &'static Field) -> Vec<(GroupValue, usize)> {
    let mut members = partition(listing, rows, &[field]);
    members.sort_by(|(left, some), (right, others)| others.len().cmp(&some.len()).then_with(|| left.cmp(right)));
    members
        .into_iter()
        .filter_map(|(key, rows)| Some((key.first()?.value(), rows.len())))
        .collect()
}

//! Supply: the machines and GPUs of some offers, and the cost of N workers on them.
//!
//! The market lists a machine once for each power of two of its GPUs, and those slices share GPUs: renting one takes
//! the others off the market. Counting rows therefore overstates the supply, and adding up their prices prices workers
//! that cannot exist. [`Supply`] groups offers by machine and works out which of them can be rented together.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::{quantile, total};
use crate::cost::gpu_numbers;
use crate::listing::{Column, Listing};
use crate::value::CellRef;

/// The maximum number of slices of one machine of which all combinations are tried.
///
/// Real machines have five at most; a hostile response must not cost 2^n steps.
const EXHAUSTIVE: usize = 12;

/// The identity of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key<'a> {
    Number(u64),
    Text(&'a str),
    Row(u32),
}

/// The columns of a listing that describe machines.
struct Columns<'a> {
    machine: Option<&'a Column>,
    gpus: Option<&'a Column>,
}

impl<'a> Columns<'a> {
    /// The columns of machine ids and of numbers of GPUs; `None` for those that the catalog lacks.
    fn new(listing: &'a Listing) -> Self {
        let column = |key| {
            let field = listing.catalog().by_key(key)?;
            Some(listing.column(field))
        };
        Self {
            machine: column("machine_id"),
            gpus: column("num_gpus"),
        }
    }

    /// The identity of a row's machine; a row that does not report it is a machine of its own.
    fn machine(&self, row: u32) -> Key<'a> {
        let cell = |column: &'a Column| column.cell(row as usize);
        match self.machine.map_or(CellRef::Missing, cell) {
            CellRef::Number(number) => Key::Number((number + 0.0).to_bits()),
            CellRef::Text(text) => Key::Text(text),
            _ => Key::Row(row),
        }
    }

    /// The row as a slice: its number of GPUs as reported, else that of the listed ids, and at least one.
    fn slice(&self, listing: &Listing, row: u32) -> Slice {
        let index = row as usize;
        let numbers = gpu_numbers(listing, index);
        let reported = self
            .gpus
            .and_then(|column| column.cell(index).number())
            .and_then(whole)
            .or_else(|| u64::try_from(numbers.len()).ok());
        Slice {
            row,
            gpus: reported.unwrap_or(1).max(1),
            numbers,
        }
    }
}

/// One offer as a part of its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slice {
    pub row: u32,
    gpus: u64,
    /// The ids of its GPUs within the machine; empty if the record does not list them.
    numbers: Vec<i64>,
}

impl Slice {
    /// All rows grouped by machine, and the end index of each machine.
    pub(super) fn by_machine(listing: &Listing) -> (Vec<Self>, Vec<usize>) {
        let columns = Columns::new(listing);
        let rows = 0..u32::try_from(listing.len()).unwrap_or(u32::MAX);
        let mut sorted: Vec<(Key<'_>, u32)> = rows.map(|row| (columns.machine(row), row)).collect();
        sorted.sort_unstable();
        let mut end = 0;
        let machines = sorted.chunk_by(|(left, _), (right, _)| left == right);
        let ends = machines.map(|machine| {
            end += machine.len();
            end
        });
        let slices = sorted.iter().map(|(_, row)| columns.slice(listing, *row));
        (slices.collect(), ends.collect())
    }
}

/// A slice and its price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lot {
    pub row: u32,
    pub gpus: u64,
    pub price: f64,
}

impl Lot {
    /// The price per GPU, in the unit of the price: $/h, or $ of a bill.
    pub fn unit_price(&self) -> f64 {
        self.price / self.gpus as f64
    }
}

/// The unit in which a set of slices is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Gpus,
    Offers,
}

/// Slices of one machine that can be rented together.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    pub units: usize,
    pub cost: f64,
    pub lots: Vec<Lot>,
}

/// A machine and its slices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    slices: Vec<Slice>,
    /// The number of GPUs that can be rented at once; `None` if all slices list theirs.
    capacity: Option<u64>,
}

impl Machine {
    /// The machine with these slices. If any does not list its GPUs, only as many as the largest slice has
    /// can be rented at once.
    fn new(slices: Vec<Slice>) -> Self {
        let is_listed = slices.iter().all(|slice| !slice.numbers.is_empty());
        // Without GPU ids it is unknown which slices overlap: only the largest one is certainly free.
        let largest = slices.iter().map(|slice| slice.gpus).max();
        Self {
            capacity: largest.filter(|_| !is_listed),
            slices,
        }
    }

    /// The maximum number of GPUs of slices of one machine that can be rented at once.
    pub(super) fn gpus_of(slices: &[&Slice]) -> u64 {
        match slices {
            [only] => only.gpus,
            _ => Self::new(slices.iter().copied().cloned().collect()).gpus(),
        }
    }

    /// The rows of its slices, in the given order.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.slices.iter().map(|slice| slice.row)
    }

    /// The rows of the slices that share GPUs with another slice, so that not all can be rented together;
    /// where GPUs are not listed, of the slices that together with all others exceed the GPUs of the largest
    /// slice.
    pub(super) fn shared(&self) -> Vec<u32> {
        let is_shared = |slice: &&Slice| {
            let others = self.slices.iter().filter(|overlapping| overlapping.row != slice.row);
            !self.fits(&others.collect::<Vec<_>>(), slice)
        };
        let shared = self.slices.iter().filter(is_shared);
        shared.map(|slice| slice.row).collect()
    }

    /// The maximum number of GPUs that can be rented at once.
    pub fn gpus(&self) -> u64 {
        let most = || {
            let sets = self.sets(Unit::Gpus, |_| Some(0.0));
            sets.last().map_or(0, |set| set.units as u64)
        };
        self.capacity.unwrap_or_else(most)
    }

    /// Whether a slice can be rented together with the chosen ones.
    fn fits(&self, chosen: &[&Slice], slice: &Slice) -> bool {
        match self.capacity {
            Some(capacity) => {
                let taken: u64 = chosen.iter().map(|taken_slice| taken_slice.gpus).sum();
                taken.saturating_add(slice.gpus) <= capacity
            }
            None => !chosen
                .iter()
                .flat_map(|taken_slice| &taken_slice.numbers)
                .any(|number| slice.numbers.contains(number)),
        }
    }

    /// The cheapest disjoint sets of its slices: for each number of units the cheapest set with at least that
    /// many, smallest first. Slices without a price are left out.
    ///
    /// With more than 12 priced slices a cheaper set may be missed.
    pub(super) fn sets(&self, unit: Unit, price: impl Fn(u32) -> Option<f64>) -> Vec<Set> {
        let priced = self.slices.iter().filter_map(|slice| {
            let price = price(slice.row).filter(|price| price.is_finite() && *price >= 0.0)?;
            let (row, gpus) = (slice.row, slice.gpus);
            Some((slice, Lot { row, gpus, price }))
        });
        let mut priced: Vec<(&Slice, Lot)> = priced.collect();
        let mut sets: Vec<Set> = Vec::new();
        let mut chosen = Chosen::default();
        if priced.len() <= EXHAUSTIVE {
            self.combine(unit, &priced, &mut chosen, &mut sets);
        } else {
            // No single order is best: cheap slices first may leave large ones no room, large ones first may be
            // costly.
            let orders: [fn(&Lot, &Lot) -> Ordering; 3] = [
                |left, right| left.price.total_cmp(&right.price),
                |left, right| left.unit_price().total_cmp(&right.unit_price()),
                |left, right| right.gpus.cmp(&left.gpus),
            ];
            for order in orders {
                priced.sort_by(|(_, left), (_, right)| order(left, right));
                chosen = Chosen::default();
                for (slice, lot) in &priced {
                    if self.fits(&chosen.slices, slice) {
                        chosen.push(slice, *lot);
                        chosen.note(unit, &mut sets);
                    }
                }
            }
        }
        // The planner and the depth search by size.
        sets.sort_by_key(|set| set.units);
        sets
    }

    /// Adds to `sets` every set that extends the chosen slices by at least one of `rest`, unless one of the
    /// sets is as large for at most its price.
    fn combine<'a>(&self, unit: Unit, rest: &[(&'a Slice, Lot)], chosen: &mut Chosen<'a>, sets: &mut Vec<Set>) {
        for (index, (slice, lot)) in rest.iter().enumerate() {
            if self.fits(&chosen.slices, slice) {
                chosen.push(slice, *lot);
                chosen.note(unit, sets);
                self.combine(unit, &rest[index + 1..], chosen, sets);
                chosen.pop();
            }
        }
    }

    /// The prices per GPU at which more GPUs become available, lowest first, each with the number of
    /// additional GPUs.
    pub(super) fn levels(&self, unit_price: impl Fn(u32) -> Option<f64>) -> Vec<(f64, u64)> {
        let price = |slice: &Slice| unit_price(slice.row);
        let mut prices: Vec<f64> = self.slices.iter().filter_map(price).collect();
        prices.sort_by(f64::total_cmp);
        prices.dedup();
        let mut known = 0;
        let levels = prices.into_iter().map(|highest| {
            let affordable = |slice: &&Slice| price(slice).is_some_and(|price| price <= highest);
            let slices: Vec<&Slice> = self.slices.iter().filter(affordable).collect();
            // A slice without GPU ids makes the number of the others uncertain, but it never reduces the number rented.
            let more = Self::gpus_of(&slices).saturating_sub(known);
            known += more;
            (highest, more)
        });
        levels.filter(|(_, more)| *more > 0).collect()
    }
}

/// The slices chosen so far.
#[derive(Debug, Default)]
struct Chosen<'a> {
    slices: Vec<&'a Slice>,
    lots: Vec<Lot>,
}

impl<'a> Chosen<'a> {
    fn push(&mut self, slice: &'a Slice, lot: Lot) {
        self.slices.push(slice);
        self.lots.push(lot);
    }

    fn pop(&mut self) {
        self.slices.pop();
        self.lots.pop();
    }

    /// Adds the chosen slices to the sets, unless one of them has at least as many units for at most the
    /// price. Removes the sets that are no better than the new one.
    fn note(&self, unit: Unit, sets: &mut Vec<Set>) {
        let sum = match unit {
            Unit::Gpus => self.lots.iter().map(|lot| lot.gpus).sum(),
            Unit::Offers => self.lots.len() as u64,
        };
        let units = usize::try_from(sum).unwrap_or(usize::MAX);
        let cost = total(self.lots.iter().map(|lot| lot.price));
        if sets.iter().any(|set| set.units >= units && set.cost <= cost) {
            return;
        }
        sets.retain(|set| set.units > units || set.cost < cost);
        let lots = self.lots.clone();
        sets.push(Set { units, cost, lots });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    pub machines: usize,
    /// The number of GPUs that can be rented at once.
    pub gpus: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Supply {
    machines: Vec<Machine>,
}

impl Supply {
    /// The machines of the offers in `rows`, in order of first appearance. A record without a machine id
    /// counts as a machine of its own; each has at least one GPU.
    pub fn new(listing: &Listing, rows: &[u32]) -> Self {
        let columns = Columns::new(listing);
        let mut index_of: HashMap<Key<'_>, usize> = HashMap::new();
        let mut machines: Vec<Vec<Slice>> = Vec::new();
        for row in rows {
            let index = *index_of.entry(columns.machine(*row)).or_insert_with(|| {
                machines.push(Vec::new());
                machines.len() - 1
            });
            machines[index].push(columns.slice(listing, *row));
        }
        Self {
            machines: machines.into_iter().map(Machine::new).collect(),
        }
    }

    /// The machines, in order of first appearance.
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// The number of machines and of GPUs that can be rented at once.
    pub fn amount(&self) -> Amount {
        Amount {
            machines: self.machines.len(),
            gpus: self.machines.iter().map(Machine::gpus).sum(),
        }
    }

    /// The cheapest disjoint sets of each machine that has offers with a price.
    pub(super) fn sets(&self, unit: Unit, price: impl Fn(u32) -> Option<f64>) -> Vec<Vec<Set>> {
        let machines = self.machines.iter();
        let sets = machines.map(|machine| machine.sets(unit, &price));
        sets.filter(|sets| !sets.is_empty()).collect()
    }

    /// A lower bound for the price of this many GPUs; infinite if there are fewer.
    ///
    /// It is the price of the cheapest per GPU, whether or not they can be rented together or in parts.
    pub(super) fn bound(&self, gpus: u32, price: impl Fn(u32) -> Option<f64>) -> f64 {
        let slices = self.machines.iter().flat_map(|machine| &machine.slices);
        let lots = slices.filter_map(|slice| {
            let (row, gpus) = (slice.row, slice.gpus);
            price(row).map(|price| Lot { row, gpus, price })
        });
        let mut lots: Vec<Lot> = lots.collect();
        lots.sort_unstable_by(|left, right| left.unit_price().total_cmp(&right.unit_price()));
        let (mut missing, mut cost) = (u64::from(gpus), 0.0);
        for lot in lots {
            let taken = lot.gpus.min(missing);
            cost += lot.unit_price() * super::count(usize::try_from(taken).unwrap_or(usize::MAX));
            missing -= taken;
        }
        if missing > 0 { f64::INFINITY } else { cost }
    }

    /// The offers and costs of workers that run on one offer each without sharing GPUs. `price` gives a row's $/h; rows
    /// without one cannot be chosen.
    pub fn pick_workers(&self, price: impl Fn(u32) -> Option<f64>) -> Picks {
        Picks::new(self.sets(Unit::Offers, price))
    }
}

/// A number, rounded down, as a count of GPUs; `None` if it is below one or above a million.
fn whole(number: f64) -> Option<u64> {
    /// The upper limit, far beyond any machine; sums of such numbers cannot overflow.
    const MOST: f64 = 1e6;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
    (1.0..=MOST).contains(&number).then_some(number as u64)
}

/// The offers for as many workers as can run at once, and the costs of fewer workers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picks {
    picks: Vec<Lot>,
    /// The lowest cost in $/h of 0, 1, 2, ... workers.
    least: Vec<f64>,
}

impl Picks {
    /// The picks from the disjoint sets of each machine, which are measured in offers, each for one worker.
    fn new(machines: Vec<Vec<Set>>) -> Self {
        let mut marginals: Vec<f64> = Vec::new();
        let mut uneven: Vec<Vec<f64>> = Vec::new();
        let mut picks: Vec<Lot> = Vec::new();
        for sets in machines {
            let Some(largest) = sets.last() else { continue };
            let cost = |workers: usize| sets[sets.partition_point(|set| set.units < workers)].cost;
            let costs: Vec<f64> = (1..=largest.units).map(cost).collect();
            let before = std::iter::once(0.0).chain(costs.iter().copied());
            let steps: Vec<f64> = before.zip(&costs).map(|(before, cost)| cost - before).collect();
            // If each further worker costs more than the one before, taking the cheapest next
            // worker of any machine is optimal. Otherwise a cheap large slice competes with several
            // small ones, and the sizes have to be weighed against each other.
            if steps.is_sorted() {
                marginals.extend(steps);
            } else {
                uneven.push(costs);
            }
            picks.extend(&largest.lots);
        }
        marginals.sort_by(f64::total_cmp);
        picks.sort_by(|left, right| left.price.total_cmp(&right.price));
        let mut sum = 0.0;
        let mut least = vec![0.0];
        least.extend(marginals.into_iter().map(|step| {
            sum += step;
            sum
        }));
        for costs in uneven {
            least = costs_with_machine(&least, &costs);
        }
        Self { picks, least }
    }

    /// The offers used by the maximum number of workers, cheapest first.
    pub fn offers(&self) -> &[Lot] {
        &self.picks
    }

    /// The maximum number of workers that can run at once.
    pub fn most_workers(&self) -> usize {
        self.picks.len()
    }

    /// The median price in $/h over the offers for the maximum number of workers; `None` without offers.
    pub fn median(&self) -> Option<f64> {
        let prices: Vec<f64> = self.picks.iter().map(|pick| pick.price).collect();
        quantile(&prices, 0.5)
    }

    /// The lowest cost in $/h of this many workers, or of the maximum number if that is less.
    pub fn least(&self, workers: usize) -> f64 {
        let last = self.least.len().saturating_sub(1);
        self.least.get(workers.min(last)).copied().unwrap_or(0.0)
    }

    /// The cost in $/h of this many workers on the offers around the median; `None` without offers.
    ///
    /// Workers without an offer are priced at the median. Never below [`Picks::least`]: both choose from the same
    /// offers.
    pub fn typical(&self, workers: usize) -> Option<f64> {
        let median = self.median()?;
        let here = workers.min(self.picks.len());
        let spare = self.picks.len() - here;
        let window = |start: usize| -> f64 {
            let picks = self.picks.iter().skip(start).take(here);
            total(picks.map(|pick| pick.price))
        };
        // An odd rest has no middle: half a step to either side, like the median of an even number.
        let middle = f64::midpoint(window(spare / 2), window(spare.div_ceil(2)));
        Some(middle + super::count(workers - here) * median)
    }
}

/// The lowest costs of 0, 1, 2, ... workers after adding a machine; `costs` are those of one, two, ... workers on it.
fn costs_with_machine(least: &[f64], costs: &[f64]) -> Vec<f64> {
    let all = 0..least.len() + costs.len();
    all.map(|workers| {
        let without = least.get(workers).copied().unwrap_or(f64::INFINITY);
        let with = (1_usize..).zip(costs).filter_map(|(workers_of, cost)| {
            let others = least.get(workers.checked_sub(workers_of)?)?;
            Some(others + cost)
        });
        with.fold(without, f64::min)
    })
    .collect()
}

//! Supply: how many machines and GPUs the offers add up to, and what N workers on them cost.
//!
//! The market lists a machine once for each power of two of its GPUs, and those slices share GPUs:
//! renting one takes the others off the market. Counting rows therefore overstates the supply, and
//! adding up their prices prices workers that cannot exist. [`Supply`] groups offers by machine and
//! works out which of them can be rented together.

use std::collections::HashMap;

use super::quantile;
use crate::domain::cost::gpu_numbers;
use crate::domain::listing::{Column, Listing};
use crate::domain::value::CellRef;

/// Up to this many slices of one machine every combination is tried. Real machines have five at
/// most; a hostile response must not cost 2^n steps.
const EXHAUSTIVE: usize = 12;

/// What tells a machine from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key<'a> {
    Number(u64),
    Text(&'a str),
    Row(u32),
}

/// What offers tell about their machines.
struct Columns<'a> {
    machine: Option<&'a Column>,
    gpus: Option<&'a Column>,
}

impl<'a> Columns<'a> {
    fn of(listing: &'a Listing) -> Self {
        let column = |key| {
            let field = listing.catalog().by_key(key)?;
            Some(listing.column(field))
        };
        Self {
            machine: column("machine_id"),
            gpus: column("num_gpus"),
        }
    }

    fn machine(&self, row: u32) -> Key<'a> {
        let cell = |column: &'a Column| column.cell(row as usize);
        match self.machine.map_or(CellRef::Missing, cell) {
            CellRef::Number(number) => Key::Number((number + 0.0).to_bits()),
            CellRef::Text(text) => Key::Text(text),
            _ => Key::Row(row),
        }
    }

    fn slice(&self, listing: &Listing, row: u32) -> Slice {
        let place = row as usize;
        let numbers = gpu_numbers(listing, place);
        let told = self
            .gpus
            .and_then(|column| column.cell(place).number())
            .and_then(whole)
            .or_else(|| u64::try_from(numbers.len()).ok());
        Slice {
            row,
            gpus: told.unwrap_or(1).max(1),
            numbers,
        }
    }
}

/// One offer as a part of its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slice {
    pub row: u32,
    gpus: u64,
    /// Which GPUs of the machine; empty where the record does not list them.
    numbers: Vec<i64>,
}

impl Slice {
    /// All rows, those of a machine side by side, and where each machine ends.
    pub(super) fn by_machine(listing: &Listing) -> (Vec<Self>, Vec<usize>) {
        let columns = Columns::of(listing);
        let rows = 0..u32::try_from(listing.len()).unwrap_or(u32::MAX);
        let mut sorted: Vec<(Key<'_>, u32)> = rows.map(|row| (columns.machine(row), row)).collect();
        sorted.sort_unstable();
        let mut end = 0;
        let machines = sorted.chunk_by(|(left, _), (right, _)| left == right);
        let ends = machines.map(|machine| {
            end += machine.len();
            end
        });
        let ends = ends.collect();
        let slices = sorted.iter().map(|(_, row)| columns.slice(listing, *row));
        (slices.collect(), ends)
    }
}

/// A slice at its price.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lot<'a> {
    slice: &'a Slice,
    pub price: f64,
}

impl Lot<'_> {
    pub const fn row(&self) -> u32 {
        self.slice.row
    }

    pub const fn gpus(&self) -> u64 {
        self.slice.gpus
    }

    /// The price of one of its GPUs.
    #[expect(clippy::cast_precision_loss)] // a slice has at most a million GPUs
    pub fn unit_price(&self) -> f64 {
        self.price / self.gpus() as f64
    }
}

/// A machine and the offers that are slices of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    slices: Vec<Slice>,
    /// GPUs that can be rented at once; only for machines whose slices do not all list theirs.
    capacity: Option<u64>,
}

impl Machine {
    fn new(slices: Vec<Slice>) -> Self {
        let is_listed = slices.iter().all(|slice| !slice.numbers.is_empty());
        // Without GPU ids nothing tells which slices overlap: only the largest one is certainly
        // free.
        let largest = slices.iter().map(|slice| slice.gpus).max();
        Self {
            capacity: largest.filter(|_| !is_listed),
            slices,
        }
    }

    /// The most GPUs of slices of one machine that can be rented at once.
    pub(super) fn gpus_of(slices: &[&Slice]) -> u64 {
        if slices.iter().any(|slice| slice.numbers.is_empty()) {
            return slices.iter().map(|slice| slice.gpus).max().unwrap_or(0);
        }
        match slices {
            [one] => one.gpus,
            _ => Self::new(slices.iter().copied().cloned().collect()).gpus(),
        }
    }

    /// The rows of its slices, in the order in which they were given.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.slices.iter().map(|slice| slice.row)
    }

    /// The rows of the slices that cannot be rented together with all others.
    pub(super) fn shared(&self) -> Vec<u32> {
        let lots = self.lots(&|_| Some(0.0));
        let is_shared = |(place, lot): &(usize, &Lot<'_>)| {
            let mut others = lots.clone();
            others.remove(*place);
            !self.fits(&others, lot.slice)
        };
        let shared = lots.iter().enumerate().filter(is_shared);
        shared.map(|(_, lot)| lot.row()).collect()
    }

    /// The most GPUs that can be rented at once.
    pub fn gpus(&self) -> u64 {
        if let Some(capacity) = self.capacity {
            return capacity;
        }
        let total = |chosen: &[Lot<'_>]| chosen.iter().map(Lot::gpus).sum::<u64>();
        let mut lots = self.lots(&|_| Some(0.0));
        let mut most = 0;
        if lots.len() <= EXHAUSTIVE {
            self.combine(&lots, &mut |chosen| most = most.max(total(chosen)));
        } else {
            lots.sort_by_key(|lot| std::cmp::Reverse(lot.gpus()));
            most = total(&self.first_that_fit(lots));
        }
        most
    }

    /// Whether a slice can be rented together with others.
    fn fits(&self, chosen: &[Lot<'_>], slice: &Slice) -> bool {
        match self.capacity {
            Some(capacity) => {
                let taken: u64 = chosen.iter().map(Lot::gpus).sum();
                taken.saturating_add(slice.gpus) <= capacity
            }
            None => !chosen
                .iter()
                .flat_map(|other| &other.slice.numbers)
                .any(|number| slice.numbers.contains(number)),
        }
    }

    /// Its slices with a price.
    fn lots(&self, price: &impl Fn(u32) -> Option<f64>) -> Vec<Lot<'_>> {
        let slices = self.slices.iter();
        let lots = slices.filter_map(|slice| {
            let price = price(slice.row).filter(|price| price.is_finite())?;
            (price >= 0.0).then_some(Lot { slice, price })
        });
        lots.collect()
    }

    /// Calls `show` with every set of lots that can be rented at once, each in the order of `lots`.
    fn combine<'a>(&self, lots: &[Lot<'a>], show: &mut impl FnMut(&[Lot<'a>])) {
        fn extend<'a>(
            machine: &Machine,
            rest: &[Lot<'a>],
            chosen: &mut Vec<Lot<'a>>,
            show: &mut impl FnMut(&[Lot<'a>]),
        ) {
            for (place, lot) in rest.iter().enumerate() {
                if machine.fits(chosen, lot.slice) {
                    chosen.push(*lot);
                    show(chosen);
                    extend(machine, &rest[place + 1..], chosen, show);
                    chosen.pop();
                }
            }
        }
        extend(self, lots, &mut Vec::new(), show);
    }

    /// The lots that still fit when taken in the order given.
    fn first_that_fit<'a>(&self, lots: Vec<Lot<'a>>) -> Vec<Lot<'a>> {
        let mut chosen: Vec<Lot<'a>> = Vec::new();
        for lot in lots {
            if self.fits(&chosen, lot.slice) {
                chosen.push(lot);
            }
        }
        chosen
    }

    /// Calls `show` with the sets of slices with a price that can be rented at once. Of a machine
    /// with more slices than real ones have, only with the first lots by price per GPU and the
    /// first by size that fit.
    pub(super) fn sets<'a>(
        &'a self,
        price: &impl Fn(u32) -> Option<f64>,
        show: &mut impl FnMut(&[Lot<'a>]),
    ) {
        let mut lots = self.lots(price);
        if lots.len() <= EXHAUSTIVE {
            self.combine(&lots, show);
            return;
        }
        lots.sort_by(|left, right| left.unit_price().total_cmp(&right.unit_price()));
        let cheapest = self.first_that_fit(lots.clone());
        lots.sort_by_key(|lot| std::cmp::Reverse(lot.gpus()));
        for chosen in [cheapest, self.first_that_fit(lots)] {
            for many in 1..=chosen.len() {
                show(&chosen[..many]);
            }
        }
    }

    /// The set with the most GPUs, and of those the cheapest; slices without a price are ignored.
    pub(super) fn largest_set<'a>(&'a self, price: &impl Fn(u32) -> Option<f64>) -> Vec<Lot<'a>> {
        let mut best: (u64, f64, Vec<Lot<'a>>) = (0, 0.0, Vec::new());
        self.sets(price, &mut |chosen| {
            let gpus = chosen.iter().map(Lot::gpus).sum();
            let cost = chosen.iter().map(|lot| lot.price).sum();
            if gpus > best.0 || (gpus == best.0 && cost < best.1) {
                best = (gpus, cost, chosen.to_vec());
            }
        });
        best.2
    }

    /// The cheapest set of one slice, of two, and so on; slices without a price are ignored.
    fn bundles(&self, price: &impl Fn(u32) -> Option<f64>) -> Vec<Bundle> {
        let mut lots = self.lots(price);
        lots.sort_by(|left, right| left.price.total_cmp(&right.price));
        if lots.len() > EXHAUSTIVE {
            let chosen = self.first_that_fit(lots);
            return (1..=chosen.len())
                .map(|many| Bundle::new(&chosen[..many]))
                .collect();
        }
        let mut best: Vec<Bundle> = Vec::new();
        self.combine(&lots, &mut |chosen| {
            let own = Bundle::new(chosen);
            match best.get_mut(chosen.len() - 1) {
                // Sets grow by one slice at a time, so that no size is skipped.
                None => best.push(own),
                Some(known) if own.cost < known.cost => *known = own,
                Some(_) => {}
            }
        });
        best
    }
}

/// Slices of one machine that can be rented at once.
#[derive(Debug, Clone, PartialEq)]
struct Bundle {
    cost: f64,
    picks: Vec<Pick>,
}

impl Bundle {
    fn new(chosen: &[Lot<'_>]) -> Self {
        let picks = chosen.iter().map(|lot| Pick {
            row: lot.row(),
            price: lot.price,
        });
        Self {
            cost: chosen.iter().map(|lot| lot.price).sum(),
            picks: picks.collect(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    pub machines: usize,
    /// GPUs that can be rented at once.
    pub gpus: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Supply {
    machines: Vec<Machine>,
}

impl Supply {
    /// The machines behind `rows`, in order of first appearance. A record without a machine id
    /// counts as a machine of its own; one without GPU ids has at least one GPU.
    pub fn of(listing: &Listing, rows: &[u32]) -> Self {
        let columns = Columns::of(listing);
        let mut places: HashMap<Key<'_>, usize> = HashMap::new();
        let mut machines: Vec<Vec<Slice>> = Vec::new();
        for row in rows {
            let index = *places.entry(columns.machine(*row)).or_insert_with(|| {
                machines.push(Vec::new());
                machines.len() - 1
            });
            machines[index].push(columns.slice(listing, *row));
        }
        Self {
            machines: machines.into_iter().map(Machine::new).collect(),
        }
    }

    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// How many machines and GPUs there are.
    pub fn amount(&self) -> Amount {
        Amount {
            machines: self.machines.len(),
            gpus: self.machines.iter().map(Machine::gpus).sum(),
        }
    }

    /// What workers cost that run on one offer each without sharing GPUs. `price` gives a row's
    /// $/h; rows without one cannot be picked.
    pub fn price(&self, price: impl Fn(u32) -> Option<f64>) -> Picks {
        let bundles = self.machines.iter().map(|machine| machine.bundles(&price));
        Picks::new(bundles.filter(|sizes| !sizes.is_empty()).collect())
    }
}

/// A whole number of GPUs within the range a record can have.
fn whole(number: f64) -> Option<u64> {
    /// Far beyond any machine; sums of these cannot overflow.
    const MOST: f64 = 1e6;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range is checked
    (1.0..=MOST).contains(&number).then_some(number as u64)
}

/// An offer for a worker to run on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pick {
    pub row: u32,
    /// Its price in $/h.
    pub price: f64,
}

/// Offers for as many workers as can run at once, and what fewer of them cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Picks {
    picks: Vec<Pick>,
    /// The lowest cost of 0, 1, 2, ... workers.
    least: Vec<f64>,
}

impl Picks {
    /// Built from the cheapest bundles of one, two, ... slices of each machine.
    fn new(machines: Vec<Vec<Bundle>>) -> Self {
        let mut marginals: Vec<f64> = Vec::new();
        let mut uneven: Vec<Vec<f64>> = Vec::new();
        let mut picks: Vec<Pick> = Vec::new();
        for sizes in machines {
            let costs: Vec<f64> = sizes.iter().map(|bundle| bundle.cost).collect();
            let steps: Vec<f64> = std::iter::once(0.0)
                .chain(costs.iter().copied())
                .zip(&costs)
                .map(|(before, cost)| cost - before)
                .collect();
            // If each further worker costs more than the one before, taking the cheapest next
            // worker of any machine is optimal. Otherwise a cheap large slice competes with several
            // small ones, and the sizes have to be weighed against each other.
            if steps.is_sorted_by(|one, next| one <= next) {
                marginals.extend(steps);
            } else {
                uneven.push(costs);
            }
            picks.extend(
                sizes
                    .into_iter()
                    .last()
                    .map(|it| it.picks)
                    .unwrap_or_default(),
            );
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
            least = joined(&least, &costs);
        }
        Self { picks, least }
    }

    /// The offers when as many workers as possible run, cheapest first.
    pub fn offers(&self) -> &[Pick] {
        &self.picks
    }

    /// How many workers can run at once.
    pub fn most_workers(&self) -> usize {
        self.picks.len()
    }

    /// The median price over the offers for the maximum number of workers.
    pub fn median(&self) -> Option<f64> {
        let prices: Vec<f64> = self.picks.iter().map(|pick| pick.price).collect();
        quantile(&prices, 0.5)
    }

    /// The lowest cost in $/h of this many workers, or of as many as there are offers for.
    pub fn least(&self, workers: usize) -> f64 {
        let last = self.least.len().saturating_sub(1);
        self.least.get(workers.min(last)).copied().unwrap_or(0.0)
    }

    /// What this many workers cost in $/h on the offers around the median; workers without an offer
    /// are priced at the median. Never below [`Picks::least`]: both pick from the same offers.
    pub fn typical(&self, workers: usize) -> Option<f64> {
        let median = self.median()?;
        let here = workers.min(self.picks.len());
        let spare = self.picks.len() - here;
        let window = |start: usize| -> f64 {
            let picks = self.picks.iter().skip(start).take(here);
            picks.map(|pick| pick.price).sum()
        };
        // An odd rest has no middle: half a step to either side, like the median of an even number.
        let middle = f64::midpoint(window(spare / 2), window(spare.div_ceil(2)));
        Some(middle + super::count(workers - here) * median)
    }
}

/// The lowest costs of 0, 1, 2, ... workers after adding a machine whose one, two, ... workers cost
/// `costs`.
fn joined(least: &[f64], costs: &[f64]) -> Vec<f64> {
    (0..least.len() + costs.len())
        .map(|workers| {
            let without = least.get(workers).copied().unwrap_or(f64::INFINITY);
            let with = (1_usize..).zip(costs).filter_map(|(own, cost)| {
                let others = least.get(workers.checked_sub(own)?)?;
                Some(others + cost)
            });
            with.fold(without, f64::min)
        })
        .collect()
}

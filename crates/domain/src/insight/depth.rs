//! Depth: the number of distinct GPUs at or below each price, and the cost of buying N of them.

use super::knapsack::{Knapsack, Machines};
use super::supply::{Lot, Set, Supply, Unit};
use super::{Measures, count, total};
use crate::listing::Listing;

/// The maximum number of GPUs of a purchase or a plan.
///
/// Finding the cheapest offers with 1,024 takes 50 ms.
pub const MOST_GPUS: usize = 1_024;

/// The cheapest offers that together have at least N GPUs. Offers are rented whole, so there may be more than N.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Purchase {
    /// The offers, cheapest per GPU first.
    pub lots: Vec<Lot>,
    pub gpus: u64,
    pub cost: f64,
}

impl Purchase {
    /// All offers of these sets as one purchase, cheapest per GPU first.
    fn from_sets<'a>(sets: impl IntoIterator<Item = &'a Set>) -> Self {
        let lots = sets.into_iter().flat_map(|set| &set.lots);
        let mut lots: Vec<Lot> = lots.copied().collect();
        lots.sort_by(|left, right| {
            let by_price = left.unit_price().total_cmp(&right.unit_price());
            by_price.then(left.row.cmp(&right.row))
        });
        Self {
            gpus: lots.iter().map(|lot| lot.gpus).sum(),
            cost: total(lots.iter().map(|lot| lot.price)),
            lots,
        }
    }

    /// The average price per GPU over all offers of the purchase; NaN for one without offers.
    pub fn average(&self) -> f64 {
        self.cost / count(usize::try_from(self.gpus).unwrap_or(usize::MAX))
    }

    /// The price per GPU of the offer with the highest one; 0 without offers.
    pub fn highest(&self) -> f64 {
        self.lots.last().map_or(0.0, Lot::unit_price)
    }
}

/// The supply of a listing's offers. Offers of one machine that share GPUs are never counted together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Depth {
    /// The disjoint sets of slices of each machine.
    machines: Vec<Vec<Set>>,
    /// The cumulative number of GPUs at or below each price per GPU, by rising price.
    levels: Vec<(f64, u64)>,
    /// The cheapest offers that have all GPUs.
    all: Purchase,
}

impl Depth {
    /// The supply of `rows`; rows without a price are left out.
    pub fn new(listing: &Listing, rows: &[u32], measures: &Measures<'_>) -> Self {
        let supply = Supply::new(listing, rows);
        let price = |row: u32| (measures.price)(row as usize);
        let machines = supply.sets(Unit::Gpus, price);
        let levels = supply.machines().iter();
        let unit_price = |row: u32| (measures.unit_price)(row as usize);
        let mut levels: Vec<(f64, u64)> = levels.flat_map(|machine| machine.levels(unit_price)).collect();
        levels.sort_by(|left, right| left.0.total_cmp(&right.0));
        let mut total = 0;
        for (_, gpus) in &mut levels {
            total += *gpus;
            *gpus = total;
        }
        Self {
            all: Purchase::from_sets(machines.iter().filter_map(|sets| sets.last())),
            levels,
            machines,
        }
    }

    /// The cumulative number of GPUs at or below each price per GPU, by rising price.
    pub fn levels(&self) -> &[(f64, u64)] {
        &self.levels
    }

    /// The number of all GPUs that can be rented at once.
    pub const fn gpus(&self) -> u64 {
        self.all.gpus
    }

    /// The cheapest offers that together have at least this many GPUs; `None` if the supply has fewer. The
    /// time grows with the number, so callers ask for at most `MOST_GPUS`.
    pub fn buy(&self, gpus: u64) -> Option<Purchase> {
        self.sizes(&[usize::try_from(gpus).ok()?]).pop()
    }

    /// The cheapest purchases of 1, 2, 4, ... GPUs (at most `MOST_GPUS`) and of all GPUs, without duplicates.
    pub fn purchases(&self) -> Vec<Purchase> {
        let all = usize::try_from(self.gpus()).unwrap_or(usize::MAX);
        let sizes = (0..usize::BITS).map(|power| 1 << power);
        let powers = sizes.take_while(|size| *size < all && *size <= MOST_GPUS);
        let mut purchases = self.sizes(&powers.collect::<Vec<_>>());
        purchases.push(self.all.clone());
        purchases.retain(|purchase| purchase.gpus > 0);
        purchases.dedup();
        purchases
    }

    /// The cheapest offers for each of these rising numbers of GPUs; numbers that the supply does not reach
    /// are left out.
    fn sizes(&self, sizes: &[usize]) -> Vec<Purchase> {
        let Some(most) = sizes.last() else {
            return Vec::new();
        };
        let knapsack = Knapsack::new(&self.machines, *most, Machines::default());
        let sizes = sizes.iter();
        let purchases = sizes.filter_map(|size| Some(Purchase::from_sets(knapsack.choice(*size)?)));
        purchases.collect()
    }

    /// Describes the supply: `From $1.52/h; 8 GPUs at an average of $1.89/h, 32 at $2.15/h, all 43 at
    /// $2.39/h`. The first is the lowest price of a GPU, then come the averages of the cheapest 8 GPUs, of a
    /// larger purchase, from 16 GPUs on, and of all GPUs. If the first 8 are all, only the last follows, and
    /// equal prices are one: `8 GPUs at $1.52/h`. `None` without GPUs.
    ///
    /// `money` formats a price per GPU. Unless `is_complete`, it is `all 43 received` in place of `all 43`.
    pub fn describe_supply(&self, is_complete: bool, money: impl Fn(f64) -> String) -> Option<String> {
        /// The first size mentioned: a machine of the largest kind.
        const FIRST: u64 = 8;
        let all = self.gpus();
        let received = if is_complete { "" } else { " received" };
        let first = self.buy(FIRST.min(all))?;
        let lowest = money(self.levels().first()?.0);
        let (gpus, nouns) = match first.gpus {
            1 => (1, "GPU"),
            gpus => (gpus, "GPUs"),
        };
        let average = money(self.all.average());
        if gpus == all {
            return Some(if lowest == average {
                format!("{gpus} {nouns} at {lowest}")
            } else {
                format!("From {lowest}; all {gpus} {nouns}{received} at an average of {average}")
            });
        }
        // The largest power of two below all: rented sizes double.
        let largest = (1 << (all - 1).ilog2()).min(MOST_GPUS as u64);
        let half = if largest >= 2 * FIRST { self.buy(largest) } else { None };
        let middle = half.filter(|middle| gpus < middle.gpus && middle.gpus < all);
        let larger = middle.map_or_else(String::new, |middle| {
            format!(" {} at {},", middle.gpus, money(middle.average()))
        });
        Some(format!(
            "From {lowest}; {gpus} {nouns} at an average of {},{larger} all {all}{received} at {average}",
            money(first.average())
        ))
    }
}

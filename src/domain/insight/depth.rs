//! Depth: how many distinct GPUs there are at or below each price, and what buying N of them costs.

use super::supply::Supply;
use super::{Measures, count};
use crate::domain::listing::Listing;

/// An offer of the book: offers of one machine that share GPUs are never in it together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthStep {
    pub row: u32,
    pub gpus: u64,
    /// The price of the whole offer.
    pub price: f64,
    /// GPUs of this and all cheaper offers.
    pub total: u64,
    /// The price of this and all cheaper offers together.
    pub cost: f64,
}

impl DepthStep {
    /// The price of one of its GPUs.
    pub fn unit_price(&self) -> f64 {
        self.price / gpus(self.gpus)
    }

    /// The average price per GPU up to here.
    pub fn average(&self) -> f64 {
        self.cost / gpus(self.total)
    }
}

/// The cheapest offers of the book that have N GPUs. Offers are rented whole, so that it may be
/// more than N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Walk {
    pub gpus: u64,
    pub offers: usize,
    pub cost: f64,
    /// The average price per GPU.
    pub average: f64,
    /// The price per GPU of the last offer.
    pub highest: f64,
}

/// The offers that can be rented together, cheapest per GPU first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Depth {
    steps: Vec<DepthStep>,
}

impl Depth {
    /// The book of `rows`: of each machine the slices that can be rented together and have the most
    /// GPUs, at the least price. Rows without a price are left out.
    pub fn of(listing: &Listing, rows: &[u32], measures: &Measures<'_>) -> Self {
        let supply = Supply::of(listing, rows);
        let price = |row: u32| (measures.price)(row as usize);
        let lots = supply.machines().iter();
        let mut steps: Vec<DepthStep> = lots
            .flat_map(|machine| machine.largest_set(&price))
            .map(|lot| DepthStep {
                row: lot.row(),
                gpus: lot.gpus(),
                price: lot.price,
                total: 0,
                cost: 0.0,
            })
            .collect();
        let larger = |left: &DepthStep, right: &DepthStep| right.gpus.cmp(&left.gpus);
        steps.sort_by(|left, right| {
            let by_price = left.unit_price().total_cmp(&right.unit_price());
            let by_row = || left.row.cmp(&right.row);
            by_price.then(larger(left, right)).then_with(by_row)
        });
        let (mut total, mut cost) = (0, 0.0);
        for step in &mut steps {
            total += step.gpus;
            cost += step.price;
            (step.total, step.cost) = (total, cost);
        }
        Self { steps }
    }

    pub fn steps(&self) -> &[DepthStep] {
        &self.steps
    }

    pub fn gpus(&self) -> u64 {
        self.steps.last().map_or(0, |last| last.total)
    }

    /// The cheapest offers with this many GPUs; `None` if there are not so many.
    pub fn walk(&self, gpus: u64) -> Option<Walk> {
        let last = self.steps.partition_point(|step| step.total < gpus.max(1));
        let step = self.steps.get(last)?;
        Some(Walk {
            gpus: step.total,
            offers: last + 1,
            cost: step.cost,
            average: step.average(),
            highest: step.unit_price(),
        })
    }

    /// Walks to the powers of two and to all GPUs, without those that end at the same offer.
    pub fn walks(&self) -> Vec<Walk> {
        let powers = (0..u64::BITS).map(|power| 1 << power);
        let sizes = powers.take_while(|size| *size < self.gpus());
        let mut walks: Vec<Walk> = sizes
            .chain([self.gpus()])
            .filter_map(|size| self.walk(size))
            .collect();
        walks.dedup_by_key(|walk| walk.offers);
        walks
    }

    /// The book in a sentence: `8 GPUs from $1.89/h, 32 at an average of $2.15/h, all 43 at
    /// $2.39/h`; `None` if it is empty. `money` writes a price per GPU.
    pub fn sentence(&self, money: impl Fn(f64) -> String) -> Option<String> {
        /// The first size named: a machine of the largest kind.
        const FIRST: u64 = 8;
        let all = self.steps.last()?;
        let lowest = money(self.steps.first()?.unit_price());
        let first = self.walk(FIRST.min(all.total))?;
        let nouns = if first.gpus == 1 { "GPU" } else { "GPUs" };
        let first_gpus = first.gpus;
        if first_gpus == all.total {
            let average = money(all.average());
            return Some(if lowest == average {
                format!("{first_gpus} {nouns} at {lowest}")
            } else {
                format!("{first_gpus} {nouns} from {lowest}, all at an average of {average}")
            });
        }
        let largest = 1 << (all.total - 1).ilog2();
        let middle = self.walk(largest).filter(|middle| {
            first_gpus < middle.gpus && middle.gpus < all.total && largest >= 2 * FIRST
        });
        let average = money(all.average());
        Some(match middle {
            Some(middle) => format!(
                "{first_gpus} {nouns} from {lowest}, {} at an average of {}, all {} at {average}",
                middle.gpus,
                money(middle.average),
                all.total
            ),
            None => format!(
                "{first_gpus} {nouns} from {lowest}, all {} at an average of {average}",
                all.total
            ),
        })
    }
}

/// A number of GPUs as a float.
fn gpus(number: u64) -> f64 {
    count(usize::try_from(number).unwrap_or(usize::MAX))
}

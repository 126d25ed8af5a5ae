//! A cluster: the cheapest offers that together have a number of GPUs, within limits. Exact: a group knapsack over the
//! disjoint slices of each machine.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::depth::MOST_GPUS;
use super::knapsack::Knapsack;
use super::supply::{Lot, Machine, Set, Supply, Unit};
use super::{total, whole};
use crate::cost::{Basis, Prices};
use crate::country;
use crate::format::{counted, nominal_gb};
use crate::listing::Listing;
use crate::value::CellRef;

mod need;
mod remarks;

pub use need::{Need, Same};
pub use remarks::{OfferName, Remark, RemarkKind};

/// The maximum number of offers of a plan for which a runner-up is computed.
///
/// Each offer is left out once, and the whole plan computed again, while the user waits.
const MOST_LEFT_OUT: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The offers with their prices by machine, the most expensive machine first.
    pub machines: Vec<Vec<Lot>>,
    pub gpus: u64,
    /// The total price: the job's bill, or $/h without a job.
    pub bill: f64,
}

impl Plan {
    /// The plan of these offers by machine, none empty; sorts the machines, the most expensive first, and
    /// adds up GPUs and prices.
    fn new(mut machines: Vec<Vec<Lot>>) -> Self {
        let cost = |lots: &Vec<Lot>| total(lots.iter().map(|lot| lot.price));
        machines.sort_by(|left, right| {
            let by_cost = cost(right).total_cmp(&cost(left));
            by_cost.then_with(|| left[0].row.cmp(&right[0].row))
        });
        Self {
            gpus: machines.iter().flatten().map(|lot| lot.gpus).sum(),
            bill: total(machines.iter().map(cost)),
            machines,
        }
    }

    /// Iterates over its offers with their prices, machine by machine.
    pub fn lots(&self) -> impl Iterator<Item = Lot> {
        self.machines.iter().flatten().copied()
    }

    /// Iterates over the rows of its offers, in the order of `lots`.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.lots().map(|lot| lot.row)
    }

    /// The number of all GPUs of its offers, which share the work of a job.
    pub fn gpu_count(&self) -> u32 {
        u32::try_from(self.gpus).unwrap_or(u32::MAX)
    }

    /// Describes the size of the cluster: `8 GPUs in 3 offers on 2 machines`.
    pub fn describe_size(&self) -> String {
        let gpus = usize::try_from(self.gpus).unwrap_or(usize::MAX);
        format!(
            "{} in {} on {}",
            counted(gpus, "GPU", "GPUs"),
            counted(self.rows().count(), "offer", "offers"),
            counted(self.machines.len(), "machine", "machines")
        )
    }
}

/// A plan with its alternatives and limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Planning {
    /// The cheapest plan, even if it exceeds the budget; `None` if no offers meet the need.
    pub plan: Option<Plan>,
    /// The cheapest plan that replaces at least one offer of the best one.
    pub runner_up: Option<Plan>,
    /// The limits that raise the bill or make a plan impossible, with the bill without each.
    pub binding: Vec<(String, f64)>,
    /// Whether any limit is set.
    pub is_limited: bool,
    /// Hours until all of the plan's offers are done, if they share work; else `None`.
    pub hours: Option<f64>,
    /// The bills of fewer and more GPUs, including the requested number; `None` for numbers that the offers do not
    /// reach.
    pub curve: Vec<(u32, Option<f64>)>,
    /// The most GPUs that the budget pays for, if the plan exceeds it.
    pub affordable: Option<u32>,
    /// The most GPUs that offers within the limits have, at most the requested number.
    pub most: u32,
    /// The number of offers that individually meet the need.
    pub offers: usize,
}

/// The price of an offer, and the length of the job on it.
#[derive(Debug, Clone, Copy)]
struct Quote {
    price: f64,
    /// The hours of the job; `None` without a job.
    hours: Option<f64>,
    /// Whether the offer can do the job.
    fits: bool,
}

/// The quotes of the rows that have a price.
type Quotes = BTreeMap<u32, Quote>;

/// The offers to choose from.
pub struct Offers<'a> {
    prices: &'a Prices<'a>,
    basis: Basis,
    /// The rows available for rent.
    rows: Vec<u32>,
    /// The quotes by the number of GPUs that share the work of the job; 0 for prices that do not depend on it.
    quotes: RefCell<BTreeMap<u32, Rc<Quotes>>>,
}

impl<'a> Offers<'a> {
    /// The offers from which clusters are planned: all `candidates` if `basis` has a job, of which those that
    /// cannot do it are left out later; without a job the candidates that satisfy `is_choice`.
    pub fn new(prices: &'a Prices<'a>, basis: Basis, candidates: &[u32], is_choice: impl Fn(usize) -> bool) -> Self {
        let all = candidates.iter().copied();
        let rows = all.filter(|row| basis.job.is_some() || is_choice(*row as usize));
        Self {
            prices,
            basis,
            rows: rows.collect(),
            quotes: RefCell::default(),
        }
    }

    const fn listing(&self) -> &'a Listing {
        self.prices.listing()
    }

    /// Whether prices are bills of work, which depend on the number of rented GPUs.
    fn is_work(&self) -> bool {
        self.basis.is_work()
    }

    /// The quotes if `gpus` GPUs are rented, on which only prices of work depend. Computed once for each
    /// number.
    fn quotes(&self, gpus: u32) -> Rc<Quotes> {
        let shares = if self.is_work() { gpus } else { 0 };
        let mut known = self.quotes.borrow_mut();
        let quotes = known
            .entry(shares)
            .or_insert_with(|| Rc::new(self.compute_quotes(gpus)));
        Rc::clone(quotes)
    }

    /// Computes the quotes if `gpus` GPUs are rented; rows without a price are left out.
    fn compute_quotes(&self, gpus: u32) -> Quotes {
        let basis = Basis {
            job: self.basis.job.map(|job| job.on_gpus(gpus)),
            ..self.basis
        };
        let (prices, now) = (self.prices, self.listing().read_at());
        let quote = |row: &u32| {
            let index = *row as usize;
            let quote = Quote {
                price: basis.price(prices, index).ok()?,
                hours: basis.job.and_then(|job| prices.job_hours(index, &job).ok()),
                fits: basis.job.is_none_or(|job| prices.fits(index, &job, now)),
            };
            Some((*row, quote))
        };
        self.rows.iter().filter_map(quote).collect()
    }

    /// The price of a row as part of a rental; `None` if it has none, cannot do the job, or takes longer than
    /// the deadline of the need or an unknown time.
    fn price(quotes: &Quotes, need: &Need, row: u32) -> Option<f64> {
        let quote = quotes.get(&row).filter(|quote| quote.fits)?;
        let in_time = need
            .deadline
            .is_none_or(|most| quote.hours.is_some_and(|hours| hours <= most));
        in_time.then_some(quote.price)
    }

    /// Whether each GPU of an offer has the required memory, in nominal GB; false if it is required and not
    /// reported.
    fn has_memory(&self, row: usize, need: &Need) -> bool {
        let memory = || {
            let field = self.listing().catalog().by_key("gpu_ram")?;
            self.listing().cell(row, field).number().map(nominal_gb)
        };
        need.vram_gb
            .is_none_or(|least| memory().is_some_and(|offered| offered >= least))
    }

    /// The rows that individually meet the need if `gpus` GPUs are rented, in groups that a plan must not
    /// mix. Rows that do not report a field that must be the same are left out.
    fn groups(&self, need: &Need, gpus: u32) -> Vec<Vec<u32>> {
        let (listing, quotes) = (self.listing(), self.quotes(gpus));
        let mut is_matching = vec![need.conditions.is_empty(); listing.len()];
        if !need.conditions.is_empty() {
            for row in listing.matching(&need.conditions) {
                is_matching[row as usize] = true;
            }
        }
        let same = need.same.map(Same::field);
        let keys: Vec<&str> = need.one_model.then_some("gpu_name").into_iter().chain(same).collect();
        let mut groups: BTreeMap<Vec<String>, Vec<u32>> = BTreeMap::new();
        for row in quotes.keys().copied() {
            let index = row as usize;
            if !is_matching[index] || !self.has_memory(index, need) || Self::price(&quotes, need, row).is_none() {
                continue;
            }
            // An offer that does not report a field cannot be known to share it.
            let group: Option<Vec<String>> = keys.iter().map(|key| value(listing, index, key)).collect();
            if let Some(group) = group {
                groups.entry(group).or_default().push(row);
            }
        }
        groups.into_values().collect()
    }

    /// The sets of offers of each machine that can be rented together, priced as part of a rental of `gpus`
    /// GPUs.
    ///
    /// Leaves out the offer `without`, sets smaller than `need.per_machine`, and machines without a set.
    fn sets(&self, supply: &Supply, need: &Need, (gpus, without): (u32, Option<u32>)) -> Vec<Vec<Set>> {
        let quotes = self.quotes(gpus);
        let price = |row: u32| Self::price(&quotes, need, row).filter(|_| Some(row) != without);
        let mut machines = supply.sets(Unit::Gpus, price);
        let least = need.per_machine.unwrap_or(1) as usize;
        for sets in &mut machines {
            sets.retain(|set| set.units >= least);
        }
        machines.retain(|sets| !sets.is_empty());
        machines
    }

    /// The lowest bill of each number of GPUs up to `gpus`, and the cheapest plan for `need.gpus`, without
    /// the offer `without`.
    ///
    /// Only for prices that do not depend on the number of GPUs.
    fn solve(&self, need: &Need, gpus: usize, without: Option<u32>) -> Solution {
        let mut solution = Solution {
            bills: vec![None; gpus + 1],
            plan: None,
        };
        for rows in self.groups(need, need.gpus) {
            let machines = self.sets(&Supply::new(self.listing(), &rows), need, (need.gpus, without));
            solution.add(&machines, need, gpus);
        }
        solution
    }

    /// The cheapest plan for a need, without the offer `without`; `None` if no offers meet the need.
    fn cheapest(&self, need: &Need, without: Option<u32>) -> Option<Plan> {
        if !self.is_work() {
            return self.solve(need, need.gpus as usize, without).plan;
        }
        let groups = self.groups(need, need.most_gpus());
        groups.into_iter().fold(None, |best, rows| {
            let supply = Supply::new(self.listing(), &rows);
            self.cheapest_work(&supply, need, without, best)
        })
    }

    /// The cheapest plan of work, each offer billed for its share among all GPUs of the plan; `best` if none is
    /// cheaper.
    ///
    /// With the prices of N GPUs the cheapest offers of at least N may have more: they then cost even less, so the
    /// least of these bills over all N is that of the best plan.
    fn cheapest_work(
        &self,
        supply: &Supply,
        need: &Need,
        without: Option<u32>,
        mut best: Option<Plan>,
    ) -> Option<Plan> {
        let top = self.most(supply, need, without);
        let rows: Vec<u32> = supply.machines().iter().flat_map(Machine::rows).collect();
        // Numbers of GPUs with which no offer is in time are skipped.
        let is_late = |gpus: u32| {
            let quotes = self.quotes(gpus);
            !rows.iter().any(|row| Self::price(&quotes, need, *row).is_some())
        };
        let mut first = need.gpus;
        let mut last = if is_late(first) { top } else { first };
        while first < last {
            let middle = u32::midpoint(first, last);
            if is_late(middle) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        for gpus in first..=top {
            let quotes = self.quotes(gpus);
            let bill = best.as_ref().map_or(f64::INFINITY, |plan| plan.bill) * (1.0 - 1e-9);
            let is_other = |row: &u32| Some(*row) != without;
            let any = |row: u32| Some(quotes.get(&row).filter(|_| is_other(&row))?.price);
            let rentable = |row: u32| Self::price(&quotes, need, row).filter(|_| is_other(&row));
            // A lower bound: more GPUs cannot cost less.
            if supply.bound(gpus, any) >= bill {
                break;
            }
            if supply.bound(gpus, rentable) >= bill {
                continue;
            }
            let machines = self.sets(supply, need, (gpus, without));
            let knapsack = Knapsack::new(&machines, gpus as usize, need.machines(gpus as usize));
            let Some(choice) = knapsack.choice(gpus as usize) else {
                continue;
            };
            let plan = self.repriced(choice);
            if plan.bill < bill {
                best = Some(plan);
            }
        }
        best
    }

    /// A plan of work, repriced for its actual number of GPUs.
    fn repriced(&self, sets: Vec<&Set>) -> Plan {
        let gpus: u64 = sets.iter().flat_map(|set| &set.lots).map(|lot| lot.gpus).sum();
        let quotes = self.quotes(u32::try_from(gpus).unwrap_or(u32::MAX));
        let lots = |set: &Set| {
            let lots = set.lots.iter().map(|lot| Lot {
                price: quotes.get(&lot.row).map_or(lot.price, |quote| quote.price),
                ..*lot
            });
            lots.collect()
        };
        Plan::new(sets.into_iter().map(lots).collect())
    }

    /// The most GPUs of a plan of work within the limits, without the offer `without`; 0 if there are too few
    /// machines.
    fn most(&self, supply: &Supply, need: &Need, without: Option<u32>) -> u32 {
        let machines = self.sets(supply, need, (need.most_gpus(), without));
        let mut sizes: Vec<usize> = machines.iter().filter_map(|sets| Some(sets.last()?.units)).collect();
        sizes.sort_unstable_by(|left, right| right.cmp(left));
        if sizes.len() < need.least_machines.unwrap_or(0) as usize {
            return 0;
        }
        let machines = need.most_machines.map_or(usize::MAX, |most| most as usize);
        let gpus: usize = sizes.into_iter().take(machines).sum();
        u32::try_from(gpus).unwrap_or(u32::MAX).min(need.most_gpus())
    }

    /// Plans a cluster: the cheapest offers that together meet the need, with the runner-up, the limits that
    /// raise the bill, the bills of a quarter to twice as many GPUs, and, if the budget is exceeded and the
    /// bill is not for work, the GPUs that it pays for.
    pub fn plan(&self, need: &Need) -> Planning {
        let gpus = need.gpus as usize;
        let largest = (2 * gpus).min(MOST_GPUS).max(gpus);
        // Sizes around the requested one show whether a little less or more is much cheaper per GPU.
        let mut sizes: Vec<usize> = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0]
            .map(|factor| whole((f64::from(need.gpus) * factor).round(), largest).max(1))
            .to_vec();
        sizes.dedup();
        let number = |gpus: usize| u32::try_from(gpus).unwrap_or(u32::MAX);
        let around = if self.is_work() {
            self.around_work(need, &sizes)
        } else {
            self.around(need, &sizes)
        };
        let Around {
            plan,
            bills,
            most,
            offers,
            affordable,
        } = around;
        let bill = plan.as_ref().map_or(f64::INFINITY, |plan| plan.bill);
        let relaxed = need.relaxed();
        let is_limited = !relaxed.is_empty();
        let binding = relaxed.into_iter().filter_map(|(name, need)| {
            let lower = self.cheapest(&need, None)?.bill;
            // A difference below a hundredth of a cent is rounding.
            (lower < bill - 1e-4).then_some((name, lower))
        });
        Planning {
            runner_up: plan.as_ref().and_then(|plan| self.runner_up(need, plan)),
            binding: binding.collect(),
            is_limited: is_limited && self.basis.job.is_none_or(|job| job.deadline.is_none()),
            hours: plan
                .as_ref()
                .filter(|_| self.is_work())
                .and_then(|plan| self.hours(plan)),
            curve: sizes.into_iter().map(number).zip(bills).collect(),
            affordable,
            most,
            offers,
            plan,
        }
    }

    /// The cheapest plan, and the bills of `sizes`, which are numbers of GPUs; if the plan exceeds the
    /// budget, also the GPUs that the budget pays for. Only for prices that do not depend on the number of
    /// GPUs rented.
    fn around(&self, need: &Need, sizes: &[usize]) -> Around {
        let gpus = need.gpus as usize;
        let largest = sizes.iter().copied().fold(gpus, usize::max);
        let Solution { bills, plan } = self.solve(need, largest, None);
        let budget = need
            .budget
            .filter(|budget| plan.as_ref().is_some_and(|plan| plan.bill > *budget));
        let number = |gpus: Option<usize>| u32::try_from(gpus.unwrap_or(0)).unwrap_or(u32::MAX);
        let paid = budget.map(|budget| {
            let is_paid = |bill: &Option<f64>| bill.is_some_and(|bill| bill <= budget);
            number(bills[..gpus].iter().rposition(is_paid))
        });
        Around {
            bills: sizes.iter().map(|size| bills[*size]).collect(),
            most: number(bills[..=gpus].iter().rposition(Option::is_some)),
            offers: self.groups(need, need.gpus).iter().map(Vec::len).sum(),
            affordable: paid,
            plan,
        }
    }

    /// The cheapest plan of work, and the bills of `sizes`, which are numbers of GPUs. No offer counts if all
    /// are late with the available GPUs. The GPUs that a budget affords are not computed.
    fn around_work(&self, need: &Need, sizes: &[usize]) -> Around {
        let plan = self.cheapest(need, None);
        let groups = self.groups(need, need.most_gpus());
        let each = groups
            .iter()
            .map(|rows| self.most(&Supply::new(self.listing(), rows), need, None));
        let most = each.max().unwrap_or(0);
        let bill = |size: &usize| {
            let gpus = u32::try_from(*size).unwrap_or(u32::MAX);
            let need = Need { gpus, ..need.clone() };
            self.cheapest(&need, None).map(|plan| plan.bill)
        };
        // Offers that are only in time with more GPUs than are available do not meet the limits.
        let is_late = plan.is_none() && most >= need.gpus;
        Around {
            bills: sizes.iter().map(bill).collect(),
            most: most.min(need.gpus),
            offers: if is_late { 0 } else { groups.iter().map(Vec::len).sum() },
            // Fewer GPUs run longer, so the bill of a part does not show how much the budget affords.
            affordable: None,
            plan,
        }
    }

    /// Hours that the slowest offer of a plan runs; `None` without a job.
    fn hours(&self, plan: &Plan) -> Option<f64> {
        let quotes = self.quotes(plan.gpu_count());
        let hours = plan.rows().filter_map(|row| quotes.get(&row)?.hours);
        hours.reduce(f64::max)
    }

    /// The cheapest plan without at least one of the offers of the best one; `None` if the plan has more than
    /// [`MOST_LEFT_OUT`] offers, or there is no other plan.
    fn runner_up(&self, need: &Need, plan: &Plan) -> Option<Plan> {
        let rows: Vec<u32> = plan.rows().collect();
        if rows.len() > MOST_LEFT_OUT {
            return None;
        }
        let plans = rows.into_iter().filter_map(|row| self.cheapest(need, Some(row)));
        plans.min_by(|left, right| left.bill.total_cmp(&right.bill))
    }
}

/// The cheapest plan, and the bills of other sizes.
struct Around {
    plan: Option<Plan>,
    /// The bill of each size, `None` for sizes that the offers do not reach.
    bills: Vec<Option<f64>>,
    /// The most GPUs that offers within the limits have, at most the requested number.
    most: u32,
    /// The number of offers that individually meet the need.
    offers: usize,
    /// The most GPUs that the budget pays for, if the plan exceeds it.
    affordable: Option<u32>,
}

/// The value of a field as text, for a location its country; `None` if it is empty or neither text nor
/// number.
fn value(listing: &Listing, row: usize, key: &str) -> Option<String> {
    match listing.cell_of(row, key) {
        CellRef::Text(text) if key == Same::Country.field() => Some(country::code(text).to_owned()),
        CellRef::Text(text) => Some(text.to_owned()),
        CellRef::Number(number) => Some(number.to_string()),
        _ => None,
    }
    .filter(|text| !text.is_empty())
}

/// The lowest bills, and the cheapest plan.
struct Solution {
    bills: Vec<Option<f64>>,
    plan: Option<Plan>,
}

impl Solution {
    /// Adds the machines of one more group: lowers the bills of up to `gpus` GPUs and replaces the plan where
    /// they are cheaper.
    fn add(&mut self, machines: &[Vec<Set>], need: &Need, gpus: usize) {
        let knapsack = Knapsack::new(machines, gpus, need.machines(gpus));
        for (gpus, bill) in self.bills.iter_mut().enumerate().skip(1) {
            let cost = knapsack.cost(gpus);
            *bill = [*bill, cost].into_iter().flatten().reduce(f64::min);
        }
        let choice = knapsack.choice(need.gpus as usize);
        let lots = |sets: Vec<&Set>| Plan::new(sets.into_iter().map(|set| set.lots.clone()).collect());
        let plans = self.plan.take().into_iter().chain(choice.map(lots));
        self.plan = plans.reduce(|known, new| if new.bill < known.bill { new } else { known });
    }
}

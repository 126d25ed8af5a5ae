//! A cluster: offers that together have so many GPUs, or so much `DLPerf`, at the lowest bill.
//!
//! Offers of one machine that share GPUs are never in it together; see [`Supply`]. The plan is exact
//! unless the steps of the search ran out, and then says by how much it may be too expensive.

use std::collections::HashMap;

use super::supply::{Lot, Supply};
use crate::domain::cost::{Basis, Prices};
use crate::domain::format::nominal_gb;
use crate::domain::listing::Listing;
use crate::domain::value::CellRef;

mod need;
mod pool;
mod search;
mod words;

pub use need::{Limit, Need, Target};
pub use words::{Bill, Remark};

use pool::{Pool, Terms};
use search::{Found, Outcome, Search, Steps};

/// The most partial plans of the search for the plan, and of each of the other searches.
const STEPS: usize = 400_000;
const STEPS_ASIDE: usize = 40_000;

#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The rows, machine by machine, the most expensive machine first.
    pub machines: Vec<Vec<u32>>,
    pub gpus: u64,
    /// `DLPerf` of all offers that report it.
    pub dlperf: f64,
    /// The sum of the offers' prices: the job's bill, or $/h without a job.
    pub bill: f64,
    /// By how much a cheaper plan may undercut it: 0 if it is the cheapest for certain.
    pub gap: f64,
}

impl Plan {
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.machines.iter().flatten().copied()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binding {
    pub limit: Limit,
    /// The bill without the limit.
    pub bill: f64,
}

/// A plan, and what else there is to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Planning {
    /// The cheapest plan, even if it is over the budget; `None` if no offers meet the need.
    pub plan: Option<Plan>,
    /// The cheapest plan in which at least one of its offers is another one.
    pub runner_up: Option<Plan>,
    /// The limits without which the bill would be lower, or a plan possible.
    pub binding: Vec<Binding>,
    /// The bills of smaller and larger targets, the need's own among them; `None` where no offers
    /// meet them.
    pub curve: Vec<(Target, Option<f64>)>,
    /// The most GPUs, or `DLPerf`, that offers within the limits have where that is less than the
    /// target.
    pub most: f64,
    /// The most GPUs that the budget pays for, if the plan costs more.
    pub affordable: Option<u32>,
    /// How many offers meet the need one by one.
    pub offers: usize,
}

/// The offers to choose from.
#[derive(Debug)]
pub struct Offers<'a> {
    listing: &'a Listing,
    facts: Vec<Facts>,
    /// Where the facts of a row are, if it can be rented.
    places: HashMap<u32, usize>,
}

/// What a plan depends on, of one row.
#[derive(Debug)]
struct Facts {
    row: u32,
    price: f64,
    dlperf: Option<f64>,
    model: String,
    vram_gb: Option<f64>,
    network: Option<f64>,
    hours: Option<f64>,
}

impl<'a> Offers<'a> {
    /// The rows that have a price by `basis`, under `is_choice`.
    pub fn new(
        prices: &Prices<'a>,
        basis: Basis,
        rows: &[u32],
        is_choice: impl Fn(usize) -> bool,
    ) -> Self {
        let listing = prices.listing();
        let column = |key: &str| listing.catalog().by_key(key).map(|it| listing.column(it));
        let [vram, down, up] = ["gpu_ram", "inet_down", "inet_up"].map(column);
        let model = column("gpu_name");
        let facts = rows.iter().filter(|row| is_choice(**row as usize));
        let facts = facts.filter_map(|row| {
            let place = *row as usize;
            let price = basis.price(prices, place).ok()?;
            let number = |column: Option<&super::Column>| {
                let number = column?.cell(place).number()?;
                number.is_finite().then_some(number)
            };
            let hours = basis.job.and_then(|job| prices.job_hours(place, &job).ok());
            Some(Facts {
                row: *row,
                price,
                dlperf: prices.dlperf(place).ok(),
                model: match model.map(|model| model.cell(place)) {
                    Some(CellRef::Text(name)) => name.to_owned(),
                    _ => String::new(),
                },
                vram_gb: number(vram).map(nominal_gb),
                network: number(down).zip(number(up)).map(|(down, up)| down.min(up)),
                hours,
            })
        });
        let facts: Vec<Facts> = facts.collect();
        let places = facts.iter().enumerate();
        Self {
            listing,
            places: places.map(|(place, own)| (own.row, place)).collect(),
            facts,
        }
    }

    fn facts(&self, row: u32) -> Option<&Facts> {
        Some(&self.facts[*self.places.get(&row)?])
    }

    /// The price of a row that can be rented.
    pub fn price(&self, row: u32) -> Option<f64> {
        self.facts(row).map(|own| own.price)
    }

    /// The rows that meet the need one by one, in groups that a plan must not mix.
    fn groups(&self, need: &Need) -> Vec<Vec<u32>> {
        let admitted: Vec<u32> = {
            let own = self.facts.iter().filter(|own| own.meets(need));
            own.map(|own| own.row).collect()
        };
        let mut admitted = admitted;
        if !need.conditions.is_empty() {
            let mut matching = vec![false; self.listing.len()];
            for row in self.listing.matching(&need.conditions) {
                matching[row as usize] = true;
            }
            admitted.retain(|row| matching[*row as usize]);
        }
        if !need.one_model {
            return vec![admitted];
        }
        let mut groups: HashMap<&str, usize> = HashMap::new();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for row in admitted {
            let Some(own) = self.facts(row).filter(|own| !own.model.is_empty()) else {
                continue;
            };
            let group = *groups.entry(&own.model).or_insert_with(|| {
                rows.push(Vec::new());
                rows.len() - 1
            });
            rows[group].push(row);
        }
        rows
    }

    /// The machines of each group.
    fn supplies(&self, need: &Need) -> Vec<Supply> {
        let groups = self.groups(need);
        let supplies = groups.iter().map(|rows| Supply::of(self.listing, rows));
        supplies.collect()
    }

    /// The cheapest plan for a need.
    pub fn plan(&self, need: &Need) -> Planning {
        let supplies = self.supplies(need);
        let (best, pools) = self.best(need, &supplies, STEPS);
        let runner_up = best
            .as_ref()
            .and_then(|best| self.runner_up(need, &pools, best));
        let plan = best.map(|best| best.plan);
        let bill = plan.as_ref().map_or(f64::INFINITY, |plan| plan.bill);
        let binding = need.limits().filter_map(|limit| {
            let need = need.without(limit);
            let bill_without = self.bill(&need, &self.supplies(&need))?;
            // A difference below a hundredth of a cent is rounding.
            (bill_without < bill - 1e-4).then_some(Binding {
                limit,
                bill: bill_without,
            })
        });
        let rows = self.groups(need);
        let most = pools.iter().map(|pool| pool.most(need.machines));
        Planning {
            runner_up,
            binding: binding.collect(),
            curve: self.curve(need, &supplies, plan.as_ref()),
            most: most.fold(0.0, f64::max),
            affordable: self.affordable(need, &supplies, bill),
            offers: rows.iter().map(Vec::len).sum(),
            plan,
        }
    }

    /// The lowest bill for a need, whose machines are `supplies`.
    fn bill(&self, need: &Need, supplies: &[Supply]) -> Option<f64> {
        let (best, _) = self.best(need, supplies, STEPS_ASIDE);
        Some(best?.plan.bill)
    }

    /// The bills of smaller and larger targets.
    fn curve(
        &self,
        need: &Need,
        supplies: &[Supply],
        plan: Option<&Plan>,
    ) -> Vec<(Target, Option<f64>)> {
        let mut targets: Vec<Target> = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0]
            .into_iter()
            .map(|factor| need.target.scaled(factor))
            .collect();
        targets.dedup();
        let bill = |target: Target| {
            if target == need.target {
                return (target, plan.map(|plan| plan.bill));
            }
            let other = Need {
                target,
                ..need.clone()
            };
            (target, self.bill(&other, supplies))
        };
        targets.into_iter().map(bill).collect()
    }

    /// The most GPUs within the budget, if `bill` is over it.
    fn affordable(&self, need: &Need, supplies: &[Supply], bill: f64) -> Option<u32> {
        let budget = need
            .budget
            .filter(|budget| bill.is_finite() && bill > *budget)?;
        let Target::Gpus(gpus) = need.target else {
            return None;
        };
        let is_paid = |gpus: u32| {
            let need = Need {
                target: Target::Gpus(gpus),
                ..need.clone()
            };
            self.bill(&need, supplies)
                .is_some_and(|bill| bill <= budget)
        };
        // The bill never falls with the number of GPUs.
        let (mut paid, mut unpaid) = (0, gpus);
        while unpaid - paid > 1 {
            let middle = u32::midpoint(paid, unpaid);
            if is_paid(middle) {
                paid = middle;
            } else {
                unpaid = middle;
            }
        }
        Some(paid)
    }

    /// The terms of a need.
    fn terms<T>(&self, need: &Need, use_terms: impl FnOnce(&Terms<'_>) -> T) -> T {
        #[expect(clippy::cast_precision_loss)] // a slice has at most a million GPUs
        let gpus = |lot: &Lot<'_>| lot.gpus() as f64;
        let dlperf = |lot: &Lot<'_>| {
            self.facts(lot.row())
                .and_then(|own| own.dlperf)
                .unwrap_or(0.0)
        };
        use_terms(&Terms {
            price: &|row| self.price(row),
            amount: match need.target {
                Target::Gpus(_) => &gpus,
                Target::Dlperf(_) => &dlperf,
            },
            target: need.target.amount(),
            machines: need.machines.map(|machines| machines as usize),
            per_machine: u64::from(need.per_machine.unwrap_or(0)),
        })
    }

    /// The cheapest plan, and the machines of each group.
    fn best<'s>(
        &self,
        need: &Need,
        supplies: &'s [Supply],
        steps: usize,
    ) -> (Option<Best>, Vec<Pool<'s>>) {
        let pools: Vec<Pool<'s>> = self.terms(need, |terms| {
            let pools = supplies.iter();
            pools
                .map(|supply| Pool::new(supply.machines().iter(), terms))
                .collect()
        });
        let mut steps = Steps(steps);
        let (mut best, mut least) = (None, f64::INFINITY);
        let mut cutoff = f64::INFINITY;
        for (place, pool) in pools.iter().enumerate() {
            let outcome = Search::new(pool, None, cutoff).run(&mut steps);
            least = least.min(outcome.least);
            if let Some(found) = outcome.found {
                cutoff = found.cost;
                best = Some((place, found));
            }
        }
        let best = best.map(|(pool, found)| {
            let gap = (found.cost - least).max(0.0);
            Best {
                pool,
                plan: self.built(&found, gap),
            }
        });
        (best, pools)
    }

    /// The cheapest plan that lacks at least one of the offers of the best one.
    fn runner_up(&self, need: &Need, pools: &[Pool<'_>], best: &Best) -> Option<Plan> {
        let mut steps = Steps(STEPS);
        let mut second: Option<Found> = None;
        let mut least = f64::INFINITY;
        let mut note = |outcome: Outcome| {
            least = least.min(outcome.least);
            if outcome.found.is_some() {
                second = outcome.found;
            }
            second.as_ref().map_or(f64::INFINITY, |second| second.cost)
        };
        let mut cutoff = f64::INFINITY;
        let pool = &pools[best.pool];
        for row in best.plan.rows() {
            let is_site = |site: &pool::Site<'_>| site.machine.rows().any(|own| own == row);
            let Some(site) = pool.sites.iter().position(is_site) else {
                continue;
            };
            let others = self.terms(need, |terms| {
                terms.choices(pool.sites[site].machine, Some(row))
            });
            let search = Search::new(pool, Some((site, &others)), cutoff);
            cutoff = note(search.run(&mut steps));
        }
        for (place, pool) in pools.iter().enumerate() {
            if place != best.pool {
                cutoff = note(Search::new(pool, None, cutoff).run(&mut steps));
            }
        }
        let gap = |found: &Found| (found.cost - least).max(0.0);
        second.map(|found| self.built(&found, gap(&found)))
    }

    fn built(&self, found: &Found, gap: f64) -> Plan {
        let mut choices: Vec<_> = found.choices.iter().collect();
        choices.sort_by(|left, right| {
            let by_cost = right.cost.total_cmp(&left.cost);
            by_cost.then_with(|| left.rows.cmp(&right.rows))
        });
        let rows = choices.iter().flat_map(|choice| &choice.rows);
        let facts = rows.filter_map(|row| self.facts(*row));
        Plan {
            gpus: choices.iter().map(|choice| choice.gpus).sum(),
            dlperf: facts.filter_map(|own| own.dlperf).sum(),
            bill: found.cost,
            gap,
            machines: choices
                .into_iter()
                .map(|choice| choice.rows.clone())
                .collect(),
        }
    }
}

/// The cheapest plan, and the group of offers that it is from.
struct Best {
    pool: usize,
    plan: Plan,
}

impl Facts {
    /// Whether it meets the limits on single offers, conditions aside.
    fn meets(&self, need: &Need) -> bool {
        let is_at_least = |own: Option<f64>, least: Option<f64>| {
            least.is_none_or(|it| own.is_some_and(|own| own >= it))
        };
        is_at_least(self.vram_gb, need.vram_gb)
            && is_at_least(self.network, need.network)
            && need
                .deadline
                .is_none_or(|deadline| self.hours.is_some_and(|hours| hours <= deadline))
    }
}

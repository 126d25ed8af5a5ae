//! The machines that a plan can take, with the sets of slices on each, and lower bounds on the bill.
//!
//! The bound is the fractional knapsack: of the machines in order of price per unit, as much as is
//! missing. Where the number of machines is limited, every machine also costs a toll (a Lagrange
//! multiplier), which the bound pays back for as many machines as are allowed: otherwise a bound
//! made of many small machines would say nothing about plans of a few large ones.

use crate::domain::insight::count;
use crate::domain::insight::supply::{Lot, Machine};

/// Sums of amounts that differ by less are equal: `DLPerf` is added up in floating point.
const EPSILON: f64 = 1e-9;

/// Slices of one machine that can be rented together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    /// What it counts toward the target, at most all of it.
    pub amount: f64,
    pub cost: f64,
    pub gpus: u64,
    pub rows: Vec<u32>,
}

pub(super) struct Terms<'a> {
    pub price: &'a dyn Fn(u32) -> Option<f64>,
    /// What a slice counts toward the target.
    pub amount: &'a dyn Fn(&Lot<'_>) -> f64,
    pub target: f64,
    /// At most this many machines.
    pub machines: Option<usize>,
    /// At least this many GPUs on each.
    pub per_machine: u64,
}

impl Terms<'_> {
    /// The choices on a machine, without those that cost more and count less than another; all
    /// without the offer `without`.
    pub fn choices(&self, machine: &Machine, without: Option<u32>) -> Vec<Choice> {
        let price = |row: u32| (self.price)(row).filter(|_| Some(row) != without);
        let mut choices: Vec<Choice> = Vec::new();
        machine.sets(&price, &mut |chosen| {
            let gpus: u64 = chosen.iter().map(Lot::gpus).sum();
            let amount: f64 = chosen.iter().map(self.amount).sum();
            let amount = amount.min(self.target);
            if gpus < self.per_machine || amount <= 0.0 {
                return;
            }
            let cost = chosen.iter().map(|lot| lot.price).sum();
            let is_beaten = |by: &Choice| by.amount >= amount && by.cost <= cost;
            if choices.iter().any(is_beaten) {
                return;
            }
            choices.retain(|other| other.amount > amount || other.cost < cost);
            choices.push(Choice {
                amount,
                cost,
                gpus,
                rows: chosen.iter().map(Lot::row).collect(),
            });
        });
        choices
    }
}

/// A machine with its choices.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub machine: &'a Machine,
    pub choices: Vec<Choice>,
    /// The lowest price per unit, toll included.
    unit: f64,
    /// The most that it counts.
    most: f64,
}

impl Site<'_> {
    fn charge(&mut self, toll: f64) {
        let units = self.choices.iter();
        self.unit = units
            .map(|choice| (choice.cost + toll) / choice.amount)
            .fold(f64::INFINITY, f64::min);
    }
}

/// Machines in order of price, and what bounds need.
#[derive(Debug)]
pub(super) struct Pool<'a> {
    pub sites: Vec<Site<'a>>,
    pub target: f64,
    /// At most this many machines; `None` where a limit cannot matter.
    pub machines: Option<usize>,
    pub toll: f64,
    /// What the sites before each one count and cost at their lowest price.
    amounts: Vec<f64>,
    costs: Vec<f64>,
    /// The most that one of the sites from each one on counts.
    widest: Vec<f64>,
}

impl<'a> Pool<'a> {
    pub fn new(machines: impl Iterator<Item = &'a Machine>, terms: &Terms<'_>) -> Self {
        let sites = machines.filter_map(|machine| {
            let choices = terms.choices(machine, None);
            let most = choices.iter().map(|choice| choice.amount);
            let most = most.reduce(f64::max)?;
            Some(Site {
                machine,
                choices,
                unit: 0.0,
                most,
            })
        });
        let sites: Vec<Site<'a>> = sites.collect();
        let least = sites.iter().flat_map(|site| &site.choices);
        let least = least
            .map(|choice| choice.amount)
            .fold(f64::INFINITY, f64::min);
        let limit = terms
            .machines
            .filter(|limit| count(*limit) * least < terms.target && *limit < sites.len());
        let mut pool = Self {
            sites,
            target: terms.target,
            machines: limit,
            toll: 0.0,
            amounts: Vec::new(),
            costs: Vec::new(),
            widest: Vec::new(),
        };
        if pool.machines.is_some() {
            pool.toll = pool.best_toll();
        }
        pool.charge(pool.toll);
        pool
    }

    /// Puts the sites in order of their price under a toll.
    fn charge(&mut self, toll: f64) {
        for site in &mut self.sites {
            site.charge(toll);
        }
        self.sites
            .sort_by(|left, right| left.unit.total_cmp(&right.unit));
        let (mut amount, mut cost) = (0.0, 0.0);
        (self.amounts, self.costs) = (vec![0.0], vec![0.0]);
        for site in &self.sites {
            amount += site.most;
            cost += site.most * site.unit;
            self.amounts.push(amount);
            self.costs.push(cost);
        }
        let mut widest = 0.0;
        self.widest = vec![0.0; self.sites.len() + 1];
        for (place, site) in self.sites.iter().enumerate().rev() {
            widest = site.most.max(widest);
            self.widest[place] = widest;
        }
    }

    /// A toll under which the bound on the whole bill is high; the bound is concave in it.
    fn best_toll(&mut self) -> f64 {
        const STEPS: usize = 24;
        let highest = self.sites.iter().flat_map(|site| &site.choices);
        let highest = highest.map(|choice| choice.cost).fold(0.0, f64::max);
        let (mut low, mut high) = (0.0, highest);
        let mut bound = |toll: f64| {
            self.toll = toll;
            self.charge(toll);
            self.bound(self.target, 0, self.machines.unwrap_or(0))
        };
        for _ in 0..STEPS {
            let third = (high - low) / 3.0;
            if bound(low + third) < bound(high - third) {
                low += third;
            } else {
                high -= third;
            }
        }
        f64::midpoint(low, high)
    }

    /// At most this much can be missing for a target to count as reached.
    pub fn slack(&self) -> f64 {
        EPSILON * self.target
    }

    /// The most that `machines` of the sites count.
    pub fn most(&self, machines: Option<u32>) -> f64 {
        let mut most: Vec<f64> = self.sites.iter().map(|site| site.most).collect();
        most.sort_by(|left, right| right.total_cmp(left));
        let machines = machines.map_or(usize::MAX, |machines| machines as usize);
        most.iter().take(machines).sum()
    }

    /// No plan costs less that gets `missing` from `left` of the sites from `from` on; infinite
    /// where they do not have so much.
    pub fn bound(&self, missing: f64, from: usize, left: usize) -> f64 {
        let missing = missing - self.slack();
        if missing <= 0.0 {
            return 0.0;
        }
        if self.machines.is_some() && missing > count(left) * self.widest[from] {
            return f64::INFINITY;
        }
        let wanted = self.amounts[from] + missing;
        let place = self.amounts.partition_point(|amount| *amount < wanted);
        if place > self.sites.len() {
            return f64::INFINITY;
        }
        let before = place - 1;
        let part = (wanted - self.amounts[before]) * self.sites[before].unit;
        let cost = self.costs[before] - self.costs[from] + part;
        let refund = match self.machines {
            Some(_) => self.toll * count(left),
            None => 0.0,
        };
        (cost - refund).max(0.0)
    }
}

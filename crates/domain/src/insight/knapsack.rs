//! The group knapsack: at most one set of slices per machine, at the least total cost, by dynamic programming over
//! units (GPUs or offers) and, where their number is limited, machines.

use super::supply::Set;

/// Limits on the number of machines of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Machines {
    pub least: usize,
    pub most: Option<usize>,
}

/// The cheapest choices for every number of units up to a target.
#[derive(Debug)]
pub(super) struct Knapsack<'a> {
    /// The sets of each machine that can be part of a cheapest choice.
    machines: Vec<Vec<&'a Set>>,
    target: usize,
    allowed: Machines,
    /// The least cost of at least a number of units on a number of machines; see [`Self::state`].
    costs: Vec<f64>,
    /// The step that improved each state, by machine and state.
    steps: Vec<Vec<Option<KnapsackStep>>>,
}

/// A chosen set, and the number of machines before it.
#[derive(Debug, Clone, Copy)]
struct KnapsackStep {
    set: u16,
    before: u16,
}

impl<'a> Knapsack<'a> {
    /// Computes the cheapest choices of up to `target` units (GPUs or offers), with at most one of the sets
    /// of each machine and an allowed number of machines.
    pub fn new(machines: &'a [Vec<Set>], target: usize, allowed: Machines) -> Self {
        let mut knapsack = Self {
            machines: contenders(machines, target, allowed),
            target,
            allowed,
            costs: Vec::new(),
            steps: Vec::new(),
        };
        knapsack.costs = vec![f64::INFINITY; knapsack.state(knapsack.limit(), target) + 1];
        knapsack.costs[0] = 0.0;
        for machine in 0..knapsack.machines.len() {
            knapsack.add(machine);
        }
        knapsack
    }

    /// The largest number of machines that is tracked: the maximum if there is one, else the minimum.
    fn limit(&self) -> usize {
        self.allowed.most.unwrap_or(self.allowed.least)
    }

    /// The index in `costs` of this number of units on this number of machines.
    const fn state(&self, machines: usize, units: usize) -> usize {
        machines * (self.target + 1) + units
    }

    /// Improves every state by the sets of one machine.
    ///
    /// From many to few, so that no state is built on one that has the machine already.
    fn add(&mut self, machine: usize) {
        let limit = self.limit();
        let mut steps = vec![None; self.costs.len()];
        for machines in (0..=limit).rev() {
            // Numbers of machines beyond the tracked ones share the last row.
            let same = (machines == limit && self.allowed.most.is_none()).then_some(machines);
            for units in (0..=self.target).rev() {
                let state = self.state(machines, units);
                for before in machines.checked_sub(1).into_iter().chain(same) {
                    for (set, chosen) in (0..u16::MAX).zip(&self.machines[machine]) {
                        let rest = self.state(before, units.saturating_sub(chosen.units));
                        let cost = self.costs[rest] + chosen.cost;
                        if cost < self.costs[state] {
                            self.costs[state] = cost;
                            let before = u16::try_from(before).unwrap_or(u16::MAX);
                            steps[state] = Some(KnapsackStep { set, before });
                        }
                    }
                }
            }
        }
        self.steps.push(steps);
    }

    /// The number of machines with the least cost of at least `units` units, and that cost; of equal costs
    /// the fewest machines. `None` if an allowed number of machines has too few units.
    fn best(&self, units: usize) -> Option<(usize, f64)> {
        let allowed = self.allowed.least..=self.limit();
        let costs = allowed.map(|machines| (machines, self.costs[self.state(machines, units)]));
        costs
            .filter(|(_, cost)| cost.is_finite())
            .min_by(|(_, left), (_, right)| left.total_cmp(right))
    }

    /// The least cost of at least `units` units; `None` if the allowed number of machines has too few.
    pub fn cost(&self, units: usize) -> Option<f64> {
        self.best(units).map(|(_, cost)| cost)
    }

    /// The sets of the cheapest choice of at least `units` units, at most one of each machine; `None` if the
    /// allowed number of machines has too few.
    pub fn choice(&self, mut units: usize) -> Option<Vec<&'a Set>> {
        let (mut machines, _) = self.best(units)?;
        let mut choice = Vec::new();
        for (sets, steps) in self.machines.iter().zip(&self.steps).rev() {
            if let Some(step) = steps[self.state(machines, units)] {
                let set = sets[usize::from(step.set)];
                choice.push(set);
                units = units.saturating_sub(set.units);
                machines = usize::from(step.before);
            }
        }
        Some(choice)
    }
}

/// The sets of each machine that can be part of a cheapest choice.
///
/// A cheapest choice has a maximum number of machines. If that many others have a set as large for less (or, at the
/// same cost, come first), one of them is free to replace this set.
fn contenders(machines: &[Vec<Set>], target: usize, allowed: Machines) -> Vec<Vec<&Set>> {
    let most = allowed.most.unwrap_or(target).min(target).max(allowed.least).max(1);
    let useful = machines.iter().map(|sets| {
        // Sets grow in units and cost: of those that reach the target only the first is useful.
        let small = sets.iter().take_while(|set| set.units < target).count();
        sets[..sets.len().min(small + 1)].iter().collect()
    });
    let mut useful: Vec<Vec<&Set>> = useful.collect();
    let mut sizes: Vec<usize> = useful.iter().flatten().map(|set| set.units).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut is_needed: Vec<Vec<bool>> = useful.iter().map(|sets| vec![false; sets.len()]).collect();
    for size in sizes {
        let mut offered: Vec<(f64, usize, usize)> = Vec::new();
        for (machine, sets) in useful.iter().enumerate() {
            let set = sets.partition_point(|set| set.units < size);
            offered.extend(sets.get(set).map(|choice| (choice.cost, machine, set)));
        }
        if offered.len() > most {
            offered.select_nth_unstable_by(most - 1, |left, right| {
                left.0.total_cmp(&right.0).then(left.1.cmp(&right.1))
            });
        }
        for (_, machine, set) in offered.into_iter().take(most) {
            is_needed[machine][set] = true;
        }
    }
    for (sets, is_needed) in useful.iter_mut().zip(is_needed) {
        let mut is_needed = is_needed.into_iter();
        sets.retain(|_| is_needed.next() == Some(true));
    }
    useful.retain(|sets| !sets.is_empty());
    useful
}

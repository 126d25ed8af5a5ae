//! The search for the cheapest choices: branch and bound, machine by machine, with dominance.
//!
//! After each machine a partial plan is dropped if another one counts as much, costs no more and
//! uses no more machines, or if its lower bound is not below the best plan found. What is left is
//! few, because the bounds are tight. For targets in GPUs there are never more partial plans than
//! GPUs x machines; for `DLPerf`, whose sums hardly repeat, there may be, so that steps are counted.

use super::pool::{Choice, Pool};

/// How much work may still be done, in partial plans: a count, so that the same market always gives
/// the same plan.
#[derive(Debug)]
pub(super) struct Steps(pub usize);

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub cost: f64,
    pub choices: Vec<Choice>,
}

/// The result of a search.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The cheapest plan below the cutoff.
    pub found: Option<Found>,
    /// No plan costs less: the found cost, unless the steps ran out.
    pub least: f64,
}

#[derive(Debug, Clone, Copy)]
struct Label {
    amount: f64,
    cost: f64,
    used: usize,
    last: Option<usize>,
}

/// A choice of a partial plan and the one before it.
#[derive(Debug, Clone, Copy)]
struct Node {
    before: Option<usize>,
    site: usize,
    choice: usize,
}

/// One search through a pool.
pub(super) struct Search<'a, 'p> {
    pool: &'a Pool<'p>,
    /// A site whose choices are others, to look for another plan.
    replaced: Option<(usize, &'a [Choice])>,
    nodes: Vec<Node>,
    /// Only plans below this are of interest.
    best: f64,
    found: Option<Vec<Choice>>,
}

impl<'a, 'p> Search<'a, 'p> {
    /// A search for plans that cost less than `cutoff`.
    pub const fn new(
        pool: &'a Pool<'p>,
        replaced: Option<(usize, &'a [Choice])>,
        cutoff: f64,
    ) -> Self {
        Self {
            pool,
            replaced,
            nodes: Vec::new(),
            best: cutoff,
            found: None,
        }
    }

    pub fn run(mut self, steps: &mut Steps) -> Outcome {
        let limit = self.limit();
        if self.pool.bound(self.pool.target, 0, limit) >= self.best {
            return self.outcome(None);
        }
        self.dive();
        self.widest_first();
        let mut labels = vec![Label {
            amount: 0.0,
            cost: 0.0,
            used: 0,
            last: None,
        }];
        for site in 0..self.pool.sites.len() {
            self.extend(site, &mut labels);
            steps.0 = steps.0.saturating_sub(labels.len());
            if labels.is_empty() {
                break;
            }
            if steps.0 == 0 {
                let open = labels.iter().map(|label| self.bound(label, site + 1));
                let least = open.fold(f64::INFINITY, f64::min);
                return self.outcome(Some(least));
            }
        }
        self.outcome(None)
    }

    fn outcome(self, least: Option<f64>) -> Outcome {
        let cost = self.best;
        Outcome {
            found: self.found.map(|choices| Found { cost, choices }),
            least: least.map_or(cost, |least| least.min(cost)),
        }
    }

    fn limit(&self) -> usize {
        self.pool.machines.unwrap_or(usize::MAX)
    }

    fn choices(&self, site: usize) -> &'a [Choice] {
        match self.replaced {
            Some((own, choices)) if own == site => choices,
            _ => &self.pool.sites[site].choices,
        }
    }

    fn bound(&self, label: &Label, from: usize) -> f64 {
        let left = self.limit() - label.used;
        label.cost + self.pool.bound(self.pool.target - label.amount, from, left)
    }

    fn is_reached(&self, amount: f64) -> bool {
        amount >= self.pool.target - self.pool.slack()
    }

    /// Adds a site to the partial plans, and drops those that lead nowhere.
    fn extend(&mut self, site: usize, labels: &mut Vec<Label>) {
        let many = labels.len();
        let choices = self.choices(site);
        for place in 0..many {
            let before = labels[place];
            let used = before.used + usize::from(self.pool.machines.is_some());
            if used > self.limit() {
                continue;
            }
            for (index, choice) in choices.iter().enumerate() {
                let mut label = Label {
                    amount: before.amount + choice.amount,
                    cost: before.cost + choice.cost,
                    used,
                    last: before.last,
                };
                let is_reached = self.is_reached(label.amount);
                if label.cost >= self.best
                    || (!is_reached && self.bound(&label, site + 1) >= self.best)
                {
                    continue;
                }
                self.nodes.push(Node {
                    before: before.last,
                    site,
                    choice: index,
                });
                label.last = Some(self.nodes.len() - 1);
                if is_reached {
                    self.best = label.cost;
                    self.found = Some(self.trace(label.last));
                } else {
                    labels.push(label);
                }
            }
        }
        let best = self.best;
        labels.retain(|label| self.bound(label, site + 1) < best);
        drop_dominated(labels, self.pool.machines);
    }

    /// The choices of a partial plan.
    fn trace(&self, mut last: Option<usize>) -> Vec<Choice> {
        let mut choices = Vec::new();
        while let Some(node) = last.and_then(|last| self.nodes.get(last)) {
            choices.push(self.choices(node.site)[node.choice].clone());
            last = node.before;
        }
        choices.reverse();
        choices
    }

    /// A first plan: the best choice of each site in order, completed by one other choice where
    /// that is cheapest.
    fn dive(&mut self) {
        let mut taken: Vec<&Choice> = Vec::new();
        let (mut amount, mut cost) = (0.0, 0.0);
        for site in 0..self.pool.sites.len() {
            if taken.len() >= self.limit() {
                return;
            }
            let rest = (site..self.pool.sites.len()).flat_map(|site| self.choices(site));
            let last = rest
                .filter(|choice| self.is_reached(amount + choice.amount))
                .min_by(|left, right| left.cost.total_cmp(&right.cost));
            if let Some(last) = last
                && cost + last.cost < self.best
            {
                self.best = cost + last.cost;
                let all = taken.iter().copied().chain([last]);
                self.found = Some(all.cloned().collect());
            }
            let unit = |choice: &Choice| (choice.cost + self.pool.toll) / choice.amount;
            let next = self
                .choices(site)
                .iter()
                .min_by(|left, right| unit(left).total_cmp(&unit(right)));
            if let Some(next) = next {
                taken.push(next);
                amount += next.amount;
                cost += next.cost;
            }
            if self.is_reached(amount) {
                return;
            }
        }
    }

    /// Another first plan: the sites that count most, which reach the target if any do.
    fn widest_first(&mut self) {
        let most = |site: usize| {
            let choices = self.choices(site).iter();
            choices.max_by(|left, right| left.amount.total_cmp(&right.amount))
        };
        let mut widest: Vec<&Choice> = (0..self.pool.sites.len()).filter_map(most).collect();
        widest.sort_by(|left, right| {
            let by_amount = right.amount.total_cmp(&left.amount);
            by_amount.then(left.cost.total_cmp(&right.cost))
        });
        let (mut amount, mut cost) = (0.0, 0.0);
        for (many, choice) in widest.iter().enumerate().take(self.limit()) {
            amount += choice.amount;
            cost += choice.cost;
            if self.is_reached(amount) {
                if cost < self.best {
                    self.best = cost;
                    let taken = widest[..=many].iter().copied();
                    self.found = Some(taken.cloned().collect());
                }
                return;
            }
        }
    }
}

/// Drops partial plans that another one beats in amount, cost and machines.
fn drop_dominated(labels: &mut Vec<Label>, machines: Option<usize>) {
    labels.sort_by(|left, right| {
        let by_amount = right.amount.total_cmp(&left.amount);
        by_amount
            .then(left.cost.total_cmp(&right.cost))
            .then(left.used.cmp(&right.used))
    });
    // The lowest cost so far of plans with at most so many machines.
    let mut cheapest = vec![f64::INFINITY; machines.unwrap_or(0) + 1];
    labels.retain(|label| {
        let is_beaten = cheapest[label.used] <= label.cost;
        if !is_beaten {
            let rest = cheapest[label.used..].iter_mut();
            for cost in rest.take_while(|cost| **cost > label.cost) {
                *cost = label.cost;
            }
        }
        !is_beaten
    });
}

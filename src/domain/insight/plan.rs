//! A cluster: the cheapest offers that together have so many GPUs, within limits. Exact: a group
//! knapsack over the disjoint slices of each machine.

use std::collections::BTreeMap;

use super::depth::MOST_GPUS;
use super::knapsack::{Knapsack, Machines};
use super::supply::{Set, Supply, Unit};
use super::{Bill, whole};
use crate::domain::cost::{Basis, Job, Prices};
use crate::domain::format::{self, counted, nominal_gb};
use crate::domain::listing::Listing;
use crate::domain::objection::Objection;
use crate::domain::quantity::{self, Quantity};
use crate::domain::query::Condition;
use crate::domain::value::CellRef;
use crate::domain::{country, language};

// Every number of machines has its own cheapest offers, and those of 512 GPUs on 64 machines take 0.1 s.
/// The most machines that a plan can be limited to, and the most GPUs then.
const MOST_MACHINES: u32 = 64;
const MOST_GPUS_LIMITED: usize = 512;

// Each needs the whole plan computed once more, while a person waits.
/// The most offers of a plan whose runner-up is looked for: each is left out once.
const MOST_LEFT_OUT: usize = 16;

fn too_many_machines() -> String {
    format!("At most {MOST_MACHINES} machines; blank sets no limit")
}

/// What the machines of a plan have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    Host,
    Country,
    Cluster,
}

impl Same {
    pub const ALL: [Self; 3] = [Self::Host, Self::Country, Self::Cluster];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Country => "country",
            Self::Cluster => "cluster",
        }
    }

    const fn field(self) -> &'static str {
        match self {
            Self::Host => "host_id",
            Self::Country => "geolocation",
            Self::Cluster => "cluster_id",
        }
    }
}

/// Drops a limit.
type Relax = fn(&mut Need);

/// What a plan must have and keep to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Need {
    /// At most [`MOST_GPUS`].
    pub gpus: u32,
    pub least_machines: Option<u32>,
    pub most_machines: Option<u32>,
    /// At least this many GPUs on each machine.
    pub per_machine: Option<u32>,
    pub same: Option<Same>,
    /// All GPUs are of one model.
    pub one_model: bool,
    /// GB of memory that each GPU has at least, as cards are sold: 80 includes 81559 MB.
    pub vram_gb: Option<f64>,
    /// Hours in which the job is done, its download included.
    pub deadline: Option<f64>,
    /// The highest bill, in $ for the job or an hour.
    pub budget: Option<f64>,
    /// What each offer must meet besides, such as a region.
    pub conditions: Vec<Condition>,
}

impl Need {
    /// Why no plan can meet it, whatever the market offers.
    pub fn check(&self) -> Result<(), Objection> {
        const LEAST: &str = "min-machines";
        let (least, most) = (self.least_machines, self.most_machines);
        let is_limited = least.is_some() || most.is_some();
        let most_gpus = if is_limited { MOST_GPUS_LIMITED } else { MOST_GPUS };
        if !(1..=most_gpus).contains(&(self.gpus as usize)) {
            let why = format!("From 1 to {} GPUs", format::grouped(most_gpus));
            return Err(Objection::new("gpus", why));
        }
        let (parameter, why) = match (least, most) {
            (_, Some(most)) if most > MOST_MACHINES => ("machines", too_many_machines()),
            (Some(least), Some(most)) if least > most => {
                (LEAST, format!("At least {least} machines is more than at most {most}"))
            }
            (Some(least), _) if least > self.gpus => {
                (LEAST, format!("{} GPUs can't be on {least} machines", self.gpus))
            }
            (Some(least), _) if least > MOST_MACHINES => (LEAST, too_many_machines()),
            _ => return Ok(()),
        };
        Err(Objection::new(parameter, why))
    }

    #[rustfmt::skip] // a table reads as a table
                     /// The limits that are set, as a person would say them, and the need without each.
    fn relaxed(&self) -> Vec<(String, Self)> {
        let many = |number: u32| counted(number as usize, "machine", "machines");
        let least = self.least_machines.filter(|least| *least > 1);
        let each = self.per_machine.filter(|least| *least > 1);
        let time = |hours| quantity::write(hours, Quantity::Hours);
        let conditions = Some(&self.conditions).filter(|conditions| !conditions.is_empty());
        let limits: [(Option<String>, Relax); 8] = [
            (least.map(|least| format!("at least {}", many(least))), |need| need.least_machines = None),
            (self.most_machines.map(|most| format!("at most {}", many(most))), |need| need.most_machines = None),
            (each.map(|least| format!("at least {least} GPUs per machine")), |need| need.per_machine = None),
            (self.same.map(|same| format!("one {}", same.name())), |need| need.same = None),
            (self.one_model.then(|| "one GPU model".to_owned()), |need| need.one_model = false),
            (self.vram_gb.map(|size| format!("{} per GPU", format::gigabytes(size))), |need| need.vram_gb = None),
            (self.deadline.map(|hours| format!("done in {}", time(hours))), |need| need.deadline = None),
            (conditions.map(|condition| language::print_briefly(condition)), |need| need.conditions.clear()),
        ];
        let set = limits.into_iter().filter_map(|(name, relax)| {
            let mut need = self.clone();
            relax(&mut need);
            Some((name?, need))
        });
        set.collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The rows, machine by machine, the most expensive machine first.
    pub machines: Vec<Vec<u32>>,
    pub gpus: u64,
    /// The sum of the offers' prices: the job's bill, or $/h without a job.
    pub bill: f64,
}

impl Plan {
    fn of(mut sets: Vec<&Set>) -> Self {
        sets.sort_by(|left, right| {
            let by_cost = right.cost.total_cmp(&left.cost);
            by_cost.then_with(|| left.lots[0].row.cmp(&right.lots[0].row))
        });
        let rows = |set: &&Set| set.lots.iter().map(|lot| lot.row).collect();
        Self {
            gpus: sets.iter().flat_map(|set| &set.lots).map(|lot| lot.gpus).sum(),
            bill: sets.iter().map(|set| set.cost).sum(),
            machines: sets.iter().map(rows).collect(),
        }
    }

    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.machines.iter().flatten().copied()
    }

    /// `8 GPUs in 3 offers on 2 machines`.
    pub fn words(&self) -> String {
        let gpus = usize::try_from(self.gpus).unwrap_or(usize::MAX);
        format!(
            "{} in {} on {}",
            counted(gpus, "GPU", "GPUs"),
            counted(self.rows().count(), "offer", "offers"),
            counted(self.machines.len(), "machine", "machines")
        )
    }
}

/// A plan, and what else there is to know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Planning {
    /// The cheapest plan, even if it is over the budget; `None` if no offers meet the need.
    pub plan: Option<Plan>,
    /// The cheapest plan in which at least one of its offers is another one.
    pub runner_up: Option<Plan>,
    /// The limits without which the bill would be lower, or a plan possible, and that bill.
    pub binding: Vec<(String, f64)>,
    /// Whether any limit is set.
    pub is_limited: bool,
    /// Hours until all of the plan's offers are done, if the job is work that they divide.
    pub hours: Option<f64>,
    /// The bills of fewer and more GPUs, the need's own among them; `None` where no offers have so
    /// many.
    pub curve: Vec<(u32, Option<f64>)>,
    /// The most GPUs that the budget pays for, if the plan costs more.
    pub affordable: Option<u32>,
    /// The most GPUs, up to the need's, that offers within the limits have.
    pub most: u32,
    /// How many offers meet the need one by one.
    pub offers: usize,
}

/// The offers to choose from.
pub struct Offers<'a> {
    prices: &'a Prices<'a>,
    basis: Basis,
    candidates: &'a [u32],
    /// The rows with a price, and that price.
    rows: BTreeMap<u32, f64>,
}

impl<'a> Offers<'a> {
    /// The rows that have a price by `basis`, under `is_choice`.
    pub fn new(prices: &'a Prices<'a>, basis: Basis, candidates: &'a [u32], is_choice: impl Fn(usize) -> bool) -> Self {
        let rows = candidates.iter().filter(|row| is_choice(**row as usize));
        let with_price = |row: &u32| Some((*row, basis.price(prices, *row as usize).ok()?));
        Self {
            rows: rows.filter_map(with_price).collect(),
            prices,
            basis,
            candidates,
        }
    }

    /// The same for work that so many GPUs divide evenly, so that an offer is billed for its share of the hours; a job
    /// with hours of its own stays.
    #[must_use]
    pub fn sharing(self, gpus: u32) -> Self {
        let Some(job) = self.basis.job.filter(Job::is_work) else {
            return self;
        };
        self.shared(Job {
            shared_by: Some(gpus),
            ..job
        })
    }

    fn shared(&self, job: Job) -> Self {
        let (prices, now) = (self.prices, self.listing().read_at());
        let basis = Basis {
            job: Some(job),
            ..self.basis
        };
        Self::new(prices, basis, self.candidates, |row| !prices.cannot_do(row, &job, now))
    }

    /// The lowest bill of work that another number of GPUs divides.
    fn shared_bill(&self, need: &Need, job: Job, gpus: u32) -> Option<f64> {
        let job = Job {
            shared_by: Some(gpus),
            ..job
        };
        let need = Need { gpus, ..need.clone() };
        self.shared(job)
            .solve(&need, gpus as usize, None)
            .plan
            .map(|plan| plan.bill)
    }

    const fn listing(&self) -> &'a Listing {
        self.prices.listing()
    }

    /// The price of a row that can be rented.
    pub fn price(&self, row: u32) -> Option<f64> {
        self.rows.get(&row).copied()
    }

    /// Whether an offer meets the limits on single offers, conditions aside.
    fn meets(&self, row: usize, need: &Need) -> bool {
        let memory = || {
            let field = self.listing().catalog().by_key("gpu_ram")?;
            self.listing().cell(row, field).number().map(nominal_gb)
        };
        let hours = || self.prices.job_hours(row, &self.basis.job?).ok();
        need.vram_gb
            .is_none_or(|least| memory().is_some_and(|offered| offered >= least))
            && need
                .deadline
                .is_none_or(|most| hours().is_some_and(|offered| offered <= most))
    }

    /// The rows that meet the need one by one, in groups that a plan must not mix.
    fn groups(&self, need: &Need) -> Vec<Vec<u32>> {
        let listing = self.listing();
        let mut is_matching = vec![need.conditions.is_empty(); listing.len()];
        if !need.conditions.is_empty() {
            for row in listing.matching(&need.conditions) {
                is_matching[row as usize] = true;
            }
        }
        let same = need.same.map(Same::field);
        let keys: Vec<&str> = need.one_model.then_some("gpu_name").into_iter().chain(same).collect();
        let mut groups: BTreeMap<Vec<String>, Vec<u32>> = BTreeMap::new();
        for row in self.rows.keys().copied() {
            let index = row as usize;
            if !is_matching[index] || !self.meets(index, need) {
                continue;
            }
            // An offer that does not say what must be the same can't be known to be.
            let group: Option<Vec<String>> = keys.iter().map(|key| value(listing, index, key)).collect();
            if let Some(group) = group {
                groups.entry(group).or_default().push(row);
            }
        }
        groups.into_values().collect()
    }

    /// The sets of slices of each machine of a group, without the offer `without`.
    fn sets(&self, rows: &[u32], need: &Need, without: Option<u32>) -> Vec<Vec<Set>> {
        let price = |row: u32| self.price(row).filter(|_| Some(row) != without);
        let mut machines = Supply::of(self.listing(), rows).sets(Unit::Gpus, price);
        let least = need.per_machine.unwrap_or(1) as usize;
        for sets in &mut machines {
            sets.retain(|set| set.units >= least);
        }
        machines.retain(|sets| !sets.is_empty());
        machines
    }

    /// The lowest bills of up to `gpus` GPUs by number, and the cheapest plan for the need.
    fn solve(&self, need: &Need, gpus: usize, without: Option<u32>) -> Solution {
        let mut solution = Solution {
            bills: vec![None; gpus + 1],
            plan: None,
        };
        for rows in self.groups(need) {
            let machines = self.sets(&rows, need, without);
            solution.add(&machines, need, gpus);
        }
        solution
    }

    /// The cheapest plan for a need, and what is around it.
    pub fn plan(&self, need: &Need) -> Planning {
        let gpus = need.gpus as usize;
        let largest = (2 * gpus).min(MOST_GPUS).max(gpus);
        let Solution { bills, plan } = self.solve(need, largest, None);
        let bill = plan.as_ref().map_or(f64::INFINITY, |plan| plan.bill);
        let relaxed = need.relaxed();
        let is_limited = !relaxed.is_empty();
        let binding = relaxed.into_iter().filter_map(|(name, need)| {
            let lower = self.solve(&need, gpus, None).plan?.bill;
            // A difference below a hundredth of a cent is rounding.
            (lower < bill - 1e-4).then_some((name, lower))
        });
        let most = bills[..=gpus].iter().rposition(Option::is_some).unwrap_or(0);
        let work = self.basis.job.filter(Job::is_work);
        // Fewer GPUs work longer: the bills of a part of the work say nothing of that.
        let budget = need
            .budget
            .filter(|budget| bill.is_finite() && bill > *budget && work.is_none());
        let paid = budget.map(|budget| {
            let is_paid = |bill: &Option<f64>| bill.is_some_and(|bill| bill <= budget);
            bills[..gpus].iter().rposition(is_paid).unwrap_or(0)
        });
        // Around the wanted size, so that one sees whether a little less or more is much cheaper per GPU.
        let mut sizes: Vec<usize> = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0]
            .map(|factor| whole((f64::from(need.gpus) * factor).round(), largest).max(1))
            .to_vec();
        sizes.dedup();
        let number = |gpus: usize| u32::try_from(gpus).unwrap_or(u32::MAX);
        Planning {
            runner_up: plan.as_ref().and_then(|plan| self.runner_up(need, plan)),
            binding: binding.collect(),
            is_limited: is_limited && self.basis.job.is_none_or(|job| job.deadline.is_none()),
            hours: work.and_then(|job| self.hours(plan.as_ref()?, &job)),
            curve: sizes
                .into_iter()
                .map(|gpus| match work {
                    Some(job) => (number(gpus), self.shared_bill(need, job, number(gpus))),
                    None => (number(gpus), bills[gpus]),
                })
                .collect(),
            affordable: paid.map(number),
            most: number(most),
            offers: self.groups(need).iter().map(Vec::len).sum(),
            plan,
        }
    }

    /// How long the slowest offer of a plan runs.
    fn hours(&self, plan: &Plan, job: &Job) -> Option<f64> {
        let hours = plan.rows().flat_map(|row| self.prices.job_hours(row as usize, job));
        hours.reduce(f64::max)
    }

    /// The cheapest plan that lacks at least one of the offers of the best one.
    fn runner_up(&self, need: &Need, plan: &Plan) -> Option<Plan> {
        let rows: Vec<u32> = plan.rows().collect();
        if rows.len() > MOST_LEFT_OUT {
            return None;
        }
        let plans = rows.into_iter();
        let plans = plans.filter_map(|row| self.solve(need, need.gpus as usize, Some(row)).plan);
        plans.min_by(|left, right| left.bill.total_cmp(&right.bill))
    }
}

/// What a field says of an offer; of a place its country. `None` where it says nothing.
fn value(listing: &Listing, row: usize, key: &str) -> Option<String> {
    let field = listing.catalog().by_key(key)?;
    match listing.cell(row, field) {
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
    /// Adds the machines of one more group.
    fn add(&mut self, machines: &[Vec<Set>], need: &Need, gpus: usize) {
        let allowed = Machines {
            least: need.least_machines.unwrap_or(0) as usize,
            // As many machines as GPUs are no limit.
            most: need.most_machines.map(|most| most as usize).filter(|most| *most < gpus),
        };
        let knapsack = Knapsack::new(machines, gpus, allowed);
        for (gpus, bill) in self.bills.iter_mut().enumerate().skip(1) {
            let cost = knapsack.cost(gpus);
            *bill = [*bill, cost].into_iter().flatten().reduce(f64::min);
        }
        let cost = knapsack.choice(need.gpus as usize).map(Plan::of);
        let plans = self.plan.take().into_iter().chain(cost);
        self.plan = plans.reduce(|known, new| if new.bill < known.bill { new } else { known });
    }
}

/// Something to know about a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub is_warning: bool,
    pub text: String,
}

impl Planning {
    /// What to know about the plan; `id` names the offer of a row.
    pub fn remarks(&self, need: &Need, bill: Bill, id: impl Fn(u32) -> String) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let mut say = |is_warning, text| remarks.push(Remark { is_warning, text });
        match (&self.plan, self.offers) {
            (Some(_), _) => {}
            (None, 0) => say(true, "No offer meets the limits".to_owned()),
            (None, offers) => {
                let offers = counted(offers, "offer", "offers");
                let most = self.most;
                say(
                    true,
                    format!("Not enough: {offers} within the limits have {most} GPUs at most"),
                );
            }
        }
        if let Some(plan) = &self.plan {
            if let Some(budget) = need.budget.filter(|budget| plan.bill > *budget) {
                let (over, budget) = (bill.money(plan.bill - budget), bill.money(budget));
                let paid = self.affordable.map(|gpus| match gpus {
                    0 => format!(": {budget} pays for no GPU"),
                    _ => format!(": {budget} pays for {}", counted(gpus as usize, "GPU", "GPUs")),
                });
                let paid = paid.unwrap_or_default();
                say(true, format!("{over} over the budget{paid}"));
            }
            let offers = plan.rows().count();
            if bill == Bill::Job && offers > 1 {
                let text = format!("The bill has disk and traffic for each of the {offers} offers");
                say(false, text);
            }
            if let Some(hours) = self.hours {
                let (gpus, hours) = (plan.gpus, format::lasting(hours * 3600.0));
                say(false, format!("Done in {hours}: {gpus} GPUs divide the work evenly"));
            }
            if let Some(second) = &self.runner_up {
                say(false, runner_up(plan, second, bill, id));
            }
        }
        for (name, without) in &self.binding {
            let mut text = format!("Without “{name}”: {}", bill.money(*without));
            if let Some(plan) = &self.plan {
                text = format!("{text} ({})", bill.difference(without - plan.bill));
            }
            say(false, text);
        }
        if self.plan.is_some() && self.binding.is_empty() && self.is_limited {
            say(false, "No limit raises the bill".to_owned());
        }
        remarks
    }
}

/// The runner-up by what differs from the plan.
fn runner_up(plan: &Plan, second: &Plan, bill: Bill, id: impl Fn(u32) -> String) -> String {
    /// Ids named on either side.
    const NAMED: usize = 3;
    let ids = |plan: &Plan, compared: &Plan| {
        let shared: Vec<u32> = compared.rows().collect();
        let added = plan.rows().filter(|row| !shared.contains(row));
        let added: Vec<String> = added.map(&id).collect();
        match added.len() {
            0..=NAMED => added.join(", "),
            many => format!("{} and {} more", added[..NAMED].join(", "), many - NAMED),
        }
    };
    let (gone, new) = (ids(plan, second), ids(second, plan));
    let more = bill.difference(second.bill - plan.bill);
    format!(
        "Runner-up: {} ({more}), {new} instead of {gone}",
        bill.money(second.bill)
    )
}

//! A plan in sentences, the same on the screen and on the command line.

use super::{Limit, Need, Plan, Planning, Target};
use crate::domain::format::{counted, dollars, figure, gigabytes, grouped, per_hour, trimmed};
use crate::domain::language;
use crate::domain::quantity::{self, Quantity};

/// What a bill is: that of a job, or the price of an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bill {
    Job,
    Hourly,
}

impl Bill {
    /// An amount as a bill or an hourly price: `$26.63`, `$0.293/h`.
    pub fn money(self, amount: f64) -> String {
        match self {
            Self::Job => dollars(amount),
            Self::Hourly => per_hour(amount),
        }
    }

    /// What an amount more or less is: `+$1.50`, `−$0.25/h`.
    fn difference(self, amount: f64) -> String {
        let sign = if amount < 0.0 { "−" } else { "+" };
        format!("{sign}{}", self.money(amount.abs()))
    }
}

/// Something to know about a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    pub is_warning: bool,
    pub text: String,
}

impl Target {
    /// The target as on the screen: `8 GPUs`, `DLPerf 2,400`.
    pub fn words(self) -> String {
        match self {
            Self::Gpus(gpus) => counted(gpus as usize, "GPU", "GPUs"),
            Self::Dlperf(dlperf) => format!("DLPerf {}", figure(dlperf, 1)),
        }
    }

    /// The number alone: `8`, `2,400`.
    pub fn number(self) -> String {
        match self {
            Self::Gpus(gpus) => grouped(gpus as usize),
            Self::Dlperf(dlperf) => figure(dlperf, 1),
        }
    }
}

impl Need {
    /// A limit as a person would say it: `at most 2 machines`.
    pub fn name(&self, limit: Limit) -> String {
        let count = |many: Option<u32>, one, more| counted(many.unwrap_or(0) as usize, one, more);
        match limit {
            Limit::Machines => {
                format!("at most {}", count(self.machines, "machine", "machines"))
            }
            Limit::PerMachine => {
                let gpus = count(self.per_machine, "GPU", "GPUs");
                format!("at least {gpus} per machine")
            }
            Limit::OneModel => "one GPU model".to_owned(),
            Limit::Vram => format!("{} per GPU", gigabytes(self.vram_gb.unwrap_or(0.0))),
            Limit::Network => {
                format!("network of {}", figure(self.network.unwrap_or(0.0), 1))
            }
            Limit::Deadline => {
                let hours = self.deadline.unwrap_or(0.0);
                format!("done in {}", quantity::write(hours, Quantity::Hours))
            }
            Limit::Conditions => language::print_briefly(&self.conditions),
        }
    }
}

impl Plan {
    /// `8 GPUs in 3 offers on 2 machines, DLPerf 2,400`.
    pub fn words(&self) -> String {
        let gpus = usize::try_from(self.gpus).unwrap_or(usize::MAX);
        let speed = if self.dlperf > 0.0 {
            format!(", DLPerf {}", figure(self.dlperf, 1))
        } else {
            String::new()
        };
        format!(
            "{} in {} on {}{speed}",
            counted(gpus, "GPU", "GPUs"),
            counted(self.rows().count(), "offer", "offers"),
            counted(self.machines.len(), "machine", "machines")
        )
    }
}

impl Planning {
    /// What to know about the plan; `id` names the offer of a row.
    pub fn remarks(&self, need: &Need, bill: Bill, id: impl Fn(u32) -> String) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let mut say = |is_warning, text| remarks.push(Remark { is_warning, text });
        match &self.plan {
            None => say(true, self.nothing(need)),
            Some(plan) => {
                if let Some(text) = self.over_budget(plan, need, bill) {
                    say(true, text);
                }
                if plan.gap > 0.0 {
                    let gap = bill.money(plan.gap);
                    say(
                        true,
                        format!("Stopped searching: a plan may be up to {gap} cheaper"),
                    );
                }
                if let Some(second) = &self.runner_up {
                    say(false, runner_up(plan, second, bill, id));
                }
            }
        }
        for binding in &self.binding {
            let name = need.name(binding.limit);
            let without = bill.money(binding.bill);
            let text = match &self.plan {
                Some(plan) => {
                    let less = bill.difference(binding.bill - plan.bill);
                    format!("Without “{name}”: {without} ({less})")
                }
                None => format!("Without “{name}”: {without}"),
            };
            say(false, text);
        }
        if self.plan.is_some() && self.binding.is_empty() && need.limits().next().is_some() {
            say(false, "No limit raises the bill".to_owned());
        }
        remarks
    }

    fn nothing(&self, need: &Need) -> String {
        let unit = match need.target {
            Target::Gpus(_) => "GPUs",
            Target::Dlperf(_) => "DLPerf",
        };
        if self.offers == 0 {
            return "No offer meets the limits".to_owned();
        }
        format!(
            "Not enough: {} within the limits have {} {unit} at most",
            counted(self.offers, "offer", "offers"),
            trimmed(self.most, 1)
        )
    }

    fn over_budget(&self, plan: &Plan, need: &Need, bill: Bill) -> Option<String> {
        let budget = need.budget.filter(|budget| plan.bill > *budget)?;
        let over = bill.money(plan.bill - budget);
        let budget = bill.money(budget);
        Some(match self.affordable {
            Some(0) => format!("{over} over the budget: {budget} pays for no GPU"),
            Some(gpus) => {
                let gpus = counted(gpus as usize, "GPU", "GPUs");
                format!("{over} over the budget: {budget} pays for {gpus}")
            }
            None => format!("{over} over the budget of {budget}"),
        })
    }
}

/// The runner-up by what differs from the plan.
fn runner_up(plan: &Plan, second: &Plan, bill: Bill, id: impl Fn(u32) -> String) -> String {
    /// Ids named on either side.
    const NAMED: usize = 3;
    let ids = |plan: &Plan, other: &Plan| {
        let others: Vec<u32> = other.rows().collect();
        let own: Vec<String> = plan
            .rows()
            .filter(|row| !others.contains(row))
            .map(&id)
            .collect();
        match own.len() {
            0..=NAMED => own.join(", "),
            many => format!("{} and {} more", own[..NAMED].join(", "), many - NAMED),
        }
    };
    let (gone, new) = (ids(plan, second), ids(second, plan));
    let more = bill.difference(second.bill - plan.bill);
    let change = match (new.is_empty(), gone.is_empty()) {
        (false, false) => format!(", {new} instead of {gone}"),
        (false, true) => format!(", with {new}"),
        (true, _) => format!(", without {gone}"),
    };
    format!("Runner-up: {} ({more}){change}", bill.money(second.bill))
}

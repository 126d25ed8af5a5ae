//! The requirements and limits of a plan.

use super::super::depth::MOST_GPUS;
use super::super::knapsack::Machines;
use crate::format::{self, counted};
use crate::language;
use crate::objection::Objection;
use crate::quantity::{self, Quantity};
use crate::query::Condition;

/// The largest limit on the number of machines, and the most GPUs with such a limit.
///
/// Every number of machines has its own cheapest offers, and those of 512 GPUs on 64 machines take 0.1 s.
const MOST_MACHINES: u32 = 64;
const MOST_GPUS_LIMITED: usize = 512;

/// The error message for a number of machines above the maximum.
fn too_many_machines() -> String {
    format!("At most {MOST_MACHINES} machines; blank sets no limit")
}

/// The location that the machines of a plan share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    Host,
    Country,
    Cluster,
}

impl Same {
    pub const ALL: [Self; 3] = [Self::Host, Self::Country, Self::Cluster];

    /// The place that all machines of a plan share, as a word for arguments and messages: `host`, `country` or
    /// `cluster`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Country => "country",
            Self::Cluster => "cluster",
        }
    }

    /// The wire name of the field that must be the same: `host_id`, `geolocation` or `cluster_id`.
    pub(super) const fn field(self) -> &'static str {
        match self {
            Self::Host => "host_id",
            Self::Country => "geolocation",
            Self::Cluster => "cluster_id",
        }
    }
}

/// A function that drops one limit.
type Relax = fn(&mut Need);

/// The requirements of a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Need {
    /// The number of GPUs, at most [`MOST_GPUS`].
    pub gpus: u32,
    pub least_machines: Option<u32>,
    pub most_machines: Option<u32>,
    /// The minimum number of GPUs on each machine.
    pub per_machine: Option<u32>,
    pub same: Option<Same>,
    /// Whether all GPUs must be of one model.
    pub one_model: bool,
    /// The minimum memory of each GPU in nominal GB: 80 includes 81559 MB.
    pub vram_gb: Option<f64>,
    /// The maximum hours of the job, including its download.
    pub deadline: Option<f64>,
    /// The highest bill, in $ for the job or an hour.
    pub budget: Option<f64>,
    /// Further conditions on each offer, such as a region.
    pub conditions: Vec<Condition>,
}

impl Need {
    /// Checks the number of GPUs and the limits on machines; the error names one that no plan can meet,
    /// whatever the market offers.
    pub fn check(&self) -> Result<(), Objection> {
        const LEAST: &str = "min-machines";
        let (least, most) = (self.least_machines, self.most_machines);
        if !(1..=self.most_gpus()).contains(&self.gpus) {
            let why = format!("From 1 to {} GPUs", format::grouped(self.most_gpus() as usize));
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

    /// What all GPUs of a plan share, as a phrase: `of one model in one host`; `None` if they may differ.
    pub(super) fn group(&self) -> Option<String> {
        let model = self.one_model.then(|| "of one model".to_owned());
        let place = self.same.map(|same| format!("in one {}", same.name()));
        let parts: Vec<String> = [model, place].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// The maximum number of GPUs of a plan: `MOST_GPUS`, or 512 with a limit on machines. A plan may have
    /// more than the need asks for, because more finish sooner.
    pub(super) fn most_gpus(&self) -> u32 {
        let is_limited = self.least_machines.is_some() || self.most_machines.is_some();
        let most = if is_limited { MOST_GPUS_LIMITED } else { MOST_GPUS };
        u32::try_from(most).unwrap_or(u32::MAX)
    }

    /// The limits on the number of machines of a plan of `gpus` GPUs; no maximum if it allows as many
    /// machines as GPUs.
    pub(super) fn machines(&self, gpus: usize) -> Machines {
        Machines {
            least: self.least_machines.unwrap_or(0) as usize,
            // A limit of as many machines as GPUs has no effect.
            most: self.most_machines.map(|most| most as usize).filter(|most| *most < gpus),
        }
    }

    /// The limits of the need, each described (`at most 2 machines`) and with the need without it; minimums
    /// of one count as no limit. The budget is not one of them.
    #[rustfmt::skip] // a table reads as a table
    pub(super) fn relaxed(&self) -> Vec<(String, Self)> {
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

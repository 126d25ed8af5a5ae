//! What a cluster must have, and the limits that it keeps to.

use crate::domain::insight::whole;
use crate::domain::query::Condition;

/// What the offers of a plan must add up to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    Gpus(u32),
    Dlperf(f64),
}

impl Target {
    pub(super) fn amount(self) -> f64 {
        match self {
            Self::Gpus(gpus) => f64::from(gpus),
            Self::Dlperf(dlperf) => dlperf,
        }
    }

    /// This target times a factor; GPUs in whole numbers, at least one.
    pub(super) fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Gpus(gpus) => {
                let gpus = whole((f64::from(gpus) * factor).round(), u32::MAX as usize);
                Self::Gpus(u32::try_from(gpus).unwrap_or(u32::MAX).max(1))
            }
            Self::Dlperf(dlperf) => Self::Dlperf(dlperf * factor),
        }
    }
}

/// What a plan must have and keep to.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    pub target: Target,
    /// At most this many machines.
    pub machines: Option<u32>,
    /// At least this many GPUs on each machine.
    pub per_machine: Option<u32>,
    /// All GPUs are of one model.
    pub one_model: bool,
    /// GB of memory that each GPU has at least, as cards are sold: 80 includes 81559 MB.
    pub vram_gb: Option<f64>,
    /// The slower of download and upload is at least this, in the unit of the records.
    pub network: Option<f64>,
    /// Hours in which the job is done, its download included.
    pub deadline: Option<f64>,
    /// The highest bill, in $ for the job or an hour.
    pub budget: Option<f64>,
    /// What each offer must meet besides, such as a region.
    pub conditions: Vec<Condition>,
}

impl Need {
    /// A need of this target without any limits.
    pub const fn new(target: Target) -> Self {
        Self {
            target,
            machines: None,
            per_machine: None,
            one_model: false,
            vram_gb: None,
            network: None,
            deadline: None,
            budget: None,
            conditions: Vec::new(),
        }
    }

    /// The limits that are set, except the budget.
    pub(super) fn limits(&self) -> impl Iterator<Item = Limit> {
        Limit::ALL.into_iter().filter(|limit| match limit {
            Limit::Machines => self.machines.is_some(),
            Limit::PerMachine => self.per_machine.is_some_and(|least| least > 1),
            Limit::OneModel => self.one_model,
            Limit::Vram => self.vram_gb.is_some(),
            Limit::Network => self.network.is_some(),
            Limit::Deadline => self.deadline.is_some(),
            Limit::Conditions => !self.conditions.is_empty(),
        })
    }

    /// The same without one limit.
    pub(super) fn without(&self, limit: Limit) -> Self {
        let mut need = self.clone();
        match limit {
            Limit::Machines => need.machines = None,
            Limit::PerMachine => need.per_machine = None,
            Limit::OneModel => need.one_model = false,
            Limit::Vram => need.vram_gb = None,
            Limit::Network => need.network = None,
            Limit::Deadline => need.deadline = None,
            Limit::Conditions => need.conditions.clear(),
        }
        need
    }
}

/// A limit of a [`Need`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Machines,
    PerMachine,
    OneModel,
    Vram,
    Network,
    Deadline,
    Conditions,
}

impl Limit {
    const ALL: [Self; 7] = [
        Self::Machines,
        Self::PerMachine,
        Self::OneModel,
        Self::Vram,
        Self::Network,
        Self::Deadline,
        Self::Conditions,
    ];
}

//! What the scaling parameters amount to: from a load and a measured worker to numbers of workers.
//!
//! The arithmetic is the documented one of the market's autoscaler: capacity is load divided by the
//! target utilisation; capacity including cold workers is that times the cold multiplier; the
//! largest of that, the cold workers and the active ones are kept, bounded by the most workers.

use super::{DEFAULT_COLD_WORKERS, DEFAULT_MAX_WORKERS, NewWorkergroup};
use crate::domain::objection::Objection;

/// What is wanted of a group, and what its workers can do. Load and performance are in the same
/// unit, that of the requests' cost per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    pub load: f64,
    /// Load that one worker was measured to serve.
    pub per_worker: f64,
    /// Load that capacity is kept for at least.
    pub min_load: f64,
    /// Utilisation aimed at, above 0 and at most 1.
    pub target_util: f64,
    /// Capacity including cold workers, as a multiple of the active capacity.
    pub cold_mult: f64,
    pub cold_workers: u32,
    pub max_workers: u32,
}

impl Demand {
    /// The demand on a group with these parameters; those that are not set have their documented
    /// defaults.
    pub fn new(load: f64, per_worker: f64, group: &NewWorkergroup) -> Self {
        Self {
            load,
            per_worker,
            min_load: group.min_load.unwrap_or(1.0),
            target_util: group.target_util.unwrap_or(0.9),
            cold_mult: group.cold_mult.unwrap_or(3.0),
            cold_workers: group.cold_workers.unwrap_or(DEFAULT_COLD_WORKERS),
            max_workers: group.max_workers.unwrap_or(DEFAULT_MAX_WORKERS),
        }
    }

    /// What stands against planning with it; empty when nothing does.
    pub fn check(&self) -> Vec<Objection> {
        let is_amount = |value: f64| value.is_finite() && value >= 0.0;
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let rules = [
            ("load", is_amount(self.load), "must be 0 or more"),
            (
                "per_worker",
                is_positive(self.per_worker),
                "must be above 0",
            ),
            ("min_load", is_amount(self.min_load), "must be 0 or more"),
            (
                "target_util",
                is_positive(self.target_util) && self.target_util <= 1.0,
                "must be above 0 and at most 1",
            ),
            ("cold_mult", is_amount(self.cold_mult), "must be 0 or more"),
        ];
        rules
            .into_iter()
            .filter(|(_, holds, _)| !holds)
            .map(|(parameter, _, message)| Objection::new(parameter, message))
            .collect()
    }
}

/// What a demand amounts to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapacityPlan {
    /// The load planned for: the demand's, at least its least load.
    pub load: f64,
    /// Capacity to have active: load / target utilisation.
    pub target_capacity: f64,
    /// Reserve in it, as a part of the load (0.9 keeps 0.111).
    pub headroom: f64,
    pub cold_capacity: f64,
    /// Workers that the target capacity takes, unbounded.
    pub needed_active: u32,
    /// Workers that the cold capacity takes, at least the cold workers and the active ones,
    /// unbounded.
    pub needed_total: u32,
    /// Active workers within the bound.
    pub active: u32,
    /// Workers in all within the bound.
    pub total: u32,
    /// The largest load that the most workers serve at the target utilisation.
    pub most_load: f64,
}

impl CapacityPlan {
    /// Plans for a demand, or says what stands against it.
    pub fn of(demand: &Demand) -> Result<Self, Vec<Objection>> {
        let objections = demand.check();
        if !objections.is_empty() {
            return Err(objections);
        }
        let load = demand.load.max(demand.min_load);
        let target_capacity = load / demand.target_util;
        let cold_capacity = target_capacity * demand.cold_mult;
        let needed_active = workers(target_capacity / demand.per_worker);
        let needed_total = workers(cold_capacity / demand.per_worker)
            .max(demand.cold_workers)
            .max(needed_active);
        Ok(Self {
            load,
            target_capacity,
            headroom: 1.0 / demand.target_util - 1.0,
            cold_capacity,
            needed_active,
            needed_total,
            active: needed_active.min(demand.max_workers),
            total: needed_total.min(demand.max_workers),
            most_load: f64::from(demand.max_workers) * demand.per_worker * demand.target_util,
        })
    }

    /// Whether the most workers are too few even for the active capacity.
    pub const fn is_short(&self) -> bool {
        self.active < self.needed_active
    }
}

/// Whole workers; a quotient that is whole but for rounding takes no extra one.
fn workers(quotient: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast saturates
    let whole = (quotient - quotient.abs() * 1e-12).ceil() as u32;
    whole
}

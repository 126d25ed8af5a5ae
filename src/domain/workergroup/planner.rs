//! The capacity planner: from a load and a measured worker to numbers of workers.
//!
//! It follows the documented arithmetic of the market's autoscaler: capacity is load divided by the
//! target utilisation; capacity including cold workers is that times the cold multiplier; the
//! largest of that, the cold workers and the active ones is kept, capped at the maximum number of
//! workers.

use super::{DEFAULT_COLD_WORKERS, DEFAULT_MAX_WORKERS, NewWorkergroup};
use crate::domain::objection::Objection;

/// What a group has to serve, and what its workers can do. Load and performance are in the same
/// unit, that of the requests' cost per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    pub load: f64,
    /// Load that one worker was measured to serve.
    pub per_worker: f64,
    /// Minimum load to keep capacity for.
    pub min_load: f64,
    /// Target utilisation, above 0 and at most 1.
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

    /// Validation errors; empty if it can be planned.
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

/// The workers for a demand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapacityPlan {
    /// The load planned for: the demand's, at least its minimum load.
    pub load: f64,
    /// Capacity to have active: load / target utilisation.
    pub target_capacity: f64,
    /// Headroom as a fraction of the load (0.11 at a utilisation of 0.9).
    pub headroom: f64,
    pub cold_capacity: f64,
    /// Workers for the target capacity, before the cap.
    pub needed_active: u32,
    /// Workers for the cold capacity, at least the cold workers and the active ones, before the
    /// cap.
    pub needed_total: u32,
    /// Active workers after the cap.
    pub active: u32,
    /// All workers after the cap.
    pub total: u32,
    /// The largest load that the maximum number of workers serves at the target utilisation.
    pub most_load: f64,
}

impl CapacityPlan {
    /// Plans for a demand, or returns its validation errors.
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

    /// Whether the cap is too low even for the active capacity.
    pub const fn is_short(&self) -> bool {
        self.active < self.needed_active
    }
}

/// Rounds up to whole workers; rounding errors do not add one.
fn workers(quotient: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a cast saturates
    let whole = (quotient - quotient.abs() * 1e-12).ceil() as u32;
    whole
}

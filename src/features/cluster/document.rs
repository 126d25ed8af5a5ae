//! The document of `bourse plan`.

use schemars::JsonSchema;
use serde::Serialize;

/// The cheapest offers that together have N GPUs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Plans {
    /// `null` if there is none.
    pub plan: Option<Plan>,
    pub runner_up: Option<Plan>,
    /// The limits that cost something.
    pub binding: Vec<Binding>,
    /// The bills of other sizes.
    pub curve: Vec<PlanSize>,
    pub remarks: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Plan {
    pub bill: f64,
    pub gpus: u64,
    pub machines: usize,
    pub offers: Vec<PlanOffer>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanOffer {
    pub id: Option<i64>,
    pub machine_id: String,
    pub price: f64,
    /// Hours of the job on it; `null` without a job.
    pub hours: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Binding {
    pub limit: String,
    pub bill_without: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PlanSize {
    pub gpus: u32,
    /// `null` where no offers have that many.
    pub bill: Option<f64>,
}

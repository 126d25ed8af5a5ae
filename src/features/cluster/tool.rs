//! The tool for agents that plans a cluster.

use schemars::JsonSchema;
use serde::Deserialize;

use super::command;
use crate::cli::documents::members;
use crate::cli::tool::{ArgumentError, Call, Line, Tool, ToolArguments, call, schema};
use crate::features::market::document::Analysis;

pub const PLAN: Tool = Tool {
    name: "plan",
    title: "Plan a cluster",
    description: "The cheapest offers that together have a number of GPUs, the runner-up, and the bills of other sizes.",
    document: Some(("plan", members::<Analysis<super::document::Plans>>)),
    members: &[],
    schema: schema::<PlanCall>,
    call: call::<PlanCall>,
    run: |settings, call| Box::pin(async move { command::plan(settings, &call.parsed()?).await }),
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PlanCall {
    /// Plain words or conditions, e.g. `h100 europe`.
    query: String,
    /// GPUs of the cluster.
    gpus: u32,
    /// The job whose bill decides, e.g. `3d,200GB`; the hourly price if there is none.
    job: Option<String>,
    /// Machines at most.
    machines: Option<u32>,
    /// Memory of each GPU in GB at least.
    vram_gb: Option<f64>,
}

impl ToolArguments for PlanCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("gpus", Some(self.gpus))
            .flag("job", self.job)
            .flag("machines", self.machines)
            .flag("vram", self.vram_gb)
            .query(&self.query, 1)
    }
}

//! The tools for agents that search offers.

use schemars::JsonSchema;
use serde::Deserialize;

use super::command;
use crate::cli::tool::{ArgumentError, Call, Line, MEMBERS, PriceModel, Tool, ToolArguments, call, schema, ten};

pub const SEARCH: Tool = Tool {
    name: "search_offers",
    title: "Search offers",
    description: "Offers that match, the best first, as the market sent them: prices in $/h (dph_total, with 8 GB of \
        storage), gpu_ram and cpu_ram in MB, disk_space in GB, inet_down and inet_up in Mbit/s, duration in seconds.",
    document: None,
    members: &MEMBERS,
    schema: schema::<SearchCall>,
    call: call::<SearchCall>,
    run: |settings, call| Box::pin(async move { command::offers(settings, &call.parsed()?).await }),
};

pub const BILL: Tool = Tool {
    name: "bill",
    title: "Bill of a job",
    description: "Offers ranked by the bill of a job: `bourse.bill` is in $ and includes GPUs, disk and traffic.",
    document: None,
    members: &MEMBERS,
    schema: schema::<BillCall>,
    call: call::<BillCall>,
    run: |settings, call| Box::pin(async move { command::offers(settings, &call.parsed()?).await }),
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchCall {
    /// Plain words or conditions, e.g. `4090 europe under $0.5` or `gpu_name=H100_SXM num_gpus>=8`.
    query: String,
    /// Offers to return.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

impl ToolArguments for SearchCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=jsonl", "--with=price_per_gpu,best_value"])
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BillCall {
    /// Plain words or conditions; may describe the job, e.g. `4090 europe 200gb 3d`.
    query: String,
    /// The job, if the query does not describe it: run time, disk and traffic, e.g. `3d,200GB`.
    job: Option<String>,
    /// Offers to return.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

impl ToolArguments for BillCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=jsonl", "--with=bill,price_per_gpu,best_value,beaten_by"])
            .rows(self.rows)
            .flag("job", self.job)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

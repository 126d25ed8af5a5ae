//! The tool for agents that studies bids.

use schemars::JsonSchema;
use serde::Deserialize;

use super::command;
use crate::cli::documents::members;
use crate::cli::tool::{ArgumentError, Call, Line, Tool, ToolArguments, call, schema, thirty};

pub const BIDS: Tool = Tool {
    name: "bids",
    title: "Study bids",
    description: "What bids would have held an offer in the recorded time, how often it was lost, and the bill of the \
            work at each bid. Sends no request.",
    document: Some(("bids", members::<super::document::Bids>)),
    members: &[],
    schema: schema::<BidsCall>,
    call: call::<BidsCall>,
    run: |settings, call| Box::pin(async move { command::bids(settings, &call.parsed()?) }),
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BidsCall {
    /// Plain words or conditions; may describe the work, e.g. `4090 europe 3d`.
    query: String,
    /// Job whose hours are billed, e.g. `3d`; one hour of work if there is none.
    job: Option<String>,
    /// Days to look back.
    #[serde(default = "thirty")]
    #[schemars(range(min = 1, max = 90))]
    days: u16,
}

impl ToolArguments for BidsCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("job", self.job)
            .flag("days", Some(self.days))
            .query(&self.query, 0)
    }
}

//! The tool for agents that picks an offer.

use schemars::JsonSchema;
use serde::Deserialize;

use super::command;
use crate::cli::tool::{ArgumentError, Call, Line, MEMBERS, PriceModel, Tool, ToolArguments, call, schema};

pub const PICK: Tool = Tool {
    name: "pick",
    title: "Pick an offer",
    description: "The best offer that is still there, checked a second time, with the market's own command that rents \
            it. Nothing is rented.",
    document: None,
    members: &MEMBERS,
    schema: schema::<PickCall>,
    call: call::<PickCall>,
    run: |settings, call| Box::pin(async move { Box::pin(command::pick(settings, &call.parsed()?)).await }),
};

/// The number of offers to check unless the call names another.
const fn two() -> u32 {
    2
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PickCall {
    /// Plain words or conditions; may describe a job, e.g. `4090 europe 200gb 3d`.
    query: String,
    /// The job whose bill decides, e.g. `3d,200GB`; the hourly price if there is none.
    job: Option<String>,
    /// Offers to check a second time at most, the best first.
    #[serde(default = "two")]
    #[schemars(range(min = 1, max = 5))]
    tries: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

impl ToolArguments for PickCall {
    fn call(self) -> Result<Call, ArgumentError> {
        if !(1..=5).contains(&self.tries) {
            return Err(ArgumentError::Tries);
        }
        Line::new(&["--print=json"])
            .flag("tries", Some(self.tries))
            .flag("job", self.job)
            .price_model(self.price_model)
            .query(&self.query, 1 + self.tries)
    }
}

//! The tool for agents that shows recorded prices.

use schemars::JsonSchema;
use serde::Deserialize;

use super::command;
use crate::cli::documents::members;
use crate::cli::tool::{ArgumentError, Call, Line, PriceModel, Tool, ToolArguments, call, schema, ten, thirty};

pub const HISTORY: Tool = Tool {
    name: "history",
    title: "Price history and verdict",
    description: "Recorded prices of a search, and the verdict whether today's lowest price is low, typical or high. \
            Sends no request.",
    document: Some(("history", members::<super::document::History>)),
    members: &[],
    schema: schema::<HistoryCall>,
    call: call::<HistoryCall>,
    run: |settings, call| Box::pin(async move { command::history(settings, &call.parsed()?) }),
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HistoryCall {
    /// Plain words or conditions, e.g. `4090 europe`.
    query: String,
    /// Days to look back.
    #[serde(default = "thirty")]
    #[schemars(range(min = 1, max = 90))]
    days: u16,
    /// Steps of the series to return, the newest ones.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

impl ToolArguments for HistoryCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("days", Some(self.days))
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 0)
    }
}

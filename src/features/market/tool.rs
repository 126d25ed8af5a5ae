//! The tools for agents that sum up the market.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{command, document};
use crate::cli::documents::members;
use crate::cli::tool::{ArgumentError, Call, Line, PriceModel, Tool, ToolArguments, call, schema, ten};

pub const MARKET: Tool = Tool {
    name: "market",
    title: "Prices and supply by group",
    description: "Prices per GPU and supply of the matching offers, by GPU model, country or host.",
    document: Some(("market", members::<document::Analysis<document::Market>>)),
    members: &[],
    schema: schema::<MarketCall>,
    call: call::<MarketCall>,
    run: |settings, call| Box::pin(async move { command::market(settings, &call.parsed()?).await }),
};

pub const SUPPLY: Tool = Tool {
    name: "supply",
    title: "Supply at each price",
    description: "GPUs on offer at or below each price, and the price of a number of them.",
    document: Some(("depth", members::<document::Analysis<document::Depth>>)),
    members: &[],
    schema: schema::<SupplyCall>,
    call: call::<SupplyCall>,
    run: |settings, call| Box::pin(async move { command::depth(settings, &call.parsed()?).await }),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Grouping {
    #[default]
    Gpu,
    Country,
    Host,
}

impl Grouping {
    /// The grouping as a value of the flag `--by`.
    const fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Country => "country",
            Self::Host => "host",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MarketCall {
    /// Plain words or conditions; empty for the whole market.
    query: String,
    /// What to group by.
    #[serde(default)]
    by: Grouping,
    /// Groups to return, the largest first.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

impl ToolArguments for MarketCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("by", Some(self.by.name()))
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SupplyCall {
    /// Plain words or conditions, e.g. `h100 europe`.
    query: String,
    /// Price this many GPUs only.
    gpus: Option<u32>,
    /// Sizes to return, the smallest first.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    rows: u32,
    /// Price model; on-demand if not given.
    price_model: Option<PriceModel>,
}

impl ToolArguments for SupplyCall {
    fn call(self) -> Result<Call, ArgumentError> {
        Line::new(&["--format=json"])
            .flag("gpus", self.gpus)
            .rows(self.rows)
            .price_model(self.price_model)
            .query(&self.query, 1)
    }
}

//! The flags of `bourse groups supply`.

use clap::Args;

use super::args::ReplyFormat;
use crate::domain::quantity::{self, Quantity, QuantityError};

#[derive(Debug, Args)]
pub struct SupplyArguments {
    /// Workergroups in the query language, e.g. `endpoint=chat`
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// Image and model that a cold start downloads, e.g. `40GB` [default: `models.size` of the configuration]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub size: Option<f64>,

    /// How long a model loads after the download, e.g. `3m` [default: `models.loading` of the configuration]
    #[arg(long, value_name = "TIME", value_parser = loading)]
    pub loading: Option<f64>,

    /// Cold starts a day that the cost is shown for [default: `models.starts` of the configuration]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub starts: Option<u32>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReplyFormat,
}

/// Parses the size of a download, in GB, from `0.001` to 100,000.
fn size(text: &str) -> Result<f64, QuantityError> {
    quantity::within(text, Quantity::Gigabytes, 0.001..=100_000.0)
}

/// Parses the loading time of a model, in seconds, from 0 to a day.
fn loading(text: &str) -> Result<f64, QuantityError> {
    quantity::within(text, Quantity::Seconds, 0.0..=86_400.0)
}

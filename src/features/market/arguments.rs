//! The flags of `bourse market`, `bourse depth` and `bourse plan`.

use clap::{Args, ValueEnum};

use crate::cli::args::{ArgumentError, PricedSearch, ReportFormat};
use crate::domain::insight::MOST_GPUS;
use crate::domain::insight::plan::Same;
use crate::domain::quantity;
use crate::domain::quantity::{Quantity, QuantityError};
use crate::domain::time::UnixTime;

/// The flags of a search for offers, and of their prices.
#[derive(Debug, Args)]
pub struct AnalysisArguments {
    #[command(flatten)]
    pub search: PricedSearch,

    /// Lines to show [default: all]
    #[arg(short = 'n', long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: Option<u32>,

    /// Offers to request
    ///
    /// 0 sends no limit.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = crate::cli::wanted::LOCAL_LIMIT)]
    pub limit: u32,

    /// Exit with status 4 if nothing is found
    #[arg(long, hide_short_help = true)]
    pub fail_empty: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
}

/// A grouping of `bourse market`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Grouping {
    /// GPU model
    #[default]
    Gpu,
    Country,
    Host,
}

#[derive(Debug, Args)]
pub struct MarketArguments {
    #[command(flatten)]
    pub analysis: AnalysisArguments,

    /// What to group by
    #[arg(long, alias = "by", value_name = "WHAT", value_enum, default_value_t)]
    pub group_by: Grouping,
}

#[derive(Debug, Args)]
pub struct DepthArguments {
    #[command(flatten)]
    pub analysis: AnalysisArguments,

    /// Show only what this many GPUs cost
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_GPUS as i64))]
    pub gpus: Option<u32>,
}

#[derive(Debug, Args)]
pub struct PlanArguments {
    #[command(flatten)]
    pub analysis: AnalysisArguments,

    /// GPUs of the cluster
    #[arg(long, value_name = "N", required_unless_present = "shape",
        value_parser = clap::value_parser!(u32).range(1..=MOST_GPUS as i64))]
    pub gpus: Option<u32>,

    /// Machines x GPUs on each, e.g. `2x8`, instead of --gpus
    #[arg(long, value_name = "NxN", value_parser = shape,
        conflicts_with_all = ["gpus", "machines", "min_machines", "per_machine"])]
    pub shape: Option<(u32, u32)>,

    /// Memory of each GPU in GB, at least [default: any]
    #[arg(long, value_name = "GB", value_parser = gigabytes)]
    pub vram: Option<f64>,

    /// Machines, at most [default: any number]
    #[arg(long, alias = "hosts", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub machines: Option<u32>,

    /// Machines, at least [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub min_machines: Option<u32>,

    /// GPUs on each machine, at least [default: 1]
    #[arg(long, alias = "per-host", value_name = "N", hide_short_help = true,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub per_machine: Option<u32>,

    /// What all machines share: host, country or cluster
    #[arg(long, value_name = "WHAT", value_parser = same)]
    pub same: Option<Same>,

    /// Mix GPU models
    #[arg(long)]
    pub any_model: bool,

    /// Time by which the job is done, e.g. `friday`, `18:00`
    ///
    /// Also `tomorrow noon`, `2026-12-01` and `2026-12-01 18:00`, in your time zone. [default: none]
    #[arg(long, hide_short_help = true, value_name = "TIME", value_parser = crate::cli::args::parse_deadline)]
    pub by: Option<UnixTime>,

    /// Time in which the job is done, e.g. 4d
    ///
    /// Its download is included.
    #[arg(long, alias = "deadline", value_name = "TIME", value_parser = hours, requires = "JobArguments",
        hide_short_help = true)]
    pub within: Option<f64>,

    /// Highest bill in $: of the job, else per hour
    ///
    /// Exit status 4 if no plan is within it.
    #[arg(long, value_name = "AMOUNT", value_parser = dollars)]
    pub budget: Option<f64>,
}

/// Parses the shape of a cluster: `2x8` is two machines with eight GPUs each. `Err` unless both numbers are
/// above 0.
fn shape(text: &str) -> Result<(u32, u32), ArgumentError> {
    let numbers = text.split_once(['x', 'X', '×']).and_then(|(machines, gpus)| {
        let whole = |text: &str| text.trim().parse::<u32>().ok().filter(|number| *number > 0);
        Some((whole(machines)?, whole(gpus)?))
    });
    numbers.ok_or(ArgumentError::Shape)
}

/// Parses `host`, `country` or `cluster`, exactly as written; `Err` for any other text.
fn same(text: &str) -> Result<Same, ArgumentError> {
    let known = Same::ALL.into_iter().find(|same| same.name() == text);
    known.ok_or_else(|| ArgumentError::Choice("host, country or cluster".to_owned()))
}

/// Parses a size with an optional unit into GB, from 1 to 10,000.
fn gigabytes(text: &str) -> Result<f64, QuantityError> {
    quantity::within(text, Quantity::Gigabytes, 1.0..=10_000.0)
}

/// Parses a duration with an optional unit into hours, from 0.01 to a million.
fn hours(text: &str) -> Result<f64, QuantityError> {
    quantity::within(text, Quantity::Hours, 0.01..=1e6)
}

/// Parses an amount in dollars, from 0.01 to a billion.
fn dollars(text: &str) -> Result<f64, QuantityError> {
    quantity::within(text, Quantity::Dollars, 0.01..=1e9)
}

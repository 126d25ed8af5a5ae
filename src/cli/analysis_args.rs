//! The flags of `bourse market`, `bourse depth` and `bourse plan`.

use clap::{Args, ValueEnum};

use super::args::{OfferTypeParser, not_negative};
use crate::domain::OfferType;
use crate::domain::cost::Job;
use crate::domain::quantity::{self, Quantity};

/// Which offers to search, and what to price them for.
#[derive(Debug, Args)]
pub struct AnalysisArguments {
    /// Conditions or plain words, e.g. `4090 europe`
    ///
    /// All of them must match. Arguments are joined by blanks; `-` reads the query from standard input.
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// Start without the default conditions
    #[arg(long, hide_short_help = true)]
    pub no_default: bool,

    /// Price for a job, e.g. `3d,200GB,300GB-down`
    ///
    /// [default: per hour]
    #[arg(long, value_name = "JOB", value_parser = super::args::job)]
    pub job: Option<Job>,

    /// Price model [default: on-demand]
    #[arg(long = "type", value_name = "TYPE", value_parser = OfferTypeParser)]
    pub offer_type: Option<OfferType>,

    /// Storage in GB that prices include [default: the job's disk, else 8]
    #[arg(long, hide_short_help = true, value_name = "GB", allow_negative_numbers = true, value_parser = not_negative, conflicts_with = "job")]
    pub storage: Option<f64>,

    /// Maximum number of offers to load
    ///
    /// 0 sends no limit.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 3000)]
    pub limit: u32,

    /// Include machines and hosts that you banned
    #[arg(long, hide_short_help = true)]
    pub no_bans: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum ReportFormat {
    /// Aligned columns and sentences
    #[default]
    Table,
    /// All figures
    Json,
    /// One line per group, step or offer
    Csv,
}

/// What `bourse market` groups by.
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
    #[arg(long, value_enum, default_value_t)]
    pub by: Grouping,
}

#[derive(Debug, Args)]
pub struct DepthArguments {
    #[command(flatten)]
    pub analysis: AnalysisArguments,

    /// Show only what this many GPUs cost
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub gpus: Option<u64>,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("target").required(true))]
pub struct PlanArguments {
    #[command(flatten)]
    pub analysis: AnalysisArguments,

    /// GPUs of the cluster
    #[arg(long, value_name = "N", group = "target", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub gpus: Option<u32>,

    /// `DLPerf` of the cluster, instead of a number of GPUs
    #[arg(long, value_name = "N", group = "target", value_parser = amount)]
    pub dlperf: Option<f64>,

    /// Memory of each GPU in GB, at least [default: any]
    #[arg(long, value_name = "GB", value_parser = gigabytes)]
    pub vram: Option<f64>,

    /// Machines, at most [default: any number]
    #[arg(long, alias = "hosts", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub machines: Option<u32>,

    /// GPUs on each machine, at least [default: 1]
    #[arg(long, alias = "per-host", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub per_machine: Option<u32>,

    /// Mix GPU models
    #[arg(long)]
    pub any_model: bool,

    /// The slower of download and upload, at least
    ///
    /// In the unit of `inet_down`. [default: any]
    #[arg(long, value_name = "SPEED", value_parser = amount, hide_short_help = true)]
    pub network: Option<f64>,

    /// Time in which the job is done, e.g. 4d
    ///
    /// Its download is included.
    #[arg(long, value_name = "TIME", value_parser = hours, requires = "job")]
    pub deadline: Option<f64>,

    /// Highest bill in $: of the job, else per hour
    ///
    /// Exit status 1 if no plan is within it.
    #[arg(long, value_name = "AMOUNT", value_parser = dollars)]
    pub budget: Option<f64>,
}

fn amount(text: &str) -> Result<f64, String> {
    quantity::within(text, Quantity::Number, 0.001..=1e9)
}

fn gigabytes(text: &str) -> Result<f64, String> {
    quantity::within(text, Quantity::Gigabytes, 1.0..=10_000.0)
}

fn hours(text: &str) -> Result<f64, String> {
    quantity::within(text, Quantity::Hours, 0.01..=1e6)
}

fn dollars(text: &str) -> Result<f64, String> {
    quantity::within(text, Quantity::Dollars, 0.01..=1e9)
}

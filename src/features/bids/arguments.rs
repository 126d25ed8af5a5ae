//! The flags of `bourse bids`.

use std::time::Duration;

use clap::Args;

use crate::cli::args::ReportFormat;
use crate::cli::args::parse_span_or_zero;
use crate::cli::help::Example;
use crate::domain::cost::Job;

/// The examples of the command.
pub const EXAMPLES: &[Example] = &[
    ("bourse bids 4090 3d", "the bid at which three days of work cost least"),
    (
        "bourse bids h100 --checkpoint 10m --format csv",
        "with a checkpoint every ten minutes",
    ),
];

#[derive(Debug, Args)]
pub struct BidsArguments {
    /// Conditions or plain words, e.g. `4090 europe 3d`
    ///
    /// All of them must match. Arguments are joined by blanks; `-` reads the query from standard input.
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// Job whose hours are billed, e.g. `3d` [default: one hour of work]
    #[arg(long, value_name = "JOB", allow_hyphen_values = true, value_parser = crate::cli::args::job)]
    pub job: Option<Job>,

    /// Work from one checkpoint to the next; what follows the last one is lost with the offer
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = parse_span_or_zero)]
    pub checkpoint: Duration,

    /// Time until the work goes on after an interruption
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_span_or_zero)]
    pub restart: Duration,

    /// Days to look back
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=90))]
    pub days: u16,

    /// Start without the default conditions
    #[arg(long, hide_short_help = true)]
    pub no_default: bool,

    /// Include machines and hosts that you banned
    #[arg(long, hide_short_help = true)]
    pub no_bans: bool,

    /// Exit with status 4 if nothing is recorded
    #[arg(long, hide_short_help = true)]
    pub fail_empty: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
}

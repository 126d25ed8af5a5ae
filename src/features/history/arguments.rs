//! The flags of `bourse watch`, `bourse history` and `bourse db`.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::args::{
    Addition, ArgumentError, ExportFormat, OfferTypeParser, ReportFormat, TextArguments, parse_span,
};
use crate::domain::OfferType;

/// Minimum interval of a watch.
///
/// Ten requests a minute would leave no room for another search.
const SHORTEST: Duration = Duration::from_secs(10);

/// The flags of a search in the record.
#[derive(Debug, Args)]
pub struct WatchedSearch {
    /// Conditions or plain words, e.g. `4090 europe`
    ///
    /// All of them must match. Arguments are joined by blanks; `-` reads the query from standard input.
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// Search network volume offers instead of machine offers
    #[arg(long = "network-volumes", alias = "volumes", conflicts_with = "offer_type")]
    pub volumes: bool,

    /// Start without the default conditions
    #[arg(long, hide_short_help = true)]
    pub no_default: bool,

    /// Price model [default: on-demand]
    #[arg(long = "type", value_name = "TYPE", value_parser = OfferTypeParser)]
    pub offer_type: Option<OfferType>,

    /// Include machines and hosts that you banned
    #[arg(long, hide_short_help = true)]
    pub no_bans: bool,
}

#[derive(Debug, Args)]
pub struct WatchArguments {
    #[command(flatten)]
    pub search: WatchedSearch,

    /// Offers to request
    ///
    /// 0 sends no limit. With more offers than that, a missing one may only be past the limit.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = crate::cli::wanted::LOCAL_LIMIT)]
    pub limit: u32,

    /// Time between two searches, at least 10s [default: 60s]
    ///
    /// With `--once`, how often your timer runs; without it that is learned from the searches.
    #[arg(long, value_name = "TIME", value_parser = interval)]
    pub every: Option<Duration>,

    /// Search once instead of until interrupted, as in a timer
    #[arg(long)]
    pub once: bool,

    /// End once offers meet these, e.g. `dph_total<0.3` or `4090 under $0.30`
    ///
    /// With status 0.
    #[arg(long = "if", value_name = "CONDITIONS")]
    pub condition: Option<String>,

    /// How many offers must meet them that can be rented together
    #[arg(long, value_name = "N", default_value_t = 1, requires = "condition",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub count: u32,

    /// Command to run then, without a shell
    ///
    /// `BOURSE_OFFER`, `BOURSE_MACHINE`, `BOURSE_MODEL`, `BOURSE_PRICE` and `BOURSE_COUNT` are in its
    /// environment.
    #[arg(long, value_name = "COMMAND", requires = "condition", value_hint = clap::ValueHint::CommandString)]
    pub exec: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: WatchFormat,

    /// Add what bourse knows to each change of `--format jsonl`, separated by commas
    #[arg(long, hide_short_help = true, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub with: Vec<Addition>,
}

/// The output format of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum WatchFormat {
    /// A line for each change
    #[default]
    Text,
    /// A JSON object for each change, one a line
    Jsonl,
    /// With --list, a document
    Json,
}

#[derive(Debug, Args)]
pub struct HistoryArguments {
    #[command(flatten)]
    pub search: WatchedSearch,

    /// Lines to show, the newest ones [default: all]
    #[arg(short = 'n', long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: Option<u32>,

    /// Days to look back
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=90))]
    pub days: u16,

    /// Only this machine
    #[arg(long, value_name = "ID")]
    pub machine: Option<i64>,

    /// Only this GPU model, as the market writes it, e.g. `RTX 4090`
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,

    /// Exit with status 4 if nothing is recorded
    #[arg(long, hide_short_help = true)]
    pub fail_empty: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub enum DbCommand {
    /// Check the file for damage, and show what it holds
    Check(TextArguments),
    /// Shrink the file to what it holds
    Vacuum(TextArguments),
    /// Print every recorded price with its times
    Export {
        /// Output format
        #[arg(long, value_enum, default_value_t)]
        format: ExportFormat,
    },
    /// Move the file aside, so that the next start begins a new one
    Reset(TextArguments),
}

/// Parses the interval of a watch; `Err` for an invalid duration or one below ten seconds.
fn interval(text: &str) -> Result<Duration, ArgumentError> {
    let interval = parse_span(text)?;
    (interval >= SHORTEST)
        .then_some(interval)
        .ok_or(ArgumentError::Interval(SHORTEST))
}

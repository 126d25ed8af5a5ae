//! The command line: flags and subcommands. What they say is a contract with scripts.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::domain::OfferType;
use crate::sandbox::faults::FaultSpec;

/// A keyboard-driven terminal dashboard for GPU compute marketplaces.
///
/// Without a profile or address every command uses an embedded sandbox marketplace: nothing to
/// configure, nothing to pay.
#[derive(Debug, Parser)]
#[command(name = "bourse", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,

    /// Start the dashboard with this query over offers, e.g. `gpu_name=RTX_4090 num_gpus>=2`
    #[arg(long, value_name = "QUERY")]
    pub query: Option<String>,

    /// What to do instead of opening the dashboard.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  bourse                                            open the dashboard on the sandbox
  bourse --profile vast                             open it on the public service
  bourse offers 'gpu_name=RTX_4090 dph<0.5' --order dph_total
  bourse offers 'num_gpus>=4' --format json | jq '.offers[].id'
  bourse route my-endpoint -n 20 -c 4               see how workers share 20 requests

The API key comes from BOURSE_API_KEY, else --api-key-file, else the profile. Profiles, keys and
themes are configured in $XDG_CONFIG_HOME/bourse/config.toml: see bourse config print-default.";

/// Flags that stand before or after a subcommand.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Profile to use: sandbox, vast, or one of the configuration file
    #[arg(long, global = true, value_name = "NAME", help_heading = "Marketplace")]
    pub profile: Option<String>,

    /// Address of the management API; without a profile it speaks the documented dialect
    #[arg(long, global = true, value_name = "URL", help_heading = "Marketplace")]
    pub base_url: Option<String>,

    /// Address of the routing endpoint [default: the base address]
    #[arg(long, global = true, value_name = "URL", help_heading = "Marketplace")]
    pub route_url: Option<String>,

    /// File that holds the API key; nobody else may read it (chmod 600)
    #[arg(long, global = true, value_name = "PATH", help_heading = "Marketplace")]
    pub api_key_file: Option<PathBuf>,

    /// Refuse to create workergroups and to unlist volumes
    #[arg(long, global = true, help_heading = "Marketplace")]
    pub read_only: bool,

    /// Seed of the sandbox market: another seed, another market
    #[arg(long, global = true, value_name = "N", help_heading = "Sandbox")]
    pub seed: Option<u64>,

    /// Number of machine offers in the sandbox market
    #[arg(long, global = true, value_name = "N", help_heading = "Sandbox")]
    pub offers: Option<usize>,

    /// Let the sandbox market stand still: the same bytes in every run
    #[arg(long, global = true, help_heading = "Sandbox")]
    pub freeze: bool,

    /// Time that the sandbox adds to each response, in ms; 0 adds none [default: 30 to 150]
    #[arg(long, global = true, value_name = "MS", help_heading = "Sandbox",
        value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub latency: Option<u64>,

    /// Let the sandbox fail on purpose, e.g. `status_500:0.2`
    #[arg(long, global = true, value_name = "SPEC", help_heading = "Sandbox")]
    pub faults: Option<FaultSpec>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the sandbox marketplace for other clients and for tests
    Sandbox(SandboxArguments),
    /// Search machine offers and print them
    Offers(OffersArguments),
    /// Search network volume offers and print them
    Volumes(VolumesArguments),
    /// List workergroups
    Groups(GroupsArguments),
    /// Ask the routing endpoint for workers and print how they share the requests
    Route(RouteArguments),
    /// Print the completion script of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Check the configuration file, or print one to start from
    Config {
        /// What to do.
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Print the man page (bourse man | man -l -)
    Man,
}

/// `bourse config`
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum ConfigCommand {
    /// Say what is wrong with the configuration file, with line and valid values
    Check,
    /// Print every setting with its default, commented
    PrintDefault,
}

/// How records are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// Columns for people
    #[default]
    Table,
    /// The records exactly as they came
    Json,
    /// One line a record, values in wire units
    Csv,
}

/// `bourse sandbox`
#[derive(Debug, Args)]
pub struct SandboxArguments {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8733")]
    pub listen: SocketAddr,

    /// Key that callers must carry [default: a random one, printed at start]
    #[arg(long, value_name = "KEY")]
    pub api_key: Option<String>,

    /// Number of network volume offers
    #[arg(long, value_name = "N")]
    pub volumes: Option<usize>,

    /// Never answer 429
    #[arg(long)]
    pub no_rate_limits: bool,
}

/// What both searches take.
#[derive(Debug, Args)]
pub struct SearchArguments {
    /// Conditions, e.g. `num_gpus>=2 geolocation in [US,CA]`; several words are joined by blanks
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// Order, e.g. `dph_total,dlperf-` (a minus is descending)
    #[arg(long, short, value_name = "ORDER", allow_hyphen_values = true)]
    pub order: Option<String>,

    /// Most records wanted; 0 leaves it to the server
    #[arg(long, value_name = "N")]
    pub limit: Option<u32>,

    /// Start without the default conditions
    #[arg(long)]
    pub no_default: bool,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,

    /// Send nothing: print the request as one curl command
    #[arg(long)]
    pub curl: bool,
}

/// `bourse offers`
#[derive(Debug, Args)]
pub struct OffersArguments {
    /// What both searches take.
    #[command(flatten)]
    pub search: SearchArguments,

    /// Price model: on-demand, bid or reserved
    #[arg(long = "type", value_name = "TYPE", default_value = "on-demand")]
    pub offer_type: OfferType,

    /// Storage in GB that prices shall include [default: 8]
    #[arg(long, value_name = "GB", allow_negative_numbers = true, value_parser = not_negative)]
    pub storage: Option<f64>,
}

/// `bourse volumes`
#[derive(Debug, Args)]
pub struct VolumesArguments {
    /// What both searches take.
    #[command(flatten)]
    pub search: SearchArguments,
}

/// `bourse groups`
#[derive(Debug, Args)]
pub struct GroupsArguments {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,

    /// Print the groups' API keys as well
    #[arg(long)]
    pub show_secrets: bool,
}

/// `bourse route`
#[derive(Debug, Args)]
pub struct RouteArguments {
    /// Name of the endpoint
    pub endpoint: String,

    /// Estimated load of each request
    #[arg(long, value_name = "N", default_value_t = 100.0, allow_negative_numbers = true, value_parser = not_negative)]
    pub cost: f64,

    /// Number of requests [default: 1]
    #[arg(short = 'n', value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub number: Option<u64>,

    /// Send requests for so long instead, e.g. 30s or 5m (a run sends at most 250,000)
    #[arg(long, value_name = "TIME", conflicts_with = "number", value_parser = span)]
    pub duration: Option<Duration>,

    /// Requests under way at the same time [default: 1, with --duration 4]
    #[arg(short = 'c', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub concurrency: Option<u16>,

    /// Requests per second [default: with --duration 10, else the next when one is answered]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    pub rate: Option<f64>,

    /// How long to poll for a request while no worker is ready; 0 never polls
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = patience)]
    pub patience: Duration,

    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

fn number(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| format!("'{text}' is not a number"))
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = number(text)?;
    (number >= 0.0)
        .then_some(number)
        .ok_or_else(|| "it must not be negative".to_owned())
}

fn positive(text: &str) -> Result<f64, String> {
    let number = number(text)?;
    (number > 0.0)
        .then_some(number)
        .ok_or_else(|| "it must be above 0".to_owned())
}

/// A span of time that may be 0.
fn patience(text: &str) -> Result<Duration, String> {
    if text.trim_end_matches(|c: char| c.is_ascii_alphabetic()) == "0" {
        return Ok(Duration::ZERO);
    }
    span(text)
}

/// `90` (seconds), `500ms`, `30s`, `5m`, `1h`.
fn span(text: &str) -> Result<Duration, String> {
    let split = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "" | "s" | "sec" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("'{text}' is not a time: write 30s, 5m or 1h")),
    };
    let seconds = positive(digits)? * factor;
    if seconds > 86_400.0 {
        return Err("a day is the longest".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

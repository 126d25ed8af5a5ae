//! The flags of `bourse route`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::args::{Format, not_negative, parse_span, parse_span_or_zero, positive};

#[derive(Debug, Args)]
pub struct RouteArguments {
    /// Name of the endpoint
    pub endpoint: String,

    /// Estimated compute of each request; the sum of all is the load
    #[arg(long, value_name = "N", default_value_t = 100.0, allow_negative_numbers = true, value_parser = not_negative)]
    pub cost: f64,

    /// Number of requests [default: 1]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub number: Option<u64>,

    /// Send requests for this long instead, e.g. 30s or 5m
    ///
    /// A run sends at most 250,000.
    #[arg(long, value_name = "TIME", conflicts_with = "number", value_parser = parse_span)]
    pub duration: Option<Duration>,

    /// Requests in flight at once [default: 1]
    ///
    /// [default: with --duration 4, else 1]
    #[arg(short = 'c', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub concurrency: Option<u16>,

    /// Requests per second
    ///
    /// [default: with --duration 10, else as fast as replies arrive]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    pub rate: Option<f64>,

    /// How long to poll while no worker is ready; 0 never
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_span_or_zero)]
    pub patience: Duration,

    /// Send each request on to its worker at this path
    ///
    /// Such as /v1/completions. No key is sent to workers. Asks before anything is sent.
    #[arg(long, value_name = "PATH", requires = "payload", conflicts_with = "curl")]
    pub send: Option<String>,

    /// JSON file for --send; - reads standard input
    #[arg(long, value_name = "FILE", requires = "send", value_hint = ValueHint::FilePath)]
    pub payload: Option<PathBuf>,

    /// How often a request is routed again after a worker's 408, 429 or 5xx, with --send [default: 0]
    #[arg(long, value_name = "N", hide_short_help = true, requires = "send", value_parser = clap::value_parser!(u32).range(0..=20))]
    pub retries: Option<u32>,

    /// Send to workers without asking, for scripts
    #[arg(long, requires = "send")]
    pub yes: bool,

    /// Send this many requests first, which are not measured
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub warmup: Option<u64>,

    /// Fail with exit status 4 unless the run meets these, e.g. 'p95<2s, errors<1%'
    ///
    /// p50 to p99 are of the time to a worker, with --send of the whole time to its last byte; `queue_p50`,
    /// `connect_p50` and `first_byte_p50` are of a part. errors is the share of requests that got no worker, with
    /// --send of those whose last outcome is no 2xx.
    #[arg(long, value_name = "LIST", hide_short_help = true)]
    pub require: Option<String>,

    /// Compare percentiles and errors with a saved run of the same kind
    ///
    /// The file is the output of --format json, or a run that the route lab exported as JSON.
    #[arg(long, value_name = "FILE", hide_short_help = true, conflicts_with = "curl", value_hint = ValueHint::FilePath)]
    pub against: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,

    /// Show signatures and tokens in the replies of --format json
    #[arg(long, hide_short_help = true)]
    pub show_secrets: bool,

    /// Print the request as one curl command and send nothing
    #[arg(long)]
    pub curl: bool,
}

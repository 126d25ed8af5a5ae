//! The command line: flags and subcommands, a contract with scripts.
//!
//! Defaults that come from a catalog, and the examples, are added in [`super::help`].

use std::net::SocketAddr;
use std::time::Duration;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Parser, Subcommand, ValueEnum};

use super::create_args::CreateArguments;
pub use super::formats::{ExportFormat, Format, RecordFormat, ReplyFormat, ReportFormat, TextArguments};
use super::supply_args::SupplyArguments;
use crate::api::client::current_time;
use crate::domain::cost::{Input, Job, JobWords, VolumeTerm};
use crate::domain::deadline::DeadlineError;
use crate::domain::language::LanguageError;
use crate::domain::local::LocalTime;
use crate::domain::quantity::{self, Quantity, QuantityError};
use crate::domain::throughput::Work;
use crate::domain::time::UnixTime;
use crate::domain::{OfferType, deadline};
use crate::settings::Global;

/// A keyboard-driven terminal dashboard for GPU compute marketplaces.
///
/// Without --profile or --base-url every command runs against an embedded sandbox market: no
/// account, no configuration, no cost.
#[derive(Debug, Parser)]
#[command(name = "bourse", version = env!("BOURSE_VERSION"), disable_help_subcommand = true)]
pub struct Arguments {
    /// The flags of every command.
    #[command(flatten)]
    pub global: Global,

    /// Open the dashboard on this query over offers, e.g. `gpu_name=RTX_4090 num_gpus>=2`
    #[arg(long, value_name = "QUERY", hide_short_help = true)]
    pub query: Option<String>,

    /// Open the dashboard with at most this many offers [default: as you left it, at first 500; 0
    /// sends no limit]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub limit: Option<u32>,

    /// Show no recorded rows in the dashboard while the market is asked [default: `recorded_rows` of the
    /// configuration]
    #[arg(long, hide_short_help = true)]
    pub no_recorded_rows: bool,

    /// The subcommand; none opens the dashboard.
    #[command(subcommand)]
    pub command: Option<super::Command>,
}

/// An addition of `--with` to each record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Addition {
    /// The job's bill in $
    Bill,
    /// $/h for each GPU
    PricePerGpu,
    /// Whether no offer found is both cheaper and faster
    BestValue,
    /// The id of an offer that is both cheaper and faster
    BeatenBy,
    /// Whether today's lowest price of such offers is low, typical or high
    Verdict,
}

impl Addition {
    /// The name of its member in a record of the output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bill => "bill",
            Self::PricePerGpu => "price_per_gpu",
            Self::BestValue => "best_value",
            Self::BeatenBy => "beaten_by",
            Self::Verdict => "verdict",
        }
    }
}

/// Maximum number of requests that load all offers of a search, unless `--requests` changes it.
///
/// A market of 20,000 offers takes about ten; one that fills every page would take hundreds.
pub const USUAL_BUDGET: u32 = 100;

#[derive(Debug, Args)]
pub struct SandboxArguments {
    /// Address to listen on; port 0 picks a free one
    ///
    /// Only programs on this computer reach a loopback address. On any other, whoever reaches it
    /// and has the key can use the sandbox, and nothing is encrypted.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8733")]
    pub listen: SocketAddr,

    /// Key that callers must send [default: random, printed at start]
    #[arg(long, value_name = "KEY")]
    pub api_key: Option<String>,

    /// Network volume offers in the market [default: 60]
    #[arg(long, value_name = "N")]
    pub volumes: Option<usize>,

    /// Never refuse requests for coming too fast (status 429)
    #[arg(long)]
    pub no_rate_limits: bool,

    /// Format of the address and the key that are printed at start
    #[arg(long, hide_short_help = true, value_enum, default_value_t)]
    pub format: ReplyFormat,
}

#[derive(Debug, Default, Args)]
pub struct SearchArguments {
    /// Conditions or plain words, e.g. `4090 europe 200gb 3d`
    ///
    /// All of them must match. Arguments are joined by blanks; `-` reads the query from standard input.
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// Sort by these fields; `-` behind one sorts descending
    ///
    /// Fields are separated by commas.
    #[arg(
        long,
        short,
        visible_alias = "sort",
        value_name = "ORDER",
        allow_hyphen_values = true
    )]
    pub order: Option<String>,

    /// Rows to show, after every condition and sort [default: all]
    #[arg(short = 'n', long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: Option<u32>,

    /// Records to request
    #[arg(long, value_name = "N")]
    pub limit: Option<u32>,

    /// Columns of the table or CSV, separated by commas
    ///
    /// In JSON they add the computed ones beside the records as received. [default: the usual columns in
    /// a table, every field in CSV]
    #[arg(long, value_name = "FIELDS")]
    pub columns: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: RecordFormat,

    /// Exit with status 4 if nothing is found
    #[arg(long, hide_short_help = true)]
    pub fail_empty: bool,

    /// Print the request as one curl command and send nothing
    #[arg(long)]
    pub curl: bool,

    /// Include machines and hosts that you banned
    #[arg(long, hide_short_help = true)]
    pub no_bans: bool,
}

/// The flags of a search for offers that are compared by their prices.
#[derive(Debug, Args)]
pub struct PricedSearch {
    /// Conditions or plain words, e.g. `4090 europe 200gb 3d`
    ///
    /// All of them must match. Arguments are joined by blanks; `-` reads the query from standard input.
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,

    /// Start without the default conditions
    #[arg(long, hide_short_help = true)]
    pub no_default: bool,

    #[command(flatten)]
    pub job: JobArguments,

    /// Price model [default: on-demand]
    #[arg(long = "type", value_name = "TYPE", value_parser = OfferTypeParser)]
    pub offer_type: Option<OfferType>,

    /// Storage in GB that prices include [default: the job's disk, else 8]
    #[arg(long, hide_short_help = true, value_name = "GB", allow_negative_numbers = true, value_parser = not_negative,
        conflicts_with = "job")]
    pub storage: Option<f64>,

    /// Include machines and hosts that you banned
    #[arg(long, hide_short_help = true)]
    pub no_bans: bool,
}

#[derive(Debug, Args)]
pub struct OffersArguments {
    #[command(flatten)]
    pub search: SearchArguments,

    /// Start without the default conditions
    #[arg(long, hide_short_help = true)]
    pub no_default: bool,

    /// Price model [default: on-demand]
    #[arg(long = "type", value_name = "TYPE", value_parser = OfferTypeParser)]
    pub offer_type: Option<OfferType>,

    /// Storage in GB that prices include [default: 8]
    ///
    /// --job sets it to its disk.
    #[arg(long, value_name = "GB", allow_negative_numbers = true, value_parser = not_negative, conflicts_with = "job")]
    pub storage: Option<f64>,

    #[command(flatten)]
    pub job: JobArguments,

    /// Time by which the job is done, e.g. `friday`, `18:00`
    ///
    /// Also `tomorrow noon`, `2026-12-01` and `2026-12-01 18:00`, in your time zone. [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_deadline)]
    pub by: Option<UnixTime>,

    /// Add what bourse knows to each record of `--format json` or `jsonl`, separated by commas
    #[arg(long, hide_short_help = true, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub with: Vec<Addition>,

    /// Load all offers of the search, however many: in parts, if one response does not bring them
    ///
    /// --limit is then how many to request at once. Exit status 4 if offers are or may be missing.
    #[arg(long, hide_short_help = true)]
    pub all: bool,

    /// Requests that --all sends at most
    #[arg(long, hide_short_help = true, value_name = "N", requires = "all", default_value_t = USUAL_BUDGET,
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub requests: u32,

    /// Minimum number of virtual CPUs of the machine; `vcpus>=N` is about the offer's share [default: any]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub vcpus: Option<u32>,

    /// Only machines in a datacenter
    #[arg(long, hide_short_help = true)]
    pub datacenter: bool,

    /// List identical offers separately instead of as one bundle
    #[arg(long, hide_short_help = true)]
    pub disable_bundling: bool,
}

#[derive(Debug, Args)]
pub struct VolumesArguments {
    #[command(flatten)]
    pub search: SearchArguments,

    /// Price a size for a time, e.g. `200GB,30d` [default: none]
    #[arg(long, value_name = "SIZE,TIME", value_parser = term)]
    pub term: Option<VolumeTerm>,

    /// Start without the default conditions
    #[arg(long)]
    pub no_default: bool,
}

#[derive(Debug, Args)]
pub struct GroupsArguments {
    #[command(flatten)]
    pub search: SearchArguments,

    /// Show the groups' API keys
    #[arg(long)]
    pub show_secrets: bool,

    /// A subcommand that replaces the list.
    #[command(subcommand)]
    pub command: Option<GroupsCommand>,
}

/// The subcommands of `bourse groups`.
#[derive(Debug, Subcommand)]
pub enum GroupsCommand {
    /// Create a workergroup
    Create(Box<CreateArguments>),
    /// Show what their searches find, and what workers and cold starts cost
    Supply(SupplyArguments),
}

#[derive(Debug, Clone, Copy, Args)]
pub struct WriteArguments {
    /// Send without asking; required without a terminal
    #[arg(long)]
    pub yes: bool,

    /// Print the request and send nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: ReplyFormat,
}

#[derive(Debug, Args)]
pub struct UnlistArguments {
    /// Id of the volume listing (not the id of an offer)
    #[arg(value_parser = listing_id, allow_negative_numbers = true)]
    pub id: i64,

    /// The flags on its confirmation and report.
    #[command(flatten)]
    pub write: WriteArguments,
}

#[derive(Debug, Args)]
pub struct CompleteArguments {
    pub shell: clap_complete::Shell,
    /// The command line up to the cursor
    #[arg(allow_hyphen_values = true)]
    pub line: String,
    /// The part of it that the shell replaces
    #[arg(allow_hyphen_values = true)]
    pub word: Option<String>,
}

/// Parses an [`OfferType`], and lists the choices for completion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfferTypeParser;

impl TypedValueParser for OfferTypeParser {
    type Value = OfferType;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<OfferType, clap::Error> {
        let parse = |text: String| text.parse::<OfferType>();
        let parser = StringValueParser::new().try_map(parse);
        parser.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = OfferType::ALL.into_iter().map(OfferType::wire);
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

/// A flag's value that cannot be used. clap prints the error after the flag and the value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ArgumentError {
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    #[error(transparent)]
    Deadline(#[from] DeadlineError),
    /// The mistake is underlined in the text.
    #[error("\n{}", .source.render(.text))]
    Job { text: String, source: LanguageError },
    #[error("'{0}' is not a number")]
    Number(String),
    #[error("it must not be negative")]
    Negative,
    #[error("it must be above 0")]
    NotPositive,
    #[error("a listing id is a whole number, e.g. 7311")]
    ListingId,
    #[error("write a size and a time, e.g. 200GB,30d")]
    VolumeTerm,
    #[error("write machines x GPUs on each, e.g. 2x8")]
    Shape,
    /// None of the choices, which are listed.
    #[error("{0}")]
    Choice(String),
    #[error("at least {} s between two searches", .0.as_secs())]
    Interval(Duration),
    #[error("the number of a line as bourse writes check shows it, or 'damaged'")]
    JournalLine,
}

/// Parses the id of a volume listing: digits only, as the dashboard's dialog takes it.
fn listing_id(text: &str) -> Result<i64, ArgumentError> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain).ok_or(ArgumentError::ListingId)
}

/// The flags of the job that offers are priced for.
#[derive(Debug, Args)]
pub struct JobArguments {
    /// Price for a job, e.g. `3d,200GB` or `500M-tokens,8GB`
    ///
    /// A time is how long it runs, a size its disk. Also `2d-stopped` for time in which only storage
    /// is billed, and `500M-tokens` or `5000-dlperf-hours` instead of a run time. [default: per hour]
    #[arg(long, value_name = "JOB", allow_hyphen_values = true, value_parser = job)]
    pub job: Option<Job>,

    /// Price for work instead of a run time, e.g. `500M tokens`, `20k images`
    ///
    /// Hours follow from your `[throughput]` of each GPU model in the configuration. [default: none]
    #[arg(long, hide_short_help = true, value_name = "AMOUNT", conflicts_with = "job")]
    pub work: Option<Work>,
}

impl JobArguments {
    /// The job of the flags, `--job` or else `--work`; `None` without either. `storage` in GB is the disk of
    /// a job given as work.
    pub fn job(&self, storage: Option<f64>) -> Option<Job> {
        let words = JobWords {
            work: self.work,
            ..JobWords::default()
        };
        let work = self.work.map(|_| words.apply_to(None, storage, &local_time()));
        self.job.or(work)
    }
}

/// The time zone and the clock of the system.
pub(crate) fn local_time() -> LocalTime {
    LocalTime {
        zone: jiff::tz::TimeZone::system(),
        now: current_time(),
    }
}

/// Parses a deadline such as `friday` or `18:00`, in the system's time zone.
pub(crate) fn parse_deadline(text: &str) -> Result<UnixTime, ArgumentError> {
    Ok(deadline::moment(text, &local_time())?)
}

/// Parses a job such as `3d,200GB`; the error underlines the mistake.
pub(crate) fn job(text: &str) -> Result<Job, ArgumentError> {
    Job::from_spec(text).map_err(|source| ArgumentError::Job {
        text: text.to_owned(),
        source,
    })
}

/// Parses the size and time of a volume, as `200GB,30d`, into GB and days; an error without a comma, or
/// beyond the most that the form of the dashboard takes.
fn term(text: &str) -> Result<VolumeTerm, ArgumentError> {
    let (size, time) = text.split_once(',').ok_or(ArgumentError::VolumeTerm)?;
    let (gb, days) = (Input::VolumeGb, Input::Days);
    Ok(VolumeTerm {
        gb: quantity::within(size, Quantity::Gigabytes, 0.0..=gb.maximum())?,
        days: quantity::within(time, Quantity::Term, 0.0..=days.maximum())?,
    })
}

/// Parses a finite number; other text, infinities and NaN are an error.
fn number(text: &str) -> Result<f64, ArgumentError> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| ArgumentError::Number(text.to_owned()))
}

/// Parses a finite number that is 0 or more.
pub(crate) fn not_negative(text: &str) -> Result<f64, ArgumentError> {
    let number = number(text)?;
    (number >= 0.0).then_some(number).ok_or(ArgumentError::Negative)
}

/// Parses a finite number that is above 0.
pub(crate) fn positive(text: &str) -> Result<f64, ArgumentError> {
    let number = number(text)?;
    (number > 0.0).then_some(number).ok_or(ArgumentError::NotPositive)
}

/// Parses a time such as `60s` that may be 0, up to a day.
pub(crate) fn parse_span_or_zero(text: &str) -> Result<Duration, ArgumentError> {
    time(text, 0.0)
}

/// Parses a time such as `90` (seconds), `500ms`, `30s`, `5m` or `1h`, from 1 ms to a day.
pub(crate) fn parse_span(text: &str) -> Result<Duration, ArgumentError> {
    time(text, 0.001)
}

/// Parses a time from `least` seconds to a day, both included; a number without a unit is in seconds.
fn time(text: &str, least: f64) -> Result<Duration, ArgumentError> {
    let seconds = quantity::within(text, Quantity::Seconds, least..=86_400.0)?;
    Ok(Duration::from_secs_f64(seconds))
}

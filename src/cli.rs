//! The command line: turns flags, subcommands and the environment into settings, and runs
//! subcommands.

pub mod args;
pub(crate) mod complete;
pub(crate) mod config;
pub(crate) mod create_args;
pub mod documents;
pub(crate) mod enrich;
pub mod formats;
pub mod help;
mod json;
pub(crate) mod notes;
pub(crate) mod output;
pub(crate) mod prompt;
pub(crate) mod recorded;
pub(crate) mod route_args;
pub(crate) mod sandbox;
pub mod schema;
pub(crate) mod search;
mod spelling;
pub(crate) mod supply_args;
pub(crate) mod table;
pub(crate) mod tool;
pub(crate) mod wanted;
pub(crate) mod write;

use std::error::Error as _;
use std::num::ParseIntError;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::error::ContextKind;
use clap::{FromArgMatches as _, Subcommand};

use crate::domain::{Dialect, Resource, language, plain, text};
use crate::features::bids::arguments::BidsArguments;
use crate::features::history::arguments::{DbCommand, HistoryArguments, WatchArguments};
use crate::features::market::arguments::{DepthArguments, MarketArguments, PlanArguments};
use crate::features::markets::check::MarketsCommand;
use crate::features::markets::command::ProfileResolver;
use crate::features::pick::arguments::PickArguments;
use crate::features::price_index::arguments::IndexArguments;
use crate::features::watch_saved::SavedArguments;
use crate::settings::flags::{Color, Variables, color_choice};
use crate::settings::{Config, Environment, Error, Global, Settings, config as config_file};
use crate::{features, process};

use write::check::WritesCommand;

pub use args::Arguments;
use args::{
    CompleteArguments, GroupsArguments, OffersArguments, SandboxArguments, TextArguments, UnlistArguments,
    VolumesArguments,
};
pub use output::CliError;
use route_args::RouteArguments;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Search machine offers
    Offers(OffersArguments),
    /// Search network volume offers
    Volumes(VolumesArguments),
    /// Sum up prices and supply by GPU model, country or host
    Market(MarketArguments),
    /// Count the GPUs at or below each price, and price N of them
    Depth(DepthArguments),
    /// Plan a cluster: the cheapest offers that together have N GPUs
    Plan(PlanArguments),
    /// Pick the best offer that is still there
    Pick(PickArguments),
    /// Repeat a search, record prices and print what changes
    Watch {
        #[command(flatten)]
        options: WatchArguments,
        #[command(flatten)]
        saved: SavedArguments,
    },
    /// Show recorded prices, and whether today's are low
    History {
        #[command(flatten)]
        history: HistoryArguments,
        #[command(flatten)]
        index: IndexArguments,
    },
    /// Show what bids would have held, and the bill of a job at them
    Bids(BidsArguments),
    /// Check, shrink, export or reset the recorded prices
    Db {
        #[command(subcommand)]
        command: DbCommand,
    },
    /// Add a market, or check whether it is what bourse expects
    Markets {
        #[command(subcommand)]
        command: MarketsCommand,
    },
    /// List workergroups, or create one
    Groups(GroupsArguments),
    /// Unlist one of your volume listings
    Unlist(UnlistArguments),
    /// Settle writes whose outcome is unknown
    Writes {
        #[command(subcommand)]
        command: WritesCommand,
    },
    /// Test the routing endpoint: latency, and the share of each worker
    ///
    /// Each request adds load, and load starts workers, which are billed. Requests to the router are sent without
    /// asking, also with --read-only; those to workers (--send) are confirmed first.
    Route(RouteArguments),
    /// Serve the sandbox market to other clients and to tests
    Sandbox(SandboxArguments),
    /// Answer an agent's questions about the market, over MCP
    ///
    /// Speaks the Model Context Protocol on standard input and output until the input ends. Its tools only read: search, bill, pick, plan, history,
    /// bids, market and supply.
    Mcp,
    /// Check, show or create a configuration
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Print where configuration, API keys and state are
    Paths(TextArguments),
    /// Print the JSON Schema of a document, or the kinds of documents
    Schema {
        /// Kind of the document [default: list the kinds]
        #[arg(value_parser = PossibleValuesParser::new(schema::kinds()))]
        kind: Option<String>,
    },
    /// Print the completion script of a shell
    Completions {
        /// Shell to complete in
        shell: clap_complete::Shell,
    },
    /// Print the help of a command
    #[command(hide = true)] // as the next one
    Help {
        /// Command, e.g. `groups create` [default: bourse itself]
        #[arg(value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Print the man page
    #[command(hide = true)] // for packages: the list of commands fits a small terminal without
    Man,
    /// Print completion candidates for the end of a command line, for the completion scripts
    #[command(name = "__complete", hide = true)]
    Complete(CompleteArguments),
}

impl Command {
    /// Whether the command runs although the file that `--config` names is missing: completions, help,
    /// schemas, the man page, the sandbox server, the default configuration, and adding a market, which
    /// creates it.
    const fn allows_missing_config(&self) -> bool {
        matches!(
            self,
            Self::Completions { .. }
                | Self::Help { .. }
                | Self::Schema { .. }
                | Self::Man
                | Self::Complete(_)
                | Self::Sandbox(_)
                | Self::Config {
                    command: ConfigCommand::PrintDefault
                }
                | Self::Markets {
                    command: MarketsCommand::Add(_)
                }
        )
    }

    /// Whether the command runs with a broken configuration file: config, paths, completions, help, schemas
    /// and the man page. The file stops every other one, also `markets add`.
    const fn repairs_configuration(&self) -> bool {
        match self {
            Self::Config { .. }
            | Self::Paths(_)
            | Self::Completions { .. }
            | Self::Help { .. }
            | Self::Schema { .. }
            | Self::Man
            | Self::Complete(_) => true,
            Self::Offers(_)
            | Self::Volumes(_)
            | Self::Market(_)
            | Self::Depth(_)
            | Self::Plan(_)
            | Self::Pick(_)
            | Self::Watch { .. }
            | Self::History { .. }
            | Self::Bids(_)
            | Self::Db { .. }
            | Self::Markets { .. }
            | Self::Groups(_)
            | Self::Unlist(_)
            | Self::Writes { .. }
            | Self::Route(_)
            | Self::Sandbox(_)
            | Self::Mcp => false,
        }
    }
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub enum ConfigCommand {
    /// Check the configuration file
    Check(TextArguments),
    /// Print the effective settings and where each comes from
    Show(TextArguments),
    /// Print every setting with its default, commented out
    PrintDefault,
}

/// Parses the command line of this process; exits on a usage error, `--help` and `--version`. Applies its
/// color and `--quiet`, and notes older spellings of flags on stderr.
pub fn arguments() -> Arguments {
    let line: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    Color::in_line(&line).set_for_process();
    let command = || help::command().color(color_choice());
    let read = command().try_get_matches().and_then(|matches| {
        let is_json = matches.get_flag("json") && matches.subcommand().is_some();
        let matches = if is_json { json::printed(command())? } else { matches };
        Arguments::from_arg_matches(&matches)
    });
    let mut arguments = read.unwrap_or_else(|error| {
        // clap quotes arguments as they are: it gets them once more, fit to be shown.
        let shown = line.iter().map(|word| text::message(word));
        match command().try_get_matches_from(shown) {
            Err(shown) => explain_number_error(shown).exit(),
            Ok(_) => error.exit(),
        }
    });
    arguments.global.variables = Variables::of_process();
    output::silence_notes(arguments.global.quiet);
    if let Some(command) = &arguments.command {
        spelling::note_older_spellings(command, &line);
    }
    arguments
}

/// The error of clap, or one that explains that a whole number is needed if the value of an option is none.
fn explain_number_error(error: clap::Error) -> clap::Error {
    let is_number = |source: &(dyn std::error::Error + 'static)| source.is::<ParseIntError>();
    if !error.source().is_some_and(is_number) {
        return error;
    }
    let context = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (value, option) = (context(ContextKind::InvalidValue), context(ContextKind::InvalidArg));
    let text = format!("invalid value '{value}' for '{option}': a whole number is needed\n\n");
    clap::Error::raw(error.kind(), text + "For more information, try '--help'.\n")
}

/// Runs the subcommand, which it takes out of `arguments`, ends the processes that it started, and returns
/// its exit status; `None`, and nothing done, without a subcommand.
pub fn run(arguments: &mut Arguments) -> Option<ExitCode> {
    let command = arguments.command.take()?;
    let performed = perform(arguments, &command);
    process::end_all();
    Some(performed.unwrap_or_else(CliError::report))
}

/// The settings of the dashboard, with the conditions of `--query`, the `--limit` and `--no-recorded-rows`;
/// an error with `--json`, with an invalid query or configuration, or if the file of `--config` is missing.
pub fn dashboard_settings(arguments: &Arguments) -> Result<Settings, CliError> {
    if arguments.global.json {
        return Err(CliError::Usage(
            "--json is for commands, such as bourse offers --json".to_owned(),
        ));
    }
    let mut settings = resolve(&arguments.global)?;
    if let Some(text) = &arguments.query {
        let query = language::default_query(Resource::Offers, settings.dialect);
        let reading = plain::read(text, query.catalog(), settings.dialect, &plain::Names::default());
        let conditions = wanted::conditions(&reading, text, &query, settings.dialect)?;
        settings.conditions = Some(conditions);
        settings.words = reading.meaning.settings;
    }
    settings.limit = arguments.limit;
    settings.recorded_rows &= !arguments.no_recorded_rows;
    Ok(settings)
}

/// The resolver of the markets that the dashboard can switch to, under the flags and the environment of this
/// process; it shares the secrets of `settings`.
pub fn profile_resolver(arguments: &Arguments, settings: &Settings) -> ProfileResolver {
    ProfileResolver::new(
        arguments.global.clone(),
        Environment::of_process(),
        settings.paths.clone(),
        &settings.profile,
    )
    .sharing(settings.secrets.clone())
}

/// Runs a subcommand. `--query`, `--limit` or `--no-recorded-rows` before it are an error; most commands also
/// need a valid configuration, and the file of `--config` if one is given.
fn perform(arguments: &Arguments, command: &Command) -> Result<ExitCode, CliError> {
    let misplaced = match (&arguments.query, arguments.limit) {
        _ if arguments.no_recorded_rows => "--no-recorded-rows is for the dashboard",
        (Some(_), _) => "--query is for the dashboard; put the query after the subcommand",
        (None, Some(_)) => "--limit before a subcommand is for the dashboard; put it after the subcommand",
        (None, None) => "",
    };
    if !misplaced.is_empty() {
        return Err(CliError::Usage(misplaced.to_owned()));
    }
    let global = &arguments.global;
    let paths = global.paths();
    if !command.allows_missing_config() {
        global
            .require_config()
            .map_err(|error| CliError::Usage(error.to_string()))?;
    }
    if !command.repairs_configuration() {
        Config::of_user(paths.as_ref()).map_err(CliError::Configuration)?;
    }
    let done = match command {
        Command::Completions { shell } => complete::script(*shell),
        Command::Complete(options) => complete::complete(options),
        Command::Config { command } => match command {
            ConfigCommand::Check(options) => config::check(paths.as_ref(), options.format),
            ConfigCommand::Show(options) => config::show(global, options.format),
            ConfigCommand::PrintDefault => config::print_default(),
        },
        Command::Paths(options) => config::print_paths(global, options.format),
        Command::Help { command } => help::print(command),
        Command::Schema { kind } => schema::print_document_schema(kind.as_deref()),
        Command::Man => output::write(include_bytes!("../assets/man/bourse.1")),
        Command::Sandbox(options) => on_threads(sandbox::serve(&arguments.global, options)),
        Command::Offers(options) => block_on(features::search::command::offers(&noted(global)?, options)),
        Command::Volumes(options) => block_on(features::search::command::volumes(&noted(global)?, options)),
        Command::Market(options) => block_on(features::market::command::market(&noted(global)?, options)),
        Command::Depth(options) => block_on(features::market::command::depth(&noted(global)?, options)),
        Command::Plan(options) => block_on(features::cluster::command::plan(&noted(global)?, options)),
        Command::Pick(options) => block_on(features::pick::command::pick(&noted(global)?, options)),
        Command::Watch { options, saved } => {
            let settings = noted(global)?;
            let again = || Settings::resolve(global, &Environment::of_process(), global.paths());
            block_on(features::watch_saved::command::watch(&settings, again, options, saved))
        }
        Command::History { history, index } if index.index => {
            features::price_index::command::index(&noted(global)?, history, *index)
        }
        Command::History { history, .. } => features::history::command::history(&noted(global)?, history),
        Command::Bids(options) => features::bids::command::bids(&noted(global)?, options),
        Command::Db { command } => features::history::db::db(&noted(global)?, *command),
        Command::Markets { command } => match command {
            MarketsCommand::Add(options) => block_on(features::markets::add::add(global, options)),
            MarketsCommand::Check(options) => {
                let global = Global {
                    profile: options.name.clone().or_else(|| arguments.global.profile.clone()),
                    ..arguments.global.clone()
                };
                block_on(features::markets::check::check(&noted(&global)?, options))
            }
        },
        Command::Groups(options) => block_on(features::workergroups::command::groups(&noted(global)?, options)),
        Command::Unlist(options) => block_on(write::unlist(&noted(global)?, options)),
        Command::Writes { command } => {
            let WritesCommand::Check(options) = command;
            block_on(write::check::check(&noted(global)?, options))
        }
        Command::Mcp => on_threads(features::mcp::command::serve(noted(global)?)),
        Command::Route(options) => on_threads(features::route_lab::command::route(&noted(global)?, options)),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// The settings of flags, environment and configuration; an error if they are invalid, the file of `--config`
/// is missing, or a sandbox option is given for a live market.
fn resolve(global: &Global) -> Result<Settings, CliError> {
    global
        .require_config()
        .map_err(|error| CliError::Usage(error.to_string()))?;
    let settings = Settings::resolve(global, &Environment::of_process(), global.paths())?;
    match global.sandbox_option() {
        Some(option) if !settings.is_sandbox() => Err(CliError::from(Error::Usage(format!(
            "{option} is for the sandbox, and '{}' is a live market: remove the option",
            settings.profile
        )))),
        _ => Ok(settings),
    }
}

/// The settings, with their notices printed to stderr, also on the dialect assumed for a bare `--base-url`.
fn noted(global: &Global) -> Result<Settings, CliError> {
    let settings = resolve(global)?;
    for notice in &settings.notices {
        output::note(notice);
    }
    if settings.profile == config_file::CUSTOM && *settings.dialect == Dialect::DOCUMENTED {
        let (name, unit) = (settings.dialect.name, settings.dialect.transfer.symbol());
        let how = "bourse markets add finds out which it is";
        output::note(&format!("dialect {name}, network speeds in {unit}; {how}"));
    }
    Ok(settings)
}

/// Runs a command on the current thread.
///
/// It sends one request after the other: starting threads, and passing each piece of a response
/// between them, would take longer than reading it.
fn block_on(work: impl Future<Output = Result<(), CliError>>) -> Result<(), CliError> {
    run_on(&mut tokio::runtime::Builder::new_current_thread(), work)
}

/// Runs a command on two worker threads, for work that goes on in parallel.
fn on_threads(work: impl Future<Output = Result<(), CliError>>) -> Result<(), CliError> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    run_on(threads.worker_threads(2), work)
}

/// Runs a command to its end on the runtime that `runtime` builds, without waiting for blocked threads.
fn run_on(
    runtime: &mut tokio::runtime::Builder,
    work: impl Future<Output = Result<(), CliError>>,
) -> Result<(), CliError> {
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("cannot start: {error}")))?;
    let ended = runtime.block_on(work);
    // The thread that reads standard input for `bourse mcp` would delay the end until another line arrives.
    runtime.shutdown_background();
    ended
}

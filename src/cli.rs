//! Flags, subcommands and the environment: from a command line to settings, and the commands that
//! need no screen.

mod appearance;
pub mod args;
mod config;
mod groups;
mod keys;
pub mod markets;
mod notes;
mod output;
mod route;
mod sandbox;
mod search;
mod settings;
mod table;

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::domain::{Resource, language};
use crate::store::Paths;

pub use args::{Arguments, Command};
pub use config::DEFAULT as DEFAULT_CONFIG;
pub use markets::Known;
pub use output::CliError;
pub use settings::{Connection, Environment, Market, Settings, by_name};

/// Runs a subcommand to its end.
pub fn run(arguments: &Arguments, command: &Command) -> ExitCode {
    match perform(arguments, command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

/// The settings of the dashboard, with the conditions of `--query`.
pub fn dashboard_settings(arguments: &Arguments) -> Result<Settings, CliError> {
    let mut settings = resolve(arguments)?;
    if let Some(text) = &arguments.query {
        let query = language::default_query(Resource::Offers, settings.dialect);
        settings.conditions = Some(search::parse(text, &query, settings.dialect)?);
    }
    Ok(settings)
}

/// The markets that the dashboard of these settings can switch to.
pub fn known_markets(arguments: &Arguments, settings: &Settings) -> Known {
    Known::new(
        arguments.global.clone(),
        Environment::of_process(),
        settings.paths.clone(),
        &settings.profile,
    )
}

fn perform(arguments: &Arguments, command: &Command) -> Result<(), CliError> {
    if arguments.query.is_some() {
        return Err(CliError::Usage(
            "--query is for the dashboard; give the words of a query after the subcommand"
                .to_owned(),
        ));
    }
    match command {
        Command::Completions { shell } => completions(*shell),
        Command::Config { command } => config::config(*command),
        Command::Man => config::man(),
        Command::Sandbox(own) => block_on(sandbox::serve(&arguments.global, own)),
        Command::Offers(own) => block_on(search::offers(&noted(arguments)?, own)),
        Command::Volumes(own) => block_on(search::volumes(&noted(arguments)?, own)),
        Command::Groups(own) => block_on(groups::groups(&noted(arguments)?, own)),
        Command::Route(own) => block_on(route::route(&noted(arguments)?, own)),
    }
}

fn resolve(arguments: &Arguments) -> Result<Settings, CliError> {
    Settings::resolve(
        &arguments.global,
        &Environment::of_process(),
        Paths::of_user(),
    )
}

/// The settings, with what is to be known about them said.
fn noted(arguments: &Arguments) -> Result<Settings, CliError> {
    let settings = resolve(arguments)?;
    for notice in &settings.notices {
        output::note(notice);
    }
    Ok(settings)
}

fn block_on(work: impl Future<Output = Result<(), CliError>>) -> Result<(), CliError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| CliError::Failed(format!("cannot start: {error}")))?
        .block_on(work)
}

fn completions(shell: clap_complete::Shell) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "bourse", &mut script);
    output::print(&script)
}

//! Start-up only: parse the command line, install the error hooks, hand over.

use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::process::ExitCode;

use bourse::settings::flags;
use bourse::{cli, runtime};
use color_eyre::config::{HookBuilder, Theme};

/// Runs the subcommand of the command line, or the dashboard without one; a broken configuration is first
/// shown for repair.
fn main() -> color_eyre::Result<ExitCode> {
    // Before an API key is read.
    runtime::harden();
    let mut arguments = cli::arguments();
    install_error_hooks()?;
    if let Err(error) = runtime::log::start() {
        return Ok(cli::CliError::Usage(error.to_string()).report());
    }
    if let Some(status) = cli::run(&mut arguments) {
        return Ok(status);
    }
    loop {
        match cli::dashboard_settings(&arguments) {
            Ok(settings) => {
                let markets = cli::profile_resolver(&arguments, &settings);
                let ended = runtime::dashboard(&settings, markets)?;
                return Ok(ended.unwrap_or_else(|error| cli::CliError::from(error).report()));
            }
            Err(cli::CliError::Configuration(error)) if runtime::terminal::require_terminal().is_ok() => {
                if let ControlFlow::Break(status) = runtime::await_repair(error.path())? {
                    return Ok(status);
                }
            }
            Err(error) => return Ok(error.report()),
        }
    }
}

/// Installs the reports of panics and fatal errors, without colors if stderr is no terminal or `NO_COLOR` is
/// set.
fn install_error_hooks() -> color_eyre::Result<()> {
    let no_color = flags::variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let plain = !std::io::stderr().is_terminal() || no_color;
    let theme = if plain { Theme::new() } else { Theme::dark() };
    HookBuilder::new()
        .theme(theme)
        .display_env_section(false)
        .display_location_section(false)
        .install()
}

//! `--json`, which is short for the format JSON of any command.

use clap::error::ErrorKind;
use clap::{ArgMatches, Command, Error};

/// The arguments that choose the format of an output.
const FORMATS: [&str; 2] = ["format", "print"];

/// Parses the command line of this process with JSON as the default format of every command.
///
/// # Errors
///
/// On a usage error, `--help` or `--version` (as clap reports them), if the command has no JSON (`schema`
/// needs none), or the line chooses another format.
pub fn printed(command: Command) -> Result<ArgMatches, Error> {
    let matches = as_default(command).try_get_matches()?;
    let mut chosen = &matches;
    while let Some((_, inner)) = chosen.subcommand() {
        chosen = inner;
    }
    let format = FORMATS
        .iter()
        .find_map(|id| chosen.try_get_raw(id).ok().flatten()?.next());
    let why = match format.map(|format| format.to_string_lossy()) {
        // A schema is JSON anyway.
        None if matches.subcommand_name() == Some("schema") => return Ok(matches),
        None => "this command prints no JSON: leave out --json",
        Some(format) if format.starts_with("json") => return Ok(matches),
        Some(_) => "--json contradicts another output format: leave one of them out",
    };
    Err(Error::raw(ErrorKind::ArgumentConflict, format!("{why}\n")))
}

/// The command line with JSON as the default format of every command, also of subcommands.
fn as_default(command: Command) -> Command {
    let command = command.mut_args(|argument| match argument.get_id().as_str() {
        id if FORMATS.contains(&id) => argument.default_value("json"),
        _ => argument,
    });
    command.mut_subcommands(as_default)
}

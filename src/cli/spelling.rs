//! `--json`, which sets the format of any command, and older spellings of flags.

use super::args::{ExportFormat, Format, GroupsCommand, RecordFormat, ReplyFormat, ReportFormat};
use super::output::CliError;
use super::write::check::WritesCommand;
use super::{Command, ConfigCommand, output};
use crate::features::history::arguments::{DbCommand, WatchFormat};
use crate::features::markets::check::MarketsCommand;
use crate::features::pick::arguments::Printed;

/// Sets the format of a command to JSON.
///
/// # Errors
/// When it has none, or another format is given.
pub fn choose_json(command: &mut Command) -> Result<(), CliError> {
    match command {
        Command::Offers(options) => set(&mut options.search.format, RecordFormat::Json),
        Command::Volumes(options) => set(&mut options.search.format, RecordFormat::Json),
        Command::Groups(options) => match &mut options.command {
            Some(GroupsCommand::Create(create)) => set(&mut create.write.format, ReplyFormat::Json),
            Some(GroupsCommand::Supply(supply)) => set(&mut supply.format, ReplyFormat::Json),
            None => set(&mut options.search.format, RecordFormat::Json),
        },
        Command::Market(options) => set(&mut options.analysis.format, ReportFormat::Json),
        Command::Depth(options) => set(&mut options.analysis.format, ReportFormat::Json),
        Command::Plan(options) => set(&mut options.analysis.format, ReportFormat::Json),
        Command::Pick(options) => match options.print.replace(Printed::Json) {
            None | Some(Printed::Json) => Ok(()),
            Some(Printed::Id | Printed::Command) => Err(contradiction()),
        },
        Command::Watch { options, saved } if saved.list => {
            options.format = WatchFormat::Json;
            Ok(())
        }
        Command::Watch { options, .. } => set(&mut options.format, WatchFormat::Jsonl),
        Command::History { history, .. } => set(&mut history.format, ReportFormat::Json),
        Command::Bids(options) => set(&mut options.format, ReportFormat::Json),
        Command::Db { command } => match command {
            DbCommand::Check(options) | DbCommand::Vacuum(options) | DbCommand::Reset(options) => {
                set(&mut options.format, ReplyFormat::Json)
            }
            DbCommand::Export { format } => set(format, ExportFormat::Jsonl),
        },
        Command::Markets { command } => match command {
            MarketsCommand::Add(options) => set(&mut options.format, ReplyFormat::Json),
            MarketsCommand::Check(options) => set(&mut options.format, ReplyFormat::Json),
        },
        Command::Unlist(options) => set(&mut options.write.format, ReplyFormat::Json),
        Command::Writes {
            command: WritesCommand::Check(options),
        } => set(&mut options.format, ReplyFormat::Json),
        Command::Route(options) => set(&mut options.format, Format::Json),
        Command::Sandbox(options) => set(&mut options.format, ReplyFormat::Json),
        Command::Config { command } => match command {
            ConfigCommand::Check(options) | ConfigCommand::Show(options) => set(&mut options.format, ReplyFormat::Json),
            ConfigCommand::PrintDefault => Err(none("bourse config print-default prints TOML")),
        },
        Command::Paths(options) => set(&mut options.format, ReplyFormat::Json),
        Command::Completions { .. } => Err(none("bourse completions prints a script")),
        Command::Mcp => Err(none("bourse mcp speaks its protocol")),
        Command::Help { .. } | Command::Man | Command::Complete(_) => Err(none("this command prints text")),
    }
}

/// Replaces the default format; an error if another one is set.
fn set<T: Copy + Default + PartialEq>(format: &mut T, json: T) -> Result<(), CliError> {
    let before = std::mem::replace(format, json);
    if before == json || before == T::default() {
        Ok(())
    } else {
        Err(contradiction())
    }
}

fn contradiction() -> CliError {
    CliError::Usage("--json contradicts another output format: leave one of them out".to_owned())
}

fn none(why: &str) -> CliError {
    CliError::Usage(format!("{why}: leave out --json"))
}

/// Notes flags of the command line that have a new name, or whose JSON is a stream now.
///
/// Both names work in this version.
pub fn note_older_spellings(command: &Command, line: &[String]) {
    let is_watch = matches!(command, Command::Watch { saved, .. } if !saved.list);
    let is_export = matches!(
        command,
        Command::Db {
            command: DbCommand::Export { .. }
        }
    );
    let is_recorded = matches!(command, Command::Watch { .. } | Command::History { .. });
    let is_plan = matches!(command, Command::Plan(_));
    let renamed = [
        (matches!(command, Command::Market(_)), "--by", "--group-by"),
        (is_plan, "--deadline", "--within"),
        (is_plan, "--hosts", "--machines"),
        (is_plan, "--per-host", "--per-machine"),
        (is_recorded, "--volumes", "--network-volumes"),
        // Lines of JSON had the name of a document.
        (is_watch || is_export, "--format json", "--format jsonl"),
    ];
    let line = line.join(" ").replace("--format=", "--format ") + " ";
    for (_, older, name) in renamed.into_iter().filter(|(applies, ..)| *applies) {
        let is_given = [" ", "="].iter().any(|end| line.contains(&format!(" {older}{end}")));
        if is_given {
            output::note(&format!(
                "{older} is {name} now; the older spelling goes in the next version"
            ));
        }
    }
}

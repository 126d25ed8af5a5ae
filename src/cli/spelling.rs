//! Older spellings of flags.

use super::args::GroupsCommand;
use super::{Command, output};
use crate::features::history::arguments::DbCommand;

/// Notes on stderr the flags in `line` that have a new name, or whose JSON is a stream now.
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
    let is_create = matches!(
        command,
        Command::Groups(options) if matches!(options.command, Some(GroupsCommand::Create(_)))
    );
    let is_plan = matches!(command, Command::Plan(_));
    let renamed = [
        (matches!(command, Command::Market(_)), "--by", "--group-by"),
        (is_plan, "--deadline", "--within"),
        (is_plan, "--hosts", "--machines"),
        (is_plan, "--per-host", "--per-machine"),
        (is_recorded, "--volumes", "--network-volumes"),
        (is_create, "--settle", "--earlier"),
        // Lines of JSON had the name of a document.
        (is_watch || is_export, "--format json", "--format jsonl"),
    ];
    let line = line.join(" ").replace("--format=", "--format ") + " ";
    for (_, older, name) in renamed.into_iter().filter(|(applies, ..)| *applies) {
        if [" ", "="].iter().any(|end| line.contains(&format!(" {older}{end}"))) {
            output::note(&format!(
                "{older} is {name} now; the older spelling goes in the next version"
            ));
        }
    }
}

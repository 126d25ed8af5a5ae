//! `bourse config` and `bourse paths`.

use std::path::PathBuf;

use super::{CliError, output, table};
use crate::domain::text::{message, visible};
use crate::record::store::Database;
use crate::settings::chosen::Chosen;
use crate::settings::effective::{self, File};
use crate::settings::{Config, ConfigError, Global, check, default_config};
use crate::store::Paths;

pub fn print_default() -> Result<(), CliError> {
    output::write(default_config().as_bytes())
}

pub fn check(paths: Option<&Paths>) -> Result<(), CliError> {
    let Some(paths) = paths else {
        return Err(CliError::Failed("no home directory for a configuration".to_owned()));
    };
    let path = paths.config_file();
    let mistakes = check::mistakes(&path).map_err(|error| CliError::Failed(error.to_string()))?;
    for mistake in &mistakes {
        output::complain(&mistake.to_string());
    }
    if !mistakes.is_empty() {
        return Err(CliError::Quiet);
    }
    let said = if path.exists() {
        format!("{}: OK\n", path.display())
    } else {
        format!(
            "{}: not found, using defaults (see bourse config print-default)\n",
            path.display()
        )
    };
    output::print(&said)
}

pub fn show(flags: &Global) -> Result<(), CliError> {
    let paths = Paths::of_user();
    let file = File::read(paths.as_ref());
    note_mistakes(&file.mistakes);
    let rows = effective::effective(flags, paths.as_ref(), &file)?;
    let head = ["Setting", "Value", "From"].map(str::to_owned);
    let lines: Vec<Vec<String>> = std::iter::once(head)
        .chain(rows)
        .map(|row| row.map(|cell| visible(&message(&cell), 400)).to_vec())
        .collect();
    output::print(&table::left(&lines))
}

fn note_mistakes(mistakes: &[ConfigError]) {
    for mistake in mistakes {
        output::note(&format!("{mistake}; {}", mistake.advice()));
    }
}

pub fn print_paths(flags: &Global) -> Result<(), CliError> {
    let Some(paths) = Paths::of_user() else {
        return Err(CliError::Failed(
            "no home directory: set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME".to_owned(),
        ));
    };
    let (config, mistakes) = Config::valid_part(Some(&paths));
    note_mistakes(&mistakes);
    // A broken configuration has paths too, but no market in use.
    let chosen = mistakes.is_empty().then(|| Chosen::new(flags, &config)).transpose()?;
    let of_profile = |path: &dyn Fn(&str) -> PathBuf| chosen.as_ref().map(|chosen| path(&chosen.profile.name));
    let rows: Vec<Vec<String>> = [
        ("configuration", Some(paths.config_file())),
        ("keys", Some(paths.keys())),
        ("state", Some(paths.state.clone())),
        ("searches and views", of_profile(&|name| paths.profile_state(name))),
        ("write history", Some(paths.journal_file())),
        (
            "recorded prices",
            of_profile(&|name| Database::path(&paths.profile_state(name))),
        ),
        ("log (BOURSE_LOG)", Some(paths.log_file())),
    ]
    .into_iter()
    .filter_map(|(what, path)| Some((what, path?)))
    .map(|(what, path)| {
        let note = if path.exists() { "" } else { "(not created yet)" };
        vec![what.to_owned(), visible(&path.to_string_lossy(), 4096), note.to_owned()]
    })
    .collect();
    output::print(&table::left(&rows))
}

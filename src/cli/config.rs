//! `bourse config` and `bourse paths`.

use super::{CliError, output, table};
use crate::domain::text::{message, visible};
use crate::settings::effective::{self, File};
use crate::settings::resolve::choose;
use crate::settings::{Config, Global, check, default_config};
use crate::store::Paths;
use crate::store::history::Database;

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
    file.notice.as_deref().into_iter().for_each(output::note);
    let rows = effective::effective(flags, paths.as_ref(), &file)?;
    let head = ["Setting", "Value", "From"].map(str::to_owned);
    let lines: Vec<Vec<String>> = std::iter::once(head)
        .chain(rows)
        .map(|row| row.map(|cell| visible(&message(&cell), 400)).to_vec())
        .collect();
    output::print(&table::left(&lines))
}

pub fn print_paths(flags: &Global) -> Result<(), CliError> {
    let Some(paths) = Paths::of_user() else {
        return Err(CliError::Failed(
            "no home directory: set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME".to_owned(),
        ));
    };
    let config = Config::load(&paths.config_file()).unwrap_or_default();
    let profile = choose(flags, &config, &[])?.name;
    let rows: Vec<Vec<String>> = [
        ("configuration", paths.config_file()),
        ("keys", paths.keys()),
        ("state", paths.state.clone()),
        ("searches and views", paths.profile_state(&profile)),
        ("write history", paths.journal_file()),
        ("recorded prices", Database::path(&paths, &profile)),
        ("log (BOURSE_LOG)", paths.log_file()),
    ]
    .into_iter()
    .map(|(what, path)| {
        let note = if path.exists() { "" } else { "(not created yet)" };
        vec![what.to_owned(), visible(&path.to_string_lossy(), 4096), note.to_owned()]
    })
    .collect();
    output::print(&table::left(&rows))
}

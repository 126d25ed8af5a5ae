//! `bourse config` and `bourse paths`.

use std::path::PathBuf;

use super::args::ReplyFormat;
use super::{CliError, documents, output, table};
use crate::domain::text::{message, visible};
use crate::record::store::Database;
use crate::settings::chosen::Chosen;
use crate::settings::effective::{self, File};
use crate::settings::{Config, ConfigError, Global, check, default_config};
use crate::store::Paths;

/// `bourse config print-default`: prints every setting with its default, commented out.
pub fn print_default() -> Result<(), CliError> {
    output::write(default_config().as_bytes())
}

/// `bourse config check`: prints the mistakes in the configuration file to stderr (and as JSON, if asked
/// for), or that it is OK. A missing file has no mistakes. Exit status 1 if there are any, or without a home
/// directory.
pub fn check(paths: Option<&Paths>, format: ReplyFormat) -> Result<(), CliError> {
    let Some(paths) = paths else {
        return Err(CliError::Failed("no home directory for a configuration".to_owned()));
    };
    let path = paths.config_file();
    let mistakes = check::mistakes(&path).map_err(|error| CliError::Failed(error.to_string()))?;
    for mistake in &mistakes {
        output::complain(&mistake.to_string());
    }
    if format == ReplyFormat::Json {
        let mistakes = mistakes.iter().map(|mistake| {
            let position = mistake.position();
            documents::Mistake {
                line: position.map(|position| position.line),
                column: position.map(|position| position.column),
                message: message(&mistake.to_string()),
            }
        });
        let content = documents::ConfigCheck {
            file: path.display().to_string(),
            exists: path.exists(),
            mistakes: mistakes.collect(),
        };
        output::print_document("config-check", content)?;
    }
    if !mistakes.is_empty() {
        return Err(CliError::Quiet);
    }
    if format == ReplyFormat::Json {
        return Ok(());
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

/// `bourse config show`: prints the settings in force with their sources; mistakes in the file are noted on
/// stderr.
pub fn show(flags: &Global, format: ReplyFormat) -> Result<(), CliError> {
    let paths = flags.paths();
    let file = File::read(paths.as_ref());
    note_mistakes(&file.mistakes);
    let rows = effective::effective(flags, paths.as_ref(), &file)?;
    if format == ReplyFormat::Json {
        let settings = rows.into_iter().map(|row| documents::Setting {
            setting: row.setting,
            value: row.json,
            from: row.from,
        });
        let settings = settings.collect();
        return output::print_document("config", documents::Config { settings });
    }
    let head = ["Setting", "Value", "From"].map(str::to_owned);
    let lines: Vec<Vec<String>> = std::iter::once(head)
        .chain(rows.into_iter().map(|row| [row.setting, row.value, row.from]))
        .map(|row| row.map(|cell| visible(&message(&cell), 400)).to_vec())
        .collect();
    output::print(&table::left(&lines))
}

/// Prints each mistake with advice as a note on stderr.
fn note_mistakes(mistakes: &[ConfigError]) {
    for mistake in mistakes {
        output::note(&format!("{mistake}; {}", mistake.advice()));
    }
}

/// `bourse paths`: prints the paths of the files, with a note on those that do not exist; those of the
/// profile only if the configuration is valid, else its mistakes as notes. An error without a home directory.
pub fn print_paths(flags: &Global, format: ReplyFormat) -> Result<(), CliError> {
    let Some(paths) = flags.paths() else {
        return Err(CliError::Failed(
            "no home directory: set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME".to_owned(),
        ));
    };
    let (config, mistakes) = Config::valid_part(Some(&paths));
    note_mistakes(&mistakes);
    // A broken configuration has paths too, but no market in use.
    let chosen = mistakes.is_empty().then(|| Chosen::new(flags, &config)).transpose()?;
    let of_profile = |path: &dyn Fn(&str) -> PathBuf| chosen.as_ref().map(|chosen| path(&chosen.profile.name));
    let files: Vec<_> = [
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
    .collect();
    if format == ReplyFormat::Json {
        let files = files.into_iter().map(|(name, path)| documents::NamedPath {
            name: name.to_owned(),
            path: path.display().to_string(),
            exists: path.exists(),
        });
        let paths = files.collect();
        return output::print_document("paths", documents::Paths { paths });
    }
    let rows = files.into_iter().map(|(what, path)| {
        let note = if path.exists() { "" } else { "(not created yet)" };
        vec![what.to_owned(), visible(&path.to_string_lossy(), 4096), note.to_owned()]
    });
    output::print(&table::left(&rows.collect::<Vec<_>>()))
}

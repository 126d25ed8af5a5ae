//! `bourse config check` and `bourse config print-default`.

use super::{CliError, appearance, output};
use crate::store::{Config, Paths};

/// Every setting with its default, commented.
pub const DEFAULT: &str = include_str!("../../assets/config.toml");

/// `bourse config print-default`
pub fn print_default() -> Result<(), CliError> {
    output::print(DEFAULT.as_bytes())
}

/// `bourse config check`
pub fn check(paths: Option<&Paths>) -> Result<(), CliError> {
    let Some(paths) = paths else {
        return Err(CliError::Failed(
            "there is no home folder to hold a configuration".to_owned(),
        ));
    };
    let path = paths.config_file();
    let config = Config::load(&path).map_err(|error| CliError::Failed(error.to_string()))?;
    let (.., wrong) = appearance::of(&config, &path);
    if let Some((last, others)) = wrong.split_last() {
        for error in others {
            output::note(&error.to_string());
        }
        return Err(CliError::Failed(last.to_string()));
    }
    let said = if path.exists() {
        format!("{}: good\n", path.display())
    } else {
        format!(
            "{}: not there, the defaults hold (bourse config print-default shows them)\n",
            path.display()
        )
    };
    output::print(said.as_bytes())
}

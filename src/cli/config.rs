//! `bourse config check` and `bourse config print-default`.

use std::path::Path;

use super::{CliError, output};
use crate::api::Origin;
use crate::features::appearance::command::Preferences;
use crate::store::{Config, ConfigError, Paths, Profile, keys};

/// Every setting with its default, commented.
pub const DEFAULT: &str = include_str!("../../assets/config.toml");

pub fn print_default() -> Result<(), CliError> {
    output::write(DEFAULT.as_bytes())
}

pub fn check(paths: Option<&Paths>) -> Result<(), CliError> {
    let Some(paths) = paths else {
        return Err(CliError::Failed("no home directory for a configuration".to_owned()));
    };
    let path = paths.config_file();
    let mistakes = mistakes(&path).map_err(|error| CliError::Failed(error.to_string()))?;
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

/// All mistakes in the file, in its order.
fn mistakes(path: &Path) -> Result<Vec<ConfigError>, ConfigError> {
    let (config, mut mistakes) = Config::check(path)?;
    let (preferences, dropped) = Preferences::of(config, path);
    let config = preferences.config;
    mistakes.extend(dropped);
    for name in config.names() {
        let Some(profile) = config.profile(name) else {
            continue;
        };
        for (setting, message) in unusable(&profile) {
            // Settings that are not in the file are built in, and valid.
            if let Some(place) = config.place(name, setting) {
                mistakes.push(ConfigError::Wrong {
                    path: path.to_owned(),
                    place,
                    message: format!("{setting}: {message}"),
                });
            }
        }
    }
    mistakes.sort_by_key(ConfigError::place);
    Ok(mistakes)
}

/// The settings of a profile that cannot be used, and why. Runs no command.
fn unusable(profile: &Profile) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    let has_key = profile.api_key_file.is_some() || profile.api_key_command.is_some();
    for (setting, address) in [("base_url", &profile.base_url), ("route_url", &profile.route_url)] {
        let judged = address.as_deref().map(|address| {
            let origin = Origin::parse(address)?;
            if has_key { origin.judge_for_key() } else { Ok(()) }
        });
        // The address is not quoted: it may hold a password.
        wrong.extend(judged.and_then(Result::err).map(|why| (setting, why.to_string())));
    }
    if let Some(Err(why)) = profile.api_key_file.as_deref().map(keys::check) {
        wrong.push(("api_key_file", why.to_string()));
    }
    if let Some(Err(why)) = profile.api_key_command.as_deref().map(keys::command_words) {
        wrong.push(("api_key_command", why.to_string()));
    }
    wrong
}

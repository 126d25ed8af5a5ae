//! A more thorough check of the configuration than at a start, covering all markets, addresses and
//! keys.

use std::path::Path;

use super::{Config, ConfigError, Preferences, Profile, worker_ca};
use crate::api::Origin;
use crate::store::keys;

/// All mistakes in the configuration file and, if a theme file is selected, in all theme files, sorted by
/// position: also invalid keys and colors, bad addresses, unreadable keys and certificates. No command is
/// run.
///
/// # Errors
/// When the file cannot be read.
pub fn mistakes(path: &Path) -> Result<Vec<ConfigError>, ConfigError> {
    let (config, mut mistakes) = Config::check(path)?;
    let (preferences, dropped) = Preferences::from_config(config, path);
    let config = preferences.config;
    mistakes.extend(dropped);
    for name in config.profile_names() {
        let Some(profile) = config.profile(name) else {
            continue;
        };
        for (setting, message) in unusable(&profile) {
            // Settings that are not in the file are built in, and valid.
            if let Some(position) = config.position(&format!("profiles.{name}.{setting}")) {
                mistakes.push(ConfigError::wrong(path, position, format!("{setting}: {message}")));
            }
        }
    }
    mistakes.sort_by_key(ConfigError::position);
    Ok(mistakes)
}

/// The settings of a profile that cannot be used, each with the reason: addresses that may not get its key
/// (only if it has a key file or command), an unreadable key file or certificate. Runs no command.
fn unusable(profile: &Profile) -> Vec<(&'static str, String)> {
    let mut wrong = Vec::new();
    let has_key = profile.api_key_file.is_some() || profile.api_key_command.is_some();
    for (setting, address) in [("base_url", &profile.base_url), ("route_url", &profile.route_url)] {
        let origin = address.as_deref().filter(|_| has_key).map(Origin::parse);
        let judged = origin.map(|origin| origin.and_then(|origin| origin.judge_for_key()));
        // The address is not quoted: it may hold a password.
        wrong.extend(judged.and_then(Result::err).map(|why| (setting, why.to_string())));
    }
    if let Some(Err(why)) = profile.api_key_file.as_deref().map(keys::check) {
        wrong.push(("api_key_file", why.to_string()));
    }
    if let Some(Err(why)) = profile.worker_ca.as_deref().map(worker_ca::client) {
        wrong.push(("worker_ca", why.to_string()));
    }
    wrong
}

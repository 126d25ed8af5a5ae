//! The markets of the command line and the configuration: lists and changes them, and resolves
//! their settings while the dashboard runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs, io};

use secrecy::ExposeSecret as _;

use super::{Change, Done, KeyFile, KeyFrom, Market, MarketList, NewMarket};
use crate::api::redact::KnownSecrets;
use crate::api::{Origin, Secret, Session};
use crate::domain::text::{message, visible};
use crate::domain::throughput::WorkUnit;
use crate::process::Terminal;
use crate::settings::chosen::Chosen;
use crate::settings::key_source::Source;
use crate::settings::profiles::{self, EditError, KeyStorage};
use crate::settings::resolve::describe_dropped;
use crate::settings::rewrite::{self, SettingError};
use crate::settings::{
    Config, ConfigError, Environment, Error, Global, KEY_VARIABLE, KeySource, Preferences, Profile, Settings, config,
    themes,
};
use crate::store::Paths;
use crate::store::keys::{self, ApiKeyError};

/// The options the program was started with, from which another profile is resolved.
#[derive(Clone)]
pub struct ProfileResolver {
    flags: Global,
    environment: Environment,
    paths: Option<Paths>,
    started: String,
    /// The API keys in use, shared by all profiles.
    secrets: KnownSecrets,
    /// The configurations after settings were saved here, oldest first, each until it or a later one is reloaded.
    saved: Arc<Mutex<Vec<Config>>>,
}

/// The reason the saved markets were not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("no home directory")]
    NoHome,
    #[error("a market named '{0}' already exists")]
    Exists(String),
    #[error("no market named '{0}'")]
    Unknown(String),
    #[error(transparent)]
    Configuration(#[from] ConfigError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Key(#[from] ApiKeyError),
    #[error("can't write the key file {}: {source}", shown(.path))]
    KeyNotWritten { path: PathBuf, source: io::Error },
    #[error("can't delete {}: {source}", shown(.path))]
    KeyNotDeleted { path: PathBuf, source: io::Error },
}

/// The market of a session, for the dashboard: its name, addresses, dialect and rights, without the key
/// itself.
pub fn profile_of(settings: &Settings, session: &Session) -> crate::core::Profile {
    let config = session.client().config();
    crate::core::Profile {
        name: settings.profile.clone(),
        is_sandbox: settings.is_sandbox(),
        read_only: settings.read_only,
        dialect: settings.dialect,
        base_url: config.management.to_string(),
        route_url: config.route.to_string(),
        has_key: config.key.is_some(),
        worker_root: session.workers().root().clone(),
    }
}

/// Leaves out the environment, which may hold keys.
impl fmt::Debug for ProfileResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProfileResolver")
            .field("started", &self.started)
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}

impl ProfileResolver {
    /// Resolves profiles for a program that was started with the profile `started`. Commands that print a key
    /// get no terminal to ask in, as the dashboard has the screen.
    pub fn new(flags: Global, environment: Environment, paths: Option<Paths>, started: &str) -> Self {
        Self {
            flags,
            environment: Environment {
                // The screen belongs to the dashboard.
                terminal: Terminal::Withheld,
                ..environment
            },
            paths,
            started: started.to_owned(),
            secrets: KnownSecrets::default(),
            saved: Arc::default(),
        }
    }

    /// Makes the resolver add the API keys of all markets it resolves to `secrets`.
    #[must_use]
    pub fn sharing(self, secrets: KnownSecrets) -> Self {
        Self { secrets, ..self }
    }

    /// The folders of bourse; `None` without a home directory.
    pub const fn paths(&self) -> Option<&Paths> {
        self.paths.as_ref()
    }

    /// The command-line flags that apply to the profile `name`.
    ///
    /// Addresses, key files and worker certificates from the command line belong to the profile that the
    /// program was started with, and to no other.
    fn flags_for(&self, name: &str) -> Global {
        if name == self.started {
            let is_named = name != config::CUSTOM;
            return Global {
                profile: is_named.then(|| name.to_owned()),
                ..self.flags.clone()
            };
        }
        Global {
            profile: Some(name.to_owned()),
            base_url: None,
            route_url: None,
            api_key_file: None,
            worker_ca: None,
            ..self.flags.clone()
        }
    }

    /// The settings of a profile, resolved as at start-up.
    ///
    /// # Errors
    ///
    /// When there is no such profile, or its address or key cannot be used.
    pub fn settings(&self, name: &str) -> Result<Settings, Error> {
        let flags = self.flags_for(name);
        let settings = Settings::resolve(&flags, &self.environment, self.paths.clone())?;
        Ok(Settings {
            secrets: self.secrets.clone(),
            ..settings
        })
    }

    /// Reloads the configuration file; returns also the notices of mistakes that stop nothing.
    ///
    /// # Errors
    ///
    /// The first mistake that makes it unusable.
    pub fn preferences(&self) -> Result<(Preferences, Vec<String>), ConfigError> {
        let path = self.file().unwrap_or_default();
        let (preferences, wrong) = Preferences::from_config(Config::load(&path)?, &path);
        Ok((preferences, describe_dropped(&wrong)))
    }

    /// The path of the configuration file; `None` without a home directory.
    fn file(&self) -> Option<std::path::PathBuf> {
        self.paths.as_ref().map(Paths::config_file)
    }

    /// All markets: the built-in ones, those of the configuration, and that of the command line; ones whose
    /// settings are unusable are left out. The list also has the first mistake in the configuration, if there
    /// is one.
    pub fn market_list(&self) -> MarketList {
        let (config, wrong) = Config::valid_part(self.paths.as_ref());
        let mut names = config.profile_names();
        if !names.contains(&self.started.as_str()) {
            names.push(&self.started);
        }
        let markets = names
            .into_iter()
            .filter_map(|name| {
                let flags = self.flags_for(name);
                let chosen = Chosen::new(&flags, &config).ok()?;
                let is_removable = config.defines(name);
                Some(Market {
                    is_removable,
                    ..self.market(&chosen, &flags)
                })
            })
            .collect();
        MarketList {
            markets,
            has_variable: self.environment.key.is_some(),
            file: self.file().as_deref().map(shown),
            wrong: wrong.first().map(|why| visible(&message(&why.to_string()), 400)),
        }
    }

    /// The entry of a profile in the list of markets, with the source of its key and without the key; not
    /// removable.
    fn market(&self, chosen: &Chosen, flags: &Global) -> Market {
        let profile = &chosen.profile;
        let key = if profile.base_url.is_some() {
            let paths = self.paths.as_ref();
            Source::choose(chosen, flags, &self.environment, paths).describe()
        } else {
            KeySource::Generated
        };
        // As parsed, in plain ASCII: no letter can pass for another.
        let text = |address: &Option<String>| {
            address.as_deref().map(|text| {
                Origin::parse(text).map_or_else(|_| visible(&message(text), 400), |origin| origin.to_string())
            })
        };
        Market {
            name: visible(&profile.name, 64),
            address: text(&profile.base_url),
            route: text(&profile.route_url),
            dialect: profile.dialect,
            read_only: profile.read_only || flags.read_only,
            key,
            file: profile.api_key_file.as_deref().map(|path| self.key_file(path)),
            is_removable: false,
            // A key that is saved here would be for the address in the configuration.
            is_configurable: profile.base_url.is_some() && profile.name != config::CUSTOM && chosen.own.is_none(),
        }
    }

    /// A key file with its path to show, and whether it is one that bourse manages.
    fn key_file(&self, path: &Path) -> KeyFile {
        let is_ours = |paths: &Paths| paths.is_in_key_folder(path);
        KeyFile {
            path: shown(path),
            is_ours: self.paths.as_ref().is_some_and(is_ours),
        }
    }

    /// The key of a market that is not saved yet, read as that of a saved one: the environment variable has
    /// precedence over `from`. `None` if neither has a key.
    ///
    /// # Errors
    ///
    /// When it cannot be used.
    pub fn new_key(&self, from: &KeyFrom) -> Result<Option<Secret>, ApiKeyError> {
        let key = match (&self.environment.key, from) {
            (Some(text), _) => keys::parse(text, KEY_VARIABLE)?,
            (None, KeyFrom::Environment) => return Ok(None),
            (None, KeyFrom::File(secret)) => return Ok(Some(secret.clone())),
            (None, KeyFrom::Command(command)) => keys::from_command(command, self.environment.terminal)?,
        };
        Ok(Some(Secret::new(key.expose_secret())))
    }

    /// Selects another theme in the configuration; returns a confirmation to show.
    ///
    /// # Errors
    /// When it was not changed.
    pub fn choose_theme(&self, name: &str) -> Result<String, SettingError> {
        self.save_setting(|file| themes::choose(file, name))?;
        Ok(format!("Theme {name} saved"))
    }

    /// Sets the throughput of a GPU model, in units per second, in the configuration, or removes it for
    /// `None`; returns a confirmation to show.
    ///
    /// # Errors
    ///
    /// When it was not changed.
    pub fn save_rate(&self, unit: WorkUnit, model: &str, rate: Option<&str>) -> Result<String, SettingError> {
        self.save_setting(|file| rewrite::set_rate(file, unit, model, rate))?;
        Ok(match rate {
            Some(rate) => format!("Rate of {model} saved: {rate} {}", unit.rate()),
            None => format!("Rate of {model} in {} removed", unit.rate()),
        })
    }

    /// Runs `save` on the configuration file and remembers the saved configuration, so that its reload is
    /// recognized. An error without a home directory, or if `save` fails.
    fn save_setting(&self, save: impl FnOnce(&Path) -> Result<(), SettingError>) -> Result<(), SettingError> {
        let file = self.file().ok_or(SettingError::NoHome)?;
        // Locked over the write: a reload that sees it has to wait for the note.
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        save(&file)?;
        saved.extend(Config::load(&file));
        Ok(())
    }

    /// Whether a reloaded configuration has the preferences after a setting was saved by this resolver; each save
    /// is recognized once, and none before one that was. False if none was saved.
    pub fn recognize_saved(&self, reloaded: &Config) -> bool {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let place = saved.iter().rposition(|saved| saved.has_same_preferences(reloaded));
        place.is_some_and(|place| saved.drain(..=place).count() > 0)
    }

    /// Changes the saved markets; returns the name of the market and the change that was made.
    ///
    /// # Errors
    ///
    /// When the change was not completed.
    pub fn change(&self, change: Change) -> Result<(String, Done), ChangeError> {
        let paths = self.paths.as_ref().ok_or(ChangeError::NoHome)?;
        match change {
            Change::Add(market) => {
                save_market(paths, &market)?;
                Ok((market.name, Done::Added))
            }
            Change::Key { name, from } => {
                give_key(paths, &name, &from)?;
                Ok((name, Done::KeyGiven))
            }
            Change::Dialect { name, dialect, from } => {
                if let Some(from) = from {
                    give_key(paths, &name, &from)?;
                }
                profiles::set_dialect(&paths.config_file(), &name, dialect)?;
                Ok((name, Done::DialectSet))
            }
            Change::Forget(name) => {
                forget_key(paths, &name)?;
                Ok((name, Done::KeyForgotten))
            }
            Change::Remove(name) => {
                remove_market(paths, &name)?;
                Ok((name, Done::Removed))
            }
        }
    }
}

/// Saves the key of a new market and then the market itself; if that fails, the key is deleted again. An
/// error if a market has this name already.
pub(super) fn save_market(paths: &Paths, market: &NewMarket) -> Result<(), ChangeError> {
    let new = Profile {
        name: market.name.clone(),
        base_url: Some(market.base_url.clone()),
        route_url: market.route_url.clone(),
        dialect: market.dialect,
        read_only: market.read_only,
        ..Profile::custom(&market.base_url)
    };
    let key = storage_of(&market.name, &market.key);
    let file = paths.config_file();
    let config = Config::load(&file)?;
    if config.profile(&market.name).is_some() {
        return Err(ChangeError::Exists(market.name.clone()));
    }
    let written = write_key(&paths.key_file(&market.name), &market.key)?;
    profiles::add(&file, new, &key).inspect_err(|_| {
        if written {
            let _ = fs::remove_file(paths.key_file(&market.name));
        }
    })?;
    Ok(())
}

/// Saves another key for a market and deletes its unused old key file. A typed key replaces the content of
/// the key file in the configuration, if there is one.
fn give_key(paths: &Paths, name: &str, from: &KeyFrom) -> Result<(), ChangeError> {
    let file = paths.config_file();
    let before = profile(paths, name)?;
    if let (KeyFrom::File(_), Some(path)) = (from, &before.api_key_file) {
        write_key(path, from)?;
        return Ok(());
    }
    let path = paths.key_file(name);
    let written = write_key(&path, from)?;
    profiles::set_key(&file, name, &storage_of(name, from)).inspect_err(|_| {
        if written {
            let _ = fs::remove_file(&path);
        }
    })?;
    delete_unused_key_file(paths, &before)
}

/// Removes the key of a market from the configuration, and deletes its key file if that is in bourse's folder
/// and no other profile uses it.
fn forget_key(paths: &Paths, name: &str) -> Result<(), ChangeError> {
    let before = profile(paths, name)?;
    profiles::set_key(&paths.config_file(), name, &KeyStorage::Environment)?;
    delete_unused_key_file(paths, &before)
}

/// Removes a market from the configuration, and deletes its key file as [`forget_key`] does.
fn remove_market(paths: &Paths, name: &str) -> Result<(), ChangeError> {
    let before = profile(paths, name)?;
    profiles::remove(&paths.config_file(), name)?;
    delete_unused_key_file(paths, &before)
}

/// Deletes the old key file of a profile, if it is in the folder of bourse's key files and no profile uses
/// it; otherwise does nothing.
fn delete_unused_key_file(paths: &Paths, before: &Profile) -> Result<(), ChangeError> {
    let Some(old) = before.api_key_file.as_ref().filter(|old| paths.is_in_key_folder(old)) else {
        return Ok(());
    };
    let config = Config::load(&paths.config_file())?;
    let mut profiles = config
        .profile_names()
        .into_iter()
        .filter_map(|name| config.profile(name));
    if profiles.any(|profile| profile.api_key_file.as_ref() == Some(old)) {
        return Ok(());
    }
    match fs::remove_file(old) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(ChangeError::KeyNotDeleted {
            path: old.clone(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Writes a typed key to the file at `path`; returns whether it did: false for keys from the environment or a
/// command. An error if it is no valid key, or the file cannot be written.
fn write_key(path: &Path, from: &KeyFrom) -> Result<bool, ChangeError> {
    let KeyFrom::File(secret) = from else {
        return Ok(false);
    };
    keys::parse(secret.expose(), "what you typed")?;
    keys::write(path, secret.expose()).map_err(|source| ChangeError::KeyNotWritten {
        path: path.to_owned(),
        source,
    })?;
    Ok(true)
}

/// The source of a market's key, as the configuration stores it; a key file has the market's name.
fn storage_of(name: &str, from: &KeyFrom) -> KeyStorage {
    match from {
        KeyFrom::Environment => KeyStorage::Environment,
        KeyFrom::File(_) => KeyStorage::File(Paths::key_file_setting(name)),
        KeyFrom::Command(command) => KeyStorage::Command(command.clone()),
    }
}

/// The profile with this name in the configuration; an error if it has none.
fn profile(paths: &Paths, name: &str) -> Result<Profile, ChangeError> {
    Config::load(&paths.config_file())?
        .profile(name)
        .ok_or_else(|| ChangeError::Unknown(name.to_owned()))
}

/// A path as text for the screen, without control characters.
fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy(), 400)
}

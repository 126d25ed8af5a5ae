//! The source of a market's API key: one rule for reading the key and for showing its source.

use std::path::{Path, PathBuf};

use secrecy::SecretString;

use super::chosen::Chosen;
use super::config::{Profile, VAST};
use super::{Environment, Global};
use crate::process::Terminal;
use crate::store::Paths;
use crate::store::keys::{self, ApiKeyError};

/// The environment variable with a key for any market.
pub const KEY_VARIABLE: &str = "BOURSE_API_KEY";

/// The environment variables with the key for the public service, in the order of their precedence:
/// its own client's, and that of its Terraform providers and SDKs.
pub const VAST_KEY_VARIABLES: [&str; 2] = ["VAST_API_KEY", "VASTAI_API_KEY"];

/// The source of a key, without the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The embedded sandbox generates its own.
    Generated,
    Variable(&'static str),
    /// A file; its path, for display.
    File(String),
    /// The output of a command, run when bourse connects.
    Command,
    /// The key file of the public service's own client, which bourse only reads; its path.
    OtherClient(String),
    None,
    /// A key for another address, which is not sent to the one in use; that other address.
    Withheld(String),
    /// A configured key that cannot be used, with the reason.
    Unusable(String),
}

impl KeySource {
    /// A label of the API key's source, for a list of markets: `key file`.
    pub const fn short(&self) -> &'static str {
        match self {
            Self::Generated => "own key",
            Self::Variable(_) => "environment",
            Self::File(_) => "key file",
            Self::Command => "key command",
            Self::OtherClient(_) => "client's file",
            Self::None => "no key",
            Self::Withheld(_) => "key not sent",
            Self::Unusable(_) => "key unusable",
        }
    }

    /// A sentence about the source of the API key, for the details of a market.
    pub fn sentence(&self) -> String {
        match self {
            Self::Generated => "The sandbox creates its own key.".to_owned(),
            Self::Variable(name) => format!("The key comes from {name} in the environment."),
            Self::File(path) => format!("The key is in {path}."),
            Self::Command => "The key is read from a command's output.".to_owned(),
            Self::OtherClient(path) => {
                format!("The key is read from the market's own client: {path}.")
            }
            Self::None => "No API key configured.".to_owned(),
            Self::Withheld(address) => {
                format!("The key is for {address} and is not sent here: start bourse with --send-key to send it.")
            }
            Self::Unusable(why) => format!("The key cannot be used: {why}."),
        }
    }
}

pub(crate) enum Source {
    /// An environment variable: its name and value.
    Variable(&'static str, String),
    File(PathBuf),
    /// The output of a command.
    Command(String),
    /// The file of the public service's own client, read only.
    OtherClient(PathBuf),
    /// A key for another address, which is neither read nor sent.
    Withheld(String),
    Nowhere,
}

impl Source {
    /// The source of the API key: the file of the command line, else `BOURSE_API_KEY`, else the profile's
    /// file or command, else for the profile `vast` its variables or the public service's own client's file.
    ///
    /// `Withheld` if there is a key, but the base address in use does not get it.
    pub fn choose(chosen: &Chosen, flags: &Global, environment: &Environment, paths: Option<&Paths>) -> Self {
        let source = Self::of_profile(&chosen.profile, flags, environment, paths);
        let reach = chosen.key_reach(flags, environment);
        match chosen.withheld(reach) {
            Some((_, own)) if !reach.management && !matches!(source, Self::Nowhere) => Self::Withheld(own),
            _ => source,
        }
    }

    /// The source of the API key as for `choose`, whether or not the address in use gets it.
    fn of_profile(profile: &Profile, flags: &Global, environment: &Environment, paths: Option<&Paths>) -> Self {
        if let Some(path) = &flags.api_key_file {
            return Self::File(path.clone());
        }
        if let Some(text) = &environment.key {
            return Self::Variable(KEY_VARIABLE, text.clone());
        }
        if let Some(path) = &profile.api_key_file {
            return Self::File(path.clone());
        }
        if let Some(command) = &profile.api_key_command {
            return Self::Command(command.clone());
        }
        if profile.name != VAST {
            return Self::Nowhere;
        }
        if let Some((name, text)) = &environment.vast_key {
            return Self::Variable(name, text.clone());
        }
        paths
            .and_then(Paths::public_client_key_file)
            .map_or(Self::Nowhere, Self::OtherClient)
    }

    /// Reads the API key, running its command if it has one; `None` if there is none or it is withheld.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(&self, terminal: Terminal) -> Result<Option<SecretString>, ApiKeyError> {
        match self {
            Self::Variable(name, text) => keys::parse(text, name).map(Some),
            Self::File(path) | Self::OtherClient(path) => keys::from_file(path).map(Some),
            Self::Command(command) => keys::from_command(command, terminal).map(Some),
            Self::Withheld(_) | Self::Nowhere => Ok(None),
        }
    }

    /// Describes the source of the API key for display; a key that cannot be read is `Unusable`. Runs no
    /// command and sends nothing.
    pub fn describe(&self) -> KeySource {
        let shown = |path: &Path| crate::domain::text::visible(&path.to_string_lossy(), 400);
        let wrong = match self {
            Self::Command(_) => None,
            Self::File(path) => keys::check(path).err(),
            // The key read here is wiped at once: only whether it can be read matters.
            other => other.read(Terminal::Withheld).err(),
        };
        if let Some(error) = wrong {
            return KeySource::Unusable(error.to_string());
        }
        match self {
            Self::Variable(name, _) => KeySource::Variable(name),
            Self::File(path) => KeySource::File(shown(path)),
            Self::Command(_) => KeySource::Command,
            Self::OtherClient(path) => KeySource::OtherClient(shown(path)),
            Self::Withheld(address) => KeySource::Withheld(address.clone()),
            Self::Nowhere => KeySource::None,
        }
    }
}

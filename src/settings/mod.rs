//! The user's settings, each from a flag, the environment, the configuration file or a default.

pub mod appearance;
pub mod check;
pub(crate) mod chosen;
pub mod config;
pub mod effective;
pub mod flags;
pub mod key_source;
pub mod preferences;
pub mod profiles;
mod reader;
pub mod resolve;
pub mod sandbox_past;
mod table;
pub mod themes;
pub mod worker_ca;

pub use appearance::Notifications;
pub use config::{Config, ConfigError, Profile};
pub use flags::Global;
pub use key_source::{KEY_VARIABLE, KeySource};
pub use preferences::Preferences;
pub use resolve::{Connection, Environment, Market, Settings, by_name};
pub use table::{Values, default_config};

use crate::api::ApiError;
use crate::keys::Keymap;
use crate::keys::commands::UserCommand;

/// A command of the user's with its name in the configuration.
pub type NamedCommand = appearance::Entry<UserCommand>;

/// The reason the settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A mistake in the command line or the configuration.
    #[error("{0}")]
    Usage(String),
    /// The configuration file cannot be used.
    #[error("{error}; {advice}", error = .0, advice = .0.advice())]
    Configuration(ConfigError),
    #[error("{0}")]
    Failed(String),
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Configuration(error)
    }
}

impl From<ApiError> for Error {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Misconfigured(message) => Self::Usage(message),
            error @ ApiError::NoKey { .. } => {
                let way = Keymap::default().key_hint("markets");
                Self::Failed(format!(
                    "{error}, pass --api-key-file, or add a key in the dashboard ({way})"
                ))
            }
            error => Self::Failed(error.to_string()),
        }
    }
}

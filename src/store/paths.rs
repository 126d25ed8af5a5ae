//! Where files live: the XDG base directories, also on macOS.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The folders of the program. None of them need exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// `$XDG_CONFIG_HOME/bourse`
    pub config: PathBuf,
    /// `$XDG_STATE_HOME/bourse`
    pub state: PathBuf,
    /// `$XDG_CONFIG_HOME`, where other programs keep theirs.
    config_base: PathBuf,
}

impl Paths {
    /// The folders of the user, or `None` when there is no home.
    pub fn of_user() -> Option<Self> {
        let base = etcetera::choose_base_strategy().ok()?;
        let config_base = base.config_dir();
        let state_base = base.state_dir().unwrap_or_else(|| base.data_dir());
        Some(Self {
            config: config_base.join("bourse"),
            state: state_base.join("bourse"),
            config_base,
        })
    }

    /// Folders below one root, for tests.
    pub fn below(root: &std::path::Path) -> Self {
        Self {
            config: root.join("config/bourse"),
            state: root.join("state/bourse"),
            config_base: root.join("config"),
        }
    }

    /// The configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The log file.
    pub fn log_file(&self) -> PathBuf {
        self.state.join("bourse.log")
    }

    /// The key file of the public service's own client; read only, never written.
    pub fn public_client_key_file(&self) -> PathBuf {
        self.config_base.join("vastai/vast_api_key")
    }
}

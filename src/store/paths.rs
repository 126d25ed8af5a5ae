//! The locations of files: the XDG base directories, also on macOS.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::files::PROFILES;

/// The name of the configuration file, unless another one is given.
const CONFIG_FILE: &str = "config.toml";

/// The folder of key files, inside the folder of the configuration.
const KEYS: &str = "keys";

/// The folders of the program. None of them need exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The folder of the configuration: `$XDG_CONFIG_HOME/bourse`.
    pub config: PathBuf,
    /// The folder of the program's state: `$XDG_STATE_HOME/bourse`.
    pub state: PathBuf,
    config_file: PathBuf,
    /// `$XDG_CONFIG_HOME`, for other programs' files.
    config_base: PathBuf,
    /// The home folder, for other programs' files.
    home: PathBuf,
}

impl Paths {
    /// The folders of the user, by the XDG variables or their defaults; `None` without a home folder.
    pub fn of_user() -> Option<Self> {
        let base = etcetera::choose_base_strategy().ok()?;
        let config_base = base.config_dir();
        let state_base = base.state_dir().unwrap_or_else(|| base.data_dir());
        let config = config_base.join("bourse");
        Some(Self {
            config_file: config.join(CONFIG_FILE),
            config,
            home: base.home_dir().to_owned(),
            state: state_base.join("bourse"),
            config_base,
        })
    }

    /// Folders below one root directory, for tests.
    pub fn below(root: &Path) -> Self {
        let config = root.join("config/bourse");
        Self {
            config_file: config.join(CONFIG_FILE),
            config,
            home: root.join("home"),
            state: root.join("state/bourse"),
            config_base: root.join("config"),
        }
    }

    /// The same paths with another configuration file, whose folder also holds themes and key
    /// files.
    pub fn with_config_file(self, file: &Path) -> Self {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        Self {
            config: file.parent().map_or(self.config, Path::to_owned),
            config_file: file,
            ..self
        }
    }

    /// The path of the configuration file, which need not exist.
    pub fn config_file(&self) -> PathBuf {
        self.config_file.clone()
    }

    /// The folder of the key files that bourse writes, inside that of the configuration.
    pub fn keys(&self) -> PathBuf {
        self.config.join(KEYS)
    }

    /// The absolute path of the key file that bourse writes for a profile.
    pub fn key_file(&self, profile: &str) -> PathBuf {
        self.config.join(Self::key_file_setting(profile))
    }

    /// The key file of a profile as the configuration names it: relative to the configuration's
    /// folder.
    pub fn key_file_setting(profile: &str) -> String {
        format!("{KEYS}/{profile}")
    }

    /// Whether a key file is directly in the folder that bourse writes keys to.
    pub fn is_in_key_folder(&self, path: &Path) -> bool {
        path.parent() == Some(self.keys().as_path())
    }

    /// The state folder of a profile.
    ///
    /// Any name gives a folder of its own: characters special to file systems are written as `%XX`.
    pub fn profile_state(&self, profile: &str) -> PathBuf {
        let mut name = String::new();
        for (index, byte) in profile.bytes().enumerate() {
            if byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || matches!(byte, b'-' | b'_')
                || (byte == b'.' && index > 0)
            {
                name.push(char::from(byte));
            } else {
                let _ = write!(name, "%{byte:02X}"); // writing to a String cannot fail
            }
        }
        self.state.join(PROFILES).join(name)
    }

    /// The file with the user's changes of a `kind` (`groups`, `unlisted`) to the sandbox of a `seed`.
    pub fn sandbox_file(&self, profile: &str, kind: &str, seed: u64) -> PathBuf {
        self.profile_state(profile).join(format!("sandbox-{kind}-{seed}.json"))
    }

    /// The path of the write history, shared by all profiles.
    pub fn journal_file(&self) -> PathBuf {
        self.state.join("writes.jsonl")
    }

    /// The log file, written if `BOURSE_LOG` is set.
    pub fn log_file(&self) -> PathBuf {
        self.state.join("bourse.log")
    }

    /// The key file of the public service's own client, which is never written: the one in its configuration
    /// folder, else that of its older versions, `~/.vast_api_key`. `None` if there is none.
    pub fn public_client_key_file(&self) -> Option<PathBuf> {
        let files = [
            self.config_base.join("vastai/vast_api_key"),
            self.home.join(".vast_api_key"),
        ];
        files.into_iter().find(|path| path.exists())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_has_a_folder_of_its_own_inside_the_state() {
        let paths = Paths::below(std::path::Path::new("/r"));
        let folder = |name: &str| {
            let path = paths.profile_state(name);
            let relative = path.strip_prefix("/r/state/bourse/profiles").unwrap();
            relative.to_str().unwrap().to_owned()
        };
        assert_eq!(folder("sandbox"), "sandbox");
        assert_eq!(folder("../x"), "%2E.%2Fx");
        assert_eq!(folder("Work"), "%57ork"); // differs from `work` even on case-insensitive file systems
        assert_eq!(folder("ä"), "%C3%A4");
        assert_eq!(folder("."), "%2E");
    }
}

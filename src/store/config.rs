//! The configuration file: TOML, strict, with messages that name the line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::appearance::{Entry, FileKeys, FileTheme, Theme, ThemeValue};
use crate::domain::Dialect;

/// Profile of the embedded sandbox marketplace.
pub const SANDBOX: &str = "sandbox";
/// Profile of the public service.
pub const VAST: &str = "vast";
/// What the profile of a bare `--base-url` is called.
pub const CUSTOM: &str = "custom";

/// A marketplace and how to speak to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// What it is called.
    pub name: String,
    /// The base address; `None` for the embedded sandbox.
    pub base_url: Option<String>,
    /// The address of the routing endpoint; the base where it is missing.
    pub route_url: Option<String>,
    /// How the server speaks the interface.
    pub dialect: &'static Dialect,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// A command that prints the key.
    pub api_key_command: Option<String>,
    /// Whether writes are refused.
    pub read_only: bool,
}

impl Profile {
    fn bare(name: &str, dialect: &'static Dialect) -> Self {
        Self {
            name: name.to_owned(),
            base_url: None,
            route_url: None,
            dialect,
            api_key_file: None,
            api_key_command: None,
            read_only: false,
        }
    }

    /// The embedded sandbox.
    pub fn sandbox() -> Self {
        Self::bare(SANDBOX, &Dialect::SANDBOX)
    }

    /// An address from the command line, without a profile.
    pub fn custom() -> Self {
        Self::bare(CUSTOM, &Dialect::DOCUMENTED)
    }

    /// The public service.
    pub fn vast() -> Self {
        Self {
            base_url: Some("https://console.vast.ai".to_owned()),
            route_url: Some("https://run.vast.ai".to_owned()),
            ..Self::bare(VAST, &Dialect::VAST)
        }
    }
}

/// What the configuration file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// The profiles of the file, and built-in ones that it changes.
    profiles: BTreeMap<String, Profile>,
    /// The profile to open when none is named.
    pub default_profile: Option<String>,
    /// The colours.
    pub theme: Theme,
    /// Other colours for roles of the theme.
    pub colors: Vec<Entry<String>>,
    /// Whether only ASCII is shown; `None` leaves it to the environment.
    pub ascii: Option<bool>,
    /// Other keys for actions.
    pub keys: Vec<Entry<Vec<String>>>,
}

/// Why a configuration file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {why}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Something in it is wrong.
    #[error("{}:{line}: {message}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        message: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    default_profile: Option<Spanned<String>>,
    theme: Option<Spanned<ThemeValue>>,
    ascii: Option<bool>,
    #[serde(default)]
    keys: BTreeMap<String, Spanned<FileKeys>>,
    #[serde(default)]
    profiles: BTreeMap<String, Spanned<FileProfile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileProfile {
    base_url: Option<String>,
    route_url: Option<String>,
    dialect: Option<Spanned<String>>,
    api_key_file: Option<PathBuf>,
    api_key_command: Option<String>,
    read_only: Option<bool>,
}

/// A place in the file and what is wrong there.
type Wrong = (Range<usize>, String);

impl Config {
    /// Reads the file at `path`; a file that is not there is an empty one.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ConfigError::Unreadable {
                path: path.to_owned(),
                why: error.kind().to_string(),
            }),
        }
    }

    /// Reads a configuration; `path` is for messages and for relative key files.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        let at = |(span, message): Wrong| ConfigError::Wrong {
            path: path.to_owned(),
            line: line_of(text, span.start),
            message,
        };
        let file: File = toml::from_str(text)
            .map_err(|error| at((error.span().unwrap_or(0..0), one_line(error.message()))))?;
        Self::from_file(file, text, path.parent()).map_err(at)
    }

    fn from_file(file: File, text: &str, folder: Option<&Path>) -> Result<Self, Wrong> {
        let mut config = Self::default();
        for (name, profile) in file.profiles {
            let profile = profile_of(&name, profile, folder)?;
            config.profiles.insert(name, profile);
        }
        if let Some(name) = file.default_profile {
            if config.profile(name.get_ref()).is_none() {
                let known = config.names().join(", ");
                let message = format!(
                    "there is no profile named '{}'; there are: {known}",
                    name.get_ref()
                );
                return Err((name.span(), message));
            }
            config.default_profile = Some(name.into_inner());
        }
        if let Some(theme) = file.theme {
            let place = theme.span();
            let theme = match theme.into_inner() {
                ThemeValue::Name(name) => FileTheme {
                    name: Some(Spanned::new(place, name)),
                    ..FileTheme::default()
                },
                ThemeValue::Table(table) => table,
            };
            if let Some(name) = &theme.name {
                config.theme = one_of("theme", name, Theme::ALL)?;
            }
            config.colors = entries(theme.colors, text, |color| color);
        }
        config.ascii = file.ascii;
        config.keys = entries(file.keys, text, |keys| keys.0);
        Ok(config)
    }

    /// The profile of that name.
    pub fn profile(&self, name: &str) -> Option<Profile> {
        self.profiles.get(name).cloned().or_else(|| match name {
            SANDBOX => Some(Profile::sandbox()),
            VAST => Some(Profile::vast()),
            _ => None,
        })
    }

    /// The configuration with a profile in place of the one of its name.
    #[must_use]
    pub(super) fn with(mut self, profile: Profile) -> Self {
        self.profiles.insert(profile.name.clone(), profile);
        self
    }

    /// Whether two configurations say the same, on whatever lines.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        fn bare<T: Clone>(entries: &[Entry<T>]) -> Vec<(&str, T)> {
            let mut bare: Vec<_> = entries
                .iter()
                .map(|entry| (entry.name.as_str(), entry.value.clone()))
                .collect();
            bare.sort_by_key(|(name, _)| *name);
            bare
        }
        self.profiles == other.profiles
            && self.default_profile == other.default_profile
            && (self.theme, self.ascii) == (other.theme, other.ascii)
            && bare(&self.colors) == bare(&other.colors)
            && bare(&self.keys) == bare(&other.keys)
    }

    /// The names of all profiles, the built-in ones first.
    pub fn names(&self) -> Vec<&str> {
        let mut names = vec![SANDBOX, VAST];
        names.extend(
            self.profiles
                .keys()
                .map(String::as_str)
                .filter(|name| !matches!(*name, SANDBOX | VAST)),
        );
        names
    }
}

/// Named values with their lines, in the order of the lines.
fn entries<T, U>(
    named: BTreeMap<String, Spanned<T>>,
    text: &str,
    inner: impl Fn(T) -> U,
) -> Vec<Entry<U>> {
    let mut entries: Vec<_> = named
        .into_iter()
        .map(|(name, value)| Entry {
            name,
            line: line_of(text, value.span().start),
            value: inner(value.into_inner()),
        })
        .collect();
    entries.sort_by_key(|entry| entry.line);
    entries
}

fn profile_of(
    name: &str,
    profile: Spanned<FileProfile>,
    folder: Option<&Path>,
) -> Result<Profile, Wrong> {
    let span = profile.span();
    let given = profile.into_inner();
    let wrong = |message: String| Err((span.clone(), message));
    let mut built = match name {
        SANDBOX => {
            return wrong(
                "'sandbox' is the built-in sandbox and takes no settings; choose another name"
                    .to_owned(),
            );
        }
        CUSTOM => {
            return wrong(
                "'custom' is what an address without a profile is called; choose another name"
                    .to_owned(),
            );
        }
        VAST => Profile::vast(),
        _ => Profile::bare(name, &Dialect::DOCUMENTED),
    };
    if name != VAST && given.base_url.is_none() {
        return wrong(format!("the profile '{name}' needs a base_url"));
    }
    if given.api_key_file.is_some() && given.api_key_command.is_some() {
        return wrong(format!(
            "the profile '{name}' has an api_key_file and an api_key_command: choose one"
        ));
    }
    if let Some(dialect) = &given.dialect {
        let known = Dialect::ALL.map(|dialect| (dialect.name, dialect));
        built.dialect = one_of("dialect", dialect, known)?;
    }
    if given.base_url.is_some() {
        // The routing address of the old base does not belong to the new one.
        built.base_url = given.base_url;
        built.route_url = None;
    }
    built.route_url = given.route_url.or(built.route_url);
    built.api_key_file = given.api_key_file.map(|path| resolved(path, folder));
    built.api_key_command = given.api_key_command;
    built.read_only = given.read_only.unwrap_or(false);
    Ok(built)
}

/// The choice that a word names, or a message with all choices.
fn one_of<T: Copy, const N: usize>(
    what: &str,
    word: &Spanned<String>,
    choices: [(&str, T); N],
) -> Result<T, Wrong> {
    let found = choices.iter().find(|(name, _)| name == word.get_ref());
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names = choices.map(|(name, _)| format!("'{name}'")).join(", ");
        let message = format!("'{}' is not a {what}: use one of {names}", word.get_ref());
        (word.span(), message)
    })
}

/// A path with `~/` for the home folder; a relative one belongs to the configuration's folder.
fn resolved(path: PathBuf, folder: Option<&Path>) -> PathBuf {
    if let Ok(rest) = path.strip_prefix("~")
        && let Ok(home) = etcetera::home_dir()
    {
        return home.join(rest);
    }
    match folder {
        Some(folder) if path.is_relative() => folder.join(path),
        _ => path,
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn one_line(message: &str) -> String {
    let mut out = String::new();
    for (index, line) in message.lines().enumerate() {
        let _ = write!(out, "{}{}", if index == 0 { "" } else { "; " }, line.trim());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("/etc/x/config.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_file_leaves_the_built_in_profiles() {
        let config = parse("").unwrap();
        assert_eq!(config.names(), ["sandbox", "vast"]);
        let vast = config.profile("vast").unwrap();
        assert_eq!(vast.base_url.as_deref(), Some("https://console.vast.ai"));
        assert_eq!(vast.route_url.as_deref(), Some("https://run.vast.ai"));
        assert_eq!(vast.dialect.name, "vast");
        assert_eq!(config.profile("other"), None);
    }

    #[test]
    fn a_whole_file_is_read() {
        let config = parse(
            r#"
            default_profile = "work"
            theme = "light"
            [profiles.work]
            base_url = "https://market.example"
            route_url = "https://run.example"
            dialect = "vast"
            api_key_file = "keys/work"
            read_only = true
            [profiles.vast]
            api_key_command = "pass show vast"
            "#,
        )
        .unwrap();
        assert_eq!(config.default_profile.as_deref(), Some("work"));
        assert_eq!(config.theme, Theme::Light);
        let work = config.profile("work").unwrap();
        assert_eq!(work.api_key_file, Some(PathBuf::from("/etc/x/keys/work")));
        assert_eq!((work.dialect.name, work.read_only), ("vast", true));
        let vast = config.profile("vast").unwrap();
        assert_eq!(vast.api_key_command.as_deref(), Some("pass show vast"));
        assert_eq!(vast.base_url.as_deref(), Some("https://console.vast.ai"));
    }

    #[test]
    fn messages_name_the_line_and_the_valid_values() {
        for (text, wanted) in [
            (
                "\ntheme = \"pink\"",
                "/etc/x/config.toml:2: 'pink' is not a theme: use one of 'auto', 'dark', 'light', 'high-contrast', 'ansi', 'none'",
            ),
            (
                "[profiles.a]\nbase_url = \"https://h\"\ndialect = \"klingon\"",
                "/etc/x/config.toml:3: 'klingon' is not a dialect: use one of 'documented', 'vast', 'sandbox'",
            ),
            (
                "default_profile = \"nope\"",
                "/etc/x/config.toml:1: there is no profile named 'nope'; there are: sandbox, vast",
            ),
            (
                "[profiles.a]\nroute_url = \"https://h\"",
                "/etc/x/config.toml:1: the profile 'a' needs a base_url",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), wanted);
        }
        let unknown = parse("[profiles.a]\nbase_url = \"https://h\"\napi_key = \"k\"").unwrap_err();
        assert!(
            unknown.starts_with("/etc/x/config.toml:3: unknown field `api_key`"),
            "{unknown}"
        );
        assert!(unknown.contains("api_key_file"), "{unknown}");
        assert!(
            parse("theme = ")
                .unwrap_err()
                .starts_with("/etc/x/config.toml:1: ")
        );
    }

    #[test]
    fn looks_and_keys_are_read_with_their_lines() {
        let config = parse(
            "ascii = true\n[theme]\nname = \"ansi\"\n[theme.colors]\nerror = \"#ff0000\"\n\
             [keys]\nsort = \"S\"\nrefresh = [\n  \"R\", \"f5\"]\n",
        )
        .unwrap();
        assert_eq!((config.theme, config.ascii), (Theme::Ansi, Some(true)));
        let color = Entry {
            name: "error".to_owned(),
            value: "#ff0000".to_owned(),
            line: 5,
        };
        assert_eq!(config.colors, [color]);
        let keys: Vec<_> = config
            .keys
            .iter()
            .map(|entry| (entry.name.as_str(), entry.value.join(" "), entry.line))
            .collect();
        assert_eq!(
            keys,
            [
                ("sort", "S".to_owned(), 7),
                ("refresh", "R f5".to_owned(), 8)
            ]
        );
        for wrong in ["theme = 3", "[theme]\ncolour = {}", "[keys]\nsort = 3"] {
            let error = parse(wrong).unwrap_err();
            let line = wrong.lines().count();
            assert!(
                error.starts_with(&format!("/etc/x/config.toml:{line}: ")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_new_base_address_takes_its_own_route() {
        let config = parse("[profiles.vast]\nbase_url = \"https://mirror.example\"").unwrap();
        assert_eq!(config.profile("vast").unwrap().route_url, None);
    }
}

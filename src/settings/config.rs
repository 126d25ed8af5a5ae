//! The configuration file: TOML, strict, with errors that name the line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use super::appearance::Entry;
use super::reader;
use super::table::Values;
use crate::api::Origin;
use crate::domain::{Dialect, text};
use crate::store::{Paths, files};

/// Profile of the embedded sandbox marketplace.
pub const SANDBOX: &str = "sandbox";
/// Profile of the public service.
pub const VAST: &str = "vast";
/// The profile of a `--base-url` without `--profile`.
pub const CUSTOM: &str = "custom";

/// A marketplace and its connection settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// The base address; `None` for the embedded sandbox.
    pub base_url: Option<String>,
    /// The address of the routing endpoint; by default the base address.
    pub route_url: Option<String>,
    pub dialect: &'static Dialect,
    /// The file with the API key.
    pub api_key_file: Option<PathBuf>,
    /// A command that prints the key.
    pub api_key_command: Option<String>,
    pub read_only: bool,
    /// The file with the root certificate of the workers, PEM.
    pub worker_ca: Option<PathBuf>,
}

impl Profile {
    /// A profile with this name and dialect, and no other settings.
    pub(super) fn bare(name: &str, dialect: &'static Dialect) -> Self {
        Self {
            name: name.to_owned(),
            base_url: None,
            route_url: None,
            dialect,
            api_key_file: None,
            api_key_command: None,
            read_only: false,
            worker_ca: None,
        }
    }

    /// The built-in profile of the embedded sandbox.
    pub fn sandbox() -> Self {
        Self::bare(SANDBOX, &Dialect::SANDBOX)
    }

    /// The profile of `--base-url` without `--profile`, without its addresses; its dialect is the public
    /// service's if `base` is that, else the documented one.
    pub fn custom(base: &str) -> Self {
        let dialect = if Origin::parse(base).is_ok_and(|origin| origin.is_public_service()) {
            &Dialect::VAST
        } else {
            &Dialect::DOCUMENTED
        };
        Self::bare(CUSTOM, dialect)
    }

    /// The built-in profile of the public service, without a key.
    pub fn vast() -> Self {
        Self {
            base_url: Some("https://console.vast.ai".to_owned()),
            route_url: Some("https://run.vast.ai".to_owned()),
            ..Self::bare(VAST, &Dialect::VAST)
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// The file's profiles, including changes to built-in ones.
    pub(super) profiles: BTreeMap<String, Profile>,
    pub values: Values,
    /// Invalid key bindings and colours, which are ignored.
    pub dropped: Vec<ConfigError>,
    /// The position of each setting in the file, by its dotted name.
    pub(super) positions: BTreeMap<String, Position>,
}

/// The reason a configuration file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {why}", shown(.path))]
    Unreadable { path: PathBuf, why: String },
    #[error("{}:{position}: {}", shown(.path), text::message(.message))]
    Wrong {
        path: PathBuf,
        position: Position,
        /// The mistake, and the valid choices.
        message: String,
    },
}

/// A path for messages, with characters escaped that a terminal would act on.
fn shown(path: &Path) -> String {
    text::visible(&path.to_string_lossy(), usize::MAX)
}

impl ConfigError {
    /// The error of a mistake at a position in the file.
    pub(super) fn wrong(path: &Path, position: Position, message: String) -> Self {
        let path = path.to_owned();
        Self::Wrong {
            path,
            position,
            message,
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Unreadable { path, .. } | Self::Wrong { path, .. } => path,
        }
    }

    /// Advice on how to fix the error, as an imperative.
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "make it a text file that you can read, or move it away",
            Self::Wrong { .. } => "correct this line; `bourse config check` lists all mistakes",
        }
    }

    /// The position of the mistake; `None` if the file could not be read.
    pub const fn position(&self) -> Option<Position> {
        match self {
            Self::Unreadable { .. } => None,
            Self::Wrong { position, .. } => Some(*position),
        }
    }
}

/// A position in the file; lines and columns start at 1, columns are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Position {
    /// The position of a byte offset in a text, with line and column from 1; the column counts characters.
    pub(super) fn at_offset(text: &str, at: usize) -> Self {
        let before = &text[..text.floor_char_boundary(at)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Config {
    /// Reads the configuration file at `path`; a missing file is an empty one.
    ///
    /// # Errors
    ///
    /// The first mistake that is not in [`Config::dropped`].
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::first(Self::check(path)?)
    }

    /// The user's configuration from its file; the default without a home folder.
    ///
    /// # Errors
    ///
    /// As for [`Config::load`].
    pub fn of_user(paths: Option<&Paths>) -> Result<Self, ConfigError> {
        paths.map_or_else(|| Ok(Self::default()), |paths| Self::load(&paths.config_file()))
    }

    /// The valid settings of the user's configuration, and the mistakes in the others; the defaults and one
    /// error if it cannot be read.
    ///
    /// For display only: no market may be contacted with them unless there are no mistakes.
    pub fn valid_part(paths: Option<&Paths>) -> (Self, Vec<ConfigError>) {
        let read = paths.map(|paths| Self::check(&paths.config_file()));
        let checked = read.unwrap_or_else(|| Ok(Default::default()));
        checked.unwrap_or_else(|why| (Self::default(), vec![why]))
    }

    /// Parses a configuration; `path` is for messages and for relative key files.
    ///
    /// # Errors
    ///
    /// As for [`Config::load`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        Self::first(Self::judge(text, path))
    }

    /// The valid settings of the file at `path`, none if it is missing, and the mistakes in the others,
    /// without those in [`Config::dropped`].
    ///
    /// # Errors
    ///
    /// When the file cannot be read, also as a link in its path leads nowhere.
    pub fn check(path: &Path) -> Result<(Self, Vec<ConfigError>), ConfigError> {
        match files::read_text(path) {
            Ok(text) => Ok(Self::judge(&text, path)),
            // A link to nowhere is a configuration that cannot be read, not a missing one.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.ancestors().any(is_dangling) => {
                Ok(Default::default())
            }
            Err(error) => Err(ConfigError::Unreadable {
                path: path.to_owned(),
                why: files::read_error_text(&error),
            }),
        }
    }

    /// The configuration, or the first of its mistakes as the error.
    fn first(judged: (Self, Vec<ConfigError>)) -> Result<Self, ConfigError> {
        let (config, mistakes) = judged;
        mistakes.into_iter().next().map_or(Ok(config), Err)
    }

    /// The configuration in a text, and the mistakes because of which it cannot be used; those local to one
    /// key binding or color are in its `dropped` instead. `path` is for messages and relative key files.
    fn judge(text: &str, path: &Path) -> (Self, Vec<ConfigError>) {
        let (mut config, mistakes) = reader::read(text, path.parent());
        let mut errors = Vec::new();
        for mistake in mistakes {
            let error = ConfigError::wrong(path, mistake.position, mistake.message);
            if mistake.is_local {
                config.dropped.push(error);
            } else {
                errors.push(error);
            }
        }
        (config, errors)
    }

    /// The position of a setting in the file, by its dotted name: `profiles.work.base_url`; `None` if the
    /// file does not have it.
    pub fn position(&self, setting: &str) -> Option<Position> {
        self.positions.get(setting).copied()
    }

    /// The profile with this name, from the file or built in; `None` if there is none.
    pub fn profile(&self, name: &str) -> Option<Profile> {
        self.profiles.get(name).cloned().or_else(|| match name {
            SANDBOX => Some(Profile::sandbox()),
            VAST => Some(Profile::vast()),
            _ => None,
        })
    }

    /// The configuration with a profile added, or replaced if its name exists.
    #[must_use]
    pub(super) fn with(mut self, profile: Profile) -> Self {
        self.profiles.insert(profile.name.clone(), profile);
        self
    }

    /// The configuration without the file's profile of this name, which is the default one no longer.
    #[must_use]
    pub(super) fn without(mut self, name: &str) -> Self {
        self.profiles.remove(name);
        self.values.default_profile.take_if(|default| default == name);
        self
    }

    /// Whether a profile with this name exists only because the configuration file defines it.
    pub fn defines(&self, name: &str) -> bool {
        self.profiles.contains_key(name) && !matches!(name, SANDBOX | VAST)
    }

    /// The configuration without positions and dropped settings, and with sorted entries, to compare its
    /// meaning.
    fn meaning(&self) -> Self {
        /// The entries without their positions, sorted by name, to compare them.
        fn bare<T: Clone>(entries: &[Entry<T>]) -> Vec<Entry<T>> {
            let position = Position::default();
            let bare = entries.iter().cloned().map(|entry| Entry { position, ..entry });
            let mut bare: Vec<_> = bare.collect();
            bare.sort_by(|left, right| left.name.cmp(&right.name));
            bare
        }
        Self {
            values: Values {
                colors: bare(&self.values.colors),
                keys: bare(&self.values.keys),
                commands: bare(&self.values.commands),
                ..self.values.clone()
            },
            dropped: Vec::new(),
            positions: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// Whether two configurations have the same settings and profiles, ignoring positions and order.
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        self.meaning() == other.meaning()
    }

    /// Whether two configurations have the same settings apart from profiles and the default one, and the
    /// same invalid ones.
    pub fn has_same_preferences(&self, other: &Self) -> bool {
        let bare = |config: &Self| Values {
            default_profile: None,
            ..config.meaning().values
        };
        bare(self) == bare(other) && self.dropped == other.dropped
    }

    /// The names of all profiles: `sandbox` and `vast`, then those of the file, sorted.
    pub fn profile_names(&self) -> Vec<&str> {
        let names = self.profiles.keys().map(String::as_str);
        let added = names.filter(|name| !matches!(*name, SANDBOX | VAST));
        [SANDBOX, VAST].into_iter().chain(added).collect()
    }
}

/// Whether a path is a link whose target is missing.
fn is_dangling(path: &Path) -> bool {
    path.is_symlink() && !path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::limits::Limits;
    use crate::domain::throughput::WorkUnit;
    use crate::settings::appearance::ThemeSource;
    use crate::tui::appearance::Choice;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("/etc/x/config.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_empty_file_leaves_the_built_in_profiles() {
        let config = parse("").unwrap();
        assert_eq!(config.profile_names(), ["sandbox", "vast"]);
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
        assert_eq!(config.values.default_profile.as_deref(), Some("work"));
        assert_eq!(config.values.theme, ThemeSource::BuiltIn(Choice::Light));
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
                "/etc/x/config.toml:2:9: 'pink' is not a theme: use one of 'auto', 'dark', 'light', 'high-contrast', 'ansi', 'none'",
            ),
            (
                "[profiles.a]\nbase_url = \"https://h\"\ndialect = \"klingon\"",
                "/etc/x/config.toml:3:11: 'klingon' is not a dialect: use one of 'documented', 'vast', 'sandbox'",
            ),
            (
                "default_profile = \"nope\"",
                "/etc/x/config.toml:1:19: no profile named 'nope'; available: sandbox, vast",
            ),
            (
                "[profiles.a]\nroute_url = \"https://h\"",
                "/etc/x/config.toml:1:11: the profile 'a' needs a base_url",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), wanted);
        }
        let unknown = parse("[profiles.a]\nbase_url = \"https://h\"\napi_key = \"k\"").unwrap_err();
        assert!(
            unknown.starts_with("/etc/x/config.toml:3:1: unknown field `api_key`"),
            "{unknown}"
        );
        assert!(unknown.contains("api_key_file"), "{unknown}");
        assert!(parse("theme = ").unwrap_err().starts_with("/etc/x/config.toml:1:9: "));
    }

    #[test]
    fn looks_and_keys_are_read_with_their_lines() {
        let config = parse(
            "ascii = true\n[theme]\nname = \"ansi\"\n[theme.colors]\nerror = \"#ff0000\"\n\
             [keys]\nsort = \"S\"\nrefresh = [\n  \"R\", \"f5\"]\n",
        )
        .unwrap();
        assert_eq!((config.values.theme.name(), config.values.ascii), ("ansi", Some(true)));
        let color = Entry {
            name: "error".to_owned(),
            value: "#ff0000".to_owned(),
            position: Position { line: 5, column: 9 },
        };
        assert_eq!(config.values.colors, [color]);
        let keys: Vec<_> = config
            .values
            .keys
            .iter()
            .map(|entry| (entry.name.as_str(), entry.value.join(" "), entry.position.line))
            .collect();
        assert_eq!(keys, [("sort", "S".to_owned(), 7), ("refresh", "R f5".to_owned(), 8)]);
        let error = parse("theme = 3").unwrap_err();
        assert!(error.starts_with("/etc/x/config.toml:1:9: "), "{error}");
    }

    #[test]
    fn settings_that_do_not_exist_stop_as_other_mistakes_do() {
        for (text, wanted) in [
            ("ascii = true\nshadow = true\n", "2:1: unknown field `shadow`"),
            ("[theme]\ncolour = {}\n", "2:1: unknown field `colour`"),
            ("[watch]\nevery = \"2m\"\nfast = 1\n", "3:1: unknown field `fast`"),
        ] {
            let message = parse(text).unwrap_err();
            assert!(message.contains(wanted), "{message}");
        }
    }

    #[test]
    fn keys_of_another_type_drop_only_themselves() {
        let config =
            parse("default_profile = \"vast\"\n[keys]\nsort = 3\nrefresh = [\"R\", 4]\nquit = [5]\nopen = []").unwrap();
        assert_eq!(config.values.default_profile.as_deref(), Some("vast"));
        let keys: Vec<_> = config
            .values
            .keys
            .iter()
            .map(|entry| (entry.name.as_str(), entry.value.join(" ")))
            .collect();
        assert_eq!(keys, [("refresh", "R".to_owned()), ("open", String::new())]);
        let dropped: Vec<_> = config.dropped.iter().map(ToString::to_string).collect();
        assert_eq!(
            dropped,
            [
                "/etc/x/config.toml:3:8: invalid type: integer, expected a key such as \"R\" or a list such as [\"R\", \"f5\"]",
                "/etc/x/config.toml:4:17: invalid type: integer, expected a string",
                "/etc/x/config.toml:5:9: invalid type: integer, expected a string",
            ]
        );
    }

    fn mistakes(text: &str) -> Vec<String> {
        let (config, errors) = Config::judge(text, Path::new("c"));
        let all = errors.iter().chain(&config.dropped);
        let mut all: Vec<_> = all.map(|error| (error.position(), error)).collect();
        all.sort_by_key(|(position, _)| *position);
        all.iter().map(|(_, error)| error.to_string()).collect()
    }

    #[test]
    fn all_mistakes_are_found_at_once() {
        let text = "default_profile = \"b\"\nthem = \"dark\"\nascii = \"no\"\n\
            [theme]\nname = \"pink\"\n[keys]\nsort = 3\n\
            [profiles.a]\nroute_url = 1\nkey = \"secret\"\n[profiles.sandbox]\n";
        assert_eq!(
            mistakes(text),
            [
                "c:1:19: no profile named 'b'; available: sandbox, vast, a",
                "c:2:1: unknown field `them`, did you mean `theme`? Known: `default_profile`, `theme`, `ascii`, `mouse`, `notifications`, `alert_command`, `throughput`, `watch`, `display`, `limits`, `models`, `keys`, `commands`, `profiles`",
                "c:3:9: invalid type: string, expected true or false",
                "c:5:8: 'pink' is not a theme: use one of 'auto', 'dark', 'light', 'high-contrast', 'ansi', 'none'",
                "c:7:8: invalid type: integer, expected a key such as \"R\" or a list such as [\"R\", \"f5\"]",
                "c:8:11: the profile 'a' needs a base_url",
                "c:9:13: invalid type: integer, expected a string",
                "c:10:1: unknown field `key`, expected one of `base_url`, `route_url`, `dialect`, `api_key_file`, `api_key_command`, `read_only`, `worker_ca`",
                "c:11:11: 'sandbox' is the built-in sandbox and takes no settings; choose another name",
            ]
        );
    }

    #[test]
    fn a_line_that_is_no_toml_hides_no_other_mistake() {
        let text = "ascii = yes\ntheme = \"pink\"\n[profiles.a\n[keys]\nsort = 4\n";
        let messages = mistakes(text);
        let positions: Vec<_> = messages
            .iter()
            .map(|mistake| mistake.split(": ").next().unwrap())
            .collect();
        assert_eq!(positions, ["c:1:9", "c:2:9", "c:3:12", "c:5:8"], "{messages:#?}");
        assert!(!messages.iter().any(|mistake| mistake.contains('\n')), "{messages:#?}");
    }

    #[test]
    fn columns_are_characters() {
        assert_eq!(
            mistakes("# ü\ntheme = { \"ä\" = 1, b = 2 }"),
            [
                "c:2:11: unknown field `ä`, expected one of `name`, `colors`",
                "c:2:20: unknown field `b`, expected one of `name`, `colors`",
            ]
        );
    }

    #[test]
    fn a_new_base_address_takes_its_own_route() {
        let config = parse("[profiles.vast]\nbase_url = \"https://mirror.example\"").unwrap();
        assert_eq!(config.profile("vast").unwrap().route_url, None);
    }

    #[test]
    fn recorded_rows_are_on_unless_they_are_turned_off() {
        assert!(parse("").unwrap().values.recorded_rows);
        let config = parse("[display]\nrecorded_rows = false\n").unwrap();
        assert!(!config.values.recorded_rows);
        assert!(config.dropped.is_empty());
    }

    #[test]
    fn the_pace_of_watched_searches_is_read_and_its_mistakes_are_placed() {
        let config = parse("[watch]\nrequests_per_minute = 4\nevery = \"2m\"\n").unwrap();
        assert_eq!(config.values.requests_a_minute, 4);
        assert_eq!(config.values.interval, 120);
        let text = "[watch]\nrequests_per_minute = 0\nevery = \"5s\"\nfast = true\n";
        assert_eq!(
            mistakes(text),
            [
                "c:2:23: invalid type: integer, expected a number from 1 to 60",
                "c:3:9: Out of range: 10 to 86,400 s",
                "c:4:1: unknown field `fast`, expected one of `requests_per_minute`, `every`, `supply`",
            ]
        );
    }

    #[test]
    fn limits_are_dollars_and_their_mistakes_are_placed() {
        let config = parse("[limits]\ngroup_hourly = 12\nbill = 1_000\nhourly = 0.45\n").unwrap();
        let limits = config.values.limits();
        let amounts = [limits.group_hourly, limits.bill, limits.hourly].map(|limit| limit.unwrap().amount());
        assert_eq!(amounts.map(|amount| amount.to_string()), ["12", "1000", "0.45"]);
        assert_eq!(parse("").unwrap().values.limits(), Limits::default());
        let text = "[limits]\ngroup_hourly = \"5\"\nbill = 0\nhourly = inf\ngroup = 1\n";
        assert_eq!(
            mistakes(text),
            [
                "c:2:16: invalid type: string, expected an amount of dollars such as 2.5",
                "c:3:8: must be an amount of dollars above 0, such as 2.5",
                "c:4:10: must be an amount of dollars above 0, such as 2.5",
                "c:5:1: unknown field `group`, expected one of `group_hourly`, `bill`, `hourly`",
            ]
        );
    }

    #[test]
    fn sizes_of_models_are_read_for_all_and_by_name() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let all = parse("[models]\nsize = \"40 GB\"\n").unwrap().values;
        assert_eq!(all.model_sizes.size(&names(&["chat"])), Some(40.0));
        assert_eq!((all.loading, all.starts), (120, 24));
        let text = "[models]\nloading = \"5m\"\nstarts = 10\n[models.size]\ndefault = \"20GB\"\nchat = \"1.5TB\"\n";
        let by_name = parse(text).unwrap().values;
        assert_eq!(by_name.model_sizes.size(&names(&["x", "chat"])), Some(1500.0));
        assert_eq!(by_name.model_sizes.size(&names(&["sdxl"])), Some(20.0));
        assert_eq!((by_name.loading, by_name.starts), (300, 10));
        assert_eq!(parse("").unwrap().values.model_sizes.size(&names(&["chat"])), None);
        assert_eq!(
            mistakes("[models]\nsize = 40\nstarts = 0\n[models.size]\nchat = \"big\"\n").len(),
            3
        );
    }

    #[test]
    fn throughput_is_read_and_its_mistakes_are_placed() {
        let text = "[throughput.\"tokens/s\"]\n\"RTX 4090\" = 2_900\nH100 = 1.5e4\n\
                    A40 = 0\nL4 = \"fast\"\n[throughput.\"frames/s\"]\nL4 = 3\n";
        let (config, mistakes) = reader::read(text, None);
        assert_eq!(config.values.throughput.model_count(WorkUnit::Tokens), 2);
        let mistakes: Vec<String> = mistakes
            .iter()
            .map(|error| format!("{}: {}", error.position, error.message))
            .collect();
        assert_eq!(
            mistakes,
            [
                "4:7: A40: must be a number of tokens/s above 0",
                "5:6: invalid type: string, expected a number such as 2900",
                "6:13: 'frames/s' is not a unit of work: use one of 'tokens/s', 'images/s', 'steps/s'",
            ]
        );
    }
}

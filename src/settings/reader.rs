//! Reads a configuration setting by setting, so that every mistake in it is found at once: serde
//! would stop at the first.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::appearance::{Entry, Notifications, Theme};
use super::config::{CUSTOM, Config, Place, Profile, SANDBOX, VAST};
use super::themes;
use crate::domain::Dialect;
use crate::domain::quantity::{self, Quantity};
use crate::domain::throughput::WorkUnit;
use crate::domain::watching::Watching;
use crate::store::keys;

/// A mistake in the file.
pub(super) struct Mistake {
    pub(super) place: Place,
    pub(super) message: String,
    /// Whether only the setting itself is dropped. A market must not be contacted, nor a key sent,
    /// with half of its settings; a wrong key binding or a setting of another version harms nothing.
    pub(super) is_local: bool,
}

type Value<'a> = Spanned<DeValue<'a>>;
type Name<'a> = Spanned<DeString<'a>>;

struct Reader<'a> {
    text: &'a str,
    folder: Option<&'a Path>,
    mistakes: Vec<Mistake>,
    config: Config,
}

/// The valid settings of a text, and all mistakes in the order of the file. Relative paths are
/// resolved against `folder`.
pub(super) fn read(text: &str, folder: Option<&Path>) -> (Config, Vec<Mistake>) {
    // A byte order mark takes no column in an editor.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader {
        text,
        folder,
        mistakes: Vec::new(),
        config: Config::default(),
    };
    for error in &errors {
        let at = error.span().unwrap_or(0..0);
        reader.wrong(&at, one_line(error.message()));
    }
    let broken: Vec<usize> = reader.mistakes.iter().map(|own| own.place.line).collect();
    reader.root(root.get_ref());
    // The rest of a line that is not TOML is not checked.
    let syntax = broken.len();
    let mut place = 0;
    reader.mistakes.retain(|own| {
        place += 1;
        place <= syntax || !broken.contains(&own.place.line)
    });
    reader.mistakes.sort_by_key(|own| own.place);
    (reader.config, reader.mistakes)
}

impl<'a> Reader<'a> {
    fn wrong(&mut self, at: &Range<usize>, message: impl Into<String>) {
        self.mistakes.push(Mistake {
            place: Place::of(self.text, at.start),
            message: message.into(),
            is_local: false,
        });
    }

    fn unknown(&mut self, name: &Name<'_>, known: &[&str]) {
        let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        let message = format!(
            "unknown field `{}`, expected one of {}",
            name.get_ref(),
            known.join(", ")
        );
        self.wrong(&name.span(), message);
    }

    /// A setting outside of profiles that does not exist: one that a later version has removed, too.
    fn unknown_setting(&mut self, name: &Name<'_>, known: &[&str]) {
        self.unknown(name, known);
        if let Some(mistake) = self.mistakes.last_mut() {
            mistake.is_local = true;
        }
    }

    /// The value has the wrong type. The value itself is not quoted: it may be a secret.
    fn mistyped(&mut self, value: &Value<'_>, wanted: &str) {
        let found = value.get_ref().type_str();
        let message = format!("invalid type: {found}, expected {wanted}");
        self.wrong(&value.span(), message);
    }

    fn string(&mut self, value: &Value<'_>) -> Option<Spanned<String>> {
        let text = value.get_ref().as_str();
        if text.is_none() {
            self.mistyped(value, "a string");
        }
        text.map(|text| Spanned::new(value.span(), text.to_owned()))
    }

    fn flag(&mut self, value: &Value<'_>) -> Option<bool> {
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.mistyped(value, "true or false");
        }
        flag
    }

    fn table<'t>(&mut self, value: &'t Value<'a>) -> Option<&'t DeTable<'a>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.mistyped(value, "a table");
        }
        table
    }

    fn root(&mut self, root: &DeTable<'a>) {
        let mut default_profile = None;
        let mut declared = Vec::new();
        for (name, value) in root {
            match name.get_ref().as_ref() {
                "default_profile" => default_profile = self.string(value),
                "theme" => self.theme(value),
                "ascii" => self.config.ascii = self.flag(value),
                "mouse" => self.config.mouse = self.flag(value),
                "notifications" => {
                    if let Some(word) = self.string(value)
                        && let Some(choice) = self.one_of("choice for notifications", &word, Notifications::ALL)
                    {
                        self.config.notifications = choice;
                    }
                }
                "alert_command" => self.alert_command(value),
                "throughput" => self.throughput(value),
                "watch" => self.watch(value),
                "keys" => self.keys(value),
                "profiles" => {
                    for (name, profile) in self.table(value).into_iter().flatten() {
                        declared.push(name.get_ref().to_string());
                        self.profile(name, profile);
                    }
                }
                _ => self.unknown_setting(
                    name,
                    &[
                        "default_profile",
                        "theme",
                        "ascii",
                        "mouse",
                        "notifications",
                        "alert_command",
                        "throughput",
                        "watch",
                        "keys",
                        "profiles",
                    ],
                ),
            }
        }
        if let Some(name) = default_profile {
            let is_known = self.config.profile(name.get_ref()).is_some()
                // Its own mistakes are reported already.
                || declared.contains(name.get_ref());
            if is_known {
                self.config.default_profile = Some(name.into_inner());
            } else {
                let known = self.config.names().join(", ");
                let message = format!("no profile named '{}'; available: {known}", name.get_ref());
                self.wrong(&name.span(), message);
            }
        }
    }

    /// A theme's name, or a table with a name and colours.
    fn theme(&mut self, value: &Value<'a>) {
        let DeValue::Table(table) = value.get_ref() else {
            if value.get_ref().is_str() {
                self.theme_name(value);
            } else {
                self.mistyped(value, "a theme's name, or a table with `name` and `colors`");
            }
            return;
        };
        for (name, value) in table {
            match name.get_ref().as_ref() {
                "name" => self.theme_name(value),
                "colors" => {
                    for (name, color) in self.table(value).into_iter().flatten() {
                        if let Some(color) = self.string(color) {
                            let entry = self.entry(name, &color.span(), color.into_inner());
                            self.config.colors.push(entry);
                        }
                    }
                }
                _ => self.unknown_setting(name, &["name", "colors"]),
            }
        }
        self.config.colors.sort_by_key(|entry| entry.place);
    }

    fn theme_name(&mut self, value: &Value<'_>) {
        let Some(name) = self.string(value) else {
            return;
        };
        let own = |folder| themes::exists(folder, name.get_ref());
        if self.folder.is_some_and(own) {
            self.config.theme_file = Some(name.into_inner());
        } else if let Some(theme) = self.one_of("theme", &name, Theme::ALL) {
            self.config.theme = theme;
        }
    }

    /// What runs when an alert rings.
    fn alert_command(&mut self, value: &Value<'a>) {
        if let Some(command) = self.string(value) {
            match keys::command_words(command.get_ref()) {
                Ok(_) => self.config.alert_command = Some(command.into_inner()),
                Err(error) => self.wrong(&value.span(), format!("alert_command: {error}")),
            }
        }
    }

    /// How often watched searches are refreshed.
    fn watch(&mut self, value: &Value<'a>) {
        for (name, value) in self.table(value).into_iter().flatten() {
            match name.get_ref().as_ref() {
                "requests_per_minute" => {
                    let number = value.get_ref().as_integer();
                    let number = number.and_then(|number| number.to_string().parse().ok());
                    match number {
                        Some(number @ 1..=Watching::MOST) => {
                            self.config.watch.requests_a_minute = number;
                        }
                        _ => self.mistyped(value, "a number from 1 to 60"),
                    }
                }
                "every" => {
                    let seconds = self
                        .string(value)
                        .map(|text| quantity::within(text.get_ref(), Quantity::Seconds, 10.0..=86_400.0));
                    match seconds {
                        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                        Some(Ok(seconds)) => self.config.watch.interval = seconds as u32,
                        Some(Err(why)) => self.wrong(&value.span(), why),
                        None => {}
                    }
                }
                _ => self.unknown_setting(name, &["requests_per_minute", "every"]),
            }
        }
    }

    /// Rates by unit and GPU model. A wrong one is dropped on its own.
    fn throughput(&mut self, value: &Value<'a>) {
        let before = self.mistakes.len();
        for (name, models) in self.table(value).into_iter().flatten() {
            let word = Spanned::new(name.span(), name.get_ref().to_string());
            let units = WorkUnit::ALL.map(|unit| (unit.rate(), unit));
            let Some(unit) = self.one_of("unit of work", &word, units) else {
                continue;
            };
            for (model, rate) in self.table(models).into_iter().flatten() {
                let text = match rate.get_ref() {
                    DeValue::Integer(rate) => rate.to_string(),
                    DeValue::Float(rate) => rate.to_string(),
                    DeValue::String(_)
                    | DeValue::Boolean(_)
                    | DeValue::Datetime(_)
                    | DeValue::Array(_)
                    | DeValue::Table(_) => {
                        self.mistyped(rate, "a number such as 2900");
                        continue;
                    }
                };
                let number = text.replace('_', "").parse().unwrap_or(f64::NAN);
                let set = self.config.throughput.set(unit, model.get_ref(), number);
                if let Err(why) = set {
                    self.wrong(&rate.span(), format!("{}: {why}", model.get_ref()));
                }
            }
        }
        for mistake in self.mistakes.iter_mut().skip(before) {
            mistake.is_local = true;
        }
    }

    /// Key bindings: one key for an action, or several.
    fn keys(&mut self, value: &Value<'a>) {
        let before = self.mistakes.len();
        for (name, value) in self.table(value).into_iter().flatten() {
            let keys = match value.get_ref() {
                DeValue::String(key) => Some(vec![key.to_string()]),
                DeValue::Array(list) => {
                    let keys: Vec<_> = list
                        .iter()
                        .filter_map(|key| self.string(key).map(Spanned::into_inner))
                        .collect();
                    // An empty list unbinds the action, but only if it was written as empty.
                    (!keys.is_empty() || list.is_empty()).then_some(keys)
                }
                _ => {
                    let wanted = "a key such as \"R\" or a list such as [\"R\", \"f5\"]";
                    self.mistyped(value, wanted);
                    None
                }
            };
            if let Some(keys) = keys {
                let entry = self.entry(name, &value.span(), keys);
                self.config.keys.push(entry);
            }
        }
        self.config.keys.sort_by_key(|entry| entry.place);
        for mistake in self.mistakes.iter_mut().skip(before) {
            mistake.is_local = true;
        }
    }

    fn entry<T>(&self, name: &Name<'_>, at: &Range<usize>, value: T) -> Entry<T> {
        Entry {
            name: name.get_ref().to_string(),
            value,
            place: Place::of(self.text, at.start),
        }
    }

    fn profile(&mut self, name: &Name<'a>, value: &Value<'a>) {
        let before = self.mistakes.len();
        let Some(settings) = self.table(value) else {
            return;
        };
        let own = name.get_ref().as_ref();
        let profile = match own {
            SANDBOX => {
                let why = "'sandbox' is the built-in sandbox and takes no settings; choose another name";
                return self.wrong(&name.span(), why);
            }
            CUSTOM => {
                let why = "'custom' is reserved for --base-url without a profile; choose another name";
                return self.wrong(&name.span(), why);
            }
            VAST => Profile::vast(),
            _ => Profile::bare(own, &Dialect::DOCUMENTED),
        };
        let profile = self.settings(own, profile, settings);
        if own != VAST && !settings.iter().any(|(own, _)| own.get_ref() == "base_url") {
            self.wrong(&name.span(), format!("the profile '{own}' needs a base_url"));
        }
        if profile.api_key_file.is_some() && profile.api_key_command.is_some() {
            let why = format!("the profile '{own}' has an api_key_file and an api_key_command: choose one");
            self.wrong(&name.span(), why);
        }
        if self.mistakes.len() == before {
            self.config.profiles.insert(own.to_owned(), profile);
        }
    }

    /// The profile `own` with these settings.
    fn settings(&mut self, own: &str, mut profile: Profile, settings: &DeTable<'a>) -> Profile {
        let mut texts: BTreeMap<&str, String> = BTreeMap::new();
        for (setting, value) in settings {
            let key = setting.get_ref().as_ref();
            match key {
                "dialect" => {
                    let known = Dialect::ALL.map(|dialect| (dialect.name, dialect));
                    if let Some(word) = self.string(value)
                        && let Some(dialect) = self.one_of("dialect", &word, known)
                    {
                        profile.dialect = dialect;
                    }
                }
                "read_only" => profile.read_only = self.flag(value).unwrap_or(true),
                "base_url" | "route_url" | "api_key_file" | "api_key_command" => {
                    if let Some(text) = self.string(value) {
                        let place = Place::of(self.text, text.span().start);
                        self.config.places.insert((own.to_owned(), key.to_owned()), place);
                        texts.insert(key, text.into_inner());
                    }
                }
                _ => self.unknown(
                    setting,
                    &[
                        "base_url",
                        "route_url",
                        "dialect",
                        "api_key_file",
                        "api_key_command",
                        "read_only",
                    ],
                ),
            }
        }
        if let Some(base) = texts.remove("base_url") {
            // The route address of the old base does not belong to the new one.
            profile.base_url = Some(base);
            profile.route_url = None;
        }
        profile.route_url = texts.remove("route_url").or(profile.route_url);
        profile.api_key_file = texts
            .remove("api_key_file")
            .map(|path| resolved(path.into(), self.folder));
        profile.api_key_command = texts.remove("api_key_command");
        profile
    }

    /// The choice with that name; otherwise `None` and a mistake that lists all choices.
    fn one_of<T: Copy, const N: usize>(
        &mut self,
        what: &str,
        word: &Spanned<String>,
        choices: [(&str, T); N],
    ) -> Option<T> {
        let found = choices.iter().find(|(name, _)| name == word.get_ref());
        if found.is_none() {
            let names = choices.map(|(name, _)| format!("'{name}'")).join(", ");
            let message = format!("'{}' is not a {what}: use one of {names}", word.get_ref());
            self.wrong(&word.span(), message);
        }
        found.map(|(_, choice)| *choice)
    }
}

/// A path with `~/` for the home folder; a relative one is resolved against the configuration's
/// folder.
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

fn one_line(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(str::trim).collect();
    lines.join("; ")
}

//! Reads a configuration setting by setting, to find all its mistakes at once.
//!
//! serde would stop at the first.

use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::appearance::{Entry, ThemeSource};
use super::config::{CUSTOM, Config, Position, Profile, SANDBOX, VAST};
use super::table::{PROFILE, SETTINGS};
use super::{NamedCommand, themes};
use crate::api::Origin;
use crate::domain::catalog::closest;
use crate::domain::cost::ModelSizes;
use crate::domain::limits::Dollars;
use crate::domain::quantity::{self, Quantity};
use crate::domain::throughput::{Throughput, WorkUnit};
use crate::domain::{Dialect, Resource};
use crate::keys::commands::{Piece, UserCommand, command_chord, pieces};
use crate::tui::appearance::Choice;

/// A mistake in the file.
pub(super) struct Mistake {
    pub(super) position: Position,
    pub(super) message: String,
    /// Whether only the setting itself is dropped: a key binding or a colour.
    ///
    /// Any other mistake may be a misspelled market, and no market is contacted with half of its
    /// settings.
    pub(super) is_local: bool,
}

pub(super) type Value<'a> = Spanned<DeValue<'a>>;
type Name<'a> = Spanned<DeString<'a>>;

pub(super) struct Reader<'a> {
    text: &'a str,
    folder: Option<&'a Path>,
    mistakes: Vec<Mistake>,
    pub(super) config: Config,
}

/// The valid settings of a TOML text, and all mistakes in the order of the file; a line that is no TOML is
/// not checked further. Relative paths are resolved against `folder`.
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
    let broken: Vec<usize> = reader.mistakes.iter().map(|mistake| mistake.position.line).collect();
    // First, so that every mistake found later can say where it is.
    reader.positions(root.get_ref(), "");
    reader.section(root.get_ref(), "");
    reader.default_profile(root.get_ref());
    // The rest of a line that is not TOML is not checked.
    let syntax = broken.len();
    let mut index = 0;
    reader.mistakes.retain(|mistake| {
        index += 1;
        index <= syntax || !broken.contains(&mistake.position.line)
    });
    reader.mistakes.sort_by_key(|mistake| mistake.position);
    (reader.config, reader.mistakes)
}

impl Reader<'_> {
    /// Reports a mistake at the start of the bytes `at` of the text.
    fn wrong(&mut self, at: &Range<usize>, message: impl Into<String>) {
        self.wrong_at(Position::at_offset(self.text, at.start), message.into());
    }

    /// Reports a mistake at a position, which keeps the file from being used unless `locally` marks it as
    /// local.
    fn wrong_at(&mut self, position: Position, message: String) {
        self.mistakes.push(Mistake {
            position,
            message,
            is_local: false,
        });
    }

    /// Runs `read` and marks its mistakes as local: only their settings are dropped.
    fn locally<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.mistakes.len();
        let value = read(self);
        for mistake in self.mistakes.iter_mut().skip(before) {
            mistake.is_local = true;
        }
        value
    }

    /// Reports a setting with an unknown name, with the closest of the `known` ones.
    fn unknown(&mut self, name: &Name<'_>, known: &[&str]) {
        let all: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        let all = all.join(", ");
        let typed = name.get_ref().as_ref();
        let message = match closest(typed, known.iter().copied()) {
            Some(meant) => format!("unknown field `{typed}`, did you mean `{meant}`? Known: {all}"),
            None => format!("unknown field `{typed}`, expected one of {all}"),
        };
        self.wrong(&name.span(), message);
    }

    /// Reports that the value has the wrong type.
    ///
    /// The value is not quoted, as it may be a secret.
    fn mistyped(&mut self, value: &Value<'_>, wanted: &str) {
        let kind = value.get_ref().type_str();
        let message = format!("invalid type: {kind}, expected {wanted}");
        self.wrong(&value.span(), message);
    }

    /// Returns `read`; if it is `None`, reports that the value is not of the type that `wanted` describes.
    fn typed<T>(&mut self, value: &Value<'_>, read: Option<T>, wanted: &str) -> Option<T> {
        if read.is_none() {
            self.mistyped(value, wanted);
        }
        read
    }

    /// Reads a string; `None`, with a report, for another type.
    pub(super) fn string(&mut self, value: &Value<'_>) -> Option<String> {
        self.typed(value, value.get_ref().as_str().map(str::to_owned), "a string")
    }

    /// Reads a boolean; `None`, with a report, for another type.
    pub(super) fn flag(&mut self, value: &Value<'_>) -> Option<bool> {
        self.typed(value, value.get_ref().as_bool(), "true or false")
    }

    /// Reads a whole number in `range`; `None`, with a report, otherwise.
    pub(super) fn number(&mut self, value: &Value<'_>, range: RangeInclusive<u32>) -> Option<u32> {
        let number = value.get_ref().as_integer();
        let parsed = number.and_then(|number| number.to_string().parse().ok());
        let number = parsed.filter(|number| range.contains(number));
        let wanted = format!("a number from {} to {}", range.start(), range.end());
        self.typed(value, number, &wanted)
    }

    /// Reads an amount of dollars from a number; `None`, with a report, if it is no valid amount.
    pub(super) fn dollars(&mut self, value: &Value<'_>) -> Option<Dollars> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            _ => return self.typed(value, None, "an amount of dollars such as 2.5"),
        };
        let amount = Dollars::new(text.replace('_', "").parse().unwrap_or(f64::NAN));
        amount
            .map_err(|error| self.wrong(&value.span(), error.to_string()))
            .ok()
    }

    /// Reads model sizes in GB: one for all, or a table by name, whose invalid ones are reported and left
    /// out. `None`, with a report, if the one for all is invalid; no sizes for another type.
    pub(super) fn sizes(&mut self, value: &Value<'_>) -> Option<ModelSizes> {
        let mut sizes = ModelSizes::default();
        let read = |reader: &mut Self, value: &Value<'_>| {
            reader.parsed(value, |text| {
                quantity::within(text, Quantity::Gigabytes, 0.001..=100_000.0)
            })
        };
        if let Some(table) = value.get_ref().as_table() {
            for (name, size) in table {
                if let Some(gb) = read(self, size) {
                    sizes.set(name.get_ref(), gb);
                }
            }
        } else if value.get_ref().is_str() {
            sizes.set(ModelSizes::DEFAULT, read(self, value)?);
        } else {
            self.mistyped(value, "a size such as \"40 GB\", or a table of sizes by name");
        }
        Some(sizes)
    }

    /// Reads a string with `parse`; `None`, with its error reported, if that fails.
    pub(super) fn parsed<T, E: fmt::Display>(
        &mut self,
        value: &Value<'_>,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Option<T> {
        let parsed = parse(&self.string(value)?);
        parsed
            .map_err(|error| self.wrong(&value.span(), error.to_string()))
            .ok()
    }

    /// Reads a market's address, with the scheme that it may lack; `None` for an invalid one, which is
    /// reported without quoting it, as it may hold a password. `setting` is its name in the report.
    pub(super) fn address(&mut self, value: &Value<'_>, setting: &str) -> Option<String> {
        self.parsed(value, |text| match Origin::parse(&Origin::complete(text)) {
            Ok(_) => Ok(Origin::complete(text)),
            Err(why) => Err(format!("{setting}: {why}")),
        })
    }

    /// Reads a time such as `2m` as whole seconds, rounded down; `None`, with a report, outside `range`.
    pub(super) fn seconds(&mut self, value: &Value<'_>, range: RangeInclusive<f64>) -> Option<u32> {
        let seconds = self.parsed(value, |text| quantity::within(text, Quantity::Seconds, range));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        seconds.map(|seconds| seconds as u32)
    }

    /// Reads a path, with `~/` for the home folder; a relative one is resolved against the configuration's
    /// folder. It need not exist. `None`, with a report, if it is no string.
    pub(super) fn path(&mut self, value: &Value<'_>) -> Option<PathBuf> {
        let path = PathBuf::from(self.string(value)?);
        if let Ok(rest) = path.strip_prefix("~")
            && let Ok(home) = etcetera::home_dir()
        {
            return Some(home.join(rest));
        }
        Some(match self.folder {
            Some(folder) if path.is_relative() => folder.join(path),
            _ => path,
        })
    }

    /// Reads a table; `None`, with a report, for another type.
    fn table<'t, 'v>(&mut self, value: &'t Value<'v>) -> Option<&'t DeTable<'v>> {
        self.typed(value, value.get_ref().as_table(), "a table")
    }

    /// Records the position of every setting, by its dotted name, and of every section that has settings.
    fn positions(&mut self, table: &DeTable<'_>, above: &str) {
        for (key, value) in table {
            let name = format!("{above}{}", key.get_ref());
            if let DeValue::Table(inner) = value.get_ref() {
                let before = self.config.positions.len();
                self.positions(inner, &format!("{name}."));
                if self.config.positions.len() == before {
                    continue;
                }
            }
            let position = Position::at_offset(self.text, value.span().start);
            self.config.positions.insert(name, position);
        }
    }

    /// Reads the settings of a table; `above` is its dotted name with a dot at its end, empty for the root.
    fn section(&mut self, table: &DeTable<'_>, above: &str) {
        let inside = SETTINGS.iter().filter_map(|setting| setting.name.strip_prefix(above));
        let mut known: Vec<_> = inside.filter_map(|name| name.split('.').next()).collect();
        if above.is_empty() {
            known.push("profiles");
        }
        known.dedup();
        for (key, value) in table {
            let name = format!("{above}{}", key.get_ref());
            let mut settings = SETTINGS.iter();
            if let Some(setting) = settings.find(|setting| setting.name == name) {
                (setting.read)(self, value);
            } else if !known.contains(&key.get_ref().as_ref()) {
                // It may be a misspelled `default_profile`.
                self.unknown(key, &known);
            } else if name == "profiles" {
                for (name, profile) in self.table(value).into_iter().flatten() {
                    self.profile(name, profile);
                }
            } else if name == "theme" && !value.get_ref().is_table() {
                let wanted = "a theme's name, or a table with `name` and `colors`";
                let name = self.typed(value, value.get_ref().as_str(), wanted);
                if let Some(theme) = name.and_then(|_| self.theme(value)) {
                    self.config.values.theme = theme;
                }
            } else if let Some(inner) = self.table(value) {
                self.section(inner, &format!("{name}."));
            }
        }
    }

    /// Reports and drops a default profile that does not exist.
    ///
    /// A profile with mistakes of its own counts, as they are reported already.
    fn default_profile(&mut self, root: &DeTable<'_>) {
        let config = &mut self.config;
        let Some(name) = config.values.default_profile.take() else {
            return;
        };
        let declared = root.get("profiles").and_then(|all| all.get_ref().as_table());
        if declared.is_some_and(|all| all.contains_key(name.as_str())) || config.profile(&name).is_some() {
            config.values.default_profile = Some(name);
            return;
        }
        let position = config.position("default_profile").unwrap_or_default();
        let known = config.profile_names().join(", ");
        self.wrong_at(position, format!("no profile named '{name}'; available: {known}"));
    }

    /// Reads a theme's name: that of a file of the user's, else a built-in one; `None`, with a report, if
    /// there is neither.
    pub(super) fn theme(&mut self, value: &Value<'_>) -> Option<ThemeSource> {
        let folder = self.folder;
        self.parsed(value, |name| {
            if folder.is_some_and(|folder| themes::exists(folder, name)) {
                return Ok(ThemeSource::File(name.to_owned()));
            }
            one_of("theme", name, Choice::ALL).map(ThemeSource::BuiltIn)
        })
    }

    /// Reads colors by role, in the order of the file; only types are checked. `None` if they are no table.
    pub(super) fn colors(&mut self, value: &Value<'_>) -> Option<Vec<Entry<String>>> {
        self.locally(|reader| {
            let mut colors = Vec::new();
            for (name, color) in reader.table(value)? {
                let text = reader.string(color);
                colors.extend(text.map(|text| reader.entry(name, color, text)));
            }
            colors.sort_by_key(|entry| entry.position);
            Some(colors)
        })
    }

    /// Reads a table of units of work per second, by unit and GPU model; invalid ones are reported and left
    /// out. `None`, with a report, for another type.
    pub(super) fn throughput(&mut self, value: &Value<'_>) -> Option<Throughput> {
        let mut throughput = Throughput::default();
        for (name, models) in self.table(value)? {
            let units = WorkUnit::ALL.map(|unit| (unit.rate(), unit));
            match one_of("unit of work", name.get_ref(), units) {
                Ok(unit) => self.rates(&mut throughput, unit, models),
                Err(error) => self.wrong(&name.span(), error.to_string()),
            }
        }
        Some(throughput)
    }

    /// Reads the rates of a unit by GPU model into `throughput`; invalid ones are reported and left out.
    fn rates(&mut self, throughput: &mut Throughput, unit: WorkUnit, models: &Value<'_>) {
        for (model, rate) in self.table(models).into_iter().flatten() {
            let text = match rate.get_ref() {
                DeValue::Integer(rate) => rate.to_string(),
                DeValue::Float(rate) => rate.to_string(),
                _ => {
                    self.mistyped(rate, "a number such as 2900");
                    continue;
                }
            };
            let number = text.replace('_', "").parse().unwrap_or(f64::NAN);
            if let Err(why) = throughput.set(unit, model.get_ref(), number) {
                self.wrong(&rate.span(), format!("{}: {why}", model.get_ref()));
            }
        }
    }

    /// Reads key bindings in the file's order: one key or several each, an empty list to unbind. Names are not
    /// checked; keys that are no strings are dropped and reported, as are bindings left without any. `None`,
    /// reported too, if they are no table.
    pub(super) fn keys(&mut self, value: &Value<'_>) -> Option<Vec<Entry<Vec<String>>>> {
        self.locally(|reader| {
            let mut bindings = Vec::new();
            for (name, value) in reader.table(value)? {
                let keys = match value.get_ref() {
                    DeValue::String(key) => Some(vec![key.to_string()]),
                    DeValue::Array(list) => {
                        let keys: Vec<_> = list.iter().filter_map(|key| reader.string(key)).collect();
                        // An empty list unbinds the action, but only if it was written as empty.
                        (!keys.is_empty() || list.is_empty()).then_some(keys)
                    }
                    _ => reader.typed(value, None, "a key such as \"R\" or a list such as [\"R\", \"f5\"]"),
                };
                bindings.extend(keys.map(|keys| reader.entry(name, value, keys)));
            }
            bindings.sort_by_key(|entry| entry.position);
            Some(bindings)
        })
    }

    /// Reads the user's commands, in the order of the file, without those with any mistake; `None` if they
    /// are no table.
    pub(super) fn commands(&mut self, value: &Value<'_>) -> Option<Vec<NamedCommand>> {
        self.locally(|reader| {
            let mut commands = Vec::new();
            for (name, value) in reader.table(value)? {
                let before = reader.mistakes.len();
                let command = reader.command(name, value).filter(|_| reader.mistakes.len() == before);
                commands.extend(command.map(|command| reader.entry(name, value, command)));
            }
            commands.sort_by_key(|entry| entry.position);
            Some(commands)
        })
    }

    /// Reads a command of the user's, by default for offers and without asking first. `None`, with reports, if
    /// `key` or `run` is missing, `run` is no list of texts, or another value is invalid. With unknown settings
    /// and faults in the words of `run`, which are reported, it is returned: the caller drops it then.
    fn command(&mut self, name: &Name<'_>, value: &Value<'_>) -> Option<UserCommand> {
        const KNOWN: [&str; 4] = ["key", "run", "on", "confirm"];
        let settings = self.table(value)?;
        for (key, _) in settings {
            if !KNOWN.contains(&key.get_ref().as_ref()) {
                self.unknown(key, &KNOWN);
            }
        }
        let on = match settings.get("on") {
            None => Some(Resource::Offers),
            Some(on) => {
                let kinds = Resource::ALL.map(|resource| (kind_of_row(resource), resource));
                self.parsed(on, |word| one_of("kind of row", word, kinds))
            }
        };
        let confirm = match settings.get("confirm") {
            None => Some(false),
            Some(confirm) => self.flag(confirm),
        };
        let (Some(key), Some(run)) = (settings.get("key"), settings.get("run")) else {
            let command = name.get_ref();
            self.wrong(&name.span(), format!("the command '{command}' needs a key and a run"));
            return None;
        };
        let chord = self.parsed(key, command_chord);
        let (on, confirm, run) = (on?, confirm?, self.words(run, on?)?);
        Some(UserCommand {
            chord: chord?,
            run,
            on,
            confirm,
        })
    }

    /// Reads a program and its arguments; `None`, with a report, if they are no list of strings. A missing
    /// program, a field in the program and invalid fields in braces are reported only.
    fn words(&mut self, value: &Value<'_>, on: Resource) -> Option<Vec<String>> {
        let wanted = "a list of a program and its arguments, such as [\"vastai\", \"show\", \"{id}\"]";
        let list = self.typed(value, value.get_ref().as_array(), wanted)?;
        let mut words = Vec::new();
        for (index, item) in list.iter().enumerate() {
            let word = self.string(item)?;
            match pieces(&word, on) {
                Ok(pieces) if index == 0 && pieces.iter().any(|piece| matches!(piece, Piece::Field(_))) => {
                    self.wrong(&item.span(), "the program cannot come from a row");
                }
                Ok(_) => {}
                Err(why) => self.wrong(&item.span(), why.to_string()),
            }
            words.push(word);
        }
        if words.first().is_none_or(String::is_empty) {
            self.wrong(&value.span(), "run names no program");
        }
        Some(words)
    }

    /// A named value with the position of `at` in the file.
    fn entry<T>(&self, name: &Name<'_>, at: &Value<'_>, value: T) -> Entry<T> {
        Entry {
            name: name.get_ref().to_string(),
            value,
            position: Position::at_offset(self.text, at.span().start),
        }
    }

    /// Reads a profile into the configuration, even with mistakes, which are reported: among them a missing
    /// `base_url` and two sources of the key. The reserved names `sandbox` and `custom` are reported only.
    fn profile(&mut self, name: &Name<'_>, value: &Value<'_>) {
        let Some(settings) = self.table(value) else {
            return;
        };
        let profile_name = name.get_ref().as_ref();
        let mut profile = match profile_name {
            SANDBOX => {
                let why = "'sandbox' is the built-in sandbox and takes no settings; choose another name";
                return self.wrong(&name.span(), why);
            }
            CUSTOM => {
                let why = "'custom' is reserved for --base-url without a profile; choose another name";
                return self.wrong(&name.span(), why);
            }
            VAST => Profile::vast(),
            _ => Profile::bare(profile_name, &Dialect::DOCUMENTED),
        };
        for (name, _, read) in PROFILE {
            if let Some(value) = settings.get(*name) {
                read(&mut profile, value, self);
            }
        }
        let known: Vec<_> = PROFILE.iter().map(|(name, ..)| *name).collect();
        for (key, _) in settings {
            if !known.contains(&key.get_ref().as_ref()) {
                self.unknown(key, &known);
            }
        }
        if profile_name != VAST && settings.get("base_url").is_none() {
            self.wrong(&name.span(), format!("the profile '{profile_name}' needs a base_url"));
        }
        if profile.api_key_file.is_some() && profile.api_key_command.is_some() {
            let why = format!("the profile '{profile_name}' has an api_key_file and an api_key_command: choose one");
            self.wrong(&name.span(), why);
        }
        // Also with mistakes, so that the rest of it is checked: they keep the file from being used.
        self.config.profiles.insert(profile_name.to_owned(), profile);
    }
}

/// A word that is not among the choices of a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{word}' is not a {kind}: use one of {names}")]
pub(super) struct ChoiceError {
    word: String,
    /// The noun for a choice.
    kind: &'static str,
    /// All choices, quoted.
    names: String,
}

/// The choice with that name, spelled exactly; `kind` is the noun for a choice in the error.
///
/// # Errors
/// When there is none.
pub(super) fn one_of<T: Copy, const N: usize>(
    kind: &'static str,
    word: &str,
    choices: [(&str, T); N],
) -> Result<T, ChoiceError> {
    let choice = choices.iter().find(|(name, _)| *name == word);
    choice.map(|(_, choice)| *choice).ok_or_else(|| ChoiceError {
        word: word.to_owned(),
        kind,
        names: choices.map(|(name, _)| format!("'{name}'")).join(", "),
    })
}

/// The word for a kind of row in the configuration: `offer`.
const fn kind_of_row(resource: Resource) -> &'static str {
    match resource {
        Resource::Offers => "offer",
        Resource::Volumes => "volume",
        Resource::Workergroups => "workergroup",
    }
}

/// A message of several lines on one, joined by semicolons.
fn one_line(message: &str) -> String {
    let lines: Vec<_> = message.lines().map(str::trim).collect();
    lines.join("; ")
}

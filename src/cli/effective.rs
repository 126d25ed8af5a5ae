//! `bourse config show` and `bourse paths`: the effective settings, their sources, and where the
//! files are.

use std::collections::BTreeMap;
use std::path::Path;

use super::args::Global;
use super::keys::Source;
use super::output::{self, CliError};
use super::settings::{Environment, choose};
use super::table;
use crate::domain::text::{message, visible};
use crate::features::markets::KeySource;
use crate::sandbox::SandboxConfig;
use crate::store::config::{CUSTOM, SANDBOX, VAST};
use crate::store::files;
use crate::store::history::Database;
use crate::store::places::places;
use crate::store::{Config, Notifications, Paths, Profile};

/// The source of a setting with no flag and no line in the file.
const DEFAULT: &str = "default";

/// A setting, its value, and its source.
type Row = [String; 3];

pub fn show(flags: &Global) -> Result<(), CliError> {
    let environment = Environment::of_process();
    let paths = Paths::of_user();
    let file = File::read(paths.as_ref());
    let mut notices = Vec::new();
    if let Some(wrong) = &file.wrong {
        notices.push(format!("configuration ignored: {wrong}"));
    }
    for notice in &notices {
        output::note(notice);
    }
    let profile = choose(flags, &file.config, &notices)?;
    let mut rows = vec![profile_row(flags, &file, &profile)];
    rows.extend(market_rows(flags, &file, &profile));
    if profile.base_url.is_some() {
        let key = Source::of(&profile, flags, &environment, paths.as_ref()).describe();
        rows.push(key_row(flags, &file, &profile, key));
    }
    rows.push(read_only_row(flags, &file, &profile));
    if profile.base_url.is_none() {
        rows.extend(sandbox_rows(flags));
    }
    rows.extend(look_rows(&file));
    let head = ["Setting", "Value", "From"].map(str::to_owned);
    let lines: Vec<Vec<String>> = std::iter::once(head)
        .chain(rows)
        .map(|row| row.map(|cell| visible(&message(&cell), 400)).to_vec())
        .collect();
    output::print(&table::left(&lines))
}

/// The configuration file, as far as it is valid.
struct File {
    config: Config,
    /// The lines of its settings.
    lines: BTreeMap<String, usize>,
    path: String,
    wrong: Option<String>,
}

impl File {
    fn read(paths: Option<&Paths>) -> Self {
        let path = paths.map(Paths::config_file).unwrap_or_default();
        let (config, wrong) = match Config::load(&path) {
            Ok(config) => (config, None),
            Err(error) => (Config::default(), Some(error.to_string())),
        };
        let text = match wrong {
            None => files::read_text(&path).unwrap_or_default(),
            Some(_) => String::new(),
        };
        Self {
            config,
            lines: places(&text),
            path: path.display().to_string(),
            wrong,
        }
    }

    /// The file and line of a setting, if the file gives it.
    fn place(&self, setting: &str) -> Option<String> {
        let line = self.lines.get(setting)?;
        Some(format!("{}:{line}", self.path))
    }

    /// The same for a setting of a profile.
    fn of_profile(&self, profile: &Profile, setting: &str) -> Option<String> {
        self.place(&format!("profiles.{}.{setting}", profile.name))
    }
}

fn row(setting: &str, value: impl Into<String>, from: impl Into<String>) -> Row {
    [setting.to_owned(), value.into(), from.into()]
}

fn profile_row(flags: &Global, file: &File, profile: &Profile) -> Row {
    let from = if flags.profile.is_some() {
        "--profile".to_owned()
    } else if flags.base_url.is_some() {
        "--base-url".to_owned()
    } else {
        let place = file.place("default_profile");
        place.unwrap_or_else(|| DEFAULT.to_owned())
    };
    row("profile", &profile.name, from)
}

/// The addresses and the dialect.
fn market_rows(flags: &Global, file: &File, profile: &Profile) -> Vec<Row> {
    let own = |setting: &str| file.of_profile(profile, setting);
    let built_in = || match profile.name.as_str() {
        SANDBOX | VAST => format!("built into the profile {}", profile.name),
        CUSTOM => "chosen for --base-url".to_owned(),
        _ => DEFAULT.to_owned(),
    };
    let dialect = row("dialect", profile.dialect.name, own("dialect").unwrap_or_else(built_in));
    let Some(base) = &profile.base_url else {
        return vec![row("base_url", "embedded sandbox", built_in()), dialect];
    };
    let base_from = match &flags.base_url {
        Some(_) => "--base-url".to_owned(),
        None => own("base_url").unwrap_or_else(built_in),
    };
    let (route, route_from) = match (&profile.route_url, &flags.route_url) {
        (Some(route), Some(_)) => (route, "--route-url".to_owned()),
        (Some(route), None) => (route, own("route_url").unwrap_or_else(built_in)),
        (None, _) => (base, "base_url".to_owned()),
    };
    vec![
        row("base_url", base, base_from),
        row("route_url", route, route_from),
        dialect,
    ]
}

/// The source of the key; never the key.
fn key_row(flags: &Global, file: &File, profile: &Profile, key: KeySource) -> Row {
    let own = |setting: &str| {
        let place = file.of_profile(profile, setting);
        place.unwrap_or_else(|| DEFAULT.to_owned())
    };
    let hidden = |from: String| row("api_key", "set (hidden)", from);
    match key {
        KeySource::Own => hidden("generated by the sandbox".to_owned()),
        KeySource::Variable(name) => hidden(name.to_owned()),
        KeySource::File(_) if flags.api_key_file.is_some() => hidden("--api-key-file".to_owned()),
        KeySource::File(path) => hidden(format!("{path} ({})", own("api_key_file"))),
        KeySource::Command => hidden(own("api_key_command")),
        KeySource::OtherClient(path) => hidden(format!("{path} (the market's own client)")),
        KeySource::None => row("api_key", "not set", DEFAULT),
        KeySource::Unusable(why) => row("api_key", "unusable", why),
    }
}

fn read_only_row(flags: &Global, file: &File, profile: &Profile) -> Row {
    let from = if flags.read_only {
        "--read-only".to_owned()
    } else {
        let place = file.of_profile(profile, "read_only");
        place.unwrap_or_else(|| DEFAULT.to_owned())
    };
    let is_on = flags.read_only || profile.read_only;
    row("read_only", is_on.to_string(), from)
}

fn sandbox_rows(flags: &Global) -> Vec<Row> {
    let market = SandboxConfig::default().market;
    let from = |is_given: bool, flag: &str| if is_given { flag } else { DEFAULT }.to_owned();
    vec![
        row(
            "seed",
            flags.seed.unwrap_or(market.seed).to_string(),
            from(flags.seed.is_some(), "--seed"),
        ),
        row(
            "offers",
            flags.offers.unwrap_or(market.offers).to_string(),
            from(flags.offers.is_some(), "--offers"),
        ),
        row("freeze", flags.freeze.to_string(), from(flags.freeze, "--freeze")),
        row(
            "speed",
            flags.speed.unwrap_or(1).to_string(),
            from(flags.speed.is_some(), "--speed"),
        ),
    ]
}

/// Theme, colours, ASCII and key bindings.
fn look_rows(file: &File) -> Vec<Row> {
    let config = &file.config;
    let place = |setting: &str| file.place(setting);
    let or_default = |place: Option<String>| place.unwrap_or_else(|| DEFAULT.to_owned());
    let theme = config.theme_name();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let mut rows = vec![if no_color {
        row("theme", "none", "NO_COLOR")
    } else {
        let named = place("theme.name").or_else(|| place("theme"));
        row("theme", theme, or_default(named))
    }];
    for color in &config.colors {
        let setting = format!("theme.colors.{}", color.name);
        rows.push(row(&setting, &color.value, or_default(place(&setting))));
    }
    let ascii = config
        .ascii
        .map_or_else(|| "from the locale".to_owned(), |on| on.to_string());
    rows.push(row("ascii", ascii, or_default(place("ascii"))));
    let mouse = config.mouse().to_string();
    rows.push(row("mouse", mouse, or_default(place("mouse"))));
    let mut choices = Notifications::ALL.iter();
    let notifications = choices.find(|(_, own)| *own == config.notifications);
    let notifications = notifications.map_or("", |(name, _)| *name);
    let from = or_default(place("notifications"));
    rows.push(row("notifications", notifications, from));
    for unit in config.throughput.units() {
        let setting = format!("throughput.{}", unit.rate());
        let value = format!("{} GPU models", config.throughput.models(unit));
        rows.push(row(&setting, &value, or_default(place(&setting))));
    }
    let watch = config.watch;
    let mut watch_row = |name: &str, value: String| {
        let setting = format!("watch.{name}");
        let from = or_default(place(&setting));
        rows.push(row(&setting, value, from));
    };
    watch_row("requests_per_minute", watch.requests_a_minute.to_string());
    watch_row("every", format!("{}s", watch.interval));
    for keys in &config.keys {
        let setting = format!("keys.{}", keys.name);
        let value = keys.value.join(" ");
        rows.push(row(&setting, value, or_default(place(&setting))));
    }
    rows
}

pub fn print_paths(flags: &Global) -> Result<(), CliError> {
    let Some(paths) = Paths::of_user() else {
        return Err(CliError::Failed(
            "no home directory: set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME".to_owned(),
        ));
    };
    let file = File::read(Some(&paths));
    let profile = choose(flags, &file.config, &[])?.name;
    let rows: Vec<Vec<String>> = [
        ("configuration", paths.config_file()),
        ("keys", paths.keys()),
        ("state", paths.state.clone()),
        ("searches and views", paths.profile_state(&profile)),
        ("write history", paths.journal_file()),
        ("recorded prices", Database::path(&paths, &profile)),
    ]
    .into_iter()
    .map(|(what, path)| {
        let note = if path.exists() { "" } else { "(not created yet)" };
        vec![what.to_owned(), shown(&path), note.to_owned()]
    })
    .collect();
    output::print(&table::left(&rows))
}

fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy(), 4096)
}

//! The settings in force, each with its source.

use serde_json::Value as Json;

use super::chosen::Chosen;
use super::config::{CUSTOM, SANDBOX, VAST};
use super::flags::{PROFILE_VARIABLE, variable};
use super::key_source::{KeySource, Source};
use super::table::SETTINGS;
use super::{Config, ConfigError, Environment, Error, Global, Profile};
use crate::sandbox::SandboxConfig;
use crate::store::Paths;

/// The source of a setting with no flag and no line in the file.
const DEFAULT: &str = "default";

/// A setting, its value for people and for programs, and its source.
#[derive(Debug)]
pub struct Row {
    pub setting: String,
    pub value: String,
    /// A truth value or a number where the setting is one, `null` where it has no value, else the text.
    pub json: Json,
    pub from: String,
}

impl Row {
    /// The row with another value for programs.
    fn with_json(self, json: impl Into<Json>) -> Self {
        Self {
            json: json.into(),
            ..self
        }
    }
}

/// The settings in force and their sources, as rows for display. If the file has mistakes, only the profile
/// row, with that as the reason, and the settings that belong to no market.
///
/// # Errors
///
/// When there is no such profile.
pub fn effective(flags: &Global, paths: Option<&Paths>, file: &File) -> Result<Vec<Row>, Error> {
    let environment = Environment::of_process();
    if !file.mistakes.is_empty() {
        // The market depends on the settings that have mistakes.
        let why = format!("{}: correct it first", file.path);
        return Ok(std::iter::once(row("profile", "none", why))
            .chain(value_rows(file))
            .collect());
    }
    let chosen = Chosen::new(flags, &file.config)?;
    let profile = &chosen.profile;
    let mut rows = vec![profile_row(flags, file, profile)];
    rows.extend(market_rows(flags, file, profile));
    if profile.base_url.is_some() {
        let key = Source::choose(&chosen, flags, &environment, paths).describe();
        rows.push(key_row(flags, file, profile, key));
    }
    rows.push(read_only_row(flags, file, profile));
    rows.extend(worker_ca_row(flags, file, profile));
    if profile.base_url.is_none() {
        rows.extend(sandbox_rows(flags));
    }
    rows.extend(value_rows(file));
    Ok(rows)
}

/// The valid settings of the configuration file.
#[derive(Debug)]
pub struct File {
    config: Config,
    path: String,
    /// The mistakes because of which no market can be opened with it.
    pub mistakes: Vec<ConfigError>,
}

impl File {
    /// Reads the user's configuration file; its mistakes are collected, not returned as an error.
    pub fn read(paths: Option<&Paths>) -> Self {
        let path = paths.map(Paths::config_file).unwrap_or_default();
        let (config, mistakes) = Config::valid_part(paths);
        Self {
            config,
            path: path.display().to_string(),
            mistakes,
        }
    }

    /// The configuration file and the line of a setting by its dotted name, as `path:line`; `None` if the
    /// file does not give it.
    fn position(&self, setting: &str) -> Option<String> {
        let line = self.config.position(setting)?.line;
        Some(format!("{}:{line}", self.path))
    }

    /// The file and line of a setting of a profile, as `path:line`; `None` if the file does not give it.
    fn of_profile(&self, profile: &Profile, setting: &str) -> Option<String> {
        self.position(&format!("profiles.{}.{setting}", profile.name))
    }
}

/// A row whose value for programs is the same text.
fn row(setting: &str, value: impl Into<String>, from: impl Into<String>) -> Row {
    let value = value.into();
    Row {
        setting: setting.to_owned(),
        json: Json::from(value.as_str()),
        value,
        from: from.into(),
    }
}

/// The source of a value: a flag, else a line of the file, else the default.
fn source(flag: Option<&str>, position: Option<String>) -> String {
    let flag = flag.map(str::to_owned);
    flag.or(position).unwrap_or_else(|| DEFAULT.to_owned())
}

/// The row of the profile in use, with the flag, variable or line that names it.
fn profile_row(flags: &Global, file: &File, profile: &Profile) -> Row {
    let profile_flag = flags.profile.as_ref().map(|_| "--profile");
    let given = profile_flag.or(flags.base_url.as_ref().map(|_| "--base-url"));
    let flag = given.or(flags.variables.profile.as_ref().map(|_| PROFILE_VARIABLE));
    row("profile", &profile.name, source(flag, file.position("default_profile")))
}

/// The rows of base address, routing address and dialect; for the sandbox without the routing address.
fn market_rows(flags: &Global, file: &File, profile: &Profile) -> Vec<Row> {
    let of_profile = |setting: &str| file.of_profile(profile, setting);
    let built_in = || match profile.name.as_str() {
        SANDBOX | VAST => format!("built into the profile {}", profile.name),
        CUSTOM => "chosen for --base-url".to_owned(),
        _ => DEFAULT.to_owned(),
    };
    let dialect = row(
        "dialect",
        profile.dialect.name,
        of_profile("dialect").unwrap_or_else(built_in),
    );
    let Some(base) = &profile.base_url else {
        return vec![row("base_url", "embedded sandbox", built_in()), dialect];
    };
    let base_from = match &flags.base_url {
        Some(_) => "--base-url".to_owned(),
        None => of_profile("base_url").unwrap_or_else(built_in),
    };
    let (route, route_from) = match (&profile.route_url, &flags.route_url) {
        (Some(route), Some(_)) => (route, "--route-url".to_owned()),
        (Some(route), None) => (route, of_profile("route_url").unwrap_or_else(built_in)),
        (None, _) => (base, "base_url".to_owned()),
    };
    vec![
        row("base_url", base, base_from),
        row("route_url", route, route_from),
        dialect,
    ]
}

/// The row of the key's source, without the key.
fn key_row(flags: &Global, file: &File, profile: &Profile, key: KeySource) -> Row {
    let of_profile = |setting: &str| source(None, file.of_profile(profile, setting));
    let hidden = |from: String| row("api_key", "set (hidden)", from);
    match key {
        KeySource::Generated => hidden("generated by the sandbox".to_owned()),
        KeySource::Variable(name) => hidden(name.to_owned()),
        KeySource::File(_) if flags.api_key_file.is_some() => hidden("--api-key-file".to_owned()),
        KeySource::File(path) => hidden(format!("{path} ({})", of_profile("api_key_file"))),
        KeySource::Command => hidden(of_profile("api_key_command")),
        KeySource::OtherClient(path) => hidden(format!("{path} (the market's own client)")),
        KeySource::Withheld(address) => row("api_key", "not sent", format!("for {address}; see --send-key")),
        KeySource::None => row("api_key", "not set", DEFAULT),
        KeySource::Unusable(why) => row("api_key", "unusable", why),
    }
}

/// The row of the workers' root certificate; `None` if none is set, or for the sandbox.
fn worker_ca_row(flags: &Global, file: &File, profile: &Profile) -> Option<Row> {
    profile.base_url.as_ref()?;
    let path = flags.worker_ca.as_ref().or(profile.worker_ca.as_ref())?;
    let flag = flags.worker_ca.as_ref().map(|_| "--worker-ca");
    let from = source(flag, file.of_profile(profile, "worker_ca"));
    Some(row("worker_ca", path.display().to_string(), from))
}

/// The row of the read-only setting, on by flag or profile.
fn read_only_row(flags: &Global, file: &File, profile: &Profile) -> Row {
    let from = source(
        flags.read_only.then_some("--read-only"),
        file.of_profile(profile, "read_only"),
    );
    let is_on = flags.read_only || profile.read_only;
    row("read_only", is_on.to_string(), from).with_json(is_on)
}

/// The rows of the sandbox's seed, number of offers, frozen clock and speed.
fn sandbox_rows(flags: &Global) -> [Row; 4] {
    let market = SandboxConfig::default().market;
    let (seed, offers, factor) = (flags.seed, flags.offers, flags.speed);
    let rows = [
        ("seed", seed.is_some(), Json::from(seed.unwrap_or(market.seed))),
        ("offers", offers.is_some(), offers.unwrap_or(market.offers).into()),
        ("freeze", flags.freeze, flags.freeze.into()),
        ("speed", factor.is_some(), factor.unwrap_or(1).into()),
    ];
    rows.map(|(name, is_given, value)| {
        let flag = format!("--{name}");
        row(name, value.to_string(), source(is_given.then_some(&*flag), None)).with_json(value)
    })
}

/// A shown value for programs: of the JSON type that the `sample` of the setting has; `none` becomes `null`.
fn typed(sample: &str, value: &str) -> Json {
    let parsed = || serde_json::from_str(value);
    if let "true" | "false" = sample {
        return parsed().unwrap_or_default();
    }
    match parsed().ok().filter(Json::is_number) {
        Some(number) if sample.parse::<f64>().is_ok() => number,
        // The theme without colours has that name.
        _ if value == "none" && sample != "\"auto\"" => Json::Null,
        _ => value.into(),
    }
}

/// The rows of the settings that belong to no market, in the order of the table; `NO_COLOR` or `--color`
/// overrides the theme.
fn value_rows(file: &File) -> Vec<Row> {
    let no_color = variable("NO_COLOR").filter(|value| !value.is_empty());
    let mut rows = Vec::new();
    for setting in SETTINGS {
        // `theme = "dark"` is short for `name = "dark"` in the section.
        let short = setting.name.strip_suffix(".name").unwrap_or(setting.name);
        if short == "theme"
            && let Some(value) = &no_color
        {
            let is_flag = value.starts_with("--color");
            rows.push(row(short, "none", if is_flag { value } else { "NO_COLOR" }));
            continue;
        }
        for (part, value) in (setting.show)(&file.config.values) {
            let name = if part.is_empty() {
                short.to_owned()
            } else {
                format!("{short}.{part}")
            };
            // A part without a line of its own is that of a setting for all: `size = "40 GB"`.
            let places = if part.is_empty() {
                [setting.name, &name]
            } else {
                [&*name, setting.name]
            };
            let position = places.into_iter().find_map(|place| file.position(place));
            let json = typed(setting.sample, &value);
            rows.push(row(&name, value, source(None, position)).with_json(json));
        }
    }
    rows
}

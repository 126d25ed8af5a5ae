//! The flags of every command, which go before the environment and the configuration.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::{env, fmt};

use clap::{Args, ColorChoice, ValueEnum, ValueHint};

use crate::sandbox::faults::FaultSpec;
use crate::store::Paths;

/// The heading of the sandbox's options.
pub const SANDBOX: &str = "Sandbox";

/// The environment variable with the path of the configuration file.
const CONFIG_VARIABLE: &str = "BOURSE_CONFIG";

/// The environment variable with the name of the profile.
pub const PROFILE_VARIABLE: &str = "BOURSE_PROFILE";

/// The address of a flag, with the scheme that it may lack: http for this computer, https for others. Whether
/// it is valid is checked later.
#[expect(clippy::unnecessary_wraps, reason = "clap takes a function that may fail")]
fn complete_address(text: &str) -> Result<String, Infallible> {
    Ok(crate::api::Origin::complete(text))
}

/// The use of colours in help, errors and the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Also in pipes, and despite `NO_COLOR`
    Always,
    Never,
}

/// The value of `--color`, for every thread of the process.
static COLOR: OnceLock<Color> = OnceLock::new();

impl Color {
    /// Sets the use of colors in the process; later calls have no effect.
    pub fn set_for_process(self) {
        let _ = COLOR.set(self);
    }

    /// The value of `--color` in a command line that is not parsed yet, as help and errors of the parser
    /// depend on it: the first valid one after a blank, else after `=`; `Auto` if there is none.
    pub fn in_line(words: &[String]) -> Self {
        let pairs = words.windows(2).filter(|pair| pair[0] == "--color");
        let behind = pairs.map(|pair| pair[1].as_str());
        let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
        let choice = behind.chain(joined).find_map(|word| Self::from_str(word, false).ok());
        choice.unwrap_or_default()
    }
}

/// The use of colors in help and errors, by `--color`; automatic until that is set.
pub fn color_choice() -> ColorChoice {
    match COLOR.get() {
        None | Some(Color::Auto) => ColorChoice::Auto,
        Some(Color::Always) => ColorChoice::Always,
        Some(Color::Never) => ColorChoice::Never,
    }
}

/// The value of an environment variable, `None` if it is unset or no UTF-8; `--color` takes the place of
/// `NO_COLOR`.
pub fn variable(name: &str) -> Option<String> {
    match COLOR.get() {
        Some(Color::Never) if name == "NO_COLOR" => Some("--color never".to_owned()),
        Some(Color::Always) if name == "NO_COLOR" => None,
        _ => env::var(name).ok(),
    }
}

/// The environment variables that a flag overrides. An empty variable counts as unset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variables {
    /// The configuration file, from `BOURSE_CONFIG`.
    pub config: Option<PathBuf>,
    /// The profile's name, from `BOURSE_PROFILE`.
    pub profile: Option<String>,
}

impl Variables {
    /// The path of the configuration and the name of the profile in the environment variables of this
    /// process; empty variables count as unset.
    pub fn of_process() -> Self {
        let variable = |name| env::var_os(name).filter(|value: &OsString| !value.is_empty());
        Self {
            config: variable(CONFIG_VARIABLE).map(PathBuf::from),
            profile: variable(PROFILE_VARIABLE).map(|name| name.to_string_lossy().into_owned()),
        }
    }
}

/// A missing configuration file that a flag or variable names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{origin}: no file {path}; bourse config print-default > FILE creates one", path = .path.display())]
pub struct MissingConfig {
    origin: Origin,
    path: PathBuf,
}

/// The source of the configuration's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Flag,
    Variable,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag => "--config",
            Self::Variable => CONFIG_VARIABLE,
        })
    }
}

/// Flags that are accepted before or after a subcommand.
#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// Configuration file [default: `BOURSE_CONFIG`, else `config.toml` in the folder of `bourse paths`]
    ///
    /// Relative paths in it, saved API keys and themes are relative to its folder.
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true, value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,

    /// Print JSON, as --format json does
    #[arg(long, global = true, hide_short_help = true)]
    pub json: bool,

    /// Print no notes and no progress on standard error
    #[arg(short, long, global = true, hide_short_help = true)]
    pub quiet: bool,

    /// When help, errors and the dashboard have colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        hide_short_help = true
    )]
    pub color: Color,

    /// The environment, which goes behind the flags.
    #[arg(skip)]
    pub variables: Variables,

    /// Market to use: sandbox, vast or a profile of the configuration [default: `BOURSE_PROFILE`,
    /// else `default_profile` of the configuration, else sandbox]
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        hide_short_help = true,
        help_heading = "Marketplace"
    )]
    pub profile: Option<String>,

    /// Address of the management API [default: the profile's]; without --profile it uses the
    /// documented dialect, at vast.ai that of the public service
    #[arg(long, global = true, value_name = "URL", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::Url, value_parser = complete_address)]
    pub base_url: Option<String>,

    /// Address of the routing endpoint [default: the base address]
    #[arg(long, global = true, value_name = "URL", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::Url, value_parser = complete_address)]
    pub route_url: Option<String>,

    /// File that holds the API key, mode 0600 [default: `BOURSE_API_KEY`, else the profile's key]
    #[arg(long, global = true, value_name = "PATH", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::FilePath)]
    pub api_key_file: Option<PathBuf>,

    /// Send the key of --profile to the address of --base-url or --route-url too [default: only to the
    /// profile's own]
    #[arg(long, global = true, hide_short_help = true, help_heading = "Marketplace")]
    pub send_key: bool,

    /// File with the root certificate of the workers, PEM, which is trusted for requests to workers only
    /// [default: the profile's]
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true, help_heading = "Marketplace",
        value_hint = ValueHint::FilePath)]
    pub worker_ca: Option<PathBuf>,

    /// Refuse to create workergroups and to unlist volumes, but not to route [default: the profile's setting]
    #[arg(long, global = true, hide_short_help = true, help_heading = "Marketplace")]
    pub read_only: bool,

    /// Seed of the sandbox market [default: 1]
    #[arg(long, global = true, value_name = "N", hide_short_help = true, help_heading = SANDBOX)]
    pub seed: Option<u64>,

    /// Machine offers in the sandbox market [default: 2400]
    #[arg(long, global = true, value_name = "N", hide_short_help = true, help_heading = SANDBOX)]
    pub offers: Option<usize>,

    /// Stop the clock of the sandbox market, so that every run returns the same bytes
    #[arg(long, global = true, hide_short_help = true, help_heading = SANDBOX)]
    pub freeze: bool,

    /// How many times faster than real time the sandbox market moves, 1 to 1000 [default: 1]
    #[arg(long, global = true, value_name = "N", hide_short_help = true, help_heading = SANDBOX,
        conflicts_with = "freeze", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub speed: Option<u32>,

    /// Delay that the sandbox adds to each response, in ms; 0 adds none [default: 30 to 150]
    #[arg(long, global = true, value_name = "MS", hide_short_help = true, help_heading = SANDBOX,
        value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub latency: Option<u64>,

    /// Make the sandbox return errors and delays, e.g. `status_500:0.2,slow@offers` [default: none]
    ///
    /// Either a profile (calm, flaky, storm, slow, throttle, split, hostile), optionally followed by
    /// `,seed=N` and `,only=F08,F10`, or a list of faults by name or number, each with its share and
    /// operation. `docs/sandbox.md` lists all faults.
    #[arg(long, global = true, value_name = "SPEC", hide_short_help = true, help_heading = SANDBOX)]
    pub faults: Option<FaultSpec>,
}

impl Global {
    /// The folders of the user, with the configuration file that the flag or the variable names; `None`
    /// without a home folder.
    pub fn paths(&self) -> Option<Paths> {
        let paths = Paths::of_user()?;
        Some(match self.named_config() {
            Some((_, file)) => paths.with_config_file(file),
            None => paths,
        })
    }

    /// Checks that a named configuration exists: a mistyped path must not open another market.
    ///
    /// # Errors
    /// When it does not.
    pub fn require_config(&self) -> Result<(), MissingConfig> {
        match self.named_config() {
            Some((origin, path)) if !path.exists() => Err(MissingConfig {
                origin,
                path: path.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The configuration file that `--config` or else `BOURSE_CONFIG` names, and which of them; `None` if
    /// neither is given.
    fn named_config(&self) -> Option<(Origin, &PathBuf)> {
        let flag = self.config.as_ref().map(|path| (Origin::Flag, path));
        flag.or_else(|| Some((Origin::Variable, self.variables.config.as_ref()?)))
    }

    /// The name of the first option given that is for the sandbox only: `--seed`; `None` if there is none.
    pub fn sandbox_option(&self) -> Option<&'static str> {
        let options = [
            ("--seed", self.seed.is_some()),
            ("--offers", self.offers.is_some()),
            ("--freeze", self.freeze),
            ("--speed", self.speed.is_some()),
            ("--latency", self.latency.is_some()),
            ("--faults", self.faults.is_some()),
        ];
        let given = options.into_iter().find(|(_, is_given)| *is_given);
        given.map(|(name, _)| name)
    }
}

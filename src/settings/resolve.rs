//! Resolves flags, environment and configuration to one marketplace and its key.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::time::Duration;

use secrecy::ExposeSecret as _;

use super::chosen::{Chosen, KeyReach};
use super::key_source::{KEY_VARIABLE, KeySource, Source, VAST_KEY_VARIABLES};
use super::sandbox_past::SandboxPast;
use super::{Config, ConfigError, Error, Global, Preferences, Profile, worker_ca};
use crate::api::client::current_time;
use crate::api::curl::WorkerRoot;
use crate::api::redact::KnownSecrets;
use crate::api::{Client, ClientConfig, Operation, Origin, Pacer, Secret, Session, WorkerClient};
use crate::domain::dialect::RouteKey;
use crate::domain::format::counted;
use crate::domain::workergroup::{MOST_GROUPS, MadeGroups};
use crate::domain::{Condition, Dialect, plain};
use crate::process::Terminal;
use crate::record::store::{Database, HistoryLocation};
use crate::sandbox::latency::Latency;
use crate::sandbox::market::runs::MarketRuns;
use crate::sandbox::{GroupStore, RunStore, Running, Sandbox, SandboxConfig, UnlistStore};
use crate::store::{PacingFile, Paths, StateFile, keys};

/// The API keys in the environment. An empty variable counts as unset.
#[derive(Clone, Default)]
pub struct Environment {
    pub key: Option<String>,
    /// The key of the public service, with the name of its variable.
    pub vast_key: Option<(&'static str, String)>,
    /// Whether key commands may use the terminal.
    pub terminal: Terminal,
}

impl Environment {
    /// The API keys in the environment variables of this process, of which blank ones count as unset; its key
    /// commands may use the terminal.
    pub fn of_process() -> Self {
        let variable = |name| {
            env::var_os(name)
                .map(|value| value.to_string_lossy().into_owned())
                .filter(|value| !value.trim().is_empty())
        };
        Self {
            key: variable(KEY_VARIABLE),
            vast_key: VAST_KEY_VARIABLES
                .into_iter()
                .find_map(|name| Some((name, variable(name)?))),
            terminal: Terminal::Lent,
        }
    }
}

#[derive(Debug, Clone)]
pub enum Market {
    /// Inside this process, started when connecting.
    Embedded(SandboxConfig),
    Remote {
        /// The base address of the management API.
        management: Origin,
        /// The base address of the routing endpoint.
        route: Origin,
        /// The API key; `None` if none is configured.
        key: Option<Secret>,
        /// Whether the key is sent to the routing endpoint.
        sends_route_key: bool,
        /// The source of the key.
        source: KeySource,
    },
}

/// The settings of one run, resolved.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the profile; shown in capitals if it is the sandbox.
    pub profile: String,
    pub market: Market,
    pub dialect: &'static Dialect,
    pub read_only: bool,
    pub preferences: Preferences,
    /// The initial conditions: those of `--query` and the visible defaults they do not replace.
    pub conditions: Option<Vec<Condition>>,
    /// The settings in the plain words of `--query`.
    pub words: plain::Settings,
    /// The limit of the first search for offers; with 0 it is not sent.
    pub limit: Option<u32>,
    /// Whether the dashboard may show recorded rows before a reply.
    pub recorded_rows: bool,
    /// The locations of files; `None` without a home folder.
    pub paths: Option<Paths>,
    /// Notices about the settings, shown at the start.
    pub notices: Vec<String>,
    /// The API keys to remove from texts, including those of other profiles.
    pub secrets: KnownSecrets,
    /// The client for workers, with the certificates it trusts; the embedded sandbox brings its
    /// own.
    pub workers: WorkerClient,
}

/// A session with a marketplace, and the embedded sandbox if it is one.
#[derive(Debug)]
pub struct Connection {
    pub session: Session,
    /// The embedded sandbox; it stops when this is dropped.
    pub sandbox: Option<Running>,
}

impl Settings {
    /// Resolves the settings from flags, environment and configuration; reads the API key, running its
    /// command if it has one, but sends nothing.
    ///
    /// # Errors
    /// When a flag or the configuration is invalid, or the key or the workers' certificate cannot be read.
    pub fn resolve(flags: &Global, environment: &Environment, paths: Option<Paths>) -> Result<Self, Error> {
        let config = Config::of_user(paths.as_ref())?;
        let path = paths.as_ref().map(Paths::config_file).unwrap_or_default();
        let (preferences, wrong) = Preferences::from_config(config, &path);
        let mut notices = describe_dropped(&wrong);
        let chosen = Chosen::new(flags, &preferences.config)?;
        let profile = &chosen.profile;
        if flags.profile.is_none()
            && let Some(base) = flags.base_url.as_deref().and_then(public_service)
        {
            let (dialect, unit) = (profile.dialect.name, profile.dialect.transfer.symbol());
            notices.push(format!(
                "{base} is the public service: using the {dialect} dialect, network speeds in {unit}"
            ));
        }
        let market = match &profile.base_url {
            None => Market::Embedded(embedded(flags, &profile.name, paths.as_ref(), &mut notices)?),
            Some(base) => {
                let source = Source::choose(&chosen, flags, environment, paths.as_ref());
                let reach = chosen.key_reach(flags, environment);
                notices.extend(withheld(&chosen, reach, &source));
                remote(profile, base, reach, &source, environment)?
            }
        };
        let workers = workers(flags, profile, &mut notices)?;
        Ok(Self {
            market,
            dialect: profile.dialect,
            read_only: flags.read_only || profile.read_only,
            profile: profile.name.clone(),
            preferences,
            conditions: None,
            words: plain::Settings::default(),
            limit: None,
            recorded_rows: !flags.freeze,
            paths,
            notices,
            secrets: KnownSecrets::default(),
            workers,
        })
    }

    /// Whether the marketplace is the embedded sandbox.
    pub const fn is_sandbox(&self) -> bool {
        matches!(self.market, Market::Embedded(_))
    }

    /// The profile's file of learned intervals; `None` without a home folder and for the sandbox, which is
    /// another market in every run.
    pub fn pacing_file(&self) -> Option<PacingFile> {
        let Market::Remote { management, .. } = &self.market else {
            return None;
        };
        let paths = self.paths.as_ref()?;
        let address = management.to_string();
        Some(PacingFile::new(paths, &self.profile, &address))
    }

    /// The location of the market's price record: in memory without a home folder, and for a frozen sandbox,
    /// which is the same in every run.
    pub fn history_location(&self) -> HistoryLocation {
        let (market, is_lasting) = match &self.market {
            Market::Remote { management, .. } => (management.to_string(), true),
            Market::Embedded(config) => (format!("sandbox-{}", config.market.seed), !config.freeze),
        };
        let paths = self.paths.as_ref().filter(|_| is_lasting);
        HistoryLocation {
            path: paths.map(|paths| Database::path(&paths.profile_state(&self.profile))),
            market,
            dialect: self.dialect,
        }
    }

    /// The past that a sandbox's record starts with; `None` for a real market and for a frozen
    /// sandbox, whose clock is stopped.
    pub fn sandbox_past(&self) -> Option<SandboxPast> {
        let Market::Embedded(config) = &self.market else {
            return None;
        };
        let market = config.market_at(current_time().seconds());
        (!config.freeze).then(|| SandboxPast::new(market, self.dialect))
    }

    /// Saves the intervals that the session has learned from refusals; nothing without a file for them.
    ///
    /// A failure is ignored, as it costs at most a refusal after the next start.
    pub fn keep_pacing(&self, session: &Session) {
        if let Some(file) = self.pacing_file() {
            let _ = file.save(by_name(session.learned()), current_time());
        }
    }

    /// The pacer of requests, with the intervals learned within the last day.
    fn pacer(&self) -> Pacer {
        let saved = self.pacing_file().map(|file| file.read(current_time()));
        let learned = saved.unwrap_or_default();
        Pacer::with_learned(
            Operation::ALL
                .into_iter()
                .filter_map(|operation| Some((operation, *learned.get(operation.label())?))),
        )
    }

    /// Creates the session with the market, starting the embedded sandbox if it is the market. Nothing is
    /// sent.
    pub async fn connect(&self) -> Result<Connection, Error> {
        let pacer = self.pacer();
        let (config, sandbox) = match &self.market {
            Market::Remote {
                management,
                route,
                key,
                sends_route_key,
                ..
            } => (
                ClientConfig {
                    sends_route_key: *sends_route_key,
                    management: management.clone(),
                    route: route.clone(),
                    dialect: self.dialect,
                    key: key.clone(),
                },
                None,
            ),
            Market::Embedded(sandbox) => {
                let running = Sandbox::start(sandbox.clone())
                    .await
                    .map_err(|error| Error::Failed(format!("can't start the sandbox: {error}")))?;
                let origin = Origin::of_listener(running.addr()).map_err(|error| Error::Failed(error.to_string()))?;
                let config = ClientConfig {
                    management: origin.clone(),
                    route: origin,
                    dialect: self.dialect,
                    key: Some(Secret::new(running.key())),
                    sends_route_key: true,
                };
                (config, Some(running))
            }
        };
        let client = Client::new(config)?.sharing(self.secrets.clone());
        let workers = sandbox.as_ref().map_or_else(
            || self.workers.clone(),
            |running| {
                let root = WorkerRoot::Address(format!("{}/worker-ca.pem", running.base_url()));
                WorkerClient::trusting_later(running.worker_root(), root)
            },
        );
        Ok(Connection {
            session: Session::new(client, pacer).with_workers(workers),
            sandbox,
        })
    }
}

/// Learned intervals in seconds, by the name of the operation.
pub fn by_name(learned: Vec<(Operation, f64)>) -> BTreeMap<String, f64> {
    learned
        .into_iter()
        .map(|(operation, seconds)| (operation.label().to_owned(), seconds))
        .collect()
}

/// The host of an address if it belongs to the public service, which needs its own dialect; `None` for others
/// and invalid addresses.
pub(super) fn public_service(base: &str) -> Option<String> {
    let origin = Origin::parse(base).ok()?;
    let host = origin.host().trim_end_matches('.').to_owned();
    origin.is_public_service().then_some(host)
}

/// The notices at start-up about dropped settings: the first three, and the number of the others.
pub(crate) fn describe_dropped(wrong: &[ConfigError]) -> Vec<String> {
    const TOLD: usize = 3;
    let mut notices: Vec<_> = wrong
        .iter()
        .take(TOLD)
        .map(|error| format!("ignored: {error}"))
        .collect();
    let more = wrong.len().saturating_sub(TOLD);
    if more > 0 {
        let more = counted(more, "more error", "more errors");
        notices.push(format!("{more} in the configuration: run bourse config check"));
    }
    notices
}

/// The sandbox of the flags. Unless it is frozen, it starts with the workergroups and unlistings saved
/// earlier, and at normal speed with the market's runs, and saves new ones.
///
/// It generates its own key: `--api-key-file` is ignored with a notice, but an error if it cannot be read.
fn embedded(
    flags: &Global,
    profile: &str,
    paths: Option<&Paths>,
    notices: &mut Vec<String>,
) -> Result<SandboxConfig, Error> {
    if let Some(path) = &flags.api_key_file {
        keys::check(path).map_err(|error| Error::Usage(error.to_string()))?;
        notices.push("--api-key-file ignored: the sandbox generates its own key".to_owned());
    }
    let mut config = SandboxConfig::default();
    apply_sandbox_flags(&mut config, flags)?;
    // A frozen sandbox returns the same bytes in every run, so it starts without earlier groups.
    if let Some(paths) = paths.filter(|_| !config.freeze) {
        let seed = config.market.seed;
        let file = |kind: &str| paths.sandbox_file(profile, kind, seed);
        let (made, groups) = StateFile::<MadeGroups>::open(file("groups"), notices);
        config.groups = groups.unwrap_or_default();
        let is_kept = !made.is_blocked();
        let store = GroupStore::new(move |change| {
            let changed = made.change(MadeGroups::default(), |groups| groups.apply(change));
            let (_, fits) = changed.map_err(|error| error.to_string())?;
            let full = || format!("other programs have made {MOST_GROUPS} already");
            fits.then_some(()).ok_or_else(full)
        });
        config.group_store = is_kept.then_some(store);
        let (gone, unlisted) = StateFile::<BTreeSet<u64>>::open(file("unlisted"), notices);
        config.unlisted = unlisted.unwrap_or_default();
        let is_kept = !gone.is_blocked();
        let store = UnlistStore::new(move |id| {
            let changed = gone.change(BTreeSet::new(), |ids| ids.insert(id));
            changed.map(drop).map_err(|error| error.to_string())
        });
        config.unlist_store = is_kept.then_some(store);
        if flags.speed.is_none() {
            let (moved, runs) = StateFile::<MarketRuns>::open(file("runs"), notices);
            config.runs = runs;
            let is_kept = !moved.is_blocked();
            let store = RunStore::new(move |runs| {
                let changed = moved.change(MarketRuns::default(), |saved| saved.merge(runs));
                changed.map(drop).map_err(|error| error.to_string())
            });
            config.run_store = is_kept.then_some(store);
        }
    }
    Ok(config)
}

/// Applies the sandbox flags to a configuration; an error if `--offers` is over a million.
pub fn apply_sandbox_flags(config: &mut SandboxConfig, flags: &Global) -> Result<(), Error> {
    if let Some(seed) = flags.seed {
        config.market.seed = seed;
    }
    if let Some(offers) = flags.offers {
        if offers > MOST_SANDBOX_OFFERS {
            return Err(Error::Usage(format!("--offers takes {MOST_SANDBOX_OFFERS} at most")));
        }
        config.market.offers = offers;
    }
    config.freeze = flags.freeze;
    config.speed = flags.speed.map_or(1.0, f64::from);
    config.latency = match flags.latency {
        None => Latency::Drawn,
        Some(0) => Latency::None,
        Some(milliseconds) => Latency::Fixed(Duration::from_millis(milliseconds)),
    };
    config.faults.clone_from(&flags.faults);
    Ok(())
}

// The largest sandbox market: enough for any benchmark.
const MOST_SANDBOX_OFFERS: usize = 1_000_000;

/// The client for workers, which trusts the root certificate of the flag or else of the profile; for the
/// sandbox a default one, with a notice if the flag is given.
fn workers(flags: &Global, profile: &Profile, notices: &mut Vec<String>) -> Result<WorkerClient, Error> {
    if profile.base_url.is_none() {
        if flags.worker_ca.is_some() {
            notices.push("--worker-ca ignored: the sandbox has its own certificate".to_owned());
        }
        return Ok(WorkerClient::default());
    }
    let (name, path) = match (&flags.worker_ca, &profile.worker_ca) {
        (Some(path), _) => ("--worker-ca", path),
        (None, Some(path)) => ("worker_ca", path),
        (None, None) => return Ok(WorkerClient::default()),
    };
    worker_ca::client(path).map_err(|why| Error::Usage(format!("{name}: {why}")))
}

/// A note that an address in use gets no key, because the key is for the profile's address; `None` if all
/// addresses get one or there is no key.
fn withheld(chosen: &Chosen, reach: KeyReach, source: &Source) -> Option<String> {
    let profile = &chosen.profile;
    let has_key = !matches!(source, Source::Nowhere) || profile.dialect.route_key == RouteKey::Group;
    let (denied, own) = chosen.withheld(reach).filter(|_| has_key)?;
    let name = &profile.name;
    Some(format!(
        "no key is sent to {denied}: the key of '{name}' is for {own}; add --send-key to send it, or pass another \
         with --api-key-file"
    ))
}

/// The market at an address: checks the addresses and reads the key, running its command if it has one.
fn remote(
    profile: &Profile,
    base: &str,
    reach: KeyReach,
    source: &Source,
    environment: &Environment,
) -> Result<Market, Error> {
    let origin = |text: &str| Origin::parse(text).map_err(|error| Error::Usage(format!("the address {text}: {error}")));
    let management = origin(base)?;
    let route = match &profile.route_url {
        Some(route) => origin(route)?,
        None => management.clone(),
    };
    let key = source
        .read(environment.terminal)
        .map_err(|error| Error::Usage(error.to_string()))?
        .map(|key| Secret::new(key.expose_secret()));
    Ok(Market::Remote {
        management,
        route,
        key,
        sends_route_key: reach.route,
        source: source.describe(),
    })
}

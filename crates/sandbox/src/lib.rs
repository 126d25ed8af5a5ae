//! A marketplace in a box: a simulated market of GPUs and a fleet of workers behind the real interface, over HTTP.
//!
//! For programs that talk to such a market: it costs nothing, needs no account, and goes wrong on demand. It is a
//! server on loopback, in the process of its caller, and speaks what the market's own clients speak:
//!
//! ```
//! use bourse_sandbox::{Sandbox, SandboxConfig};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let config = SandboxConfig {
//!     freeze: true, // the same responses in every run
//!     faults: Some("status_500:0.3@offers".parse().unwrap()),
//!     ..SandboxConfig::default()
//! };
//! let sandbox = Sandbox::start(config).await?;
//! assert!(sandbox.base_url().starts_with("http://127.0.0.1:"));
//! assert!(!sandbox.key().is_empty()); // send it as a bearer token
//! sandbox.stop().await;
//! # std::io::Result::Ok(())
//! # })?;
//! # std::io::Result::Ok(())
//! ```
//!
//! # Settings
//!
//! [`SandboxConfig`] holds all settings: the seed and size of the market, whether its clock is frozen or runs faster,
//! the [latency](latency::Latency) of responses, rate limits, [faults], and the changes to save for the next run. With
//! `keeps_ledger` the [`Ledger`] lists every request with its changes and faults, so that a test can compare the
//! reports of its client with the facts.
//!
//! # Modules
//!
//! [`market`] and [`fleet`] are pure, without clock and network; their figures come from `assets`, their variety from a
//! seed. Around them `state` performs the operations, `search` parses the bodies of searches with the catalogs of
//! [`bourse_domain`], `server` maps paths to operations, and `pacing`, [`faults`] and [`ledger`] make the service as
//! strict, as unreliable and as observable as configured. [`past`] is the market before its start. The workers of the
//! fleet are HTTPS servers of their own, in `workers`: the first route reply with a worker creates the certificates.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![warn(missing_docs)]

mod answer;
mod call;
mod connection;
pub mod faults;
pub mod fleet;
mod groups;
pub mod latency;
pub mod ledger;
pub mod market;
mod numbers;
mod pacing;
pub mod past;
mod random;
mod script;
mod search;
mod server;
mod staffing;
mod state;
mod token;
mod workers;
mod world;

use std::collections::BTreeSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bourse_domain::workergroup::{GroupChange, MadeGroups};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use connection::{ConnectionHandle, Front};
use faults::{FaultDelays, FaultSpec};
use latency::Latency;
use ledger::Ledger;
use market::MarketConfig;
use market::runs::MarketRuns;
use state::State;

pub use call::Call;
pub use token::Token;

/// The account of the caller: workergroups, endpoints and a few listings belong to it.
pub const USER: u64 = 1_001;

/// The key of a frozen sandbox without a configured one.
const FROZEN_KEY: &str = "frozen-sandbox-key";

/// The time that [`Running::stop`] waits for responses in flight.
const PATIENCE: Duration = Duration::from_secs(2);

/// The configuration of a sandbox.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// The address to listen on; port 0 chooses a free one.
    ///
    /// On a loopback address, only requests for a loopback host name are answered.
    pub listen: SocketAddr,
    /// The key that callers must send. `None` generates a random one, or a fixed one if frozen.
    pub api_key: Option<Token>,
    /// The parameters of the simulated market.
    pub market: MarketConfig,
    /// Whether the clock is frozen: the same requests then get the same bytes in every run.
    pub freeze: bool,
    /// The factor by which the market moves faster than real time; its workers do not.
    pub speed: f64,
    /// Whether requests above the rate limits are refused.
    pub rate_limits: bool,
    /// The faults to inject; `None` for none.
    pub faults: Option<FaultSpec>,
    /// The delays that injected faults cause.
    pub fault_times: FaultDelays,
    /// The delay added to each response.
    pub latency: Latency,
    /// Whether [`Running::ledger`] records requests, for tests.
    pub keeps_ledger: bool,
    /// Workergroups that callers created in earlier runs.
    pub groups: MadeGroups,
    /// Saves such groups; `None` loses them when the sandbox ends.
    pub group_store: Option<GroupStore>,
    /// The ids of volume listings that callers unlisted in earlier runs.
    pub unlisted: BTreeSet<u64>,
    /// Saves such ids; `None` restores the listings in the next run.
    pub unlist_store: Option<UnlistStore>,
    /// The runs of the market so far, for a market that goes on from them unless it is frozen; `None` draws a new one.
    pub runs: Option<MarketRuns>,
    /// Saves the runs each minute and at the end; `None` loses this one when the sandbox ends.
    pub run_store: Option<RunStore>,
}

/// Saves changes that outlive the sandbox, or returns the reason it cannot. It may block.
#[derive(Clone)]
pub struct ChangeStore<T>(Arc<SaveChange<T>>);

type SaveChange<T> = dyn Fn(T) -> Result<(), String> + Send + Sync;

/// Saves changes to the workergroups that callers created.
pub type GroupStore = ChangeStore<GroupChange>;

/// Saves the ids of unlisted volumes.
pub type UnlistStore = ChangeStore<u64>;

/// Saves the runs of the market, with the current one.
pub type RunStore = ChangeStore<MarketRuns>;

impl<T> ChangeStore<T> {
    /// A store that saves each change with `save`.
    pub fn new(save: impl Fn(T) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(save))
    }

    /// Saves a change; the error is the reason it cannot be saved.
    fn save(&self, change: T) -> Result<(), String> {
        (self.0)(change)
    }
}

impl<T> std::fmt::Debug for ChangeStore<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChangeStore(…)")
    }
}

/// One of the caller's volume listings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserListing {
    /// The id that unlists it.
    pub id: u64,
    /// Whether it is rented, so that it cannot be unlisted.
    pub rented: bool,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            api_key: None,
            market: MarketConfig::default(),
            freeze: false,
            speed: 1.0,
            rate_limits: true,
            faults: None,
            fault_times: FaultDelays::default(),
            latency: Latency::None,
            keeps_ledger: false,
            groups: MadeGroups::default(),
            group_store: None,
            unlisted: BTreeSet::new(),
            unlist_store: None,
            runs: None,
            run_store: None,
        }
    }
}

impl SandboxConfig {
    /// The runs from which the market goes on at `now`, seconds since 1970; `None` if it is frozen or drawn then.
    pub fn continued_runs(&self, now: f64) -> Option<&MarketRuns> {
        let runs = self.runs.as_ref().filter(|_| !self.freeze);
        runs.filter(|runs| runs.continues(&self.market, now))
    }

    /// The configuration of the market of a sandbox started at `now`, seconds since 1970: it was drawn at the start of
    /// the runs from which it goes on, or is drawn then.
    pub fn market_at(&self, now: f64) -> MarketConfig {
        MarketConfig {
            start: self.continued_runs(now).map_or(now, |runs| runs.start),
            ..self.market
        }
    }
}

/// The entry point of the sandbox: see [`Sandbox::start`].
#[derive(Debug)]
pub struct Sandbox;

impl Sandbox {
    /// Starts a sandbox on the caller's runtime; an error if it cannot bind the address, the system gives no
    /// random numbers, or the embedded figures or keys are invalid.
    pub async fn start(config: SandboxConfig) -> io::Result<Running> {
        let entropy = if config.freeze { 0 } else { random()? };
        let key = match &config.api_key {
            Some(key) => key.clone(),
            None if config.freeze => Token::new(FROZEN_KEY),
            None => Token::new(format!("{:016x}{:016x}", random()?, random()?)),
        };
        let listener = TcpListener::bind(config.listen).await?;
        let addr = listener.local_addr()?;
        let state = Arc::new(State::new(&config, key.clone(), entropy)?);
        let user_listings = state.user_listings();
        let service = server::service(Arc::clone(&state));
        let (stop, mut stopped) = watch::channel(());
        let task = tokio::spawn(async move {
            let service = service.into_make_service_with_connect_info::<ConnectionHandle>();
            axum::serve(Front(listener), service)
                .with_graceful_shutdown(async move {
                    // An error means that `Running` was dropped, which stops it as well.
                    let _ = stopped.changed().await;
                })
                .await
        });
        Ok(Running {
            addr,
            key,
            state,
            user_listings,
            stop,
            task,
        })
    }
}

/// A running sandbox. Dropping it stops it at once; responses in flight may be lost.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    key: Token,
    state: Arc<State>,
    user_listings: Vec<UserListing>,
    stop: watch::Sender<()>,
    task: JoinHandle<io::Result<()>>,
}

impl Running {
    /// The address it listens on, with its real port.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The base address of the marketplace and its router, without a final slash.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The key that callers must send.
    pub fn key(&self) -> &str {
        self.key.expose()
    }

    /// The records of requests, changes and faults so far; empty unless enabled in the configuration.
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// The caller's volume listings at the start. The interface cannot list them.
    pub fn user_listings(&self) -> &[UserListing] {
        &self.user_listings
    }

    /// The configuration of the market; `None` if its clock is frozen.
    pub fn moving_market(&self) -> Option<market::MarketConfig> {
        self.state.moving_market()
    }

    /// Takes the reason the latest failed change could not be saved, so that it is lost when the sandbox
    /// ends; `None` if none has failed since the last call.
    pub fn take_unsaved(&self) -> Option<String> {
        self.state.take_unsaved()
    }

    /// The addresses of the workers to which requests were assigned, each with the address of its machine.
    pub fn workers(&self) -> Vec<(String, String)> {
        self.state.workers.addresses()
    }

    /// A function that returns the root certificate of its workers, PEM; an error once the sandbox has
    /// stopped. It does not keep the sandbox running.
    pub fn worker_root(&self) -> impl Fn() -> io::Result<String> + Send + Sync + 'static {
        let state = Arc::downgrade(&self.state);
        move || {
            let state = state.upgrade().ok_or_else(|| io::Error::other("the sandbox stopped"))?;
            state.workers.root()
        }
    }

    /// Stops the sandbox and its workers: accepts no more requests, and gives responses in flight two seconds
    /// to finish.
    pub async fn stop(mut self) {
        self.stop.send_replace(());
        let state = Arc::clone(&self.state);
        let ended = futures_util::future::join(&mut self.task, state.workers.stop());
        // `drop` ends what is left.
        let _ = tokio::time::timeout(PATIENCE, ended).await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
        self.state.workers.end();
        self.state.save_run();
    }
}

/// 64 random bits from the system.
fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| io::Error::other("the system gives no random numbers"))?;
    Ok(u64::from_le_bytes(bytes))
}

//! The command `bourse watch`: its clock, its requests and its output.

use schemars::JsonSchema;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::Instant;

use super::SavedArguments;
use super::metrics::Metrics;
use super::metrics::server::Server;
use super::one::OneSearch;
use super::targets::{SavedState, Target, Task, nothing_saved, targets};
use super::watcher::{End, Output, Rhythm, Step, Watcher};
use crate::api::client::current_time;
use crate::api::{ApiError, Secret};
use crate::cli::enrich;
use crate::cli::output::CliError;
use crate::cli::sandbox::Stop;
use crate::cli::search::reply;
use crate::cli::{output, table};
use crate::domain::Resource;
use crate::domain::format::{counted, counted_decimal, lasting, trimmed};
use crate::domain::time::{MonotonicTime, Now};
use crate::features::history::arguments::{WatchArguments, WatchFormat};
use crate::process::{self, Terminal};
use crate::record::watch::{Engine, has_same_conditions};
use crate::settings::{Connection, Error, Market, Settings};
use crate::store::StateStore;

/// Maximum time of the user's command for alerts.
///
/// As in the dashboard.
const PATIENCE: Duration = Duration::from_mins(1);

/// Maximum time of the command of `--exec`.
///
/// A command that hangs must not stop the watch for ever.
const EXEC_PATIENCE: Duration = Duration::from_mins(10);

/// The environment variables of a command.
type CommandValues = Vec<(&'static str, String)>;

/// The pace of `bourse watch`, from its flags and the configuration.
fn rhythm(settings: &Settings, options: &WatchArguments) -> Rhythm {
    let every = options.every.map(|every| every.as_secs());
    Rhythm {
        requests_a_minute: settings.preferences.config.values.requests_a_minute,
        every: every.map(|every| u32::try_from(every).unwrap_or(u32::MAX)),
        is_once: options.once,
    }
}

/// Runs `bourse watch`: watches one search, or with `--saved` all saved searches and alerts, until it ends or
/// is stopped by a signal; with `--list` only prints what would be watched. `--metrics` serves its figures.
///
/// `resolve` reads the settings again after the key was refused. `CliError::NotMet` if a signal ends it
/// before the conditions of `--if` are met.
pub async fn watch(
    settings: &Settings,
    resolve: impl Fn() -> Result<Settings, Error>,
    options: &WatchArguments,
    saved: &SavedArguments,
) -> Result<(), CliError> {
    let rhythm = rhythm(settings, options);
    if saved.list {
        return list(settings, rhythm, options.format);
    }
    let one = if saved.saved {
        None
    } else {
        Some(OneSearch::new(settings, options)?)
    };
    // Before the first request, so that a signal always ends it cleanly.
    let mut stop = Stop::new()?;
    let server = match saved.metrics {
        Some(address) => Some(serve_at(address).await?),
        None => None,
    };
    let (publisher, snapshots) = watch::channel(Metrics::default());
    let (jobs, queue) = unbounded_channel();
    let mut run = Run {
        connection: settings.connect().await?,
        settings,
        key: key(settings),
        options,
        started: Instant::now(),
        retries: one.is_some(),
        publisher: server.is_some().then_some(publisher),
    };
    let has_conditions = one.as_ref().is_some_and(|one| one.conditions.is_some());
    let mut watcher = match one {
        Some(one) => {
            Watcher::of_one(settings, rhythm, one, run.now()).map_err(|error| CliError::Failed(error.to_string()))?
        }
        None => Watcher::new(settings, rhythm, run.now()),
    };
    let work = async {
        let command = settings.preferences.config.values.alert_command.as_deref();
        tokio::join!(run.until_done(&mut watcher, &resolve, jobs), commands(command, queue)).0
    };
    let scrapes = async {
        match server {
            Some(server) => server.serve(snapshots).await,
            None => std::future::pending().await,
        }
    };
    let ended = tokio::select! {
        ended = work => ended,
        Err(error) = scrapes => Err(CliError::Failed(format!("--metrics: {error}"))),
        () = stop.wait() => if has_conditions { Err(CliError::NotMet) } else { Ok(()) },
    };
    settings.keep_pacing(&run.connection.session);
    ended
}

/// Starts to listen for scrapes of the watch's metrics, and prints the address, with a warning if other
/// computers can reach it; an error if it cannot listen there.
async fn serve_at(address: SocketAddr) -> Result<Server, CliError> {
    let server = Server::bind(address).await.map_err(|error| {
        CliError::Failed(format!(
            "can't listen on {address}: {error}; give --metrics another address"
        ))
    })?;
    let address = server.address();
    output::note(&format!("metrics at http://{address}/metrics"));
    if !address.ip().is_loopback() {
        output::note(
            "other computers can read the metrics, without encryption: the names of your saved searches and their \
             prices; 127.0.0.1 keeps them on this one",
        );
    }
    Ok(server)
}

/// Runs the user's alert command (`alert_command`) with the variables of each alert that fires, one after
/// another, for up to a minute each, until the queue is closed. Without a command, empties the queue.
async fn commands(command: Option<&str>, mut queue: UnboundedReceiver<CommandValues>) {
    while let Some(values) = queue.recv().await {
        if let Some(command) = command
            && let Err(why) = process::finish(command, values, Terminal::Withheld, PATIENCE).await
        {
            output::note(&format!("alert_command: {why}"));
        }
    }
}

/// The API key of the market; `None` without one, and for the embedded sandbox, which generates its own.
fn key(settings: &Settings) -> Option<Secret> {
    match &settings.market {
        Market::Embedded(_) => None,
        Market::Remote { key, .. } => key.clone(),
    }
}

struct Run<'a> {
    settings: &'a Settings,
    connection: Connection,
    options: &'a WatchArguments,
    started: Instant,
    /// Whether a failed request is retried at once; otherwise the next poll is the retry.
    retries: bool,
    /// The API key in use.
    key: Option<Secret>,
    /// Publishes the figures for the metrics, if they are served.
    publisher: Option<watch::Sender<Metrics>>,
}

impl Run<'_> {
    /// The time since the watch began, and the time of day.
    fn now(&self) -> Now {
        Now {
            mono: MonotonicTime::after(self.started.elapsed()),
            epoch: current_time(),
        }
    }

    /// Polls, waits and prints until the watch ends, by `--once`, `--if` (whose command is run then) or an
    /// error. Variables for the user's alert command go to `jobs`.
    ///
    /// `CliError::NotMet` if it ends without the conditions being met; an error also if nothing was recorded.
    async fn until_done(
        &mut self,
        watcher: &mut Watcher<'_>,
        resolve: &impl Fn() -> Result<Settings, Error>,
        jobs: UnboundedSender<CommandValues>,
    ) -> Result<(), CliError> {
        loop {
            let before = self.now();
            let step = watcher.next(before);
            if let Some(publisher) = &self.publisher {
                publisher.send_replace(watcher.snapshot());
            }
            self.print(watcher.take_output(), &jobs)?;
            match step {
                Step::Send(request) => {
                    let session = &self.connection.session;
                    let result = if self.retries {
                        reply(session, &request).await
                    } else {
                        session.attempt(&request).await
                    };
                    if matches!(result, Err(ApiError::RateLimited { .. })) {
                        // A program that is killed must not have to learn it again.
                        self.settings.keep_pacing(&self.connection.session);
                    }
                    let now = self.now();
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
                    let took = ((now.mono - before.mono) * 1000.0) as u32;
                    watcher.answered(result, took, now);
                }
                Step::Wait(until) => self.sleep_until(until, before).await,
                Step::AwaitApiKey(until) => {
                    self.sleep_until(until, before).await;
                    match self.connect_with_new_key(resolve).await {
                        Ok(true) => watcher.use_new_key(),
                        Ok(false) => {}
                        Err(error) => watcher.on_unusable_key(&error.to_string()),
                    }
                }
                Step::Done => {
                    return match watcher.take_end() {
                        Some(End::Failed(error)) => Err(error.into()),
                        Some(End::Met(values)) => self.execute(values).await,
                        None => match watcher.unrecorded() {
                            Some(why) => Err(CliError::Failed(format!("nothing was recorded: {why}"))),
                            None if watcher.has_conditions() => Err(CliError::NotMet),
                            None => Ok(()),
                        },
                    };
                }
            }
            self.print(watcher.take_output(), &jobs)?;
        }
    }

    /// Runs the command of `--exec` with the variables in `values`; nothing without the flag. An error if it
    /// cannot be run, fails, or takes more than 10 minutes.
    async fn execute(&self, values: CommandValues) -> Result<(), CliError> {
        let Some(command) = &self.options.exec else {
            return Ok(());
        };
        let ended = process::finish(command, values, Terminal::Lent, EXEC_PATIENCE).await;
        ended.map_err(|why| CliError::Failed(format!("--exec: {why}")))
    }

    /// Sleeps until `until`; `started` is the time of the call, against which a suspend is detected.
    ///
    /// After a suspend or clock change, prints a note and drops open connections.
    async fn sleep_until(&self, until: MonotonicTime, started: Now) {
        let wait = Duration::try_from_secs_f64(until - started.mono);
        tokio::time::sleep(wait.unwrap_or_default()).await;
        let now = self.now();
        if now.was_suspended_since(started) {
            let away = lasting(now.epoch - started.epoch);
            output::note(&format!("the computer was asleep, or its clock was set: {away} passed"));
            self.connection.session.drop_connections();
        }
    }

    /// Connects with the key that is configured now; false, without connecting, if that is the refused one or
    /// is for another address, or if the market is an embedded sandbox.
    async fn connect_with_new_key(&mut self, resolve: &impl Fn() -> Result<Settings, Error>) -> Result<bool, Error> {
        let settings = resolve()?;
        let (
            Market::Remote { management, .. },
            Market::Remote {
                management: address, ..
            },
        ) = (&settings.market, &self.settings.market)
        else {
            // An embedded sandbox has its own key, and would be another market.
            return Ok(false);
        };
        let new = key(&settings);
        if new == self.key || management != address {
            return Ok(false);
        }
        self.connection = settings.connect().await?;
        self.key = new;
        Ok(true)
    }

    /// Prints the output in the chosen format, notes on stderr; the variables of alerts that fire go to
    /// `jobs`.
    fn print(&self, output: Vec<Output>, jobs: &UnboundedSender<CommandValues>) -> Result<(), CliError> {
        for one in output {
            let (text, document, member, ring) = match one {
                Output::Note(text) => {
                    output::note(&text);
                    continue;
                }
                Output::Event {
                    text,
                    document,
                    member,
                    ring,
                } => (text, document, member, ring),
            };
            match self.options.format {
                WatchFormat::Text => output::print(&format!("{text}\n"))?,
                WatchFormat::Jsonl | WatchFormat::Json => {
                    let bare = output::document("change", document).to_string();
                    let json = member.map_or_else(|| bare.clone(), |member| enrich::with_member(&bare, &member));
                    output::print_json(&format!("{json}\n"))?;
                }
            }
            if let Some(values) = ring {
                // It fails once the watch ends.
                let _ = jobs.send(values);
            }
        }
        Ok(())
    }
}

/// The searches that `bourse watch --saved` watches.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WatchList {
    searches: Vec<WatchedSearch>,
    requests_per_minute: f64,
    /// Without the limit.
    wanted_per_minute: f64,
    /// The limit.
    most_per_minute: u32,
}

/// A search, and its interval.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WatchedSearch {
    search: String,
    /// The saved searches and alerts that it is for.
    name: String,
    every_seconds: f64,
}

/// Prints the searches that `bourse watch --saved` would watch, with their intervals and the total rate,
/// without watching them; notes on stderr which are left out, and the number of alerts that are not active.
fn list(settings: &Settings, rhythm: Rhythm, format: WatchFormat) -> Result<(), CliError> {
    let saved = settings.paths.as_ref();
    let read = saved.map(|paths| SavedState::read(&StateStore::new(paths, &settings.profile)));
    let saved = read.unwrap_or_default();
    for notice in &saved.notices {
        output::note(notice);
    }
    let at = current_time().moment();
    let (targets, mut left_out) = targets(settings, &saved, None, at);
    left_out.extend(targets.is_empty().then(|| nothing_saved(settings)));
    for text in left_out {
        output::note(&text);
    }
    let idle = saved.alerts.alerts.iter().filter(|alert| !alert.is_active(at)).count();
    if idle > 0 {
        let idle = counted(idle, "alert is", "alerts are");
        output::note(&format!("{idle} paused or will not ring again"));
    }
    let start = MonotonicTime::default();
    let mut engine = Engine::new(rhythm.requests_a_minute, start, has_same_conditions);
    engine.replace_wishes(targets.iter().map(|target| target.wish(rhythm, start)), start);
    let every = |target: &Target| engine.interval(rhythm.every(&target.task));
    let (wanted, rate) = (engine.wanted_per_minute(), engine.sent_per_minute());
    if format != WatchFormat::Text {
        let searches = targets.iter().map(|target| WatchedSearch {
            search: described(&target.task),
            name: target.name(),
            every_seconds: every(target),
        });
        let content = WatchList {
            searches: searches.collect(),
            requests_per_minute: rate,
            wanted_per_minute: wanted,
            most_per_minute: rhythm.requests_a_minute,
        };
        return output::print_document("watch-list", content);
    }
    let rows = targets
        .iter()
        .map(|target| vec![described(&target.task), target.name(), lasting(every(target))]);
    let titles = ["Search", "Saved searches and alerts", "Every"]
        .map(str::to_owned)
        .to_vec();
    let rows: Vec<_> = std::iter::once(titles).chain(rows).collect();
    let (table, most) = (table::plain(&rows), rhythm.requests_a_minute);
    let slower = if wanted > rate {
        format!(", not the {} that they want", trimmed(wanted, 1))
    } else {
        String::new()
    };
    let rate = counted_decimal(rate, "request", "requests");
    output::print(&format!(
        "{table}\n{rate} a minute{slower}; at most {most} by watch.requests_per_minute\n"
    ))
}

/// The description of a watched search for the list of watches: its kind of offers and its conditions, the
/// workergroup, or the list of workergroups.
fn described(task: &Task) -> String {
    match task {
        Task::Groups => "the list of workergroups".to_owned(),
        Task::Group(id) => format!("workergroup {id}"),
        Task::Search(key, ..) => {
            let kind = match key.resource {
                Resource::Offers => key.offer_type.wire(),
                Resource::Volumes | Resource::Workergroups => key.resource.nouns(),
            };
            format!("{kind} {}", key.conditions)
        }
    }
}

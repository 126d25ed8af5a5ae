//! Runs of route requests. They belong to the market, not to a view: a run continues while the
//! route lab is closed.
//!
//! The schedule is the domain's ([`Run`]); this module passes it the time, and turns its attempts
//! into requests. Replies carry the times at which they were sent and received, measured at the
//! socket, so that a busy core adds nothing to a latency.

pub(crate) mod command;
pub mod view;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::api::attempt::{completion, route_call, with_call};
use crate::api::{Request, Secret};
use crate::core::feature::{Event, Feature, FeatureState, Headline};
pub use crate::core::message::Notification;
use crate::core::message::{Effect, News, Routed};
use crate::core::owners::Owner;
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::dialect::RouteKey;
use crate::domain::format::counted;
use crate::domain::insight::total;
use crate::domain::objection::Objection;
use crate::domain::routing::{Attempt, End, Jitter, Phase, RoutePlan, Run, words};
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{CellRef, Listing, Resource};
use crate::keys::pane::Pane;
use crate::keys::{Action, Context};
use crate::table::remote::{Ticket, Tickets};

pub(crate) const FEATURE: Feature = Feature {
    state: |_| Some(Box::new(Routes::default())),
    deadline: |state, now| Routes::read(state).deadline(now),
    event: |cx, event| {
        if let Event::Restored(restored) = event {
            cx.feature::<Routes>().seed(restored.seed);
        }
    },
    tick: step,
    headline,
    lost_by_quitting: |state| {
        let routes = Routes::read(state);
        if let Some(run) = routes.active() {
            return Some(format!(
                "A route run is in progress: {}. Quitting stops it and discards results that were not exported.",
                words::describe_plan(run.run().plan())
            ));
        }
        let count = routes.runs.iter().filter(|run| run.is_only_in_memory()).count();
        let runs = counted(count, "route run was", "route runs were");
        (count > 0).then(|| format!("{runs} not exported: quitting discards the results."))
    },
    run_of: |state, ticket| Routes::read(state).run_of(ticket),
    ..Feature::IDLE
};

impl FeatureState for Routes {}

impl Routes {
    /// The route runs in the dashboard's state.
    pub fn read(state: &State) -> &Self {
        state.feature()
    }
}

/// Maximum number of runs in memory.
///
/// A comparison is of two; older runs are exported when they matter.
const MOST_RUNS: usize = 20;

/// Maximum number of attempts of all runs in memory, above which the oldest run is dropped.
///
/// A run of a day at about six requests a second.
const MOST_ATTEMPTS: usize = 500_000;

/// A run and its requests.
#[derive(Debug)]
pub struct RouteRun {
    /// Its number, starting at 1 when the program starts.
    pub number: u64,
    run: Arc<Run>,
    /// The workergroup's key, if requests carry it; removed when the run is over.
    key: Option<Secret>,
    /// The reason it ended, unless it ended by its plan.
    pub note: Option<&'static str>,
    is_announced: bool,
    /// Whether an export of it was requested after its end.
    is_exported: bool,
}

impl RouteRun {
    /// Whether quitting discards results worth keeping: replies to an ended run of several requests that was
    /// not exported.
    fn is_only_in_memory(&self) -> bool {
        let has_results = !self.run.plan().is_single() && self.run.stats().answered() > 0;
        has_results && !self.is_exported && !self.is_active()
    }

    /// The plan, the attempts and their figures.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Whether the run is not over: replies may still arrive or requests be sent, also while paused.
    pub fn is_active(&self) -> bool {
        !self.run.is_over()
    }

    /// Advances the schedule to `now`; returns the effects that send the requests due.
    fn step(&mut self, flights: &mut Flights, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let due = Arc::make_mut(&mut self.run).step(now.mono);
        due.into_iter()
            .map(|attempt| self.send(&attempt, flights, tickets))
            .collect()
    }

    /// The effect that sends an attempt, which is recorded as in flight under a new ticket.
    fn send(&mut self, attempt: &Attempt, flights: &mut Flights, tickets: &mut Tickets) -> Effect {
        let ticket = tickets.take();
        flights.insert(ticket, (self.number, attempt.index));
        let plan = self.run.plan();
        let request = Request::Route(route_call(plan, attempt.cost, attempt.request_idx, self.key.clone()));
        match plan.hop.clone() {
            None => Effect::Call { ticket, request },
            Some(hop) => Effect::RouteOn { ticket, request, hop },
        }
    }

    /// Ends the run and removes its key; returns the aborts of its requests in flight.
    fn stop(&mut self, flights: &mut Flights, now: Now) -> Vec<Effect> {
        Arc::make_mut(&mut self.run).stop(now.mono);
        self.key = None;
        let (broken, others) = std::mem::take(flights)
            .into_iter()
            .partition::<Flights, _>(|(_, (run, _))| *run == self.number);
        *flights = others;
        broken.into_keys().map(Effect::Abort).collect()
    }

    /// The desktop notification that a run of several requests has ended; `None` while it is active, after
    /// the first call since then, for a single request, and if the user stopped it.
    fn announcement(&mut self) -> Option<Effect> {
        if self.is_active() || self.is_announced {
            return None;
        }
        self.is_announced = true;
        let was_stopped = self.run.phase() == Phase::Ended(End::Stopped) && self.note.is_none();
        if self.run.plan().is_single() || was_stopped {
            return None;
        }
        Some(Effect::Notify(Box::new(Notification {
            title: "Route run ended".to_owned(),
            text: words::describe_result(&self.run),
            urgent: None,
        })))
    }
}

/// The numbers of the run and the attempt of each request in flight.
type Flights = BTreeMap<Ticket, (u64, u64)>;

/// The runs since the program started.
#[derive(Debug)]
pub struct Routes {
    runs: Vec<RouteRun>,
    flights: Flights,
    started: u64,
    /// The injected load of the runs dropped from memory.
    load_before: f64,
    random: fastrand::Rng,
}

impl Default for Routes {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            flights: BTreeMap::new(),
            started: 0,
            load_before: 0.0,
            random: fastrand::Rng::with_seed(0),
        }
    }
}

impl Routes {
    /// Sets the seed of the random waits between polls of the route runs.
    pub fn seed(&mut self, seed: u64) {
        self.random = fastrand::Rng::with_seed(seed);
    }

    /// The route runs in memory, the latest last: at most 20 unless more are active.
    pub fn runs(&self) -> &[RouteRun] {
        &self.runs
    }

    /// The route run with that number; `None` if it is unknown or no longer in memory.
    pub fn run(&self, number: u64) -> Option<&RouteRun> {
        self.runs.iter().find(|run| run.number == number)
    }

    /// The number of the route run that a request in flight belongs to; `None` for other requests, once its
    /// reply has arrived, and after the run was stopped.
    pub(crate) fn run_of(&self, ticket: Ticket) -> Option<u64> {
        self.flights.get(&ticket).map(|(run, _)| *run)
    }

    /// Notes that an export of a run was requested; nothing for a run that is active or no longer in memory.
    pub(crate) fn note_export(&mut self, number: u64) {
        let run = self
            .runs
            .iter_mut()
            .find(|run| run.number == number && !run.is_active());
        if let Some(run) = run {
            run.is_exported = true;
        }
    }

    /// The run that started last; `None` without runs.
    pub fn latest(&self) -> Option<&RouteRun> {
        self.runs.last()
    }

    /// The route run in progress (also a paused one), `None` if there is none; a series takes precedence over
    /// a single request.
    pub fn active(&self) -> Option<&RouteRun> {
        self.active_series()
            .or_else(|| self.runs.iter().find(|run| run.is_active()))
    }

    /// The run of more than one request that is in progress; `None` if there is none.
    pub fn active_series(&self) -> Option<&RouteRun> {
        let is_series = |run: &&RouteRun| run.is_active() && !run.run.plan().is_single();
        self.runs.iter().find(is_series)
    }

    /// The load, as estimated, of all requests that were sent and not refused since the program started, of
    /// dropped runs as well.
    pub fn load_injected(&self) -> f64 {
        let here = total(self.runs.iter().map(|run| run.run.load_injected()));
        self.load_before + here
    }

    /// Starts a route run, which sends `key` with its requests if given; returns its number and the effects
    /// that send its first requests.
    ///
    /// # Errors
    ///
    /// The mistakes in the plan.
    fn start(
        &mut self,
        plan: RoutePlan,
        key: Option<Secret>,
        tickets: &mut Tickets,
        now: Now,
    ) -> Result<(u64, Vec<Effect>), Vec<Objection>> {
        let run = Run::start(plan, now.mono, now.epoch)?;
        self.make_room();
        self.started += 1;
        let mut route_run = RouteRun {
            number: self.started,
            run: Arc::new(run),
            key,
            note: None,
            is_announced: false,
            is_exported: false,
        };
        let effects = route_run.step(&mut self.flights, tickets, now);
        self.runs.push(route_run);
        Ok((self.started, effects))
    }

    /// Drops the oldest finished runs until there is room for another, in number of runs and of attempts.
    fn make_room(&mut self) {
        loop {
            let attempts: usize = self.runs.iter().map(|run| run.run.samples().len()).sum();
            if self.runs.len() < MOST_RUNS && attempts < MOST_ATTEMPTS {
                return;
            }
            let Some(oldest) = self.runs.iter().position(|run| !run.is_active()) else {
                return;
            };
            let gone = self.runs.remove(oldest);
            self.load_before += gone.run.load_injected();
        }
    }

    /// Advances the active route runs to `now`; returns the effects that send due requests and announce ended
    /// runs.
    fn step(&mut self, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let mut effects = Vec::new();
        for run in self.runs.iter_mut().filter(|run| run.is_active()) {
            effects.extend(run.step(&mut self.flights, tickets, now));
            effects.extend(run.announcement());
        }
        effects
    }

    /// Completes the attempt of a ticket with its reply; returns the effects of the next due requests, or the
    /// aborts if the key was refused three times in a row, and the notification of the run's end. Ignores
    /// unknown tickets.
    fn routed(&mut self, ticket: Ticket, reply: Routed, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let Some((number, index)) = self.flights.remove(&ticket) else {
            return Vec::new();
        };
        let Some(route_run) = self.runs.iter_mut().find(|run| run.number == number) else {
            return Vec::new();
        };
        let jitter = Jitter {
            ceiling: self.random.f64(),
            wait: self.random.f64(),
        };
        let run = Arc::make_mut(&mut route_run.run);
        run.sent_at(index, reply.sent);
        let completion = with_call(completion(reply.response, reply.bytes), reply.called);
        run.complete(index, reply.ended, completion, jitter);
        let mut effects = if run.is_refused() && run.phase() == Phase::Running {
            route_run.note = Some("stopped: unauthorized three times in a row");
            route_run.stop(&mut self.flights, now)
        } else {
            route_run.step(&mut self.flights, tickets, now)
        };
        if route_run.run.is_over() {
            route_run.key = None;
        }
        effects.extend(route_run.announcement());
        effects
    }

    /// The next time at which the route runs must be woken: to send, and after a second to update the
    /// progress in the header. `None` without an active run.
    pub(crate) fn deadline(&self, now: Now) -> Option<MonotonicTime> {
        let runs = self.runs.iter().filter(|run| run.is_active());
        let wakes = runs.clone().filter_map(|run| run.run.wake());
        let clock = runs.clone().next().map(|_| now.mono + 1.0);
        wakes.chain(clock).min()
    }
}

/// The reason a run did not start.
#[derive(Debug, Clone, PartialEq)]
pub enum NotStarted {
    Plan(Vec<Objection>),
    /// Another series is in progress, or there is no key to send.
    Held(String),
}

/// The reason a plan cannot start while another series is in progress; `None` for a single request, and if
/// there is no such series.
fn series_in_the_way(state: &State, plan: &RoutePlan) -> Option<String> {
    Routes::read(state).active_series().filter(|_| !plan.is_single())?;
    let stop = state.keymap.key_in(&[Context::RouteLab], Action::Remove);
    Some(format!("A run is in progress: stop it first ({stop} in the route lab)"))
}

/// Starts a route run; returns its number.
///
/// # Errors
///
/// When the plan is invalid, a series is in progress and this is another, or the market routes by a key that
/// is not loaded.
pub fn start(cx: &mut Cx<'_>, plan: RoutePlan) -> Result<u64, NotStarted> {
    let (now, state) = (cx.now, cx.state());
    if let Some(why) = series_in_the_way(state, &plan) {
        return Err(NotStarted::Held(why));
    }
    let key = route_key(state, &plan.endpoint).map_err(NotStarted::Held)?;
    let lent = cx.lend::<Routes>();
    let started = lent.feature.start(plan, key, lent.tickets, now);
    let (number, effects) = started.map_err(NotStarted::Plan)?;
    cx.effects_for(Owner::Feature(routed), effects);
    Ok(number)
}

/// Pauses a route run or resumes a paused one; nothing if it has ended or is unknown.
pub fn pause(cx: &mut Cx<'_>, number: u64) {
    let now = cx.now;
    let mut runs = cx.feature::<Routes>().runs.iter_mut();
    let Some(route_run) = runs.find(|run| run.number == number) else {
        return;
    };
    let run = Arc::make_mut(&mut route_run.run);
    match run.phase() {
        Phase::Paused => run.resume(now.mono),
        Phase::Running | Phase::Draining => run.pause(now.mono),
        Phase::Ended(_) => {}
    }
    step(cx);
}

/// Stops a route run and aborts its requests in flight; nothing if there is no such run.
pub fn stop(cx: &mut Cx<'_>, number: u64) {
    let now = cx.now;
    let Routes { runs, flights, .. } = cx.feature::<Routes>();
    let Some(run) = runs.iter_mut().find(|run| run.number == number) else {
        return;
    };
    let mut effects = run.stop(flights, now);
    effects.extend(run.announcement());
    cx.effects_for(Owner::Feature(routed), effects);
}

/// Handles the reply to a request of a route run, and sends the requests that are due then.
fn routed(cx: &mut Cx<'_>, ticket: Ticket, news: News) {
    let News::Routed(reply) = news else { return };
    let now = cx.now;
    let lent = cx.lend::<Routes>();
    let effects = lent.feature.routed(ticket, *reply, lent.tickets, now);
    cx.effects_for(Owner::Feature(routed), effects);
}

/// Advances all route runs to the present, and sends the requests that are due.
fn step(cx: &mut Cx<'_>) {
    let now = cx.now;
    let lent = cx.lend::<Routes>();
    let effects = lent.feature.step(lent.tickets, now);
    cx.effects_for(Owner::Feature(routed), effects);
}

/// Requests the list of workergroups unless it is loaded, loading or failed.
///
/// A run needs their endpoints, and perhaps a key.
pub fn load_endpoints(cx: &mut Cx<'_>) {
    let groups = cx.table(Resource::Workergroups);
    if groups.listing().is_none() && !groups.remote().is_loading() && groups.remote().error().is_none() {
        cx.ask(Resource::Workergroups);
    }
}

/// The workergroup's key for route requests to an endpoint; `None` if the market routes by the profile's key.
///
/// # Errors
///
/// A sentence, when the workergroups are not loaded or none with a key serves the endpoint.
fn route_key(state: &State, endpoint: &str) -> Result<Option<Secret>, String> {
    if state.profile.dialect.route_key == RouteKey::Profile {
        return Ok(None);
    }
    let Some(listing) = state.browsers[Resource::Workergroups].listing() else {
        let open = state.keymap.key_of(Action::Pane(Pane::Workergroups));
        return Err(format!(
            "This market routes with the workergroup's own key, and no workergroups are \
             loaded: open Workergroups ({open}) first"
        ));
    };
    let key = key_serving(listing, endpoint);
    key.map(Some).ok_or_else(|| {
        "This market routes with the workergroup's own key, and no workergroup with a key \
         serves this endpoint"
            .to_owned()
    })
}

/// The endpoint of the selected workergroup; `None` in other panes, without a selection, and if the group has
/// none.
pub fn selected_endpoint(state: &State) -> Option<String> {
    if state.pane != Pane::Workergroups {
        return None;
    }
    let groups = &state.browsers[Resource::Workergroups];
    let (row, listing) = (groups.selected_row()?, groups.listing()?);
    let name = listing.cell_of(row, "endpoint_name").text();
    name.filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The key of the first workergroup that serves an endpoint and whose record has a key; `None` if there is
/// none.
fn key_serving(listing: &Listing, endpoint: &str) -> Option<Secret> {
    let catalog = listing.catalog();
    let (name, key) = (catalog.by_key("endpoint_name")?, catalog.by_key("api_key")?);
    (0..listing.len())
        .filter(|row| listing.cell(*row, name) == CellRef::Text(endpoint))
        .find_map(|row| listing.cell(row, key).text().filter(|key| !key.is_empty()))
        .map(Secret::new)
}

/// Whether a path has the extension (`csv`), in any case; false if its file name is nothing else.
pub fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case(extension))
}

/// The progress of the active route run, for the header; `None` if no run is active.
pub fn headline(state: &State, now: Now) -> Option<Headline> {
    let run = Routes::read(state).active()?.run();
    if run.plan().is_single() {
        return Some(Headline {
            text: "route request in flight".to_owned(),
            short: "routing".to_owned(),
        });
    }
    let percent = run.progress(now.mono) * 100.0;
    let is_paused = run.phase() == Phase::Paused;
    let why = words::describe_rate_limit_wait(run, now.mono).or_else(|| words::waiting_for(run));
    let why = match why {
        _ if is_paused => ", paused".to_owned(),
        Some(why) => format!(", {why}"),
        None => String::new(),
    };
    let word = if is_paused { "paused" } else { "run" };
    Some(Headline {
        text: format!("route run {percent:.0}%{why}"),
        short: format!("{word} {percent:.0}%"),
    })
}

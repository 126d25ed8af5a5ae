//! The route lab: asking the routing endpoint, once or in a series, and what came of it.
//!
//! Runs belong to the lab, not to its view: they go on while the view is closed. The schedule is
//! the domain's ([`Run`]); here it is told the time, and its attempts become requests. Answers carry
//! the moments at which they were sent and ended, measured where that happened.

mod act;
mod attempt;
mod attempts;
mod form;
mod next_hop;
mod start;
mod text;
mod view;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::message::Effect;
use super::remote::{Now, Ticket, Tickets};
use crate::api::attempt::completion;
use crate::api::{ApiError, Reply, Request, RouteCall, Secret};
use crate::domain::Untrusted;
use crate::domain::objection::Objection;
use crate::domain::routing::{
    Attempt, Completion, Outcome, OutcomeKind, Phase, RoutePlan, RouteSample, Run,
};
use crate::widgets::text_input::TextInput;

pub(super) use act::{act, disabled, tick};
pub use attempts::AttemptList;
pub use form::{Entry, Mode, RouteForm};
pub use next_hop::{NO_PAYLOAD, NextHop, Unwritten};
pub(super) use start::{launch, open};
pub(super) use text::{click, pasted, typed, wheel};
pub use view::{Page, RouteView};

/// The most runs that are kept.
const MOST_RUNS: usize = 20;

/// The most attempts that all kept runs may have before the oldest run leaves.
const MOST_ATTEMPTS: usize = 500_000;

/// A run that is written to a file while it may go on.
#[derive(Debug, Clone)]
pub struct RunAsItStands(pub Arc<Run>);

impl PartialEq for RunAsItStands {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A run and the requests that belong to it.
#[derive(Debug)]
pub struct LabRun {
    /// Its number, from 1.
    pub number: u64,
    run: Arc<Run>,
    /// The request of each attempt in flight.
    tickets: BTreeMap<u64, Ticket>,
    /// The group's key, where requests carry it, until the run is over.
    key: Option<Secret>,
    /// Why it ended, where the plan does not say it.
    pub note: Option<&'static str>,
}

impl LabRun {
    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Whether answers may still come or requests go.
    pub fn is_active(&self) -> bool {
        !self.run.is_over()
    }

    /// Sends what is due.
    fn step(&mut self, lab: &mut Flights, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let due = Arc::make_mut(&mut self.run).step(now.mono);
        due.into_iter()
            .map(|attempt| self.send(&attempt, lab, tickets))
            .collect()
    }

    fn send(&mut self, attempt: &Attempt, lab: &mut Flights, tickets: &mut Tickets) -> Effect {
        let ticket = tickets.take();
        lab.insert(ticket, (self.number, attempt.index));
        self.tickets.insert(attempt.index, ticket);
        Effect::Call {
            ticket,
            request: Request::Route(RouteCall {
                endpoint: self.run.plan().endpoint.clone(),
                cost: attempt.cost,
                key: self.key.clone(),
            }),
        }
    }

    /// Stops at once; the requests in flight are to be broken off.
    fn stop(&mut self, lab: &mut Flights, now: Now) -> Vec<Effect> {
        let broken = Arc::make_mut(&mut self.run).stop(now.mono);
        self.key = None;
        broken
            .iter()
            .filter_map(|index| self.tickets.remove(index))
            .map(|ticket| {
                lab.remove(&ticket);
                Effect::Abort(ticket)
            })
            .collect()
    }
}

/// Which attempt of which run a request is.
type Flights = HashMap<Ticket, (u64, u64)>;

/// The lab.
#[derive(Debug)]
pub struct RouteLab {
    /// What the next run is to be.
    pub form: RouteForm,
    /// What the worker is to be sent.
    pub hop: NextHop,
    /// Where a run is to be written.
    pub export_path: TextInput,
    /// What was suggested there; another text is the person's.
    suggested_path: String,
    /// The page in sight.
    pub page: Page,
    /// The attempts of the run in sight.
    pub attempts: AttemptList,
    /// Lines scrolled away on a page that is only read.
    pub scroll: usize,
    runs: Vec<LabRun>,
    shown: usize,
    flights: Flights,
    started: u64,
    load_gone: f64,
    random: fastrand::Rng,
}

impl Default for RouteLab {
    fn default() -> Self {
        Self {
            form: RouteForm::default(),
            hop: NextHop::default(),
            export_path: TextInput::default(),
            suggested_path: String::new(),
            page: Page::default(),
            attempts: AttemptList::default(),
            scroll: 0,
            runs: Vec::new(),
            shown: 0,
            flights: HashMap::new(),
            started: 0,
            load_gone: 0.0,
            random: fastrand::Rng::with_seed(0),
        }
    }
}

impl RouteLab {
    /// Takes chance in: the waits between polls are spread by it, the same for the same seed.
    pub fn seed(&mut self, seed: u64) {
        self.random = fastrand::Rng::with_seed(seed);
    }

    /// The runs, oldest first.
    pub fn runs(&self) -> &[LabRun] {
        &self.runs
    }

    /// The number of the run that a request belongs to, until it is over.
    pub(super) fn run_of(&self, ticket: Ticket) -> Option<u64> {
        self.flights.get(&ticket).map(|(run, _)| *run)
    }

    /// The run in sight.
    pub fn shown(&self) -> Option<&LabRun> {
        self.runs.get(self.shown)
    }

    /// The place of the run in sight among [`RouteLab::runs`].
    pub const fn shown_place(&self) -> usize {
        self.shown
    }

    /// The attempts of the run in sight that have ended.
    pub fn samples(&self) -> &[RouteSample] {
        self.shown().map_or(&[], |lab_run| lab_run.run.samples())
    }

    /// The run that is not over, if there is one: the series before a single request.
    pub fn active(&self) -> Option<&LabRun> {
        let series = |run: &&LabRun| run.is_active() && !run.run.plan().is_single();
        self.runs
            .iter()
            .find(series)
            .or_else(|| self.runs.iter().find(|run| run.is_active()))
    }

    /// Sum of the load estimates sent and not refused since the program started.
    pub fn load_injected(&self) -> f64 {
        let kept: f64 = self.runs.iter().map(|run| run.run.load_injected()).sum();
        self.load_gone + kept
    }

    /// The place among the attempts of the one that commands are about: the selected one on the
    /// page of attempts, else the latest.
    pub fn selected(&self) -> Option<usize> {
        let samples = self.samples();
        if self.page == Page::Attempts {
            return self.attempts.place(self.attempts.cursor(samples), samples);
        }
        samples.len().checked_sub(1)
    }

    /// The latest assignment whose reply is kept, the selected one first.
    pub fn assignment(&self) -> Option<usize> {
        let run = &self.shown()?.run;
        let is_kept = |place: &usize| {
            run.samples().get(*place).is_some_and(|sample| {
                sample.outcome.worker().is_some() && run.reply(sample.index).is_some()
            })
        };
        self.selected().filter(is_kept).or_else(|| {
            let places = 0..run.samples().len();
            places.rev().take(2000).find(is_kept)
        })
    }

    /// The worker and the whole reply of an assignment.
    pub fn assigned(&self, place: usize) -> Option<(&Untrusted, &Untrusted)> {
        let run = &self.shown()?.run;
        let sample = run.samples().get(place)?;
        Some((sample.outcome.worker()?, run.reply(sample.index)?))
    }

    fn show_run(&mut self, place: usize) {
        if place < self.runs.len() && place != self.shown {
            self.shown = place;
            self.attempts.reset();
            self.scroll = 0;
        }
    }

    /// Begins a run, or says what stands against its plan.
    fn start(
        &mut self,
        plan: RoutePlan,
        key: Option<Secret>,
        tickets: &mut Tickets,
        now: Now,
    ) -> Result<Vec<Effect>, Vec<Objection>> {
        let run = Run::start(plan, now.mono, now.epoch)?;
        self.make_room();
        self.started += 1;
        let mut lab_run = LabRun {
            number: self.started,
            run: Arc::new(run),
            tickets: BTreeMap::new(),
            key,
            note: None,
        };
        let effects = lab_run.step(&mut self.flights, tickets, now);
        self.runs.push(lab_run);
        self.shown = usize::MAX;
        self.show_run(self.runs.len() - 1);
        self.page = Page::Overview;
        Ok(effects)
    }

    /// Lets the oldest runs that are over go.
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
            self.load_gone += gone.run.load_injected();
        }
    }

    /// Sends what is due in all runs.
    fn step(&mut self, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let mut effects = Vec::new();
        for lab_run in self.runs.iter_mut().filter(|run| run.is_active()) {
            effects.extend(lab_run.step(&mut self.flights, tickets, now));
        }
        effects
    }

    /// Takes an answer in and sends what is due now.
    fn routed(&mut self, answer: Answer, tickets: &mut Tickets, now: Now) -> Vec<Effect> {
        let Some((number, index)) = self.flights.remove(&answer.ticket) else {
            return Vec::new();
        };
        let Some(lab_run) = self.runs.iter_mut().find(|run| run.number == number) else {
            return Vec::new();
        };
        lab_run.tickets.remove(&index);
        let jitter = self.random.f64();
        let run = Arc::make_mut(&mut lab_run.run);
        run.sent_at(index, answer.sent);
        run.complete(index, answer.ended, answer.completion, jitter);
        if run.is_refused() && run.phase() == Phase::Running {
            lab_run.note = Some("stopped: refused three times in a row (unauthorized)");
            return lab_run.stop(&mut self.flights, now);
        }
        let effects = lab_run.step(&mut self.flights, tickets, now);
        if lab_run.run.is_over() {
            lab_run.key = None;
        }
        effects
    }

    /// When the lab wants to be woken: to send, to go on searching, to show time passing.
    pub(super) fn deadline(&self, now: Now, is_in_sight: bool) -> Option<f64> {
        let runs = self.runs.iter().filter(|run| run.is_active());
        let wakes = runs.clone().filter_map(|lab_run| lab_run.run.wake());
        let clock = runs
            .clone()
            .next()
            .map(|_| now.mono + if is_in_sight { 0.25 } else { 1.0 });
        let search = self.attempts.is_behind(self.samples()).then_some(now.mono);
        wakes.chain(clock).chain(search).reduce(f64::min)
    }
}

/// An answer as it is taken in.
pub(super) struct Answer {
    ticket: Ticket,
    sent: f64,
    ended: f64,
    completion: Completion,
}

impl Answer {
    /// What came back for a request, with its moments on the clock that never jumps.
    pub(super) fn new(
        ticket: Ticket,
        moments: (f64, f64),
        bytes: u64,
        result: Result<Reply, ApiError>,
    ) -> Self {
        let (sent, ended) = moments;
        Self {
            ticket,
            sent,
            ended,
            completion: completion(result, bytes),
        }
    }
}

/// Takes an answer in.
pub(super) fn routed(model: &mut super::Model, now: Now, answer: Answer) -> Vec<Effect> {
    let crate::app::State {
        route_lab, tickets, ..
    } = &mut model.state;
    route_lab.routed(answer, tickets, now)
}

/// The signature of an assignment, from its whole reply.
pub fn signature(reply: &Untrusted) -> Option<Untrusted> {
    let reply: serde_json::Value = serde_json::from_str(reply.compared()).ok()?;
    match reply.get("signature")? {
        serde_json::Value::String(signature) => Some(Untrusted::from(signature.as_str())),
        _ => None,
    }
}

/// Whether a file of that name is to hold CSV.
pub fn is_csv(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

/// How many attempts ended without an assignment and without a status reply, those broken off left
/// out.
pub fn failed(run: &Run) -> u64 {
    OutcomeKind::ALL
        .into_iter()
        .filter(|kind| {
            !matches!(
                kind,
                OutcomeKind::Assigned | OutcomeKind::Waiting | OutcomeKind::Cancelled
            )
        })
        .map(|kind| run.stats().count(kind))
        .sum()
}

/// Whether an attempt was assigned a worker whose reply repeats the request as it was sent.
pub const fn is_clean(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Assigned { echoed: true, .. })
}

//! The watch, without a clock and sockets: it says what to send and when, takes the responses, records them,
//! checks alerts and says what to tell.

mod troubles;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use self::troubles::{ALERTS, BUDGET, GROUPS, KEY, MARKET, RECORD};
use super::rules::Schedule;
use super::targets::{Target, Task, targets};
use crate::api::{ApiError, Reply, Request};
use crate::cli::wanted::{self, Wanted};
use crate::domain::format::{counted, trimmed};
use crate::domain::saved::Searches;
use crate::domain::text::visible;
use crate::domain::{Listing, Query};
use crate::features::alerts;
use crate::features::history::command::rfc3339;
use crate::features::history::watch_command::{cause_search, causes, changes, json_of, line};
use crate::features::search::command::arranged;
use crate::record::alerts::{Alert, AlertChange, Logged};
use crate::record::store::{Database, HistoryError, PollLocks, ProgramId, SharedBudget};
use crate::record::{AlertState, Arrival, Lot, Moment, Poll, Ring, SearchKey};
use crate::settings::Settings;
use crate::store::{SavedState, StateStore};
use crate::table::remote::Now;

/// Seconds between two searches, unless the person chose another.
const EVERY: u32 = 60;

// A group's search changes when a person edits it.
/// Seconds between two lists of workergroups.
const LIST_EVERY: u32 = 600;

// Rings and changes are told at most a quarter of an interval late.
/// How often, between two polls of another program, it is read whether it recorded one.
const LOOKS: f64 = 4.0;

// As often as there is something to do, and soon enough after a person changed something.
/// Seconds after which the files of searches, alerts and bans are read again, at the least and at the most.
const RELOAD: (u32, u32) = (60, 600);

#[derive(Debug)]
pub enum Step {
    /// Send this and hand over the response: nothing else meanwhile.
    Send(Request),
    /// Nothing until this moment on the monotonic clock.
    Wait(f64),
    /// Nothing until there is another key, which is looked for at this moment: [`Watcher::use_new_key`].
    AwaitKey(f64),
    /// All had their turn.
    Done,
}

#[derive(Debug)]
pub enum Told {
    Note(String),
    /// A change, or a ring with what the person's command gets.
    Event {
        text: String,
        json: Json,
        ring: Option<Vec<(&'static str, String)>>,
    },
}

#[derive(Debug, Clone, Copy)]
pub struct Rhythm {
    pub requests_a_minute: u32,
    /// Seconds between two searches of one target, if the person chose.
    pub every: Option<u32>,
    /// Each target has one turn.
    pub is_once: bool,
}

impl Rhythm {
    /// Seconds after which the person's files are read again.
    fn reload(self) -> f64 {
        f64::from(self.every.unwrap_or(EVERY).clamp(RELOAD.0, RELOAD.1))
    }

    /// Seconds between two requests of a task.
    pub fn every(self, task: &Task) -> f64 {
        f64::from(match task {
            Task::Search(_) | Task::Group(_) => self.every.unwrap_or(EVERY),
            Task::Groups => LIST_EVERY,
        })
    }
}

/// A poll that waits for the reasons why lots are gone.
#[derive(Debug)]
struct Unrecorded {
    poll: Poll,
    workers: Option<u32>,
    missing: Vec<Lot>,
    query: Query,
}

#[derive(Debug)]
pub struct Watcher<'a> {
    settings: &'a Settings,
    rhythm: Rhythm,
    schedule: Schedule<Task>,
    targets: Vec<Target>,
    /// The target whose response is awaited.
    awaited: usize,
    unrecorded: Option<Unrecorded>,
    store: Option<StateStore>,
    saved: SavedState,
    /// Changes of alerts that the file does not have.
    unsaved: Vec<AlertChange>,
    groups: Option<Box<Listing>>,
    /// What the targets were made of.
    made_of: Option<(Searches, Vec<Alert>)>,
    reloaded: Option<f64>,
    record: Option<Database>,
    /// What all programs of the profile send.
    budget: SharedBudget,
    program: ProgramId,
    has_recorded: bool,
    /// What has been wrong with something since it was last right, the newest last: each is said once.
    troubles: BTreeMap<String, Vec<String>>,
    said: BTreeSet<String>,
    told: Vec<Told>,
}

impl<'a> Watcher<'a> {
    pub fn new(settings: &'a Settings, rhythm: Rhythm, now: Now) -> Self {
        Self {
            settings,
            rhythm,
            schedule: Schedule::new(rhythm.requests_a_minute, now.mono),
            targets: Vec::new(),
            awaited: 0,
            unrecorded: None,
            store: None,
            saved: SavedState::default(),
            unsaved: Vec::new(),
            groups: None,
            made_of: None,
            reloaded: None,
            record: None,
            budget: SharedBudget::new(&settings.history_location()),
            program: ProgramId::of_process(),
            has_recorded: false,
            troubles: BTreeMap::new(),
            said: BTreeSet::new(),
            told: Vec::new(),
        }
    }

    pub fn next(&mut self, now: Now) -> Step {
        if let Some(Unrecorded { query, .. }) = &self.unrecorded {
            let request = Request::Search(query.clone());
            return match self.schedule.free() {
                free if free > now.mono => Step::Wait(free),
                _ => self.send(request, now),
            };
        }
        let is_old = |at: f64| !self.rhythm.is_once && now.mono - at >= self.rhythm.reload();
        if self.reloaded.is_none_or(is_old) {
            self.reload(now);
        }
        if self.schedule.is_stopped() {
            return Step::AwaitKey(now.mono + self.key_check());
        }
        loop {
            let Some((task, at)) = self.schedule.next() else {
                return if self.rhythm.is_once {
                    Step::Done
                } else {
                    Step::Wait(now.mono + self.rhythm.reload())
                };
            };
            if at > now.mono {
                return Step::Wait(at.min(now.mono + self.rhythm.reload()));
            }
            self.awaited = self.targets.iter().position(|target| target.task == task).unwrap_or(0);
            if let Some(request) = self.request(&task, now) {
                return self.send(request, now);
            }
        }
    }

    /// Sends a request if the budget that programs share has room for it; else it waits for that.
    fn send(&mut self, request: Request, now: Now) -> Step {
        match self.budget.claim(1, self.rhythm.requests_a_minute, now.epoch) {
            Ok(Some(wait)) => return Step::Wait(now.mono + wait),
            Ok(None) => self.resolve_trouble(BUDGET),
            // Its own budget holds.
            Err(why) => self.trouble(BUDGET, &why, ""),
        }
        Step::Send(request)
    }

    /// Takes the notes since the last call.
    pub fn tell(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.told)
    }

    /// Reads the files of the profile again: the person changes them in the dashboard meanwhile.
    fn reload(&mut self, now: Now) {
        self.reloaded = Some(now.mono);
        if let Some(paths) = &self.settings.paths {
            let (store, saved) = StateStore::open(paths, &self.settings.profile);
            self.store = Some(store);
            self.saved = saved;
            self.unsaved.iter().for_each(|change| self.saved.alerts.apply(change));
            self.say_once(self.saved.notices.clone());
        }
        self.save();
        let at = Moment::of(now.epoch);
        let active = self.saved.alerts.alerts.iter().filter(|alert| alert.is_active(at));
        let stateless = active.map(|alert| Alert {
            state: AlertState::default(),
            ..alert.clone()
        });
        let made_of = Some((self.saved.searches.clone(), stateless.collect()));
        if self.made_of != made_of {
            self.made_of = made_of;
            self.retarget(now);
        }
    }

    /// Watches what there is to watch now; what stays keeps its turn.
    fn retarget(&mut self, now: Now) {
        let at = Moment::of(now.epoch);
        let (mut wanted, left_out) = targets(self.settings, &self.saved, self.groups.as_deref(), at);
        self.say_once(left_out);
        let history = self.settings.history_location();
        for target in &mut wanted {
            if let Some(known) = self.targets.iter_mut().find(|known| known.task == target.task) {
                target.progress = std::mem::take(&mut known.progress);
            } else if let Task::Search(key) = &target.task {
                target.progress.lock = Some(PollLocks::new(&history));
                target.progress.told = self.with_record(|record| record.last_poll(key)).flatten();
                // A timer's run checks what was recorded just before it.
                target.progress.seen = Moment::of(now.epoch - 3.0 * self.rhythm.every(&target.task));
            }
        }
        self.targets = wanted;
        let is_listed = self.rhythm.is_once && self.groups.is_some();
        let is_ready = |target: &&Target| match target.task {
            Task::Groups => !is_listed,
            Task::Search(_) | Task::Group(_) => target.search.is_some(),
        };
        let tasks = self.targets.iter().filter(is_ready);
        let tasks = tasks.map(|target| (target.task.clone(), self.rhythm.every(&target.task)));
        self.schedule.keep(tasks, now.mono);
        let count = |of: fn(&Target) -> usize| self.targets.iter().map(of).sum::<usize>();
        let searches = counted(count(|target| target.saved.len()), "saved search", "saved searches");
        let alerts = counted(count(|target| target.alerts.len()), "alert", "alerts");
        let rate = trimmed(self.schedule.rate(), 1);
        self.say_once([format!("watching {searches} and {alerts}: {rate} requests a minute")]);
    }

    /// Seconds between two polls of a task.
    fn interval(&self, task: &Task) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
        let seconds = self.schedule.interval(self.rhythm.every(task)).ceil() as u32;
        seconds
    }

    /// The request of a task whose turn it is; none if another program asks.
    fn request(&mut self, task: &Task, now: Now) -> Option<Request> {
        let (every, has_record) = (self.interval(task), self.with_record(|_| Ok(())).is_some());
        let target = &mut self.targets[self.awaited];
        let Some(search) = &target.search else {
            return Some(Request::ListWorkergroups);
        };
        let request = wanted::request(&search.query, &self.saved.annotations, self.settings.dialect);
        let (name, key) = (target.name(), SearchKey::of(&search.query));
        // Without a record there is nothing to read; and no record has the workers that a group can have.
        let lock = target.progress.lock.as_mut().filter(|_| has_record);
        if lock.is_none_or(|lock| lock.claim(&key, every, now.epoch)) {
            return Some(request);
        }
        self.trouble(&name, "another program watches it", ", reading what it records");
        let seen = self.targets[self.awaited].progress.seen;
        if let Some(poll) = self.with_record(|record| record.poll_after(&key, seen)).flatten() {
            self.targets[self.awaited].progress.seen = poll.at;
            self.check(&poll, None);
            self.tell_changes(poll.at);
        }
        self.schedule.look_again(task, now.mono, f64::from(every) / LOOKS);
        self.finish(task);
        None
    }

    /// Takes the response to the request, which took so many milliseconds.
    pub fn answered(&mut self, result: Result<Reply, ApiError>, took: u32, now: Now) {
        self.schedule.spent(now.mono);
        let task = self.targets[self.awaited].task.clone();
        let arrival = Arrival {
            at: Moment::of(now.epoch),
            took,
            // The record learns how often a timer runs.
            interval: if self.rhythm.is_once {
                self.rhythm.every
            } else {
                Some(self.interval(&task))
            },
            bans: self.saved.annotations.bans(),
        };
        self.finish(&task);
        let listing = match result {
            Ok(Reply::Records(listing)) => {
                self.schedule.answered(&task, now.mono);
                self.resolve_trouble(MARKET);
                self.resolve_trouble(KEY);
                if task == Task::Groups {
                    self.resolve_trouble(GROUPS);
                }
                Some(listing)
            }
            // No answer to a search.
            Ok(Reply::Unlisted { .. } | Reply::Created { .. } | Reply::Routed(_)) => None,
            Err(error) => {
                self.failed(&task, &error, now);
                None
            }
        };
        match (self.unrecorded.take(), listing) {
            (Some(mut waiting), listing) => {
                // Without an answer the causes are not known.
                if let Some(listing) = listing {
                    let told = causes(&waiting.missing, &listing, waiting.query.offer_type);
                    waiting.poll.causes.extend(told);
                }
                self.conclude(&waiting.poll, waiting.workers);
            }
            (None, Some(listing)) if task == Task::Groups => {
                self.groups = Some(listing);
                self.retarget(now);
            }
            (None, Some(listing)) => self.polled(listing, &arrival),
            (None, None) => {
                let search = self.targets[self.awaited].search.as_ref();
                if let Some(poll) = search.map(|search| Poll::failed(&search.query, self.settings.dialect, &arrival)) {
                    self.record(&poll);
                }
            }
        }
    }

    /// Takes the records of a search.
    fn polled(&mut self, mut listing: Box<Listing>, arrival: &Arrival) {
        let target = &self.targets[self.awaited];
        let (name, job) = (target.name(), target.job);
        let Some(search) = target.search.clone() else { return };
        self.resolve_trouble(&name);
        self.saved.annotations.hide_banned(&mut listing);
        let workers = search.workers(&listing);
        let (query, dialect) = (search.query, self.settings.dialect);
        let result = arranged(self.settings, Wanted::of(query.clone(), job), listing);
        let poll = Poll::of(&result.query, &result.listing, &result.check, dialect, arrival);
        let record = self
            .record
            .as_ref()
            .filter(|_| self.rhythm.is_once || self.schedule.has_room());
        match record.and_then(|record| cause_search(record, &query, &poll, dialect)) {
            Some((missing, query)) => {
                self.unrecorded = Some(Unrecorded {
                    poll,
                    workers,
                    missing,
                    query,
                });
            }
            None => self.conclude(&poll, workers),
        }
    }

    fn conclude(&mut self, poll: &Poll, workers: Option<u32>) {
        self.record(poll);
        self.check(poll, workers);
        self.tell_changes(poll.at);
    }

    /// Ends a task that had its one turn.
    fn finish(&mut self, task: &Task) {
        if self.rhythm.is_once {
            self.schedule.drop(task);
        }
    }

    /// Does something with the record, opening it if it is not; says once why that fails.
    fn with_record<T>(&mut self, act: impl FnOnce(&mut Database) -> Result<T, HistoryError>) -> Option<T> {
        let opened = self
            .record
            .take()
            .map_or_else(|| self.settings.history_location().open(), Ok);
        let result = opened.and_then(|record| {
            let mut record = record.leaving_out(self.saved.annotations.banned());
            let result = act(&mut record);
            // A file that is of no use is opened again: it may be another one by then.
            if result.as_ref().err().is_none_or(HistoryError::is_passing) {
                self.record = Some(record);
            }
            result
        });
        result
            .map_err(|error| self.trouble(RECORD, &error.to_string(), ""))
            .ok()
    }

    fn record(&mut self, poll: &Poll) {
        if self.with_record(|record| record.record(poll)).is_some() {
            self.has_recorded |= poll.outcome.is_usable();
            self.resolve_trouble(RECORD);
        }
    }

    /// Tells what changed in a saved search up to a moment.
    fn tell_changes(&mut self, until: Moment) {
        let target = &mut self.targets[self.awaited];
        // Before the first poll nothing was known that could have changed.
        let told = target.progress.told.get_or_insert(until);
        // After the clock was set back, what was told is in the future.
        *told = (*told).min(until);
        let (told, saved) = (*told, target.saved.clone());
        let Some(search) = target.search.clone().filter(|_| !saved.is_empty()) else {
            return;
        };
        let (key, storage) = (SearchKey::of(&search.query), search.query.storage_gb());
        let events = self.with_record(|record| changes(record, &search.query, Some(told), until));
        let events = events.unwrap_or_default();
        if let Some(newest) = events.first() {
            self.targets[self.awaited].progress.told = Some(newest.at);
        }
        self.told.extend(events.into_iter().rev().map(|event| {
            let mut json = json_of(&event);
            json["searches"] = json!(saved);
            let text = format!("{}  [{}]", line(&event, &key, storage), saved.join(", "));
            Told::Event { text, json, ring: None }
        }));
    }

    /// Checks the alerts on a poll of their search.
    fn check(&mut self, poll: &Poll, workers: Option<u32>) {
        for (name, storage) in self.targets[self.awaited].alerts.clone() {
            let known = self.saved.alerts.named(&name).filter(|alert| alert.is_active(poll.at));
            let Some(mut alert) = known.cloned() else { continue };
            let before = alert.state.clone();
            let ring = alerts::ring(&mut alert, poll, workers, storage);
            if ring.is_none() && alert.state == before {
                continue;
            }
            let ring = ring.filter(|(_, logged)| self.claims(logged));
            self.told.extend(ring.iter().map(|(ring, logged)| told(ring, logged)));
            let change = AlertChange::Checked {
                name,
                state: alert.state,
                rang: ring.map(|(_, logged)| logged),
            };
            self.saved.alerts.apply(&change);
            self.unsaved.push(change);
            self.save();
        }
    }

    /// Whether this program rings; without a record it does.
    fn claims(&mut self, logged: &Logged) -> bool {
        let program = self.program.clone();
        let claimed = self.with_record(|record| record.claim_ring(&logged.alert, &program, logged.at));
        claimed.unwrap_or(true)
    }

    /// Saves the changes of alerts, in order; what cannot be saved is tried again.
    fn save(&mut self) {
        while let (Some(store), Some(change)) = (&self.store, self.unsaved.first()) {
            match store.change(change, &self.saved.alerts) {
                Ok(alerts) => {
                    self.unsaved.remove(0);
                    self.saved.alerts = alerts;
                    self.unsaved.iter().for_each(|change| self.saved.alerts.apply(change));
                    self.resolve_trouble(ALERTS);
                }
                Err(why) => return self.trouble(ALERTS, &why, ""),
            }
        }
    }
}

/// A ring as it is told.
fn told(ring: &Ring, logged: &Logged) -> Told {
    let (at, lot) = (rfc3339(ring.at), ring.cheapest.as_ref());
    Told::Event {
        text: format!("{at}  alert “{}”: {}", visible(&logged.alert, 60), logged.text),
        json: json!({
            "at": at,
            "event": "rang",
            "alert": logged.alert,
            "text": logged.text,
            "offer_id": lot.map(|lot| lot.offer),
            "machine_id": lot.map(|lot| lot.lot.machine),
            "model": lot.map(|lot| lot.lot.model.as_str()),
            "price": lot.map(|lot| lot.price),
            "count": ring.count,
        }),
        ring: alerts::alarm(ring, logged).alarm,
    }
}

//! The logic of a watch, without a clock and sockets: it decides on requests and waits, takes the
//! responses, records them, checks alerts and returns the output.

mod outcomes;
mod snapshot;
mod troubles;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use self::troubles::{BUDGET, GROUPS, KEY, MARKET, RECORD};
use super::metrics::RequestCounts;
use super::one::OneSearch;
use super::targets::{SavedState, Target, Task, nothing_saved, targets};
use crate::api::{ApiError, Reply, Request};
use crate::cli::search::{SearchResult, arranged};
use crate::cli::wanted::{self, Wanted};
use crate::domain::Listing;
use crate::domain::format::{counted, counted_decimal};
use crate::domain::saved::Searches;
use crate::domain::time::{MonotonicTime, Now};
use crate::features::history::document;
use crate::features::workergroups::followed::FollowedSearch;
use crate::record::alerts::{Alert, AlertChange};
use crate::record::store::{Database, HistoryError, HistoryLocation, ProgramId, Turns};
use crate::record::watch::{CauseSearch, Claim, Engine, NextPoll, Right, cause_search, has_same_conditions, missing};
use crate::record::{AlertState, Arrival, Moment, Poll, PollOutcome};
use crate::settings::Settings;
use crate::store::StateStore;

/// Seconds between two polls of a search, unless the user chose another interval.
const EVERY: u32 = 60;

/// Seconds between two lists of workergroups.
///
/// A group's search changes when a user edits it.
const LIST_EVERY: u32 = 600;

/// Minimum and maximum seconds after which the files of searches, alerts and bans are read again.
///
/// As often as the watch is active, and soon enough after the user changed something.
const RELOAD: (u32, u32) = (60, 600);

#[derive(Debug)]
pub enum Step {
    /// Send this request and pass on its response before anything else.
    Send(Request),
    /// Wait until this time.
    Wait(MonotonicTime),
    /// Wait until this time, then check for another API key:
    /// [`Watcher::use_new_key`].
    AwaitApiKey(MonotonicTime),
    /// Stop: every target was polled once, or the watch of one search ended: [`Watcher::take_end`].
    Done,
}

#[derive(Debug)]
pub enum Output {
    Note(String),
    /// A change, or an alert that fires, with the variables of the user's command.
    Event {
        text: String,
        document: document::WatchEvent,
        /// The addition of `--with`.
        member: Option<Json>,
        ring: Option<Vec<(&'static str, String)>>,
    },
}

#[derive(Debug, Clone, Copy)]
pub struct Rhythm {
    pub requests_a_minute: u32,
    /// Seconds between two polls of a target, if the user chose an interval.
    pub every: Option<u32>,
    /// Whether each target is polled once only.
    pub is_once: bool,
}

impl Rhythm {
    /// Seconds after which the saved searches and alerts are read again: the poll interval, from 60 to 600.
    fn reload(self) -> f64 {
        f64::from(self.every.unwrap_or(EVERY).clamp(RELOAD.0, RELOAD.1))
    }

    /// Seconds between two polls of a task: as chosen or 60; for the list of workergroups always 600.
    pub fn every(self, task: &Task) -> f64 {
        f64::from(match task {
            Task::Search(..) | Task::Group(_) => self.every.unwrap_or(EVERY),
            Task::Groups => LIST_EVERY,
        })
    }
}

/// The reason the watch of one search ended.
#[derive(Debug)]
pub enum End {
    /// Offers meet the conditions; the variables of the command.
    Met(Vec<(&'static str, String)>),
    Failed(ApiError),
}

/// A poll that waits for the causes of its departures.
struct Unrecorded {
    poll: Poll,
    workers: Option<u32>,
    search: CauseSearch,
    /// The response, if one search is watched.
    result: Option<SearchResult>,
}

pub struct Watcher<'a> {
    settings: &'a Settings,
    rhythm: Rhythm,
    /// The search of the command line; `None` if all saved ones are watched.
    one: Option<OneSearch<'a>>,
    end: Option<End>,
    /// Whether the conditions of `--if` need a response: of the values they compare, the record has
    /// only the price.
    needs_response: bool,
    engine: Engine<Task>,
    targets: Vec<Target>,
    /// The index of the target whose response is awaited.
    awaited: usize,
    unrecorded: Option<Unrecorded>,
    /// Other tasks that the same response serves.
    riders: Vec<Task>,
    store: Option<StateStore>,
    saved: SavedState,
    /// Changes of alerts that are not in the file yet.
    unsaved: Vec<AlertChange>,
    groups: Option<Box<Listing>>,
    /// The saved searches and alerts from which the targets were made.
    made_of: Option<(Searches, Vec<Alert>)>,
    reloaded: Option<MonotonicTime>,
    record: Option<Database>,
    /// Whether the record is in memory, and ends with the program.
    is_in_memory: bool,
    turns: Turns,
    program: ProgramId,
    has_recorded: bool,
    requests: RequestCounts,
    /// The unresolved problems of each subject, the newest last; each is reported once.
    troubles: BTreeMap<String, Vec<String>>,
    said: BTreeSet<String>,
    output: Vec<Output>,
}

impl<'a> Watcher<'a> {
    /// Watches all saved searches and alerts.
    pub fn new(settings: &'a Settings, rhythm: Rhythm, now: Now) -> Self {
        // A program that was killed may have sent a request just before this one started.
        let free = now.mono + 60.0 / f64::from(rhythm.requests_a_minute.max(1));
        Self {
            settings,
            rhythm,
            one: None,
            end: None,
            needs_response: false,
            engine: Engine::new(rhythm.requests_a_minute, free, has_same_conditions),
            targets: Vec::new(),
            awaited: 0,
            unrecorded: None,
            riders: Vec::new(),
            store: None,
            saved: SavedState::default(),
            unsaved: Vec::new(),
            groups: None,
            made_of: None,
            reloaded: None,
            record: None,
            is_in_memory: false,
            turns: Turns::new(&settings.history_location()),
            program: ProgramId::of_process(),
            has_recorded: false,
            requests: RequestCounts::default(),
            troubles: BTreeMap::new(),
            said: BTreeSet::new(),
            output: Vec::new(),
        }
    }

    /// Watches one search; if the record on disk cannot be opened, with one in memory and a note.
    ///
    /// # Errors
    ///
    /// When no record in memory can be opened for its comparisons.
    pub fn of_one(settings: &'a Settings, rhythm: Rhythm, one: OneSearch<'a>, now: Now) -> Result<Self, HistoryError> {
        let mut watcher = Self::new(settings, rhythm, now);
        watcher.engine = Engine::new(rhythm.requests_a_minute, now.mono, has_same_conditions);
        let query = one.wanted.query.clone();
        let job = one.wanted.job;
        let mut target = Target::new(
            Task::from_query(&query),
            Some(FollowedSearch { query, recruits: None }),
            job,
        );
        let location = settings.history_location();
        let opened = location.open().and_then(|record| {
            let sent = record.sent(&one.wanted.query)?;
            Ok((record, sent))
        });
        match opened {
            Ok((record, sent)) => {
                watcher.record = Some(record);
                target.progress.reported_until = sent.map(|(_, last)| last);
            }
            Err(error) => {
                watcher
                    .output
                    .push(Output::Note(format!("prices are not recorded: {error}")));
                watcher.trouble_silently(RECORD, &error.to_string());
                let in_memory = HistoryLocation { path: None, ..location };
                watcher.record = Some(in_memory.open()?);
                watcher.is_in_memory = true;
            }
        }
        watcher.targets = vec![target];
        watcher.needs_response = one.conditions.is_some();
        watcher.one = Some(one);
        watcher.wish(now);
        Ok(watcher)
    }

    /// The next step: a request to send, a wait for a time or another API key, or the end of the watch.
    /// Before it, reads changed searches and alerts, and handles due polls that other programs recorded.
    pub fn next(&mut self, now: Now) -> Step {
        if self.end.is_some() {
            return Step::Done;
        }
        if let Some(unrecorded) = &self.unrecorded {
            let request = Request::Search(unrecorded.search.query.clone());
            let free = self.engine.free();
            if free > now.mono && self.one.is_none() {
                return Step::Wait(free);
            }
            if self.turns.take_request(self.requests_a_minute(), now.epoch) {
                return Step::Send(request);
            }
            // It is recorded without the causes of its departures.
            if let Some(waiting) = self.unrecorded.take() {
                self.conclude(&waiting.poll, waiting.workers, waiting.result.as_ref());
            }
        }
        let is_old = |at: MonotonicTime| !self.rhythm.is_once && now.mono - at >= self.rhythm.reload();
        if self.reloaded.is_none_or(is_old) {
            self.reload(now);
        }
        loop {
            let (task, at) = match self.engine.next() {
                NextPoll::Due(task, at) => (task, at),
                NextPoll::AwaitApiKey => return Step::AwaitApiKey(now.mono + self.key_check()),
                NextPoll::Idle if self.rhythm.is_once => return Step::Done,
                NextPoll::Idle => return Step::Wait(now.mono + self.rhythm.reload()),
            };
            if at > now.mono {
                return Step::Wait(at.min(now.mono + self.rhythm.reload()));
            }
            self.awaited = self.targets.iter().position(|target| target.task == task).unwrap_or(0);
            match self.claim(&task, now) {
                Right::Ours(counted) => {
                    match counted {
                        Ok(()) => self.resolve_trouble(BUDGET),
                        // Its own budget holds.
                        Err(error) => self.trouble(BUDGET, &error.to_string(), ""),
                    }
                    return Step::Send(self.request());
                }
                Right::Later(wait) => return Step::Wait(now.mono + wait),
                Right::Recorded(poll) => self.on_recorded_poll(&task, &poll, now),
            }
        }
    }

    /// The reason the watch of one search ended; `None` while it runs, and after the first call.
    pub const fn take_end(&mut self) -> Option<End> {
        self.end.take()
    }

    /// Whether the watch ends once offers meet the conditions of `--if`.
    pub fn has_conditions(&self) -> bool {
        self.one.as_ref().is_some_and(|one| one.conditions.is_some())
    }

    /// Maximum requests per minute of all programs; no limit for a single poll of one search, which does not
    /// wait for others.
    fn requests_a_minute(&self) -> u32 {
        if self.one.is_some() && self.rhythm.is_once {
            u32::MAX
        } else {
            self.rhythm.requests_a_minute
        }
    }

    /// Takes the output since the last call.
    pub fn take_output(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.output)
    }

    /// Reads the saved searches and alerts again, and replaces changed targets; nothing for one search.
    fn reload(&mut self, now: Now) {
        self.reloaded = Some(now.mono);
        if self.one.is_some() {
            return;
        }
        if let Some(paths) = &self.settings.paths {
            let store = StateStore::new(paths, &self.settings.profile);
            self.saved = SavedState::read(&store);
            self.store = Some(store);
            self.unsaved.iter().for_each(|change| self.saved.alerts.apply(change));
            self.say_once(self.saved.notices.clone());
        }
        self.save();
        let at = now.epoch.moment();
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

    /// Replaces the targets of the watch; unchanged ones keep their schedule and progress. Notes, once each,
    /// the numbers of searches and alerts, and those that cannot be watched.
    fn retarget(&mut self, now: Now) {
        let at = now.epoch.moment();
        let (mut wanted, left_out) = targets(self.settings, &self.saved, self.groups.as_deref(), at);
        self.say_once(left_out);
        for target in &mut wanted {
            if let Some(known) = self.targets.iter_mut().find(|known| known.task == target.task) {
                target.progress = std::mem::take(&mut known.progress);
            } else if let (Task::Search(..), Some(search)) = (&target.task, &target.search) {
                let sent = self.with_record(|record| record.sent(&search.query)).flatten();
                let last = sent.map(|(_, last)| last);
                (target.progress.reported_until, target.progress.last) = (last, last);
            }
        }
        self.targets = wanted;
        self.wish(now);
        if self.targets.is_empty() {
            return self.say_once([nothing_saved(self.settings)]);
        }
        let count = |of: fn(&Target) -> usize| self.targets.iter().map(of).sum::<usize>();
        let searches = counted(count(|target| target.saved.len()), "saved search", "saved searches");
        let alerts = counted(count(|target| target.alerts.len()), "alert", "alerts");
        let rate = counted_decimal(self.engine.sent_per_minute(), "request", "requests");
        self.say_once([format!("watching {searches} and {alerts}: {rate} a minute")]);
    }

    /// Passes to the engine the polls that the targets want, without targets that have no search, and without
    /// a second list of workergroups if each target is polled once.
    fn wish(&mut self, now: Now) {
        let is_listed = self.rhythm.is_once && self.groups.is_some();
        let is_ready = |target: &&Target| match target.task {
            Task::Groups => !is_listed,
            Task::Search(..) | Task::Group(_) => target.search.is_some(),
        };
        let ready = self.targets.iter().filter(is_ready);
        let wishes = ready.map(|target| target.wish(self.rhythm, now.mono));
        self.engine.replace_wishes(wishes, now.mono);
    }

    /// Seconds between two polls of a task, rounded up, within the limit on requests.
    fn interval(&self, task: &Task) -> u32 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
        let seconds = self.engine.interval(self.rhythm.every(task)).ceil() as u32;
        seconds
    }

    /// Claims the poll of a due task: send it, wait, or read the response another program recorded. The
    /// latter only with a record, without `--once`, and unless `--if` needs a response of this program.
    fn claim(&mut self, task: &Task, now: Now) -> Right {
        if let Some(one) = &self.one {
            // The user may ban a machine in the dashboard while the watch runs.
            self.saved.annotations = one.wanted.bans(self.settings);
        }
        // Without a record there is nothing to read.
        let has_record = self.with_record(|_| Ok(())).is_some();
        // A run with `--once` sends its request: the timer has waited already.
        let may_read = has_record && !self.rhythm.is_once && !self.needs_response;
        let claim = Claim {
            query: self.targets[self.awaited].wish(self.rhythm, now.mono).query,
            since: self.engine.since(task, now.epoch).filter(|_| may_read),
            bans: self.saved.annotations.bans(),
            now: now.epoch,
            requests: 1,
            a_minute: self.requests_a_minute(),
        };
        self.turns.claim(self.record.as_ref(), &claim)
    }

    /// The request that polls the awaited target: its search, or the list of workergroups.
    fn request(&self) -> Request {
        match &self.targets[self.awaited].search {
            Some(search) => wanted::request(&search.query, &self.saved.annotations, self.settings.dialect),
            None => Request::ListWorkergroups,
        }
    }

    /// Handles the response to the request, which took `took` milliseconds: concludes the poll, takes a new
    /// list of workergroups with its targets, or reports and records the failure.
    pub fn answered(&mut self, result: Result<Reply, ApiError>, took: u32, now: Now) {
        self.engine.spent(1, now.mono);
        self.requests.count(&result);
        let task = self.targets[self.awaited].task.clone();
        let arrival = Arrival {
            at: now.epoch.moment(),
            took,
            // The record learns how often a timer runs.
            interval: if self.rhythm.is_once {
                self.rhythm.every
            } else {
                Some(self.interval(&task))
            },
            bans: self.saved.annotations.bans(),
        };
        let listing = match result {
            Ok(Reply::Records(listing)) => {
                self.resolve_trouble(MARKET);
                self.resolve_trouble(KEY);
                Some(listing)
            }
            // No answer to a search.
            Ok(Reply::Unlisted { .. } | Reply::Created { .. } | Reply::Routed(_)) => None,
            Err(error) => {
                self.failed(&task, error, now);
                None
            }
        };
        match (self.unrecorded.take(), listing) {
            (Some(mut waiting), listing) => {
                // Without a response the causes are unknown.
                if let Some(listing) = listing {
                    self.engine.recheck_after(&task, now.mono, self.rhythm.every(&task));
                    waiting.poll.causes.extend(waiting.search.causes(&listing));
                }
                self.conclude(&waiting.poll, waiting.workers, waiting.result.as_ref());
            }
            (None, Some(listing)) if task == Task::Groups => {
                self.resolve_trouble(GROUPS);
                self.engine.answered(&task, PollOutcome::Complete, arrival.at, now.mono);
                self.finish(&task);
                self.turns.end();
                self.groups = Some(listing);
                self.retarget(now);
            }
            (None, Some(listing)) => self.polled(&task, listing, &arrival, now),
            (None, None) => {
                let search = self.targets[self.awaited].search.as_ref();
                if let Some(poll) = search.map(|search| Poll::failed(&search.query, self.settings.dialect, &arrival)) {
                    self.record(&poll);
                }
                self.finish(&task);
                self.turns.end();
            }
        }
    }

    /// Handles the response to a search: concludes its poll, or, if machines are missing and there is room
    /// for another request, first searches for the causes of their departures.
    fn polled(&mut self, task: &Task, mut listing: Box<Listing>, arrival: &Arrival, now: Now) {
        let target = &self.targets[self.awaited];
        let (name, job) = (target.name(), target.job);
        let Some(search) = target.search.clone() else { return };
        self.resolve_trouble(&name);
        self.needs_response = false;
        self.saved.annotations.hide_banned(&mut listing);
        let workers = search.workers(&listing);
        let (query, dialect) = (search.query, self.settings.dialect);
        let own = self.one.as_ref().map(|one| one.wanted.clone());
        let wanted = own.unwrap_or_else(|| Wanted::new(query.clone(), job));
        let result = arranged(self.settings, wanted, listing);
        let poll = Poll::new(&result.query, &result.listing, &result.check, dialect, arrival);
        self.riders = self.engine.answered(task, poll.outcome, poll.at, now.mono);
        let result = self.one.is_some().then_some(result);
        let has_room = self.rhythm.is_once || self.one.is_some() || self.engine.has_room();
        let record = self.record.as_ref().filter(|_| has_room);
        let before = record.and_then(|record| record.answer_since(&query, &arrival.bans, Moment(i64::MIN)).ok()?);
        let missing = before.map(|before| missing(&before, &poll));
        match missing.and_then(|missing| cause_search(missing, &query, dialect)) {
            Some(search) => {
                self.unrecorded = Some(Unrecorded {
                    poll,
                    workers,
                    search,
                    result,
                });
            }
            None => self.conclude(&poll, workers, result.as_ref()),
        }
    }

    /// Records a poll and gives up the turn, checks alerts and prints changes of its target and those sharing the
    /// response (done with `--once`); ends the watch if `result` meets `--if`. `workers` is that of a workergroup.
    fn conclude(&mut self, poll: &Poll, workers: Option<u32>, result: Option<&SearchResult>) {
        self.record(poll);
        self.turns.end();
        self.check_alerts(poll, workers);
        if self.one.is_some() && self.targets[self.awaited].progress.reported_until.is_none() {
            let lots = counted(poll.sightings.len(), "machine", "machines");
            let done = if self.is_in_memory { "found" } else { "recorded" };
            self.output.push(Output::Note(format!("{lots} {done}")));
        }
        self.print_changes(poll.at, result);
        let met = self
            .one
            .as_ref()
            .zip(result)
            .and_then(|(one, result)| one.met(result, poll.at));
        if let Some((event, values)) = met {
            self.output.push(event);
            self.end = Some(End::Met(values));
        }
        let task = self.targets[self.awaited].task.clone();
        self.finish(&task);
        let riders = std::mem::take(&mut self.riders);
        self.handle_shared_polls(riders, poll.at);
    }

    /// Removes a task from the schedule if each is polled only once.
    fn finish(&mut self, task: &Task) {
        if self.rhythm.is_once {
            self.engine.remove_wish(task);
        }
    }

    /// Runs `act` on the record, opening it if necessary; `None` if that fails, which is reported once.
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
}

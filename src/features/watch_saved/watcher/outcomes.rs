//! The effects of a poll: it is recorded, its changes and alerts are printed, and the state of
//! alerts is saved.

use super::troubles::{ALERTS, RECORD};
use super::{Output, Watcher};
use crate::cli::search::SearchResult;
use crate::domain::text::visible;
use crate::domain::time::Now;
use crate::features::history::command::rfc3339;
use crate::features::history::document;
use crate::features::history::document::Members;
use crate::features::history::watch_command::{document_of, line, recorded_changes};
use crate::features::watch_saved::targets::Task;
use crate::record::alerts::{AlertChange, Logged, environment_variables};
use crate::record::watch::SearchFigures;
use crate::record::{Moment, Poll, Ring, SearchKey};

impl Watcher<'_> {
    /// Handles a poll that another program recorded: notes that once, then alerts and changes as after a poll
    /// of its own. With conditions, a change makes the search be polled again at once.
    pub(super) fn on_recorded_poll(&mut self, task: &Task, poll: &Poll, now: Now) {
        if self.one.is_some() {
            self.say_once(["another program watches this search: reading what it records".to_owned()]);
        } else {
            let name = self.targets[self.awaited].name();
            self.trouble(&name, "another program watches it", ", reading what it records");
        }
        let also = self.engine.recorded(task, poll.outcome, poll.at, now);
        self.check_alerts(poll, None);
        let before = self.output.len();
        self.print_changes(poll.at, None);
        if self.has_conditions() && self.output.len() > before {
            self.needs_response = true;
            self.engine.recheck_after(task, now.mono, 0.0);
        }
        self.handle_shared_polls(also, poll.at);
    }

    /// Handles the polls recorded at the time `at` of further tasks, which the same response has served.
    pub(super) fn handle_shared_polls(&mut self, wishes: Vec<Task>, at: Moment) {
        for task in wishes {
            self.finish(&task);
            let known = self.targets.iter().position(|target| target.task == task);
            let (Some(index), Task::Search(..)) = (known, &task) else {
                continue;
            };
            self.awaited = index;
            let Some(search) = self.targets[index].search.clone() else {
                continue;
            };
            let bans = self.saved.annotations.bans();
            let answer = self.with_record(|record| record.answer_since(&search.query, &bans, Moment(at.0 - 1)));
            if let Some(poll) = answer.flatten() {
                self.check_alerts(&poll, None);
                self.print_changes(poll.at, None);
            }
        }
    }

    /// Writes a poll to the record; an error is reported once.
    pub(super) fn record(&mut self, poll: &Poll) {
        if self.with_record(|record| record.record(poll)).is_some() {
            self.has_recorded |= poll.outcome.is_usable() && !self.is_in_memory;
            if !self.is_in_memory {
                self.resolve_trouble(RECORD);
            }
        }
    }

    /// Adds the recorded changes of the awaited target's search up to a time to the output, oldest first,
    /// with the additions of `--with` from a response.
    ///
    /// Only for saved searches and the one of the command line; none at the first poll.
    pub(super) fn print_changes(&mut self, until: Moment, result: Option<&SearchResult>) {
        let target = &mut self.targets[self.awaited];
        // Before the first poll there is nothing to compare with.
        let since = target.progress.reported_until.get_or_insert(until);
        // After the clock was set back, the last report is in the future.
        *since = (*since).min(until);
        let (since, saved) = (*since, target.saved.clone());
        let is_wanted = !saved.is_empty() || self.one.is_some();
        let Some(search) = target.search.clone().filter(|_| is_wanted) else {
            return;
        };
        let (key, storage) = (SearchKey::new(&search.query), search.query.storage_gb());
        let changes = self.with_record(|record| recorded_changes(record, &search.query, Some(since), until));
        let events = changes.unwrap_or_default();
        if let Some(newest) = events.first() {
            self.targets[self.awaited].progress.reported_until = Some(newest.at);
        }
        let one = self.one.as_ref();
        self.output.extend(events.into_iter().rev().map(|event| {
            let (mut document, mut text) = (document_of(&event), line(&event, &key, storage));
            if one.is_none() {
                document.searches = Some(saved.clone());
                text = format!("{text}  [{}]", saved.join(", "));
            }
            let member = one.zip(result).and_then(|(one, result)| one.member(&event, result));
            Output::Event {
                text,
                document,
                member,
                ring: None,
            }
        }));
    }

    /// Stores the figures of a poll in its target and checks the active alerts on it; `workers` is the number
    /// that a workergroup can have. An alert that fires is added to the output, unless another program has
    /// reported it; changed states of alerts are saved.
    pub(super) fn check_alerts(&mut self, poll: &Poll, workers: Option<u32>) {
        let target = &mut self.targets[self.awaited];
        let storage = target.search.as_ref().map_or(0.0, |search| search.query.storage_gb());
        if let Some(figures) = SearchFigures::new(poll, storage) {
            target.progress.last = Some(poll.at);
            target.progress.figures = Some(figures);
        }
        for name in target.alerts.clone() {
            let known = self.saved.alerts.named(&name).filter(|alert| alert.is_active(poll.at));
            let Some(mut alert) = known.cloned() else { continue };
            let before = alert.state.clone();
            let ring = alert.check(poll, workers, storage);
            if ring.is_none() && alert.state == before {
                continue;
            }
            // Of several programs one reports it; without a record this one does.
            let ring = ring.filter(|(_, Logged { alert, at, .. })| {
                let program = self.program.clone();
                self.with_record(|record| record.claim_ring(alert, &program, *at))
                    .unwrap_or(true)
            });
            self.output
                .extend(ring.iter().map(|(ring, logged)| output_of(ring, logged)));
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

    /// Saves the changes of alerts to the file, in order; a change that cannot be saved is reported and
    /// retried later, with those after it.
    pub(super) fn save(&mut self) {
        while let (Some(store), Some(change)) = (&self.store, self.unsaved.first()) {
            match store.change(change, &self.saved.alerts) {
                Ok(alerts) => {
                    self.unsaved.remove(0);
                    self.saved.alerts = alerts;
                    self.unsaved.iter().for_each(|change| self.saved.alerts.apply(change));
                    self.resolve_trouble(ALERTS);
                }
                Err(error) => return self.trouble(ALERTS, &error.to_string(), ""),
            }
        }
    }
}

/// The output for an alert that fires, with the variables of the user's command.
fn output_of(ring: &Ring, logged: &Logged) -> Output {
    let (at, lot) = (rfc3339(ring.at), ring.cheapest.as_ref());
    Output::Event {
        text: format!("{at}  alert “{}”: {}", visible(&logged.alert, 60), logged.text),
        document: document::WatchEvent {
            members: Members::Rang {
                alert: logged.alert.clone(),
                text: logged.text.clone(),
                offer_id: lot.map(|lot| lot.offer),
                machine_id: lot.map(|lot| lot.lot.machine),
                model: lot.map(|lot| lot.lot.model.to_string()),
                price: lot.map(|lot| lot.price),
                count: ring.count,
            },
            at,
            event: "rang",
            searches: None,
        },
        member: None,
        ring: Some(environment_variables(ring, logged)),
    }
}

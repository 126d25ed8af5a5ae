//! The problems of a watch: the pauses they cause, and their reports, which are made once.

use super::{End, Output, Watcher};
use crate::api::ApiError;
use crate::core::watching::failure;
use crate::domain::format::lasting;
use crate::domain::time::Now;
use crate::features::watch_saved::targets::Task;
use crate::record::watch::Failure;
use crate::settings::{KeySource, Market};

// Labels of the things that can fail.
pub(super) const MARKET: &str = "the market";
pub(super) const RECORD: &str = "the record";
pub(super) const ALERTS: &str = "the file of alerts";
pub(super) const KEY: &str = "the API key";
pub(super) const BUDGET: &str = "the shared budget";
pub(super) const GROUPS: &str = "the list of workergroups";

/// Seconds between two runs of a key command after its key was refused.
///
/// The command may ask the user for a password.
pub(super) const KEY_COMMAND_EVERY: f64 = 600.0;

impl Watcher<'_> {
    /// Resumes polling with another key than the refused one.
    pub fn use_new_key(&mut self) {
        self.engine.resume();
    }

    /// Reports, once, the reason `why` there is no other key yet.
    pub fn on_unusable_key(&mut self, why: &str) {
        self.trouble(KEY, why, "");
    }

    /// The source of the market's API key; `Generated` for the embedded sandbox.
    const fn key_source(&self) -> &KeySource {
        match &self.settings.market {
            Market::Embedded(_) => &KeySource::Generated,
            Market::Remote { source, .. } => source,
        }
    }

    /// Seconds until the next check for another key: 600 if a command prints it, which may ask for a
    /// password, else as often as saved searches are read again.
    pub(super) fn key_check(&self) -> f64 {
        match self.key_source() {
            KeySource::Command => KEY_COMMAND_EVERY,
            KeySource::Generated
            | KeySource::Variable(_)
            | KeySource::File(_)
            | KeySource::OtherClient(_)
            | KeySource::Withheld(_)
            | KeySource::None
            | KeySource::Unusable(_) => self.rhythm.reload(),
        }
    }

    /// Advice after the key was refused, by its source, as the end of a sentence.
    fn without_key(&self) -> String {
        match self.key_source() {
            KeySource::Generated => "; nothing more is sent: start again".to_owned(),
            KeySource::Variable(name) => {
                format!(
                    "; nothing more is sent: {name} can't change while this runs, so start it again with another key"
                )
            }
            KeySource::File(path) | KeySource::OtherClient(path) => {
                format!("; nothing more is sent until {path} has another key")
            }
            KeySource::Command => "; nothing more is sent until its command prints another one".to_owned(),
            KeySource::Withheld(_) | KeySource::None | KeySource::Unusable(_) => {
                "; nothing more is sent until one is configured".to_owned()
            }
        }
    }

    /// The unresolved problems as text, if no response could be recorded so far (empty if there are no
    /// problems); `None` if one was, or nothing is watched.
    pub fn unrecorded(&self) -> Option<String> {
        let troubles = self.troubles.iter();
        let why = troubles.filter_map(|(about, known)| Some(format!("{about}: {}", known.last()?)));
        (!self.has_recorded && !self.targets.is_empty()).then(|| why.collect::<Vec<_>>().join("; "))
    }

    /// Reports the problem `why` with the subject `about`, once until it clears; `more` is appended to the
    /// report.
    pub(super) fn trouble(&mut self, about: &str, why: &str, more: &str) {
        let known = self.troubles.entry(about.to_owned()).or_default();
        let before = known.len();
        known.retain(|other| other != why);
        let is_new = known.len() == before;
        known.push(why.to_owned());
        if is_new {
            self.output.push(Output::Note(format!("{about}: {why}{more}")));
        }
    }

    /// Reports that the problems of a subject have cleared, if it had any.
    pub(super) fn resolve_trouble(&mut self, about: &str) {
        if self.troubles.remove(about).is_some() {
            self.output.push(Output::Note(format!("{about} is back to normal")));
        }
    }

    /// Stores a problem with a subject that was reported elsewhere, so that it is not reported again.
    pub(super) fn trouble_silently(&mut self, about: &str, why: &str) {
        self.troubles.entry(about.to_owned()).or_default().push(why.to_owned());
    }

    /// Adds those of the texts to the output that were not yet printed by this function.
    pub(super) fn say_once(&mut self, texts: impl IntoIterator<Item = String>) {
        let new = texts.into_iter().filter(|text| self.said.insert(text.clone()));
        self.output.extend(new.map(Output::Note));
    }

    /// Pauses the targets that a failed request affects, and reports it once.
    ///
    /// The failure ends the watch of one search with `--once`, or if no later request can succeed. With
    /// `--once` a refusal by the market or of the key cancels all other polls.
    pub(super) fn failed(&mut self, task: &Task, error: ApiError, now: Now) {
        let failure = failure(&error, now.epoch);
        self.engine.failed(task, now.mono, failure);
        // The causes are good to know; the search itself is answered.
        if self.one.is_some() && self.unrecorded.is_none() && (self.rhythm.is_once || error.stops_timers(now.epoch)) {
            self.end = Some(End::Failed(error));
            return;
        }
        let why = match &error {
            // How long or how much differs each time.
            ApiError::RateLimited { .. } | ApiError::Cut { .. } => error.headline().to_owned(),
            error => error.to_string(),
        };
        let is_last = self.rhythm.is_once && matches!(failure, Failure::Refused | Failure::ApiKey);
        if is_last {
            self.engine.replace_wishes([], now.mono);
            self.engine.resume();
        }
        match failure {
            Failure::Request => {
                let name = match task {
                    Task::Groups => GROUPS.to_owned(),
                    Task::Search(..) | Task::Group(_) => self.targets[self.awaited].name(),
                };
                self.trouble(&name, &why, "");
            }
            Failure::ApiKey => {
                let more = if is_last { String::new() } else { self.without_key() };
                self.trouble(KEY, &why, &more);
            }
            Failure::Market { .. } | Failure::Refused => {
                let pause = lasting(self.engine.free() - now.mono);
                let more = format!("; next request in {pause}");
                self.trouble(MARKET, &why, if is_last { "" } else { &more });
            }
        }
    }
}

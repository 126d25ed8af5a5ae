//! Writes with an unknown outcome: reported at the start, and settled by the user.
//!
//! Until then, an identical workergroup is not created.

use super::message::Effect;
use super::mutations::Mutations;
use super::state::State;
use super::view::Cx;
use crate::domain::format::counted;
use crate::domain::journal::{Damage, Entry, Outcome, Verdict, WriteKind};
use crate::domain::time::UnixTime;
use crate::domain::workergroup::NewWorkergroup;
use crate::domain::{format, journal};

impl Mutations {
    /// The creations of workergroups with an unknown outcome that the user has not settled, oldest first,
    /// without the one in flight.
    pub fn unsettled(&self) -> impl Iterator<Item = &Entry> {
        self.unknown_outcomes(WriteKind::CreateWorkergroup)
    }

    /// The first unsettled creation of an identical workergroup, or `None`; the one in flight does not count.
    pub fn unsettled_like(&self, new: &NewWorkergroup) -> Option<&Entry> {
        self.unsettled().find(|entry| entry.intent.is_creation_of(new))
    }

    /// The writes without a known outcome, to report at the start: creations of workergroups first, then
    /// unlistings, each oldest first.
    ///
    /// An unlisting that was reported before is left out: its outcome cannot be looked up.
    pub fn unsettled_before(&self) -> impl Iterator<Item = &Entry> {
        let unlistings = self.unknown_outcomes(WriteKind::UnlistVolume);
        self.unsettled()
            .chain(unlistings.filter(|entry| entry.outcome.is_none()))
    }

    /// The writes of this kind with an unknown outcome, oldest first, without the one in flight.
    fn unknown_outcomes(&self, kind: WriteKind) -> impl Iterator<Item = &Entry> {
        let in_flight = self.in_flight(kind).and_then(|_| self.past(kind).next());
        self.history.iter().filter(move |entry| {
            entry.intent.kind == kind
                && entry.verdict() == Verdict::Unknown
                && !in_flight.is_some_and(|sent| std::ptr::eq(sent, *entry))
        })
    }

    /// Records the outcome of the write with this journal key; returns the line for the journal, or `None` if
    /// no write has the key.
    pub fn settle(&mut self, key: &str, verdict: Verdict, words: &str, at: UnixTime) -> Option<Outcome> {
        let entry = journal::entry_of_key(&mut self.history, key)?;
        let outcome = Outcome {
            key: key.to_owned(),
            at,
            verdict,
            words: journal::clean(words),
        };
        entry.outcome = Some(outcome.clone());
        Some(outcome)
    }
}

/// A sentence on the unknown outcome of a write of an earlier run, without advice.
pub fn describe(entry: &Entry) -> String {
    let (subject, at) = (&entry.intent.subject, format::moment(entry.intent.at));
    match entry.intent.kind {
        WriteKind::CreateWorkergroup => {
            format!("Outcome unknown: the workergroup for {subject}, sent {at} UTC, may or may not exist")
        }
        WriteKind::UnlistVolume => {
            format!("Outcome unknown: volume listing {subject}, sent {at} UTC, may or may not be unlisted")
        }
    }
}

/// A notice of the unknown outcome of a write, with advice.
fn notice(entry: &Entry) -> String {
    let advice = match entry.intent.kind {
        WriteKind::CreateWorkergroup => "Decide with :resolve",
        WriteKind::UnlistVolume => "Check the market's console before you unlist it again",
    };
    format!("{}. {advice}.", describe(entry))
}

/// A notice that writes are blocked by the damaged lines of the history, with their number.
fn describe_damage(damage: &[Damage]) -> String {
    let lines = counted(damage.len(), "line", "lines");
    format!("Nothing can be created or unlisted: {lines} of the write history can't be read. Settle with :resolve.")
}

impl State {
    /// Sets the damaged lines of the history; a notice in front of the others reports them while there are
    /// any.
    pub(crate) fn set_damage(&mut self, damage: Vec<Damage>) {
        let outdated = describe_damage(&self.mutations.damage);
        self.notices.retain(|notice| *notice != outdated);
        if !damage.is_empty() {
            self.notices.insert(0, describe_damage(&damage));
        }
        self.mutations.damage = damage;
    }

    /// Puts notices of writes of earlier runs whose outcome is unknown before all others. In the sandbox,
    /// those that ended with an earlier sandbox are first marked as refused.
    pub(crate) fn show_unsettled_notices(&mut self) {
        if self.profile.is_sandbox {
            self.end_with_sandbox();
        }
        let notices: Vec<_> = self.mutations.unsettled_before().map(notice).collect();
        self.notices.splice(0..0, notices);
    }

    /// Marks writes without a known outcome as refused: their embedded sandbox ended with its run. Creations
    /// stay open if the sandbox saves its workergroups.
    fn end_with_sandbox(&mut self) {
        for entry in &mut self.mutations.history {
            let survives = self.sandbox.unsaved.is_none() && entry.intent.kind == WriteKind::CreateWorkergroup;
            if entry.verdict() == Verdict::Unknown && !survives {
                entry.outcome = Some(Outcome {
                    key: entry.intent.key.clone(),
                    at: entry.intent.at,
                    verdict: Verdict::Refused,
                    words: "ended with its sandbox".to_owned(),
                });
            }
        }
    }
}

impl Cx<'_> {
    /// Removes all notices. Unlistings of unknown outcome among them are not reported again at the next
    /// start.
    pub fn dismiss_notices(&mut self) {
        self.state.notices.clear();
        let unlistings: Vec<_> = self
            .state
            .mutations
            .unsettled_before()
            .filter(|entry| entry.intent.kind == WriteKind::UnlistVolume)
            .map(|entry| entry.intent.key.clone())
            .collect();
        for key in unlistings {
            self.settle(&key, Verdict::Unknown, "no response seen");
        }
    }

    /// Requests to move the damaged lines out of the history file, after which writes are possible again.
    pub fn set_damage_aside(&mut self) {
        let damage = self.state.mutations.damage.clone();
        self.effects([Effect::SetDamageAside(damage)]);
    }

    /// Records the user's verdict on a creation, by its journal key, with `words` as its message, and removes
    /// the notice about it.
    pub fn settle_creation(&mut self, key: &str, verdict: Verdict, words: &str) {
        let mut entries = self.state.mutations.history.iter();
        let text = entries.find(|entry| entry.intent.key == key).map(describe);
        let is_unrelated = |notice: &String| text.as_ref().is_none_or(|text| !notice.starts_with(text));
        self.state.notices.retain(is_unrelated);
        self.settle(key, verdict, words);
    }

    /// Records the outcome of a write by its journal key, here and in the journal; does nothing for an
    /// unknown key.
    fn settle(&mut self, key: &str, verdict: Verdict, words: &str) {
        let outcome = self.state.mutations.settle(key, verdict, words, self.now.epoch);
        self.effects(outcome.map(Effect::KeepOutcome));
    }
}

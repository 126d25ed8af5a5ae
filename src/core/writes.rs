//! Writes in the dashboard: sending one, completing it with its response, and reporting its outcome.

use super::feature::Event;
use super::message::Toast;
use super::mutations::{Completed, DAMAGED, READ_ONLY, SendBlocked, described, sentence};
use super::owners::Owner;
use super::state::State;
use super::view::Cx;
use crate::api::{Request, Response};
use crate::domain::Resource;
use crate::domain::journal::{Verdict, WriteKind};
use crate::domain::time::Now;
use crate::keys::Action;
use crate::keys::pane::Pane;

impl Cx<'_> {
    /// Sends a confirmed write, once; its outcome arrives as news of the write.
    ///
    /// # Errors
    ///
    /// When it was not confirmed, the rate limit does not allow it yet, or the outcome of an identical one is
    /// unknown.
    pub fn send_write(&mut self, request: Request) -> Result<(), SendBlocked> {
        let (kind, _) = described(&request).ok_or(SendBlocked::NotConfirmed)?;
        let ticket = self.ticket();
        let State { mutations, profile, .. } = &mut *self.state;
        let sent = mutations.send(request, profile, ticket, self.now)?;
        self.effects_for(Owner::Write(kind), [sent]);
        Ok(())
    }

    /// Completes a write with its response, and informs the features; returns the outcome, or `None`, and
    /// nothing done, if none of this kind is in flight. A done unlisting refreshes the volumes.
    pub(super) fn write_answered(&mut self, kind: WriteKind, response: &Response) -> Option<Completed> {
        let completed = self.state.mutations.complete(kind, response, self.now)?;
        // The listing is gone from the market, so the table is out of date.
        if kind == WriteKind::UnlistVolume && completed.verdict == Verdict::Done {
            self.state.sandbox.unlisted(&completed.subject);
            self.ask(Resource::Volumes);
        }
        self.emit(Event::Wrote(kind, response));
        Some(completed)
    }
}

/// Reports the outcome of a write that no view shows: as a notice that disappears, or as a permanent one if
/// it is unknown. The write returns to idle.
pub(crate) fn announce(state: &mut State, completed: &Completed, now: Now) {
    let text = sentence(completed);
    match (completed.verdict, completed.kind) {
        (Verdict::Done, _) => state.show(Toast::new(text, now)),
        (Verdict::Refused, _) => state.show(Toast::error(text, now)),
        // An unknown outcome must not disappear by itself.
        (Verdict::Unknown, WriteKind::UnlistVolume) => state.notices.push(text),
        (Verdict::Unknown, WriteKind::CreateWorkergroup) => {
            let key = state.keymap.key_of(Action::NewGroup);
            let way = format!("{text}. Check whether it exists: {key}, then Create");
            state.notices.push(way);
        }
    }
    state.mutations.dismiss(completed.kind);
}

/// The reason unlisting is blocked (read-only profile, damaged history, other pane), or `None` if it is
/// possible.
pub(crate) fn unlist_blocked(state: &State) -> Option<String> {
    if state.profile.read_only {
        return Some(format!("Can't unlist: {READ_ONLY}"));
    }
    if !state.mutations.damage.is_empty() {
        return Some(format!("Can't unlist: {DAMAGED}"));
    }
    (state.pane != Pane::Volumes).then(|| {
        let key = state.keymap.key_of(Action::Pane(Pane::Volumes));
        format!("Only on Volumes ({key})")
    })
}

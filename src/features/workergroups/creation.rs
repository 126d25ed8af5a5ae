//! Creating a workergroup, as far as it outlives its dialog: the creation in flight, one whose
//! outcome is unknown until the person decides, and the new group that the list should select.

use crate::api::{ApiError, Operation, Reply, Request};
use crate::core::message::{Effect, Toast};
use crate::core::mutations::SendBlocked;
use crate::core::state::State;
use crate::domain::journal::{Verdict, WriteKind};
use crate::domain::workergroup::{NewWorkergroup, candidates};
use crate::domain::{Listing, Resource, RowId};
use crate::features::workergroups::Groups;
use crate::keys::Action;
use crate::table::remote::Now;

/// The word that confirms a creation.
pub const CREATE: &str = "create";

/// A creation whose outcome is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Unresolved {
    /// Its key in the journal.
    key: String,
    /// What was to be created.
    pub asked: NewWorkergroup,
    pub sent: Now,
    /// Why the outcome is unknown.
    pub why: String,
    /// The groups that existed before; `None` if they had not been listed.
    pub before: Option<Vec<RowId>>,
    /// Groups in the latest listing that may be the one.
    pub candidates: Vec<RowId>,
    pub listed: Option<Now>,
}

#[derive(Debug)]
struct Sent {
    asked: NewWorkergroup,
    before: Option<Vec<RowId>>,
    at: Now,
}

#[derive(Debug, Default)]
pub struct Creation {
    in_flight: Option<Sent>,
    unresolved: Option<Unresolved>,
    /// The created group to select once it is listed.
    awaited: Option<RowId>,
}

impl Creation {
    pub const fn unresolved(&self) -> Option<&Unresolved> {
        self.unresolved.as_ref()
    }
}

impl State {
    /// Takes up the creation whose outcome is unknown: that of the same workergroup, or without one
    /// the oldest. False if there is none.
    pub fn take_up_creation(&mut self, like: Option<&NewWorkergroup>) -> bool {
        if self.groups().creation.unresolved.is_some() {
            return true;
        }
        let entry = match like {
            Some(new) => self.mutations.unsettled_like(new),
            None => self.mutations.unsettled().next(),
        };
        let Some(entry) = entry else { return false };
        let why = match &entry.outcome {
            Some(outcome) => outcome.words.clone(),
            None => "no response was recorded".to_owned(),
        };
        self.groups_mut().creation.unresolved = Some(Unresolved {
            key: entry.intent.key.clone(),
            asked: entry.intent.new_workergroup(),
            sent: Now {
                mono: 0.0,
                epoch: entry.intent.at,
            },
            why,
            before: None,
            candidates: Vec::new(),
            listed: None,
        });
        true
    }

    /// Records the user's decision on a creation with an unknown outcome: it made the listed
    /// workergroup `made`, it made one (`Done`), or it made none (`Refused`).
    pub fn resolve_creation(&mut self, verdict: Verdict, made: Option<RowId>, now: Now) -> Option<Effect> {
        let unresolved = self.groups_mut().creation.unresolved.take()?;
        let words = match (verdict, made) {
            (_, Some(id)) => format!("created as {id}, as you decided"),
            (Verdict::Done, None) => "created, as you decided".to_owned(),
            (Verdict::Refused | Verdict::Unknown, None) => "not created, as you decided".to_owned(),
        };
        let is_drafted = self
            .groups()
            .draft
            .built()
            .is_ok_and(|new| new.without_launch_args() == unresolved.asked.without_launch_args());
        if verdict == Verdict::Done && is_drafted {
            self.groups_mut().draft.clear();
        }
        self.settle_creation(&unresolved.key, verdict, &words, now)
    }

    /// Sends the confirmed draft, once.
    ///
    /// # Errors
    ///
    /// When it was not confirmed, or the rate limit does not allow it yet.
    pub fn create_workergroup(&mut self, now: Now) -> Result<Effect, SendBlocked> {
        let new = self.groups().draft.built().map_err(|_| SendBlocked::NotConfirmed)?;
        let asked = new.clone();
        let effect = self.send_write(Request::CreateWorkergroup(asked.clone()), now)?;
        let before = self.browsers[Resource::Workergroups].listing().map(ids);
        self.groups_mut().creation.in_flight = Some(Sent { asked, before, at: now });
        Ok(effect)
    }
}

fn ids(listing: &Listing) -> Vec<RowId> {
    (0..listing.len()).filter_map(|row| listing.id(row)).collect()
}

/// Handles the response to a creation.
pub(crate) fn answered(state: &mut State, now: Now, response: &Result<Reply, ApiError>) -> Vec<Effect> {
    let Some(sent) = state.groups_mut().creation.in_flight.take() else {
        return Vec::new();
    };
    match response {
        Ok(Reply::Created { id }) => {
            let id = RowId(*id);
            state.groups_mut().creation.awaited = Some(id);
            // Edits made since then are for another group and stay.
            if state.groups().draft.built() == Ok(&sent.asked) {
                state.groups_mut().draft.clear();
            }
            state.browsers[Resource::Workergroups].select_id(id);
        }
        Err(error) if !error.outcome_unknown(Operation::CreateWorkergroup) => return Vec::new(),
        other => {
            let mut past = state.mutations.past(WriteKind::CreateWorkergroup);
            let key = past.next().map(|entry| entry.intent.key.clone());
            drop(past);
            state.groups_mut().creation.unresolved = Some(Unresolved {
                key: key.unwrap_or_default(),
                asked: sent.asked,
                sent: sent.at,
                why: match other {
                    Ok(_) => "response for another request".to_owned(),
                    Err(error) => error.without_advice(),
                },
                before: sent.before,
                candidates: Vec::new(),
                listed: None,
            });
        }
    }
    state.refresh(Resource::Workergroups, now)
}

/// Looks for the created group in a new listing.
pub(super) fn listed(state: &mut State, now: Now) {
    let State {
        browsers,
        feature_states,
        ..
    } = state;
    let groups: &mut Groups = feature_states.get_mut();
    let workergroups = &mut browsers[Resource::Workergroups];
    let Some(listing) = workergroups.listing() else {
        return;
    };
    if let Some(unresolved) = &mut groups.creation.unresolved {
        let before = unresolved.before.as_deref().unwrap_or_default();
        unresolved.candidates = candidates(before, listing, &unresolved.asked);
        unresolved.listed = Some(now);
    }
    let Some(id) = groups.creation.awaited.take() else {
        return;
    };
    let is_listed = listing.row(id).is_some();
    workergroups.select_id(id);
    let is_shown = workergroups.selected() == Some(id);
    match (is_listed, is_shown) {
        (true, true) => {}
        (true, false) => state.show(Toast::error(format!("Workergroup {id} is hidden by the filters"), now)),
        (false, _) => {
            let key = state.keymap.key_of(Action::Refresh);
            let text = format!("Workergroup {id} was created but is not listed yet ({key} to refresh)");
            state.show(Toast::error(text, now));
        }
    }
}

//! The state of a creation that outlives its dialog: one in flight, one with an unknown outcome,
//! and the new group that the list should select.

use crate::api::{ApiError, Operation, Reply, Request};
use crate::core::mutations::SendBlocked;
use crate::core::view::Cx;
use crate::domain::journal::{Verdict, WriteKind};
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::workergroup::{NewWorkergroup, candidates};
use crate::domain::{Listing, Resource, RowId};
use crate::features::workergroups::Groups;
use crate::keys::Action;

/// The word that confirms a creation.
pub const CREATE: &str = "create";

/// The word that confirms a creation over the limit of its worst case.
pub const OVER_LIMIT: &str = "over-limit";

/// A creation whose outcome is unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Unresolved {
    /// Its key in the journal.
    key: String,
    /// The workergroup that was asked for.
    pub asked: NewWorkergroup,
    pub sent: Now,
    /// The reason the outcome is unknown.
    pub why: String,
    /// The groups that existed before; `None` if they had not been listed.
    pub before: Option<Vec<RowId>>,
    /// Groups in the latest listing that the creation may have made.
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
    /// The creation with an unknown outcome that was taken up; `None` if there is none.
    pub const fn unresolved(&self) -> Option<&Unresolved> {
        self.unresolved.as_ref()
    }
}

/// Takes up a workergroup's creation with an unknown outcome, from the history of writes: that of a group
/// equal to `like`, or without it the oldest. False if there is none; one that is taken up already stays
/// (true).
pub fn take_up_unknown_creation(cx: &mut Cx<'_>, like: Option<&NewWorkergroup>) -> bool {
    let state = cx.state();
    if Groups::read(state).creation.unresolved.is_some() {
        return true;
    }
    let entry = match like {
        Some(new) => state.mutations.unsettled_like(new),
        None => state.mutations.unsettled().next(),
    };
    let Some(entry) = entry else { return false };
    let why = match &entry.outcome {
        Some(outcome) => outcome.words.clone(),
        None => "no response was recorded".to_owned(),
    };
    let unresolved = Unresolved {
        key: entry.intent.key.clone(),
        asked: entry.intent.new_workergroup(),
        sent: Now {
            mono: MonotonicTime::default(),
            epoch: entry.intent.at,
        },
        why,
        before: None,
        candidates: Vec::new(),
        listed: None,
    };
    cx.feature::<Groups>().creation.unresolved = Some(unresolved);
    true
}

/// Records the user's decision on the workergroup's creation with an unknown outcome that was taken up;
/// nothing without one.
///
/// It made the listed workergroup `made`, it made another one (`Done`), or it made none (`Refused`). If it
/// made the drafted group, the draft is cleared.
pub fn resolve(cx: &mut Cx<'_>, verdict: Verdict, made: Option<RowId>) {
    let groups: &mut Groups = cx.feature();
    let Some(unresolved) = groups.creation.unresolved.take() else {
        return;
    };
    let words = match (verdict, made) {
        (_, Some(id)) => format!("created as {id}, as you decided"),
        (Verdict::Done, None) => "created, as you decided".to_owned(),
        (Verdict::Refused | Verdict::Unknown, None) => "not created, as you decided".to_owned(),
    };
    let built = groups.draft.built();
    let is_drafted = built.is_ok_and(|new| new.without_launch_args() == unresolved.asked.without_launch_args());
    if verdict == Verdict::Done && is_drafted {
        groups.draft.clear();
    }
    cx.settle_creation(&unresolved.key, verdict, &words);
}

/// Sends the confirmed draft of a workergroup, once.
///
/// # Errors
///
/// When the draft is invalid, was not confirmed or was sent already, an earlier creation of an identical
/// workergroup (launch arguments aside) is unsettled, or the rate limit does not allow it yet. Unsettled
/// creations of other workergroups do not block it.
pub fn create(cx: &mut Cx<'_>) -> Result<(), SendBlocked> {
    let built = Groups::read(cx.state()).draft.built();
    let asked = built.map_err(|_| SendBlocked::NotConfirmed)?.clone();
    cx.send_write(Request::CreateWorkergroup(asked.clone()))?;
    // If the outcome stays unknown, groups that are new in the list since then are the candidates.
    let before = cx.state().browsers[Resource::Workergroups].listing().map(ids);
    let at = cx.now;
    cx.feature::<Groups>().creation.in_flight = Some(Sent { asked, before, at });
    Ok(())
}

/// The ids of all rows that have one.
fn ids(listing: &Listing) -> Vec<RowId> {
    (0..listing.len()).filter_map(|row| listing.id(row)).collect()
}

/// Handles the response to a workergroup's creation: selects the new group and clears the draft if it is
/// unchanged since, or takes up the creation if its outcome is unknown; then lists the groups. A certain
/// failure changes nothing.
pub(super) fn answered(cx: &mut Cx<'_>, response: &Result<Reply, ApiError>) {
    let groups: &mut Groups = cx.feature();
    let Some(sent) = groups.creation.in_flight.take() else {
        return;
    };
    match response {
        Ok(Reply::Created { id }) => {
            let id = RowId(*id);
            groups.creation.awaited = Some(id);
            // Edits made since then are for another group and stay.
            if groups.draft.built() == Ok(&sent.asked) {
                groups.draft.clear();
            }
            cx.table(Resource::Workergroups).select_id(id);
        }
        // Nothing was created for certain: the form stays, and the list has no new group.
        Err(error) if !error.outcome_unknown(Operation::CreateWorkergroup) => return,
        outcome => {
            let key = {
                let mut past = cx.state().mutations.past(WriteKind::CreateWorkergroup);
                past.next().map(|entry| entry.intent.key.clone())
            };
            cx.feature::<Groups>().creation.unresolved = Some(Unresolved {
                key: key.unwrap_or_default(),
                asked: sent.asked,
                sent: sent.at,
                why: match outcome {
                    Ok(_) => "response for another request".to_owned(),
                    Err(error) => error.without_advice(),
                },
                before: sent.before,
                candidates: Vec::new(),
                listed: None,
            });
        }
    }
    cx.ask(Resource::Workergroups);
}

/// Looks in a new listing for the created workergroup, which is selected (a complaint if it is hidden or
/// missing), and for candidates of a creation with an unknown outcome.
pub(super) fn listed(cx: &mut Cx<'_>) {
    let now = cx.now;
    let lent = cx.lend::<Groups>();
    let (creation, workergroups) = (&mut lent.feature.creation, &mut lent.tables[Resource::Workergroups]);
    let Some(listing) = workergroups.listing() else {
        return;
    };
    if let Some(unresolved) = &mut creation.unresolved {
        let before = unresolved.before.as_deref().unwrap_or_default();
        unresolved.candidates = candidates(before, listing, &unresolved.asked);
        unresolved.listed = Some(now);
    }
    let Some(id) = creation.awaited.take() else {
        return;
    };
    let is_listed = listing.row(id).is_some();
    // Even if it is not listed: a filter or the next listing may bring it, and it is selected then.
    workergroups.select_id(id);
    let is_shown = workergroups.selected() == Some(id);
    match (is_listed, is_shown) {
        (true, true) => {}
        (true, false) => {
            let key = cx.state().keymap.key_of(Action::Query);
            cx.complain(format!("Workergroup {id} is hidden by the filters: {key} edits them"));
        }
        (false, _) => {
            let key = cx.state().keymap.key_of(Action::Refresh);
            cx.complain(format!(
                "Workergroup {id} was created but is not listed yet ({key} to refresh)"
            ));
        }
    }
}

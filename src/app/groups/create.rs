//! Creating a workergroup: confirmed by typing, sent once, and when nobody knows what became of it
//! the list is fetched and the person decides.

use crate::api::{ApiError, Operation, Reply, Request};
use crate::app::keymap::{Action, Context};
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::remote::{Now, Ticket};
use crate::app::write::{Held, PASTE_REFUSED, Stage, Typed};
use crate::app::{Model, Pane};
use crate::domain::journal::Deed;
use crate::domain::workergroup::{NewWorkergroup, candidates};
use crate::domain::{Listing, Resource, RowId};
use crate::widgets::text_input::TextInput;

/// The word that sends.
pub const CREATE: &str = "create";
/// The word that says: the group that appeared is the one.
pub const MINE: &str = "mine";
/// The word that says: none of the groups is the one.
pub const NONE: &str = "none";

/// Where the dialog stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The word is typed.
    Confirm,
    /// It was sent, or it is over and its outcome is known.
    Outcome,
    /// Nobody knows what became of it: the person decides.
    Unknown,
}

/// The dialog.
#[derive(Debug, Clone)]
pub struct CreateDialog {
    /// Where it stands.
    pub page: Page,
    /// The word.
    pub typed: Typed,
    /// What is wrong with what was typed.
    pub complaint: Option<String>,
    /// Whether sending was asked for before the market may be asked again.
    pub early: bool,
    /// Which of the groups that may be the one is selected.
    pub selected: usize,
}

impl CreateDialog {
    fn on(page: Page) -> Self {
        Self {
            page,
            typed: Typed::default(),
            complaint: None,
            early: false,
            selected: 0,
        }
    }

    /// The contexts whose keys it takes.
    pub const fn contexts(&self) -> &'static [Context] {
        match self.page {
            Page::Confirm => &[Context::Confirm, Context::Always],
            Page::Outcome => &[Context::Created, Context::Always],
            Page::Unknown => &[Context::Settle, Context::Confirm, Context::Always],
        }
    }

    /// Types into the line, where there is one.
    pub fn edit(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        if self.page != Page::Outcome && edit(&mut self.typed.input) {
            self.complaint = None;
            self.early = false;
        }
    }

    /// Says that pasted text is not taken.
    pub fn refuse_paste(&mut self) {
        if self.page != Page::Outcome {
            self.complaint = Some(PASTE_REFUSED.to_owned());
        }
    }
}

/// A creation whose outcome nobody knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Unresolved {
    /// What was asked for.
    pub asked: NewWorkergroup,
    /// When it was sent.
    pub sent: Now,
    /// Why nobody knows.
    pub why: String,
    /// The groups that were there before; `None` if they had not been listed.
    pub before: Option<Vec<RowId>>,
    /// The groups that may be the one, in the latest listing.
    pub candidates: Vec<RowId>,
    /// When that listing came.
    pub listed: Option<Now>,
}

/// What was asked for last, and what became of it as far as that is not shown elsewhere.
#[derive(Debug, Default)]
pub struct Creation {
    under_way: Option<(NewWorkergroup, Option<Vec<RowId>>, Now)>,
    unresolved: Option<Unresolved>,
    /// The group that was created and is to be selected when it is listed.
    awaited: Option<RowId>,
}

impl Creation {
    /// The creation whose outcome nobody knows.
    pub const fn unresolved(&self) -> Option<&Unresolved> {
        self.unresolved.as_ref()
    }
}

/// Opens the dialog: on the creation that is under way or not resolved, else for a new one.
pub(super) fn open(model: &mut Model, now: Now) -> Vec<Effect> {
    let page = if model.state.groups.creation.unresolved.is_some() {
        Page::Unknown
    } else if !model.state.writes.begin(Deed::CreateWorkergroup) {
        Page::Outcome
    } else {
        Page::Confirm
    };
    model
        .overlays
        .push(Overlay::GroupCreate(CreateDialog::on(page)));
    if page == Page::Confirm {
        // The list from just before is what tells a new group from an old one.
        let mut effects =
            model.state.browsers[Resource::Workergroups].ask(&mut model.state.tickets, now);
        effects.extend(super::preflight::look_at_draft(model, now));
        return effects;
    }
    Vec::new()
}

/// Does what a verb means in the dialog.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let Some(Overlay::GroupCreate(dialog)) = model.overlays.last_mut() else {
        return Vec::new();
    };
    match (action, dialog.page) {
        (Action::Back, _) | (Action::Submit, Page::Outcome) => close(model, now),
        (Action::Submit, Page::Confirm) => return send(model, now),
        (Action::Submit, Page::Unknown) => return settle(model, now),
        (Action::Refresh, Page::Unknown) => {
            return model.state.browsers[Resource::Workergroups].ask(&mut model.state.tickets, now);
        }
        (Action::Down, Page::Unknown) => dialog.selected = dialog.selected.saturating_add(1),
        (Action::Up, Page::Unknown) => dialog.selected = dialog.selected.saturating_sub(1),
        _ => {}
    }
    if let (Some(Overlay::GroupCreate(dialog)), Some(unresolved)) = (
        model.overlays.last_mut(),
        &model.state.groups.creation.unresolved,
    ) {
        let last = unresolved.candidates.len().saturating_sub(1);
        dialog.selected = dialog.selected.min(last);
    }
    Vec::new()
}

/// Leaves the dialog; what is under way goes on.
fn close(model: &mut Model, now: Now) {
    model.overlays.pop();
    if let Some(flight) = model.state.writes.flight(Deed::CreateWorkergroup) {
        let text = format!(
            "Creating a workergroup for {} goes on; its outcome will be shown",
            flight.subject
        );
        model.show(Toast::new(text, now));
    }
    model.state.writes.leave(Deed::CreateWorkergroup);
}

fn send(model: &mut Model, now: Now) -> Vec<Effect> {
    let Model {
        overlays, state, ..
    } = model;
    let crate::app::State {
        browsers,
        writes,
        profile,
        tickets,
        groups,
        keymap,
        ..
    } = state;
    let workergroups = &mut browsers[Resource::Workergroups];
    let Some(Overlay::GroupCreate(dialog)) = overlays.last_mut() else {
        return Vec::new();
    };
    let Ok(new) = groups.form.built() else {
        return Vec::new();
    };
    if !dialog.typed.is(CREATE) {
        dialog.complaint = Some(format!(
            "That is not {CREATE}: nothing was sent. Type {CREATE}, or press {}.",
            keymap.way_to("step-back")
        ));
        return Vec::new();
    }
    let subject = new.subject();
    let request = Request::CreateWorkergroup(new.clone());
    let sent = writes.send(
        Deed::CreateWorkergroup,
        request,
        &subject,
        profile,
        tickets,
        now,
    );
    match sent {
        Ok(effect) => {
            groups.creation.under_way = Some((new.clone(), ids(workergroups.listing()), now));
            *dialog = CreateDialog::on(Page::Outcome);
            vec![effect]
        }
        Err(Held::Early(_)) => {
            dialog.early = true;
            Vec::new()
        }
        Err(Held::NotConfirmed) => {
            dialog.page = Page::Outcome;
            Vec::new()
        }
    }
}

fn ids(listing: Option<&Listing>) -> Option<Vec<RowId>> {
    listing.map(|listing| {
        (0..listing.len())
            .filter_map(|row| listing.id(row))
            .collect()
    })
}

/// What follows from the answer, after the slot of writes has taken it in.
pub(in crate::app) fn answered(
    model: &mut Model,
    now: Now,
    result: &Result<Reply, ApiError>,
) -> Vec<Effect> {
    let Some((asked, before, sent)) = model.state.groups.creation.under_way.take() else {
        return Vec::new();
    };
    match result {
        Ok(Reply::Created { id }) => {
            let id = RowId(*id);
            model.state.groups.creation.awaited = Some(id);
            // What was typed since, for another group, stays.
            if model.state.groups.form.built() == Ok(&asked) {
                model.state.groups.form.done();
                model
                    .overlays
                    .retain(|overlay| !matches!(overlay, Overlay::GroupForm));
            }
            model.state.browsers[Resource::Workergroups].select_id(id);
            return model.state.browsers[Resource::Workergroups].ask(&mut model.state.tickets, now);
        }
        Err(error) if !error.outcome_unknown(Operation::CreateWorkergroup) => return Vec::new(),
        _ => {}
    }
    let why = match result {
        Ok(_) => "the answer belongs to another question".to_owned(),
        Err(error) => error.without_advice(),
    };
    model.state.groups.creation.unresolved = Some(Unresolved {
        asked,
        sent,
        why,
        before,
        candidates: Vec::new(),
        listed: None,
    });
    if let Some(Overlay::GroupCreate(dialog)) = model.overlays.last_mut() {
        *dialog = CreateDialog::on(Page::Unknown);
    }
    model.state.browsers[Resource::Workergroups].ask(&mut model.state.tickets, now)
}

/// Looks for what was created in a listing that has just come.
pub(super) fn listed(model: &mut Model, now: Now) {
    let crate::app::State {
        browsers, groups, ..
    } = &mut model.state;
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
    let is_here = listing.row(id).is_some();
    workergroups.select_id(id);
    let is_shown = workergroups.selected() == Some(id);
    match (is_here, is_shown) {
        (true, true) => {}
        (true, false) => model.show(Toast::error(
            format!("Workergroup {id} is there, but the conditions above hide it"),
            now,
        )),
        (false, _) => {
            let key = model.state.keymap.way_to("refresh");
            let text =
                format!("Workergroup {id} was created; the list does not show it yet: press {key}");
            model.show(Toast::error(text, now));
        }
    }
}

/// The person decides on a creation that nobody knows about.
fn settle(model: &mut Model, now: Now) -> Vec<Effect> {
    let Model {
        overlays, state, ..
    } = model;
    let crate::app::State { groups, keymap, .. } = state;
    let (Some(Overlay::GroupCreate(dialog)), Some(unresolved)) =
        (overlays.last_mut(), &groups.creation.unresolved)
    else {
        return Vec::new();
    };
    let chosen = unresolved.candidates.get(dialog.selected).copied();
    match (dialog.typed.text(), chosen) {
        (MINE, Some(id)) => {
            groups.creation.unresolved = None;
            groups.form.done();
            model.state.writes.leave(Deed::CreateWorkergroup);
            model.overlays.clear();
            model.state.pane = Pane::Workergroups;
            model.state.browsers[Resource::Workergroups].select_id(id);
            model.show(Toast::new(
                format!("Taken: workergroup {id} is the one that was created"),
                now,
            ));
        }
        (MINE, None) => {
            dialog.complaint = Some(format!(
                "No group that may be the one has appeared: {} lists again.",
                keymap.way_to("list-again")
            ));
        }
        (NONE, _) => {
            groups.creation.unresolved = None;
            model.state.writes.leave(Deed::CreateWorkergroup);
            model.overlays.pop();
            model.show(Toast::new(
                "Noted: it was not created. The form is as you left it",
                now,
            ));
        }
        _ => {
            dialog.complaint = Some(format!(
                "Type {MINE} or {NONE}, then {}. Nothing is sent here.",
                keymap.way_to("confirm")
            ));
        }
    }
    Vec::new()
}

/// When the dialog wants to be drawn anew.
pub(super) fn deadline(model: &Model, now: Now) -> Option<f64> {
    let in_sight = matches!(model.overlays.last(), Some(Overlay::GroupCreate(_)));
    match model.state.writes.stage(Deed::CreateWorkergroup) {
        Stage::Sent(flight) => {
            let passed = now.mono - flight.since.mono;
            Some(flight.since.mono + passed.floor() + 1.0)
        }
        Stage::Confirming(_) | Stage::Over(_) if in_sight => {
            let wait = model.state.writes.ready_in(Deed::CreateWorkergroup, now);
            (wait > 0.0).then(|| now.mono + (wait - (wait.ceil() - 1.0)).max(0.02))
        }
        _ => None,
    }
}

/// Whether the answer of a ticket is that of a creation.
pub(in crate::app) fn awaits(model: &Model, ticket: Ticket) -> bool {
    model.state.writes.awaiting(ticket) == Some(Deed::CreateWorkergroup)
}

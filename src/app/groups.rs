//! The state of the Workergroups pane beside its table: the draft of a new group, its creation,
//! preflights, the supply check, what changed.

pub mod creation;
pub mod draft;
pub mod drift;
pub mod preflight;
pub mod supply;

use super::keymap::{Action, Context};
use super::message::{Effect, Toast};
use super::mutations::READ_ONLY;
use super::pane::Pane;
use super::remote::{Now, Ticket, Waiting};
use super::state::State;
use crate::api::{ApiError, Reply};
use crate::domain::catalog::WORKERGROUPS;
use crate::domain::workergroup::Preflight;
use crate::domain::{Dialect, Listing, Resource};
use creation::Creation;
use draft::GroupDraft;
use drift::Drift;
use preflight::{Look, PreflightSlot, Subject};
use supply::SupplyCheck;

/// The state beside the table.
#[derive(Debug)]
pub struct Groups {
    /// The draft of a new group.
    pub draft: GroupDraft,
    pub creation: Creation,
    pub preflight: PreflightSlot,
    /// The supply of every group.
    pub supply: SupplyCheck,
    /// What changed since the groups were last listed.
    pub drift: Drift,
    /// The pane that was left with the form open: it reopens there.
    pub form_left_on: Option<Pane>,
}

impl Groups {
    pub fn new(dialect: &'static Dialect) -> Self {
        Self {
            draft: GroupDraft::new(dialect),
            creation: Creation::default(),
            preflight: PreflightSlot::default(),
            supply: SupplyCheck::default(),
            drift: Drift::default(),
            form_left_on: None,
        }
    }
}

impl State {
    /// Why creating is blocked, if it is.
    pub fn creation_blocked(&self) -> Option<String> {
        let is_read_only = self.profile.read_only;
        is_read_only.then(|| format!("Can't create: {READ_ONLY}"))
    }

    /// Starts the supply check, or stops it while it runs.
    pub fn toggle_supply_check(&mut self, now: Now) -> Vec<Effect> {
        if self.groups.supply.running().is_some() {
            let effects = self.groups.supply.stop();
            self.show(Toast::new("Supply check stopped", now));
            return effects;
        }
        let workergroups = &self.browsers[Resource::Workergroups];
        let dialect = workergroups.dialect();
        workergroups.listing().map_or_else(Vec::new, |listing| {
            self.groups
                .supply
                .start(listing, dialect, &mut self.tickets, now)
        })
    }

    /// The search of `subject` as it is now; `Err` says why it cannot be run.
    pub fn look_at(&self, subject: Subject) -> Result<Look, String> {
        let draft = &self.groups.draft;
        let browser = &self.browsers[Resource::Workergroups];
        match subject {
            Subject::Draft(number) if number == draft.number() => {
                Look::at_draft(number, draft.draft(), self.profile.dialect)
            }
            Subject::Draft(_) => Err("The form has another draft now".to_owned()),
            Subject::Group(id) => {
                let found = browser
                    .listing()
                    .and_then(|listing| Some((listing, listing.row(id)?)));
                let (listing, row) = found.ok_or("The workergroup is no longer listed")?;
                Look::at_row(listing, row, browser.dialect())
            }
        }
    }

    /// The current report on the search of `subject`, if there is one.
    pub fn preflight_report(&self, subject: Subject) -> Option<&Preflight> {
        let slot = &self.groups.preflight;
        let look = self.look_at(subject).ok()?;
        slot.remote().shown().filter(|_| slot.is_about(&look))
    }

    /// Runs the search of `look`, unless its report is fresh or its request is in flight.
    pub fn run_preflight(&mut self, look: Look, now: Now) -> Vec<Effect> {
        let slot = &mut self.groups.preflight;
        let is_fresh = slot
            .remote()
            .shown_at()
            .is_none_or(|then| now.epoch - then.epoch < 60.0);
        if is_fresh && slot.is_about(&look) {
            slot.retitle(look);
            return Vec::new();
        }
        self.rerun_preflight(look, now)
    }

    /// Runs the search of `look`, even if its report is fresh.
    pub fn rerun_preflight(&mut self, look: Look, now: Now) -> Vec<Effect> {
        let slot = &mut self.groups.preflight;
        slot.banned = self.annotations.all.not_left_out(&look.search.query());
        slot.ask(look, &mut self.tickets, now)
    }

    /// The endpoints that the listed groups serve, by name.
    pub fn endpoint_names(&self) -> Vec<String> {
        let listing = self.browsers[Resource::Workergroups].listing();
        let field = WORKERGROUPS.by_key("endpoint_name");
        let Some((listing, field)) = listing.zip(field) else {
            return Vec::new();
        };
        let texts = listing.column(field).texts().iter();
        let mut names: Vec<String> = texts
            .map(|name| name.compared().to_owned())
            .filter(|name| !name.is_empty())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Why an action of the pane is disabled, if it is.
pub(super) fn disabled(state: &State, is_on_pane: bool, action: Action) -> Option<String> {
    let is_here = state.pane == Pane::Workergroups;
    let only_on = |pane: &str, action| format!("Only on {pane} ({})", state.keymap.key_of(action));
    let elsewhere =
        || (!is_here).then(|| only_on("Workergroups", Action::Pane(Pane::Workergroups)));
    let selected = || {
        let row = state.browsers[Resource::Workergroups].selected_row();
        row.is_none().then(|| "No workergroup selected".to_owned())
    };
    match action {
        Action::NewGroup => elsewhere().or_else(|| state.creation_blocked()),
        Action::CloneGroup => elsewhere()
            .or_else(|| state.creation_blocked())
            .or_else(selected),
        Action::GroupFromSearch => (state.pane != Pane::Offers)
            .then(|| only_on("Offers", Action::Pane(Pane::Offers)))
            .or_else(|| state.creation_blocked()),
        Action::Preflight => elsewhere().or_else(selected),
        Action::CheckSupply => elsewhere().or_else(|| {
            let listing = state.browsers[Resource::Workergroups].listing();
            let is_empty = listing.is_none_or(Listing::is_empty);
            is_empty.then(|| "No workergroups listed".to_owned())
        }),
        // The details of a group handle it earlier.
        Action::Secrets if is_here && is_on_pane => {
            let key = state.keymap.key_of(Action::Open);
            Some(format!("Open the details first ({key})"))
        }
        Action::Secrets => elsewhere().or_else(selected).or_else(|| {
            let has_key = super::copy::api_key(state).is_some();
            (!has_key).then(|| "This workergroup has no API key".to_owned())
        }),
        _ => None,
    }
}

/// Whether an action is only for this pane.
pub(super) const fn is_own(action: Action) -> bool {
    matches!(
        action,
        Action::NewGroup
            | Action::CloneGroup
            | Action::Preflight
            | Action::CheckSupply
            | Action::Secrets
    )
}

/// Whether a preflight or the supply check waits for this response.
pub(super) fn awaits(state: &State, ticket: Ticket) -> bool {
    state.groups.preflight.awaits(ticket) || state.groups.supply.awaits(ticket)
}

/// Takes the response to a preflight or to a search of the supply check.
pub(super) fn answered(
    state: &mut State,
    now: Now,
    ticket: Ticket,
    result: Result<Reply, ApiError>,
) -> Vec<Effect> {
    let dialect = state.profile.dialect;
    let State {
        groups, tickets, ..
    } = state;
    let answer = match result {
        Ok(Reply::Records(listing)) => Ok(listing),
        Ok(_) => return Vec::new(),
        Err(error) => Err(error),
    };
    if groups.preflight.awaits(ticket) {
        groups.preflight.answered(ticket, answer, now);
        return Vec::new();
    }
    groups.supply.answered(answer, dialect, tickets, now)
}

/// Records the progress of the pane's requests.
pub(super) fn progress(state: &mut State, ticket: Ticket, attempt: u32, waiting: Option<&Waiting>) {
    let groups = &mut state.groups;
    groups.preflight.progress(ticket, attempt, waiting.cloned());
    groups.supply.progress(ticket, waiting.cloned());
}

/// Handles a new listing of the groups.
pub(super) fn listed(state: &mut State, now: Now) -> Vec<Effect> {
    let Some(listing) = state.browsers[Resource::Workergroups].listing() else {
        return Vec::new();
    };
    let drift = &mut state.groups.drift;
    let seen = drift.unseen;
    let effect = drift.listed(listing, now);
    let new = drift.unseen - seen;
    let since = drift.found().next().map(|found| found.since);
    if let Some(since) = since.filter(|_| new > 0) {
        let noun = if new == 1 { "change" } else { "changes" };
        let then = state.local_time(now).minute(since);
        let keymap = &state.keymap;
        let key = keymap.key_in(&[Context::Workergroups], Action::Differences);
        let text = format!("{new} {noun} since {then} ({key} to show)");
        state.show(Toast::new(text, now));
    }
    // The outcome of a creation matters more than changes.
    creation::listed(state, now);
    vec![effect]
}

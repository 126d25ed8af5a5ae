//! The user's stars, notes and bans, and their effects on searches and rows.
//!
//! Bans act in two places only, so that no view can forget them: each search is sent with the bans
//! its market can filter on, and all other banned rows are removed from each response before a view
//! reads it.

use crate::core::message::News;
use crate::table::remote::Ticket;
use std::sync::Arc;

use super::state::State;
use crate::api::{ApiError, Reply, Request};
use crate::core::message::{Effect, EffectError};
use crate::core::view::Cx;
use crate::domain::annotations::{AnnotationChange, Annotations, Mark, Supplier, suppliers};
use crate::domain::document::Edit;
use crate::domain::{Condition, Query, Resource};
use crate::keys::{Action, Subject};
use crate::table::browser::Browser;

/// Maximum number of changes that can be undone.
const MOST_UNDONE: usize = 100;

impl Cx<'_> {
    /// Changes an annotation here and in its file. Lifting a ban requests the rows it hid.
    pub fn annotate(&mut self, change: &AnnotationChange) {
        let inverse = self.annotate_only(change);
        let undo = &mut self.state.annotations.undo;
        undo.push(inverse);
        if undo.len() > MOST_UNDONE {
            undo.remove(0);
        }
    }

    /// Undoes the latest change and returns the change that restored the earlier state; `None` if
    /// there is nothing to undo.
    pub fn undo_annotation(&mut self) -> Option<AnnotationChange> {
        let change = self.state.annotations.undo.pop()?;
        self.annotate_only(&change);
        Some(change)
    }

    /// Sends a search without the bans, for a view that names what hides an offer and lists none; its response goes to
    /// [`crate::core::view::View::on_news`]. A newer one replaces it.
    pub fn send_unfiltered(&mut self, query: Query) -> Ticket {
        let ticket = self.send(Request::Search(query));
        self.state.annotations.unfiltered = Some(ticket);
        ticket
    }

    fn annotate_only(&mut self, change: &AnnotationChange) -> AnnotationChange {
        let annotations = &mut self.state.annotations;
        let before = Annotations::clone(&annotations.all);
        let inverse = Arc::make_mut(&mut annotations.all).apply(change);
        annotations.pending += 1;
        let edit = Edit::Change {
            change: change.clone(),
            before,
        };
        self.save_edit(edit, annotations_saved);
        self.state.use_annotations();
        if change.mark == Mark::Ban(false) && inverse.mark == Mark::Ban(true) {
            self.ask_again();
        }
        inverse
    }

    /// Lists banned offers, or hides them again.
    pub fn show_banned(&mut self, is_shown: bool) {
        self.state.annotations.shows_banned = is_shown;
        self.state.use_annotations();
        if is_shown {
            self.ask_again();
        }
    }

    /// Repeats the searches of the tables that show rows.
    fn ask_again(&mut self) {
        for resource in [Resource::Offers, Resource::Volumes] {
            if self.state.browsers[resource].listing().is_some() {
                self.ask(resource);
            }
        }
    }
}

impl State {
    /// Replaces the annotations by those of the profile and applies them to the loaded rows.
    pub fn restore_annotations(&mut self, all: Annotations) {
        self.annotations.all = Arc::new(all);
        self.use_annotations();
    }

    /// Replaces the annotations by those in the file, which may hold other programs' changes; a
    /// failure is reported.
    pub(crate) fn on_annotations_saved(&mut self, result: Result<Annotations, EffectError>) {
        self.annotations.pending = self.annotations.pending.saturating_sub(1);
        match result {
            // With another change in flight this response is stale.
            Ok(all) if self.annotations.pending == 0 => {
                if *self.annotations.all != all {
                    self.restore_annotations(all);
                }
            }
            Ok(_) => {}
            Err(error) => self.record_save_result(Err(error)),
        }
    }

    /// Applies the annotations to the loaded rows.
    fn use_annotations(&mut self) {
        let annotations = &self.annotations;
        let hides = !annotations.shows_banned;
        let bans = annotations.bans();
        for browser in self.browsers.iter_mut() {
            if browser.resource() != Resource::Workergroups {
                browser.annotate(&annotations.all, hides, bans.clone());
            }
        }
    }

    /// The bans that the market can filter on, as conditions of `query`.
    pub fn ban_conditions(&self, query: &Query) -> Vec<Condition> {
        if self.annotations.shows_banned {
            return Vec::new();
        }
        let dialect = self.profile.dialect;
        self.annotations.all.conditions(query, dialect)
    }

    /// Leaves banned machines and hosts out of the searches that are about to be sent.
    pub(crate) fn leave_out_banned(&self, effects: &mut [Effect]) {
        for effect in effects {
            if let Effect::Call {
                request: Request::Search(query),
                ticket,
            } = effect
                && self.annotations.unfiltered != Some(*ticket)
            {
                let bans = self.ban_conditions(query);
                query.conditions.extend(bans);
            }
        }
    }

    /// Removes banned rows from the response to a ticket, unless banned offers are listed.
    pub(crate) fn hide_banned(&self, ticket: Ticket, result: &mut Result<Reply, ApiError>) {
        let shows_banned = self.annotations.shows_banned || self.annotations.unfiltered == Some(ticket);
        if let (Ok(Reply::Records(listing)), false) = (result, shows_banned) {
            self.annotations.all.hide_banned(listing);
        }
    }
}

/// Passes the result of saving annotations to [`State::on_annotations_saved`].
fn annotations_saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    if let Some(result) = news.into_saved() {
        cx.state.on_annotations_saved(result);
    }
}

/// The machine and the host of the selected row.
pub fn selected(browser: &Browser) -> [Option<Supplier>; 2] {
    let selected = browser.listing().zip(browser.selected_row());
    selected.map_or([None; 2], |(listing, row)| suppliers(listing, row))
}

/// The reason an action on annotations is disabled, or `None` if it is enabled.
pub(crate) fn disabled(state: &State, action: Action) -> Option<String> {
    let [machine, host] = state.browser().map(selected).unwrap_or_default();
    let annotations = &state.annotations;
    match action {
        Action::Star(Subject::Machine) | Action::Note(Subject::Machine) if machine.or(host).is_none() => {
            Some("The selected row names no machine or host".to_owned())
        }
        Action::Star(Subject::Host) | Action::Note(Subject::Host) if host.is_none() => {
            Some("The selected row names no host".to_owned())
        }
        Action::Ban if machine.or(host).is_none() && annotations.all.is_empty() => {
            Some("The selected row names no machine or host".to_owned())
        }
        Action::ShowBanned if annotations.all.banned().next().is_none() => Some("Nothing is banned".to_owned()),
        _ => None,
    }
}

/// Whether an action changes or filters by annotations.
pub(crate) const fn is_of_annotations(action: Action) -> bool {
    matches!(
        action,
        Action::Star(_) | Action::Note(_) | Action::Ban | Action::ShowBanned | Action::StarredOnly
    )
}

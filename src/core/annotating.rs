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
    /// Changes a star, note or ban here and in its file, so that it can be undone (the latest 100 changes).
    /// Lifting a ban sends the searches of the loaded tables again to get the rows it hid.
    pub fn annotate(&mut self, change: &AnnotationChange) {
        let inverse = self.annotate_only(change);
        let undo = &mut self.state.annotations.undo;
        undo.push(inverse);
        if undo.len() > MOST_UNDONE {
            undo.remove(0);
        }
    }

    /// Undoes the latest change, here and in the file, and returns the change that restored the earlier
    /// state; `None` if there is nothing to undo. An undo cannot be undone.
    pub fn undo_annotation(&mut self) -> Option<AnnotationChange> {
        let change = self.state.annotations.undo.pop()?;
        self.annotate_only(&change);
        Some(change)
    }

    /// Sends a search without the conditions that leave out banned offers, and without removing banned rows
    /// from its response, which goes to [`crate::core::view::View::on_news`] of the calling view. Only the
    /// latest such search is exempt from the bans.
    pub fn send_unfiltered(&mut self, query: Query) -> Ticket {
        let ticket = self.send(Request::Search(query));
        self.state.annotations.unfiltered = Some(ticket);
        ticket
    }

    /// Applies and saves a change of a star, note or ban without adding it to the undo history; returns the
    /// change that undoes it. Lifting a ban repeats the searches of the loaded tables.
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

    /// Sets whether banned offers are listed, until the program ends. Showing them sends the searches of the
    /// loaded tables again; hiding them only removes loaded rows.
    pub fn show_banned(&mut self, is_shown: bool) {
        self.state.annotations.shows_banned = is_shown;
        self.state.use_annotations();
        if is_shown {
            self.ask_again();
        }
    }

    /// Repeats the searches of offers and volumes, each only if its table has a response.
    fn ask_again(&mut self) {
        for resource in [Resource::Offers, Resource::Volumes] {
            if self.state.browsers[resource].listing().is_some() {
                self.ask(resource);
            }
        }
    }
}

impl State {
    /// Replaces all annotations by `all`, as loaded or saved, and applies them to the loaded rows.
    pub fn restore_annotations(&mut self, all: Annotations) {
        self.annotations.all = Arc::new(all);
        self.use_annotations();
    }

    /// Handles the result of saving a change: adopts the file's annotations, which may hold other programs'
    /// changes, unless the saving of another change is still awaited. A failure is reported once.
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

    /// Applies stars, notes and bans to the loaded rows of offers and volumes; banned rows are removed unless
    /// they are being shown.
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

    /// The bans that the market can filter on, as conditions to add to `query`; empty while banned offers are
    /// shown.
    pub fn ban_conditions(&self, query: &Query) -> Vec<Condition> {
        if self.annotations.shows_banned {
            return Vec::new();
        }
        let dialect = self.profile.dialect;
        self.annotations.all.conditions(query, dialect)
    }

    /// Adds the bans the market can filter on to each search among `effects`, except the one that was sent
    /// unfiltered.
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

    /// Removes banned rows from the response to a ticket, in place. An error, a response without rows and the
    /// unfiltered search stay as they are, as does all while banned offers are shown.
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

/// The machine and the host of the selected row, in this order; `None` for each that the row does not name,
/// and for both without a selected row.
pub fn selected(browser: &Browser) -> [Option<Supplier>; 2] {
    let selected = browser.listing().zip(browser.selected_row());
    selected.map_or([None; 2], |(listing, row)| suppliers(listing, row))
}

/// The reason starring, noting, banning or showing banned offers is disabled, or `None` if it is enabled or
/// the action is another one. Stars, notes and bans need a row that names a machine or host (those of a host
/// need the host); banning also works without one if there are annotations to edit. Showing needs a ban.
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

/// Whether an action is about annotations: to star, note, ban, show banned offers, or list starred offers
/// only.
pub(crate) const fn is_annotation_action(action: Action) -> bool {
    matches!(
        action,
        Action::Star(_) | Action::Note(_) | Action::Ban | Action::ShowBanned | Action::StarredOnly
    )
}

//! The person's stars, notes and bans, and what follows from them for searches and rows.
//!
//! Bans act in two places only, so that no view can forget them: each search that is sent leaves
//! out what its market can filter on, and each response loses the other banned rows before anybody
//! sees them.

use crate::core::message::{News, Saved, Saving};
use crate::table::remote::Ticket;
use std::sync::Arc;

use crate::api::{ApiError, Reply, Request};
use crate::core::message::{Effect, EffectError};
use crate::core::state::State;
use crate::core::view::Cx;
use crate::domain::annotations::{AnnotationChange, Annotations, Bans, Mark, Supplier, suppliers};
use crate::domain::{Condition, Listing, Operand, Operator, Query, Resource, Value};
use crate::keys::{Action, Subject};
use crate::table::browser::Browser;

/// How many changes can be undone.
const MOST_UNDONE: usize = 100;

/// The annotations, and how they are used now.
#[derive(Debug, Default)]
pub struct AnnotationState {
    pub all: Arc<Annotations>,
    /// Whether banned offers are listed until the program ends.
    pub shows_banned: bool,
    /// The changes that undo the latest ones, newest last.
    undo: Vec<AnnotationChange>,
    /// Changes that are not confirmed yet.
    pending: usize,
}

impl AnnotationState {
    /// The bans in force: none while banned offers are listed.
    pub(crate) fn bans(&self) -> Bans {
        if self.shows_banned { Bans::NONE } else { self.all.bans() }
    }
}

impl Cx<'_> {
    /// Changes an annotation, here and in its file. What a lifted ban hid is requested again.
    pub fn annotate(&mut self, change: &AnnotationChange) {
        let inverse = self.annotate_only(change);
        let undo = &mut self.state.annotations.undo;
        undo.push(inverse);
        if undo.len() > MOST_UNDONE {
            undo.remove(0);
        }
    }

    /// Undoes the latest change; `None` if there is none. Returns the change that did it.
    pub fn undo_annotation(&mut self) -> Option<AnnotationChange> {
        let change = self.state.annotations.undo.pop()?;
        self.annotate_only(&change);
        Some(change)
    }

    fn annotate_only(&mut self, change: &AnnotationChange) -> AnnotationChange {
        let annotations = &mut self.state.annotations;
        let before = Annotations::clone(&annotations.all);
        let inverse = Arc::make_mut(&mut annotations.all).apply(change);
        annotations.pending += 1;
        let saving = Saving::Annotations {
            change: change.clone(),
            before,
        };
        self.save_as(saving, annotations_saved);
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

    /// Requests the rows of the panes that show some.
    fn ask_again(&mut self) {
        for resource in [Resource::Offers, Resource::Volumes] {
            if self.state.browsers[resource].listing().is_some() {
                self.ask(resource);
            }
        }
    }
}

impl State {
    /// Takes over the annotations of the profile.
    pub fn restore_annotations(&mut self, all: Annotations) {
        self.annotations.all = Arc::new(all);
        self.use_annotations();
    }

    /// Takes over the annotations in the file, with other programs' changes.
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

    /// The bans that the market takes with a search.
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
                ..
            } = effect
            {
                let bans = self.ban_conditions(query);
                query.conditions.extend(bans);
            }
        }
    }

    /// Removes what is banned from a response.
    pub(crate) fn hide_banned(&self, result: &mut Result<Reply, ApiError>) {
        if let (Ok(Reply::Records(listing)), false) = (result, self.annotations.shows_banned) {
            self.annotations.all.hide_banned(listing);
        }
    }
}

/// Takes over the annotations in the file, with other programs' changes.
fn annotations_saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    if let News::Saved(Saved::Annotations(result)) = news {
        cx.state.on_annotations_saved(*result);
    }
}

/// The machine and the host of the selected row.
pub fn selected(browser: &Browser) -> [Option<Supplier>; 2] {
    let selected = browser.listing().zip(browser.selected_row());
    selected.map_or([None; 2], |(listing, row)| suppliers(listing, row))
}

/// Why an action on annotations cannot be done, if it cannot.
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

/// Whether an action is about the annotations of a row.
pub(crate) const fn is_of_annotations(action: Action) -> bool {
    matches!(
        action,
        Action::Star(_) | Action::Note(_) | Action::Ban | Action::ShowBanned | Action::StarredOnly
    )
}

impl Browser {
    fn annotate(&mut self, all: &Arc<Annotations>, hides: bool, bans: Bans) {
        self.computed.annotations = Arc::clone(all);
        self.computed.bans = bans;
        if hides {
            let kept = self.watch.iter_mut().flat_map(|watch| watch.kept_mut());
            for earlier in kept {
                all.hide_banned(earlier);
            }
            self.hide_banned_recorded(all);
            let hidden = self.listing_mut().map_or(0, |shown| all.hide_banned(shown));
            if hidden > 0 {
                self.unmark_absent();
            }
        }
        self.revalue();
    }

    /// How many loaded rows the person's bans hide.
    pub fn hidden(&self) -> usize {
        self.listing().map_or(0, Listing::hidden)
    }

    /// Whether only starred offers are listed.
    pub fn is_starred_only(&self) -> bool {
        self.query.active().any(is_starred)
    }

    /// Lists only the starred rows, or all again.
    pub fn toggle_starred_only(&mut self) {
        let mut conditions = self.query.conditions.clone();
        if self.is_starred_only() {
            conditions.retain(|condition| !is_starred(condition));
        } else if let Some(field) = self.query.catalog().column("starred") {
            let starred = Operand::One(Value::Number(1.0));
            conditions.push(Condition::new(field, Operator::Eq, starred));
        }
        self.change_conditions(conditions);
    }
}

fn is_starred(condition: &Condition) -> bool {
    condition.field.key == "starred"
}

//! Saving and restoring the state of the dashboard: panes, queries, columns and marks.

use super::message::{Effect, EffectError, Message};
use super::split::Split;
use super::state::State;
use super::view::Cx;
use crate::core::message::News;
use crate::core::owners::{Owner, Receiver};
use crate::domain::document::{AnyEdit, Document, Edit};
use crate::domain::field::Recording;
use crate::domain::saved::{DashboardState, PaneState, SearchChange, SearchSpec, Searches};
use crate::domain::text::visible;
use crate::domain::time::Now;
use crate::domain::{Condition, Field, Kind, Resource, RowId};
use crate::keys::pane::Pane;
use crate::table::browser::Browser;
use crate::table::remote::Ticket;

/// Seconds from an input to saving its changes.
///
/// Without a delay, every key press would write the file.
const DELAY: f64 = 2.0;

/// Maximum number of saved marks.
///
/// Marks are set by hand; the state is written whenever it changes.
const MOST_MARKS: usize = 1000;

impl State {
    /// The state of the dashboard to save: panes, job, volume term, split and whether the welcome was closed,
    /// with the market they belong to.
    pub fn snapshot(&self) -> DashboardState {
        DashboardState {
            market: market(self),
            panes: self.browsers.iter().map(pane_state).collect(),
            job: self.browsers[Resource::Offers].computed.job,
            volume_term: self.browsers[Resource::Volumes].computed.term,
            split: self.screen.split.table_share(),
            is_welcomed: self.markets.is_welcomed,
        }
    }

    /// The state to save, if it has changed since it was last saved, and marks it as saved; `None` if it is
    /// unchanged or nothing is saved in this run.
    pub fn take_unsaved(&mut self) -> Option<DashboardState> {
        if !self.persistence.is_on {
            return None;
        }
        let snapshot = self.snapshot();
        if self.persistence.kept.as_ref() == Some(&snapshot) {
            return None;
        }
        self.persistence.kept = Some(snapshot.clone());
        Some(snapshot)
    }

    /// Adopts the saved searches and the saved state, and saves from now on. State of another market is not
    /// used, except that the welcome was closed. Queries and columns that cannot be used are named in
    /// notices; an invalid job or term is dropped. A query `given` on the command line takes precedence; else
    /// a start-up search replaces the saved query and opens its pane.
    pub fn restore(&mut self, snapshot: Option<&DashboardState>, searches: Searches, given: bool) {
        self.searches = searches;
        // It belongs to the user, not to a market.
        self.markets.is_welcomed = snapshot.is_some_and(|snapshot| snapshot.is_welcomed);
        if let Some(snapshot) = snapshot.filter(|snapshot| snapshot.market == market(self)) {
            for state in &snapshot.panes {
                self.restore_pane(state, given);
            }
            self.browsers[Resource::Offers].computed.job = snapshot.job.filter(|job| job.validate().is_ok());
            self.browsers[Resource::Offers].take_disk_of_job();
            self.screen.split = Split::from_share(snapshot.split);
            let term = snapshot.volume_term;
            self.browsers[Resource::Volumes].computed.term = term.filter(|term| term.validate().is_ok());
        }
        if let (Some(search), false) = (self.searches.startup().cloned(), given) {
            match search.read(self.profile.dialect) {
                Ok((query, words, job)) => {
                    self.pane = Pane::for_resource(search.spec.resource);
                    if let Some(browser) = self.browser_mut() {
                        browser.load_saved(query, words, job);
                    }
                }
                Err(error) => self
                    .notices
                    .push(format!("The start-up search “{}” is not used: {error}", search.name)),
            }
        }
        self.persistence.is_on = true;
        self.persistence.kept = Some(self.snapshot());
    }

    /// Restores a pane's query history, columns, marks and query; a query or column that cannot be used is
    /// named in a notice, and the columns stay as they are if none can be used. If a query was `given` on the
    /// command line, the offers get no query and no marks.
    fn restore_pane(&mut self, state: &PaneState, given: bool) {
        let resource = state.search.resource;
        let has_query = !(given && resource == Resource::Offers);
        let browser = &mut self.browsers[resource];
        for text in &state.history {
            browser.bar.remember(text);
        }
        let catalog = browser.query.catalog();
        let column = |key: &String| catalog.column(key).filter(|field| field.is_column());
        let columns: Vec<&'static Field> = state.columns.iter().filter_map(column).collect();
        if !columns.is_empty() {
            browser.columns = columns;
        }
        let gone = state.columns.iter().filter(|key| column(key).is_none());
        let gone: Vec<_> = gone.map(|key| visible(key, 40)).collect();
        if !gone.is_empty() {
            let nouns = resource.nouns();
            let gone = gone.join(", ");
            let notice = format!("Columns of the {nouns} that no longer exist: {gone}");
            self.notices.push(notice);
        }
        if !has_query {
            return;
        }
        browser.marks = state.marks.iter().copied().map(RowId).collect();
        match state.search.read(self.profile.dialect) {
            Ok((query, words)) => browser.load(query, words),
            Err(error) => {
                let notice = format!("The last query of the {} is not used: {error}", resource.nouns());
                self.notices.push(notice);
            }
        }
    }

    /// Handles the result of saving: a failure is shown once, until a later save succeeds, and the next
    /// change is saved again.
    pub(crate) fn record_save_result(&mut self, result: Result<(), EffectError>) {
        match result {
            Ok(()) => self.persistence.is_reported = false,
            Err(why) => {
                // The next change tries again.
                self.persistence.kept = None;
                if !std::mem::replace(&mut self.persistence.is_reported, true) {
                    self.notices
                        .push(format!("Changes can't be saved: {why}. They last until you quit."));
                }
            }
        }
    }

    /// The effect that saves an edit of a document of type `T`, with a new ticket; `receiver` gets
    /// [`News::Saved`]. The caller has to request it.
    pub(crate) fn saving<T: Document>(&mut self, edit: Edit<T>, receiver: Receiver) -> Effect {
        let ticket = self.tickets.take();
        let edit = AnyEdit::new(edit);
        let save = Effect::Save { ticket, edit };
        self.owners.note(Owner::Feature(receiver), &save);
        save
    }

    /// Inserts the saving of changes into `effects`: once two seconds have passed since the first unsaved
    /// input, and before a quit. `is_input` is whether the user has just pressed, pasted or clicked
    /// something. Nothing is inserted if the state is unchanged or saving is off.
    pub(crate) fn save_in_time(&mut self, now: Now, is_input: bool, effects: &mut Vec<Effect>) {
        if !self.persistence.is_on {
            return;
        }
        if is_input && self.persistence.due.is_none() {
            self.persistence.due = Some(now.mono + DELAY);
        }
        let leaves = effects.iter().position(|effect| matches!(effect, Effect::Quit));
        if self.persistence.due.is_some_and(|due| due <= now.mono) || leaves.is_some() {
            self.persistence.due = None;
            if let Some(snapshot) = self.take_unsaved() {
                let place = leaves.unwrap_or(effects.len());
                let save = self.saving(Edit::Replace(snapshot), state_saved);
                effects.insert(place, save);
            }
        }
    }
}

impl Cx<'_> {
    /// Requests the saving of the dashboard's state now, if it has changed since it was last saved and saving
    /// is on.
    pub fn save(&mut self) {
        let snapshot = self.state.take_unsaved();
        if let Some(snapshot) = snapshot {
            self.save_edit(Edit::Replace(snapshot), state_saved);
        }
    }

    /// Saves an edit of a document; `receiver` gets [`News::Saved`].
    pub(crate) fn save_edit<T: Document>(&mut self, edit: Edit<T>, receiver: Receiver) {
        let save = self.state.saving(edit, receiver);
        self.effect(save);
    }

    /// Applies a change to the saved searches here and saves it to their file.
    pub fn change_searches(&mut self, change: SearchChange) {
        let before = self.state.searches.clone();
        self.state.searches.apply(&change);
        self.state.persistence.pending += 1;
        self.save_edit(Edit::Change { change, before }, searches_saved);
    }
}

/// Records the result of saving the dashboard's state; a failure is reported once.
pub(super) fn state_saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    if let Some(result) = news.into_saved::<DashboardState>() {
        cx.state.record_save_result(result.map(drop));
    }
}

/// Handles the result of saving a search: adopts the searches in the file, which may hold other programs'
/// changes, unless the saving of another change is still awaited. A failure is shown as a notice, once.
fn searches_saved(cx: &mut Cx<'_>, _: Ticket, news: News) {
    let Some(result) = news.into_saved::<Searches>() else {
        return;
    };
    let persistence = &mut cx.state.persistence;
    persistence.pending = persistence.pending.saturating_sub(1);
    match result {
        // With another change in flight this response is stale.
        Ok(searches) if persistence.pending == 0 => cx.state.searches = searches,
        Ok(_) => {}
        Err(error) => cx.state.record_save_result(Err(error)),
    }
}

/// Whether a message is a key, paste or mouse event, which may change the saved state.
pub(crate) const fn is_input(message: &Message) -> bool {
    matches!(
        message,
        Message::Key(_) | Message::Paste(_) | Message::AfterPaste(_) | Message::Mouse(_)
    )
}

/// The saved state of a table: query, columns, query history and at most 1,000 marks.
///
/// A condition on an id that changes with time, such as that of an offer, is left out.
fn pane_state(browser: &Browser) -> PaneState {
    let mut query = browser.query.clone();
    query
        .conditions
        .retain(|condition| !is_of_session(condition, query.resource));
    PaneState {
        search: SearchSpec::new(&query, browser.ran_words()),
        columns: browser.columns.iter().map(|field| field.key.to_owned()).collect(),
        history: browser.bar.history().to_vec(),
        marks: browser.marks.iter().take(MOST_MARKS).map(|id| id.0).collect(),
    }
}

/// Whether a condition means nothing after a restart: it is on an id that is not recorded, because offers and
/// volumes get new ones. Workergroups keep theirs.
fn is_of_session(condition: &Condition, resource: Resource) -> bool {
    let is_renumbered = condition.field.kind == Kind::Id && condition.field.recording == Recording::Never;
    is_renumbered && resource != Resource::Workergroups
}

/// The market that a snapshot belongs to: `sandbox`, or the base address of the management API.
///
/// The sandbox uses a different port in every run.
fn market(state: &State) -> String {
    if state.profile.is_sandbox {
        "sandbox".to_owned()
    } else {
        state.profile.base_url.clone()
    }
}

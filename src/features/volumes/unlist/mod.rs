//! The dialog that unlists a volume: the id is typed, confirmed, sent once, and the response is
//! shown.
//!
//! On a live market the id is confirmed by typing it again, and the dialog never fills it in:
//! searches show offer ids, and an offer id is not a listing id. In the sandbox it is, and a button
//! confirms. Tab completes only ids that this user has listed or unlisted.

mod draw;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::api::Request;
use crate::core::mutations::{PASTE_REFUSED, SendBlocked};
use crate::core::sandbox::UserListing;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::core::views::confirm::{Answer, Question};
use crate::core::views::write_dialog::{act_below, back, close_outcome, is_done, no_help};
use crate::core::{Pane, State};
use crate::domain::journal::WriteKind;
use crate::domain::time::{MonotonicTime, Now};
use crate::domain::{Listing, Resource, format};
use crate::keys::{Action, Context};
use crate::tui::form::{Field, Form};

/// The contexts of an outcome: its own, then those of the pane, whose keys work through it.
const OUTCOME: &[Context] = {
    use Context::{Always, Global, Outcome, Table};
    &[Outcome, Table, Global, Always]
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Id,
    Confirm,
    /// It was sent; the outcome is shown once it is known.
    Outcome,
}

/// The only field of the first page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Id;

#[derive(Debug)]
pub struct Unlist {
    page: Page,
    id: Form<Id>,
    question: Question,
    /// Whether Enter was pressed before the rate limit allows the write.
    is_early: bool,
    /// The text before Tab, and the index of the shown completion.
    completed: Option<(String, usize)>,
}

/// The question before a volume is unlisted: the id to type again, or in the sandbox a button.
fn question(state: &State) -> Question {
    Question::write(state.profile.is_sandbox, "Type the id again", "unlist")
}

/// The listing id with which the unlist dialog begins: in the sandbox, where an offer id is a listing id,
/// that of the selected row if it is the user's own, or of their only listing. Otherwise empty, as on other
/// markets.
fn proposed(state: &State) -> String {
    let own = &state.sandbox.listings;
    let selected = state.browsers[Resource::Volumes].selected().map(|id| id.to_string());
    let mut ids = own.iter().map(|listing| listing.id.to_string());
    let chosen = selected.filter(|selected| ids.clone().any(|id| id == *selected));
    chosen
        .or_else(|| ids.next().filter(|_| own.len() == 1))
        .unwrap_or_default()
}

/// Opens the dialog that unlists a volume; always true. In the sandbox, if the volume selected in its pane is
/// not the user's own, the field for the id shows that as an error.
pub fn open(cx: &mut Cx<'_>) -> bool {
    let mut dialog = Unlist::new(cx);
    let volumes = &cx.state().browsers[Resource::Volumes];
    let selected = volumes.selected().filter(|_| cx.state().pane == Pane::Volumes);
    // Only the sandbox says whose a row is.
    let is_own = |id: &String| cx.state().sandbox.listings.iter().any(|own| own.id.to_string() == *id);
    let foreign = selected.map(|id| id.to_string()).filter(|id| !is_own(id));
    if let Some(id) = foreign.filter(|_| cx.state().profile.is_sandbox) {
        let why = format!("Volume {id} is not yours: only your own listings can be unlisted");
        dialog.id.set_error(Id, Some(why));
    }
    cx.open(dialog);
    true
}

impl Unlist {
    /// Begins an unlisting, and its dialog; one that is in flight shows its outcome instead.
    fn new(cx: &mut Cx<'_>) -> Self {
        let page = if cx.writes().begin(WriteKind::UnlistVolume) {
            Page::Id
        } else {
            Page::Outcome
        };
        Self {
            page,
            id: Form::new(vec![Field::text(Id, "Listing id", proposed(cx.state()))]),
            question: question(cx.state()),
            is_early: false,
            completed: None,
        }
    }

    /// The typed listing id, or the reason the text is none: empty, or no whole number without sign and
    /// blanks.
    fn listing_id(&self) -> Result<i64, &'static str> {
        let text = self.id.text(Id);
        if text.is_empty() {
            return Err("Type the listing id first.");
        }
        match text.parse() {
            Ok(id) if text.bytes().all(|byte| byte.is_ascii_digit()) => Ok(id),
            _ => Err("A listing id is a whole number without sign or blanks."),
        }
    }

    /// The request that unlists the typed id; `None` if it is no valid id.
    fn request(&self) -> Option<Request> {
        self.listing_id().ok().map(|id| Request::UnlistVolume { id })
    }

    /// Whether the typed id is that of an offer in the table, most likely a mistake; false in the
    /// sandbox, where both ids are the same.
    fn is_offer(&self, state: &State) -> bool {
        !state.profile.is_sandbox && self.offer(state).is_some()
    }

    /// The row of the volumes table whose offer has the typed id, with its listing; `None` without one or a
    /// valid id.
    fn offer<'a>(&self, state: &'a State) -> Option<(&'a Listing, usize)> {
        let listing = state.browsers[Resource::Volumes].listing()?;
        let id = self.listing_id().ok()?.to_string();
        let row = (0..listing.len()).find(|row| listing.id(*row).is_some_and(|offer| offer.to_string() == id))?;
        Some((listing, row))
    }

    /// A description of the typed listing from the table: `500 GB, Japan, JP, $0.05/GB/month`. `None` without
    /// a row of that id, and outside the sandbox, where an offer's row is not the listing's.
    fn listed(&self, state: &State) -> Option<String> {
        let (listing, row) = self.offer(state).filter(|_| state.profile.is_sandbox)?;
        let [space, place, price] =
            ["disk_space", "geolocation", "storage_cost"].map(|key| format::cell_of(listing, row, key, 24));
        Some(format!("{space}, {place}, ${price}/GB/month"))
    }

    /// The completions of the typed text: in the sandbox the user's listings that can be unlisted, then the
    /// rented ones; then ids that were unlisted before.
    fn completions(&self, state: &State) -> Vec<String> {
        let typed = match &self.completed {
            Some((typed, _)) => typed,
            None => self.id.text(Id),
        };
        let listings = state.sandbox.listings.iter();
        let (rented, free): (Vec<&UserListing>, Vec<_>) = listings.partition(|listing| listing.rented);
        let listed = free.into_iter().chain(rented).map(|listing| listing.id.to_string());
        let before = state.mutations.unlisted_ids().map(str::to_owned);
        let mut ids: Vec<String> = Vec::new();
        for id in listed.chain(before) {
            if id.starts_with(typed) && !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// Inserts the next completion of the text typed before Tab, wrapping around; nothing without one.
    fn complete(&mut self, state: &State) {
        let ids = self.completions(state);
        let next = self.completed.as_ref().map_or(0, |(_, index)| index + 1);
        let Some(id) = ids.get(next % ids.len().max(1)) else {
            return;
        };
        let typed = match self.completed.take() {
            Some((typed, _)) => typed,
            None => self.id.text(Id).to_owned(),
        };
        self.completed = Some((typed, next % ids.len()));
        self.id.set_text(Id, id);
    }

    /// Carries out Enter: goes on to the question if the id is valid (else shows its mistake), or closes the
    /// outcome; nothing on the question.
    fn submit(&mut self, cx: &mut Cx<'_>) {
        match self.page {
            Page::Id => match self.listing_id() {
                Ok(_) => {
                    self.page = Page::Confirm;
                    self.completed = None;
                }
                Err(error) => self.id.set_error(Id, Some(error.to_owned())),
            },
            Page::Confirm => {}
            Page::Outcome => close_outcome(WriteKind::UnlistVolume, cx),
        }
    }

    /// Sends the unlisting if the question is answered rightly, empties the id and shows the outcome;
    /// otherwise shows why it was not sent. Before the rate limit allows it, notes that and sends nothing.
    fn send(&mut self, cx: &mut Cx<'_>) {
        let id = self.id.text(Id);
        if !self.question.is_confirmed_by(id) {
            let why = if self.question.word().is_empty() {
                "Nothing is sent before you type the id again.".to_owned()
            } else {
                let back = cx.state().keymap.key_of(Action::Back);
                format!("That is not {id}: nothing was sent. Type the same id, or press {back} to change it.")
            };
            return self.question.refuse(why);
        }
        let Some(request) = self.request() else {
            return;
        };
        match cx.send_write(request) {
            Err(SendBlocked::TooEarly(_)) => self.is_early = true,
            // Nothing that was typed can be sent again.
            Ok(()) | Err(SendBlocked::NotConfirmed | SendBlocked::Unsettled) => {
                self.page = Page::Outcome;
                self.id.set_text(Id, "");
                self.is_early = false;
            }
        }
    }

    /// Goes from the question back to the id, and otherwise closes the dialog.
    fn back(&mut self, cx: &mut Cx<'_>) {
        if self.page == Page::Confirm {
            self.page = Page::Id;
            self.question = question(cx.state());
            self.is_early = false;
            return;
        }
        back(WriteKind::UnlistVolume, "unlisting", cx);
    }

    /// Carries out the answer to the question; ignored without one.
    fn answered(&mut self, answer: Option<Answer>, cx: &mut Cx<'_>) -> Outcome {
        match answer {
            Some(Answer::Yes) => self.send(cx),
            Some(Answer::Cancel) => self.back(cx),
            Some(Answer::Word) => {}
            None => return Outcome::Ignored,
        }
        Outcome::Handled
    }
}

impl View for Unlist {
    fn contexts(&self) -> &'static [Context] {
        match self.page {
            Page::Confirm if !self.question.is_typed() => self.question.contexts(),
            Page::Id | Page::Confirm => &[Context::Query, Context::Always],
            Page::Outcome => OUTCOME,
        }
    }

    fn placement(&self) -> Placement {
        Placement::Question
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        match (self.page, action) {
            (Page::Id | Page::Confirm, Action::Help) => no_help(),
            (Page::Id, Action::Complete) if !self.completions(state).is_empty() => Availability::Available,
            (Page::Confirm, Action::Yes) if !self.question.is_typed() => Availability::Available,
            (_, Action::Submit | Action::Back) | (Page::Outcome, Action::Unlist | Action::Help | Action::Palette) => {
                Availability::Available
            }
            (Page::Outcome, _) if is_done(WriteKind::UnlistVolume, state) => Availability::Available,
            _ => Availability::Hidden,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.page) {
            (Action::Submit, Page::Id) => Some("next"),
            (Action::Submit | Action::Back, Page::Outcome) => Some("close"),
            (Action::Back, Page::Id) => Some("cancel"),
            (Action::Back, Page::Confirm) => Some("change the id"),
            (Action::Complete, _) => Some("your ids"),
            (Action::Unlist, _) => Some("unlist another"),
            _ => self.question.hint(action),
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match (action, self.page) {
            (Action::Back, _) => self.back(cx),
            (Action::Submit, Page::Id | Page::Outcome) => self.submit(cx),
            (Action::Complete, Page::Id) => self.complete(cx.state()),
            (Action::Complete, Page::Confirm) => {
                self.question.refuse("Type the id again: that is the confirmation.");
            }
            (Action::Unlist, Page::Outcome) => *self = Self::new(cx),
            (Action::Older | Action::Newer, _) => {}
            (_, Page::Confirm) => {
                let answer = self.question.update(action, cx);
                return self.answered(answer, cx);
            }
            (_, Page::Outcome) => return act_below(action, WriteKind::UnlistVolume, cx),
            (_, Page::Id) => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn click(&mut self, _: Region, field: usize, cx: &mut Cx<'_>) -> Outcome {
        if self.page != Page::Confirm {
            return Outcome::Ignored;
        }
        let answer = self.question.click(field);
        self.answered(answer, cx)
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Outcome {
        let is_edited = match self.page {
            Page::Id => {
                self.id.set_error(Id, None);
                self.id.key(key)
            }
            Page::Confirm => self.question.key(key),
            Page::Outcome => return Outcome::Ignored,
        };
        if is_edited {
            self.is_early = false;
            self.completed = None;
        }
        Outcome::Handled
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) -> Outcome {
        match self.page {
            Page::Id => self.id.set_error(Id, Some(PASTE_REFUSED.to_owned())),
            Page::Confirm => self.question.paste(),
            Page::Outcome => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn deadline(&self, state: &State, now: Now) -> Option<MonotonicTime> {
        state.mutations.countdown(WriteKind::UnlistVolume, now)
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.writes().dismiss(WriteKind::UnlistVolume);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::dialog(self, area, scene);
    }
}

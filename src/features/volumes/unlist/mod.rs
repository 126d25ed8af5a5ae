//! Unlists a volume: the id is typed, typed again, sent once, and the response is shown.
//!
//! The dialog never fills in an id: searches show offer ids, and an offer id is not a listing id.
//! Tab completes only ids that this person has listed or unlisted.

mod draw;

use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use crate::api::Request;
use crate::core::State;
use crate::core::mutations::{Completed, PASTE_REFUSED, SendBlocked};
use crate::core::view::{Availability, Cx, Outcome, Placement, Scene, View};
use crate::core::views::write_dialog::{OUTCOME, back, close_outcome, no_help};
use crate::domain::Resource;
use crate::domain::journal::WriteKind;
use crate::keys::{Action, Context};
use crate::table::remote::Now;
use crate::widgets::text_input::TextInput;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Id,
    Again,
    /// It was sent; its outcome is shown once it is known.
    Outcome,
}

#[derive(Debug)]
pub struct Unlist {
    page: Page,
    id: TextInput,
    again: TextInput,
    error: Option<String>,
    /// Whether Enter was pressed before the rate limit allows another write.
    is_early: bool,
    /// The text before Tab, and the index of the shown completion.
    completed: Option<(String, usize)>,
}

pub fn open(cx: &mut Cx<'_>) -> bool {
    let dialog = Unlist::new(cx);
    cx.open(dialog);
    true
}

impl Unlist {
    /// The dialog; shows the outcome if an unlisting is in flight.
    fn new(cx: &mut Cx<'_>) -> Self {
        let page = if cx.writes().begin(WriteKind::UnlistVolume) {
            Page::Id
        } else {
            Page::Outcome
        };
        Self {
            page,
            id: TextInput::default(),
            again: TextInput::default(),
            error: None,
            is_early: false,
            completed: None,
        }
    }

    fn wanted(&self) -> Result<i64, &'static str> {
        let text = self.id.text().trim();
        if text.is_empty() {
            return Err("Type the listing id first.");
        }
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(id) if is_plain => Ok(id),
            _ => Err("A listing id is a whole number without sign or blanks."),
        }
    }

    fn request(&self) -> Option<Request> {
        self.wanted().ok().map(|id| Request::UnlistVolume { id })
    }

    /// Whether the typed id is that of an offer in the table: most likely a mistake. In the sandbox
    /// both are the same.
    fn is_offer(&self, state: &State) -> bool {
        let listing = state.browsers[Resource::Volumes].listing();
        let Some((listing, id)) = listing.zip(self.wanted().ok()) else {
            return false;
        };
        let offers = (0..listing.len()).filter_map(|row| listing.id(row));
        !state.profile.is_sandbox && offers.into_iter().any(|offer| offer.to_string() == id.to_string())
    }

    /// The completions of the typed text: this person's listings, then those unlisted before.
    fn completions(&self, state: &State) -> Vec<String> {
        let typed = match &self.completed {
            Some((typed, _)) => typed,
            None => self.id.text().trim(),
        };
        let listed = state.sandbox.listings.iter();
        let listed = listed.map(|listing| listing.id.to_string());
        let before = state.mutations.unlisted_ids().map(str::to_owned);
        let mut ids: Vec<String> = Vec::new();
        for id in listed.chain(before) {
            if id.starts_with(typed) && !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// Inserts the next completion, wrapping around.
    fn complete(&mut self, state: &State) {
        let ids = self.completions(state);
        let next = self.completed.as_ref().map_or(0, |(_, index)| index + 1);
        let Some(id) = ids.get(next % ids.len().max(1)) else {
            return;
        };
        let typed = match self.completed.take() {
            Some((typed, _)) => typed,
            None => self.id.text().trim().to_owned(),
        };
        self.completed = Some((typed, next % ids.len()));
        self.id.set(id.clone());
        self.error = None;
    }

    fn submit(&mut self, cx: &mut Cx<'_>) {
        match self.page {
            Page::Id => match self.wanted() {
                Ok(_) => {
                    self.page = Page::Again;
                    self.error = None;
                    self.completed = None;
                }
                Err(error) => self.error = Some(error.to_owned()),
            },
            Page::Again => self.send(cx),
            Page::Outcome => close_outcome(WriteKind::UnlistVolume, cx),
        }
    }

    fn send(&mut self, cx: &mut Cx<'_>) {
        let (id, again) = (self.id.text().trim(), self.again.text().trim());
        if again.is_empty() {
            self.error = Some("Nothing is sent before you type the id again.".to_owned());
            return;
        }
        if again != id {
            let back = cx.state().keymap.key_of(Action::Back);
            self.error = Some(format!(
                "That is not {id}: nothing was sent. Type the same id, or press {back} to change it."
            ));
            return;
        }
        let Some(request) = self.request() else {
            return;
        };
        match cx.send_write(request) {
            Ok(()) => self.outcome(),
            Err(SendBlocked::TooEarly(_)) => self.is_early = true,
            Err(SendBlocked::NotConfirmed | SendBlocked::Unsettled) => self.outcome(),
        }
    }

    /// Shows the outcome; nothing that was typed can be sent again.
    fn outcome(&mut self) {
        self.page = Page::Outcome;
        self.id = TextInput::default();
        self.again = TextInput::default();
        self.error = None;
        self.is_early = false;
    }

    fn back(&mut self, cx: &mut Cx<'_>) {
        if self.page == Page::Again {
            self.page = Page::Id;
            self.again = TextInput::default();
            self.error = None;
            self.is_early = false;
            return;
        }
        back(WriteKind::UnlistVolume, "unlisting", cx);
    }
}

impl View for Unlist {
    fn contexts(&self) -> &'static [Context] {
        match self.page {
            Page::Id | Page::Again => &[Context::Query, Context::Always],
            Page::Outcome => OUTCOME,
        }
    }

    fn placement(&self) -> Placement {
        Placement::Dialog
    }

    fn asks_consent(&self) -> bool {
        true
    }

    fn availability(&self, action: Action, state: &State) -> Availability {
        match (self.page, action) {
            (Page::Id | Page::Again, Action::Help) => no_help(),
            (Page::Id, Action::Complete) if !self.completions(state).is_empty() => Availability::Available,
            (_, Action::Submit | Action::Back) | (Page::Outcome, Action::Unlist | Action::Help | Action::Palette) => {
                Availability::Available
            }
            _ => Availability::Hidden,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.page) {
            (Action::Submit, Page::Id) => Some("next"),
            (Action::Submit, Page::Again) => Some("unlist"),
            (Action::Submit | Action::Back, Page::Outcome) => Some("close"),
            (Action::Back, Page::Id) => Some("cancel"),
            (Action::Back, Page::Again) => Some("change the id"),
            (Action::Complete, _) => Some("your ids"),
            (Action::Unlist, _) => Some("unlist another"),
            _ => None,
        }
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        match (action, self.page) {
            (Action::Back, _) => self.back(cx),
            (Action::Submit, _) => self.submit(cx),
            (Action::Complete, Page::Id) => self.complete(cx.state()),
            (Action::Complete, Page::Again) => {
                self.error = Some("Type the id again: that is the confirmation.".to_owned());
            }
            (Action::Unlist, Page::Outcome) => *self = Self::new(cx),
            (Action::Older | Action::Newer, _) => {}
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Outcome {
        let line = match self.page {
            Page::Id => &mut self.id,
            Page::Again => &mut self.again,
            Page::Outcome => return Outcome::Ignored,
        };
        if line.key(key) {
            self.error = None;
            self.is_early = false;
            self.completed = None;
        }
        Outcome::Handled
    }

    fn paste(&mut self, _: &str, _: &mut Cx<'_>) -> Outcome {
        if self.page == Page::Outcome {
            return Outcome::Ignored;
        }
        self.error = Some(PASTE_REFUSED.to_owned());
        Outcome::Handled
    }

    fn write_completed(&mut self, write: &Completed, _: &mut Cx<'_>) -> Outcome {
        if write.kind == WriteKind::UnlistVolume && self.page == Page::Outcome {
            Outcome::Handled
        } else {
            Outcome::Ignored
        }
    }

    fn deadline(&self, state: &State, now: Now) -> Option<f64> {
        state.mutations.countdown(WriteKind::UnlistVolume, now)
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        cx.writes().dismiss(WriteKind::UnlistVolume);
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::dialog(self, area, scene);
    }
}

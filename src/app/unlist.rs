//! Unlisting a volume: the id is typed, typed again, sent once, and the answer is shown.
//!
//! No id is ever put into the dialog by bourse: what the tables show are numbers of offers, and an
//! offer id is not a listing id.

use super::keymap::{Action, Context};
use super::message::Effect;
use super::overlay::Overlay;
use super::remote::Now;
use super::write::{self, Held, PASTE_REFUSED, Stage, Typed};
use super::{Model, Toast};
use crate::api::Request;
use crate::domain::Listing;
use crate::domain::journal::Deed;
use crate::widgets::text_input::TextInput;

/// Where the dialog stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The id is typed.
    Id,
    /// It is typed again.
    Again,
    /// It was sent; its outcome is shown as soon as there is one.
    Outcome,
}

/// The dialog.
#[derive(Debug, Clone)]
pub struct UnlistDialog {
    /// Where it stands.
    pub page: Page,
    /// The id.
    pub id: Typed,
    /// The id once more.
    pub again: Typed,
    /// What is wrong with what was typed.
    pub complaint: Option<String>,
    /// Whether sending was asked for before the market may be asked again.
    pub early: bool,
}

impl UnlistDialog {
    /// A dialog on `page`, nothing typed.
    const fn on(page: Page, id: Typed, again: Typed) -> Self {
        Self {
            page,
            id,
            again,
            complaint: None,
            early: false,
        }
    }

    /// The id that was typed, if it is one.
    pub fn wanted(&self) -> Result<i64, String> {
        let text = self.id.text();
        if text.is_empty() {
            return Err("Type the id of the listing first.".to_owned());
        }
        let sound = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(id) if sound => Ok(id),
            _ => Err("A listing id is a whole number without sign or blanks.".to_owned()),
        }
    }

    /// The request that the dialog sends.
    pub fn request(&self) -> Option<Request> {
        self.wanted().ok().map(|id| Request::UnlistVolume { id })
    }

    /// Whether the typed id is the number of an offer in a list: most likely a mistake.
    pub fn is_offer(&self, listing: Option<&Listing>) -> bool {
        let Some((listing, id)) = listing.zip(self.wanted().ok()) else {
            return false;
        };
        (0..listing.len())
            .filter_map(|row| listing.id(row))
            .any(|offer| offer.to_string() == id.to_string())
    }

    /// The contexts whose keys it takes.
    pub const fn contexts(&self) -> &'static [Context] {
        match self.page {
            Page::Id | Page::Again => &[Context::Confirm, Context::Always],
            Page::Outcome => &[Context::Outcome, Context::Always],
        }
    }

    /// The line that typed characters go into.
    const fn line(&mut self) -> Option<&mut TextInput> {
        match self.page {
            Page::Id => Some(&mut self.id.input),
            Page::Again => Some(&mut self.again.input),
            Page::Outcome => None,
        }
    }

    /// Types into the line.
    pub fn edit(&mut self, edit: impl FnOnce(&mut TextInput) -> bool) {
        if self.line().is_some_and(edit) {
            self.complaint = None;
            self.early = false;
        }
    }

    /// Says that pasted text is not taken.
    pub fn refuse_paste(&mut self) {
        self.complaint = Some(PASTE_REFUSED.to_owned());
    }
}

/// Opens the dialog, on the outcome if an unlisting is under way.
pub(super) fn open(model: &mut Model) {
    let page = if model.state.writes.begin(Deed::UnlistVolume) {
        Page::Id
    } else {
        Page::Outcome
    };
    let dialog = UnlistDialog::on(page, Typed::default(), Typed::default());
    model.overlays.push(Overlay::Unlist(dialog));
}

/// Does what a verb means in the dialog.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    match action {
        Action::Back => back(model, now),
        Action::Submit => return submit(model, now),
        Action::Unlist => another(model),
        _ => {}
    }
    Vec::new()
}

/// Once more, from an outcome: nothing typed before is kept.
fn another(model: &mut Model) {
    if model.state.writes.begin(Deed::UnlistVolume) {
        model.overlays.pop();
        open(model);
    }
}

/// One step back: from the second line to the first, and out. What is under way goes on.
fn back(model: &mut Model, now: Now) {
    if let Some(Overlay::Unlist(dialog)) = model.overlays.last_mut()
        && dialog.page == Page::Again
    {
        let id = std::mem::take(&mut dialog.id);
        *dialog = UnlistDialog::on(Page::Id, id, Typed::default());
        return;
    }
    model.overlays.pop();
    if let Some(flight) = model.state.writes.flight(Deed::UnlistVolume) {
        let text = format!(
            "Unlisting {} goes on; its outcome will be shown",
            flight.subject
        );
        model.show(Toast::new(text, now));
    }
    model.state.writes.leave(Deed::UnlistVolume);
}

fn submit(model: &mut Model, now: Now) -> Vec<Effect> {
    let Model {
        overlays, state, ..
    } = model;
    let crate::app::State {
        writes,
        profile,
        tickets,
        ..
    } = state;
    let Some(Overlay::Unlist(dialog)) = overlays.last_mut() else {
        return Vec::new();
    };
    match dialog.page {
        Page::Id => match dialog.wanted() {
            Ok(_) => {
                dialog.page = Page::Again;
                dialog.complaint = None;
            }
            Err(complaint) => dialog.complaint = Some(complaint),
        },
        Page::Again if dialog.again.text().is_empty() => {
            dialog.complaint = Some("Nothing is sent before the id is typed again.".to_owned());
        }
        Page::Again if !dialog.again.is(dialog.id.text()) => {
            dialog.complaint = Some(format!(
                "That is not {}: nothing was sent. Type the same id, or press Esc to change it.",
                dialog.id.text()
            ));
        }
        Page::Again => {
            let Some(request) = dialog.request() else {
                return Vec::new();
            };
            let subject = dialog.id.text().to_owned();
            let sent = writes.send(Deed::UnlistVolume, request, &subject, profile, tickets, now);
            match sent {
                Ok(effect) => {
                    *dialog = UnlistDialog::on(Page::Outcome, Typed::default(), Typed::default());
                    return vec![effect];
                }
                Err(Held::Early(_)) => dialog.early = true,
                Err(Held::NotConfirmed) => dialog.page = Page::Outcome,
            }
        }
        Page::Outcome => {}
    }
    Vec::new()
}

/// When the dialog wants to be drawn anew, on the clock that never jumps: seconds count down until
/// the next unlisting may be sent, and up while one is under way.
pub(super) fn deadline(model: &Model, now: Now) -> Option<f64> {
    let in_sight = matches!(model.overlays.last(), Some(Overlay::Unlist(_)));
    match model.state.writes.stage(Deed::UnlistVolume) {
        Stage::Sent(flight) => {
            let passed = now.mono - flight.since.mono;
            Some(flight.since.mono + passed.floor() + 1.0)
        }
        Stage::Confirming(_) | Stage::Over(_) if in_sight => {
            let wait = model.state.writes.ready_in(Deed::UnlistVolume, now);
            // The screen shows whole seconds, rounded up.
            (wait > 0.0).then(|| now.mono + (wait - (wait.ceil() - 1.0)).max(0.02))
        }
        _ => None,
    }
}

/// Why a volume cannot be unlisted from here, if it cannot.
pub(super) fn disabled(model: &Model) -> Option<String> {
    if model.state.profile.read_only {
        return Some(format!("{}: nothing is unlisted", write::READ_ONLY));
    }
    (model.state.pane != super::Pane::Volumes).then(|| {
        let key = model.state.keymap.way_to("volumes");
        format!("listings are unlisted in the Volumes pane: press {key}")
    })
}

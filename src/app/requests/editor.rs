//! Changing the body of a search and sending it: searches only, and only with a sound body.

use crossterm::event::KeyEvent;

use super::opened::body_text;
use super::send::{check_address, send};
use super::{RequestView, meant};
use crate::api::raw::BodyError;
use crate::api::redact::REMOVED;
use crate::api::{Operation, RawSearch, Request};
use crate::app::Model;
use crate::app::actions::movement;
use crate::app::keymap::Action;
use crate::app::message::{Effect, Toast};
use crate::app::overlay::Overlay;
use crate::app::remote::Now;
use crate::widgets::text_area::TextArea;
use crate::widgets::text_input::TextInput;

/// The longest text that is pasted, in bytes: a body of a search is a few hundred.
const LONGEST_PASTE: usize = 64 * 1024;

/// A body that is being changed.
#[derive(Debug)]
pub struct Draft {
    /// The entry that it began as.
    pub number: u64,
    /// Which search.
    pub operation: Operation,
    /// The text.
    pub area: TextArea,
    /// The text that a reset brings back.
    other: String,
    /// What is wrong with the text, if anything.
    pub fault: Option<BodyError>,
    /// Why it was not sent, if it was tried.
    pub refusal: Option<String>,
}

impl Draft {
    fn new(number: u64, operation: Operation, body: &str) -> Self {
        let text = body_text(body, false).join("\n");
        let mut draft = Self {
            number,
            operation,
            area: TextArea::new(&text),
            other: text,
            fault: None,
            refusal: None,
        };
        draft.check();
        draft
    }

    /// Reads the text anew.
    fn check(&mut self) {
        self.refusal = None;
        self.fault = RawSearch::new(self.operation, &self.area.text()).err();
    }

    /// Takes the body as it was sent, and the other way round.
    fn swap(&mut self) {
        let text = self.area.text();
        let other = std::mem::replace(&mut self.other, text);
        self.area = TextArea::new(&other);
        self.check();
    }
}

/// Opens the editor on the call in question; a draft of the same call is taken up again.
pub(super) fn open(model: &mut Model) {
    let Some(number) = meant(model) else { return };
    let Some(entry) = model.state.ledger.get(number) else {
        return;
    };
    let kept = model.state.requests.draft.as_ref();
    if kept.is_none_or(|draft| draft.number != number) {
        let body = entry.request_body().unwrap_or_default();
        model.state.requests.draft = Some(Draft::new(number, entry.operation, &body));
    }
    model.overlays.push(Overlay::Request(RequestView::Editor));
}

/// Does what an action asks of the editor.
pub(super) fn act(model: &mut Model, now: Now, action: Action) -> Vec<Effect> {
    let page = model.facts.overlay_page.max(1);
    let Some(draft) = &mut model.state.requests.draft else {
        model.overlays.pop();
        return Vec::new();
    };
    if let Some(step) = movement(action, page) {
        draft.area.step(step);
        return Vec::new();
    }
    match action {
        Action::Submit => {
            draft.area.break_line();
            draft.check();
        }
        Action::Reset => draft.swap(),
        Action::Run => return submit(model, now),
        Action::Back => {
            model.overlays.pop();
        }
        _ => {}
    }
    Vec::new()
}

/// Sends the draft, if it is sound and the market is still the same.
fn submit(model: &mut Model, now: Now) -> Vec<Effect> {
    let Some(draft) = &model.state.requests.draft else {
        return Vec::new();
    };
    let (number, text) = (draft.number, draft.area.text());
    match sendable(model, draft, &text) {
        Ok(request) => {
            model.state.requests.draft = None;
            model.overlays.pop();
            send(model, now, number, request)
        }
        Err(why) => {
            if let Some(draft) = &mut model.state.requests.draft {
                draft.refusal = Some(why);
            }
            Vec::new()
        }
    }
}

fn sendable(model: &Model, draft: &Draft, text: &str) -> Result<Request, String> {
    let raw = RawSearch::new(draft.operation, text).map_err(|error| error.to_string())?;
    if text.contains(REMOVED) {
        return Err(format!(
            "{REMOVED} stands for a secret that is not kept: write another value"
        ));
    }
    let request = Request::Raw(raw);
    let entry = model
        .ledger
        .get(draft.number)
        .ok_or("the call that it began as is not kept any more")?;
    check_address(model, entry, &request)?;
    Ok(request)
}

/// Takes a key as text; false if nothing of the pane takes text now.
pub(in crate::app) fn typed(model: &mut Model, key: KeyEvent) -> bool {
    match model.overlays.last() {
        Some(Overlay::Request(RequestView::Editor)) => {
            if let Some(draft) = &mut model.state.requests.draft
                && draft.area.key(key)
            {
                draft.check();
            }
            true
        }
        _ => edit(model, |input| input.key(key)),
    }
}

/// Takes a paste; gives how many characters were refused, or nothing if nothing of the pane takes
/// text now.
pub(in crate::app) fn pasted(model: &mut Model, now: Now, text: &str) -> Option<usize> {
    if !matches!(model.overlays.last(), Some(Overlay::Request(_))) {
        return None;
    }
    if text.len() > LONGEST_PASTE {
        let why = format!("More than {} kB: nothing was pasted", LONGEST_PASTE / 1024);
        model.show(Toast::error(why, now));
        return Some(0);
    }
    let mut refused = 0;
    match model.overlays.last() {
        Some(Overlay::Request(RequestView::Editor)) => {
            if let Some(draft) = &mut model.state.requests.draft {
                refused = draft.area.paste(text).refused;
                draft.check();
            }
        }
        _ => {
            edit(model, |input| {
                refused = input.paste(text).refused;
                true
            });
        }
    }
    Some(refused)
}

/// Edits the line of text that is typed into: the words of the list, or what is looked for.
fn edit(model: &mut Model, change: impl FnOnce(&mut TextInput) -> bool) -> bool {
    let page = model.facts.overlay_page.max(1);
    match model.overlays.last() {
        Some(Overlay::Request(RequestView::Search)) => {
            if change(&mut model.state.requests.input) {
                model.state.requests.narrow(&model.state.ledger);
            }
        }
        Some(Overlay::Request(RequestView::Find)) => {
            if let Some(opened) = &mut model.state.requests.opened {
                let mut input = opened.find.input.clone();
                if change(&mut input) {
                    opened.seek(input, page);
                }
            }
        }
        Some(Overlay::Request(RequestView::Detail | RequestView::Editor)) => {}
        _ => return false,
    }
    true
}

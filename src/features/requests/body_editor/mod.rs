//! The editor for the body of a search, which can be sent if it is valid.

mod draw;

use crate::core::message::News;
use crate::table::remote::Ticket;
use crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::send::ResendError;
use super::{check_address, editable};
use crate::api::raw::BodyError;
use crate::api::redact::REMOVED;
use crate::api::{Operation, RawSearch, Request};
use crate::core::State;
use crate::core::message::Effect;
use crate::core::view::{Cx, Outcome, Region, Scene, View};
use crate::domain::pretty;
use crate::domain::text::json_for_terminal;
use crate::keys::{Action, Context};
use crate::tui::text_area::{LONGEST_TEXT, Pasted, TextArea};

/// A body in the editor.
#[derive(Debug)]
pub struct BodyEditor {
    number: u64,
    operation: Operation,
    area: TextArea,
    sent: String,
    /// The edited text while the original is shown.
    changed: Option<String>,
    fault: Option<BodyError>,
    /// The reason it was not sent, after an attempt.
    refusal: Option<String>,
}

/// The draft of a closed editor.
#[derive(Debug)]
struct Draft {
    number: u64,
    area: TextArea,
}

impl BodyEditor {
    /// Opens the editor on the current request, or shows the reason it cannot. The draft of a closed editor
    /// is restored for the same request and dropped for another.
    pub fn open(cx: &mut Cx<'_>) {
        match editable(cx.state()) {
            Ok((number, operation)) => {
                let draft = cx.drafts().take::<Draft>();
                if let Some(editor) = Self::new(number, operation, draft, cx.state()) {
                    cx.open(editor);
                }
            }
            Err(error) => cx.complain(error.to_string()),
        }
    }

    /// The editor for the body of the request `number`, with the draft if that is for the same request;
    /// `None` if the request is no longer in the ledger.
    fn new(number: u64, operation: Operation, draft: Option<Draft>, state: &State) -> Option<Self> {
        let body = state.ledger.get(number)?.request_body().unwrap_or_default();
        let sent = pretty::json_lines(&json_for_terminal(&body)).join("\n");
        let draft = draft.filter(|draft| draft.number == number);
        let mut editor = Self {
            number,
            operation,
            area: draft.map_or_else(|| TextArea::new(&sent).numbered(), |draft| draft.area),
            sent,
            changed: None,
            fault: None,
            refusal: None,
        };
        editor.check();
        Some(editor)
    }

    /// Validates the edited body after a change, and clears the reason an attempt to send it failed.
    fn check(&mut self) {
        self.refusal = None;
        self.fault = RawSearch::new(self.operation, &self.area.text()).err();
    }

    /// Replaces the text by the original body, keeping the edited one aside; while the text is the unchanged
    /// original, puts the edited body back instead.
    fn swap(&mut self) {
        let text = self.area.text();
        if let Some(changed) = self.changed.take().filter(|_| text == self.sent) {
            self.area.replace(&changed);
        } else {
            self.area.replace(&self.sent);
            self.changed = Some(text);
        }
        self.check();
    }

    /// The request with the edited body.
    ///
    /// # Errors
    ///
    /// When the body is invalid or has the placeholder of a removed secret, the original is no longer in the
    /// ledger, or it went to another market.
    fn request(&self, state: &State) -> Result<Request, ResendError> {
        let text = self.area.text();
        let raw = RawSearch::new(self.operation, &text)?;
        if text.contains(REMOVED) {
            return Err(ResendError::Placeholder);
        }
        let request = Request::Raw(raw);
        let entry = state.ledger.get(self.number).ok_or(ResendError::OriginalGone)?;
        check_address(state, entry, &request)?;
        Ok(request)
    }

    /// Sends the edited body and closes the editor, or shows the reason it cannot be sent.
    fn submit(&mut self, cx: &mut Cx<'_>) {
        match self.request(cx.state()) {
            Ok(request) => {
                super::resend(cx, self.number, request);
                self.number = 0; // a draft of no request: it is sent
                cx.close();
            }
            Err(error) => self.refusal = Some(error.to_string()),
        }
    }

    /// Validates the text after a paste, and reports what was left out of it.
    fn on_pasted(&mut self, pasted: Pasted, cx: &mut Cx<'_>) {
        self.check();
        cx.pasted(pasted);
    }
}

impl View for BodyEditor {
    fn contexts(&self) -> &'static [Context] {
        &[Context::Editor, Context::Always]
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        if let Some(by) = cx.motion(action) {
            self.area.step(by);
            return Outcome::Handled;
        }
        match action {
            Action::Submit => {
                self.area.break_line();
                self.check();
            }
            Action::Undo | Action::Redo => {
                let is_done = if action == Action::Undo {
                    self.area.undo()
                } else {
                    self.area.redo()
                };
                if is_done {
                    self.check();
                } else {
                    cx.toast(if action == Action::Undo {
                        "Nothing to undo"
                    } else {
                        "Nothing to redo"
                    });
                }
            }
            Action::Reset => self.swap(),
            Action::Run => self.submit(cx),
            Action::Edit => {
                let (ticket, text) = (cx.ticket(), self.area.text());
                let suffix = ".json";
                cx.effect_for_view(Effect::Edit { ticket, text, suffix });
            }
            Action::Back => cx.close(),
            _ => return Outcome::Ignored,
        }
        Outcome::Handled
    }

    fn typed(&mut self, key: KeyEvent, _: &mut Cx<'_>) -> Outcome {
        if self.area.key(key) {
            self.check();
            Outcome::Handled
        } else {
            Outcome::Ignored
        }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) -> Outcome {
        let pasted = self.area.paste(text);
        self.on_pasted(pasted, cx);
        Outcome::Handled
    }

    fn on_news(&mut self, _: Ticket, news: News, cx: &mut Cx<'_>) {
        let News::Edited(edited) = news else { return };
        let text = match edited {
            Ok(text) => text,
            Err(error) => return cx.complain(error.to_string()),
        };
        if text.len() > LONGEST_TEXT {
            let most = LONGEST_TEXT / 1024;
            cx.complain(format!("More than {most} kB: the text is as before"));
        } else {
            // Editors end the last line of a file; the body has no such end.
            let pasted = self.area.replace(text.strip_suffix('\n').unwrap_or(&text));
            self.on_pasted(pasted, cx);
        }
    }

    fn click(&mut self, region: Region, line: usize, _: &mut Cx<'_>) -> Outcome {
        if region == Region::MAIN {
            self.area.put_cursor(line, 0);
        }
        Outcome::Handled
    }

    fn closing(&mut self, cx: &mut Cx<'_>) {
        if self.number > 0 {
            let (number, area) = (self.number, self.area.clone());
            cx.drafts().put(Draft { number, area });
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        draw::editor(self, area, scene);
    }
}

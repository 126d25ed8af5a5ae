//! A question before an action, and a prompt for one line of text.
//!
//! Both take a closure for the answer. To pass an answer to the calling view, put a value into
//! `drafts` and read it in [`View::on_top`].

mod prompt;
mod question;

use std::fmt;

use ratatui::layout::Rect;

use super::write_dialog::Rows;
use crate::api::Request;
use crate::core::State;
use crate::core::mutations::preview;
use crate::core::view::{Availability, Cx, Outcome, Placement, Region, Scene, View};
use crate::domain::text::visible;
use crate::keys::{Action, Context};
use crate::tui::dialog::READABLE;
use crate::tui::panel::Tone;

pub use self::prompt::{Entered, Prompt, accept};
pub(crate) use self::question::{Answer, Question};

/// The maximum length of a paragraph in a question, which may name a file or a market.
const LONGEST: usize = 600;

type Then = Box<dyn FnOnce(&mut Cx<'_>) + Send>;

pub struct Confirm {
    title: String,
    effect: String,
    request: Option<Request>,
    tone: Tone,
    question: Question,
    then: Option<Then>,
}

impl fmt::Debug for Confirm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Confirm({:?})", self.title)
    }
}

impl Confirm {
    /// A question with the buttons Cancel and `verb`, and `effect` as its text; the latter button closes it
    /// and runs `then`.
    pub fn new(
        title: impl Into<String>,
        effect: impl Into<String>,
        verb: &'static str,
        then: impl FnOnce(&mut Cx<'_>) + Send + 'static,
    ) -> Self {
        Self {
            title: title.into(),
            effect: effect.into(),
            request: None,
            tone: Tone::Ask,
            question: Question::buttons(verb),
            then: Some(Box::new(then)),
        }
    }

    /// Shows the preview of `request`, the first one that confirming sends.
    #[must_use]
    pub fn sends_first(mut self, request: Request) -> Self {
        self.request = Some(request);
        self
    }

    /// Marks the action as one that cannot be undone, by the color of the frame.
    #[must_use]
    pub const fn danger(mut self) -> Self {
        self.tone = Tone::Danger;
        self
    }

    /// Closes the question on `Yes`, which also runs its action, and on `Cancel`; handled without effect
    /// while the answer is open (`Word`), ignored for `None`.
    fn answered(&mut self, answer: Option<Answer>, cx: &mut Cx<'_>) -> Outcome {
        match answer {
            Some(Answer::Yes) => {
                cx.close();
                if let Some(then) = self.then.take() {
                    then(cx);
                }
            }
            Some(Answer::Cancel) => cx.close(),
            Some(Answer::Word) => {}
            None => return Outcome::Ignored,
        }
        Outcome::Handled
    }
}

impl View for Confirm {
    fn contexts(&self) -> &'static [Context] {
        self.question.contexts()
    }

    fn placement(&self) -> Placement {
        Placement::Question
    }

    fn availability(&self, action: Action, _: &State) -> Availability {
        Question::availability(action)
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        self.question.hint(action)
    }

    fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Outcome {
        let answer = self.question.update(action, cx);
        self.answered(answer, cx)
    }

    fn click(&mut self, _: Region, field: usize, cx: &mut Cx<'_>) -> Outcome {
        let answer = self.question.click(field);
        self.answered(answer, cx)
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let mut rows = Rows::new(area, READABLE);
        for line in self.effect.lines() {
            if line.is_empty() {
                rows.gap();
            }
            rows.text(2, &visible(line, LONGEST), scene.theme.text);
        }
        if let Some(request) = &self.request {
            rows.gap();
            rows.request("Sends first:", &preview(request, &scene.state.profile), scene);
        }
        rows.form(self.question.form(), scene);
        let buttons = rows.draw(&self.title, self.tone, area, scene);
        scene.form(self.question.form(), buttons);
    }
}

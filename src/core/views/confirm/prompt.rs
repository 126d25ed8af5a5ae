//! A dialog that asks for one line of text.

use std::fmt;

use ratatui::layout::Rect;

use super::LONGEST;
use crate::core::State;
use crate::core::view::{Availability, Cx, Scene};
use crate::core::views::form_view::{FormView, has_form};
use crate::domain::text::visible;
use crate::keys::{Action, Motion};
use crate::tui::dialog;
use crate::tui::form::{Field, Form};
use crate::tui::panel::{Panel, Tone};
use crate::tui::text::wrap;

/// The result of submitting the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entered {
    /// The text is accepted: the prompt closes.
    Accepted,
    /// The text is rejected, for this reason, and the prompt stays.
    Rejected(String),
    /// A question about the text was opened; [`accept`] closes the prompt once it is confirmed.
    Asked,
}

/// Marks that the question over the prompt was confirmed.
struct Accept;

/// Closes the prompt below the calling question, once that question has closed.
pub fn accept(cx: &mut Cx<'_>) {
    cx.state.drafts.put(Accept);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnswerField;

type Then = Box<dyn FnMut(&str, &mut Cx<'_>) -> Entered + Send>;

/// A dialog for one line of text.
pub struct Prompt {
    title: &'static str,
    text: String,
    proposal: String,
    form: Form<AnswerField>,
    submit: &'static str,
    then: Then,
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prompt({:?})", self.title)
    }
}

impl Prompt {
    /// A prompt for `label`; Enter is labelled `submit` (a verb) and passes the text to `then`, which decides
    /// whether the prompt closes, shows an error or waits for a question.
    pub fn new(
        title: &'static str,
        label: &'static str,
        submit: &'static str,
        then: impl FnMut(&str, &mut Cx<'_>) -> Entered + Send + 'static,
    ) -> Self {
        Self {
            title,
            text: String::new(),
            proposal: String::new(),
            form: Form::new(vec![Field::text(AnswerField, label, "")]).submits(AnswerField),
            submit,
            then: Box::new(then),
        }
    }

    /// Sets the explanation above the line; to be called before `proposes`, which adds its mention to it.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Sets the text that is used for an empty line, and mentions it above the line; does neither if it is
    /// empty.
    #[must_use]
    pub fn proposes(mut self, text: String) -> Self {
        if !text.is_empty() {
            self.text = format!("Left empty: “{text}”. {}", self.text);
        }
        self.proposal = text;
        self
    }

    /// Puts a text into the line to be edited.
    #[must_use]
    pub fn value(mut self, value: &str) -> Self {
        self.form.set_text(AnswerField, value);
        self
    }
}

impl FormView for Prompt {
    has_form!(AnswerField);

    fn submitted(&mut self, _: AnswerField, cx: &mut Cx<'_>) {
        let typed = self.form.text(AnswerField).to_owned();
        let is_blank = typed.trim().is_empty();
        let typed = if is_blank { self.proposal.clone() } else { typed };
        match (self.then)(&typed, cx) {
            Entered::Accepted => cx.close(),
            Entered::Rejected(why) => self.form.set_error(AnswerField, Some(why)),
            Entered::Asked => {}
        }
    }

    /// Hides the moves to the next and last field: there is only one.
    fn availability(&self, action: Action, _: &State) -> Availability {
        Availability::hidden_if(matches!(action, Action::Move(Motion::Down | Motion::Last)))
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        (action == Action::Submit).then_some(self.submit)
    }

    fn on_top(&mut self, cx: &mut Cx<'_>) {
        if cx.state.drafts.take::<Accept>().is_some() {
            cx.close();
        }
    }

    fn draw(&self, area: Rect, scene: &mut Scene<'_, '_>) {
        let theme = scene.theme;
        let width = area.width.saturating_sub(4).min(dialog::READABLE);
        let mut lines = wrap(&visible(&self.text, LONGEST), width - 4);
        lines.truncate(usize::from(area.height.saturating_sub(7)).min(4));
        let above = u16::try_from(lines.len()).unwrap_or(0);
        let panel = Panel::new(self.title).tone(Tone::Focused);
        let size = (width, above + u16::from(above > 0) + 4);
        let inner = dialog::open(panel, size, area, scene.frame.buffer_mut(), theme);
        for (row, line) in inner.rows().zip(&lines) {
            scene.render(ratatui::text::Line::styled(line, theme.dim), row);
        }
        let gap = above + u16::from(above > 0);
        let form = Rect {
            y: inner.y + gap,
            height: inner.height.saturating_sub(gap),
            ..inner
        };
        scene.form(&self.form, form);
    }
}

//! The answering part of a confirmation: two buttons, or a word to type.

use crossterm::event::KeyEvent;

use crate::core::mutations::PASTE_REFUSED;
use crate::core::view::{Availability, Cx};
use crate::keys::{Action, Context, KeyTarget as _, Motion};
use crate::tui::form::{Field, Form, FormEvent};

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Cancel,
    Yes,
    /// No answer yet: another button was highlighted, or the word is being typed.
    Word,
}

/// The button Cancel, which is selected first, and a button that names the effect.
///
/// Where money is real, a write asks for a typed word instead: [`Question::typed`].
#[derive(Debug)]
pub(crate) struct Question {
    form: Form<Answer>,
    verb: &'static str,
    is_typed: bool,
}

impl Question {
    /// A question with the buttons Cancel, which has the focus, and the capitalized `verb`, which names the
    /// effect: `unlist`.
    pub fn buttons(verb: &'static str) -> Self {
        let (first, rest) = verb.split_at(1);
        let fields = vec![
            Field::button(Answer::Cancel, "Cancel"),
            Field::button(Answer::Yes, first.to_uppercase() + rest),
        ];
        Self {
            form: Form::new(fields),
            verb,
            is_typed: false,
        }
    }

    /// A question answered by typing a word into the field `label`, which the view compares; `verb` names the
    /// effect.
    pub fn typed(label: &'static str, verb: &'static str) -> Self {
        Self {
            form: Form::new(vec![Field::text(Answer::Word, label, "")]).submits(Answer::Yes),
            verb,
            is_typed: true,
        }
    }

    /// A question before a write: on a live market it asks for a word in the field `label`, in the sandbox
    /// for a button. `verb` names the effect.
    pub fn write(is_sandbox: bool, label: &'static str, verb: &'static str) -> Self {
        if is_sandbox {
            Self::buttons(verb)
        } else {
            Self::typed(label, verb)
        }
    }

    /// The buttons or the word's field, to draw them.
    pub const fn form(&self) -> &Form<Answer> {
        &self.form
    }

    /// Whether the answer may confirm: the question has buttons, or exactly `word` was typed.
    pub fn is_confirmed_by(&self, word: &str) -> bool {
        !self.is_typed || self.word() == word
    }

    /// The word typed so far; empty if the question has buttons.
    pub fn word(&self) -> &str {
        self.form.text(Answer::Word)
    }

    /// Whether the question asks for a typed word rather than a button.
    pub const fn is_typed(&self) -> bool {
        self.is_typed
    }

    /// Shows the reason nothing was sent, as an error below the typed word.
    pub fn refuse(&mut self, why: impl Into<String>) {
        self.form.set_error(Answer::Word, Some(why.into()));
    }

    /// The contexts in which the question's keys are looked up.
    pub fn contexts(&self) -> &'static [Context] {
        if self.is_typed {
            self.form.contexts()
        } else {
            &[Context::Dialog, Context::Form, Context::Always]
        }
    }

    /// Hides the actions `Down` and `Last`, which answer nothing; all others are available.
    pub const fn availability(action: Action) -> Availability {
        Availability::hidden_if(matches!(action, Action::Move(Motion::Down | Motion::Last)))
    }

    /// The name of the effect of `Yes` and `Submit`: the verb, or `cancel` for `Submit` on the button Cancel;
    /// `None` for other actions.
    pub fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, self.form.focused()) {
            (Action::Yes, _) | (Action::Submit, Some(Answer::Yes | Answer::Word) | None) => Some(self.verb),
            (Action::Submit, Some(Answer::Cancel)) => Some("cancel"),
            _ => None,
        }
    }

    /// Handles an action and returns the answer: `Yes`, `Cancel` (also on `Back`), or `Word` if it only moved
    /// or changed something; `None` if the action has no meaning here. Cancel by Enter shows a notice: who is in a hurry
    /// takes it for a confirmation.
    pub fn update(&mut self, action: Action, cx: &mut Cx<'_>) -> Option<Answer> {
        match action {
            Action::Yes => Some(Answer::Yes),
            Action::Back => Some(Answer::Cancel),
            action => {
                let answer = Self::answer(self.form.update(action.command()));
                if answer == Some(Answer::Cancel) {
                    let key = cx.state().keymap.key_of(Action::Yes);
                    cx.toast(format!("Cancelled, nothing was done: {key} confirms"));
                }
                answer
            }
        }
    }

    /// Handles a click on the form's field with this index and returns the answer, as [`Self::update`] does;
    /// `None` if it changes nothing.
    pub fn click(&mut self, field: usize) -> Option<Answer> {
        Self::answer(self.form.click(field))
    }

    /// Clears the error below the typed word and passes the key to the form; false if the form does not use
    /// it.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        self.form.set_error(Answer::Word, None);
        self.form.key(key)
    }

    /// Shows that a paste is refused, and inserts nothing: confirming should take a moment.
    pub fn paste(&mut self) {
        self.refuse(PASTE_REFUSED);
    }

    /// The answer that an event of the form gives; `Word` if it only moved or changed, `None` if it was
    /// ignored.
    const fn answer(event: FormEvent<Answer>) -> Option<Answer> {
        match event {
            FormEvent::Submitted(answer) => Some(answer),
            FormEvent::Moved | FormEvent::Changed(_) => Some(Answer::Word),
            FormEvent::Ignored => None,
        }
    }
}

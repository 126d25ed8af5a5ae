//! A form as data: fields with their checks, one focus, one way to show an error.
//!
//! A view lists its fields under keys of its own (an enum), passes key presses to the form, and reads values back by
//! the same keys.

use std::fmt;

use bourse_domain::secrets::KeyFault;
use crossterm::event::{KeyCode, KeyEvent};

use super::input_widget::InputWidget;
use super::secret_input::SecretInput;
use super::text_input::{Pasted, TextInput};
use super::viewport::Viewport;
use crate::command::{Command, Motion};

mod annotate;
mod draw;
mod field;
mod typed;

use self::typed::TypedOption;

pub use draw::{FormLayout, FormLines};
pub use field::{Control, Field};

/// The result of a command to a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormEvent<K> {
    /// The form does not handle the command.
    Ignored,
    /// The focus moved to another field.
    Moved,
    /// The value of this field changed.
    Changed(K),
    /// This button was pressed, or Enter in a form that submits from any field.
    Submitted(K),
}

/// The effect of Enter in a field other than a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnEnter<K> {
    /// Moves to the next field: for long forms that should not be submitted by accident.
    Advance,
    Submit(K),
}

/// The reason the focused field rejects a pasted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasteError {
    /// The form has no fields.
    #[error("nothing to paste into")]
    NoField,
    /// The focused field is a choice, a toggle or a button.
    #[error("this field takes no text")]
    NoText,
    /// The text cannot be an API key.
    #[error(transparent)]
    Key(#[from] KeyFault),
}

/// A list of fields, one of which is focused.
pub struct Form<K> {
    fields: Vec<Field<K>>,
    focus: usize,
    on_enter: OnEnter<K>,
    typed: TypedOption,
}

impl<K: fmt::Debug> fmt::Debug for Form<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form")
            .field("fields", &self.fields)
            .field("focus", &self.focus)
            .finish_non_exhaustive()
    }
}

impl<K: Copy + Eq> Form<K> {
    /// A form with its first field focused and selected, so that typing replaces its text.
    pub fn new(fields: Vec<Field<K>>) -> Self {
        let mut form = Self {
            fields,
            focus: 0,
            on_enter: OnEnter::Advance,
            typed: TypedOption::default(),
        };
        form.focus_at(0);
        form
    }

    /// Makes Enter in any field except a button, which it presses, submit the form as `key`.
    #[must_use]
    pub const fn submits(mut self, key: K) -> Self {
        self.on_enter = OnEnter::Submit(key);
        self
    }

    /// Focuses a field, showing the error of the one that is left; no effect if there is no field with the
    /// key.
    pub fn focus_on(&mut self, key: K) {
        if let Some(index) = self.index_of(key) {
            self.focus_at(index);
        }
    }

    /// The key of the focused field; `None` in a form without fields.
    pub fn focused(&self) -> Option<K> {
        self.fields.get(self.focus).map(|field| field.key)
    }

    /// Whether the focused field is a choice, a toggle or a button, so that the space bar and the arrows act
    /// on it.
    pub fn is_on_choice(&self) -> bool {
        match self.fields.get(self.focus).map(|field| &field.control) {
            Some(Control::Choice { .. } | Control::Toggle(_) | Control::Button) => true,
            Some(Control::Text(_) | Control::Secret(_)) | None => false,
        }
    }

    /// Handles a command: moves the focus or the cursor, changes a choice (around at the ends) or toggle, or
    /// submits. Enter presses a button; in other fields it submits if [`Form::submits`] was called, else
    /// moves on. A command of `None`, or one that the focused field does not use, is `Ignored`.
    pub fn update(&mut self, command: impl Into<Option<Command>>) -> FormEvent<K> {
        let (Some(command), Some(field)) = (command.into(), self.fields.get_mut(self.focus)) else {
            return FormEvent::Ignored;
        };
        let key = field.key;
        match (command, &mut field.control) {
            (Command::Left | Command::Right, Control::Text(_) | Control::Secret(_)) => {
                let is_right = command == Command::Right;
                let arrow = if is_right { KeyCode::Right } else { KeyCode::Left };
                self.key(KeyEvent::from(arrow));
                FormEvent::Moved
            }
            (Command::Left | Command::Right, Control::Button) => {
                self.step(if command == Command::Right { 1 } else { -1 });
                FormEvent::Moved
            }
            (Command::Left | Command::Right | Command::Toggle, Control::Choice { options, chosen }) => {
                let many = options.len().max(1);
                let by = if command == Command::Left { many - 1 } else { 1 };
                *chosen = (*chosen + by) % many;
                self.edited();
                FormEvent::Changed(key)
            }
            (Command::Left | Command::Right | Command::Toggle, Control::Toggle(is_on)) => {
                *is_on = !*is_on;
                self.edited();
                FormEvent::Changed(key)
            }
            (Command::Move(Motion::Down), _) => self.moved(1),
            (Command::Move(Motion::Up), _) => self.moved(-1),
            (Command::Move(Motion::First), _) => self.moved(isize::MIN),
            (Command::Move(Motion::Last), _) => self.focus_last(),
            (Command::Submit | Command::Toggle, Control::Button) => FormEvent::Submitted(key),
            (Command::Submit, _) => match self.on_enter {
                OnEnter::Advance => self.moved(1),
                OnEnter::Submit(key) => FormEvent::Submitted(key),
            },
            _ => FormEvent::Ignored,
        }
    }

    /// Moves the focus by `by` fields and returns the event for that.
    fn moved(&mut self, by: isize) -> FormEvent<K> {
        self.step(by);
        FormEvent::Moved
    }

    /// Focuses the button as which Enter submits the form, rather than one after it that clears the form; the
    /// last visible field or button if there is none below the focus.
    fn focus_last(&mut self) -> FormEvent<K> {
        let submits = |field: &Field<K>| self.on_enter == OnEnter::Submit(field.key) && !field.is_hidden;
        let button = self.fields.iter().position(submits);
        match button.filter(|button| *button > self.focus) {
            Some(button) => {
                self.focus_at(button);
                FormEvent::Moved
            }
            None => self.moved(isize::MAX),
        }
    }

    /// Moves the focus by `by` visible fields, up if negative, stopping at the ends; leaving a field shows
    /// its error.
    fn step(&mut self, by: isize) {
        let shown: Vec<usize> = (0..self.fields.len())
            .filter(|index| !self.fields[*index].is_hidden)
            .collect();
        let here = shown.iter().position(|index| *index == self.focus);
        let last = shown.len().saturating_sub(1);
        let next = here.unwrap_or(0).saturating_add_signed(by).min(last);
        if let Some(index) = shown.get(next) {
            self.focus_at(*index);
        }
    }

    /// Focuses the field at an index, clamped to the last, and selects its text; leaving another field shows
    /// its error.
    fn focus_at(&mut self, index: usize) {
        self.typed.clear();
        if index != self.focus
            && let Some(field) = self.fields.get_mut(self.focus)
        {
            field.show_fault();
            if let Control::Text(input) = &mut field.control {
                input.deselect();
            }
        }
        self.focus = index.min(self.fields.len().saturating_sub(1));
        if let Some(Control::Text(input)) = self.fields.get_mut(self.focus).map(|field| &mut field.control) {
            input.select_all();
        }
    }

    /// Focuses the field at an index; a click on a choice or toggle also switches it, one on a button presses
    /// it.
    pub fn click(&mut self, index: usize) -> FormEvent<K> {
        self.focus_at(index);
        match self.fields.get(self.focus).map(|field| &field.control) {
            Some(Control::Choice { .. } | Control::Toggle(_)) => self.update(Command::Toggle),
            Some(Control::Button) => self.update(Command::Submit),
            Some(Control::Text(_) | Control::Secret(_)) | None => FormEvent::Moved,
        }
    }

    /// Types a key into the focused text or secret, or chooses the next option of the focused choice that contains the
    /// characters typed since it was focused; false if the key changes nothing.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let Some(field) = self.fields.get_mut(self.focus) else {
            return false;
        };
        let is_taken = match &mut field.control {
            Control::Text(input) => input.key(key),
            Control::Secret(input) => input.key(key),
            Control::Choice { options, chosen } => match key.code {
                KeyCode::Char(character) => self.typed.choose(character, options, chosen),
                _ => false,
            },
            Control::Toggle(_) | Control::Button => false,
        };
        if is_taken {
            self.edited();
        }
        is_taken
    }

    /// Pastes into the focused field; the result counts the characters that were left out.
    ///
    /// # Errors
    /// If there is no focused text or secret, or the text cannot be an API key.
    pub fn paste(&mut self, text: &str) -> Result<Pasted, PasteError> {
        let Some(field) = self.fields.get_mut(self.focus) else {
            return Err(PasteError::NoField);
        };
        let pasted = match &mut field.control {
            Control::Text(input) => input.paste(text),
            Control::Secret(input) => {
                input.paste(text)?;
                Pasted::default()
            }
            Control::Choice { .. } | Control::Toggle(_) | Control::Button => {
                return Err(PasteError::NoText);
            }
        };
        self.edited();
        Ok(pasted)
    }

    /// Updates the error after an edit: a shown error stays until the value is valid; none appears while typing.
    fn edited(&mut self) {
        if let Some(field) = self.fields.get_mut(self.focus)
            && field.error.is_some()
        {
            field.show_fault();
        }
    }

    /// Checks every visible field, shows their errors in place of all shown before, and focuses the first
    /// invalid field. True if all are valid.
    pub fn validate(&mut self) -> bool {
        for field in &mut self.fields {
            field.show_fault();
            if field.is_hidden {
                field.error = None;
            }
        }
        let first = self.fields.iter().position(|field| field.error.is_some());
        if let Some(index) = first {
            self.focus = index;
        }
        first.is_none()
    }

    /// The first error among the visible fields, also before it is displayed; `None` if those are valid.
    pub fn fault(&self) -> Option<(K, String)> {
        let mut shown = self.fields.iter().filter(|field| !field.is_hidden);
        shown.find_map(|field| Some((field.key, field.fault()?)))
    }

    /// Sets the displayed error of a field that only the view can detect, such as a contradiction between two
    /// fields; `None` removes it.
    pub fn set_error(&mut self, key: K, error: Option<String>) {
        if let Some(field) = self.field_mut(key) {
            field.error = error;
            field.error_span = None;
        }
    }

    /// The trimmed text of a field; for a choice, the selected option. Empty for other fields and an unknown
    /// key.
    pub fn text(&self, key: K) -> &str {
        match self.field(key).map(|field| &field.control) {
            Some(Control::Text(input)) => input.text().trim(),
            Some(Control::Choice { options, chosen }) => options.get(*chosen).map_or("", |option| option),
            Some(Control::Secret(_) | Control::Toggle(_) | Control::Button) | None => "",
        }
    }

    /// Replaces the text of a text field and removes its error; of other fields only the error is removed.
    pub fn set_text(&mut self, key: K, text: &str) {
        match self.field_mut(key).map(|field| &mut field.control) {
            Some(Control::Text(input)) => input.set(text),
            Some(Control::Secret(_) | Control::Choice { .. } | Control::Toggle(_) | Control::Button) | None => {}
        }
        if let Some(field) = self.field_mut(key) {
            field.error = None;
            field.error_span = None;
        }
    }

    /// The input of a text field, for completion and cursor movement; `None` for other fields.
    pub fn input_mut(&mut self, key: K) -> Option<&mut TextInput> {
        match &mut self.field_mut(key)?.control {
            Control::Text(input) => Some(input),
            Control::Secret(_) | Control::Choice { .. } | Control::Toggle(_) | Control::Button => None,
        }
    }

    /// The input of a secret field; `None` for other fields.
    pub fn secret(&self, key: K) -> Option<&SecretInput> {
        match &self.field(key)?.control {
            Control::Secret(input) => Some(input),
            Control::Text(_) | Control::Choice { .. } | Control::Toggle(_) | Control::Button => None,
        }
    }

    /// Lets the next typed character replace the text of a secret field, which a market has refused; nothing for other
    /// fields.
    pub fn refuse_secret(&mut self, key: K) {
        if let Some(Control::Secret(input)) = self.field_mut(key).map(|field| &mut field.control) {
            input.refuse();
        }
    }

    /// The index of the selected option of a choice; 0 for other fields.
    pub fn chosen(&self, key: K) -> usize {
        match self.field(key).map(|field| &field.control) {
            Some(Control::Choice { chosen, .. }) => *chosen,
            _ => 0,
        }
    }

    /// Selects the option at an index, clamped to the last; no effect on fields that are no choice.
    pub fn choose(&mut self, key: K, choice: usize) {
        if let Some(Control::Choice { options, chosen }) = self.field_mut(key).map(|field| &mut field.control) {
            *chosen = choice.min(options.len().saturating_sub(1));
        }
    }

    /// Turns a toggle on or off; no effect on other fields.
    pub fn set_on(&mut self, key: K, is_on: bool) {
        if let Some(Control::Toggle(setting)) = self.field_mut(key).map(|field| &mut field.control) {
            *setting = is_on;
        }
    }

    /// Whether a toggle is on; false for other fields.
    pub fn is_on(&self, key: K) -> bool {
        self.field(key)
            .is_some_and(|field| matches!(field.control, Control::Toggle(true)))
    }

    /// The index of the field with a key; `None` if there is none.
    fn index_of(&self, key: K) -> Option<usize> {
        self.fields.iter().position(|field| field.key == key)
    }

    /// The input of a text field, for a view that draws it by itself; `None` for other fields.
    pub fn line(&self, key: K) -> Option<&TextInput> {
        match &self.field(key)?.control {
            Control::Text(input) => Some(input),
            Control::Secret(_) | Control::Choice { .. } | Control::Toggle(_) | Control::Button => None,
        }
    }

    /// The displayed error of a field; `None` if it shows none.
    pub fn error(&self, key: K) -> Option<&str> {
        self.field(key)?.error.as_deref()
    }

    /// The field with a key; `None` if there is none.
    fn field(&self, key: K) -> Option<&Field<K>> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// The field with a key, to change it; `None` if there is none.
    fn field_mut(&mut self, key: K) -> Option<&mut Field<K>> {
        self.fields.iter_mut().find(|field| field.key == key)
    }
}

impl<K: Copy + Eq> InputWidget for Form<K> {
    fn typed(&mut self, key: KeyEvent, _: Viewport) -> bool {
        self.key(key)
    }

    fn pasted(&mut self, text: &str) -> Option<Pasted> {
        self.paste(text).ok()
    }
}

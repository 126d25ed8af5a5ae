//! A field of a form: its control, label, notes and error.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::secret_input::SecretInput;
use crate::text_input::TextInput;

/// A function that returns the reason a text is not a valid value; `None` if it is.
pub(super) type Check = Box<dyn Fn(&str) -> Option<String> + Send>;

/// The control of a field.
#[derive(Debug)]
pub enum Control {
    /// A line of text.
    Text(TextInput),
    /// An API key or password: masked, wiped from memory when dropped.
    Secret(SecretInput),
    /// A selection from a few values.
    Choice {
        /// The displayed values.
        options: Vec<Cow<'static, str>>,
        /// The index of the selected value.
        chosen: usize,
    },
    /// A switch, on or off.
    Toggle(bool),
    /// A button.
    Button,
}

/// A field of a form.
pub struct Field<K> {
    /// The key by which the view identifies the field.
    pub key: K,
    pub(super) label: Cow<'static, str>,
    pub(super) note: Cow<'static, str>,
    pub(super) control: Control,
    pub(super) check: Option<Check>,
    pub(super) error: Option<String>,
    /// The range of the text to which the error refers, in bytes.
    pub(super) error_span: Option<Range<usize>>,
    pub(super) warning: Option<String>,
    pub(super) is_hidden: bool,
}

impl<K: fmt::Debug> fmt::Debug for Field<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field")
            .field("key", &self.key)
            .field("control", &self.control)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

impl<K: Copy + Eq> Field<K> {
    /// A visible field without a note, a check, an error or a warning.
    fn new(key: K, label: impl Into<Cow<'static, str>>, control: Control) -> Self {
        Self {
            key,
            label: label.into(),
            note: Cow::Borrowed(""),
            control,
            check: None,
            error: None,
            error_span: None,
            warning: None,
            is_hidden: false,
        }
    }

    /// A field for a line of text, with its initial value.
    pub fn text(key: K, label: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        Self::new(key, label, Control::Text(TextInput::new(value)))
    }

    /// An empty field for an API key or password.
    pub fn secret(key: K, label: impl Into<Cow<'static, str>>) -> Self {
        Self::new(key, label, Control::Secret(SecretInput::default()))
    }

    /// A choice among `options`, with the one at `chosen` selected, or the last one if that is too large.
    pub fn choice<O: Into<Cow<'static, str>>>(
        key: K,
        label: impl Into<Cow<'static, str>>,
        options: impl IntoIterator<Item = O>,
        chosen: usize,
    ) -> Self {
        let options: Vec<_> = options.into_iter().map(Into::into).collect();
        let chosen = chosen.min(options.len().saturating_sub(1));
        Self::new(key, label, Control::Choice { options, chosen })
    }

    /// A field for a switch, on if `is_on`.
    pub fn toggle(key: K, label: impl Into<Cow<'static, str>>, is_on: bool) -> Self {
        Self::new(key, label, Control::Toggle(is_on))
    }

    /// A button; consecutive buttons are side by side in one row.
    pub fn button(key: K, label: impl Into<Cow<'static, str>>) -> Self {
        Self::new(key, label, Control::Button)
    }

    /// Sets the unit, an example or a short explanation to show after the value.
    #[must_use]
    pub fn note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.note = note.into();
        self
    }

    /// Sets the check of the trimmed text; its error is shown by [`Form::validate`](super::Form::validate),
    /// or when the field is left, and goes once the text is valid. It makes a secret be checked as an API key
    /// instead, and has no effect on other controls.
    #[must_use]
    pub fn check<E: fmt::Display>(mut self, check: impl Fn(&str) -> Result<(), E> + Send + 'static) -> Self {
        self.check = Some(Box::new(move |text| check(text).err().map(|error| error.to_string())));
        self
    }

    /// The error of the current value, shown or not; `None` if it is valid, without a check, and for choices,
    /// toggles and buttons. A secret with any check is checked as an API key.
    pub(super) fn fault(&self) -> Option<String> {
        let check = self.check.as_ref()?;
        match &self.control {
            Control::Text(input) => check(input.text().trim()),
            Control::Secret(input) => input.fault().map(|fault| fault.to_string()),
            Control::Choice { .. } | Control::Toggle(_) | Control::Button => None,
        }
    }

    /// Checks the value and shows its error, or removes the shown one; the part marked before is no longer
    /// marked.
    pub(super) fn show_fault(&mut self) {
        self.error = self.fault();
        self.error_span = None;
    }

    /// Whether its control is a button.
    pub(super) const fn is_button(&self) -> bool {
        matches!(self.control, Control::Button)
    }
}

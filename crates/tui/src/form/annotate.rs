//! Errors, warnings and notes that a view adds to the fields of a form, beyond their checks.

use std::borrow::Cow;
use std::ops::Range;

use super::{Control, Form};

impl<K: Copy + Eq> Form<K> {
    /// Marks the byte range of a field's text to which its error refers: carets are drawn below it.
    pub fn mark_error(&mut self, key: K, span: Range<usize>) {
        if let Some(field) = self.field_mut(key) {
            field.error_span = Some(span);
        }
    }

    /// Sets a warning at a field, which does not prevent submitting; `None` removes it.
    pub fn set_warning(&mut self, key: K, warning: Option<String>) {
        if let Some(field) = self.field_mut(key) {
            field.warning = warning;
        }
    }

    /// Replaces the note shown after a field's value, such as a unit.
    pub fn set_note(&mut self, key: K, note: impl Into<Cow<'static, str>>) {
        if let Some(field) = self.field_mut(key) {
            field.note = note.into();
        }
    }

    /// Hides or shows a field; a hidden one keeps its value and is not checked.
    pub fn set_hidden(&mut self, key: K, is_hidden: bool) {
        if let Some(field) = self.field_mut(key) {
            field.is_hidden = is_hidden;
        }
    }

    /// Replaces the options of a choice and selects the one at `chosen`, or the last one if that is too large; no
    /// effect on other fields.
    pub fn set_options<O: Into<Cow<'static, str>>>(&mut self, key: K, new: impl IntoIterator<Item = O>, chosen: usize) {
        if let Some(Control::Choice { options, .. }) = self.field_mut(key).map(|field| &mut field.control) {
            *options = new.into_iter().map(Into::into).collect();
        }
        self.choose(key, chosen);
    }
}

//! Validation errors of forms, each at its field.

use std::ops::Range;

/// A mistake in a form parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// The parameter, by its wire name or its name in the form's table.
    pub parameter: &'static str,
    pub message: String,
    /// The position in the parameter's text, in bytes; `None` if there is no text to point into.
    pub span: Option<Range<usize>>,
}

impl Objection {
    /// A mistake in the form parameter with this wire or table name, without a position in its text.
    pub fn new(parameter: &'static str, message: impl Into<String>) -> Self {
        Self {
            parameter,
            message: message.into(),
            span: None,
        }
    }

    /// Adds the position of the mistake, a range of bytes of the parameter's text.
    #[must_use]
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }
}

//! Query errors: their position, message, suggested fix and rendering.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::text::visible;

/// The maximum length of a text shown with an error, in characters.
const DRAWN: usize = 4096;

/// A mistake in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageError {
    /// The mistake and its fix, in a sentence.
    pub message: String,
    /// The range of the mistake, in bytes of the text; empty if something is missing.
    pub span: Range<usize>,
    /// The suggested fix; `None` if there is none.
    pub suggestion: Option<Suggestion>,
}

/// An edit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The replaced range, in bytes of the text; often but not always the mistake itself.
    pub span: Range<usize>,
    pub replacement: String,
}

impl Suggestion {
    /// The text with the replacement in place of the range `span`.
    pub fn apply(&self, text: &str) -> String {
        let before = text.get(..self.span.start).unwrap_or(text);
        let after = text.get(self.span.end..).unwrap_or_default();
        format!("{before}{}{after}", self.replacement)
    }
}

impl LanguageError {
    /// An error without a suggested fix; its message is put on one line, with hostile characters escaped.
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            message: line(&message.into()),
            span,
            suggestion: None,
        }
    }

    /// Adds a suggested fix: replace `span` by `replacement`.
    pub(crate) fn suggest(mut self, span: Range<usize>, replacement: impl Into<String>) -> Self {
        self.suggestion = Some(Suggestion {
            span,
            replacement: replacement.into(),
        });
        self
    }

    /// The error in a larger text that contains this one from byte `offset`.
    pub(super) fn shifted(mut self, offset: usize) -> Self {
        let shift = |span: &mut Range<usize>| {
            span.start += offset;
            span.end += offset;
        };
        shift(&mut self.span);
        if let Some(suggestion) = &mut self.suggestion {
            shift(&mut suggestion.span);
        }
        self
    }

    /// Renders the text, carets under the mistake, the message, and the corrected text if there is one: up to four
    /// lines without colours. Columns are terminal cells: wide characters count two.
    pub fn render(&self, text: &str) -> String {
        let part = |range: Range<usize>| line(text.get(range).unwrap_or_default());
        let end = self.span.end.min(text.len());
        let start = self.span.start.min(end);
        let (before, wrong, after) = (part(0..start), part(start..end), part(end..text.len()));
        let indent = " ".repeat(before.width());
        let carets = "^".repeat(wrong.width().max(1));
        let mut lines = format!("{before}{wrong}{after}\n{indent}{carets}\n{}", self.message);
        if let Some(suggestion) = &self.suggestion {
            let corrected = line(&suggestion.apply(text));
            lines.push_str("\ntry: ");
            lines.push_str(&corrected);
        }
        lines
    }
}

/// A text on one line: whitespace becomes blanks and hostile characters are escaped.
fn line(text: &str) -> String {
    let blanked: String = text
        .chars()
        .map(|character| if character.is_whitespace() { ' ' } else { character })
        .collect();
    visible(&blanked, DRAWN)
}

impl fmt::Display for LanguageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LanguageError {}

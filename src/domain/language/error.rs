//! Mistakes in a text: where they are, what to do, and how that is shown.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::domain::text::visible;

/// The most characters of a text that are drawn with a mistake.
const DRAWN: usize = 4096;

/// A mistake in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageError {
    /// What is wrong and what to do.
    pub message: String,
    /// Where, in bytes of the text; empty where something is missing.
    pub span: Range<usize>,
    /// A change that mends it, if one is at hand.
    pub suggestion: Option<Suggestion>,
}

/// A change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What to replace, in bytes of the text; often but not always the mistake itself.
    pub span: Range<usize>,
    pub replacement: String,
}

impl Suggestion {
    /// The text with the change made.
    pub fn apply(&self, text: &str) -> String {
        let before = text.get(..self.span.start).unwrap_or(text);
        let after = text.get(self.span.end..).unwrap_or_default();
        format!("{before}{}{after}", self.replacement)
    }
}

impl LanguageError {
    /// A mistake without a remedy at hand.
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            message: line(&message.into()),
            span,
            suggestion: None,
        }
    }

    /// With a remedy: `replacement` instead of `span`.
    pub(super) fn suggest(mut self, span: Range<usize>, replacement: impl Into<String>) -> Self {
        self.suggestion = Some(Suggestion {
            span,
            replacement: replacement.into(),
        });
        self
    }

    /// The same mistake in a text in which this one begins at byte `offset`.
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

    /// The text, carets under the mistake, the message, and the corrected text where there is one: up
    /// to four lines without colours. Columns are those of a terminal: wide characters count two.
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

/// A text on one line: blanks of any kind as blanks, hostile characters visible.
fn line(text: &str) -> String {
    let blanked: String = text
        .chars()
        .map(|character| {
            if character.is_whitespace() {
                ' '
            } else {
                character
            }
        })
        .collect();
    visible(&blanked, DRAWN)
}

impl fmt::Display for LanguageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LanguageError {}

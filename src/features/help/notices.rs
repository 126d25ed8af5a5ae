//! The notices about the start of the program, in full length.

use ratatui::text::Line;

use crate::core::State;
use crate::core::views::text_dialog::{Text, TextDialog};
use crate::domain::text::visible;

/// Maximum length of a notice, in characters.
const LONGEST: usize = 2000;

/// The dialog of the notices that have not been dismissed, one paragraph each; it is never `None`, but may
/// have nothing to report.
#[expect(clippy::unnecessary_wraps, reason = "views open this way")]
pub(crate) fn dialog(state: &State) -> Option<TextDialog> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for notice in &state.notices {
        lines.push(Line::raw(format!("• {}", visible(notice, LONGEST))));
        lines.push(Line::default());
    }
    if lines.is_empty() {
        lines.push(Line::raw("Nothing to report"));
    }
    let note = state.notices.len().to_string();
    Some(TextDialog::new("Notices", Text { note, lines }, 2, |_| None))
}

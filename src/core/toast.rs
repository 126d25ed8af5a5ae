//! Short notices in the footer, which disappear by themselves.

use crate::domain::text::visible;
use crate::domain::time::{MonotonicTime, Now};
use crate::keys::pane::Pane;

/// Maximum length of a notice, in characters.
///
/// More than a line of a wide screen.
const LONGEST: usize = 1000;

/// A short notice that disappears by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// The time at which it disappears.
    pub until: MonotonicTime,
    since: MonotonicTime,
    /// The view whose key it answers, as pane and number of open views; `None` for other news, such
    /// as a file that was written.
    shown_on: Option<(Pane, usize)>,
}

impl Toast {
    /// A notice, shown for four seconds; cut at 1,000 characters, with control characters escaped.
    pub fn new(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: visible(&text.into(), LONGEST),
            is_error: false,
            until: now.mono + 4.0,
            since: now.mono,
            shown_on: None,
        }
    }

    /// An error, shown for eight seconds; cut and escaped like [`Toast::new`].
    pub fn error(text: impl Into<String>, now: Now) -> Self {
        Self {
            is_error: true,
            until: now.mono + 8.0,
            ..Self::new(text, now)
        }
    }

    /// Ties the notice to a view, by pane and number of open views: it disappears when that view is closed or
    /// covered.
    pub(crate) const fn tie_to(&mut self, shown_on: (Pane, usize)) {
        self.shown_on = Some(shown_on);
    }

    /// Whether the notice is tied to another view than the topmost one, `shown_on`; false if it is tied to
    /// none.
    pub(crate) fn is_left_behind(&self, shown_on: (Pane, usize)) -> bool {
        self.shown_on.is_some_and(|tied_to| tied_to != shown_on)
    }

    /// Whether a key press dismisses the notice: it was visible for at least a second.
    pub fn was_seen(&self, now: Now) -> bool {
        now.mono - self.since >= 1.0
    }
}

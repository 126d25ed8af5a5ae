//! Short notices at the top right: what just happened, until it was seen.

use crate::domain::text::visible;
use crate::keys::pane::Pane;
use crate::table::remote::Now;

// More than one line of a wide screen.
/// The longest notice, in characters.
const LONGEST: usize = 1000;

/// A short notice that disappears by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// When it disappears, on the monotonic clock.
    pub until: f64,
    since: f64,
    /// The view whose key it answers, by pane and number of open views; `None` if it tells of
    /// something else, such as a file that was written.
    shown_on: Option<(Pane, usize)>,
}

impl Toast {
    /// A notice for four seconds.
    pub fn new(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: visible(&text.into(), LONGEST),
            is_error: false,
            until: now.mono + 4.0,
            since: now.mono,
            shown_on: None,
        }
    }

    /// An error for eight seconds.
    pub fn error(text: impl Into<String>, now: Now) -> Self {
        Self {
            is_error: true,
            until: now.mono + 8.0,
            ..Self::new(text, now)
        }
    }

    /// Makes it go with a view.
    pub(crate) const fn tie_to(&mut self, shown_on: (Pane, usize)) {
        self.shown_on = Some(shown_on);
    }

    /// Whether the view that it goes with is not the topmost one, which is at `shown_on`.
    pub(crate) fn is_left_behind(&self, shown_on: (Pane, usize)) -> bool {
        self.shown_on.is_some_and(|tied_to| tied_to != shown_on)
    }

    /// Whether a key press dismisses it: it was shown long enough to be read, and may be outdated.
    pub fn was_seen(&self, now: Now) -> bool {
        now.mono - self.since >= 1.0
    }
}

//! Short notices.

use super::remote::Now;

/// A short notice that disappears by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// When it disappears, on the monotonic clock.
    pub until: f64,
    since: f64,
}

impl Toast {
    /// A notice for four seconds.
    pub fn new(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: text.into(),
            is_error: false,
            until: now.mono + 4.0,
            since: now.mono,
        }
    }

    /// An error for eight seconds.
    pub fn error(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: text.into(),
            is_error: true,
            until: now.mono + 8.0,
            since: now.mono,
        }
    }

    /// Whether a key press dismisses it: it was shown long enough to be read, and may be outdated.
    pub fn was_seen(&self, now: Now) -> bool {
        now.mono - self.since >= 1.0
    }
}

//! Short notices.

use super::remote::Now;

/// A short notice that goes away by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Toast {
    pub text: String,
    /// Whether it is bad news.
    pub is_error: bool,
    /// When it goes, on the clock that never jumps.
    pub until: f64,
    since: f64,
}

impl Toast {
    /// Good news, for four seconds.
    pub fn new(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: text.into(),
            is_error: false,
            until: now.mono + 4.0,
            since: now.mono,
        }
    }

    /// Bad news, for eight seconds.
    pub fn error(text: impl Into<String>, now: Now) -> Self {
        Self {
            text: text.into(),
            is_error: true,
            until: now.mono + 8.0,
            since: now.mono,
        }
    }

    /// Whether a key press takes it away: it was there long enough to be read, and may be
    /// outdated.
    pub fn was_seen(&self, now: Now) -> bool {
        now.mono - self.since >= 1.0
    }
}

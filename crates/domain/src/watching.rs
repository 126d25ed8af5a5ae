//! How often watched searches are refreshed.

/// The person's settings for all watched searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watching {
    /// Requests a minute that all of them may send together.
    pub requests_a_minute: u32,
    /// Seconds between two requests of one, unless another interval is chosen for it.
    pub interval: u32,
}

impl Default for Watching {
    fn default() -> Self {
        Self {
            requests_a_minute: 10,
            interval: 30,
        }
    }
}

impl Watching {
    /// The most requests a minute that can be configured: one a second.
    pub const MOST: u32 = 60;
}

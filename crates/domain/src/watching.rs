//! The refresh rate of watched searches.

/// The settings for all watched searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watching {
    /// The maximum number of requests per minute of all searches together.
    pub requests_a_minute: u32,
    /// Seconds between two requests of one search, unless the search has its own interval.
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
    /// The largest configurable number of requests per minute: one a second.
    pub const MOST: u32 = 60;
}

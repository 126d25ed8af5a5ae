//! Tells how much of a response has arrived, and shows its first rows meanwhile.

use std::sync::Arc;
use std::time::Duration;

use bourse_domain::Listing;
use tokio::time::Instant;

use super::exchange::Body;

// Ten times a second a count looks alive; every part of a long response would be hundreds of frames.
/// The shortest time between two reports.
const GAP: Duration = Duration::from_millis(100);

// Less arrives at once, and is shown whole as soon as part of it.
/// How much more than this must be coming, in bytes, for first rows to be worth a frame.
const SHORT: usize = 256 * 1024;

/// As many rows as the tallest screen shows; further ones wait for the end.
const SCREENFUL: usize = 200;

/// What has arrived of a response that goes on.
#[derive(Debug, Clone)]
pub struct Received {
    /// Bytes of the body, decompressed.
    pub bytes: usize,
    /// Complete records.
    pub rows: usize,
    /// The first rows, if there are more than last time: not all of them, and not yet checked against
    /// the end of the response.
    pub first: Option<Arc<Listing>>,
}

pub(super) struct PartialResponse<H> {
    /// The size that the server announced; 0 if it did not.
    announced: usize,
    on_part: H,
    last: Instant,
    /// How many rows were shown.
    shown: usize,
}

impl<H: FnMut(Received)> PartialResponse<H> {
    pub(super) fn new(announced: usize, on_part: H) -> Self {
        Self {
            announced,
            on_part,
            last: Instant::now(),
            shown: 0,
        }
    }

    /// Reports what is there, unless the last report was just now.
    pub(super) fn tell(&mut self, bytes: usize, body: &Body) {
        let Body::Records(reader) = body else {
            return;
        };
        let is_due = self.last.elapsed() >= GAP;
        let is_long = match self.announced {
            0 => bytes >= SHORT,
            announced => announced.saturating_sub(bytes) >= SHORT,
        };
        let rows = reader.rows();
        let is_first = is_long && self.shown == 0 && rows > 0;
        let is_fuller = is_long && self.shown < SCREENFUL && rows >= SCREENFUL;
        let first = is_first || is_fuller || (is_due && self.shown < SCREENFUL.min(rows));
        if !(first || is_due) {
            return;
        }
        let first = first.then(|| reader.first_rows(SCREENFUL)).flatten();
        if first.is_some() {
            self.shown = rows;
        }
        self.last = Instant::now();
        (self.on_part)(Received {
            bytes,
            rows,
            first: first.map(Arc::new),
        });
    }
}

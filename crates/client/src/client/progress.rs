//! Reports the progress of a response, with its first rows.

use std::sync::Arc;
use std::time::Duration;

use bourse_domain::Listing;
use tokio::time::Instant;

use super::exchange::Body;

/// The minimum time between two reports.
///
/// Ten times a second a count looks alive; every part of a long response would be hundreds of frames.
const GAP: Duration = Duration::from_millis(100);

/// The minimum number of expected bytes for which the first rows are reported.
///
/// A smaller response arrives at once, and is shown whole as soon as part of it.
const SHORT: usize = 256 * 1024;

/// The maximum number of rows reported: as many as the tallest screen shows.
const SCREENFUL: usize = 200;

/// The received part of an unfinished response.
#[derive(Debug, Clone)]
pub struct Received {
    /// The size of the received body, decompressed, in bytes.
    pub bytes: usize,
    /// The number of complete records.
    pub rows: usize,
    /// The first rows, if there are more than in the last report.
    ///
    /// They may be incomplete and are not yet checked against the end of the response.
    pub first: Option<Arc<Listing>>,
}

pub(super) struct PartialResponse<H> {
    /// The size announced by the server; 0 if it did not announce one.
    announced: usize,
    on_part: H,
    last: Instant,
    /// The number of rows reported so far.
    shown: usize,
}

impl<H: FnMut(Received)> PartialResponse<H> {
    /// A response whose body is about to arrive, `announced` bytes long, 0 if unknown; nothing is reported
    /// yet.
    pub(super) fn new(announced: usize, on_part: H) -> Self {
        Self {
            announced,
            on_part,
            last: Instant::now(),
            shown: 0,
        }
    }

    /// Reports how much of a body of records has arrived, `bytes` bytes so far, at most every 100 ms; other
    /// bodies are not reported. Its first row and its 200th are reported at once while 256 KB or more are
    /// still to come or, if the size was not announced, have arrived. A report has the first 200 rows if more
    /// are complete than reported before, up to 200.
    pub(super) fn report(&mut self, bytes: usize, body: &Body) {
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

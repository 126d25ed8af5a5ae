//! Answers to recent searches. A load test repeats one search thousands of times a second, while the
//! market moves a few times a minute.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;

use super::call::Target;

/// How long an answer is repeated: its remaining times run on by less than anybody sees.
const FRESH: Duration = Duration::from_millis(100);

/// The most answers kept, and the most bytes of all.
const MOST: usize = 64;
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Recent answers; callers' changes to the market clear them.
#[derive(Debug, Default)]
pub struct Recent(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    answers: VecDeque<Answered>,
    bytes: usize,
    changes: u64,
}

#[derive(Debug)]
struct Answered {
    target: Target,
    request: Bytes,
    answer: Bytes,
    until: Instant,
}

impl Recent {
    /// The answer to the same search a moment ago; else the number of changes so far, for
    /// [`Recent::keep`].
    pub fn find(&self, target: Target, request: &Bytes) -> Result<Bytes, u64> {
        let mut kept = self.kept();
        kept.drop_old(Instant::now());
        let same = |known: &&Answered| known.target == target && known.request == request;
        let found = kept.answers.iter().find(same);
        found.map(|known| known.answer.clone()).ok_or(kept.changes)
    }

    /// Keeps an answer for a moment, unless the market was changed while it was made.
    pub fn keep(&self, target: Target, request: &Bytes, answer: Bytes, changes: u64) {
        let mut kept = self.kept();
        if kept.changes == changes && answer.len() <= MOST_BYTES {
            kept.bytes += answer.len();
            kept.answers.push_back(Answered {
                target,
                // A copy: a slice would keep the whole buffer alive.
                request: Bytes::copy_from_slice(request),
                answer,
                until: Instant::now() + FRESH,
            });
            kept.shrink();
        }
    }

    /// Forgets the answers: the market has changed.
    pub fn clear(&self) {
        let mut kept = self.kept();
        let changes = kept.changes + 1;
        *kept = Kept {
            changes,
            ..Kept::default()
        };
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn drop_old(&mut self, now: Instant) {
        while self
            .answers
            .front()
            .is_some_and(|oldest| oldest.until <= now)
        {
            self.drop_oldest();
        }
    }

    fn shrink(&mut self) {
        while self.answers.len() > MOST || self.bytes > MOST_BYTES {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.answers.pop_front() {
            self.bytes -= oldest.answer.len();
        }
    }
}

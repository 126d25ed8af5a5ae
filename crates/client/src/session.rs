//! Runs calls: waits for the rate limit, and retries reads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use bourse_domain::time::MonotonicTime;

use super::client::{Client, Outcome, Received, WorkerClient};
use super::error::ApiError;
use super::ledger::{CANCELLED, LedgerEntry};
use super::pacing::Pacer;
use super::{Operation, Reply, Request};

/// The maximum number of attempts of a read.
///
/// Attempts and longest pause are those of the AWS SDK's standard mode.
pub const MOST_ATTEMPTS: u32 = 3;
/// The minimum pause before a retry, in seconds.
///
/// A connection that was cut is often back at once, and a user is waiting.
const SHORTEST_PAUSE: f64 = 0.5;
/// The maximum pause before a retry, in seconds.
const LONGEST_PAUSE: f64 = 20.0;

/// The progress of a call.
#[derive(Debug, Clone)]
pub enum Progress {
    /// The call waits before its next attempt.
    Waiting {
        /// The number of that attempt, from 1.
        attempt: u32,
        /// The length of the wait, from now.
        span: Duration,
        /// The reason for the wait.
        why: Wait,
    },
    /// An attempt is being sent, after any wait.
    Sent {
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// Part of the response arrived.
    Received(Received),
    /// The attempt ended, with its entry for the ledger.
    Tried(Box<LedgerEntry>),
}

/// The reason a call waits.
#[derive(Debug, Clone, PartialEq)]
pub enum Wait {
    /// The rate limit of this operation.
    Turn,
    /// The last attempt failed with a temporary error.
    Fault(ApiError),
}

/// A client and its pacing, shared by all calls of a profile. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Session {
    client: Client,
    workers: WorkerClient,
    pacer: Arc<Mutex<Pacer>>,
    /// Notifies waiting calls that the rate limit was relaxed.
    relaxed: Arc<Notify>,
    started: Instant,
}

impl Session {
    /// A session with a pacer: [`Pacer::default`], or one with the intervals that an earlier session learned.
    pub fn new(client: Client, pacer: Pacer) -> Self {
        Self {
            client,
            workers: WorkerClient::default(),
            pacer: Arc::new(Mutex::new(pacer)),
            relaxed: Arc::default(),
            started: Instant::now(),
        }
    }

    /// The session with another client for workers, such as one that trusts their root certificate.
    #[must_use]
    pub fn with_workers(self, workers: WorkerClient) -> Self {
        Self { workers, ..self }
    }

    /// The client that sends requests to workers, which receive no key.
    pub const fn workers(&self) -> &WorkerClient {
        &self.workers
    }

    /// The client of the session.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The intervals in seconds of the operations that refusals have slowed down, to save for the profile.
    pub fn learned(&self) -> Vec<(Operation, f64)> {
        self.pacer().learned()
    }

    /// Drops the intervals and waits learned from refusals. All waiting calls wake up: they wait again only
    /// for a documented interval, and one that pauses before a retry continues at once.
    pub fn forget_pacing(&self) {
        self.pacer().forget();
        self.relaxed.notify_waiters();
    }

    /// Stops reusing the open connections to the market: after a suspend the other side may be gone. Calls
    /// under way are not interrupted.
    pub fn drop_connections(&self) {
        self.client.drop_connections();
    }

    /// Runs a call to its end; `notify` receives its progress and the ledger entry of every attempt.
    ///
    /// A read waits for the rate limit and is retried after a 429 or a transient error, three attempts at
    /// most; a write or a route request is sent at once and exactly once. Dropping the future cancels the
    /// call.
    pub async fn run(&self, request: &Request, mut notify: impl FnMut(Progress)) -> Result<Reply, ApiError> {
        let operation = request.operation();
        // A write whose response was lost may have happened: sending it again could do it twice.
        if !operation.is_read() {
            self.pacer().sent(operation, self.now());
            return self.send_once(request, 1, Duration::ZERO, &mut notify).await;
        }
        let mut pause = None;
        let mut attempt = 1;
        loop {
            let waited = self.wait(operation, attempt, pause.take(), &mut notify).await;
            match self.send_once(request, attempt, waited, &mut notify).await {
                Err(error) if attempt < MOST_ATTEMPTS && error.is_passing() => {
                    pause = Some(error);
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    /// Waits for the rate limit and sends the request once, without a retry or progress, for callers with a
    /// timer: their next request is the retry.
    pub async fn attempt(&self, request: &Request) -> Result<Reply, ApiError> {
        let waited = self.wait(request.operation(), 1, None, &mut |_| {}).await;
        self.send_once(request, 1, waited, &mut |_| {}).await
    }

    /// Sends one attempt now, passes its progress and ledger entry to `notify`, and reports its result to the
    /// pacer. `attempt` and `waited` are recorded in the entry. If the future is dropped, the entry is that
    /// of a cancelled attempt.
    async fn send_once(
        &self,
        request: &Request,
        attempt: u32,
        waited: Duration,
        notify: &mut impl FnMut(Progress),
    ) -> Result<Reply, ApiError> {
        notify(Progress::Sent { attempt });
        let mut blank = self.client.blank(request);
        blank.attempt = attempt;
        blank.waited = waited;
        let trace = Trace {
            notify,
            given_up: Some(Box::new(blank)),
            started: Instant::now(),
        };
        let on_part = |received| (trace.notify)(Progress::Received(received));
        let Outcome { result, mut record } = self.client.call_with_progress(request, on_part).await;
        // Before the entry is passed on: a receiver that sees the refusal must find its wait in the pacer.
        self.pacer().answered(request.operation(), self.now(), &result);
        record.attempt = attempt;
        record.waited = waited;
        trace.ended(record);
        result
    }

    /// Waits for the pause after `fault`, the error of the last attempt, if there is one, and then for the
    /// rate limit, and records in the pacer that a request is sent; returns the time waited. `notify`
    /// receives each wait, `attempt` is the number of the attempt that follows, from 1.
    async fn wait(
        &self,
        operation: Operation,
        attempt: u32,
        fault: Option<ApiError>,
        notify: &mut impl FnMut(Progress),
    ) -> Duration {
        let started = self.now();
        if let Some(error) = fault {
            // A 429 has put its wait into the pacer, so both are reported as one wait.
            let turn = self.pacer().ready_at(operation, started) - started;
            let span = seconds(turn.max(retry_pause(attempt)));
            notify(Progress::Waiting {
                attempt,
                span,
                why: Wait::Fault(error),
            });
            self.sleep(span).await;
        }
        loop {
            let now = self.now();
            let ready = {
                let mut pacer = self.pacer();
                let ready = pacer.ready_at(operation, now);
                if ready <= now {
                    pacer.sent(operation, now);
                    return seconds(now - started);
                }
                ready
            };
            let span = seconds(ready - now);
            notify(Progress::Waiting {
                attempt,
                span,
                why: Wait::Turn,
            });
            self.sleep(span).await;
        }
    }

    /// Sleeps for a span, or less if `forget_pacing` drops the learned intervals meanwhile.
    async fn sleep(&self, span: Duration) {
        tokio::select! {
            () = tokio::time::sleep(span) => {}
            () = self.relaxed.notified() => {}
        }
    }

    /// Locks the pacer that all calls of the session share.
    fn pacer(&self) -> MutexGuard<'_, Pacer> {
        // The pacer is consistent after every statement, so a poisoned lock is harmless.
        self.pacer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time since the session was created, as a time of its own clock.
    fn now(&self) -> MonotonicTime {
        MonotonicTime::after(self.started.elapsed())
    }
}

/// An attempt in flight.
///
/// Its entry is recorded even if the call is cancelled, because the request may have arrived.
struct Trace<'a, N: FnMut(Progress)> {
    notify: &'a mut N,
    given_up: Option<Box<LedgerEntry>>,
    started: Instant,
}

impl<N: FnMut(Progress)> Trace<'_, N> {
    /// Passes the ledger entry of a finished attempt on, so that none is recorded as cancelled.
    fn ended(mut self, record: LedgerEntry) {
        self.given_up = None;
        (self.notify)(Progress::Tried(Box::new(record)));
    }
}

impl<N: FnMut(Progress)> Drop for Trace<'_, N> {
    fn drop(&mut self) {
        if let Some(mut entry) = self.given_up.take() {
            entry.took = self.started.elapsed();
            entry.error = Some(CANCELLED.to_owned());
            (self.notify)(Progress::Tried(entry));
        }
    }
}

/// The pause before attempt `attempt` of a read, in seconds: random between 0.5 and half of 2 to the power of
/// `attempt`, at most 20, so that many clients do not retry together.
fn retry_pause(attempt: u32) -> f64 {
    let bound = (SHORTEST_PAUSE * f64::from(2_u32.saturating_pow(attempt))).min(LONGEST_PAUSE);
    SHORTEST_PAUSE + fastrand::f64() * (bound - SHORTEST_PAUSE)
}

/// Seconds as a duration, rounded up to a millisecond; zero for a negative number or one too large.
fn seconds(span: f64) -> Duration {
    // Rounded up to a millisecond, so that a timer does not fire just too early.
    Duration::try_from_secs_f64((span.max(0.0) * 1000.0).ceil() / 1000.0).unwrap_or_default()
}

//! Runs a plan: supplies the domain's schedule with the clock and the requests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;

use super::show::progress;
use crate::api::attempt::{completion, route_call, send_on, with_call};
use crate::api::client::current_time;
use crate::api::{Progress, Request, RouteCall, Secret, Session, redact};
use crate::cli::output::{CliError, ProgressLine};
use crate::cli::sandbox::Stop;
use crate::domain::Untrusted;
use crate::domain::routing::{Completion, Hop, Jitter, Outcome, RoutePlan, Run, words};
use crate::domain::time::MonotonicTime;

/// The interval between updates of the progress line.
///
/// More often would only flicker, and cost time that is measured.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

/// The end of an attempt.
pub enum Answer {
    /// The reply of the router as received.
    Reply(Untrusted),
    /// The reason of any failed attempt: refused, timed out, invalid or failed otherwise.
    Failed(String),
}

/// A finished run, with facts that its figures leave out.
pub struct Ended {
    pub run: Run,
    /// When it ended, on the run's clock.
    pub at: MonotonicTime,
    /// The latest status reply, as JSON text.
    pub status: Option<Untrusted>,
    pub failures: BTreeMap<String, u64>,
    /// Assignments that did not echo their request.
    pub mismatched: u64,
    /// The end of every attempt by its number; `None` unless they are printed.
    pub replies: Option<BTreeMap<u64, Answer>>,
    /// The requests of the warm-up before it.
    pub warmup: u64,
}

/// A finished attempt; times are on the run's clock.
struct Answered {
    index: u64,
    sent: MonotonicTime,
    ended: MonotonicTime,
    completion: Completion,
}

/// Runs the plan of a route run until it ends; stores every reply if `keep_replies`, and sends `key` with
/// the requests if given.
///
/// A signal stops it at once and cancels requests in flight; so does a key that is refused repeatedly.
pub async fn run(
    session: &Session,
    plan: RoutePlan,
    key: Option<Secret>,
    keep_replies: bool,
) -> Result<Ended, CliError> {
    let mut stop = Stop::new()?;
    let mut line = ProgressLine::new();
    let started = Instant::now();
    let now = || MonotonicTime::after(started.elapsed());
    let mut ended = Ended::start(plan, now(), keep_replies)?;
    let mut underway = FuturesUnordered::new();
    let mut shown = started;
    loop {
        for attempt in ended.run.step(now()) {
            let call = route_call(ended.run.plan(), attempt.cost, attempt.request_idx, key.clone());
            let hop = ended.run.plan().hop.clone();
            underway.push(send(session, call, hop, attempt.index, started));
        }
        if ended.run.is_over() {
            break;
        }
        let wake = ended
            .run
            .wake()
            .map(|wake| started + Duration::try_from_secs_f64(wake.seconds()).unwrap_or_default());
        let next_line = shown + SHOWN_EVERY;
        tokio::select! {
            biased;
            () = stop.wait() => {
                ended.run.stop(now());
                break;
            }
            Some(answered) = underway.next() => {
                ended.take(answered);
                if ended.run.is_refused() {
                    ended.run.stop(now());
                    break;
                }
            }
            () = tokio::time::sleep_until(wake.unwrap_or(next_line)), if wake.is_some() => {}
            () = tokio::time::sleep_until(next_line) => {}
        }
        if shown.elapsed() >= SHOWN_EVERY {
            shown = Instant::now();
            line.show(&progress(&ended.run, now()));
        }
    }
    ended.at = now();
    // Cancels the requests in flight before anything is printed.
    drop(underway);
    Ok(ended)
}

/// Sends the attempt `index` of a route run: requests a worker, and forwards the request to it if there is a
/// `hop`.
///
/// The times of the result are on the clock that began at `started`.
async fn send(session: &Session, call: RouteCall, hop: Option<Arc<Hop>>, index: u64, started: Instant) -> Answered {
    let request = Request::Route(call);
    let mut bytes = 0;
    let sent = MonotonicTime::after(started.elapsed());
    let result = session
        .run(&request, |progress| {
            if let Progress::Tried(entry) = progress {
                bytes = u64::try_from(entry.bytes_received).unwrap_or(u64::MAX);
            }
        })
        .await;
    let called = send_on(session.workers(), hop.as_deref(), &result).await;
    Answered {
        index,
        sent,
        ended: MonotonicTime::after(started.elapsed()),
        completion: with_call(completion(result, bytes), called),
    }
}

impl Ended {
    /// A route run that starts `now`, on its own clock; a usage error for an invalid plan. Replies are
    /// stored only if `keep_replies`.
    fn start(plan: RoutePlan, now: MonotonicTime, keep_replies: bool) -> Result<Self, CliError> {
        let run = Run::start(plan, now, current_time()).map_err(|objections| {
            let words: Vec<_> = objections.into_iter().map(|objection| objection.message).collect();
            CliError::Usage(words.join("; "))
        })?;
        Ok(Self {
            run,
            at: MonotonicTime::default(),
            status: None,
            failures: BTreeMap::new(),
            mismatched: 0,
            replies: keep_replies.then(BTreeMap::new),
            warmup: 0,
        })
    }

    /// Adds a finished attempt to the route run and to its replies (if stored), failures and mismatches.
    fn take(&mut self, answered: Answered) {
        let Answered {
            index,
            sent,
            ended,
            completion,
        } = answered;
        if let (Some(replies), Some(reply), Outcome::Assigned { .. } | Outcome::Waiting { .. }) =
            (&mut self.replies, &completion.reply, &completion.outcome)
        {
            replies.insert(index, Answer::Reply(reply.clone()));
        }
        match (&completion.outcome, &completion.reply) {
            (Outcome::Waiting { .. }, Some(reply)) => {
                self.status = Some(Untrusted::from(redact::without_possible_secrets(reply.unescaped())));
            }
            (Outcome::Waiting { .. } | Outcome::Cancelled, _) => {}
            (Outcome::Assigned { echoed, .. }, _) => {
                self.mismatched += u64::from(!echoed);
                let trouble = completion.call.as_ref().and_then(words::failure_reason);
                if let Some(words) = trouble {
                    *self.failures.entry(words).or_default() += 1;
                }
            }
            (outcome, reply) => {
                let words = reply
                    .as_ref()
                    .map_or_else(|| outcome.detail().screen(400), |words| words.screen(400));
                if let Some(replies) = &mut self.replies {
                    replies.insert(index, Answer::Failed(words.clone()));
                }
                *self.failures.entry(words).or_default() += 1;
            }
        }
        self.run.sent_at(index, sent);
        let jitter = Jitter {
            ceiling: fastrand::f64(),
            wait: fastrand::f64(),
        };
        self.run.complete(index, ended, completion, jitter);
    }
}

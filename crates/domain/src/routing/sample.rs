//! One finished attempt.

use std::time::Duration;

use serde_json::Value as Json;

use super::hop::{Retry, WorkerCall};
use crate::secrets::{is_secret_name, remove_secrets, without_members};
use crate::text::Untrusted;

/// The maximum length of a status reply or error message in a sample, in characters.
const KEPT: usize = 400;

/// The longest wait accepted from a server's `Retry-After`; longer ones are cut to it.
pub const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// The suffix of a server's wait in seconds: ` or more` from five minutes on, to which longer ones are cut;
/// else empty.
pub fn or_more(wait: f64) -> &'static str {
    if wait >= LONGEST_WAIT.as_secs_f64() {
        " or more"
    } else {
        ""
    }
}

/// The outcome of an attempt, without details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OutcomeKind {
    Assigned,
    /// A status reply: no worker yet.
    Waiting,
    RateLimited,
    /// The key was refused (401 and its like).
    Refused,
    /// The request was rejected, the server failed, or there was no connection.
    Failed,
    /// A good status with an unusable body.
    Garbage,
    TimedOut,
    Cancelled,
}

impl OutcomeKind {
    /// All eight outcomes in display order.
    pub const ALL: [Self; 8] = [
        Self::Assigned,
        Self::Waiting,
        Self::RateLimited,
        Self::Refused,
        Self::Failed,
        Self::Garbage,
        Self::TimedOut,
        Self::Cancelled,
    ];

    /// The name on screen and in exports, in lower case: `rate limited`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Assigned => "assigned",
            Self::Waiting => "waiting",
            Self::RateLimited => "rate limited",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Garbage => "garbage",
            Self::TimedOut => "timed out",
            Self::Cancelled => "cancelled",
        }
    }

    /// The position of the outcome in `ALL`, for arrays of counts.
    pub(super) const fn index(self) -> usize {
        self as usize
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Assigned {
        worker: Untrusted,
        /// The number of the request at this worker; `None` if the reply has none.
        reqnum: Option<i64>,
        /// Whether the reply echoes endpoint and cost as sent.
        echoed: bool,
    },
    /// A status reply: no worker yet.
    Waiting {
        /// The status, shortened.
        status: Untrusted,
    },
    RateLimited {
        /// The wait in seconds requested by the server; `None` if it requested none.
        wait: Option<f64>,
    },
    Refused {
        status: u16,
    },
    /// The request was rejected, the server failed, or there was no connection.
    Failed {
        words: Untrusted,
        /// Whether the server certainly did not accept it: it rejected the request, or never received it.
        is_rejected: bool,
    },
    /// A good status with an unusable body.
    Garbage {
        words: Untrusted,
    },
    TimedOut,
    Cancelled,
}

impl Outcome {
    /// The outcome of a routing attempt with a status reply: its `status` member, else the whole reply
    /// without secrets, at most 400 characters. `json` can have any shape.
    pub fn waiting(json: &str) -> Self {
        Self::Waiting {
            status: Untrusted::from(status_words(json)),
        }
    }

    /// The outcome of a routing attempt that failed although the server may have accepted it, so that its
    /// load counts; `words` is the error, cut to 400 characters.
    pub fn failed(words: &str) -> Self {
        Self::Failed {
            words: Untrusted::from(cut(words)),
            is_rejected: false,
        }
    }

    /// The outcome of a routing attempt that the server certainly did not accept, so that its load does not
    /// count; `words` is the error, cut to 400 characters.
    pub fn rejected(words: &str) -> Self {
        Self::Failed {
            words: Untrusted::from(cut(words)),
            is_rejected: true,
        }
    }

    /// Whether the endpoint counts, or may count, the load of the request: not if it was rate limited, or the
    /// key or the request was certainly rejected.
    ///
    /// A lost response does not rule it out.
    pub const fn injects_load(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Refused { .. } => false,
            Self::Failed { is_rejected, .. } => !*is_rejected,
            Self::Assigned { .. } | Self::Waiting { .. } | Self::Garbage { .. } | Self::TimedOut | Self::Cancelled => {
                true
            }
        }
    }

    /// The outcome of a routing attempt with a good status and an unusable body; `words` is the reason, cut
    /// to 400 characters.
    pub fn garbage(words: &str) -> Self {
        Self::Garbage {
            words: Untrusted::from(cut(words)),
        }
    }

    /// The outcome without its details.
    pub const fn kind(&self) -> OutcomeKind {
        match self {
            Self::Assigned { .. } => OutcomeKind::Assigned,
            Self::Waiting { .. } => OutcomeKind::Waiting,
            Self::RateLimited { .. } => OutcomeKind::RateLimited,
            Self::Refused { .. } => OutcomeKind::Refused,
            Self::Failed { .. } => OutcomeKind::Failed,
            Self::Garbage { .. } => OutcomeKind::Garbage,
            Self::TimedOut => OutcomeKind::TimedOut,
            Self::Cancelled => OutcomeKind::Cancelled,
        }
    }

    /// The address of the assigned worker; `None` if none was assigned.
    pub const fn worker(&self) -> Option<&Untrusted> {
        match self {
            Self::Assigned { worker, .. } => Some(worker),
            _ => None,
        }
    }

    /// The number of the request at the worker; `None` if it has none.
    pub const fn reqnum(&self) -> Option<i64> {
        match self {
            Self::Assigned { reqnum, .. } => *reqnum,
            _ => None,
        }
    }

    /// The status reply, the error, the requested wait or the refusal's status; for an assignment only the
    /// note that endpoint or cost was not echoed. Else empty.
    pub fn detail(&self) -> Untrusted {
        match self {
            Self::Waiting { status } => status.clone(),
            Self::Failed { words, .. } | Self::Garbage { words } => words.clone(),
            Self::RateLimited { wait: Some(wait) } => {
                let more = or_more(*wait);
                Untrusted::from(format!("asked to wait {wait} s{more}"))
            }
            Self::Refused { status } => Untrusted::from(format!("status {status}")),
            Self::Assigned { echoed: false, .. } => Untrusted::from("endpoint or cost not echoed as sent"),
            _ => Untrusted::default(),
        }
    }
}

/// One finished attempt. Times are in seconds since the run began, in whole microseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteSample {
    /// The index in the run, from 0, in the order sent.
    pub index: u64,
    /// The index of its request in the run, from 0, which a request and its polls share.
    pub request: u64,
    /// The number of the poll of its request, from 1; 0 for a new request.
    pub poll: u32,
    /// The reason its request was routed again; `None` if it is not a retry.
    pub retry: Option<Retry>,
    /// The time its request was first due, or routed again if it is a retry.
    pub asked: f64,
    /// The time its request was first due, including retries.
    pub first: f64,
    /// Load estimate sent with it.
    pub cost: f64,
    /// The request index sent to the router, 0 for a new request; `None` on a market without a queue.
    pub request_idx: Option<u64>,
    pub intended: f64,
    pub sent: f64,
    pub ended: f64,
    pub outcome: Outcome,
    /// Bytes of the response body.
    pub bytes: u64,
    /// The id assigned to the request by the server (`__request_id`).
    pub request_id: Option<Untrusted>,
    /// The call of the worker, which began when this attempt ended; `None` unless the run sends requests on.
    pub call: Option<Box<WorkerCall>>,
}

impl RouteSample {
    /// The displayed number of the attempt in its run, from 1.
    ///
    /// Servers count requests from 1 too, since 0 asks for a new number.
    pub const fn number(&self) -> u64 {
        self.index + 1
    }

    /// Seconds from its due time until the router's reply or its failure; never negative.
    pub fn latency(&self) -> f64 {
        micros(self.ended - self.intended).max(0.0)
    }

    /// Seconds from the time its request was first due, or was retried, until it got a worker, including
    /// polls; `None` without a worker.
    pub fn time_to_worker(&self) -> Option<f64> {
        self.outcome.worker().map(|_| micros(self.ended - self.asked).max(0.0))
    }

    /// Seconds from the time its request was first due to the last byte of the worker, including retries; `None` if no
    /// worker was called.
    pub fn total(&self) -> Option<f64> {
        let call = self.call.as_deref()?;
        Some(micros(self.ended + call.total - self.first).max(0.0))
    }

    /// The load that it added to the endpoint: 0 if the router certainly did not accept it, or if it repeated
    /// the index of its request.
    pub const fn load(&self) -> f64 {
        match self.request_idx {
            None | Some(0) if self.outcome.injects_load() => self.cost,
            _ => 0.0,
        }
    }

    /// Whether number, outcome, worker, request number, id and details of the attempt together contain every
    /// blank-separated word of `filter`, in any case; true for an empty one.
    pub fn matches(&self, filter: &str) -> bool {
        let detail = self.outcome.detail();
        let row = format!(
            "{} {} {} {} {} {}",
            self.number(),
            self.outcome.kind().label(),
            self.outcome.worker().map_or("", Untrusted::unescaped),
            self.outcome
                .reqnum()
                .map_or_else(String::new, |reqnum| reqnum.to_string()),
            self.request_id.as_ref().map_or("", Untrusted::unescaped),
            detail.unescaped(),
        )
        .to_lowercase();
        filter.split_whitespace().all(|word| row.contains(&word.to_lowercase()))
    }
}

/// Rounds seconds to whole microseconds, so that exported times are short and exact.
pub(super) fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// The first 400 characters of a text.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(KEPT).collect()
}

/// The first 400 characters of a status reply: of its `status` text if it has one, else of its JSON without
/// the members that may hold secrets. In text that is not valid JSON the values of such members are removed.
fn status_words(json: &str) -> String {
    let Ok(mut reply) = serde_json::from_str::<Json>(json) else {
        return cut(&without_members(json, is_secret_name));
    };
    if let Some(Json::String(status)) = reply.get("status") {
        return cut(status);
    }
    remove_secrets(&mut reply);
    cut(&reply.to_string())
}

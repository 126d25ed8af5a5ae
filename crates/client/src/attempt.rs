//! Converts an attempt to a request to the routing endpoint, and the response to its result.

use bourse_domain::Untrusted;
use bourse_domain::routing::{Completion, Hop, Outcome, RoutePlan};

use super::{ApiError, Assignment, Called, QueuePlace, Reply, RouteCall, RouteReply, Secret, WorkerClient};

/// The maximum length of a status reply that is searched for the request's id and index, in bytes.
///
/// Thousands of attempts run through here; a documented status has some hundred bytes.
const SEARCHED: usize = 64 * 1024;

/// The route request of an attempt of `plan`, with its load estimate (`cost`). If the plan has a replay
/// timeout, the request has a place in the router's queue with index `request_idx`, or 0 if `None`; else it
/// has no place. `key` replaces the profile's key, unless it is `None`.
pub fn route_call(plan: &RoutePlan, cost: f64, request_idx: Option<u64>, key: Option<Secret>) -> RouteCall {
    let place = plan.replay_timeout.map(|replay_timeout| QueuePlace {
        request_idx: request_idx.unwrap_or(0),
        replay_timeout,
    });
    RouteCall {
        endpoint: plan.endpoint.clone(),
        cost,
        key,
        place,
    }
}

/// The result of a routing attempt from its response of `bytes` bytes, or its error. An error is classified
/// as in the figures of the run, with its message as the stored reply; the reply to another operation is
/// garbage, and is not stored.
pub fn completion(result: Result<Reply, ApiError>, bytes: u64) -> Completion {
    match result {
        Ok(Reply::Routed(RouteReply::Assigned(assignment))) => assigned(assignment, bytes),
        Ok(Reply::Routed(RouteReply::Waiting { json })) => {
            let (request_id, request_idx) = request_identity(&json);
            Completion {
                outcome: Outcome::waiting(json.unescaped()),
                bytes,
                request_id,
                request_idx,
                reply: Some(json),
                call: None,
                answer: None,
            }
        }
        Ok(_) => Completion {
            bytes,
            ..Completion::without_answer(Outcome::garbage("not a route reply"))
        },
        Err(error) => Completion {
            outcome: outcome_of_error(&error),
            bytes,
            request_id: None,
            request_idx: None,
            reply: Some(Untrusted::from(error.to_string())),
            call: None,
            answer: None,
        },
    }
}

/// The result of a routing attempt that was assigned a worker, before the worker is called; `bytes` is the
/// size of the reply.
fn assigned(assignment: Assignment, bytes: u64) -> Completion {
    Completion {
        outcome: Outcome::Assigned {
            worker: assignment.url,
            reqnum: assignment.reqnum,
            echoed: assignment.mismatches.is_empty(),
        },
        bytes,
        request_idx: assignment.request_idx,
        request_id: assignment.request_id,
        reply: Some(assignment.json),
        call: None,
        answer: None,
    }
}

/// The result of a routing attempt with the call of the worker that followed; unchanged if there was none.
#[must_use]
pub fn with_call(completion: Completion, called: Option<Called>) -> Completion {
    let Some(Called { call, answer }) = called else {
        return completion;
    };
    Completion {
        call: Some(call),
        answer: Some(answer),
        ..completion
    }
}

/// Sends the request of a plan on to the worker that `result` assigns; `None` if it assigns none, or the plan
/// sends nothing on (`hop` is `None`).
pub async fn send_on(workers: &WorkerClient, hop: Option<&Hop>, result: &Result<Reply, ApiError>) -> Option<Called> {
    let Ok(Reply::Routed(RouteReply::Assigned(assignment))) = result else {
        return None;
    };
    Some(workers.send(&assignment.url, &assignment.json, hop?).await)
}

/// The outcome of a routing attempt that ended in an error: rate limited, with the seconds to wait if the
/// server named them; the key refused; timed out; an unusable or too large body; rejected or never received
/// by the server; or else failed.
fn outcome_of_error(error: &ApiError) -> Outcome {
    match error {
        ApiError::RateLimited {
            threshold, retry_after, ..
        } => Outcome::RateLimited {
            wait: retry_after.map(|span| span.as_secs_f64()).or(*threshold),
        },
        ApiError::Refused { status, .. } | ApiError::NoKey { status, .. } => Outcome::Refused { status: *status },
        ApiError::NotPermitted { .. } => Outcome::Refused { status: 403 },
        ApiError::TimedOut { .. } => Outcome::TimedOut,
        ApiError::Html { .. }
        | ApiError::Unreadable { .. }
        | ApiError::Empty { .. }
        | ApiError::Cut { .. }
        | ApiError::TooLarge { .. }
        | ApiError::TooManyRecords { .. } => Outcome::garbage(&error.to_string()),
        // The server rejected it, or never received it.
        ApiError::Misconfigured(_)
        | ApiError::NotConnected { .. }
        | ApiError::Redirected { .. }
        | ApiError::Invalid { .. }
        | ApiError::QuotaExceeded { .. }
        | ApiError::NotOffered
        | ApiError::Failure { .. }
        | ApiError::RouteRefused { .. } => Outcome::rejected(&error.to_string()),
        ApiError::Lost | ApiError::Server { .. } => Outcome::failed(&error.to_string()),
    }
}

/// The id (a string or a number) and the queue index (a whole number) in the status reply to a waiting
/// request, each `None` if the reply lacks it; both are if the reply is longer than 64 KB or not JSON.
fn request_identity(json: &Untrusted) -> (Option<Untrusted>, Option<u64>) {
    let text = json.unescaped();
    if text.len() > SEARCHED {
        return (None, None);
    }
    let Ok(reply) = serde_json::from_str::<serde_json::Value>(text) else {
        return (None, None);
    };
    let id = match reply.get("__request_id") {
        Some(serde_json::Value::String(id)) => Some(Untrusted::from(id.as_str())),
        Some(serde_json::Value::Number(id)) => Some(Untrusted::from(id.to_string())),
        _ => None,
    };
    (id, reply.get("request_idx").and_then(serde_json::Value::as_u64))
}

//! Turns the response of the routing endpoint into the result of an attempt.

use bourse_domain::Untrusted;
use bourse_domain::routing::{Completion, Outcome};

use super::{ApiError, Assignment, Reply, RouteReply};

// Thousands of attempts run through here; a documented status has some hundred bytes.
/// The longest status reply that is searched for the request's id, in bytes.
const SEARCHED: usize = 64 * 1024;

/// The result of an attempt with a response of `bytes` bytes, or an error. Failures are classified
/// as in the figures; their full text is kept beside them.
pub fn completion(result: Result<Reply, ApiError>, bytes: u64) -> Completion {
    match result {
        Ok(Reply::Routed(RouteReply::Assigned(assignment))) => assigned(assignment, bytes),
        Ok(Reply::Routed(RouteReply::Waiting { json })) => Completion {
            outcome: Outcome::waiting(json.compared()),
            bytes,
            request_id: request_id(&json),
            reply: Some(json),
        },
        Ok(_) => Completion {
            bytes,
            ..Completion::without_answer(Outcome::garbage("not a route reply"))
        },
        Err(error) => Completion {
            outcome: failure(&error),
            bytes,
            request_id: None,
            reply: Some(Untrusted::from(error.to_string())),
        },
    }
}

fn assigned(assignment: Assignment, bytes: u64) -> Completion {
    Completion {
        outcome: Outcome::Assigned {
            worker: assignment.url,
            reqnum: assignment.reqnum,
            echoed: assignment.mismatches.is_empty(),
        },
        bytes,
        request_id: assignment.request_id,
        reply: Some(assignment.json),
    }
}

fn failure(error: &ApiError) -> Outcome {
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
        // The server did not accept it, or never got it.
        ApiError::Misconfigured(_)
        | ApiError::NotConnected { .. }
        | ApiError::Redirected { .. }
        | ApiError::Invalid { .. }
        | ApiError::QuotaExceeded { .. }
        | ApiError::NotOffered
        | ApiError::Failure { .. } => Outcome::rejected(&error.to_string()),
        ApiError::Lost | ApiError::Server { .. } => Outcome::failed(&error.to_string()),
    }
}

/// The id that the server gave a waiting request.
fn request_id(json: &Untrusted) -> Option<Untrusted> {
    let text = json.compared();
    if text.len() > SEARCHED {
        return None;
    }
    let reply: serde_json::Value = serde_json::from_str(text).ok()?;
    match reply.get("__request_id")? {
        serde_json::Value::String(id) => Some(Untrusted::from(id.as_str())),
        serde_json::Value::Number(id) => Some(Untrusted::from(id.to_string())),
        _ => None,
    }
}

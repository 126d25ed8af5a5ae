//! Faults of workers: the statuses of the market's own workers, and a stream that breaks off.

use axum::body::Bytes;
use axum::http::{Response, StatusCode};

use super::context::{FaultContext, FaultOutput, typed};

/// A simulated fault of a worker that responds with this status and no body.
fn empty(status: StatusCode) -> FaultOutput {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    FaultOutput::Response(response)
}

/// A simulated fault of a worker that responds with this status and JSON, in the content type of workers.
fn json(status: StatusCode, body: &'static str) -> FaultOutput {
    FaultOutput::Response(typed(status, "application/json; charset=utf-8", body))
}

/// Simulates a fault of a worker: responds with 422, at random as if a member of `auth_data` were missing, or
/// the body were not JSON.
pub fn incomplete(cx: &mut FaultContext<'_>) -> FaultOutput {
    let missing = r#"{"auth_data": {"signature": "missing parameter"}}"#;
    let body = cx.pick(&[missing, r#"{"error": "invalid JSON"}"#], missing);
    json(StatusCode::UNPROCESSABLE_ENTITY, body)
}

/// Simulates a fault of a worker: responds with 401 without a body, as if the signature were wrong.
pub fn unsigned(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::UNAUTHORIZED)
}

/// Simulates a fault of a worker: responds with 429 without a body, as if its queue were too long.
pub fn queue_full(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::TOO_MANY_REQUESTS)
}

/// Simulates a fault of a worker: responds with 410, as if the session were over.
pub fn session_over(_: &mut FaultContext<'_>) -> FaultOutput {
    json(StatusCode::GONE, r#"{"error": "invalid session"}"#)
}

/// Simulates a fault of a worker: responds with 500 without a body, as if the call to the model had failed.
pub fn model_failed(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Simulates a fault of a worker: sends the first half of its response, under its own status, and breaks the
/// connection.
pub fn cut(cx: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Cut(cx.reply.clone())
}

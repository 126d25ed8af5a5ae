//! Faults of workers: the statuses of the market's own workers, and a stream that breaks off.

use axum::body::Bytes;
use axum::http::{Response, StatusCode};

use super::context::{FaultContext, FaultOutput, typed};

/// A response with this status and no body.
fn empty(status: StatusCode) -> FaultOutput {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    FaultOutput::Response(response)
}

/// A JSON response with this status, in the content type of workers.
fn json(status: StatusCode, body: &'static str) -> FaultOutput {
    FaultOutput::Response(typed(status, "application/json; charset=utf-8", body))
}

/// Responds with 422: a member of `auth_data` is missing, or the body is not JSON.
pub fn incomplete(cx: &mut FaultContext<'_>) -> FaultOutput {
    let missing = r#"{"auth_data": {"signature": "missing parameter"}}"#;
    let body = cx.pick(&[missing, r#"{"error": "invalid JSON"}"#], missing);
    json(StatusCode::UNPROCESSABLE_ENTITY, body)
}

/// Responds with 401 without a body, as if the signature were wrong.
pub fn unsigned(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::UNAUTHORIZED)
}

/// Responds with 429 without a body, as if the worker's queue were too long.
pub fn queue_full(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::TOO_MANY_REQUESTS)
}

/// Responds with 410, as if the session were over.
pub fn session_over(_: &mut FaultContext<'_>) -> FaultOutput {
    json(StatusCode::GONE, r#"{"error": "invalid session"}"#)
}

/// Responds with 500 without a body, as if the call to the model had failed.
pub fn model_failed(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Sends the first half of the response, under its own status, and breaks the connection.
pub fn cut(cx: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Cut(cx.reply.clone())
}

//! Faults of workers: the statuses of the market's own workers, and a stream that breaks off.

use axum::body::Bytes;
use axum::http::{Response, StatusCode};

use super::context::{FaultContext, FaultOutput, typed};

fn empty(status: StatusCode) -> FaultOutput {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = status;
    FaultOutput::Response(response)
}

fn json(status: StatusCode, body: &'static str) -> FaultOutput {
    FaultOutput::Response(typed(status, "application/json; charset=utf-8", body))
}

pub fn incomplete(cx: &mut FaultContext<'_>) -> FaultOutput {
    let missing = r#"{"auth_data": {"signature": "missing parameter"}}"#;
    let body = cx.pick(&[missing, r#"{"error": "invalid JSON"}"#], missing);
    json(StatusCode::UNPROCESSABLE_ENTITY, body)
}

pub fn unsigned(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::UNAUTHORIZED)
}

pub fn queue_full(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::TOO_MANY_REQUESTS)
}

pub fn session_over(_: &mut FaultContext<'_>) -> FaultOutput {
    json(StatusCode::GONE, r#"{"error": "invalid session"}"#)
}

pub fn model_failed(_: &mut FaultContext<'_>) -> FaultOutput {
    empty(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Sends half of the response, under its own status.
pub fn cut(cx: &mut FaultContext<'_>) -> FaultOutput {
    FaultOutput::Cut(cx.reply.clone())
}

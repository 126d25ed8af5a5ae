//! Scripts for connections, to send responses that no HTTP server sends.

use std::collections::VecDeque;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::Response;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Send(Bytes),
    /// Writes bytes one by one with a pause after each.
    Dribble(Bytes, Duration),
    Pause(Duration),
    /// Closes the connection with a FIN.
    Close,
    /// Closes the connection with an RST.
    Reset,
}

/// A sequence of steps in place of a response. Without [`Step::Close`] or [`Step::Reset`] the connection stays open for
/// the next request.
pub type Script = VecDeque<Step>;

/// The head of a response as bytes, up to the blank line, with the length of its whole body.
pub fn head(response: &Response<Bytes>) -> Bytes {
    let (status, length) = (response.status(), response.body().len());
    let reason = status.canonical_reason().unwrap_or_default();
    let line = format!("HTTP/1.1 {} {reason}\r\ncontent-length: {length}\r\n", status.as_u16());
    let mut bytes = line.into_bytes();
    for (name, value) in response.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.into()
}

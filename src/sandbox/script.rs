//! Scripts of what a connection sends, for responses that no HTTP server sends.

use std::collections::VecDeque;
use std::fmt::Write as _;
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

/// Replaces a response. Without [`Step::Close`] or [`Step::Reset`] the connection stays open for the
/// next request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script(pub VecDeque<Step>);

impl Script {
    #[must_use]
    pub fn send(mut self, bytes: impl Into<Bytes>) -> Self {
        self.0.push_back(Step::Send(bytes.into()));
        self
    }

    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.0.push_back(step);
        self
    }
}

/// The head of a response, with the length of its whole body.
pub fn head(response: &Response<Bytes>) -> Vec<u8> {
    let mut text = String::new();
    let status = response.status();
    let _ = write!(
        text,
        "HTTP/1.1 {} {}\r\n",
        status.as_u16(),
        status.canonical_reason().unwrap_or_default()
    );
    let _ = write!(text, "content-length: {}\r\n", response.body().len());
    let mut bytes = text.into_bytes();
    for (name, value) in response.headers() {
        bytes.extend_from_slice(name.as_str().as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"\r\n");
    bytes
}

//! What goes over a connection byte by byte, for answers that no HTTP server would send.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::Response;

/// One step of what a connection does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Writes bytes, as one segment where the network allows.
    Send(Bytes),
    /// Writes bytes one by one with a pause behind each.
    Dribble(Bytes, Duration),
    /// Does nothing for a while.
    Pause(Duration),
    /// Ends the connection in good order.
    Close,
    /// Breaks the connection: the caller sees a reset.
    Reset,
}

/// What a connection does in place of sending an answer. A script without [`Step::Close`] or
/// [`Step::Reset`] leaves the connection open for the next request.
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

/// How a head tells where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Length,
    Chunked,
    /// The end of the connection is the end of the body.
    Closed,
}

/// The head of an answer as bytes.
pub fn head(response: &Response<Bytes>, framing: Framing) -> Vec<u8> {
    let mut text = String::new();
    let status = response.status();
    let _ = write!(
        text,
        "HTTP/1.1 {} {}\r\n",
        status.as_u16(),
        status.canonical_reason().unwrap_or_default()
    );
    let _ = match framing {
        Framing::Length => write!(text, "content-length: {}\r\n", response.body().len()),
        Framing::Chunked => write!(text, "transfer-encoding: chunked\r\n"),
        Framing::Closed => write!(text, "connection: close\r\n"),
    };
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

/// An answer as bytes, head and body.
pub fn whole(response: &Response<Bytes>) -> Vec<u8> {
    let mut bytes = head(response, Framing::Length);
    bytes.extend_from_slice(response.body());
    bytes
}

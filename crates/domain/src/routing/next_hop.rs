//! The next hop: the body of the request for the assigned worker.

use std::ops::Range;

use serde_json::value::RawValue;

/// The longest path at a worker, in bytes.
const LONGEST_PATH: usize = 1000;

/// A mistake in a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct PayloadError {
    pub message: String,
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The range of the mistake, in bytes of the payload; empty if something is missing.
    pub span: Range<usize>,
}

/// Checks that the payload for a worker is one valid JSON value of any type; the error has the position of
/// the mistake. An empty one is an error.
pub fn check_payload(payload: &str) -> Result<(), PayloadError> {
    raw(payload).map(|_| ())
}

/// Checks that a text, without surrounding blanks, is a path at a worker.
///
/// # Errors
/// If it is empty, longer than 1,000 bytes, a whole address (`://`), or has blanks, a fragment, or anything
/// but printable ASCII; the error is the reason.
pub fn check_path(path: &str) -> Result<(), &'static str> {
    let path = path.trim();
    if path.is_empty() {
        return Err("enter a path at the worker, such as /v1/completions");
    }
    if path.len() > LONGEST_PATH {
        return Err("must be at most 1,000 characters");
    }
    if path.contains("://") {
        return Err("must be a path such as /v1/completions: the router chooses the worker");
    }
    path.bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#')
        .then_some(())
        .ok_or("must have no blanks, `#` or special characters")
}

/// The body of the request to the worker: the assignment `reply` with every character unchanged as
/// `auth_data` (workers check its signature), and the payload as typed. Both are JSON text; an error if
/// either is not valid.
pub fn next_hop_body(reply: &str, payload: &str) -> Result<String, PayloadError> {
    let payload = raw(payload)?;
    let reply = raw(reply)?;
    Ok(format!(
        r#"{{"auth_data": {}, "session_id": null, "payload": {}}}"#,
        reply.get(),
        payload.get()
    ))
}

/// Parses a text as one JSON value and returns it as written; the error has the position of the mistake. An
/// empty text is an error.
fn raw(text: &str) -> Result<&RawValue, PayloadError> {
    if text.trim().is_empty() {
        let end = text.len();
        return Err(located(text, end, "write the payload as JSON".to_owned()));
    }
    serde_json::from_str(text).map_err(|error| {
        let at = offset(text, error.line(), error.column());
        located(text, at, message_without_position(&error.to_string()))
    })
}

/// Converts the parser's position, a line and a column in bytes, to a byte offset.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// An error at a byte offset: its line and column in characters, from 1, and the range of the character
/// there.
fn located(text: &str, at: usize, message: String) -> PayloadError {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let width = text[at..].chars().next().map_or(0, char::len_utf8);
    PayloadError {
        message,
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        span: at..at + width,
    }
}

/// The parser's message without its position, which counts bytes, and with `EOF` spelled out.
fn message_without_position(message: &str) -> String {
    message
        .split(" at line ")
        .next()
        .unwrap_or(message)
        .replace("EOF", "unexpected end")
}

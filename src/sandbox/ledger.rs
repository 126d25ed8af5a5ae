//! What the sandbox was asked and what it did, for tests and for people who look into it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::call::Call;
use super::faults::Fault;

/// Requests that are remembered; older ones are forgotten.
const KEPT: usize = 1_000;
/// Bytes that all of them may take.
const KEPT_BYTES: usize = 16 * 1024 * 1024;
/// How much of one body is remembered.
const BODY_KEPT: usize = 64 * 1024;
/// How much of one header's text is remembered.
const HEADER_KEPT: usize = 1024;
/// Commits and strikes that are remembered.
const EVENTS_KEPT: usize = 10_000;

/// Which key a request carried. The key itself is never kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    None,
    Account,
    /// Any other key: that of an endpoint or a workergroup, or an unknown one.
    Other,
}

#[derive(Debug, Clone)]
pub struct Entry {
    pub method: String,
    pub path: String,
    /// Names of the query parameters; values may be keys and are not kept.
    pub query: Vec<String>,
    /// All headers but `Authorization`, in their order; the text of odd ones is lossy, that of
    /// long ones is cut.
    pub headers: Vec<(String, String)>,
    pub credential: Credential,
    /// The body, byte by byte, up to 64 KiB. Empty when the request was refused unread.
    pub body: Bytes,
}

impl Entry {
    /// Bytes that it takes.
    fn weight(&self) -> usize {
        let pairs = self.headers.iter();
        let headers: usize = pairs.map(|(name, value)| name.len() + value.len()).sum();
        let query: usize = self.query.iter().map(String::len).sum();
        self.method.len() + self.path.len() + query + headers + self.body.len()
    }
}

/// Something that a request changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    pub call: Call,
    /// The id of what was made or unlisted; the number of a route assignment.
    pub id: u64,
    /// Whether it passes for the deed of another client of the account.
    pub is_foreign: bool,
}

/// A fault that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Struck {
    pub fault: &'static Fault,
    /// The operation; none when a connection was struck.
    pub call: Option<Call>,
    /// As in the header of the answer: it replays the fault.
    pub label: String,
}

/// What a running sandbox was asked and did, oldest first. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    entries: VecDeque<Entry>,
    /// Bytes of all entries.
    bytes: usize,
    commits: VecDeque<Commit>,
    strikes: VecDeque<Struck>,
}

impl Ledger {
    /// A copy of the requests that are remembered.
    pub fn entries(&self) -> Vec<Entry> {
        self.book().entries.iter().cloned().collect()
    }

    /// What the latest requests changed.
    pub fn commits(&self) -> Vec<Commit> {
        self.book().commits.iter().copied().collect()
    }

    /// The latest faults.
    pub fn strikes(&self) -> Vec<Struck> {
        self.book().strikes.iter().cloned().collect()
    }

    pub(super) fn record(&self, parts: &Parts, body: &Bytes, credential: Credential) {
        let entry = entry(parts, body, credential);
        let mut book = self.book();
        book.bytes += entry.weight();
        book.entries.push_back(entry);
        while book.entries.len() > KEPT || book.bytes > KEPT_BYTES {
            let Some(oldest) = book.entries.pop_front() else {
                break;
            };
            book.bytes -= oldest.weight();
        }
    }

    /// Remembers what a request changed.
    pub(super) fn commit(&self, commit: Commit) {
        push(&mut self.book().commits, commit);
    }

    /// Remembers a fault.
    pub(super) fn struck(&self, fault: &'static Fault, call: Option<Call>, label: String) {
        let struck = Struck { fault, call, label };
        push(&mut self.book().strikes, struck);
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push<T>(events: &mut VecDeque<T>, event: T) {
    if events.len() >= EVENTS_KEPT {
        events.pop_front();
    }
    events.push_back(event);
}

fn entry(parts: &Parts, body: &Bytes, credential: Credential) -> Entry {
    let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        let value = value.as_bytes();
        let text = String::from_utf8_lossy(&value[..value.len().min(HEADER_KEPT)]).into_owned();
        (name != AUTHORIZATION).then(|| (name.to_string(), text))
    };
    let query = parts.uri.query().unwrap_or_default();
    Entry {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: query
            .split('&')
            .filter_map(|pair| pair.split('=').next())
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        headers: parts.headers.iter().filter_map(header).collect(),
        credential,
        // A copy: a slice would keep the whole buffer alive.
        body: Bytes::copy_from_slice(&body[..body.len().min(BODY_KEPT)]),
    }
}

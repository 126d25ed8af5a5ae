//! The requests that the sandbox received, what they changed and which faults it injected, for tests
//! and for inspection.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::call::Call;
use super::faults::Fault;

// Tests and people read the latest requests; a route run sends thousands.
/// The maximum number of requests kept; older ones are dropped.
const KEPT: usize = 1_000;
/// The maximum size of all requests kept, in bytes.
const KEPT_BYTES: usize = 16 * 1024 * 1024;
// Searches have some hundred bytes.
/// How much of a body is kept, in bytes.
const BODY_KEPT: usize = 64 * 1024;
// A header of a client is short; what a hostile one sends must not fill the memory.
/// How much of a header's value is kept, in bytes.
const HEADER_KEPT: usize = 1024;
/// How many names of query parameters are kept.
const QUERY_KEPT: usize = 32;
/// The maximum number of commits, and of faults, kept.
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
    /// All headers except `Authorization`, in order; invalid UTF-8 is replaced, long values are cut.
    pub headers: Vec<(String, String)>,
    pub credential: Credential,
    /// The body, byte for byte, up to 64 KiB; empty if the request was rejected without reading it.
    pub body: Bytes,
}

impl Entry {
    /// Its approximate size in bytes.
    fn weight(&self) -> usize {
        let pairs = self.headers.iter();
        let headers: usize = pairs.map(|(name, value)| name.len() + value.len()).sum();
        let query: usize = self.query.iter().map(String::len).sum();
        self.method.len() + self.path.len() + query + headers + self.body.len()
    }
}

/// A change that a request made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    pub call: Call,
    /// The id of the workergroup or listing, or the number of the route assignment.
    pub id: u64,
    /// Whether it stands for a change by another client of the account.
    pub is_foreign: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct InjectedFault {
    pub fault: &'static Fault,
    /// The operation; none for a fault of a connection.
    pub call: Option<Call>,
    /// As in the `x-sandbox-fault` header: enough to replay the fault.
    pub label: String,
}

/// The records of a running sandbox, oldest first. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    entries: VecDeque<Entry>,
    /// The size of all entries.
    bytes: usize,
    commits: VecDeque<Commit>,
    injected: VecDeque<InjectedFault>,
}

impl Ledger {
    /// A copy of the entries.
    pub fn entries(&self) -> Vec<Entry> {
        self.book().entries.iter().cloned().collect()
    }

    pub fn commits(&self) -> Vec<Commit> {
        self.book().commits.iter().copied().collect()
    }

    pub fn injected(&self) -> Vec<InjectedFault> {
        self.book().injected.iter().cloned().collect()
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

    pub(super) fn commit(&self, commit: Commit) {
        push(&mut self.book().commits, commit);
    }

    pub(super) fn record_fault(&self, fault: &'static Fault, call: Option<Call>, label: String) {
        let injected = InjectedFault { fault, call, label };
        push(&mut self.book().injected, injected);
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
            .take(QUERY_KEPT)
            .map(str::to_owned)
            .collect(),
        headers: parts.headers.iter().filter_map(header).collect(),
        credential,
        // A copy: a slice would keep the whole buffer alive.
        body: Bytes::copy_from_slice(&body[..body.len().min(BODY_KEPT)]),
    }
}

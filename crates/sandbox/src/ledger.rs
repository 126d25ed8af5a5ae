//! The requests that the sandbox received, with their changes and injected faults, for tests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::call::Call;
use super::faults::Fault;

/// The kind of key that a request carried. The key itself is never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// No key.
    None,
    /// The key of the account.
    Account,
    /// Any other key: that of an endpoint or a workergroup, or an unknown one.
    Other,
}

/// A request as the sandbox received it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The address of the worker that received it; `None` for the marketplace itself.
    pub worker: Option<String>,
    /// The HTTP method, in capitals.
    pub method: String,
    /// The path, without the query.
    pub path: String,
    /// The names of the query parameters; values may be keys and are not stored.
    pub query: Vec<String>,
    /// All headers except `Authorization`, in order; invalid UTF-8 is replaced.
    pub headers: Vec<(String, String)>,
    /// The kind of key that it carried.
    pub credential: Credential,
    /// The body, byte for byte; empty if the request was rejected without reading it.
    pub body: Bytes,
}

/// A change that a request made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Commit {
    /// The operation that made it.
    pub call: Call,
    /// The id of the workergroup or listing, or the number of the route assignment.
    pub id: u64,
    /// Whether it simulates a change by another client of the account.
    pub is_foreign: bool,
}

/// A fault injected into a call.
#[derive(Debug, Clone, PartialEq)]
pub struct InjectedFault {
    /// The row of the catalogue.
    pub fault: &'static Fault,
    /// The operation of the call.
    pub call: Call,
    /// The value of the `x-sandbox-fault` header: enough to replay the fault.
    pub label: String,
}

/// The records of a running sandbox, oldest first; empty unless enabled. Clones share them.
#[derive(Debug, Clone)]
pub struct Ledger(Option<Arc<Mutex<Book>>>);

#[derive(Debug, Clone, Default)]
struct Book {
    entries: Vec<Entry>,
    commits: Vec<Commit>,
    injected: Vec<InjectedFault>,
}

impl Ledger {
    /// An empty ledger; it records nothing unless `is_kept`.
    pub(super) fn new(is_kept: bool) -> Self {
        Self(is_kept.then(Arc::default))
    }

    /// All requests that the sandbox received, the oldest first; empty if the ledger is not enabled.
    pub fn entries(&self) -> Vec<Entry> {
        self.book().map_or_else(Vec::new, |book| book.entries.clone())
    }

    /// All changes that requests made, the oldest first; empty if the ledger is not enabled.
    pub fn commits(&self) -> Vec<Commit> {
        self.book().map_or_else(Vec::new, |book| book.commits.clone())
    }

    /// All faults that were injected, the oldest first; empty if the ledger is not enabled.
    pub fn injected(&self) -> Vec<InjectedFault> {
        self.book().map_or_else(Vec::new, |book| book.injected.clone())
    }

    /// Adds a request to the marketplace, if the ledger is enabled.
    pub(super) fn record(&self, parts: &Parts, body: &Bytes, credential: Credential) {
        if let Some(mut book) = self.book() {
            book.entries.push(entry(parts, body, credential));
        }
    }

    /// Adds a request that the worker at `url` received, if the ledger is enabled.
    pub(super) fn record_worker(&self, url: &str, parts: &Parts, body: &Bytes, credential: Credential) {
        if let Some(mut book) = self.book() {
            book.entries.push(Entry {
                worker: Some(url.to_owned()),
                ..entry(parts, body, credential)
            });
        }
    }

    /// Adds a change that a request made, if the ledger is enabled.
    pub(super) fn commit(&self, commit: Commit) {
        self.book().into_iter().for_each(|mut book| book.commits.push(commit));
    }

    /// Adds a fault injected into a call, with the value of its response header, if the ledger is enabled.
    pub(super) fn record_fault(&self, fault: &'static Fault, call: Call, label: String) {
        if let Some(mut book) = self.book() {
            book.injected.push(InjectedFault { fault, call, label });
        }
    }

    /// The locked records; `None` if the ledger is disabled.
    fn book(&self) -> Option<MutexGuard<'_, Book>> {
        let book = self.0.as_ref()?;
        Some(book.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A request to the marketplace as an entry, without the values of its query and its `Authorization` header.
fn entry(parts: &Parts, body: &Bytes, credential: Credential) -> Entry {
    let headers = parts.headers.iter().filter(|(name, _)| *name != AUTHORIZATION);
    let query = parts.uri.query().unwrap_or_default().split('&');
    let names = query.filter_map(|pair| pair.split('=').next());
    Entry {
        worker: None,
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: names.filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        headers: headers
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect(),
        credential,
        body: body.clone(),
    }
}

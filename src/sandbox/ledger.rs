//! The requests that the sandbox received, for tests and for inspection.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

/// The maximum number of requests kept; older ones are dropped.
const KEPT: usize = 1_000;

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
    /// All headers except `Authorization`, in order; invalid UTF-8 is replaced.
    pub headers: Vec<(String, String)>,
    pub credential: Credential,
    /// The body, byte for byte.
    pub body: Bytes,
}

/// The requests of a running sandbox, oldest first. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<VecDeque<Entry>>>);

impl Ledger {
    /// A copy of the entries.
    pub fn entries(&self) -> Vec<Entry> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().cloned().collect()
    }

    pub(super) fn record(&self, parts: &Parts, body: &Bytes, credential: Credential) {
        let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name != AUTHORIZATION).then(|| (name.to_string(), text))
        };
        let query = parts.uri.query().unwrap_or_default();
        let entry = Entry {
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
            body: body.clone(),
        };
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= KEPT {
            entries.pop_front();
        }
        entries.push_back(entry);
    }
}

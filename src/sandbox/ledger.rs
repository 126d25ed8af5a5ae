//! What the sandbox was asked, for tests and for people who look into it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

/// Requests that are remembered; older ones are forgotten.
const KEPT: usize = 1_000;

/// Whose key a request carried. The key itself is never kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    None,
    Account,
    /// Anything else: the key of an endpoint or of a workergroup, or one from outside.
    Other,
}

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Entry {
    pub method: String,
    /// The path as it was spelled.
    pub path: String,
    /// Names of the query's parameters; values may be keys and are not kept.
    pub query: Vec<String>,
    /// All headers but `Authorization`, in their order; the text of odd ones is lossy.
    pub headers: Vec<(String, String)>,
    pub credential: Credential,
    /// The body, byte by byte.
    pub body: Bytes,
}

/// The requests of a running sandbox, oldest first. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Ledger(Arc<Mutex<VecDeque<Entry>>>);

impl Ledger {
    /// A copy of what is remembered.
    pub fn entries(&self) -> Vec<Entry> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.iter().cloned().collect()
    }

    /// Remembers a request.
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

//! Sent requests and their responses, without secrets: the source of the Requests pane and of the log.

use std::collections::VecDeque;
use std::time::Duration;

use bourse_domain::Untrusted;
use bourse_domain::secrets::{self, Known};
use bourse_domain::time::UnixTime;

use super::wire::{Content, Method};
use super::{Operation, redact};

/// The maximum number of bytes of a response that are stored with its entry.
///
/// About a hundred offers: enough to see the format of the market's responses.
pub const BODY_KEPT: usize = 256 * 1024;

/// The maximum number of calls of each class that are stored: of the route's, and of all others.
///
/// A route run sends hundreds of requests a second: with a quota of its own it never pushes out the searches and writes
/// that a user wants to look up.
const MOST_ENTRIES: usize = 200;
const MOST_OF_ROUTES: usize = 4 * 1024 * 1024;
const MOST_OF_CALLS: usize = 16 * 1024 * 1024;

/// The text in place of a status if there was no response.
pub const NO_ANSWER: &str = "no response";

/// The error of an attempt that was cancelled.
pub const CANCELLED: &str = "cancelled before the response";

/// The reason phrase of a status in lower case; empty for rare ones.
pub const fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "created",
        202 => "accepted",
        204 => "no content",
        301 | 308 => "moved permanently",
        302 | 303 | 307 => "moved",
        304 => "not modified",
        400 => "bad request",
        401 => "unauthorized",
        402 => "payment required",
        403 => "forbidden",
        404 => "not found",
        405 => "method not allowed",
        408 => "request timeout",
        409 => "conflict",
        410 => "gone",
        413 => "body too large",
        415 => "unsupported media type",
        422 => "unprocessable",
        429 => "too many requests",
        500 => "server error",
        501 => "not implemented",
        502 => "bad gateway",
        503 => "unavailable",
        504 => "gateway timeout",
        _ => "",
    }
}

/// One attempt: request and response.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerEntry {
    /// The time it was sent.
    pub at: UnixTime,
    /// The operation of the request.
    pub operation: Operation,
    /// The HTTP method of the request.
    pub method: Method,
    /// The full address; it never contains a secret.
    pub url: String,
    /// Whether a key was sent.
    pub with_key: bool,
    /// The body as sent, without secrets.
    pub request: Option<String>,
    /// HTTP status; `None` if there was no response.
    pub status: Option<u16>,
    /// The duration to the last byte.
    pub took: Duration,
    /// The size of the sent body, in bytes.
    pub bytes_sent: usize,
    /// The size of the received body, decompressed, in bytes.
    pub bytes_received: usize,
    /// The number of the attempt within its call, from 1.
    pub attempt: u32,
    /// The time it waited for the rate limit.
    pub waited: Duration,
    /// The response, bounded by [`BODY_KEPT`], without secrets.
    pub response: Option<Untrusted>,
    /// Whether [`LedgerEntry::response`] is only the beginning of the body.
    pub response_cut: bool,
    /// The error message; `None` if the call succeeded.
    pub error: Option<String>,
    /// The fault injected by a sandbox, from its header.
    pub sandbox_fault: Option<Untrusted>,
}

impl LedgerEntry {
    /// Whether it was cancelled without harm: a read or a route request.
    ///
    /// A cancelled write is an error: its outcome is unknown.
    pub fn is_cancelled(&self) -> bool {
        (self.operation.is_read() || self.is_route()) && self.error.as_deref() == Some(CANCELLED)
    }

    /// Whether it ended in an error, other than a cancellation without harm.
    pub fn is_failed(&self) -> bool {
        self.error.is_some() && !self.is_cancelled()
    }

    /// The status with its reason phrase, `404 not found`, or alone if it is a rare one; without a status
    /// `cancelled` if the attempt was cancelled without harm, else `no response`.
    pub fn status_words(&self) -> String {
        match self.status.map(|status| (status, reason(status))) {
            None if self.is_cancelled() => "cancelled".to_owned(),
            None => NO_ANSWER.to_owned(),
            Some((status, "")) => status.to_string(),
            Some((status, meaning)) => format!("{status} {meaning}"),
        }
    }

    /// The body as sent, without possible secrets; `None` if the request has none.
    pub fn request_body(&self) -> Option<String> {
        self.request.as_deref().map(redact::without_possible_secrets)
    }

    /// The response, possibly truncated, without possible secrets; `None` if there was none.
    pub fn response_body(&self) -> Option<String> {
        let text = self.response.as_ref()?.unescaped();
        Some(redact::without_possible_secrets(text))
    }

    /// The first bytes of a body, at most `bytes` and without cutting a character, and whether it is longer.
    pub fn beginning(body: &str, bytes: usize) -> (&str, bool) {
        let end = body.floor_char_boundary(bytes);
        (&body[..end], end < body.len())
    }

    /// Whether it is a call of the routing endpoint, which has a quota of its own.
    fn is_route(&self) -> bool {
        self.operation == Operation::Route
    }

    /// The size of the stored bodies of the entry, in bytes.
    fn weight(&self) -> usize {
        self.request.as_ref().map_or(0, String::len) + self.response.as_ref().map_or(0, |text| text.unescaped().len())
    }
}

/// The latest entries, bounded in number and size: route calls and all others each by a quota.
#[derive(Debug, Default)]
pub struct Ledger {
    /// The entries with their numbers, oldest first.
    entries: VecDeque<(u64, LedgerEntry)>,
    total: u64,
}

impl Ledger {
    /// Adds an entry, with possible secrets removed from its request, and drops the oldest of its class
    /// beyond 200 entries or the size of their bodies: 4 MB for route calls, 16 MB for all others. The new
    /// entry is never dropped. Returns the numbers of the dropped entries.
    pub fn push(&mut self, entry: LedgerEntry) -> Vec<u64> {
        let request = entry.request_body();
        let entry = LedgerEntry { request, ..entry };
        let is_route = entry.is_route();
        let most = if is_route { MOST_OF_ROUTES } else { MOST_OF_CALLS };
        self.total += 1;
        self.entries.push_back((self.total, entry));
        let (mut many, mut bytes) = (0, 0);
        let mut dropped = Vec::new();
        let newest_first = self.entries.iter().rev();
        for (number, entry) in newest_first.filter(|(_, entry)| entry.is_route() == is_route) {
            many += 1;
            bytes += entry.weight();
            if many > MOST_ENTRIES || (bytes > most && many > 1) {
                dropped.push(*number);
            }
        }
        self.entries.retain(|(number, _)| !dropped.contains(number));
        dropped
    }

    /// Iterates over the entries, latest first.
    pub fn latest(&self) -> impl ExactSizeIterator<Item = &LedgerEntry> {
        self.entries.iter().rev().map(|(_, entry)| entry)
    }

    /// Iterates over the entries with their numbers, latest first. Numbers start at 1 and are never reused.
    pub fn numbered(&self) -> impl Iterator<Item = (u64, &LedgerEntry)> {
        self.entries.iter().rev().map(|(number, entry)| (*number, entry))
    }

    /// The entry with a number, from 1; `None` if it was dropped or never added.
    pub fn get(&self, number: u64) -> Option<&LedgerEntry> {
        let index = self.entries.binary_search_by_key(&number, |(known, _)| *known).ok()?;
        self.entries.get(index).map(|(_, entry)| entry)
    }

    /// The number of entries ever added.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// The number of stored entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A body without known secrets, the values of its secret members, and copies of these.
pub(crate) fn clean(text: &str, known: &Known) -> String {
    secrets::without_secrets(text, known, secrets::is_secret_member).into_owned()
}

/// The first 256 KB of a response without possible secrets, and whether it is longer.
pub(crate) fn excerpt(content: &Content) -> (String, bool) {
    let (beginning, is_cut) = LedgerEntry::beginning(content.text(), BODY_KEPT);
    let beginning = if content.is_clean() {
        beginning.to_owned()
    } else {
        redact::without_possible_secrets(beginning)
    };
    (beginning, is_cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(size: usize) -> LedgerEntry {
        LedgerEntry {
            at: UnixTime::default(),
            operation: Operation::SearchOffers,
            method: Method::Post,
            url: "http://127.0.0.1:1/api/v0/bundles/".into(),
            with_key: true,
            request: None,
            status: Some(200),
            took: Duration::ZERO,
            bytes_sent: 0,
            bytes_received: size,
            attempt: 1,
            waited: Duration::ZERO,
            response: Some(Untrusted::from("x".repeat(size))),
            response_cut: false,
            error: None,
            sandbox_fault: None,
        }
    }

    #[test]
    fn the_ledger_is_bounded_in_number_and_in_size() {
        let mut ledger = Ledger::default();
        for _ in 0..1000 {
            ledger.push(entry(10));
        }
        assert_eq!((ledger.len(), ledger.total()), (200, 1000));
        for _ in 0..100 {
            ledger.push(entry(BODY_KEPT));
        }
        assert_eq!(ledger.len(), 64); // 64 x 256 KiB are the 16 MiB
        ledger.push(entry(1));
        assert_eq!(ledger.latest().next().map(|entry| entry.bytes_received), Some(1));
    }

    #[test]
    fn route_calls_never_push_others_out() {
        let mut ledger = Ledger::default();
        let route = |size| LedgerEntry {
            operation: Operation::Route,
            ..entry(size)
        };
        ledger.push(entry(1));
        for _ in 0..100 {
            ledger.push(route(BODY_KEPT));
        }
        ledger.push(entry(2));
        for _ in 0..5000 {
            ledger.push(route(10));
        }
        let calls: Vec<_> = ledger
            .numbered()
            .filter(|(_, entry)| entry.operation != Operation::Route)
            .map(|(number, entry)| (number, entry.bytes_received))
            .collect();
        assert_eq!(calls, [(102, 2), (1, 1)]);
        assert_eq!((ledger.len(), ledger.total()), (202, 5102));
        assert_eq!(ledger.get(1).map(|entry| entry.bytes_received), Some(1));
        assert_eq!(ledger.get(103), None);
        assert!(ledger.get(5102).is_some());
    }

    #[test]
    fn an_entry_keeps_its_number_while_others_come_and_go() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.get(0), None);
        for size in 1..=250 {
            ledger.push(entry(size));
        }
        let sizes = |number| ledger.get(number).map(|entry| entry.bytes_received);
        assert_eq!(sizes(250), Some(250));
        assert_eq!(sizes(51), Some(51));
        assert_eq!((sizes(50), sizes(0), sizes(251)), (None, None, None));
        assert!(
            ledger
                .numbered()
                .all(|(number, entry)| number == entry.bytes_received as u64)
        );
        assert_eq!(ledger.numbered().count(), 200);
    }

    #[test]
    fn a_key_on_the_cut_leaves_no_half() {
        let known = Known::new(["canary-0123456789"]);
        let body = "x".repeat(BODY_KEPT - 5) + "canary-0123456789 and more";
        let clean = secrets::scrub(&body, &known, secrets::is_secret_member);
        let (text, cut) = excerpt(&Content::Text(clean.into_owned()));
        assert!(cut);
        assert!(!text.contains('c'), "{}", &text[text.len() - 20..]);
    }
}

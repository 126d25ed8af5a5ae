//! What was sent and answered, secrets removed: the source of the Requests pane and of the log.

use std::collections::VecDeque;
use std::time::Duration;

use super::wire::Method;
use super::{Operation, Secret, redact};
use crate::domain::Untrusted;

/// How much of an answer is kept with its entry, in bytes.
pub const BODY_KEPT: usize = 256 * 1024;

/// The most entries that are kept.
const MOST_ENTRIES: usize = 200;

/// The most bytes of bodies that are kept in all.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// One attempt: what was sent and what came back.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerEntry {
    /// When it was sent, in seconds since 1970.
    pub at: f64,
    /// Which operation.
    pub operation: Operation,
    /// Its method.
    pub method: Method,
    /// The whole address; it never holds a secret.
    pub url: String,
    /// Whether a key went along.
    pub with_key: bool,
    /// The body as it was sent, secrets removed.
    pub request: Option<String>,
    /// HTTP status, if an answer came.
    pub status: Option<u16>,
    /// How long it took, to the last byte.
    pub took: Duration,
    /// Bytes of body sent.
    pub bytes_sent: usize,
    /// Bytes of body that came, decompressed.
    pub bytes_received: usize,
    /// Which attempt of its call it was, from 1.
    pub attempt: u32,
    /// How long it waited for its turn.
    pub waited: Duration,
    /// The answer, bounded by [`BODY_KEPT`], secrets removed.
    pub response: Option<Untrusted>,
    /// Whether [`LedgerEntry::response`] is only the beginning.
    pub response_cut: bool,
    /// What went wrong, in words.
    pub error: Option<String>,
}

impl LedgerEntry {
    /// Bytes of text that the entry holds.
    fn weight(&self) -> usize {
        self.request.as_ref().map_or(0, String::len)
            + self
                .response
                .as_ref()
                .map_or(0, |text| text.compared().len())
    }
}

/// The latest entries, bounded in number and size.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: VecDeque<LedgerEntry>,
    weight: usize,
    total: u64,
}

impl Ledger {
    /// Adds an entry; the oldest leave when there is no room.
    pub fn push(&mut self, entry: LedgerEntry) {
        self.weight += entry.weight();
        self.total += 1;
        self.entries.push_back(entry);
        while self.entries.len() > MOST_ENTRIES
            || (self.weight > MOST_BYTES && self.entries.len() > 1)
        {
            let Some(gone) = self.entries.pop_front() else {
                break;
            };
            self.weight -= gone.weight();
        }
    }

    /// The entries, latest first.
    pub fn latest(&self) -> impl ExactSizeIterator<Item = &LedgerEntry> {
        self.entries.iter().rev()
    }

    /// How many entries there ever were.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How many entries are kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was ever sent.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A body without secrets: members that hold one, and the keys that were sent.
pub(crate) fn clean(text: &str, keys: &[&Secret]) -> String {
    keys.iter()
        .fold(redact::members(text), |text, key| redact::known(&text, key))
}

/// The beginning of an answer without secrets, and whether it is only the beginning.
pub(crate) fn excerpt(body: &[u8], keys: &[&Secret]) -> (String, bool) {
    let cut = body.len() > BODY_KEPT;
    let text = String::from_utf8_lossy(&body[..body.len().min(BODY_KEPT)]);
    let mut text = clean(&text, keys);
    if cut {
        // The end may hold the first half of a key, which looks like no key.
        let longest = keys.iter().map(|key| key.expose().len() * 3).max();
        let end = text.len().saturating_sub(longest.unwrap_or(0));
        text.truncate(text.floor_char_boundary(end));
    }
    (text, cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(size: usize) -> LedgerEntry {
        LedgerEntry {
            at: 0.0,
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
        assert_eq!(
            ledger.latest().next().map(|entry| entry.bytes_received),
            Some(1)
        );
    }

    #[test]
    fn a_key_on_the_cut_leaves_no_half() {
        let key = Secret::new("canary-0123456789");
        let mut body = vec![b'x'; BODY_KEPT - 5];
        body.extend_from_slice(b"canary-0123456789 and more");
        let (text, cut) = excerpt(&body, &[&key]);
        assert!(cut);
        assert!(!text.contains('c'), "{}", &text[text.len() - 20..]);
    }
}

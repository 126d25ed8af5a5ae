//! The history of writes: each request before it is sent, and its outcome.
//!
//! The [`Intent`] of a write is saved before its first byte is sent; afterwards its [`Outcome`]. An intent without an
//! outcome is a write whose outcome is unknown: the program ended before the response arrived. Neither holds a secret.

use core::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::dialect::PUBLIC_DOMAIN;
use super::text::Untrusted;
use super::workergroup::NewWorkergroup;
use crate::time::UnixTime;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteKind {
    UnlistVolume,
    CreateWorkergroup,
}

impl WriteKind {
    pub const ALL: [Self; 2] = [Self::UnlistVolume, Self::CreateWorkergroup];
}

/// A write that is about to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intent {
    /// The unique key of the write within the file.
    pub key: String,
    /// The time of the decision.
    pub at: UnixTime,
    /// The profile it was sent for.
    pub profile: String,
    /// Base address of the market; for the embedded sandbox it differs from run to run.
    pub address: String,
    #[serde(rename = "deed")]
    pub kind: WriteKind,
    /// The id of the listing, or the name of the workergroup's endpoint. Printable ASCII.
    pub subject: String,
    /// The workergroup that was to be created, without its launch arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Box<NewWorkergroup>>,
    /// The limit that it exceeded with the user's consent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over_limit: Option<OverLimit>,
}

/// A spending limit that a write exceeded with the user's consent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverLimit {
    /// The limit `group_hourly`, in $/h.
    pub group_hourly: f64,
    /// The worst case in $/h; `None` if it was unknown.
    pub worst_case: Option<f64>,
}

impl Intent {
    /// Whether this write is the creation of the workergroup `new`. Launch arguments, which it does not hold,
    /// are not compared; a write of an old journal is compared by its endpoint alone.
    pub fn is_creation_of(&self, new: &NewWorkergroup) -> bool {
        self.kind == WriteKind::CreateWorkergroup
            && match &self.group {
                Some(group) => **group == new.without_launch_args(),
                None => self.subject == clean(&new.subject()),
            }
    }

    /// Whether both writes create the same workergroup on the same market; false if `other` holds no group.
    /// Their profiles and launch arguments may differ.
    pub fn is_same_creation(&self, other: &Self) -> bool {
        let new = other.group.as_deref();
        self.is_at_market(&other.address) && new.is_some_and(|new| self.is_creation_of(new))
    }

    /// Whether it was sent to the market at `address`, in any spelling of its address.
    pub fn is_at_market(&self, address: &str) -> bool {
        market_at(&self.address) == market_at(address)
    }

    /// The workergroup that was to be created; for writes of old journals one with nothing but its endpoint.
    pub fn new_workergroup(&self) -> NewWorkergroup {
        if let Some(group) = &self.group {
            return (**group).clone();
        }
        let endpoint = self.subject.strip_prefix("endpoint ");
        let id = endpoint.and_then(|name| name.parse().ok());
        NewWorkergroup {
            endpoint_id: id,
            endpoint_name: endpoint.filter(|_| id.is_none()).map(str::to_owned),
            ..NewWorkergroup::default()
        }
    }
}

/// The outcome of a write. A later one replaces an earlier one: the user may have settled it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Done,
    /// The market refused it, or it was never sent: nothing has changed.
    Refused,
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The [`Intent::key`] of the write.
    pub key: String,
    /// The time at which the outcome was known.
    pub at: UnixTime,
    pub verdict: Verdict,
    /// The market's confirmation or error message. Printable ASCII.
    pub words: String,
}

/// A line of the file without a certain meaning: it cannot be read, or is the unknown outcome of a write that is not in
/// the file.
///
/// It may have been a write whose outcome is unknown, so nothing is sent before the user has settled it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The line number, from 1.
    pub line: u64,
    /// Its position in the file and its length, in bytes.
    pub start: usize,
    pub length: usize,
    /// The beginning of the line. Printable ASCII.
    pub text: String,
}

impl Damage {
    /// A line of these bytes at byte `start` of the file. Its text is cut to 400 bytes and cleaned.
    pub fn new(line: u64, start: usize, bytes: &[u8]) -> Self {
        /// The maximum length of the text, in bytes of the line.
        const LONGEST: usize = 400;
        let beginning = bytes.get(..LONGEST).unwrap_or(bytes);
        Self {
            line,
            start,
            length: bytes.len(),
            text: clean(&String::from_utf8_lossy(beginning)),
        }
    }
}

/// A custom command that is about to run on a row: `[commands.NAME]` of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRun {
    /// The unique key of the run within the file.
    pub key: String,
    /// The time at which it started.
    pub at: UnixTime,
    pub profile: String,
    /// Base address of the market that lists the row.
    pub address: String,
    /// The name of the command in the configuration.
    pub name: String,
    /// The program and its arguments. Printable ASCII.
    pub words: Vec<String>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandEnd {
    /// The [`CommandRun::key`] of the run.
    pub key: String,
    /// The time at which it ended.
    pub at: UnixTime,
    /// The exit status, such as `exit status: 1`. Printable ASCII.
    pub status: String,
}

/// One line of the journal of writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Intent(Intent),
    /// Written after the response, or when it was lost.
    Outcome(Outcome),
    Command(CommandRun),
    CommandEnd(CommandEnd),
}

/// A write with its outcome, as an entry of the history.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The request, and its time.
    pub intent: Intent,
    /// The outcome; `None` while it is unknown.
    pub outcome: Option<Outcome>,
}

impl Entry {
    /// The id of the workergroup that this write created; `None` for other writes, unless the outcome is
    /// `Done`, or if the market returned no id.
    fn created_id(&self) -> Option<i64> {
        let outcome = self.outcome.as_ref()?;
        let is_created = self.intent.kind == WriteKind::CreateWorkergroup && outcome.verdict == Verdict::Done;
        let id = outcome.words.strip_prefix("created as ").filter(|_| is_created)?;
        id.split(',').next()?.parse().ok()
    }

    /// The verdict; unknown without an outcome.
    pub fn verdict(&self) -> Verdict {
        self.outcome
            .as_ref()
            .map_or(Verdict::Unknown, |outcome| outcome.verdict)
    }
}

/// The writes in the lines, oldest first, without outcomes that have no intent and without custom commands.
///
/// Texts are cleaned: the file may have been edited.
pub fn entries(lines: Vec<Line>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in lines {
        match line {
            Line::Intent(mut intent) => {
                intent.subject = clean(&intent.subject);
                entries.push(Entry { intent, outcome: None });
            }
            Line::Command(_) | Line::CommandEnd(_) => {}
            Line::Outcome(mut outcome) => {
                outcome.words = clean(&outcome.words);
                if let Some(entry) = entry_of_key(&mut entries, &outcome.key) {
                    entry.outcome = Some(outcome);
                }
            }
        }
    }
    entries
}

/// The workergroup `id` as the newest of these writes that holds a group created it; `None` if there is none,
/// or it named another endpoint.
///
/// `endpoint` is the name that the market lists, `None` if unknown, which fits any: under another name it is
/// another group with the same id.
pub fn created<'e>(entries: &'e [Entry], id: i64, endpoint: Option<&str>) -> Option<&'e NewWorkergroup> {
    let mut created = entries.iter().rev().filter(|entry| entry.created_id() == Some(id));
    let group = created.find_map(|entry| entry.intent.group.as_deref())?;
    let is_same = match (&group.endpoint_name, endpoint) {
        (Some(sent), Some(listed)) => sent.trim() == listed.trim(),
        (None, _) | (_, None) => true,
    };
    is_same.then_some(group)
}

/// The newest write with `key` whose outcome is unknown, else the newest with it; `None` if none has it.
///
/// A copied line is one more write to settle.
pub fn entry_of_key<'e>(entries: &'e mut [Entry], key: &str) -> Option<&'e mut Entry> {
    let is_open = |entry: &Entry| entry.intent.key == key && entry.verdict() == Verdict::Unknown;
    let open = entries.iter().rposition(is_open);
    let place = open.or_else(|| entries.iter().rposition(|entry| entry.intent.key == key));
    entries.get_mut(place?)
}

/// The canonical name of the market at an address: host, port and path.
///
/// All names of this computer are one host, and so are the public service's.
fn market_at(address: &str) -> String {
    let (scheme, rest) = address.trim().split_once("://").unwrap_or(("https", address));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (scheme, authority) = (scheme.to_ascii_lowercase(), authority.to_ascii_lowercase());
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority.as_str(), ""),
    };
    let port = match (port, scheme.as_str()) {
        ("", "http") => "80",
        ("", _) => "443",
        (port, _) => port,
    };
    let name = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    let host = match name.strip_suffix(PUBLIC_DOMAIN) {
        _ if name == "localhost" || name.parse().is_ok_and(is_this_computer) => "localhost",
        Some(rest) if rest.is_empty() || rest.ends_with('.') => PUBLIC_DOMAIN,
        _ => name,
    };
    format!("{host}:{port}/{}", path.trim_matches('/'))
}

/// Whether an address is a loopback one, or unspecified (`0.0.0.0`), which leads to this computer on most systems.
fn is_this_computer(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified()
}

/// Whether a market's address is on this computer (`localhost`, a loopback address or `0.0.0.0`), as that of
/// an embedded sandbox always is.
pub fn is_local(address: &str) -> bool {
    market_at(address).starts_with("localhost:")
}

/// Cleans a text for the journal: one line with at most 512 characters of it, all but printable ASCII as
/// `<U+XXXX>`.
pub fn clean(text: &str) -> String {
    Untrusted::from(text).log()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_one_market_are_one() {
        for (left, right) in [
            ("http://127.0.0.1:8733", "http://localhost:8733"),
            ("http://127.0.0.1:8733", "http://[::1]:8733/"),
            ("http://127.0.0.1:8733", "HTTP://LocalHost.:8733//"),
            ("http://127.0.0.1:8733/p", "http://[::ffff:127.0.0.1]:8733/p/"),
            ("http://0.0.0.0", "http://localhost:80"),
            ("https://Market.Example", "https://market.example:443/"),
            ("https://console.vast.ai", "https://vast.ai./"),
        ] {
            assert_eq!(market_at(left), market_at(right), "{left} {right}");
        }
        for (left, right) in [
            ("http://127.0.0.1:8733", "http://127.0.0.1:8734"),
            ("http://127.0.0.1:8733", "http://10.0.0.1:8733"),
            ("https://a.example", "https://b.example"),
            ("https://a.example/One", "https://a.example/one"),
            ("https://a.example", "https://a.example:8443"),
            ("https://vast.ai", "https://notvast.ai"),
            ("http://localhost", "http://localhost.example"),
        ] {
            assert_ne!(market_at(left), market_at(right), "{left} {right}");
        }
    }

    #[test]
    fn a_copied_intent_is_settled_on_its_own() {
        let intent = Line::Intent(Intent {
            key: "a".to_owned(),
            at: UnixTime::new(0.0),
            profile: "test".to_owned(),
            address: "https://a.example".to_owned(),
            kind: WriteKind::UnlistVolume,
            subject: "1".to_owned(),
            group: None,
            over_limit: None,
        });
        let outcome = Line::Outcome(Outcome {
            key: "a".to_owned(),
            at: UnixTime::new(1.0),
            verdict: Verdict::Done,
            words: String::new(),
        });
        let unknown = |lines: &[&Line]| {
            let entries = entries(lines.iter().copied().cloned().collect());
            let unknown = entries.iter().filter(|entry| entry.verdict() == Verdict::Unknown);
            unknown.count()
        };
        assert_eq!(unknown(&[&intent, &intent, &outcome]), 1);
        assert_eq!(unknown(&[&intent, &intent, &outcome, &outcome]), 0);
    }
}

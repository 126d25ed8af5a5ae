//! The history of writes: what was about to be sent, and its outcome.
//!
//! The [`Intent`] of a write is saved before its first byte is sent; afterwards its [`Outcome`]. An
//! intent without an outcome is a write whose outcome is unknown: the program ended before the
//! response arrived. Neither holds a secret.

use serde::{Deserialize, Serialize};

use super::text::Untrusted;
use super::workergroup::NewWorkergroup;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteKind {
    UnlistVolume,
    CreateWorkergroup,
}

impl WriteKind {
    /// Every write of the interface.
    pub const ALL: [Self; 2] = [Self::UnlistVolume, Self::CreateWorkergroup];
}

/// A write that is about to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// Identifies the write within the file.
    pub key: String,
    /// When it was decided, in seconds since 1970.
    pub at: f64,
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
}

impl Intent {
    /// Whether it is the creation of such a workergroup; launch arguments, which it does not hold,
    /// make no difference.
    pub fn is_creation_of(&self, new: &NewWorkergroup) -> bool {
        self.kind == WriteKind::CreateWorkergroup
            && match &self.group {
                Some(group) => **group == new.without_launch_args(),
                None => self.subject == clean(&new.subject()),
            }
    }

    /// Whether both create the same workergroup on the same market.
    pub fn is_same_creation(&self, other: &Self) -> bool {
        let new = other.group.as_deref();
        self.profile == other.profile
            && self.address == other.address
            && new.is_some_and(|new| self.is_creation_of(new))
    }

    /// The workergroup that was to be created. Journals of old hold only its endpoint.
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

/// The outcome of a write. A later one replaces an earlier one: the user may know more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Done,
    /// The market refused it, or it was never sent: nothing has changed.
    Refused,
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The [`Intent::key`] of the write.
    pub key: String,
    /// When the outcome was known, in seconds since 1970.
    pub at: f64,
    pub verdict: Verdict,
    /// The market's confirmation or error message. Printable ASCII.
    pub words: String,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Intent(Intent),
    /// After the response, or when it was lost.
    Outcome(Outcome),
}

/// A write as the history shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What was sent, and when.
    pub intent: Intent,
    /// The outcome; `None` while it is unknown.
    pub outcome: Option<Outcome>,
}

impl Entry {
    /// The verdict; unknown without an outcome.
    pub fn verdict(&self) -> Verdict {
        self.outcome
            .as_ref()
            .map_or(Verdict::Unknown, |outcome| outcome.verdict)
    }
}

/// The writes in the lines, oldest first. Texts are cleaned: anybody can edit the file. Outcomes
/// without an intent are left out.
pub fn entries(lines: Vec<Line>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in lines {
        match line {
            Line::Intent(mut intent) => {
                intent.subject = clean(&intent.subject);
                entries.push(Entry { intent, outcome: None });
            }
            Line::Outcome(mut outcome) => {
                outcome.words = clean(&outcome.words);
                let known = entries.iter_mut().rev().find(|entry| entry.intent.key == outcome.key);
                if let Some(entry) = known {
                    entry.outcome = Some(outcome);
                }
            }
        }
    }
    entries
}

/// A text made safe for the journal: printable ASCII, one line, bounded.
pub fn clean(text: &str) -> String {
    Untrusted::from(text).log()
}

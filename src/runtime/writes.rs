//! Sends a write and journals its intent and outcome, for the dashboard and for commands.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::calls::{Calls, Notify};
use crate::api::{ApiError, Reply, Request};
use crate::core::{Message, Profile, mutations};
use crate::domain::format::counted;
use crate::domain::journal::{self, Damage, Entry, Intent, Line, Outcome, WriteKind};
use crate::domain::time::UnixTime;
use crate::settings::Settings;
use crate::store::{Journal, JournalError, Paths};

/// The journal of writes, with its entries for a market.
#[derive(Debug, Default)]
pub struct OpenedJournal {
    pub journal: Journal,
    /// The writes to the market, oldest first.
    pub entries: Vec<Entry>,
    pub damage: Vec<Damage>,
    /// A notice about the journal.
    pub note: Option<String>,
    /// The reason writes are blocked: the journal cannot be opened, or a line of it is damaged.
    /// `None` if they are not.
    pub blocked: Option<String>,
}

impl OpenedJournal {
    /// Opens the journal and reads the writes to the market of `profile`, including those of other profiles.
    /// A damaged line blocks writes.
    ///
    /// If it cannot be opened, the embedded sandbox has one in memory, and other markets accept no writes.
    pub fn open(settings: &Settings, profile: &Profile) -> Self {
        let path = settings.paths.as_ref().map(Paths::journal_file);
        let journal = path.as_deref().map_or_else(Journal::default, Journal::at);
        let kept = match journal.read() {
            Ok(kept) => kept,
            Err(why) if profile.is_sandbox => {
                return Self {
                    journal: Journal::in_memory(),
                    note: Some(format!("Writes are recorded until bourse ends: {why}")),
                    ..Self::default()
                };
            }
            Err(why) => {
                return Self {
                    journal,
                    note: Some(format!("Nothing can be created or unlisted: {why}")),
                    blocked: Some(why.to_string()),
                    ..Self::default()
                };
            }
        };
        let blocked = journal.damaged(&kept.damage).map(|error| error.to_string());
        let address = (!profile.is_sandbox).then_some(profile.base_url.as_str());
        let is_of_market = |entry: &Entry| is_of_market(&entry.intent, &profile.name, address);
        let entries = journal::entries(kept.lines).into_iter();
        Self {
            journal,
            entries: entries.filter(is_of_market).collect(),
            damage: kept.damage,
            note: blocked
                .as_ref()
                .map(|why| format!("Nothing can be created or unlisted: {why}")),
            blocked,
        }
    }
}

/// Whether a write was sent to the market of a profile, by its address.
///
/// The embedded sandbox has no `address`, as its port differs in every run: its writes are the profile's to a
/// local address.
pub fn is_of_market(intent: &Intent, profile: &str, address: Option<&str>) -> bool {
    match address {
        Some(address) => intent.is_at_market(address),
        None => intent.profile == profile && journal::is_local(&intent.address),
    }
}

/// The result of a write.
#[derive(Debug)]
pub struct Journalled {
    pub result: Result<Reply, ApiError>,
    /// The reason its outcome is not in the journal, for display; `None` if it is.
    pub unsaved: Option<String>,
    /// The damaged lines because of which nothing was sent.
    pub damage: Vec<Damage>,
}

/// A write to send, with its first line in the journal.
#[derive(Debug)]
pub struct IntendedWrite {
    pub request: Request,
    pub intent: Intent,
}

/// Journals the intent of a write, sends it once, and journals the outcome. `clock` returns the current time.
///
/// Nothing is sent if the intent cannot be journalled or a line is damaged.
pub async fn journalled(
    calls: Arc<dyn Calls>,
    journal: Journal,
    write: IntendedWrite,
    notify: Notify,
    clock: impl Fn() -> UnixTime + Send,
) -> Journalled {
    let IntendedWrite { request, intent } = write;
    let first = intent.clone();
    if let Err(why) = off_thread(&journal, move |journal| journal.intend(&first)).await {
        let read = off_thread(&journal, Journal::read).await;
        return Journalled {
            result: Err(ApiError::Misconfigured(format!("nothing was sent: {why}"))),
            unsaved: None,
            damage: read.map_or_else(|_| Vec::new(), |read| read.damage),
        };
    }
    let task = tokio::spawn(async move { calls.call(request, notify).await });
    // If the task panicked, whether the request was sent is unknown.
    let result = task.await.unwrap_or(Err(ApiError::Lost));
    let outcome = Line::Outcome(mutations::outcome(&intent, &result, clock()));
    let saved = off_thread(&journal, move |journal| journal.append(&outcome)).await;
    Journalled {
        result,
        unsaved: saved.err().map(|error| outcome_not_recorded(&intent, &error)),
        damage: Vec::new(),
    }
}

/// A notice that the outcome of a write is not in the journal and will count as unknown.
fn outcome_not_recorded(intent: &Intent, error: &JournalError) -> String {
    let what = match intent.kind {
        WriteKind::UnlistVolume => "unlisting",
        WriteKind::CreateWorkergroup => "the creation for",
    };
    format!(
        "The outcome of {what} {} is not recorded, and will be called unknown: {error}. Settle it then with bourse \
         writes check.",
        intent.subject
    )
}

/// Journals the outcome that the user has set for a write, off the event loop; sends a notice if that fails.
pub(super) fn keep_outcome(journal: Journal, outbox: UnboundedSender<Message>, outcome: Outcome) {
    tokio::task::spawn_blocking(move || {
        if let Err(why) = journal.append(&Line::Outcome(outcome)) {
            let why = format!("Your decision is not recorded, and asked for again at the next start: {why}.");
            let _ = outbox.send(Message::Notice(why));
        }
    });
}

/// Moves damaged lines out of the journal, off the event loop; reports the file they are moved to or sends a
/// notice of the failure, and then sends the lines that are damaged now, if the journal can be read.
pub(super) fn set_aside(journal: Journal, outbox: UnboundedSender<Message>, damage: Vec<Damage>) {
    tokio::task::spawn_blocking(move || {
        let moved = journal.set_aside(&damage);
        // The receiver is gone once the program ends.
        let _ = outbox.send(match moved {
            // The folder may not fit on the screen, and is that of the write history.
            Ok(aside) => Message::Report(Ok(format!(
                "Moved {} to {}",
                counted(damage.len(), "line", "lines"),
                aside.file_name().unwrap_or(aside.as_os_str()).display()
            ))),
            Err(why) => Message::Notice(format!("Damaged lines are not moved: {why}.")),
        });
        if let Ok(read) = journal.read() {
            let _ = outbox.send(Message::JournalDamage(read.damage));
        }
    });
}

/// Runs `act` on the journal on another thread, as it waits for the disk, and returns its result.
pub(super) async fn off_thread<T: Send + 'static>(
    journal: &Journal,
    act: impl FnOnce(&Journal) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    let journal = journal.clone();
    tokio::task::spawn_blocking(move || act(&journal)).await?
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::domain::journal::Verdict;

    #[tokio::test]
    async fn a_decision_is_journaled_or_the_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("writes.jsonl");
        let journal = Journal::at(&path);
        let outcome = Outcome {
            key: "key".to_owned(),
            at: UnixTime::new(7.0),
            verdict: Verdict::Refused,
            words: "not created, as you decided".to_owned(),
        };
        let (outbox, mut inbox) = unbounded_channel();
        keep_outcome(journal.clone(), outbox, outcome.clone());
        // The end of the messages is the end of the work.
        assert!(inbox.recv().await.is_none());
        let kept = journal.read().unwrap();
        assert_eq!(kept.lines, [Line::Outcome(outcome.clone())]);

        // A directory stands where the file was: it cannot be written.
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let (outbox, mut inbox) = unbounded_channel();
        keep_outcome(journal, outbox, outcome);
        let reported = inbox.recv().await;
        assert!(
            matches!(&reported, Some(Message::Notice(why)) if why.starts_with("Your decision is not recorded")),
            "{reported:?}"
        );
    }
}

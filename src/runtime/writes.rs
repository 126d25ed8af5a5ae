//! Sends a write between its two lines in the journal: the same for the dashboard and for commands.

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::calls::{Calls, Notify};
use crate::api::{ApiError, Reply, Request};
use crate::core::{Message, Profile, mutations};
use crate::domain::journal::{self, Entry, Intent, Line, Outcome};
use crate::settings::Settings;
use crate::store::{Journal, Paths};

/// The journal of writes, as a market finds it.
#[derive(Debug, Default)]
pub struct OpenedJournal {
    pub journal: Journal,
    /// The writes of the profile, oldest first.
    pub entries: Vec<Entry>,
    /// A notice for the person about it.
    pub note: Option<String>,
    /// Why nothing can be sent, if so: the journal cannot be opened.
    pub blocked: Option<String>,
}

impl OpenedJournal {
    /// Opens the journal and reads the writes of `profile`. Where it cannot be opened, the embedded
    /// sandbox has one in memory, and other markets take no writes.
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
                    blocked: Some(why),
                    ..Self::default()
                };
            }
        };
        let note = (kept.unreadable > 0).then(|| {
            format!(
                "Can't read {} lines of {}: writes may be missing here.",
                kept.unreadable,
                path.unwrap_or_default().display()
            )
        });
        let is_of_market = |entry: &Entry| {
            // The embedded sandbox listens at another address in every run.
            entry.intent.profile == profile.name && (profile.is_sandbox || entry.intent.address == profile.base_url)
        };
        let entries = journal::entries(kept.lines).into_iter().filter(is_of_market);
        Self {
            journal,
            entries: entries.collect(),
            note,
            blocked: None,
        }
    }
}

/// Sends a write between its two lines in the journal; nothing is sent if the first line cannot be
/// written. `epoch` returns the time in seconds since 1970.
pub async fn journalled(
    calls: Arc<dyn Calls>,
    journal: Journal,
    request: Request,
    intent: Intent,
    notify: Notify,
    epoch: impl Fn() -> f64 + Send,
) -> Result<Reply, ApiError> {
    let first = intent.clone();
    off_thread(&journal, move |journal| journal.intend(&first))
        .await
        .map_err(|why| ApiError::Misconfigured(format!("nothing was sent: {why}")))?;
    let task = tokio::spawn(async move { calls.call(request, notify).await });
    // If the task panicked, whether the request was sent is unknown.
    let result = task.await.unwrap_or(Err(ApiError::Lost));
    let outcome = Line::Outcome(mutations::outcome(&intent, &result, epoch()));
    // If this fails the intent stays open, and the next start says so: that is the truth.
    let _ = off_thread(&journal, move |journal| journal.append(&outcome)).await;
    result
}

/// Journals the outcome that the user has set for a write, off the event loop.
pub(super) fn keep_outcome(journal: Journal, outbox: UnboundedSender<Message>, outcome: Outcome) {
    tokio::task::spawn_blocking(move || {
        if let Err(why) = journal.append(&Line::Outcome(outcome)) {
            let why = format!("not saved, and asked again at the next start: {why}");
            let _ = outbox.send(Message::Told(Err(why)));
        }
    });
}

/// Writes to the journal off the caller's thread: it waits for the disk.
async fn off_thread(
    journal: &Journal,
    write: impl FnOnce(&Journal) -> Result<(), String> + Send + 'static,
) -> Result<(), String> {
    let journal = journal.clone();
    tokio::task::spawn_blocking(move || write(&journal))
        .await
        .unwrap_or_else(|lost| Err(lost.to_string()))
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
            at: 7.0,
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
        let told = inbox.recv().await;
        assert!(
            matches!(&told, Some(Message::Told(Err(why))) if why.starts_with("not saved")),
            "{told:?}"
        );
    }
}

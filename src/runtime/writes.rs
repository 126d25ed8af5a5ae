//! Sends a write between its two lines in the journal: the same for the dashboard and for commands.

use std::io;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use super::calls::{Calls, Notify};
use crate::api::{ApiError, Reply, Request};
use crate::app::{Message, Profile, mutations};
use crate::cli::Settings;
use crate::domain::journal::{self, Entry, Intent, Line, Outcome};
use crate::store::{Journal, Paths};

/// The journal of writes, if it can be opened.
#[derive(Debug, Default)]
pub struct History {
    /// The file; `None` if writes are not recorded.
    pub journal: Option<Journal>,
    /// The writes of the profile, oldest first.
    pub entries: Vec<Entry>,
    /// A notice for the person about it.
    pub note: Option<String>,
}

impl History {
    /// Opens the journal and reads the writes of `profile`.
    pub fn open(settings: &Settings, profile: &Profile) -> Self {
        let unkept = |why: String| Self {
            note: Some(format!("Write history is not saved: {why}")),
            ..Self::default()
        };
        let Some(path) = settings.paths.as_ref().map(Paths::journal_file) else {
            return unkept("no home directory".to_owned());
        };
        let opened = Journal::open(&path).and_then(|journal| Ok((journal.read()?, journal)));
        let (kept, journal) = match opened {
            Ok(opened) => opened,
            Err(error) => return unkept(format!("{}: {error}", path.display())),
        };
        let note = (kept.unreadable > 0).then(|| {
            format!(
                "Can't read {} lines of {}: writes may be missing here.",
                kept.unreadable,
                path.display()
            )
        });
        let is_own = |entry: &Entry| {
            // The embedded sandbox listens at another address in every run.
            entry.intent.profile == profile.name
                && (profile.is_sandbox || entry.intent.address == profile.base_url)
        };
        let entries = journal::entries(kept.lines).into_iter().filter(is_own);
        Self {
            journal: Some(journal),
            entries: entries.collect(),
            note,
        }
    }
}

/// Sends a write between its two lines in the journal. Nothing is sent if the first line cannot be
/// written; without a journal the write is sent unrecorded. `epoch` returns the time in seconds since
/// 1970.
pub async fn journalled(
    calls: Arc<dyn Calls>,
    journal: Option<Arc<Journal>>,
    request: Request,
    intent: Intent,
    notify: Notify,
    epoch: impl Fn() -> f64 + Send,
) -> Result<Reply, ApiError> {
    if let Some(journal) = &journal {
        let line = Line::Intent(intent.clone());
        append(journal, line).await.map_err(|error| {
            let path = journal.path().display();
            ApiError::Misconfigured(format!(
                "nothing was sent: can't save the write history in {path}: {error}"
            ))
        })?;
    }
    let task = tokio::spawn(async move { calls.call(request, notify).await });
    // If the task panicked, whether the request was sent is unknown.
    let result = task.await.unwrap_or(Err(ApiError::Lost));
    if let Some(journal) = &journal {
        let outcome = mutations::outcome(&intent, &result, epoch());
        // If this fails the intent stays open, and the next start says so: that is the truth.
        let _ = append(journal, Line::Outcome(outcome)).await;
    }
    result
}

/// Journals the outcome that the user has set for a write, off the event loop.
pub(super) fn keep_outcome(
    journal: Option<Arc<Journal>>,
    outbox: UnboundedSender<Message>,
    outcome: Outcome,
) {
    let Some(journal) = journal else { return };
    tokio::task::spawn_blocking(move || {
        if let Err(error) = journal.append(&Line::Outcome(outcome)) {
            let path = journal.path().display();
            let why = format!("not saved, and asked again at the next start: {path}: {error}");
            let _ = outbox.send(Message::Saved(Err(why)));
        }
    });
}

/// Adds a line to the journal, off the caller's thread: it waits for the disk.
async fn append(journal: &Arc<Journal>, line: Line) -> io::Result<()> {
    let journal = Arc::clone(journal);
    tokio::task::spawn_blocking(move || journal.append(&line))
        .await
        .unwrap_or_else(|lost| Err(io::Error::other(lost)))
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::domain::journal::Verdict;

    #[tokio::test]
    async fn a_decision_is_journaled_or_the_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&folder.path().join("writes.jsonl")).unwrap());
        let outcome = Outcome {
            key: "key".to_owned(),
            at: 7.0,
            verdict: Verdict::Refused,
            words: "not created, as you decided".to_owned(),
        };
        let (outbox, mut inbox) = unbounded_channel();
        keep_outcome(Some(Arc::clone(&journal)), outbox, outcome.clone());
        // The end of the messages is the end of the work.
        assert!(inbox.recv().await.is_none());
        let kept = journal.read().unwrap();
        assert_eq!(kept.lines, [Line::Outcome(outcome.clone())]);

        // A directory stands where the file was: it cannot be written.
        std::fs::remove_file(journal.path()).unwrap();
        std::fs::create_dir(journal.path()).unwrap();
        let (outbox, mut inbox) = unbounded_channel();
        keep_outcome(Some(journal), outbox, outcome);
        let told = inbox.recv().await;
        assert!(
            matches!(&told, Some(Message::Saved(Err(why))) if why.starts_with("not saved")),
            "{told:?}"
        );
    }
}

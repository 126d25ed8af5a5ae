//! Writes files off the event loop.
//!
//! One thread runs one job after another, so that an older state never replaces a newer one.
//! Quitting waits for the pending jobs, up to a limit.

use crate::core::message::{EffectError, News};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use crate::api::redact::KnownSecrets;
use crate::core::exported::{AnyContent, NotWritten, Written};
use crate::core::{Message, Ticket};
use crate::domain::document::{AnyDocument, AnyEdit};
use crate::domain::secrets::Known;
use crate::domain::text::visible;
use crate::features::DOCUMENTS;
use crate::store::StateStore;
use crate::store::export::{self, ExportError};

/// Maximum wait for the pending jobs when quitting.
const PATIENCE: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) enum Job {
    Save {
        /// The ticket for the result; `None` if the program ends and nobody waits for it.
        ticket: Option<Ticket>,
        edit: AnyEdit,
    },
    Export {
        ticket: Ticket,
        path: String,
        content: AnyContent,
        /// Whether an existing file is replaced.
        overwrite: bool,
        /// Whether only its owner may read it.
        is_private: bool,
    },
    /// A marker: reports that all jobs before it are written.
    Reached(oneshot::Sender<()>),
}

#[derive(Debug)]
pub(super) struct DiskWriter {
    jobs: Option<Sender<Job>>,
    ended: Receiver<()>,
}

impl DiskWriter {
    /// A thread that saves to `state_store`, without `secrets`, and reports to `outbox`.
    ///
    /// Without a store all changes are in memory only, and a notice says so at the start.
    pub fn start(state_store: Option<StateStore>, secrets: KnownSecrets, outbox: UnboundedSender<Message>) -> Self {
        let (jobs, inbox) = channel();
        let (end, ended) = channel();
        let run = move || {
            work(state_store.as_ref(), &secrets, &inbox, &outbox);
            let _ = end.send(());
        };
        let thread = thread::Builder::new().name("disk writer".to_owned()).spawn(run);
        Self {
            // Without a thread, jobs are refused and reported as such.
            jobs: thread.ok().map(|_| jobs),
            ended,
        }
    }

    /// Resolves when every job queued so far is done; with an error if there is no thread.
    pub fn written(&self) -> oneshot::Receiver<()> {
        let (reached, written) = oneshot::channel();
        self.take(Job::Reached(reached));
        written
    }

    /// Queues a job; false if there is no thread.
    pub fn take(&self, job: Job) -> bool {
        self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok())
    }

    /// Waits until all jobs are done, at most two seconds; none is accepted afterwards.
    pub fn finish(&mut self) {
        if self.jobs.take().is_some() {
            let _ = self.ended.recv_timeout(PATIENCE);
        }
    }
}

impl Drop for DiskWriter {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Saves and exports as the jobs of the inbox ask, in their order and without known `secrets`, until their
/// sender is gone, and sends each result as news of the job's ticket, if it has one.
fn work(
    state_store: Option<&StateStore>,
    secrets: &KnownSecrets,
    inbox: &Receiver<Job>,
    outbox: &UnboundedSender<Message>,
) {
    for job in inbox {
        let known = secrets.known();
        let (ticket, news) = match job {
            Job::Save { ticket, edit } => (ticket, News::Saved(save(&edit, state_store, &known))),
            Job::Export {
                ticket,
                path,
                content,
                overwrite,
                is_private,
            } => {
                let content = content.text();
                let content = known.remove(&content);
                let write = writer(is_private);
                let written = write(&path, content.as_bytes(), overwrite);
                (Some(ticket), News::Written(exported(written, &content)))
            }
            Job::Reached(reached) => {
                // The receiver may be gone.
                let _ = reached.send(());
                continue;
            }
        };
        if let Some(ticket) = ticket {
            let _ = outbox.send(Message::News { ticket, news });
        }
    }
}

/// Saves an edit of a document of any kind, without known secrets; returns the new content.
fn save(edit: &AnyEdit, state_store: Option<&StateStore>, known: &Known) -> Result<AnyDocument, EffectError> {
    let mut attempts = DOCUMENTS
        .iter()
        .filter_map(|kind| (kind.save)(state_store, edit, known));
    let saved = attempts.next().ok_or_else(|| EffectError::new("it has no file"))?;
    saved.map_err(EffectError::new)
}

type Writer = fn(&str, &[u8], bool) -> Result<PathBuf, ExportError>;

/// The function that writes an exported file, readable by its owner only if it is private.
const fn writer(is_private: bool) -> Writer {
    if is_private {
        export::write_private
    } else {
        export::write
    }
}

/// The result of an export for display: the path, and the size of `content` in bytes, or the path of the file
/// that exists already, or the error. Paths and errors are escaped and cut at 1,000 characters.
fn exported(result: Result<PathBuf, ExportError>, content: &str) -> Result<Written, NotWritten> {
    let shown = |path: &std::path::Path| visible(&path.to_string_lossy(), 1000);
    match result {
        Ok(path) => Ok(Written {
            path: shown(&path),
            bytes: content.len(),
        }),
        Err(ExportError::Exists(path)) => Err(NotWritten::Exists(shown(&path))),
        Err(error) => Err(NotWritten::Failed(visible(&error.to_string(), 1000))),
    }
}

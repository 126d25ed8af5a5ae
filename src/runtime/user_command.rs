//! Runs a user's command and journals its start and end.

use std::time::Duration;

use super::writes::off_thread;
use crate::api::redact::KnownSecrets;
use crate::core::message::{Ran, RunCommand};
use crate::domain::journal::{CommandEnd, Line, clean};
use crate::domain::time::UnixTime;
use crate::process::{self, Captured};
use crate::store::Journal;

/// Maximum time of a command, whose prompts nobody sees.
const PATIENCE: Duration = Duration::from_mins(10);

/// Maximum length of the shown output, in bytes.
const MOST: usize = 256 * 1024;

/// Journals the start of a command, runs it for at most 10 minutes, and journals its end; returns its status
/// and up to 256 KiB of its output, without secrets. `clock` returns the current time.
///
/// The command does not run if its start cannot be journalled. If only its end cannot, the status says so.
pub(super) async fn run(
    journal: Journal,
    command: RunCommand,
    secrets: KnownSecrets,
    clock: impl Fn() -> UnixTime,
) -> Ran {
    let RunCommand { record, environment } = command;
    let words = record.words.clone();
    let key = record.key.clone();
    let mut first = record;
    first.words = first.words.iter().map(|word| clean(&secrets.remove(word))).collect();
    if let Err(why) = off_thread(&journal, move |journal| journal.append(&Line::Command(first))).await {
        return not_run(format!("not run: {why}"));
    }
    let mut ran = match process::capture(&words, environment, PATIENCE, MOST).await {
        Ok(captured) => describe(&captured, &secrets),
        Err(why) => not_run(why.to_string()),
    };
    let end = CommandEnd {
        key,
        at: clock(),
        status: clean(&ran.status),
    };
    let saved = off_thread(&journal, move |journal| journal.append(&Line::CommandEnd(end))).await;
    if let Err(why) = saved {
        ran.status = format!("{}; not in the write history: {why}", ran.status);
    }
    ran
}

/// The result of a command that did not run or took too long, with its status as a phrase.
fn not_run(status: String) -> Ran {
    Ran {
        status,
        is_error: true,
        output: String::new(),
        is_cut: false,
    }
}

/// The result of a command that has ended: `done` or its exit status, and its output without known secrets.
fn describe(captured: &Captured, secrets: &KnownSecrets) -> Ran {
    let output = String::from_utf8_lossy(&captured.output);
    let is_error = !captured.status.success();
    Ran {
        status: if is_error {
            captured.status.to_string()
        } else {
            "done".to_owned()
        },
        is_error,
        output: secrets.remove(&output).into_owned(),
        is_cut: captured.is_cut,
    }
}

//! Writes of earlier commands with an unknown outcome: reported before another write, and settled
//! by the user.

use super::super::create_args::Settlement;
use super::super::output::{self, CliError};
use super::{Write, not_sent};
use crate::api::Request;
use crate::api::client::current_time;
use crate::core::mutations::Mutations;
use crate::core::unsettled;
use crate::domain::format;
use crate::domain::journal::{Entry, Line, Verdict};
use crate::store::Journal;

impl Write {
    /// Whether an earlier write is of the same kind and subject.
    fn is_about(&self, entry: &Entry) -> bool {
        entry.intent.kind == self.kind && entry.intent.subject == self.subject
    }
}

/// Notes on stderr the earlier writes of other subjects with an unknown outcome, then the latest one of the
/// same kind and subject, with the check to make.
pub(super) fn print_unsettled(mutations: &Mutations, write: &Write) {
    for entry in mutations.unsettled_before().filter(|entry| !write.is_about(entry)) {
        output::note(&unsettled::describe(entry));
    }
    let mut past = mutations.past(write.kind);
    let open = past.find(|entry| write.is_about(entry) && entry.verdict() == Verdict::Unknown);
    if let Some(entry) = open {
        output::note(&format!(
            "the outcome of the request of {} UTC is unknown. {}",
            format::moment(entry.intent.at),
            write.check
        ));
    }
}

/// Settles identical earlier creations by `--earlier`; true if they were created, so that nothing is left to
/// send. Always false for other writes.
///
/// # Errors
///
/// If one is unsettled without `--earlier`, if there is none to mark as created, or the journal cannot be
/// written.
pub(super) fn settle(mutations: &mut Mutations, journal: &Journal, write: &Write) -> Result<bool, CliError> {
    let Request::CreateWorkergroup(new) = &write.request else {
        return Ok(false);
    };
    let is_created = write.settle == Some(Settlement::Created);
    if is_created && mutations.unsettled_like(new).is_none() {
        return Err(not_sent("there is no such creation with an unknown outcome"));
    }
    while let Some(entry) = mutations.unsettled_like(new) {
        let key = entry.intent.key.clone();
        let (verdict, words) = match write.settle {
            Some(Settlement::Created) => (Verdict::Done, "created, as you decided"),
            Some(Settlement::NotCreated) => (Verdict::Refused, "not created, as you decided"),
            None => {
                return Err(not_sent(
                    "the same was sent before, and it is unknown whether it was created.\n\
                     Add --earlier created to send nothing, or --earlier not-created to send it",
                ));
            }
        };
        let outcome = mutations.settle(&key, verdict, words, current_time());
        if let Some(outcome) = outcome {
            let kept = journal.append(&Line::Outcome(outcome));
            kept.map_err(|error| not_sent(&error.to_string()))?;
        }
    }
    if is_created {
        output::note("marked as created: nothing was sent");
    }
    Ok(is_created)
}

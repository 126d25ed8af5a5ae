//! Adds responses, each in one transaction.

use rusqlite::TransactionBehavior;

use super::{Database, HistoryError, retention, scopes};
use crate::{Moment, Poll};

/// The number of polls between two checks of the record's age: deleting in small parts is quick.
///
/// About eight hours of a poll a minute.
pub(super) const SWEEP_EVERY: u32 = 500;

impl Database {
    /// Adds a poll, and from time to time deletes the part of the record beyond its limits. Writes nothing
    /// and returns false for workergroups, or if its scope already has one of the same second or up to about
    /// a minute later, from another program.
    ///
    /// If the clock was set back, the poll is recorded after a gap, see [`crate::place`].
    ///
    /// # Errors
    /// If it cannot be written; then nothing of it is.
    pub fn record(&mut self, poll: &Poll) -> Result<bool, HistoryError> {
        self.reopen_if_moved()?;
        let mut write = || {
            // The writes depend on these reads: no other program may write in between.
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.connection.transaction_with_behavior(behavior)?;
            let at = scopes::add(&transaction, &self.market, poll)?;
            // Otherwise nothing was written except the id of a new scope.
            if at.is_some() {
                transaction.commit()?;
            }
            Ok(at)
        };
        let written = write();
        let Some(at) = written.map_err(|error| self.explained(&error))? else {
            return Ok(false);
        };
        self.keep_size(at)?;
        Ok(true)
    }

    /// Deletes the part of the record beyond the limits after a poll at `at`, if the file is too large or 500
    /// polls were written since the last check.
    pub(super) fn keep_size(&mut self, at: Moment) -> Result<(), HistoryError> {
        self.unswept += 1;
        let size = retention::size(&self.connection).map_err(|error| self.explained(&error))?;
        if self.unswept >= SWEEP_EVERY || size > self.limits.size {
            self.unswept = 0;
            self.sweep(at)?;
        }
        Ok(())
    }
}

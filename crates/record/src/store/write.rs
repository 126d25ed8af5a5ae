//! Adding responses, each in one transaction.

use rusqlite::{Connection, TransactionBehavior};

use super::{Database, HistoryError, prepend, retention, scopes};
use crate::{Moment, Poll};

// About eight hours of a poll a minute.
/// Polls between two looks at the age of what is kept: deleting in small parts is quick.
pub(super) const SWEEP_EVERY: u32 = 500;

impl Database {
    /// Adds a poll. Writes nothing and returns false if its scope already has one of the same second
    /// or just after it, from another program. If the clock was set back, the poll is recorded after a
    /// gap, see [`crate::place`].
    ///
    /// # Errors
    ///
    /// When it cannot be written; nothing of it is then.
    pub fn record(&mut self, poll: &Poll) -> Result<bool, HistoryError> {
        self.write(|connection, market| scopes::add(connection, market, poll))
    }

    /// Adds the past of a market from before its first response, oldest first: all of it or, on an error, nothing.
    /// Returns whether anything was missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_past(&mut self, polls: &[Poll]) -> Result<bool, HistoryError> {
        self.write(|connection, market| prepend::add(connection, market, polls))
    }

    /// Writes what `add` adds to a market; false if it returns no time of a response, since nothing was missing.
    fn write(
        &mut self,
        add: impl FnOnce(&Connection, &str) -> rusqlite::Result<Option<Moment>>,
    ) -> Result<bool, HistoryError> {
        self.follow()?;
        let write = || {
            // What is read here decides what is written: no other program may write in between.
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.connection.transaction_with_behavior(behavior)?;
            let at = add(&transaction, &self.market)?;
            // Else nothing was written but, of a new scope, its number.
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

    /// Deletes what is too old or too much after a poll at `at`.
    fn keep_size(&mut self, at: Moment) -> Result<(), HistoryError> {
        self.unswept += 1;
        let size = retention::size(&self.connection).map_err(|error| self.explained(&error))?;
        if self.unswept >= SWEEP_EVERY || size > self.limits.size {
            self.unswept = 0;
            self.sweep(at)?;
        }
        Ok(())
    }
}

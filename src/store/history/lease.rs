//! Who polls a search when several programs watch it.

use rusqlite::params;

use super::{Database, HistoryError};
use crate::domain::history::{Moment, SearchKey};

/// A lease that ends later than this was written by a clock that was wrong, in seconds.
pub(super) const LONGEST: i64 = 86_400;

/// A program that polls: its process and a random number, since process ids return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder(pub(super) String);

impl Holder {
    pub fn of_process() -> Self {
        Self(format!("{}-{:016x}", std::process::id(), fastrand::u64(..)))
    }
}

impl Database {
    /// Takes or renews the lease of a search for three intervals of `every` seconds; false while
    /// another program holds it.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn lease(
        &mut self,
        search: &SearchKey,
        holder: &Holder,
        now: Moment,
        every: u32,
    ) -> Result<bool, HistoryError> {
        let until = now.0.saturating_add(3 * i64::from(every));
        let search = self.search(search)?;
        self.connection
            .prepare_cached(
                "INSERT INTO lease (search, holder, until) VALUES (?1, ?2, ?3)
                 ON CONFLICT (search) DO UPDATE SET holder = ?2, until = ?3
                 WHERE holder = ?2 OR until <= ?4 OR until > ?5",
            )
            .and_then(|mut take| {
                let latest = now.0.saturating_add(LONGEST);
                take.execute(params![search, holder.0, until, now.0, latest])
            })
            .map(|taken| taken == 1)
            .map_err(|error| self.explained(&error))
    }

    /// Takes the lease of a search from whoever has it, for a program that shows the rows: one that
    /// prints changes can read them in the record.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn take_over(
        &mut self,
        search: &SearchKey,
        holder: &Holder,
        now: Moment,
        every: u32,
    ) -> Result<(), HistoryError> {
        let until = now.0.saturating_add(3 * i64::from(every));
        let search = self.search(search)?;
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO lease (search, holder, until) VALUES (?1, ?2, ?3)",
            )
            .and_then(|mut take| take.execute(params![search, holder.0, until]))
            .map(drop)
            .map_err(|error| self.explained(&error))
    }

    /// Lets other programs poll one search.
    ///
    /// # Errors
    ///
    /// When the database cannot be written; the lease then ends by itself.
    pub fn give_back_lease(
        &mut self,
        search: &SearchKey,
        holder: &Holder,
    ) -> Result<(), HistoryError> {
        let search = self.search(search)?;
        self.connection
            .prepare_cached("DELETE FROM lease WHERE search = ?1 AND holder = ?2")
            .and_then(|mut delete| delete.execute(params![search, holder.0]))
            .map(drop)
            .map_err(|error| self.explained(&error))
    }

    /// Lets other programs poll.
    ///
    /// # Errors
    ///
    /// When the database cannot be written; the lease then ends by itself.
    pub fn release(&mut self, holder: &Holder) -> Result<(), HistoryError> {
        let release = |table| {
            let delete = format!("DELETE FROM {table} WHERE holder = ?1");
            self.connection.execute(&delete, params![holder.0])
        };
        release("lease")
            .and_then(|_| release("turn"))
            .map(drop)
            .map_err(|error| self.explained(&error))
    }
}

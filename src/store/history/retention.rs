//! How much is kept: by age, and by the size of the file.

use rusqlite::{Connection, TransactionBehavior, params};

use super::{Database, HistoryError, block};
use crate::domain::history::Moment;

/// Pages that are given back to the file system at a time: 4 MiB.
const PAGES: i64 = 1024;

/// The share of the closed spells that goes when the file is too large.
const SHARE: i64 = 10;

/// What is kept of the past.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Seconds.
    pub age: i64,
    /// Bytes of the file.
    pub size: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            age: 90 * 86_400,
            size: 200 * 1024 * 1024,
        }
    }
}

impl Database {
    /// Deletes what exceeds the limits, oldest first, seals the days that are over and shrinks the
    /// file.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn sweep(&mut self, now: Moment) -> Result<(), HistoryError> {
        let limits = self.limits;
        let sweep = |connection: &mut Connection| {
            forget_before(connection, now.0.saturating_sub(limits.age))?;
            while size(connection)? > limits.size {
                let before = connection.total_changes();
                let Some(oldest) = oldest_share(connection)? else {
                    break;
                };
                forget_before(connection, oldest)?;
                if connection.total_changes() == before {
                    break;
                }
            }
            block::seal(connection)?;
            shrink(connection)
        };
        sweep(&mut self.connection).map_err(|error| self.explained(&error))
    }
}

/// Bytes of the pages in use; freed ones are used again first.
pub(super) fn size(connection: &Connection) -> rusqlite::Result<i64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let used = pragma("page_count")? - pragma("freelist_count")?;
    Ok(used * pragma("page_size")?)
}

/// The end of the oldest tenth of the closed spells; without any, of the polls.
fn oldest_share(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let counted = |table: &str, column: &str| {
        let count: i64 =
            connection.query_row(&format!("SELECT count({column}) FROM {table}"), [], |row| {
                row.get(0)
            })?;
        if count == 0 {
            return Ok(None);
        }
        connection
            .query_row(
                &format!(
                    "SELECT {column} FROM {table} WHERE {column} IS NOT NULL
                     ORDER BY {column} LIMIT 1 OFFSET ?1"
                ),
                [count / SHARE],
                |row| row.get(0),
            )
            // The one at the border goes too, so that something always does.
            .map(|at: i64| Some(at.saturating_add(1)))
    };
    match counted("spell", "ended")? {
        Some(border) => Ok(Some(border)),
        None => counted("poll", "at"),
    }
}

/// Deletes polls before `border` with the spells that ended before it: without them, the time would
/// look like one in which nothing was on offer.
fn forget_before(connection: &mut Connection, border: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "DELETE FROM spell WHERE ending IS NOT NULL AND ended < ?1",
        params![border],
    )?;
    // Those on offer at the last poll of a search that nobody has run since.
    transaction.execute(
        "DELETE FROM spell WHERE ending IS NULL AND search IN
         (SELECT id FROM search WHERE coalesce(
             (SELECT max(at) FROM poll WHERE poll.search = search.id), ?1 - 1) < ?1)",
        params![border],
    )?;
    transaction.execute("DELETE FROM poll WHERE at < ?1", params![border])?;
    transaction.execute("DELETE FROM ring WHERE at < ?1", params![border])?;
    transaction.execute("DELETE FROM block WHERE since < ?1", params![border])?;
    transaction.execute(
        "DELETE FROM search WHERE id NOT IN (SELECT search FROM poll)",
        [],
    )?;
    transaction.execute(
        "DELETE FROM lot WHERE id NOT IN (SELECT lot FROM spell)",
        [],
    )?;
    transaction.commit()
}

/// Gives free pages back in small parts, so that other programs need not wait.
fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    loop {
        let free: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
        if free < PAGES {
            return Ok(());
        }
        // It frees a page for each row that is read.
        let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
        let mut rows = statement.query([])?;
        while rows.next()?.is_some() {}
        let left: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
        if left >= free {
            // A file that another tool made without this option.
            return Ok(());
        }
    }
}

//! How much is kept: by age, and by the size of the file.
//!
//! A clock that runs ahead must delete nothing. So age is time that the record itself shows to have passed:
//! the time from poll to poll, of which a pause counts as a day at most. However wrong a clock is, a poll
//! at its time makes the rest a day older.

use rusqlite::{Connection, TransactionBehavior, params};

use super::{Database, HistoryError, block};
use crate::Moment;

// In small steps, so that other programs need not wait for their turn to write.
/// Pages that are given back to the file system at a time: 4 MiB.
const PAGES: i64 = 1024;

// A tenth at a time: deleting row by row would take as many looks at the size.
/// The share of the closed spells that goes when the file is too large.
const SHARE: i64 = 10;

/// What is kept of the past.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Seconds, in which a pause of more than a day counts as one.
    pub age: i64,
    /// Bytes of the file.
    pub size: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Verdicts look back 30 days and weekdays need three weeks; the rest is for the charts.
            age: 90 * 86_400,
            // Thirty days of a market polled every minute take about 66 MiB, so that 90 days fit.
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
            let oldest = border(connection, now, limits.age)?;
            forget_before(connection, oldest)?;
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

// A clock that jumps ahead ages the record by a day, not by the jump.
/// The longest pause between two polls that counts, in seconds.
const LONGEST_PAUSE: i64 = 86_400;

/// The time, by the clock in use, from which on polls are at most `age` old.
fn border(connection: &Connection, now: Moment, age: i64) -> rusqlite::Result<i64> {
    let mut statement = connection
        .prepare("SELECT DISTINCT at - ahead FROM poll JOIN search ON search.id = poll.search ORDER BY 1 DESC")?;
    let mut rows = statement.query([])?;
    let (mut later, mut left) = (now.0, age);
    while let Some(row) = rows.next()? {
        let at: i64 = row.get(0)?;
        let pause = later.saturating_sub(at).clamp(0, LONGEST_PAUSE);
        if pause > left {
            return Ok(later.saturating_sub(left));
        }
        left -= pause;
        later = at;
    }
    Ok(i64::MIN)
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
        let count: i64 = connection.query_row(&format!("SELECT count({column}) FROM {table}"), [], |row| row.get(0))?;
        if count == 0 {
            return Ok(None);
        }
        connection
            .query_row(
                &format!(
                    "SELECT {column} - ahead FROM {table} JOIN search ON search.id = {table}.search
                     WHERE {column} IS NOT NULL ORDER BY 1 LIMIT 1 OFFSET ?1"
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

/// Deletes polls before `border`, by the clock in use, with the spells that ended before it: without
/// them, the time would look like one in which nothing was on offer.
fn forget_before(connection: &mut Connection, border: i64) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let searches: Vec<(i64, i64)> = transaction
        .prepare("SELECT id, ahead FROM search")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (search, ahead) in searches {
        let border = border.saturating_add(ahead);
        for text in [
            "DELETE FROM spell WHERE search = ?1 AND ending IS NOT NULL AND ended < ?2",
            // Those on offer at the last poll of a search that nobody has run since.
            "DELETE FROM spell WHERE search = ?1 AND ending IS NULL
             AND coalesce((SELECT max(at) FROM poll WHERE search = ?1) < ?2, TRUE)",
            "DELETE FROM poll WHERE search = ?1 AND at < ?2",
            "DELETE FROM block WHERE search = ?1 AND since < ?2",
        ] {
            transaction.execute(text, params![search, border])?;
        }
    }
    // What is named by others goes after those that name it.
    transaction.execute("DELETE FROM ring WHERE at < ?1", params![border])?;
    transaction.execute("DELETE FROM search WHERE id NOT IN (SELECT search FROM poll)", [])?;
    transaction.execute("DELETE FROM lot WHERE id NOT IN (SELECT lot FROM spell)", [])?;
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

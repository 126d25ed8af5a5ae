//! Retention: limits on the age of the record and the size of the file.
//!
//! A clock that runs ahead must delete nothing. So age is the time that the record itself proves to have passed: the
//! time from poll to poll, of which a pause counts as a day at most. However wrong a clock is, a poll at its time makes
//! the rest a day older.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Database, HistoryError};
use crate::Moment;

/// The number of pages returned to the file system at a time: 4 MiB.
///
/// In small steps, so that other programs need not wait for their turn to write.
const PAGES: i64 = 1024;

/// The number of lines whose past is deleted at a time, which takes some milliseconds.
const SLICE: i64 = 2000;

/// The share of the past that is deleted when the file is too large: one over this.
///
/// A tenth at a time: deleting row by row would take as many checks of the size.
const SHARE: i64 = 10;

/// The limits on the recorded past.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum age in seconds, in which a pause of more than a day counts as one.
    pub age: i64,
    /// The maximum size of the file, in bytes.
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
    /// Deletes everything of the record beyond its limits on age and size, oldest first, and shrinks the
    /// file. Age is recorded time, in which a pause of more than a day counts as one day.
    ///
    /// # Errors
    /// If the database cannot be written.
    pub fn sweep(&mut self, now: Moment) -> Result<(), HistoryError> {
        let limits = self.limits;
        let sweep = |connection: &mut Connection| {
            let oldest = oldest_kept(connection, now, limits.age)?;
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
            shrink(connection)
        };
        sweep(&mut self.connection).map_err(|error| self.explained(&error))
    }
}

/// The longest pause between two polls that counts in full, in seconds.
///
/// A clock that jumps ahead ages the record by a day, not by the jump.
const LONGEST_PAUSE: i64 = 86_400;

/// The time, by the current clock, from which on polls are at most `age` seconds old, where a longer pause
/// counts as one day; the earliest time if all are.
fn oldest_kept(connection: &Connection, now: Moment, age: i64) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare(&format!("{TIMES} ORDER BY at DESC"))?;
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

/// The size of the database's pages in use, in bytes, without its free pages, which are reused first.
pub(super) fn size(connection: &Connection) -> rusqlite::Result<i64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let used = pragma("page_count")? - pragma("freelist_count")?;
    Ok(used * pragma("page_size")?)
}

/// The tables of the record of version 0.1, and those of the record since: of searches or scopes, of the times in which
/// they contained an offer, and of responses.
pub(super) const RECORDS: [[&str; 3]; 2] = [["search", "spell", "poll"], ["scope", "member", "response"]];

/// The times of all responses, by the current clock.
pub(super) const TIMES: &str = "SELECT at - ahead AS at FROM poll JOIN search ON search.id = poll.search
    UNION ALL SELECT at - ahead FROM response JOIN scope ON scope.id = response.scope";

/// The end of the oldest tenth of the responses; `None` if the record is empty.
fn oldest_share(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let count: i64 = connection.query_row(&format!("SELECT count(*) FROM ({TIMES})"), [], |row| row.get(0))?;
    connection
        .query_row(
            &format!("{TIMES} ORDER BY at LIMIT 1 OFFSET ?1"),
            [count / SHARE],
            // Includes the one at the border, so that something is always deleted.
            |row| row.get(0).map(|at: i64| at.saturating_add(1)),
        )
        .optional()
}

/// Deletes responses before `border`, by the current clock, with everything that ended before it, what was on
/// offer in searches without a later response, and old notifications; search by search and some lines at a
/// time: other programs write in between.
///
/// Without them, the time would look like one in which nothing was on offer.
fn forget_before(connection: &mut Connection, border: i64) -> rusqlite::Result<()> {
    for [of, times, responses] in RECORDS {
        for (id, ahead) in clocks(connection, &format!("SELECT id, ahead FROM {of}"))? {
            let border = border.saturating_add(ahead);
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for text in [
                format!("DELETE FROM {times} WHERE {of} = ?1 AND ending IS NOT NULL AND ended < ?2"),
                // Those on offer in the last response to a search that was not sent since.
                format!(
                    "DELETE FROM {times} WHERE {of} = ?1 AND ending IS NULL
                    AND coalesce((SELECT max(at) FROM {responses} WHERE {of} = ?1) < ?2, TRUE)"
                ),
                format!("DELETE FROM {responses} WHERE {of} = ?1 AND at < ?2"),
                format!(
                    "DELETE FROM {of} WHERE id = ?1 AND ?2 IS NOT NULL AND NOT EXISTS
                    (SELECT 1 FROM {responses} WHERE {of} = ?1)"
                ),
            ] {
                transaction.execute(&text, params![id, border])?;
            }
            transaction.commit()?;
        }
    }
    connection.execute("DELETE FROM ring WHERE at < ?1", params![border])?;
    connection.execute("DELETE FROM lot WHERE id NOT IN (SELECT lot FROM spell)", [])?;
    // Changes are deleted after the responses: without these nothing is concluded from old values of fields.
    let markets = "SELECT id, coalesce((SELECT max(ahead) FROM scope WHERE market = market.id), 0) FROM market";
    for (market, ahead) in clocks(connection, markets)? {
        forget_changes(connection, market, border.saturating_add(ahead))?;
    }
    Ok(())
}

/// The ids that a statement selects, and the seconds by which the times of each are ahead of the clock.
fn clocks(connection: &Connection, statement: &str) -> rusqlite::Result<Vec<(i64, i64)>> {
    let mut statement = connection.prepare(statement)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Deletes changes until `border`, and lines that no scope contained since, some lines at a time.
fn forget_changes(connection: &mut Connection, market: i64, border: i64) -> rusqlite::Result<()> {
    let mut from = i64::MIN;
    loop {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let until: Option<i64> = transaction.query_row(
            "SELECT max(id) FROM (SELECT id FROM line WHERE id > ?1 AND market = ?3 ORDER BY id LIMIT ?2)",
            [from, SLICE, market],
            |row| row.get(0),
        )?;
        let Some(until) = until else {
            return transaction.commit();
        };
        for text in [
            "DELETE FROM change WHERE until <= ?4
             AND line IN (SELECT id FROM line WHERE id > ?1 AND id <= ?2 AND market = ?3)",
            "DELETE FROM line WHERE id > ?1 AND id <= ?2 AND market = ?3 AND ?4 IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM member WHERE member.line = line.id)",
        ] {
            transaction.execute(text, [from, until, market, border])?;
        }
        transaction.commit()?;
        from = until;
    }
}

/// Returns free pages of the database file to the file system, in small parts, so that other programs need
/// not wait; fewer than 1024 are left. No effect on a file that was created without incremental vacuum.
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
            // A file that another tool created without this option.
            return Ok(());
        }
    }
}

//! Retention: limits on the age of the record and the size of the file.
//!
//! A clock that runs ahead must delete nothing. So age is the time that the record itself proves to have passed: the
//! time from poll to poll, of which a pause counts as a day at most. However wrong a clock is, a poll at its time makes
//! the rest a day older.

use rusqlite::{Connection, TransactionBehavior, params};

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
    /// Deletes everything beyond the limits, oldest first, and shrinks the file.
    ///
    /// # Errors
    /// If the database cannot be written.
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
            shrink(connection)
        };
        sweep(&mut self.connection).map_err(|error| self.explained(&error))
    }
}

/// The longest pause between two polls that counts in full, in seconds.
///
/// A clock that jumps ahead ages the record by a day, not by the jump.
const LONGEST_PAUSE: i64 = 86_400;

/// The time, by the current clock, from which on polls are at most `age` old.
fn border(connection: &Connection, now: Moment, age: i64) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare(
        "SELECT at - ahead FROM poll JOIN search ON search.id = poll.search
         UNION SELECT at - ahead FROM response JOIN scope ON scope.id = response.scope ORDER BY 1 DESC",
    )?;
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

/// The size of the pages in use, in bytes; free pages are reused first.
pub(super) fn size(connection: &Connection) -> rusqlite::Result<i64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let used = pragma("page_count")? - pragma("freelist_count")?;
    Ok(used * pragma("page_size")?)
}

/// The tables of the past: a table, the column with the end of a row, and the table with the seconds by which that is
/// ahead of the clock.
const PAST: [(&str, &str, &str); 3] = [
    ("spell", "ended", "search ON search.id = spell.search"),
    ("member", "ended", "scope ON scope.id = member.scope"),
    (
        "change",
        "until",
        "line ON line.id = change.line JOIN (SELECT market, max(ahead) AS ahead FROM scope GROUP BY market) AS clock
         ON clock.market = line.market",
    ),
];

/// The tables of responses, old and new.
const RESPONSES: [(&str, &str, &str); 2] = [
    ("poll", "at", "search ON search.id = poll.search"),
    ("response", "at", "scope ON scope.id = response.scope"),
];

/// The end of the oldest tenth of the past; if there is none, of the responses. `None` if the record is empty.
fn oldest_share(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let oldest = |(table, column, clock): (&str, &str, &str)| {
        let count: i64 = connection.query_row(&format!("SELECT count({column}) FROM {table}"), [], |row| row.get(0))?;
        if count == 0 {
            return Ok(None);
        }
        connection
            .query_row(
                &format!(
                    "SELECT {column} - ahead FROM {table} JOIN {clock}
                     WHERE {column} IS NOT NULL ORDER BY 1 LIMIT 1 OFFSET ?1"
                ),
                [count / SHARE],
                |row| row.get(0),
            )
            // Includes the one at the border, so that something is always deleted.
            .map(|at: i64| Some(at.saturating_add(1)))
    };
    let first = |tables: &[(&str, &str, &str)]| {
        let mut earliest: Option<i64> = None;
        for table in tables {
            let oldest: Option<i64> = oldest(*table)?;
            earliest = earliest.into_iter().chain(oldest).min();
        }
        Ok::<_, rusqlite::Error>(earliest)
    };
    match first(&PAST)? {
        Some(border) => Ok(Some(border)),
        None => first(&RESPONSES),
    }
}

/// Deletes polls before `border`, by the current clock, with everything that ended before it.
///
/// Without them, the time would look like one in which nothing was on offer.
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
            // Members on offer at the last poll of a search that was not run since.
            "DELETE FROM spell WHERE search = ?1 AND ending IS NULL
             AND coalesce((SELECT max(at) FROM poll WHERE search = ?1) < ?2, TRUE)",
            "DELETE FROM poll WHERE search = ?1 AND at < ?2",
        ] {
            transaction.execute(text, params![search, border])?;
        }
    }
    // Rows that others refer to are deleted after those.
    transaction.execute("DELETE FROM ring WHERE at < ?1", params![border])?;
    transaction.execute("DELETE FROM search WHERE id NOT IN (SELECT search FROM poll)", [])?;
    transaction.execute("DELETE FROM lot WHERE id NOT IN (SELECT lot FROM spell)", [])?;
    transaction.commit()?;
    forget_evidence(connection, border)
}

/// Deletes responses before `border`, and everything that ended before it, scope by scope and some lines at a time:
/// other programs write in between.
fn forget_evidence(connection: &mut Connection, border: i64) -> rusqlite::Result<()> {
    let scopes: Vec<(i64, i64)> = connection
        .prepare("SELECT id, ahead FROM scope")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (scope, ahead) in scopes {
        let border = border.saturating_add(ahead);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for text in [
            "DELETE FROM member WHERE scope = ?1 AND ended < ?2",
            // Members on offer in the last response to a scope that was not requested since.
            "DELETE FROM member WHERE scope = ?1 AND ended IS NULL
             AND coalesce((SELECT max(at) FROM response WHERE scope = ?1) < ?2, TRUE)",
            "DELETE FROM response WHERE scope = ?1 AND at < ?2",
            "DELETE FROM scope WHERE id = ?1 AND ?2 IS NOT NULL AND NOT EXISTS
             (SELECT 1 FROM response WHERE scope = ?1)",
        ] {
            transaction.execute(text, params![scope, border])?;
        }
        transaction.commit()?;
    }
    // Changes are deleted after the responses: without these nothing is concluded from old values of fields.
    let markets: Vec<(i64, i64)> = connection
        .prepare("SELECT id, coalesce((SELECT max(ahead) FROM scope WHERE market = market.id), 0) FROM market")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    for (market, ahead) in markets {
        forget_changes(connection, market, border.saturating_add(ahead))?;
    }
    Ok(())
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

/// Returns free pages in small parts, so that other programs need not wait.
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

//! What a search was before its first poll: the past of the sandbox, which is simulated.
//!
//! A command may have polled the search before, and several programs may simulate at once: whoever writes first is
//! right, and what is recorded stays.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Database, HistoryError, block, codes, prepend, read, write};
use crate::{Ending, Moment, Poll, PollRow, Proof, Scope, SearchKey, Spell};

impl Database {
    /// Whether a search is recorded from `since` on, or for longer.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn reaches_back(&self, key: &SearchKey, since: Moment) -> Result<bool, HistoryError> {
        let first = || {
            let search = read::search(&self.connection, &self.market, key)?;
            let first = search.map(|search| first(&self.connection, search));
            first.transpose().map(Option::flatten)
        };
        let first = first().map_err(|error| self.explained(&error))?;
        Ok(first.is_some_and(|first| first <= since))
    }

    /// Adds what searches were before they were recorded, oldest first: all of it or, on an error, nothing. Returns
    /// whether anything was missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn record_past(&mut self, polls: &[Poll]) -> Result<bool, HistoryError> {
        self.follow()?;
        let last = self.write_past(polls).map_err(|error| self.explained(&error))?;
        last.map_or(Ok(()), |at| self.keep_size(at))?;
        Ok(last.is_some())
    }

    fn write_past(&mut self, polls: &[Poll]) -> rusqlite::Result<Option<Moment>> {
        let mut keys: Vec<&SearchKey> = Vec::new();
        for poll in polls {
            if !keys.contains(&&poll.search) {
                keys.push(&poll.search);
            }
        }
        // Another program may write its past, or a poll, at the same time.
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let mut last = None;
        for key in keys {
            let polls: Vec<&Poll> = polls.iter().filter(|poll| poll.search == *key).collect();
            last = last.max(prepend(&transaction, &self.market, key, &polls)?);
        }
        last = last.max(prepend::add(&transaction, &self.market, polls)?);
        transaction.commit()?;
        Ok(last)
    }
}

/// The time of the first poll of a search, whatever its outcome.
fn first(connection: &Connection, search: i64) -> rusqlite::Result<Option<Moment>> {
    connection
        .prepare_cached("SELECT min(at) FROM poll WHERE search = ?1")?
        .query_row([search], |row| {
            let at: Option<i64> = row.get(0)?;
            Ok(at.map(Moment))
        })
}

/// Adds the polls before those of a search; the time of the last one that was, if any were.
fn prepend(
    connection: &Connection,
    market: &str,
    key: &SearchKey,
    polls: &[&Poll],
) -> rusqlite::Result<Option<Moment>> {
    let search = read::search(connection, market, key)?;
    let first = search.map(|search| first(connection, search)).transpose()?.flatten();
    let (Some(search), Some(first)) = (search, first) else {
        return add_all(connection, market, polls);
    };
    let is_before = |poll: &&Poll| poll.at.0 + 60 < first.0;
    let before: Vec<&Poll> = polls.iter().copied().filter(is_before).collect();
    // It has its past: of the same hours, as another program simulated them a moment ago.
    if before.len() < 2 {
        return Ok(None);
    }
    // They are recorded beside the search, up to its first poll, and joined with it there.
    let beside = format!("the past of {market}");
    let last = add_all(connection, &beside, &before)?;
    let Some(past) = read::search(connection, &beside, key)? else {
        return Ok(None);
    };
    if let Some(joint) = first_usable(connection, search)? {
        let spells = read::spells_from(connection, search, joint.at)?;
        write::add(connection, &beside, &poll_of(key, joint, spells))?;
        join(connection, (past, search), joint.at)?;
    }
    // The blocks of its days are those of the past, and made again for the others.
    block::unseal(connection, search, i64::MIN)?;
    for table in ["poll", "spell", "block"] {
        connection.execute(
            &format!("UPDATE {table} SET search = ?2 WHERE search = ?1"),
            params![past, search],
        )?;
    }
    connection.execute("DELETE FROM search WHERE id = ?1", [past])?;
    Ok(last)
}

fn add_all(connection: &Connection, market: &str, polls: &[&Poll]) -> rusqlite::Result<Option<Moment>> {
    let mut last = None;
    for poll in polls {
        last = write::add(connection, market, poll)?.or(last);
    }
    Ok(last)
}

/// Makes one spell of each two that meet at a poll, and closes the others of the past.
fn join(connection: &Connection, (past, search): (i64, i64), joint: Moment) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE spell SET (beginning, was, first) =
             (SELECT beginning, was, first FROM spell AS earlier
              WHERE earlier.search = ?1 AND earlier.lot = spell.lot AND earlier.ending IS NULL)
         WHERE search = ?2 AND first = ?3 AND EXISTS
             (SELECT 1 FROM spell AS earlier
              WHERE earlier.search = ?1 AND earlier.lot = spell.lot AND earlier.ending IS NULL)",
        params![past, search, joint.0],
    )?;
    connection.execute(
        "DELETE FROM spell WHERE search = ?1 AND ending IS NULL AND last IS NULL",
        [past],
    )?;
    // A truncated poll did not show these.
    connection.execute(
        "UPDATE spell SET ending = ?2, ended = ?3 WHERE search = ?1 AND ending IS NULL",
        params![past, codes::ending(Ending::LostSight), joint.0],
    )?;
    connection.execute("DELETE FROM poll WHERE search = ?1 AND at = ?2", params![past, joint.0])?;
    Ok(())
}

/// The first poll of a search that says what was on offer.
fn first_usable(connection: &Connection, search: i64) -> rusqlite::Result<Option<PollRow>> {
    connection
        .prepare_cached(
            "SELECT at, took, outcome, found, every, bans, has_lowest FROM poll
             WHERE search = ?1 AND outcome IN (0, 1) ORDER BY at LIMIT 1",
        )?
        .query_row([search], read::poll)
        .optional()
}

/// A recorded poll with its spells as sightings.
pub(super) fn poll_of(key: &SearchKey, row: PollRow, mut spells: Vec<Spell>) -> Poll {
    spells.sort_unstable_by(|left, right| left.lot.cmp(&right.lot));
    Poll {
        search: key.clone(),
        scope: Scope::from_search(key),
        proof: Proof::Nothing,
        lines: Vec::new(),
        at: row.at,
        took: row.took,
        outcome: row.outcome,
        rows: row.rows,
        has_lowest: row.has_lowest,
        interval: row.interval,
        bans: row.bans,
        sightings: spells.into_iter().map(Spell::sighting).collect(),
        causes: Vec::new(),
    }
}

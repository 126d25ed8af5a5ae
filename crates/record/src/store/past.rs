//! The past of a market before its first response: of the sandbox, where it is simulated.
//!
//! It is recorded beside the market, response by response, so that neither memory nor other programs wait for all of
//! it, and joined with the market at the end. Recorded responses stay: a command may have used them.

use std::fs::File;

use bourse_domain::Resource;
use rusqlite::{Connection, TransactionBehavior, params};

use super::line_rows::usable;
use super::{Database, HistoryError, codes, scopes, turn};
use crate::{Beginning, Cause, Ending, Moment, Poll, Proof, attributes};

/// The past of a market while it is recorded. It is deleted if dropped before [`PastWriter::finish`].
#[derive(Debug)]
pub struct PastWriter<'a> {
    database: &'a mut Database,
    /// The temporary name of the market in the record.
    beside: String,
    /// The first response about each resource, by its code, before which the past ends.
    recorded: Vec<(i64, Moment)>,
    last: Option<Moment>,
    /// The lock, so that one program at a time writes a past.
    _lock: Option<File>,
}

impl Database {
    /// Starts to record the time of the market before its first response, and deletes what was left of an
    /// unfinished attempt; `None` while another program does.
    ///
    /// # Errors
    /// If the record cannot be read or written.
    pub fn write_past(&mut self) -> Result<Option<PastWriter<'_>>, HistoryError> {
        self.reopen_if_moved()?;
        let path = self
            .file
            .as_ref()
            .map(|(record, _)| turn::lock_file(record, &self.market, "past"));
        // If files cannot be locked, every program may write.
        let lock = match path.and_then(|path| turn::open(&path).ok()) {
            Some((_, false)) => return Ok(None),
            lock => lock.map(|(file, _)| file),
        };
        let beside = format!("the past of {}", self.market);
        let begin = || {
            // A program that was killed may have left a part.
            forget(&self.connection, &beside)?;
            first_responses(&self.connection, &self.market)
        };
        let recorded = begin().map_err(|error| self.explained(&error))?;
        Ok(Some(PastWriter {
            database: self,
            beside,
            recorded,
            last: None,
            _lock: lock,
        }))
    }
}

impl PastWriter<'_> {
    /// Adds a response, which must be later than those added before. It is ignored unless it is more than a
    /// minute earlier than the first recorded one of its resource.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, poll: &Poll) -> Result<(), HistoryError> {
        let resource = codes::resource(poll.scope.resource);
        let is_late = |(own, first): &(i64, Moment)| *own == resource && poll.at.0 + 60 >= first.0;
        if self.recorded.iter().any(is_late) {
            return Ok(());
        }
        let mut add = || {
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.database.connection.transaction_with_behavior(behavior)?;
            let at = scopes::add(&transaction, &self.beside, poll)?;
            transaction.commit()?;
            Ok(at)
        };
        let at = add().map_err(|error| self.database.explained(&error))?;
        self.last = at.or(self.last);
        Ok(())
    }

    /// Adds the past to the record of the market: all of it or, on an error, nothing. Returns whether it had
    /// any responses.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<bool, HistoryError> {
        let Some(last) = self.last else {
            return Ok(false);
        };
        let mut join = || {
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.database.connection.transaction_with_behavior(behavior)?;
            join(&transaction, &self.beside, &self.database.market)?;
            transaction.commit()
        };
        join().map_err(|error| self.database.explained(&error))?;
        self.database.keep_size(last)?;
        Ok(true)
    }
}

impl Drop for PastWriter<'_> {
    fn drop(&mut self) {
        // Parts that cannot be deleted now are deleted when the next past begins.
        let _ = forget(&self.database.connection, &self.beside);
    }
}

/// Deletes the record of the market with this name: its scopes, lines and their changes.
fn forget(connection: &Connection, market: &str) -> rusqlite::Result<()> {
    for table in ["scope", "line"] {
        let of_market = format!("DELETE FROM {table} WHERE market = (SELECT id FROM market WHERE name = ?1)");
        connection.execute(&of_market, [market])?;
    }
    connection
        .execute("DELETE FROM market WHERE name = ?1", [market])
        .map(drop)
}

/// The time of the first response about each resource that has any, by the resource's code.
///
/// The time of responses before a clock was set back is unknown: then it is 0, and nothing is added.
fn first_responses(connection: &Connection, market: &str) -> rusqlite::Result<Vec<(i64, Moment)>> {
    connection
        .prepare(
            "SELECT resource, CASE max(max(ahead)) OVER () WHEN 0 THEN min(at) ELSE 0 END
             FROM response JOIN scope ON scope.id = scope
             WHERE market = (SELECT id FROM market WHERE name = ?1) GROUP BY resource",
        )?
        .query_map([market], |row| Ok((row.get(0)?, Moment(row.get(1)?))))?
        .collect()
}

/// Makes the past, recorded under the name `beside`, part of the record of a market.
fn join(connection: &Connection, beside: &str, market: &str) -> rusqlite::Result<()> {
    let past = scopes::market_id(connection, beside)?;
    let id = scopes::market_id(connection, market)?;
    connection.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS joint (past INTEGER PRIMARY KEY, line INTEGER, first INTEGER);
         DELETE FROM joint",
    )?;
    connection.execute(
        "INSERT INTO joint SELECT past.id, line.id, (SELECT min(first) FROM member WHERE member.line = line.id)
         FROM line AS past JOIN line USING (resource, offer_type, machine, model, memory, gpus)
         WHERE past.market = ?1 AND line.market = ?2",
        [past, id],
    )?;
    join_changes(connection)?;
    let of_past: Vec<(i64, Option<i64>)> = connection
        .prepare(
            "SELECT past.id, scope.id FROM scope AS past LEFT JOIN scope ON scope.market = ?2
             AND scope.resource = past.resource AND scope.offer_type = past.offer_type
             AND scope.storage = past.storage AND scope.bundled = past.bundled
             AND scope.conditions = past.conditions AND scope.excluded = past.excluded
             WHERE past.market = ?1",
        )?
        .query_map([past, id], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    connection.execute(
        "UPDATE member SET line = (SELECT line FROM joint WHERE past = member.line)
         WHERE line IN (SELECT past FROM joint)",
        [],
    )?;
    for (past, scope) in of_past {
        match scope {
            Some(scope) => join_members(connection, past, scope)?,
            None => connection
                .execute("UPDATE scope SET market = ?2 WHERE id = ?1", [past, id])
                .map(drop)?,
        }
    }
    for (text, parameters) in [
        (
            "DELETE FROM line WHERE id IN (SELECT past FROM joint) AND ?1 != ?2",
            [past, id],
        ),
        ("UPDATE line SET market = ?2 WHERE market = ?1", [past, id]),
        ("DELETE FROM market WHERE id = ?1 AND id != ?2", [past, id]),
    ] {
        connection.execute(text, parameters)?;
    }
    connection.execute_batch("DELETE FROM joint")
}

/// Stores the states of lines before the market's first sight of them, as changes until then, and adds the
/// changes of the past to those of the market.
fn join_changes(connection: &Connection) -> rusqlite::Result<()> {
    let keys = [Resource::Offers, Resource::Volumes].into_iter().flat_map(attributes);
    let mut keys: Vec<&str> = keys.map(|attribute| attribute.field.key).collect();
    keys.extend(["offers", "gpu_mask"]);
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        connection.execute(
            &format!(
                "INSERT OR IGNORE INTO change
                 SELECT joint.line, joint.first, field.id, past.\"{key}\"
                 FROM joint JOIN line AS past ON past.id = joint.past JOIN line ON line.id = joint.line
                 JOIN field ON field.name = ?1
                 WHERE joint.first IS NOT NULL AND past.\"{key}\" IS NOT (
                     SELECT value FROM (
                         SELECT until, value FROM change WHERE change.line = joint.line AND field = field.id
                         UNION ALL SELECT 9223372036854775807, line.\"{key}\") ORDER BY until LIMIT 1)"
            ),
            [key],
        )?;
    }
    connection
        .execute(
            "INSERT OR IGNORE INTO change
             SELECT joint.line, until, field, value FROM change JOIN joint ON joint.past = change.line",
            [],
        )
        .map(drop)
}

/// Moves the memberships and responses of the scope `past` to `scope`, and deletes it. If the first response
/// of `scope` follows without a gap, memberships open at the end of the past continue where that has the
/// line, else they end as gone if it is complete; all others end as lost from sight.
fn join_members(connection: &Connection, past: i64, scope: i64) -> rusqlite::Result<()> {
    if let Some(last) = usable(connection, past, "DESC", 0)? {
        let later = usable(connection, scope, "ASC", 0)?.filter(|next| !last.row.is_gap(next.row.at));
        let next = later.map(|next| (next.at(), next.proof == Proof::Complete));
        let was_complete = last.proof == Proof::Complete;
        let last = last.at();
        let found = codes::beginning(Beginning::Found);
        let listed = codes::beginning(Beginning::Listed);
        if let Some((next, _)) = next {
            connection.execute(
                "UPDATE member SET (first, beginning) = (SELECT first, beginning FROM member AS earlier
                     WHERE earlier.scope = ?1 AND earlier.line = member.line AND earlier.ended IS NULL)
                 WHERE scope = ?2 AND first = ?3 AND EXISTS (SELECT 1 FROM member AS earlier
                     WHERE earlier.scope = ?1 AND earlier.line = member.line AND earlier.ended IS NULL)",
                [past, scope, next],
            )?;
            connection.execute(
                "DELETE FROM member WHERE scope = ?1 AND ended IS NULL AND EXISTS (SELECT 1 FROM member AS later
                     WHERE later.scope = ?2 AND later.line = member.line AND later.first = member.first)",
                [past, scope],
            )?;
            if was_complete {
                connection.execute(
                    "UPDATE member SET beginning = ?3 WHERE scope = ?1 AND first = ?2 AND beginning = ?4",
                    [scope, next, listed, found],
                )?;
            }
        }
        let (ended, ending) = match next {
            Some((next, true)) => (Some(next), Ending::Gone(Cause::Unknown)),
            Some((_, false)) | None => (None, Ending::LostSight),
        };
        connection.execute(
            "UPDATE member SET last = coalesce(last, ?2), ended = coalesce(?3, last, ?2), ending = ?4
             WHERE scope = ?1 AND ended IS NULL",
            params![past, last, ended, codes::ending(ending)],
        )?;
    }
    for table in ["member", "response"] {
        connection.execute(
            &format!("UPDATE {table} SET scope = ?2 WHERE scope = ?1"),
            [past, scope],
        )?;
    }
    connection.execute("DELETE FROM scope WHERE id = ?1", [past]).map(drop)
}

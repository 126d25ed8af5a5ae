//! Writes the memberships: the times in which the polls of a scope contained a line.

use std::collections::HashMap;

use bourse_domain::cost::storage_per_hour;
use rusqlite::{Connection, params};

use super::codes;
use super::scopes::RecordedScope;
use crate::presence::Response;
use crate::state::base_key;
use crate::{Beginning, Cause, Ending, Moment, Poll, Proof, Scope};

/// Continues the memberships of a scope with a usable poll at `at`, whose lines have the ids `lines`: new
/// ones begin (`Listed` if `last` is complete), those of hidden lines end as lost from sight and begin again,
/// and those of lines that it lacks end or are hidden, see [`miss`]. `last` is the usable response before it;
/// without one, or after a gap, all open memberships first end as lost from sight.
pub(super) fn write(
    connection: &Connection,
    scope: RecordedScope,
    (poll, at): (&Poll, Moment),
    last: Option<Response>,
    lines: &[i64],
) -> rusqlite::Result<()> {
    let last = last.filter(|last| !last.row.is_gap(at));
    if last.is_none() {
        lose_sight(connection, scope, at)?;
    }
    let mut open = open(connection, scope)?;
    let beginning = if last.is_some_and(|last| last.proof == Proof::Complete) {
        Beginning::Listed
    } else {
        Beginning::Found
    };
    let mut begin =
        connection.prepare_cached("INSERT INTO member (scope, line, first, beginning) VALUES (?1, ?2, ?3, ?4)")?;
    for line in lines {
        let hidden = match open.remove(line) {
            Some(None) => continue,
            Some(hidden) => hidden,
            None => None,
        };
        // Responses between may lack it: none of them saw it.
        if let Some(seen) = hidden {
            end(connection, (scope, *line), seen, (Ending::LostSight, seen))?;
        }
        begin.execute(params![scope.id, line, at.0, codes::beginning(beginning)])?;
    }
    match last {
        Some(last) => miss(connection, scope, (poll, at), last, open),
        None => Ok(()),
    }
}

/// Treats the `open` memberships of lines that a poll at `at` lacks, each with the time it was last seen,
/// `None` for that of `last`. It ends as gone if the poll is complete and that was within the patience of
/// `last`, and as lost from sight if it was longer ago or the poll would contain the line; else it is hidden,
/// and stays open.
fn miss(
    connection: &Connection,
    scope: RecordedScope,
    (poll, at): (&Poll, Moment),
    last: Response,
    open: HashMap<i64, Option<Moment>>,
) -> rusqlite::Result<()> {
    let patience = last.row.patience();
    let mut hide =
        connection.prepare_cached("UPDATE member SET last = ?3 WHERE scope = ?1 AND line = ?2 AND ended IS NULL")?;
    for (line, hidden) in open {
        let seen = hidden.unwrap_or(last.row.at);
        let is_patient = at.since(seen) <= patience;
        if poll.proof == Proof::Complete && is_patient {
            let gone = Ending::Gone(cause(connection, line, poll)?);
            end(connection, (scope, line), seen, (gone, at))?;
        } else if !is_patient || is_disproved(connection, line, poll)? {
            end(connection, (scope, line), seen, (Ending::LostSight, seen))?;
        } else if hidden.is_none() {
            hide.execute(params![scope.id, line, seen.0])?;
        }
    }
    Ok(())
}

/// Ends the open membership of a line that was last seen at `last`.
fn end(
    connection: &Connection,
    (scope, line): (RecordedScope, i64),
    last: Moment,
    (ending, ended): (Ending, Moment),
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE member SET last = ?3, ended = ?4, ending = ?5 WHERE scope = ?1 AND line = ?2 AND ended IS NULL",
        )?
        .execute(params![scope.id, line, last.0, ended.0, codes::ending(ending)])
        .map(drop)
}

/// Ends the open memberships of a scope as lost from sight, at the time of its last usable response before a
/// moment; those of hidden lines when these were last seen.
fn lose_sight(connection: &Connection, scope: RecordedScope, at: Moment) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE member SET (last, ended, ending) =
                 (SELECT coalesce(member.last, max(at), member.first), coalesce(member.last, max(at), member.first), ?2
                  FROM response WHERE scope = ?1 AND proof < 3 AND at < ?3)
             WHERE scope = ?1 AND ended IS NULL",
        )?
        .execute(params![scope.id, codes::ending(Ending::LostSight), at.0])
        .map(drop)
}

/// The open memberships of a scope: the ids of the lines, each with the time it was last seen, `None` if that
/// was the last usable response.
fn open(connection: &Connection, scope: RecordedScope) -> rusqlite::Result<HashMap<i64, Option<Moment>>> {
    connection
        .prepare_cached("SELECT line, last FROM member WHERE scope = ?1 AND ended IS NULL")?
        .query_map([scope.id], |row| {
            let last: Option<i64> = row.get(1)?;
            Ok((row.get(0)?, last.map(Moment)))
        })?
        .collect()
}

/// Whether a poll would contain a line that it lacks if that were on offer at its recorded price: then it is
/// gone or more expensive. False if the poll is complete neither as a whole nor up to a price, or the line's
/// price is unknown.
fn is_disproved(connection: &Connection, line: i64, poll: &Poll) -> rusqlite::Result<bool> {
    let Scope {
        resource, offer_type, ..
    } = poll.scope;
    let bound = match poll.proof {
        Proof::Complete => return Ok(true),
        Proof::UpTo(bound) => bound,
        Proof::Some | Proof::Nothing => return Ok(false),
    };
    let base = base_key(resource, offer_type);
    let (base, storage): (Option<f64>, Option<f64>) = connection
        .prepare_cached(&format!("SELECT {base}, storage_cost FROM line WHERE id = ?1"))?
        .query_row([line], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let price = base.zip(storage);
    Ok(price.is_some_and(|(base, storage)| base + storage_per_hour(storage, poll.scope.storage) < bound))
}

/// The reason a poll lacks a line; `Unknown` unless the poll has one for its lot.
fn cause(connection: &Connection, line: i64, poll: &Poll) -> rusqlite::Result<Cause> {
    let (machine, model): (i64, String) = connection
        .prepare_cached("SELECT machine, model FROM line WHERE id = ?1")?
        .query_row([line], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut causes = poll.causes.iter();
    let known = causes.find(|(lot, _)| lot.machine == machine && *lot.model == *model);
    Ok(known.map_or(Cause::Unknown, |(_, cause)| *cause))
}

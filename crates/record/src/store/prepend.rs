//! What a market was before its first response: the past of the sandbox, which is simulated.
//!
//! It is recorded beside the market and joined with it at the first response of each scope. What is recorded stays: a
//! command may have asked before, and of several programs that simulate at once the first one to write is right.

use bourse_domain::Resource;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{codes, scopes};
use crate::{Beginning, Cause, Ending, Moment, Poll, attributes, patience};

/// Adds polls from before a market's first response about a resource, oldest first; the time of the last one that was,
/// if any were.
pub(super) fn add(connection: &Connection, market: &str, polls: &[Poll]) -> rusqlite::Result<Option<Moment>> {
    let mut polls: Vec<&Poll> = polls.iter().collect();
    polls.sort_by_key(|poll| poll.at);
    let id = scopes::market_id(connection, market)?;
    let recorded: Vec<(i64, i64, i64)> = connection
        .prepare(
            "SELECT resource, min(at), max(ahead) FROM response JOIN scope ON scope.id = scope WHERE market = ?1
             GROUP BY resource",
        )?
        .query_map([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    if recorded.is_empty() {
        return add_all(connection, market, &polls);
    }
    for (resource, first, _) in &recorded {
        let is_about = |poll: &&Poll| codes::resource(poll.scope.resource) == *resource;
        let is_before = |poll: &&Poll| poll.at.0 + 60 < *first;
        // It has its past: of the same hours, as another program simulated them a moment ago.
        let has_past = polls.iter().filter(|poll| is_about(poll) && is_before(poll)).count() < 2;
        polls.retain(|poll| !is_about(poll) || (!has_past && is_before(poll)));
    }
    // What was before a clock was set back, nobody knows.
    if polls.is_empty() || recorded.iter().any(|(.., ahead)| *ahead != 0) {
        return Ok(None);
    }
    let beside = format!("the past of {market}");
    let last = add_all(connection, &beside, &polls)?;
    let past = scopes::market_id(connection, &beside)?;
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
    connection.execute_batch("DELETE FROM joint")?;
    Ok(last)
}

fn add_all(connection: &Connection, market: &str, polls: &[&Poll]) -> rusqlite::Result<Option<Moment>> {
    let mut last = None;
    for poll in polls {
        last = scopes::add(connection, market, poll)?.or(last);
    }
    Ok(last)
}

/// What lines were before the market's first sight of them, as changes until then.
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

/// Joins the members of a scope's past with those of its first response, and moves both under the scope.
fn join_members(connection: &Connection, past: i64, scope: i64) -> rusqlite::Result<()> {
    let usable = |id: i64, order: &str| {
        connection
            .query_row(
                &format!(
                    "SELECT at, every, proof = 0 FROM response WHERE scope = ?1 AND proof < 3 ORDER BY at {order}"
                ),
                [id],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()
    };
    let last: Option<(i64, Option<u32>, bool)> = usable(past, "DESC")?;
    let first: Option<(i64, Option<u32>, bool)> = usable(scope, "ASC")?;
    if let Some((last, every, was_complete)) = last {
        let next = first.filter(|(at, ..)| at - last <= patience(every));
        let found = codes::beginning(Beginning::Found);
        let listed = codes::beginning(Beginning::Listed);
        if let Some((next, ..)) = next {
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
            Some((next, _, true)) => (Some(next), Ending::Gone(Cause::Unknown)),
            Some((_, _, false)) | None => (None, Ending::LostSight),
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

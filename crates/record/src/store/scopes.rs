//! Adds a response to the record of the market: its scope, its lines and their memberships.

use bourse_domain::Resource;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::line_rows::usable;
use super::{codes, lines, members};
use crate::{Before, Moment, Poll, Scope, place, rhythm};

/// The ids and the clock offset of a recorded scope.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordedScope {
    pub id: i64,
    pub market: i64,
    /// Seconds by which recorded times are ahead of the clock.
    pub ahead: i64,
}

/// Adds a poll to the record of a market; returns the time it is recorded at. `None` if it is not recorded:
/// it is of workergroups, or its scope has one of the same time or later. Of an unusable one only the
/// response is recorded, without lines.
pub(super) fn add(connection: &Connection, market: &str, poll: &Poll) -> rusqlite::Result<Option<Moment>> {
    if poll.scope.resource == Resource::Workergroups {
        return Ok(None);
    }
    let market = market_id(connection, market)?;
    let scope = scope_id(connection, market, &poll.scope)?;
    let Some(placed) = place(poll.at, poll.took, scope.ahead, &before(connection, scope)?) else {
        return Ok(None);
    };
    let at = placed.at;
    let last = usable(connection, scope.id, "DESC", 0)?;
    if last.is_some_and(|last| at <= last.row.at) {
        return Ok(None);
    }
    if placed.ahead != scope.ahead {
        // From all scopes: changes of lines are recorded once for all of them.
        connection.execute(
            "UPDATE scope SET ahead = ?2 WHERE market = ?1",
            params![market, placed.ahead],
        )?;
    }
    let every = match poll.interval {
        Some(every) => Some(every),
        None => rhythm_of(connection, scope.id, at)?,
    };
    let (proof, below) = codes::proof(poll.proof);
    connection
        .prepare_cached(
            "INSERT INTO response (scope, at, took, proof, below, rows, every) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![scope.id, at.0, poll.took, proof, below, poll.rows, every])?;
    if poll.proof.is_usable() {
        let ids = lines::write(connection, scope, poll, at)?;
        members::write(connection, scope, (poll, at), last, &ids)?;
    }
    Ok(Some(at))
}

/// The id of a market, which is added if it is new.
pub(super) fn market_id(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    let known = connection
        .prepare_cached("SELECT id FROM market WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => connection.query_row("INSERT INTO market (name) VALUES (?1) RETURNING id", [name], |row| {
            row.get(0)
        }),
    }
}

/// The ids of a scope, and the seconds by which its recorded times are ahead of the clock. A new scope is
/// added, with the highest such offset of the market's scopes, or 0 if it is the market's first.
fn scope_id(connection: &Connection, market: i64, scope: &Scope) -> rusqlite::Result<RecordedScope> {
    let parameters = params![
        market,
        codes::resource(scope.resource),
        codes::offer_type(scope.offer_type),
        scope.storage,
        scope.is_bundled,
        scope.conditions_text(),
        scope.excluded_text(),
    ];
    let recorded = |row: &rusqlite::Row<'_>| {
        Ok(RecordedScope {
            id: row.get(0)?,
            market,
            ahead: row.get(1)?,
        })
    };
    let known = connection
        .prepare_cached(
            "SELECT id, ahead FROM scope WHERE market = ?1 AND resource = ?2 AND offer_type = ?3 AND storage = ?4
             AND bundled = ?5 AND conditions = ?6 AND excluded = ?7",
        )?
        .query_row(parameters, recorded)
        .optional()?;
    match known {
        Some(known) => Ok(known),
        None => connection.query_row(
            "INSERT INTO scope (market, resource, offer_type, storage, bundled, conditions, excluded, ahead)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce((SELECT max(ahead) FROM scope WHERE market = ?1), 0))
             RETURNING id, ahead",
            parameters,
            recorded,
        ),
    }
}

/// The latest recorded times of a market and of a scope, and the end of the time that the market counts as
/// watched; they decide at which time a response is recorded.
fn before(connection: &Connection, scope: RecordedScope) -> rusqlite::Result<Before> {
    let newest: Option<i64> = connection
        .prepare_cached("SELECT max(at) FROM response WHERE scope = ?1")?
        .query_row([scope.id], |row| row.get(0))?;
    let (market, watched_until): (Option<i64>, Option<i64>) = connection
        .prepare_cached(
            "SELECT max((SELECT max(at) FROM response WHERE scope = scope.id)),
                    max((SELECT at + max(600, 3 * coalesce(every, 0)) FROM response
                         WHERE scope = scope.id ORDER BY at DESC LIMIT 1))
             FROM scope WHERE market = ?1",
        )?
        .query_row([scope.market], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Before {
        scope: newest.map(Moment),
        market: market.map(Moment),
        watched_until: watched_until.map(Moment),
    })
}

/// Seconds until the next response to a scope after one at `at`, derived from earlier ones; `None` if they have no
/// rhythm.
fn rhythm_of(connection: &Connection, scope: i64, at: Moment) -> rusqlite::Result<Option<u32>> {
    let mut responses: Vec<Moment> = connection
        // The number of polls from which a rhythm is derived, including the new one.
        .prepare_cached("SELECT at FROM response WHERE scope = ?1 ORDER BY at DESC LIMIT 8")?
        .query_map([scope], |row| row.get(0).map(Moment))?
        .collect::<rusqlite::Result<_>>()?;
    responses.reverse();
    responses.push(at);
    Ok(rhythm(&responses))
}

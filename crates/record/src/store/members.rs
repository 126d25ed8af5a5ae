//! Writes the memberships: the times in which the polls of a scope contained a line.

use std::collections::HashMap;

use bourse_domain::cost::storage_per_hour;
use bourse_domain::{OfferType, Resource};
use rusqlite::{Connection, params};

use super::codes;
use super::scopes::{LastResponse, RecordedScope};
use crate::{Beginning, Cause, Ending, Lot, Moment, Poll, Proof, Scope, patience};

/// Continues the memberships of a scope with a poll at `at`, whose lines have these ids. `last` is the usable response
/// before it.
pub(super) fn write(
    connection: &Connection,
    scope: RecordedScope,
    poll: &Poll,
    at: Moment,
    last: Option<LastResponse>,
    lines: &[i64],
) -> rusqlite::Result<()> {
    let last = last.filter(|last| !last.is_gap(at));
    if last.is_none() {
        lose_sight(connection, scope, at)?;
    }
    let mut open = open(connection, scope)?;
    let mut begin =
        connection.prepare_cached("INSERT INTO member (scope, line, first, beginning) VALUES (?1, ?2, ?3, ?4)")?;
    let mut end = connection.prepare_cached(
        "UPDATE member SET last = ?3, ended = ?4, ending = ?5 WHERE scope = ?1 AND line = ?2 AND ended IS NULL",
    )?;
    let beginning = if last.is_some_and(|last| last.is_complete) {
        Beginning::Listed
    } else {
        Beginning::Found
    };
    let beginning = codes::beginning(beginning);
    for line in lines {
        match open.remove(line) {
            // Responses between may lack it: none of them saw it.
            Some(Some(seen)) => {
                end.execute(params![
                    scope.id,
                    line,
                    seen.0,
                    seen.0,
                    codes::ending(Ending::LostSight)
                ])?;
                begin.execute(params![scope.id, line, at.0, beginning])?;
            }
            Some(None) => {}
            None => {
                begin.execute(params![scope.id, line, at.0, beginning])?;
            }
        }
    }
    let Some(last) = last else {
        return Ok(());
    };
    let patience = patience(last.every);
    let mut hide =
        connection.prepare_cached("UPDATE member SET last = ?3 WHERE scope = ?1 AND line = ?2 AND ended IS NULL")?;
    for (line, hidden) in open {
        let seen = hidden.unwrap_or(last.at);
        let missing = Missing::read(connection, line)?;
        if poll.proof == Proof::Complete && at.since(seen) <= patience {
            let ending = Ending::Gone(missing.cause(poll));
            end.execute(params![scope.id, line, seen.0, at.0, codes::ending(ending)])?;
        } else if at.since(seen) > patience || missing.is_disproved(&poll.scope, poll.proof) {
            end.execute(params![
                scope.id,
                line,
                seen.0,
                seen.0,
                codes::ending(Ending::LostSight)
            ])?;
        } else if hidden.is_none() {
            hide.execute(params![scope.id, line, seen.0])?;
        }
    }
    Ok(())
}

/// Ends the open memberships at the time when the scope was last watched before a moment.
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

/// The open memberships of a scope: the ids of the lines, and the time they were last seen, `None` if by the last
/// usable response.
fn open(connection: &Connection, scope: RecordedScope) -> rusqlite::Result<HashMap<i64, Option<Moment>>> {
    connection
        .prepare_cached("SELECT line, last FROM member WHERE scope = ?1 AND ended IS NULL")?
        .query_map([scope.id], |row| {
            let last: Option<i64> = row.get(1)?;
            Ok((row.get(0)?, last.map(Moment)))
        })?
        .collect()
}

/// The recorded state of a line that a poll lacks.
struct Missing {
    lot: Lot,
    dph_base: Option<f64>,
    min_bid: Option<f64>,
    discounted: Option<f64>,
    storage: Option<f64>,
}

impl Missing {
    fn read(connection: &Connection, line: i64) -> rusqlite::Result<Self> {
        connection
            .prepare_cached(
                "SELECT machine, model, memory, dph_base, min_bid, discounted_dph_total, storage_cost
                 FROM line WHERE id = ?1",
            )?
            .query_row([line], |row| {
                Ok(Self {
                    lot: Lot {
                        machine: row.get(0)?,
                        model: row.get(1)?,
                        memory: row.get(2)?,
                    },
                    dph_base: row.get(3)?,
                    min_bid: row.get(4)?,
                    discounted: row.get(5)?,
                    storage: row.get(6)?,
                })
            })
    }

    /// Whether a poll with this proof would contain it if it were on offer unchanged: it is gone or more expensive.
    fn is_disproved(&self, scope: &Scope, proof: Proof) -> bool {
        match proof {
            Proof::Complete => true,
            Proof::UpTo(bound) => self.price(scope).is_some_and(|price| price < bound),
            Proof::Some | Proof::Nothing => false,
        }
    }

    fn price(&self, scope: &Scope) -> Option<f64> {
        if scope.resource == Resource::Volumes {
            return self.storage;
        }
        let base = match scope.offer_type {
            OfferType::OnDemand => self.dph_base,
            OfferType::Bid => self.min_bid,
            OfferType::Reserved => self.discounted,
        };
        Some(base? + storage_per_hour(self.storage?, scope.storage))
    }

    fn cause(&self, poll: &Poll) -> Cause {
        let mut causes = poll.causes.iter();
        let is_same = |lot: &Lot| lot.machine == self.lot.machine && lot.model == self.lot.model;
        causes
            .find(|(lot, _)| is_same(lot))
            .map_or(Cause::Unknown, |(_, cause)| *cause)
    }
}

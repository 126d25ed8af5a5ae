//! Reading what was recorded.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bourse_domain::annotations::Supplier;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};

use super::past::poll_of;
use super::{Database, HistoryError, codes};
use crate::{Ending, Excerpt, Lot, Moment, Poll, PollOutcome, PollRow, SearchKey, Spell};

/// The columns that [`spell`] reads.
const SPELL: &str = "amount, price, offer, beginning, was, first, last, ending, ended, quotes";

impl Database {
    /// What was recorded of a search between two moments, of the lots of a filter.
    pub(super) fn excerpt_of(&self, search: &SearchKey, time: (Moment, Moment)) -> rusqlite::Result<Excerpt> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let Some(search) = self::search(&transaction, &self.market, search)? else {
            return Ok(Excerpt::default());
        };
        let span = Span::of(&transaction, search, time)?;
        let polls = span.polls(&transaction)?;
        let mut spells = Vec::new();
        let mut read = SpellReader {
            connection: &transaction,
            span: &span,
            lots: HashMap::new(),
        };
        read.all(&mut spells)?;
        spells.retain(|spell: &Spell| !self.leaves_out(spell));
        spells.sort_by_key(|spell| spell.first);
        Ok(Excerpt {
            polls,
            spells,
            unknown: 0,
        }
        .earlier(span.ahead))
    }

    /// The newest poll of a search that says what was on offer, if it is later than `seen`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn poll_after(&self, key: &SearchKey, seen: Moment) -> Result<Option<Poll>, HistoryError> {
        self.newest_poll(key, seen).map_err(|error| self.explained(&error))
    }

    fn newest_poll(&self, key: &SearchKey, seen: Moment) -> rusqlite::Result<Option<Poll>> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let Some(search) = search(&transaction, &self.market, key)? else {
            return Ok(None);
        };
        let ahead = ahead(&transaction, search)?;
        let seen = Moment(seen.0.saturating_add(ahead));
        let Some(row) = last_usable(&transaction, search)?.filter(|row| row.at > seen) else {
            return Ok(None);
        };
        let mut spells = open_spells(&transaction, search, row.at)?;
        // What a truncated poll lacks is still open, but was not seen by it.
        spells.retain(|spell| spell.last == row.at);
        let row = PollRow {
            at: Moment(row.at.0.saturating_sub(ahead)),
            ..row
        };
        Ok(Some(poll_of(key, row, spells)))
    }

    pub(super) fn leaves_out(&self, spell: &Spell) -> bool {
        self.left_out.iter().any(|supplier| match supplier {
            Supplier::Machine(machine) => spell.lot.machine == *machine,
            Supplier::Host(host) => spell.host == Some(*host),
        })
    }

    /// The recorded searches of the market.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn searches(&self) -> Result<Vec<SearchKey>, HistoryError> {
        self.keys().map_err(|error| self.explained(&error))
    }

    fn keys(&self) -> rusqlite::Result<Vec<SearchKey>> {
        self.connection
            .prepare_cached(
                "SELECT resource, offer_type, conditions FROM search WHERE market = ?1
                     ORDER BY id",
            )?
            .query_map([&self.market], |row| {
                let resource = codes::resource_of(row.get(0)?);
                let offer_type = codes::offer_type_of(row.get(1)?);
                let conditions: String = row.get(2)?;
                Ok(resource.zip(offer_type).map(|(resource, offer_type)| SearchKey {
                    resource,
                    offer_type,
                    conditions,
                }))
            })?
            .filter_map(Result::transpose)
            .collect()
    }
}

/// The number of a search, if it is recorded.
pub(super) fn search(connection: &Connection, market: &str, key: &SearchKey) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(
            "SELECT id FROM search
             WHERE market = ?1 AND resource = ?2 AND offer_type = ?3 AND conditions = ?4",
        )?
        .query_row(
            params![
                market,
                codes::resource(key.resource),
                codes::offer_type(key.offer_type),
                key.conditions
            ],
            |row| row.get(0),
        )
        .optional()
}

/// Seconds by which the times on the record of a search are ahead of the clock.
pub(super) fn ahead(connection: &Connection, search: i64) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT ahead FROM search WHERE id = ?1")?
        .query_row([search], |row| row.get(0))
}

/// The newest poll of a search that says what was on offer.
pub(super) fn last_usable(connection: &Connection, search: i64) -> rusqlite::Result<Option<PollRow>> {
    connection
        .prepare_cached(
            "SELECT at, took, outcome, found, every, bans, has_lowest FROM poll
             WHERE search = ?1 AND outcome IN (0, 1) ORDER BY at DESC LIMIT 1",
        )?
        .query_row([search], poll)
        .optional()
}

/// The spells of a search that are on offer, last seen at `seen`.
pub(super) fn open_spells(connection: &Connection, search: i64, seen: Moment) -> rusqlite::Result<Vec<Spell>> {
    spells_where(connection, "search = ?1 AND ending IS NULL", [search], seen)
}

/// The spells of a search that begin at its poll at `first`.
pub(super) fn spells_from(connection: &Connection, search: i64, first: Moment) -> rusqlite::Result<Vec<Spell>> {
    spells_where(connection, "search = ?1 AND first = ?2", [search, first.0], first)
}

pub(super) fn spells_where(
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
    seen: Moment,
) -> rusqlite::Result<Vec<Spell>> {
    connection
        .prepare_cached(&format!(
            "SELECT {SPELL}, machine, model, host, country FROM spell JOIN lot ON lot.id = spell.lot
             WHERE {condition}"
        ))?
        .query_map(parameters, |row| {
            let lot = Known {
                lot: Lot {
                    machine: row.get(10)?,
                    model: row.get(11)?,
                    memory: 0,
                },
                host: row.get(12)?,
                country: row.get(13)?,
            };
            spell(row, &lot, seen)
        })?
        .collect()
}

pub(super) fn poll(row: &Row<'_>) -> rusqlite::Result<PollRow> {
    Ok(PollRow {
        at: Moment(row.get(0)?),
        took: row.get(1)?,
        // An unknown code counts as a failure: nothing is concluded from it.
        outcome: codes::outcome_of(row.get(2)?).unwrap_or(PollOutcome::Failed),
        rows: row.get(3)?,
        interval: row.get(4)?,
        bans: row.get(5)?,
        has_lowest: row.get(6)?,
    })
}

/// What is stored of a lot.
struct Known {
    lot: Lot,
    host: Option<i64>,
    country: Option<String>,
}

/// The lot with a number.
fn known(connection: &Connection, lot: i64) -> rusqlite::Result<Known> {
    connection
        .prepare_cached("SELECT machine, model, host, country FROM lot WHERE id = ?1")?
        .query_row([lot], |row| {
            let lot = Lot {
                machine: row.get(0)?,
                model: row.get(1)?,
                memory: 0,
            };
            let (host, country) = (row.get(2)?, row.get(3)?);
            Ok(Known { lot, host, country })
        })
}

/// The time of a question on the record of a search.
pub(super) struct Span {
    pub search: i64,
    /// Seconds by which times on record are ahead of the clock.
    pub ahead: i64,
    pub since: i64,
    pub until: i64,
    /// The usable poll before the time: what it saw last ended in it.
    pub from: i64,
    /// When the spells on offer were seen last.
    pub seen: Moment,
}

impl Span {
    pub(super) fn of(connection: &Connection, search: i64, time: (Moment, Moment)) -> rusqlite::Result<Self> {
        let ahead = ahead(connection, search)?;
        let since = time.0.0.saturating_add(ahead);
        let until = time.1.0.saturating_add(ahead);
        let before: Option<i64> = connection
            .prepare_cached("SELECT max(at) FROM poll WHERE search = ?1 AND at < ?2 AND outcome IN (0, 1)")?
            .query_row(params![search, since], |row| row.get(0))?;
        let last = last_usable(connection, search)?;
        Ok(Self {
            search,
            ahead,
            since,
            until,
            from: before.unwrap_or(since),
            seen: last.map_or(Moment(until), |last| last.at),
        })
    }

    pub(super) fn polls(&self, connection: &Connection) -> rusqlite::Result<Vec<PollRow>> {
        connection
            .prepare_cached(
                "SELECT at, took, outcome, found, every, bans, has_lowest FROM poll
                 WHERE search = ?1 AND at BETWEEN ?2 AND ?3 AND (at >= ?4 OR at = ?2)
                 ORDER BY at",
            )?
            .query_map(params![self.search, self.from, self.until, self.since], poll)?
            .collect()
    }
}

/// Reads the spells of a search that overlap a time.
struct SpellReader<'c> {
    connection: &'c Connection,
    span: &'c Span,
    /// Those that were met so far.
    lots: HashMap<i64, Known>,
}

impl SpellReader<'_> {
    fn all(&mut self, spells: &mut Vec<Spell>) -> rusqlite::Result<()> {
        // In one, the indexes could not be used.
        for part in [
            "ending IS NULL AND ?2 IS NOT NULL",
            "ending IS NOT NULL AND ended >= ?2",
        ] {
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT {SPELL}, lot FROM spell WHERE search = ?1 AND {part} AND first <= ?3"
            ))?;
            let span = self.span;
            let mut rows = statement.query(params![span.search, span.from, span.until])?;
            while let Some(row) = rows.next()? {
                let known = self.known(row.get(10)?)?;
                spells.push(spell(row, known, span.seen)?);
            }
        }
        Ok(())
    }

    fn known(&mut self, lot: i64) -> rusqlite::Result<&Known> {
        Ok(match self.lots.entry(lot) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(known(self.connection, lot)?),
        })
    }
}

/// A row that begins with [`SPELL`]; a spell on offer was last seen at `seen`.
fn spell(row: &Row<'_>, known: &Known, seen: Moment) -> rusqlite::Result<Spell> {
    let first = Moment(row.get(5)?);
    let last: Option<i64> = row.get(6)?;
    let ending: Option<i64> = row.get(7)?;
    let ended: Option<i64> = row.get(8)?;
    Ok(Spell {
        lot: known.lot.clone(),
        host: known.host,
        country: known.country.clone(),
        amount: row.get(0)?,
        price: row.get(1)?,
        offer: row.get(2)?,
        quotes: codes::quotes_of(row.get_ref(9)?.as_blob_or_null()?.unwrap_or_default()).collect(),
        beginning: codes::beginning_of(row.get(3)?, row.get(4)?),
        first,
        last: last.map_or(seen.max(first), Moment),
        end: ending
            .zip(ended)
            .map(|(ending, ended)| (ending_of(ending), Moment(ended))),
    })
}

/// An unknown code says nothing about the market.
pub(super) fn ending_of(code: i64) -> Ending {
    codes::ending_of(code).unwrap_or(Ending::LostSight)
}

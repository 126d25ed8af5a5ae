//! Reading what was recorded.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Database, HistoryError, codes};
use crate::domain::history::{
    self, Answer, Excerpt, Lot, LotFilter, Moment, PollRow, Question, Recorded, SearchKey, Spell,
    Want,
};

/// The columns that [`spell`] reads.
const SPELL: &str = "amount, price, offer, beginning, was, first, last, ending, ended";

impl Database {
    /// What was recorded of a search in the time of a question: the polls, and the spells of the
    /// lots that it asks about.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn excerpt(
        &self,
        search: &SearchKey,
        question: &Question,
    ) -> Result<Excerpt, HistoryError> {
        let read = || {
            // One moment of the file, although other programs write to it.
            let transaction = self.connection.unchecked_transaction()?;
            let Some(search) = self::search(&transaction, &self.market, search)? else {
                return Ok(Excerpt::default());
            };
            excerpt(&transaction, search, question)
        };
        read().map_err(|error| self.explained(&error))
    }

    /// The answer to a question, from what was recorded of the searches that it asks about.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn answer(&self, question: &Question) -> Result<Answer, HistoryError> {
        let searches = match &question.search {
            Some(search) => vec![search.clone()],
            None => self.searches()?,
        };
        let mut recorded = Vec::with_capacity(searches.len());
        for search in searches {
            let excerpt = self.excerpt(&search, question)?;
            recorded.push(Recorded { search, excerpt });
        }
        Ok(history::answer(question, &recorded))
    }

    /// The recorded searches of the market.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn searches(&self) -> Result<Vec<SearchKey>, HistoryError> {
        let read = || {
            self.connection
                .prepare_cached(
                    "SELECT resource, offer_type, conditions FROM search WHERE market = ?1
                     ORDER BY id",
                )?
                .query_map([&self.market], |row| {
                    let resource = codes::resource_of(row.get(0)?);
                    let offer_type = codes::offer_type_of(row.get(1)?);
                    let conditions: String = row.get(2)?;
                    Ok(resource
                        .zip(offer_type)
                        .map(|(resource, offer_type)| SearchKey {
                            resource,
                            offer_type,
                            conditions,
                        }))
                })?
                .filter_map(Result::transpose)
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.explained(&error))
    }
}

/// The number of a search, if it is recorded.
pub(super) fn search(
    connection: &Connection,
    market: &str,
    key: &SearchKey,
) -> rusqlite::Result<Option<i64>> {
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

/// The newest poll of a search that says what was on offer.
pub(super) fn last_usable(
    connection: &Connection,
    search: i64,
) -> rusqlite::Result<Option<PollRow>> {
    connection
        .prepare_cached(
            "SELECT at, took, outcome, found, every, bans FROM poll
             WHERE search = ?1 AND outcome IN (0, 1) ORDER BY at DESC LIMIT 1",
        )?
        .query_row([search], poll)
        .optional()
}

/// The spells of a search that are on offer, last seen at `seen`.
pub(super) fn open_spells(
    connection: &Connection,
    search: i64,
    seen: Moment,
) -> rusqlite::Result<Vec<Spell>> {
    connection
        .prepare_cached(&format!(
            "SELECT {SPELL}, machine, model, host FROM spell JOIN lot ON lot.id = spell.lot
             WHERE search = ?1 AND ending IS NULL"
        ))?
        .query_map([search], |row| {
            let lot = Known {
                lot: Lot {
                    machine: row.get(9)?,
                    model: row.get(10)?,
                },
                host: row.get(11)?,
            };
            spell(row, &lot, seen)
        })?
        .collect()
}

fn poll(row: &Row<'_>) -> rusqlite::Result<PollRow> {
    Ok(PollRow {
        at: Moment(row.get(0)?),
        took: row.get(1)?,
        outcome: codes::outcome_of(row.get(2)?),
        rows: row.get(3)?,
        interval: row.get(4)?,
        bans: row.get(5)?,
    })
}

/// What is stored of a lot.
struct Known {
    lot: Lot,
    host: Option<i64>,
}

/// The lots of a filter, by their numbers.
fn lots(connection: &Connection, filter: &LotFilter) -> rusqlite::Result<HashMap<i64, Known>> {
    connection
        .prepare_cached(
            "SELECT id, machine, model, host FROM lot
             WHERE (?1 IS NULL OR machine = ?1) AND (?2 IS NULL OR model = ?2)",
        )?
        .query_map(params![filter.machine, filter.model], |row| {
            let lot = Lot {
                machine: row.get(1)?,
                model: row.get(2)?,
            };
            let host = row.get(3)?;
            Ok((row.get(0)?, Known { lot, host }))
        })?
        .collect()
}

/// Reads the spells of a search that overlap a time.
struct SpellReader<'c> {
    connection: &'c Connection,
    search: i64,
    lots: HashMap<i64, Known>,
    from: i64,
    until: i64,
    /// When the spells on offer were seen last.
    seen: Moment,
}

impl SpellReader<'_> {
    fn all(&self, spells: &mut Vec<Spell>) -> rusqlite::Result<()> {
        // In one, the indexes could not be used.
        for part in [
            "ending IS NULL AND ?2 IS NOT NULL",
            "ending IS NOT NULL AND ended >= ?2",
        ] {
            let mut statement = self.connection.prepare_cached(&format!(
                "SELECT {SPELL}, lot FROM spell WHERE search = ?1 AND {part} AND first <= ?3"
            ))?;
            let mut rows = statement.query(params![self.search, self.from, self.until])?;
            while let Some(row) = rows.next()? {
                if let Some(lot) = self.lots.get(&row.get(9)?) {
                    spells.push(spell(row, lot, self.seen)?);
                }
            }
        }
        Ok(())
    }

    /// A join would read the other lots too.
    fn of_each_lot(&self, spells: &mut Vec<Spell>) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {SPELL} FROM spell
             WHERE lot = ?4 AND search = ?1 AND first <= ?3 AND (ending IS NULL OR ended >= ?2)"
        ))?;
        for (id, lot) in &self.lots {
            let mut rows = statement.query(params![self.search, self.from, self.until, id])?;
            while let Some(row) = rows.next()? {
                spells.push(spell(row, lot, self.seen)?);
            }
        }
        Ok(())
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
        amount: row.get(0)?,
        price: row.get(1)?,
        offer: row.get(2)?,
        beginning: codes::beginning_of(row.get(3)?, row.get(4)?),
        first,
        last: last.map_or(seen.max(first), Moment),
        end: ending
            .zip(ended)
            .map(|(ending, ended)| (codes::ending_of(ending), Moment(ended))),
    })
}

fn excerpt(connection: &Connection, search: i64, question: &Question) -> rusqlite::Result<Excerpt> {
    let (since, until) = (question.since, question.until);
    // What the poll before the time saw last ended in it.
    let before: Option<i64> = connection
        .prepare_cached(
            "SELECT max(at) FROM poll WHERE search = ?1 AND at < ?2 AND outcome IN (0, 1)",
        )?
        .query_row(params![search, since.0], |row| row.get(0))?;
    let from = before.unwrap_or(since.0);
    let polls = connection
        .prepare_cached(
            "SELECT at, took, outcome, found, every, bans FROM poll
             WHERE search = ?1 AND at BETWEEN ?2 AND ?3 AND (at >= ?4 OR at = ?2)
             ORDER BY at",
        )?
        .query_map(params![search, from, until.0, since.0], poll)?
        .collect::<rusqlite::Result<_>>()?;
    let seen = last_usable(connection, search)?.map_or(until, |last| last.at);
    let mut spells = Vec::new();
    if question.want != Want::Searches {
        let read = SpellReader {
            connection,
            search,
            lots: lots(connection, &question.filter)?,
            from,
            until: until.0,
            seen,
        };
        if question.filter == LotFilter::default() {
            read.all(&mut spells)?;
        } else {
            read.of_each_lot(&mut spells)?;
        }
        spells.sort_by_key(|spell: &Spell| spell.first);
    }
    Ok(Excerpt { polls, spells })
}

//! Adding a poll: what it changes is decided by the domain and written in one transaction.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Database, HistoryError, block, codes, read, retention, scopes};
use crate::{Moment, Poll, SearchKey, Spell};

// About eight hours of a poll a minute.
/// Polls between two looks at the age of what is kept: deleting in small parts is quick.
pub(super) const SWEEP_EVERY: u32 = 500;

impl Database {
    /// Adds a poll. Writes nothing and returns false if the search already has one of the same second
    /// or just after it, from another program. If the clock was set back, the poll is recorded after a
    /// gap, see [`crate::placed`].
    ///
    /// # Errors
    ///
    /// When it cannot be written; nothing of it is then.
    pub fn record(&mut self, poll: &Poll) -> Result<bool, HistoryError> {
        self.follow()?;
        let Some(at) = self.write(poll).map_err(|error| self.explained(&error))? else {
            return Ok(false);
        };
        self.keep_size(at)?;
        Ok(true)
    }

    /// Deletes what is too old or too much after a poll at `at`.
    pub(super) fn keep_size(&mut self, at: Moment) -> Result<(), HistoryError> {
        self.unswept += 1;
        let size = retention::size(&self.connection).map_err(|error| self.explained(&error))?;
        if self.unswept >= SWEEP_EVERY || size > self.limits.size {
            self.unswept = 0;
            self.sweep(at)?;
        }
        Ok(())
    }

    /// The time that the poll is recorded at; `None` if it is not.
    fn write(&mut self, poll: &Poll) -> rusqlite::Result<Option<Moment>> {
        // What is read here decides what is written: no other program may write in between.
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let at = add(&transaction, &self.market, poll)?;
        let at = scopes::add(&transaction, &self.market, poll)?.max(at);
        // Else nothing was written but, of a new search, its number.
        if at.is_some() {
            transaction.commit()?;
        }
        Ok(at)
    }
}

/// The time that the poll is recorded at, if it is.
pub(super) fn add(connection: &Connection, market: &str, poll: &Poll) -> rusqlite::Result<Option<Moment>> {
    let search = search(connection, market, &poll.search)?;
    let newest = newest(connection, search)?;
    let ahead = read::ahead(connection, search)?;
    let last = read::last_usable(connection, search)?;
    let Some(placed) = crate::placed(poll.at, ahead, newest, last) else {
        return Ok(None);
    };
    let interval = match poll.interval {
        Some(interval) => Some(interval),
        None => rhythm(connection, search, placed.at)?,
    };
    let poll = &Poll {
        at: placed.at,
        interval,
        ..poll.without_lines()
    };
    let seen = last.map_or(poll.at, |last| last.at);
    let open = read::open_spells(connection, search, seen)?;
    let advance = crate::advance(&open, last, poll);
    if !advance.is_recorded {
        return Ok(None);
    }
    if placed.ahead != ahead {
        connection.execute(
            "UPDATE search SET ahead = ?2 WHERE id = ?1",
            params![search, placed.ahead],
        )?;
    }
    add_poll(connection, search, poll)?;
    for spell in &advance.closed {
        close(connection, search, spell)?;
    }
    let ends = advance.closed.iter().filter_map(|spell| spell.end);
    // A spell may end in a day that is sealed already, if its search was away for long: that block is no
    // longer whole.
    if let Some(earliest) = ends.map(|(_, at)| at.0).min() {
        block::unseal(connection, search, earliest)?;
    }
    for spell in &advance.opened {
        open_spell(connection, search, spell)?;
    }
    for spell in &advance.updated {
        update(connection, search, spell, poll.at)?;
    }
    Ok(Some(poll.at))
}

/// Seconds until the next poll of a search after one at `at`, if polls before it tell.
fn rhythm(connection: &Connection, search: i64, at: Moment) -> rusqlite::Result<Option<u32>> {
    let mut polls: Vec<Moment> = connection
        // With the new one as many as a rhythm is learned from.
        .prepare_cached("SELECT at FROM poll WHERE search = ?1 ORDER BY at DESC LIMIT 8")?
        .query_map([search], |row| row.get(0).map(Moment))?
        .collect::<rusqlite::Result<_>>()?;
    polls.reverse();
    polls.push(at);
    Ok(crate::rhythm(&polls))
}

/// The time on record of the newest poll of a search, whatever its outcome.
fn newest(connection: &Connection, search: i64) -> rusqlite::Result<Option<Moment>> {
    connection
        .prepare_cached("SELECT max(at) FROM poll WHERE search = ?1")?
        .query_row([search], |row| {
            let at: Option<i64> = row.get(0)?;
            Ok(at.map(Moment))
        })
}

/// The number of a search, which is added if it is new.
fn search(connection: &Connection, market: &str, key: &SearchKey) -> rusqlite::Result<i64> {
    let resource = codes::resource(key.resource);
    let offer_type = codes::offer_type(key.offer_type);
    if let Some(known) = read::search(connection, market, key)? {
        return Ok(known);
    }
    connection
        .prepare_cached(
            "INSERT INTO search (market, resource, offer_type, conditions)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET market = ?1 RETURNING id",
        )?
        .query_row(params![market, resource, offer_type, key.conditions], |row| row.get(0))
}

fn add_poll(connection: &Connection, search: i64, poll: &Poll) -> rusqlite::Result<()> {
    let outcome = codes::outcome(poll.outcome);
    connection
        .prepare_cached(
            "INSERT INTO poll (search, at, took, outcome, found, every, bans, has_lowest)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            search,
            poll.at.0,
            poll.took,
            outcome,
            poll.rows,
            poll.interval,
            poll.bans,
            poll.has_lowest
        ])
        .map(drop)
}

fn close(connection: &Connection, search: i64, spell: &Spell) -> rusqlite::Result<()> {
    let Some((ending, ended)) = spell.end else {
        return Ok(());
    };
    connection
        .prepare_cached(
            "UPDATE spell SET last = ?4, ending = ?5, ended = ?6
             WHERE search = ?1 AND ending IS NULL
             AND lot = (SELECT id FROM lot WHERE machine = ?2 AND model = ?3)",
        )?
        .execute(params![
            search,
            spell.lot.machine,
            spell.lot.model,
            spell.last.0,
            codes::ending(ending),
            ended.0
        ])
        .map(drop)
}

fn update(connection: &Connection, search: i64, spell: &Spell, at: Moment) -> rusqlite::Result<()> {
    let lot = lot(connection, spell)?;
    let last = (spell.last < at).then_some(spell.last.0);
    connection
        .prepare_cached(
            "UPDATE spell SET offer = ?3, last = ?4
             WHERE search = ?1 AND lot = ?2 AND ending IS NULL",
        )?
        .execute(params![search, lot, spell.offer, last])
        .map(drop)
}

fn open_spell(connection: &Connection, search: i64, spell: &Spell) -> rusqlite::Result<()> {
    // SQLite has no NaN; it would be read as a price that is missing.
    if !spell.price.is_finite() {
        return Ok(());
    }
    let lot = lot(connection, spell)?;
    let (beginning, was) = codes::beginning(spell.beginning);
    connection
        .prepare_cached(
            "INSERT INTO spell (search, lot, amount, price, offer, beginning, was, first, quotes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            search,
            lot,
            spell.amount,
            spell.price,
            spell.offer,
            beginning,
            was,
            spell.first.0,
            codes::quotes(&spell.quotes)
        ])
        .map(drop)
}

/// The number of a lot, which is added if it is new.
fn lot(connection: &Connection, spell: &Spell) -> rusqlite::Result<i64> {
    let Spell { lot, host, country, .. } = spell;
    let known = connection
        .prepare_cached("SELECT id, host, country FROM lot WHERE machine = ?1 AND model = ?2")?
        .query_row(params![lot.machine, lot.model], |row| {
            Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))
        })
        .optional()?;
    match known {
        Some((id, known)) if known == (*host, country.clone()) => Ok(id),
        _ => connection
            .prepare_cached(
                "INSERT INTO lot (machine, model, host, country) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET host = ?3, country = ?4 RETURNING id",
            )?
            .query_row(params![lot.machine, lot.model, host, country], |row| row.get(0)),
    }
}

impl Database {
    /// When the last poll of a search was by the clock in use, whatever its outcome.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn last_poll(&self, key: &SearchKey) -> Result<Option<Moment>, HistoryError> {
        let last = || {
            let Some(search) = read::search(&self.connection, &self.market, key)? else {
                return Ok(None);
            };
            let ahead = read::ahead(&self.connection, search)?;
            let newest = newest(&self.connection, search)?;
            Ok(newest.map(|at| Moment(at.0.saturating_sub(ahead))))
        };
        last().map_err(|error: rusqlite::Error| self.explained(&error))
    }
}

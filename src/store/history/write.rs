//! Adding a poll: what it changes is decided by the domain and written in one transaction.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::{Database, HistoryError, codes, read};
use crate::domain::history::{self, Lot, Moment, Poll, SearchKey, Spell};

/// Polls between two looks at the limits: deleting in small parts is quick.
pub(super) const SWEEP_EVERY: u32 = 500;

impl Database {
    /// Adds a poll. False if it is not newer than the last one of its search: then the clock was set
    /// back, or another program polled in the same second, and nothing is written.
    ///
    /// # Errors
    ///
    /// When it cannot be written; nothing of it is then.
    pub fn record(&mut self, poll: &Poll) -> Result<bool, HistoryError> {
        let recorded = self.write(poll).map_err(|error| self.explained(&error))?;
        self.unswept += u32::from(recorded);
        if self.unswept >= SWEEP_EVERY {
            self.unswept = 0;
            self.sweep(poll.at)?;
        }
        Ok(recorded)
    }

    /// The number of a search, which is added if it is new.
    pub(super) fn search(&self, key: &SearchKey) -> Result<i64, HistoryError> {
        search(&self.connection, &self.market, key).map_err(|error| self.explained(&error))
    }

    fn write(&mut self, poll: &Poll) -> rusqlite::Result<bool> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let search = search(&transaction, &self.market, &poll.search)?;
        let newest: Option<i64> = transaction
            .prepare_cached("SELECT max(at) FROM poll WHERE search = ?1")?
            .query_row([search], |row| row.get(0))?;
        if newest.is_some_and(|newest| newest >= poll.at.0) {
            return Ok(false);
        }
        let last = read::last_usable(&transaction, search)?;
        let seen = last.map_or(poll.at, |last| last.at);
        let open = read::open_spells(&transaction, search, seen)?;
        let advance = history::advance(&open, last, poll);
        if !advance.is_recorded {
            return Ok(false);
        }
        add_poll(&transaction, search, poll)?;
        for spell in &advance.closed {
            close(&transaction, search, spell)?;
        }
        for spell in &advance.opened {
            open_spell(&transaction, search, spell)?;
        }
        for spell in &advance.updated {
            update(&transaction, search, spell, poll.at)?;
        }
        transaction.commit()?;
        Ok(true)
    }
}

fn search(connection: &Connection, market: &str, key: &SearchKey) -> rusqlite::Result<i64> {
    let resource = codes::resource(key.resource);
    let offer_type = codes::offer_type(key.offer_type);
    if let Some(found) = read::search(connection, market, key)? {
        return Ok(found);
    }
    connection
        .prepare_cached(
            "INSERT INTO search (market, resource, offer_type, conditions)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET market = ?1 RETURNING id",
        )?
        .query_row(
            params![market, resource, offer_type, key.conditions],
            |row| row.get(0),
        )
}

fn add_poll(connection: &Connection, search: i64, poll: &Poll) -> rusqlite::Result<()> {
    let outcome = codes::outcome(poll.outcome);
    connection
        .prepare_cached(
            "INSERT INTO poll (search, at, took, outcome, found, every, bans)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            search,
            poll.at.0,
            poll.took,
            outcome,
            poll.rows,
            poll.interval,
            poll.bans
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
    let lot = lot(connection, &spell.lot, spell.host)?;
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
    let lot = lot(connection, &spell.lot, spell.host)?;
    let (beginning, was) = codes::beginning(spell.beginning);
    connection
        .prepare_cached(
            "INSERT INTO spell (search, lot, amount, price, offer, beginning, was, first)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            search,
            lot,
            spell.amount,
            spell.price,
            spell.offer,
            beginning,
            was,
            spell.first.0
        ])
        .map(drop)
}

/// The number of a lot, which is added if it is new.
fn lot(connection: &Connection, lot: &Lot, host: Option<i64>) -> rusqlite::Result<i64> {
    let known = connection
        .prepare_cached("SELECT id, host FROM lot WHERE machine = ?1 AND model = ?2")?
        .query_row(params![lot.machine, lot.model], |row| {
            Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?))
        })
        .optional()?;
    match known {
        Some((id, known)) if host == known => Ok(id),
        _ => connection
            .prepare_cached(
                "INSERT INTO lot (machine, model, host) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET host = ?3 RETURNING id",
            )?
            .query_row(params![lot.machine, lot.model, host], |row| row.get(0)),
    }
}

impl Database {
    /// When the last poll of a search was, whatever its outcome.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn last_poll(&self, key: &SearchKey) -> Result<Option<Moment>, HistoryError> {
        let newest = || {
            let Some(search) = read::search(&self.connection, &self.market, key)? else {
                return Ok(None);
            };
            self.connection
                .prepare_cached("SELECT max(at) FROM poll WHERE search = ?1")?
                .query_row([search], |row| row.get::<_, Option<i64>>(0))
        };
        newest()
            .map(|at| at.map(Moment))
            .map_err(|error| self.explained(&error))
    }
}

//! Reading what statistics need of many spells.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use rusqlite::{Connection, params};

use super::block::{self, Closed};
use super::read::{self, Span};
use super::{Database, codes};
use crate::domain::history::{Interval, Memory, Moment, Onset, Outline, Question, SearchKey};

/// An outline, and the numbers of its lots in the database.
pub(super) struct FoundOutline {
    pub outline: Outline,
    lots: Vec<i64>,
}

// The numbers are the database's own: nobody can choose them so that they collide.
/// Spreads whole numbers over a table.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_i64(i64::from(*byte));
        }
    }

    fn write_i64(&mut self, number: i64) {
        self.0 = (self.0 ^ number.cast_unsigned()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 32;
    }
}

type Lots = HashSet<i64, BuildHasherDefault<Spread>>;
type Numbers<T> = HashMap<i64, T, BuildHasherDefault<Spread>>;

/// Gathers intervals of lots that a question asks about.
struct Gathering {
    /// `None` if it asks about all.
    asked: Option<Lots>,
    left_out: Lots,
    until: i64,
    numbers: Numbers<u32>,
    lots: Vec<i64>,
    intervals: Vec<Interval>,
}

impl Gathering {
    fn take(&mut self, closed: Closed) {
        let Closed { lot, interval } = closed;
        let is_asked = self.asked.as_ref().is_none_or(|asked| asked.contains(&lot));
        let is_asked = is_asked && !self.left_out.contains(&lot);
        if !is_asked || interval.first.0 > self.until || !interval.price.is_finite() {
            return;
        }
        let lots = &mut self.lots;
        let number = *self.numbers.entry(lot).or_insert_with(|| {
            lots.push(lot);
            u32::try_from(lots.len() - 1).unwrap_or(u32::MAX)
        });
        self.intervals.push(Interval {
            lot: number,
            ..interval
        });
    }

    /// The closed spells of a part of the time, from rows.
    fn take_rows(
        &mut self,
        connection: &Connection,
        search: i64,
        (from, until): (i64, i64),
    ) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(
            "SELECT lot, amount, price, beginning, first, last, ending, ended FROM spell
             WHERE search = ?1 AND ending IS NOT NULL AND ended >= ?2 AND ended < ?3
             ORDER BY ended, id",
        )?;
        let mut rows = statement.query(params![search, from, until])?;
        while let Some(row) = rows.next()? {
            self.take(block::closed(row)?);
        }
        Ok(())
    }

    fn take_open(&mut self, connection: &Connection, span: &Span) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(
            "SELECT lot, amount, price, beginning, first, last FROM spell
             WHERE search = ?1 AND ending IS NULL",
        )?;
        let mut rows = statement.query([span.search])?;
        while let Some(row) = rows.next()? {
            let first = Moment(row.get(4)?);
            let last: Option<i64> = row.get(5)?;
            self.take(Closed {
                lot: row.get(0)?,
                interval: Interval {
                    lot: 0,
                    amount: row.get(1)?,
                    price: row.get(2)?,
                    onset: Onset::of(codes::beginning_of(row.get(3)?, Some(0.0))),
                    first,
                    last: last.map_or(span.seen.max(first), Moment),
                    end: None,
                },
            });
        }
        Ok(())
    }
}

impl Database {
    /// What was recorded of a search in the time of a question; `None` if it was not polled then.
    pub(super) fn outline(
        &self,
        search: &SearchKey,
        question: &Question,
    ) -> rusqlite::Result<Option<FoundOutline>> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let Some(number) = read::search(&transaction, &self.market, search)? else {
            return Ok(None);
        };
        let span = Span::of(&transaction, number, question)?;
        let polls = span.polls(&transaction)?;
        let is_polled = polls
            .iter()
            .any(|poll| poll.outcome.is_usable() && poll.at.0 >= span.since);
        if !is_polled {
            return Ok(None);
        }
        let filter = &question.filter;
        let asked = (filter.machine.is_some() || filter.model.is_some())
            .then(|| read::lots(&transaction, filter))
            .transpose()?;
        let mut found = Gathering {
            asked: asked.map(|lots| lots.into_iter().collect()),
            left_out: self.left_out()?.into_iter().collect(),
            until: span.until,
            numbers: Numbers::default(),
            lots: Vec::new(),
            intervals: Vec::new(),
        };
        found.take_all(&transaction, &span)?;
        let outline = Outline {
            search: search.clone(),
            polls,
            intervals: found.intervals,
        };
        Ok(Some(FoundOutline {
            outline: outline.earlier(span.ahead),
            lots: found.lots,
        }))
    }
}

impl Gathering {
    fn take_all(&mut self, connection: &Connection, span: &Span) -> rusqlite::Result<()> {
        let (search, from) = (span.search, span.from);
        match block::sealed(connection, search)? {
            Some(sealed) => {
                if from < sealed.since {
                    self.take_rows(connection, search, (from, sealed.since))?;
                }
                block::read(connection, search, from, |closed| self.take(closed))?;
                self.take_rows(connection, search, (from.max(sealed.until), i64::MAX))?;
            }
            None => self.take_rows(connection, search, (from, i64::MAX))?,
        }
        self.take_open(connection, span)
    }
}

impl FoundOutline {
    /// Sums up what a verdict needs of the lots.
    pub(super) fn memory(
        &self,
        question: &Question,
        database: &Database,
    ) -> rusqlite::Result<Memory> {
        let failed = RefCell::new(None);
        let name = |number: u32| {
            let lot = *self.lots.get(number as usize)?;
            let name = read::name(&database.connection, lot);
            name.map_err(|error| failed.replace(Some(error))).ok()
        };
        let memory = self.outline.memory(question, name);
        match failed.into_inner() {
            Some(error) => Err(error),
            None => Ok(memory),
        }
    }
}

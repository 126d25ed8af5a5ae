//! Reading what statistics need of many spells.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

use super::block::{self, LotInterval, Sealed};
use super::read::{self, Span};
use super::{Database, codes};
use crate::{Interval, Memory, Outline, Question, SearchKey};

/// An outline, and the numbers of its lots in the database.
pub(super) struct RecordedOutline {
    pub outline: Outline,
    lots: Vec<i64>,
}

/// Gathers intervals of lots that a question asks about.
struct Gathering<'q> {
    question: &'q Question,
    /// `None` if it asks about all.
    asked: Option<HashSet<i64>>,
    left_out: HashSet<i64>,
    until: i64,
    numbers: HashMap<i64, u32>,
    lots: Vec<i64>,
    intervals: Vec<Interval>,
}

impl Gathering<'_> {
    fn take(&mut self, spell: LotInterval<'_>) {
        let LotInterval { lot, interval, quotes } = spell;
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
        let price = self.question.price(codes::quotes_of(quotes), interval.price);
        self.intervals.push(Interval {
            lot: number,
            price: price.unwrap_or(f64::NAN),
            ..interval
        });
    }
}

impl Database {
    /// What was recorded of a search in the time of a question; `None` if it was not polled then.
    pub(super) fn outline(&self, search: &SearchKey, question: &Question) -> rusqlite::Result<Option<RecordedOutline>> {
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
        let mut gathered = Gathering {
            question,
            asked: asked.map(|lots| lots.into_iter().collect()),
            left_out: self.left_out()?.into_iter().collect(),
            until: span.until,
            numbers: HashMap::new(),
            lots: Vec::new(),
            intervals: Vec::new(),
        };
        gathered.take_all(&transaction, &span)?;
        let outline = Outline {
            search: search.clone(),
            polls,
            intervals: gathered.intervals,
        };
        Ok(Some(RecordedOutline {
            outline: outline.earlier(span.ahead),
            lots: gathered.lots,
        }))
    }
}

impl Gathering<'_> {
    fn take_all(&mut self, connection: &Connection, span: &Span) -> rusqlite::Result<()> {
        let (search, from) = (span.search, span.from);
        let none = Sealed {
            since: from,
            until: from,
        };
        let sealed = block::sealed(connection, search)?.unwrap_or(none);
        let before = (from, sealed.since);
        block::closed_rows(connection, search, before, |row| self.take(row))?;
        block::read(connection, search, from, |row| self.take(row))?;
        let after = (from.max(sealed.until), i64::MAX);
        block::closed_rows(connection, search, after, |row| self.take(row))?;
        block::open_rows(connection, search, span.seen, |row| self.take(row))
    }
}

impl RecordedOutline {
    /// Sums up what a verdict needs of the lots.
    pub(super) fn memory(&self, question: &Question, database: &Database) -> rusqlite::Result<Memory> {
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

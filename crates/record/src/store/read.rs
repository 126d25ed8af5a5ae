//! Reading what was recorded.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use bourse_domain::annotations::Supplier;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};

use super::{Database, HistoryError, codes};
use crate::{
    Answer, Ending, Event, Excerpt, Lot, LotFilter, Moment, Poll, PollOutcome, PollRow, Question, Recorded, SearchKey,
    Spell, Want,
};

// A tape shows the latest events first, and a watched market has many in an hour.
/// Seconds in which there may be enough events for a tape.
const RECENT: i64 = 3600;

// A first, short look back answers for most of them.
/// Seconds that most lots are on offer at most.
const LIVES: i64 = 86_400;

/// The columns that [`spell`] reads.
const SPELL: &str = "amount, price, offer, beginning, was, first, last, ending, ended, quotes";

impl Database {
    /// What was recorded of a search in the time of a question: the polls, and the spells of the
    /// lots that it asks about.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn excerpt(&self, search: &SearchKey, question: &Question) -> Result<Excerpt, HistoryError> {
        self.excerpt_of(search, question, &Which::Filter(&question.filter))
            .map_err(|error| self.explained(&error))
    }

    fn excerpt_of(&self, search: &SearchKey, question: &Question, which: &Which<'_>) -> rusqlite::Result<Excerpt> {
        // One moment of the file, although other programs write to it.
        let transaction = self.connection.unchecked_transaction()?;
        let Some(search) = self::search(&transaction, &self.market, search)? else {
            return Ok(Excerpt::default());
        };
        let span = Span::of(&transaction, search, question)?;
        let polls = span.polls(&transaction)?;
        let mut spells = Vec::new();
        if question.want != Want::Searches {
            let mut read = SpellReader {
                connection: &transaction,
                span: &span,
                lots: HashMap::new(),
            };
            match which {
                Which::Filter(filter) if filter.machine.is_none() => {
                    read.all(filter, &mut spells)?;
                }
                Which::Filter(filter) => {
                    let lots = lots(&transaction, filter)?;
                    read.of_each(&lots, &mut spells)?;
                }
                Which::These(names) => {
                    let lots = numbers(&transaction, names)?;
                    read.of_each(&lots, &mut spells)?;
                }
            }
            spells.retain(|spell: &Spell| !self.leaves_out(spell));
            spells.sort_by_key(|spell| spell.first);
        }
        Ok(Excerpt { polls, spells }.earlier(span.ahead))
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
        spells.sort_unstable_by(|left, right| left.lot.cmp(&right.lot));
        Ok(Some(Poll {
            search: key.clone(),
            at: Moment(row.at.0.saturating_sub(ahead)),
            took: row.took,
            outcome: row.outcome,
            rows: row.rows,
            has_lowest: row.has_lowest,
            interval: row.interval,
            bans: row.bans,
            sightings: spells.into_iter().map(Spell::sighting).collect(),
            causes: Vec::new(),
        }))
    }

    fn leaves_out(&self, spell: &Spell) -> bool {
        self.left_out.iter().any(|supplier| match supplier {
            Supplier::Machine(machine) => spell.lot.machine == *machine,
            Supplier::Host(host) => spell.host == Some(*host),
        })
    }

    /// The numbers of the lots that are left out.
    pub(super) fn left_out(&self) -> rusqlite::Result<Vec<i64>> {
        let mut lots = Vec::new();
        for supplier in &self.left_out {
            let sql = match supplier {
                Supplier::Machine(_) => "SELECT id FROM lot WHERE machine = ?1",
                Supplier::Host(_) => "SELECT id FROM lot WHERE host = ?1",
            };
            let mut statement = self.connection.prepare_cached(sql)?;
            for lot in statement.query_map([supplier.id()], |row| row.get(0))? {
                lots.push(lot?);
            }
        }
        Ok(lots)
    }

    /// The answer to a question, from what was recorded of the searches that it asks about.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn answer(&self, question: &Question) -> Result<Answer, HistoryError> {
        let own = self.answer_exactly(question)?;
        Ok(match question.without_model() {
            Some(wider) => own.with_past(self.answer_exactly(&wider)?),
            None => own,
        })
    }

    fn answer_exactly(&self, question: &Question) -> Result<Answer, HistoryError> {
        let answer = match (&question.search, &question.want) {
            (Some(search), Want::Series { buckets }) => self
                .outline(search, question)
                .map(|recorded| Answer::Series(recorded.map(|known| known.outline.series(question, *buckets)))),
            (Some(search), Want::Memory { .. }) => self
                .outline(search, question)
                .and_then(|recorded| recorded.map(|known| known.memory(question, self)).transpose())
                .map(Answer::Memory),
            (_, Want::Tape { most }) => self.tape(question, *most).map(Answer::Tape),
            (
                _,
                Want::Series { .. }
                | Want::Memory { .. }
                | Want::Bids { .. }
                | Want::Index
                | Want::Searches
                | Want::Rings(_),
            ) => self
                .recorded(question, &Which::Filter(&question.filter))
                .map(|recorded| crate::answer(question, &recorded)),
        };
        answer.map_err(|error| self.explained(&error))
    }

    /// What was recorded of the searches that a question asks about.
    fn recorded(&self, question: &Question, which: &Which<'_>) -> rusqlite::Result<Vec<Recorded>> {
        let searches = match &question.search {
            Some(search) if question.want == Want::Index => crate::INDEX_TYPES
                .map(|offer_type| SearchKey {
                    offer_type,
                    ..search.clone()
                })
                .to_vec(),
            Some(search) => vec![search.clone()],
            None => self.keys()?,
        };
        let recorded = searches.into_iter().map(|search| {
            let excerpt = self.excerpt_of(&search, question, which)?;
            Ok(Recorded { search, excerpt })
        });
        recorded.collect()
    }

    /// What was recorded of lots: some days before a time, and of those that have been on offer for
    /// longer the whole time of the question.
    fn lives_of(&self, lots: &BTreeSet<Lot>, question: &Question, time: Moment) -> rusqlite::Result<Vec<Recorded>> {
        let since = question.since.max(Moment(time.0.saturating_sub(LIVES)));
        let near = Question {
            since,
            ..question.clone()
        };
        let mut recorded = self.recorded(&near, &Which::These(lots))?;
        if since == question.since {
            return Ok(recorded);
        }
        let spells = recorded.iter().flat_map(|record| &record.excerpt.spells);
        let older = spells.filter(|spell| spell.first < since);
        let older: BTreeSet<Lot> = older.map(|spell| spell.lot.clone()).collect();
        for (record, whole) in recorded.iter_mut().zip(self.recorded(question, &Which::These(&older))?) {
            let spells = &mut record.excerpt.spells;
            spells.retain(|spell| !older.contains(&spell.lot));
            spells.extend(whole.excerpt.spells);
            spells.sort_by_key(|spell| spell.first);
        }
        Ok(recorded)
    }

    /// The newest events: those of a short time, if there are enough, with the whole time of their
    /// lots, which tells how long they lasted.
    fn tape(&self, question: &Question, most: usize) -> rusqlite::Result<Vec<Event>> {
        let mut back = RECENT;
        loop {
            let recent = Question {
                since: question.since.max(Moment(question.until.0.saturating_sub(back))),
                ..question.clone()
            };
            let recorded = self.recorded(&recent, &Which::Filter(&question.filter))?;
            if recent.since == question.since {
                return Ok(crate::tape(question, &recorded, most));
            }
            // Times as long each: at most a few reads, of which only the last is large.
            back = back.saturating_mul(4);
            let events = crate::tape(&recent, &recorded, usize::MAX);
            if events.len() < most {
                continue;
            }
            // Of several searches, one may tell what another told before the short time.
            let told = if recorded.len() == 1 { most } else { usize::MAX };
            let lots = events.iter().take(told).filter_map(Event::lot);
            let recorded = self.lives_of(&lots.cloned().collect(), question, recent.since)?;
            let events = crate::tape(question, &recorded, most);
            // Earlier ones of other lots are missing here.
            let is_recent = |event: &Event| event.at >= recent.since;
            if events.len() == most && events.last().is_some_and(is_recent) {
                return Ok(events);
            }
        }
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

fn spells_where(
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

/// The lots that are to be read.
enum Which<'q> {
    Filter(&'q LotFilter),
    These(&'q BTreeSet<Lot>),
}

/// The numbers of the lots of a filter.
pub(super) fn lots(connection: &Connection, filter: &LotFilter) -> rusqlite::Result<Vec<i64>> {
    // With "or", no index could be used.
    let sql = match (filter.machine, &filter.model) {
        (Some(_), Some(_)) => "SELECT id FROM lot WHERE machine = ?1 AND model = ?2",
        (Some(_), None) => "SELECT id FROM lot WHERE machine = ?1 AND ?2 IS NULL",
        (None, Some(_)) => "SELECT id FROM lot WHERE model = ?2 AND ?1 IS NULL",
        (None, None) => "SELECT id FROM lot WHERE ?1 IS NULL AND ?2 IS NULL",
    };
    connection
        .prepare_cached(sql)?
        .query_map(params![filter.machine, filter.model], |row| row.get(0))?
        .collect()
}

/// The numbers of lots.
fn numbers(connection: &Connection, lots: &BTreeSet<Lot>) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare_cached("SELECT id FROM lot WHERE machine = ?1 AND model = ?2")?;
    let mut numbers = Vec::with_capacity(lots.len());
    for lot in lots {
        let number = statement.query_row(params![lot.machine, lot.model], |row| row.get::<_, i64>(0));
        numbers.extend(number.optional()?);
    }
    Ok(numbers)
}

/// The lot with a number.
fn known(connection: &Connection, lot: i64) -> rusqlite::Result<Known> {
    connection
        .prepare_cached("SELECT machine, model, host, country FROM lot WHERE id = ?1")?
        .query_row([lot], |row| {
            let lot = Lot {
                machine: row.get(0)?,
                model: row.get(1)?,
            };
            let (host, country) = (row.get(2)?, row.get(3)?);
            Ok(Known { lot, host, country })
        })
}

/// The name of the lot with a number.
pub(super) fn name(connection: &Connection, lot: i64) -> rusqlite::Result<Lot> {
    known(connection, lot).map(|known| known.lot)
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
    pub(super) fn of(connection: &Connection, search: i64, question: &Question) -> rusqlite::Result<Self> {
        let ahead = ahead(connection, search)?;
        let since = question.since.0.saturating_add(ahead);
        let until = question.until.0.saturating_add(ahead);
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
    fn all(&mut self, filter: &LotFilter, spells: &mut Vec<Spell>) -> rusqlite::Result<()> {
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
                if filter.accepts(&known.lot) {
                    spells.push(spell(row, known, span.seen)?);
                }
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

    /// A join would read the other lots too.
    fn of_each(&mut self, lots: &[i64], spells: &mut Vec<Spell>) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {SPELL} FROM spell
             WHERE lot = ?4 AND search = ?1 AND first <= ?3 AND (ending IS NULL OR ended >= ?2)"
        ))?;
        let span = self.span;
        for lot in lots {
            let known = known(self.connection, *lot)?;
            let mut rows = statement.query(params![span.search, span.from, span.until, lot])?;
            while let Some(row) = rows.next()? {
                spells.push(spell(row, &known, span.seen)?);
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

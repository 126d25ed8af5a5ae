//! Blocks: the closed spells of a day in one value, which is read ten times as fast as the rows.
//!
//! They are a copy for questions about many spells. The rows stay, and everything else reads those.

use rusqlite::{Connection, OptionalExtension as _, Params, Transaction, TransactionBehavior, params};

use super::codes;
use super::read::ending_of;
use crate::{Ending, Interval, Moment, Onset};

// Questions are about days, and a day that is over gets no more spells, so that its block never changes.
/// Seconds that a block covers.
const DAY: i64 = 86_400;

/// The columns that [`lot_interval`] reads.
const COLUMNS: &str = "lot, amount, price, beginning, first, last, ending, ended, quotes";

/// A spell and the number of its lot in the database.
#[derive(Debug, Clone, Copy)]
pub(super) struct LotInterval<'a> {
    pub lot: i64,
    /// Its own lot is not set; its price is with 50 GB for each GPU.
    pub interval: Interval,
    /// See [`codes::quotes`].
    pub quotes: &'a [u8],
}

/// The time in which spells ended that blocks hold: from the first second up to the second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sealed {
    pub since: i64,
    pub until: i64,
}

/// Calls `each` with the spells of a search that ended at `from` or later, and before `until`, in
/// that order, from their rows.
pub(super) fn closed_rows(
    connection: &Connection,
    search: i64,
    (from, until): (i64, i64),
    each: impl FnMut(LotInterval<'_>),
) -> rusqlite::Result<()> {
    let part = "ending IS NOT NULL AND ended >= ?2 AND ended < ?3 ORDER BY ended, id";
    rows(connection, part, params![search, from, until], Moment(from), each)
}

fn rows(
    connection: &Connection,
    part: &str,
    values: impl Params,
    seen: Moment,
    mut each: impl FnMut(LotInterval<'_>),
) -> rusqlite::Result<()> {
    let text = format!("SELECT {COLUMNS} FROM spell WHERE search = ?1 AND {part}");
    let mut statement = connection.prepare_cached(&text)?;
    let mut rows = statement.query(values)?;
    while let Some(row) = rows.next()? {
        each(lot_interval(row, seen)?);
    }
    Ok(())
}

/// A row of [`COLUMNS`]; without a last poll of its own, the spell was last seen when it ended, or at `seen`.
fn lot_interval<'a>(row: &'a rusqlite::Row<'_>, seen: Moment) -> rusqlite::Result<LotInterval<'a>> {
    let first = Moment(row.get(4)?);
    let last: Option<i64> = row.get(5)?;
    let ending: Option<i64> = row.get(6)?;
    let ended: Option<i64> = row.get(7)?;
    let end = ending.zip(ended);
    Ok(LotInterval {
        lot: row.get(0)?,
        interval: Interval {
            lot: 0,
            amount: row.get(1)?,
            price: row.get(2)?,
            onset: Onset::of(codes::beginning_of(row.get(3)?, Some(0.0))),
            first,
            last: last.map_or(ended.map_or(seen, Moment).max(first), Moment),
            end: end.map(|(ending, ended)| (ending_of(ending), Moment(ended))),
        },
        quotes: row.get_ref(8)?.as_blob_or_null()?.unwrap_or_default(),
    })
}

impl LotInterval<'_> {
    fn write(&self, bytes: &mut Vec<u8>) {
        let interval = &self.interval;
        let (ending, ended) = interval.end.unwrap_or((Ending::LostSight, interval.last));
        for number in [self.lot, interval.first.0, interval.last.0, ended.0] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(interval.price.to_le_bytes());
        bytes.extend(interval.amount.to_le_bytes());
        for code in [codes::onset(interval.onset), codes::ending(ending)] {
            bytes.push(u8::try_from(code).unwrap_or(u8::MAX));
        }
        // A machine is offered with a few numbers of GPUs: none has as many quotes as would not fit.
        let length = u16::try_from(self.quotes.len()).unwrap_or(0);
        bytes.extend(length.to_le_bytes());
        bytes.extend(self.quotes.iter().take(length.into()));
    }
}

/// The time of a search's blocks; `None` without any.
pub(super) fn sealed(connection: &Connection, search: i64) -> rusqlite::Result<Option<Sealed>> {
    let time: (Option<i64>, Option<i64>) = connection
        .prepare_cached("SELECT min(since), max(until) FROM block WHERE search = ?1")?
        .query_row([search], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let both = time.0.zip(time.1);
    Ok(both.map(|(since, until)| Sealed { since, until }))
}

/// Opens the blocks from `ended` on: a spell that has just been closed ended in their time, as one
/// does that was not seen again after a gap.
pub(super) fn unseal(connection: &Connection, search: i64, ended: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM block WHERE search = ?1 AND until > ?2")?
        .execute(params![search, ended])
        .map(drop)
}

/// Seals the days that are over.
pub(super) fn seal(connection: &mut Connection) -> rusqlite::Result<()> {
    let searches: Vec<i64> = connection
        .prepare("SELECT id FROM search")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for search in searches {
        // A day at a time, so that other programs need not wait.
        while seal_day(connection, search)? {}
    }
    Ok(())
}

/// Seals the first day of a search that is over and not sealed; false without any.
fn seal_day(connection: &mut Connection, search: i64) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sealed = sealed(&transaction, search)?.map(|sealed| sealed.until);
    let next: Option<i64> = transaction
        .prepare_cached(
            "SELECT ended FROM spell WHERE search = ?1 AND ending IS NOT NULL AND ended >= ?2
             ORDER BY ended LIMIT 1",
        )?
        .query_row(params![search, sealed.unwrap_or(i64::MIN)], |row| row.get(0))
        .optional()?;
    let newest: Option<i64> = transaction
        .prepare_cached("SELECT max(at) FROM poll WHERE search = ?1")?
        .query_row([search], |row| row.get(0))?;
    let (Some(next), Some(newest)) = (next, newest) else {
        return Ok(false);
    };
    let start = next.div_euclid(DAY).saturating_mul(DAY);
    let until = start.saturating_add(DAY);
    let since = sealed.unwrap_or(start);
    if newest < until || until <= since {
        return Ok(false);
    }
    add(&transaction, search, Sealed { since, until })?;
    transaction.commit()?;
    Ok(true)
}

fn add(transaction: &Transaction<'_>, search: i64, time: Sealed) -> rusqlite::Result<()> {
    let mut bytes = Vec::new();
    closed_rows(transaction, search, (time.since, time.until), |closed| {
        closed.write(&mut bytes);
    })?;
    transaction
        .prepare_cached("INSERT INTO block (search, since, until, spells) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![search, time.since, time.until, bytes])
        .map(drop)
}

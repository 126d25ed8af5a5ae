//! Writes the latest state of each line, and the earlier values of its fields.

use std::collections::HashMap;
use std::fmt::Write as _;

use bourse_domain::Resource;
use bourse_domain::field::NoiseThreshold;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql, params};

use super::codes;
use super::scopes::RecordedScope;
use crate::{Fact, Line, Moment, Poll, Proof, SeenLine, attributes};

/// The number of columns of a row before those of the attributes: id, time, offer, offers, GPU mask.
const FIXED: usize = 5;

/// The statements about the lines of a resource.
struct Statements {
    select: String,
    insert: String,
    update: String,
}

impl Statements {
    /// The statements for the lines of a resource, with a column for each of its attributes.
    fn for_resource(resource: Resource) -> Self {
        let (mut columns, mut values, mut settings) = (String::new(), String::new(), String::new());
        for (index, attribute) in attributes(resource).iter().enumerate() {
            let key = attribute.field.key;
            let _ = write!(columns, ", \"{key}\"");
            let _ = write!(values, ", ?{}", index + 12);
            // A value that is unknown now keeps its last known value.
            let _ = write!(settings, ", \"{key}\" = coalesce(?{}, \"{key}\")", index + 6);
        }
        Self {
            select: format!(
                "SELECT id, seen, offer, offers, gpu_mask{columns} FROM line
                 WHERE market = ?1 AND resource = ?2 AND offer_type = ?3 AND machine = ?4 AND model = ?5
                 AND memory = ?6 AND gpus = ?7"
            ),
            insert: format!(
                "INSERT INTO line (market, resource, offer_type, machine, model, memory, gpus, seen, offer, offers,
                 gpu_mask{columns}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11{values})"
            ),
            update: format!(
                "UPDATE line SET seen = ?2, offer = ?3, offers = ?4, gpu_mask = coalesce(?5, gpu_mask){settings}
                 WHERE id = ?1"
            ),
        }
    }
}

/// Writes the lines of a poll, recorded at `at`, with their changes; returns their ids, in their order.
pub(super) fn write(
    connection: &Connection,
    scope: RecordedScope,
    poll: &Poll,
    at: Moment,
) -> rusqlite::Result<Vec<i64>> {
    let mut writer = Writer::new(connection, scope, poll, at)?;
    poll.lines.iter().map(|seen| writer.line(seen)).collect()
}

/// Writes lines of one poll with prepared statements.
struct Writer<'c> {
    connection: &'c Connection,
    select: CachedStatement<'c>,
    insert: CachedStatement<'c>,
    update: CachedStatement<'c>,
    rename: CachedStatement<'c>,
    change: CachedStatement<'c>,
    /// The ids of the fields: those of the offers, the GPU mask, and the attributes.
    fields: Vec<i64>,
    market: i64,
    resource: Resource,
    codes: [i64; 2],
    at: Moment,
    /// Whether offers of a line that the response lacks are not on offer.
    is_complete: bool,
}

impl<'c> Writer<'c> {
    /// A writer of the lines of one poll, with its statements prepared.
    fn new(connection: &'c Connection, scope: RecordedScope, poll: &Poll, at: Moment) -> rusqlite::Result<Self> {
        let resource = poll.scope.resource;
        let statements = Statements::for_resource(resource);
        let mut known: HashMap<String, i64> = connection
            .prepare_cached("SELECT name, id FROM field")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let names = attributes(resource).iter().map(|attribute| attribute.field.key);
        let keys = ["offers", "gpu_mask"].into_iter().chain(names);
        let fields = keys.map(|name| known.remove(name).ok_or(rusqlite::Error::QueryReturnedNoRows));
        Ok(Self {
            connection,
            select: connection.prepare_cached(&statements.select)?,
            insert: connection.prepare_cached(&statements.insert)?,
            update: connection.prepare_cached(&statements.update)?,
            rename: connection.prepare_cached("UPDATE line SET offer = ?2 WHERE id = ?1")?,
            // Of two polls in one second the first one stored the earlier value.
            change: connection
                .prepare_cached("INSERT OR IGNORE INTO change (line, until, field, value) VALUES (?1, ?2, ?3, ?4)")?,
            fields: fields.collect::<rusqlite::Result<_>>()?,
            market: scope.market,
            resource,
            codes: [codes::resource(resource), codes::offer_type(poll.scope.offer_type)],
            at,
            is_complete: poll.proof == Proof::Complete,
        })
    }

    /// Writes a line with the changes of its values, or adds it if it is new; returns its id. Unknown values
    /// leave the known ones, and an incomplete response neither lowers the number of offers nor removes GPUs.
    /// Nothing is written if a later response added or changed the line.
    fn line(&mut self, seen: &SeenLine) -> rusqlite::Result<i64> {
        let Line { lot, gpus } = &seen.line;
        let [resource, offer_type] = self.codes;
        let mut rows = self.select.query(params![
            self.market,
            resource,
            offer_type,
            lot.machine,
            lot.model,
            lot.memory,
            gpus
        ])?;
        let Some(row) = rows.next()? else {
            drop(rows);
            return self.add(seen);
        };
        let (id, offer): (i64, i64) = (row.get(0)?, row.get(2)?);
        // A slow response must not undo what a later one saw.
        if row.get::<_, i64>(1)? > self.at.0 {
            return Ok(id);
        }
        let (mut offers, mut mask) = (seen.offers, seen.gpu_mask.map(u64::cast_signed));
        if !self.is_complete {
            // The other offers may only be out of view.
            offers = offers.max(row.get(3)?);
            let known: Option<i64> = row.get(4)?;
            mask = mask.map(|mask| mask | known.unwrap_or(0));
        }
        let counted = [(3, Some(Value::Integer(offers.into()))), (4, mask.map(Value::Integer))];
        let mut is_changed = false;
        for ((index, value), field) in counted.iter().zip(&self.fields) {
            if let Some(value) = value
                && row.get_ref(*index)? != ValueRef::from(value)
            {
                is_changed = true;
                let old = ToSqlOutput::Borrowed(row.get_ref(*index)?);
                self.change.execute(params![id, self.at.0, field, old])?;
            }
        }
        let mut parameters: Vec<&dyn ToSql> = vec![&id, &self.at.0, &seen.offer, &offers, &mask];
        let facts = attributes(self.resource).iter().zip(&seen.facts);
        for (index, ((attribute, fact), field)) in facts.zip(self.fields.iter().skip(2)).enumerate() {
            let old = row.get_ref(FIXED + index)?;
            if is_same(old, fact, &attribute.tolerance) {
                parameters.push(&rusqlite::types::Null);
            } else {
                is_changed = true;
                parameters.push(fact);
                let old = ToSqlOutput::Borrowed(old);
                self.change.execute(params![id, self.at.0, field, old])?;
            }
        }
        drop(rows);
        if is_changed {
            self.update.execute(&*parameters)?;
        } else if offer != seen.offer {
            self.rename.execute([id, seen.offer])?;
        }
        Ok(id)
    }

    /// Adds a line that is not yet recorded; returns its id.
    fn add(&mut self, seen: &SeenLine) -> rusqlite::Result<i64> {
        let Line { lot, gpus } = &seen.line;
        let [resource, offer_type] = &self.codes;
        let mask = seen.gpu_mask.map(u64::cast_signed);
        let mut parameters: Vec<&dyn ToSql> = vec![
            &self.market,
            resource,
            offer_type,
            &lot.machine,
            &lot.model,
            &lot.memory,
            gpus,
            &self.at.0,
            &seen.offer,
            &seen.offers,
            &mask,
        ];
        parameters.extend(seen.facts.iter().map(|fact| fact as &dyn ToSql));
        self.insert.execute(&*parameters)?;
        Ok(self.connection.last_insert_rowid())
    }
}

/// Whether a fact equals the stored value, a number within the tolerance; an unknown fact always does.
fn is_same(stored: ValueRef<'_>, fact: &Fact, tolerance: &NoiseThreshold) -> bool {
    let number = match stored {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Null | ValueRef::Text(_) | ValueRef::Blob(_) => None,
    };
    let covers = |seen: f64| number.is_some_and(|stored| tolerance.covers(stored, seen));
    match fact {
        Fact::Unknown => true,
        Fact::Number(seen) => covers(*seen),
        Fact::Whole(seen) => covers(*seen as f64),
        Fact::Flag(seen) => stored == ValueRef::Integer(i64::from(*seen)),
        Fact::Text(seen) => stored == ValueRef::Text(seen.as_bytes()),
    }
}

impl ToSql for Fact {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Unknown => ToSqlOutput::Borrowed(ValueRef::Null),
            Self::Number(number) => ToSqlOutput::Borrowed(ValueRef::Real(*number)),
            Self::Whole(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
            Self::Flag(flag) => ToSqlOutput::Borrowed(ValueRef::Integer(i64::from(*flag))),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

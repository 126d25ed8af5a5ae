//! Reads the rows of scopes, responses and lines.

use std::collections::HashMap;
use std::fmt::Write as _;

use bourse_domain::annotations::Supplier;
use bourse_domain::{Field, OfferType, Operand, Operator, Resource, Source, Value};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::asked::{Asked, KnownScope};
use super::codes;
use crate::Question;
use crate::presence::{Response, Watch};
use crate::{
    Attribute, Fact, Facts, Line, Lot, Moment, PollOutcome, PollRow, Proof, Scope, attribute_index, attributes,
};

/// Attributes that every question needs.
const ALWAYS: [&str; 12] = [
    "dph_base",
    "min_bid",
    "discounted_dph_total",
    "storage_cost",
    "host_id",
    "geolocation",
    "disk_space",
    "gpu_ram",
    "gpu_total_ram",
    "dlperf",
    "total_flops",
    "end_date",
];

/// A line on record, with its latest state.
pub(super) struct KnownLine {
    pub id: i64,
    pub line: Line,
    pub latest: Values,
}

impl KnownLine {
    /// Whether the line belongs to one of these machines and hosts.
    pub fn is_of_any(&self, suppliers: &[Supplier], resource: Resource) -> bool {
        suppliers.iter().any(|supplier| match *supplier {
            Supplier::Machine(machine) => self.line.lot.machine == machine,
            Supplier::Host(host) => host_of(&self.latest.facts, resource) == Some(host),
        })
    }
}

/// The state of a line at a moment.
#[derive(Clone)]
pub(super) struct Values {
    pub offer: i64,
    pub offers: u32,
    pub gpu_mask: Option<u64>,
    pub facts: Facts,
}

/// The part of an excerpt that a recorded field changes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Correction {
    Offers,
    GpuMask,
    Fact(usize),
}

/// The host's id among the facts of a line; `None` if it is unknown.
pub(super) fn host_of(facts: &[Fact], resource: Resource) -> Option<i64> {
    let host = facts.get(attribute_index(resource, "host_id")?)?;
    i64::try_from(Attribute::cell(host).whole()?).ok()
}

impl Values {
    /// Sets the field at `target`, a place among the attributes of `resource` if it is a fact, to a stored
    /// value, as its state before a change. If the value is no integer, a GPU mask becomes unknown and a
    /// number of offers stays. NULL or a blob makes a fact unknown, and a place that does not exist has no
    /// effect.
    pub fn set(&mut self, target: Correction, value: ValueRef<'_>, resource: Resource) {
        match target {
            Correction::Offers => {
                if let ValueRef::Integer(offers) = value {
                    self.offers = u32::try_from(offers).unwrap_or(u32::MAX);
                }
            }
            Correction::GpuMask => {
                self.gpu_mask = match value {
                    ValueRef::Integer(mask) => Some(mask.cast_unsigned()),
                    ValueRef::Null | ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Blob(_) => None,
                }
            }
            Correction::Fact(place) => {
                if let (Some(fact), Some(attribute)) = (self.facts.get_mut(place), attributes(resource).get(place)) {
                    *fact = codes::fact_of(attribute.field, value);
                }
            }
        }
    }
}

/// The id of the market with this name; `None` if nothing of it is recorded.
pub(super) fn market(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM market WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// The recorded scopes of a resource and price type, in the order of their ids; those that can no longer be
/// parsed are left out.
pub(super) fn scopes(
    connection: &Connection,
    market: i64,
    (resource, offer_type): (Resource, OfferType),
) -> rusqlite::Result<Vec<KnownScope>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, storage, bundled, conditions, excluded, ahead FROM scope
         WHERE market = ?1 AND resource = ?2 AND offer_type = ?3 ORDER BY id",
    )?;
    let mut rows = statement.query(params![
        market,
        codes::resource(resource),
        codes::offer_type(offer_type)
    ])?;
    let mut scopes = Vec::new();
    while let Some(row) = rows.next()? {
        let bare = Scope {
            resource,
            offer_type,
            storage: row.get(1)?,
            is_bundled: row.get(2)?,
            conditions: Vec::new(),
            excluded: Vec::new(),
        };
        let (conditions, excluded): (String, String) = (row.get(3)?, row.get(4)?);
        // A scope that can no longer be parsed is not evidence.
        if let Some(scope) = bare.with_parsed(&conditions, &excluded) {
            scopes.push(KnownScope {
                id: row.get(0)?,
                scope,
                ahead: row.get(5)?,
            });
        }
    }
    Ok(scopes)
}

/// The usable responses of a scope in the time of a question, and the one before.
pub(super) fn watch(connection: &Connection, known: &KnownScope, question: &Question) -> rusqlite::Result<Watch> {
    let since = question.since.0.saturating_add(known.ahead);
    let until = question.until.0.saturating_add(known.ahead);
    let mut statement = connection.prepare_cached(
        "SELECT at, took, proof, below, rows, every FROM response
         WHERE scope = ?1 AND at <= ?3 AND at >= coalesce(
             (SELECT max(at) FROM response WHERE scope = ?1 AND at < ?2 AND proof != ?4), ?2)
         ORDER BY at",
    )?;
    let nothing = codes::proof(Proof::Nothing).0;
    let responses = statement
        .query_map(params![known.id, since, until, nothing], |row| {
            response(row, known.ahead)
        })?
        .collect::<rusqlite::Result<Vec<Response>>>()?;
    let usable = responses.into_iter().filter(|response| response.proof.is_usable());
    Ok(Watch::new(usable.collect()))
}

/// The first (`order` is `ASC`) or last (`DESC`) usable response of a scope; its times are those of the
/// record less `ahead` seconds. `None` if there is none.
pub(super) fn usable(
    connection: &Connection,
    scope: i64,
    order: &str,
    ahead: i64,
) -> rusqlite::Result<Option<Response>> {
    connection
        .prepare_cached(&format!(
            "SELECT at, took, proof, below, rows, every FROM response
            WHERE scope = ?1 AND proof < 3 ORDER BY at {order} LIMIT 1"
        ))?
        .query_row([scope], |row| response(row, ahead))
        .optional()
}

/// Reads a response from the columns `at, took, proof, below, rows, every`; `ahead` seconds are subtracted
/// from its time, and its outcome follows from its proof.
fn response(row: &Row<'_>, ahead: i64) -> rusqlite::Result<Response> {
    let at: i64 = row.get(0)?;
    let proof = codes::proof_of(row.get(2)?, row.get(3)?);
    Ok(Response {
        row: PollRow {
            at: Moment(at.saturating_sub(ahead)),
            took: row.get(1)?,
            outcome: match proof {
                Proof::Complete => PollOutcome::Complete,
                Proof::UpTo(_) | Proof::Some => PollOutcome::Truncated,
                Proof::Nothing => PollOutcome::Failed,
            },
            rows: row.get(4)?,
            has_lowest: proof == Proof::Complete,
            interval: row.get(5)?,
            bans: 0,
        },
        proof,
    })
}

/// The recorded fields that a question needs, by their ids, each with the part of a line's state that it
/// changes.
pub(super) fn targets(connection: &Connection, asked: &Asked) -> rusqlite::Result<HashMap<i64, Correction>> {
    let attributes = attributes(asked.terms.resource);
    let mut statement = connection.prepare_cached("SELECT id, name FROM field")?;
    let mut rows = statement.query([])?;
    let mut targets = HashMap::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(1)?;
        let target = match name.as_str() {
            "offers" => Some(Correction::Offers),
            "gpu_mask" => Some(Correction::GpuMask),
            name => {
                let place = attributes.iter().position(|attribute| attribute.field.key == name);
                place.filter(|_| is_needed(name, asked)).map(Correction::Fact)
            }
        };
        if let Some(target) = target {
            targets.insert(row.get(0)?, target);
        }
    }
    Ok(targets)
}

/// Whether a question needs the attribute with this key: its conditions read it, or every question needs it.
fn is_needed(key: &str, asked: &Asked) -> bool {
    let mut fields = asked.conditions.iter().map(|condition| condition.field);
    ALWAYS.contains(&key) || fields.any(|field| field.key == key || reads(field, key))
}

/// Whether a field reads the member `key`.
fn reads(field: &Field, key: &str) -> bool {
    match field.source {
        Source::TextIs(member, _) | Source::NumberIs(member, _) | Source::Member(member) => member == key,
        Source::Either(members) => members.contains(&key),
        Source::Known(_)
        | Source::Search(_)
        | Source::Nested(..)
        | Source::TimeLeft(..)
        | Source::Since(_)
        | Source::Nowhere
        | Source::Computed => false,
    }
}

/// The indices of the attributes that a question needs.
pub(super) fn needed(asked: &Asked) -> Vec<usize> {
    let attributes = attributes(asked.terms.resource).iter().enumerate();
    let needed = attributes.filter(|(_, attribute)| is_needed(attribute.field.key, asked));
    needed.map(|(place, _)| place).collect()
}

/// The lines to select from those of a market: those that may meet a query's conditions on model and machine.
pub(super) struct LineSelection<'a> {
    pub market: i64,
    pub asked: &'a Asked,
    /// The indices of the attributes to read; others are unknown.
    pub places: Vec<usize>,
    /// SQL behind the conditions: more of them, or an order.
    pub within: String,
}

impl LineSelection<'_> {
    /// Passes the selected lines to `take`, one after another.
    pub fn each(
        &self,
        connection: &Connection,
        mut take: impl FnMut(KnownLine) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let attributes = attributes(self.asked.terms.resource);
        let (sql, values) = self.sql(attributes);
        let mut statement = connection.prepare_cached(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            take(known_line(row, attributes, &self.places)?)?;
        }
        Ok(())
    }

    /// The query in SQL, and its parameters.
    fn sql(&self, attributes: &[Attribute]) -> (String, Vec<rusqlite::types::Value>) {
        let terms = self.asked.terms;
        let mut sql = "SELECT id, machine, model, memory, gpus, offer, offers, gpu_mask".to_owned();
        for attribute in self.places.iter().filter_map(|place| attributes.get(*place)) {
            let _ = write!(sql, ", \"{}\"", attribute.field.key);
        }
        sql.push_str(" FROM line WHERE market = ?1 AND resource = ?2 AND offer_type = ?3");
        let mut values: Vec<rusqlite::types::Value> = vec![
            self.market.into(),
            codes::resource(terms.resource).into(),
            codes::offer_type(terms.offer_type).into(),
        ];
        let machine = match terms.resource {
            Resource::Volumes => "cluster_id",
            Resource::Offers | Resource::Workergroups => "machine_id",
        };
        for (column, key) in [("model", "gpu_name"), ("machine", machine)] {
            let Some(named) = named(self.asked, key) else { continue };
            let marks: Vec<String> = (0..named.len())
                .map(|index| format!("?{}", values.len() + index + 1))
                .collect();
            // A machine is one line of the table; its index begins with the columns that every line has.
            let _ = write!(sql, " AND {column} IN ({})", marks.join(", "));
            values.extend(named);
        }
        sql.push_str(&self.within);
        (sql, values)
    }
}

/// Reads a line from a row of a [`LineSelection`], with the attributes at these indices; the others are unknown.
fn known_line(row: &Row<'_>, attributes: &[Attribute], places: &[usize]) -> rusqlite::Result<KnownLine> {
    let mut facts = vec![Fact::Unknown; attributes.len()];
    for (index, place) in places.iter().enumerate() {
        if let (Some(fact), Some(attribute)) = (facts.get_mut(*place), attributes.get(*place)) {
            *fact = codes::fact_of(attribute.field, row.get_ref(8 + index)?);
        }
    }
    let mask: Option<i64> = row.get(7)?;
    Ok(KnownLine {
        id: row.get(0)?,
        line: Line {
            lot: Lot {
                machine: row.get(1)?,
                model: row.get(2)?,
                memory: row.get(3)?,
            },
            gpus: row.get(4)?,
        },
        latest: Values {
            offer: row.get(5)?,
            offers: row.get(6)?,
            gpu_mask: mask.map(i64::cast_unsigned),
            facts,
        },
    })
}

/// The maximum length of a list of names in SQL.
///
/// Far more than a search can name.
const MOST_NAMES: usize = 500;

/// The values of the first `=` or `in` condition on a field that has at most 500, all of them texts or whole
/// numbers; `None` if there is no such condition.
fn named(asked: &Asked, key: &str) -> Option<Vec<rusqlite::types::Value>> {
    let mut conditions = asked.conditions.iter().filter(|condition| condition.field.key == key);
    conditions.find_map(|condition| {
        let values = match (&condition.operand, condition.operator) {
            (Operand::One(value), Operator::Eq) => std::slice::from_ref(value),
            (Operand::Many(values), Operator::In) if values.len() <= MOST_NAMES => values.as_slice(),
            (Operand::One(_) | Operand::Many(_), _) => return None,
        };
        values
            .iter()
            .map(|value| match value {
                Value::Text(text) => Some(rusqlite::types::Value::Text(text.clone())),
                #[expect(clippy::cast_possible_truncation)] // ids are whole
                Value::Number(number) if number.fract() == 0.0 => Some(rusqlite::types::Value::Integer(*number as i64)),
                Value::Number(_) | Value::Null | Value::Flag(_) | Value::Version(_) => None,
            })
            .collect()
    })
}

//! The conditions under which a response lists offers.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use bourse_domain::annotations::Supplier;
use bourse_domain::dialect::TransferUnit;
use bourse_domain::language::{Mode, parse, print_condition};
use bourse_domain::query::DEFAULT_STORAGE_GB;
use bourse_domain::{
    CellRef, Condition, Dialect, Field, Kind, OfferType, Operand, Operator, Query, Resource, Source, Unit, Value,
};

/// The conditions under which a response lists offers, and the way they are priced.
///
/// Responses with equal scopes are requests for the same offers, regardless of who sent them and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    pub resource: Resource,
    /// The price type; [`OfferType::OnDemand`] for volumes.
    pub offer_type: OfferType,
    /// GB that `dph_total` includes; 0 for volumes.
    pub storage: f64,
    /// Whether equal offers are listed as one.
    pub is_bundled: bool,
    /// The conditions sent, and those that markets add by themselves, see [`implicit`]; all [`normalised`], without
    /// duplicates, sorted by their text. Bans are not included.
    pub conditions: Vec<Condition>,
    /// Machines and hosts excluded from the request, about which it gives no information. Sorted.
    pub excluded: Vec<Supplier>,
}

impl Scope {
    /// The scope of a response to `query`, sent without the `excluded` machines and hosts. It has the
    /// normalised conditions that are sent and those that the market adds, sorted; not those only tested by
    /// the program. For volumes and workergroups it is on demand, with 0 GB of storage.
    pub fn new(query: &Query, dialect: &'static Dialect, excluded: impl IntoIterator<Item = Supplier>) -> Self {
        let storage = match query.resource {
            Resource::Offers => query.priced_storage(dialect),
            Resource::Volumes | Resource::Workergroups => 0.0,
        };
        let sent = query
            .sent_conditions(dialect)
            .map(|condition| normalised(condition, dialect.transfer));
        let mut excluded: Vec<Supplier> = excluded.into_iter().collect();
        excluded.sort_unstable();
        excluded.dedup();
        Self {
            resource: query.resource,
            offer_type: match query.resource {
                Resource::Offers => query.offer_type,
                Resource::Volumes | Resource::Workergroups => OfferType::OnDemand,
            },
            storage,
            // A market without the switch may bundle.
            is_bundled: dialect.bundling_parameter.is_none() || !query.unbundled,
            conditions: sorted(sent.chain(implicit(query, storage))),
            excluded,
        }
    }

    /// The conditions in the query language.
    pub fn conditions_text(&self) -> String {
        let texts: Vec<String> = self.conditions.iter().map(print_condition).collect();
        texts.join(" ")
    }

    /// Lists the excluded machines and hosts: `machine 5, host 7`.
    pub fn excluded_text(&self) -> String {
        let texts: Vec<String> = self.excluded.iter().map(ToString::to_string).collect();
        texts.join(", ")
    }

    /// The scope with conditions and exclusions parsed from [`Scope::conditions_text`] and [`Scope::excluded_text`];
    /// `None` if they cannot be parsed, as after a field was removed from the catalog.
    #[must_use]
    pub fn with_parsed(mut self, conditions: &str, excluded: &str) -> Option<Self> {
        let catalog = self.resource.catalog();
        // The dialect only affects warnings.
        let parsed = parse(conditions, catalog, &Dialect::SANDBOX, &[], Mode::Strict).ok()?;
        self.conditions = parsed.conditions;
        let suppliers = excluded.split(", ").filter(|text| !text.is_empty());
        self.excluded = suppliers.map(supplier).collect::<Option<_>>()?;
        Some(self)
    }

    /// Whether two responses are to the same request: the same resource, price type, bundling, conditions and
    /// excluded machines and hosts.
    ///
    /// Their storage may differ: if a market includes another one than requested, the scope has that.
    pub fn is_same_request(&self, other: &Self) -> bool {
        let request = |scope: &Self| (scope.resource, scope.offer_type, scope.is_bundled);
        request(self) == request(other)
            && self.conditions_text() == other.conditions_text()
            && self.excluded == other.excluded
    }

    /// A query whose responses have this scope, without the conditions that markets add by themselves and
    /// without the excluded machines and hosts. Network speeds are in the unit of a market.
    pub fn query(&self, transfer: TransferUnit) -> Query {
        let mut query = Query {
            offer_type: self.offer_type,
            storage: Some(self.storage).filter(|_| self.resource == Resource::Offers),
            unbundled: !self.is_bundled,
            ..Query::empty(self.resource)
        };
        let added = implicit(&query, self.storage);
        let own = self.conditions.iter().filter(|condition| !added.contains(condition));
        query.conditions = own.cloned().map(|own| in_unit(own, transfer)).collect();
        query
    }

    /// Whether its responses exclude a machine or its host.
    pub fn excludes(&self, machine: i64, host: Option<i64>) -> bool {
        self.excluded.iter().any(|supplier| match supplier {
            Supplier::Machine(excluded) => *excluded == machine,
            Supplier::Host(excluded) => Some(*excluded) == host,
        })
    }
}

/// Parses an excluded machine or host, `machine 5` or `host 7`; `None` for any other text.
fn supplier(text: &str) -> Option<Supplier> {
    let (kind, id) = text.split_once(' ')?;
    let id = i64::from_str(id).ok()?;
    match kind {
        "machine" => Some(Supplier::Machine(id)),
        "host" => Some(Supplier::Host(id)),
        _ => None,
    }
}

/// The conditions that markets add to a query for offers by themselves: rentable, not rented, and with room
/// for the storage that prices include, at least the default. Empty for other resources.
///
/// A condition of the query on `rentable` or `rented` lifts that default; the room is always required.
pub fn implicit(query: &Query, storage: f64) -> Vec<Condition> {
    if query.resource != Resource::Offers {
        return Vec::new();
    }
    let flag = |key, is_on| condition(query, key, Operator::Eq, Value::Flag(is_on));
    let asks = |condition: &Condition| query.active().any(|own| own.field == condition.field);
    let flags = [flag("rentable", true), flag("rented", false)].into_iter().flatten();
    let gb = Value::Number(storage.max(DEFAULT_STORAGE_GB));
    let room = condition(query, "disk_space", Operator::Gte, gb);
    flags.filter(|flag| !asks(flag)).chain(room).collect()
}

/// A condition on the field with this key; `None` if the query's resource has no such field.
fn condition(query: &Query, key: &str, operator: Operator, value: Value) -> Option<Condition> {
    let field = query.catalog().by_key(key)?;
    Some(Condition::new(field, operator, Operand::One(value)))
}

/// The conditions without duplicates, sorted by their text.
fn sorted(conditions: impl Iterator<Item = Condition>) -> Vec<Condition> {
    let by_text: BTreeMap<String, Condition> = conditions
        .map(|condition| (print_condition(&condition), condition))
        .collect();
    by_text.into_values().collect()
}

/// The canonical form of a condition in scopes: enabled, `verified=true` becomes `verification=verified`, a
/// list has each value once in a fixed order, `in` or `not in` one value becomes `=` or `!=`, `!=` of a flag
/// becomes `=` of the other, and speeds are in Mb/s.
pub fn normalised(condition: &Condition, transfer: TransferUnit) -> Condition {
    let mut condition = aliased(condition);
    condition.enabled = true;
    let field = condition.field;
    let value = |value: &Value| plain(field, value, transfer);
    match &condition.operand {
        Operand::One(one) => condition.operand = Operand::One(value(one)),
        Operand::Many(many) => {
            let by_text: BTreeMap<String, Value> = many
                .iter()
                .map(value)
                .map(|value| (format!("{value:?}"), value))
                .collect();
            let mut values: Vec<Value> = by_text.into_values().collect();
            let single = match condition.operator {
                Operator::In => Some(Operator::Eq),
                Operator::Nin => Some(Operator::Neq),
                Operator::Eq | Operator::Neq | Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte => None,
            };
            match (single, values.len()) {
                (Some(operator), 1) => {
                    condition.operator = operator;
                    condition.operand = Operand::One(values.remove(0));
                }
                _ => condition.operand = Operand::Many(values),
            }
        }
    }
    // A flag that is not true is false; an unknown one satisfies neither condition.
    if let (Kind::Flag, Operator::Neq, Operand::One(Value::Flag(flag))) =
        (field.kind, condition.operator, &condition.operand)
    {
        let flag = !flag;
        condition.operator = Operator::Eq;
        condition.operand = Operand::One(Value::Flag(flag));
    }
    condition
}

/// A normalised condition with its network speeds converted from Mb/s to the unit of a market.
fn in_unit(mut condition: Condition, transfer: TransferUnit) -> Condition {
    let values = match &mut condition.operand {
        Operand::One(value) => std::slice::from_mut(value),
        Operand::Many(values) => values.as_mut_slice(),
    };
    for value in values {
        if let (Unit::Transfer, Value::Number(megabits)) = (condition.field.unit, value) {
            *megabits /= transfer.megabits();
        }
    }
    condition
}

/// The condition rewritten for the member that its field reads: `verification=verified` for `verified=true`,
/// `!=` for false. Unchanged if it reads none of another name, or accepts both flags or neither.
fn aliased(condition: &Condition) -> Condition {
    let member = |key: &str| {
        let catalogs = Resource::ALL.map(Resource::catalog);
        let catalog = catalogs
            .into_iter()
            .find(|catalog| catalog.position(condition.field).is_some())?;
        catalog.by_key(key)
    };
    // Whether the flag must be true; `None` if both or neither will do.
    let wanted = || {
        let accepted = [true, false].map(|flag| condition.accepts(CellRef::Flag(flag)));
        match accepted {
            [true, false] => Some(Operator::Eq),
            [false, true] => Some(Operator::Neq),
            [true, true] | [false, false] => None,
        }
    };
    let read = match condition.field.source {
        Source::TextIs(key, text) => member(key).zip(wanted()).map(|(field, operator)| {
            let value = Value::Text(text.to_owned());
            Condition::new(field, operator, Operand::One(value))
        }),
        Source::NumberIs(key, number) => member(key).zip(wanted()).map(|(field, operator)| {
            let value = Value::id(number.into());
            Condition::new(field, operator, Operand::One(value))
        }),
        Source::Member(key) if key != condition.field.key => member(key).map(|field| Condition {
            field,
            ..condition.clone()
        }),
        Source::Member(_)
        | Source::Known(_)
        | Source::Either(_)
        | Source::Search(_)
        | Source::Nested(..)
        | Source::TimeLeft(..)
        | Source::Since(_)
        | Source::Nowhere
        | Source::Computed => None,
    };
    read.unwrap_or_else(|| condition.clone())
}

/// The value of a condition in the type of its field: an id from its digits, a flag from 0 or 1, a number
/// from a flag; network speeds are converted from `transfer` to Mb/s, and all other values stay.
fn plain(field: &Field, value: &Value, transfer: TransferUnit) -> Value {
    match (field.kind, value) {
        (Kind::Id, Value::Text(digits)) => digits.parse().map_or_else(|_| value.clone(), Value::id),
        (Kind::Flag, Value::Number(number)) if *number == 0.0 || (*number - 1.0).abs() < f64::EPSILON => {
            Value::Flag(*number != 0.0)
        }
        (Kind::Integer | Kind::Number, Value::Flag(flag)) => Value::Number(f64::from(u8::from(*flag))),
        (_, Value::Number(number)) if field.unit == Unit::Transfer => Value::Number(number * transfer.megabits()),
        _ => value.clone(),
    }
}

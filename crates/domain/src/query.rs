//! Queries to a marketplace: conditions, order, limit and the storage that prices include.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json, json};

use super::catalog::{Catalog, Resource};
use super::country;
use super::dialect::Dialect;
use super::field::{Field, Kind, Operator};
use super::value::{CellRef, EXACT, Value, Version};

/// The price model of a search (specification, "Search offers", `type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OfferType {
    #[default]
    OnDemand,
    /// Low priority, interruptible, at a bid.
    Bid,
    /// High priority, discounted, paid in advance.
    Reserved,
}

impl OfferType {
    pub const ALL: [Self; 3] = [Self::OnDemand, Self::Bid, Self::Reserved];

    /// The name of the price model in requests and documents: `on-demand`.
    pub const fn wire(self) -> &'static str {
        match self {
            Self::OnDemand => "on-demand",
            Self::Bid => "bid",
            Self::Reserved => "reserved",
        }
    }

    /// The next price model in the order on-demand, bid, reserved, wrapping around.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::OnDemand => Self::Bid,
            Self::Bid => Self::Reserved,
            Self::Reserved => Self::OnDemand,
        }
    }
}

impl std::str::FromStr for OfferType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "on-demand" | "ondemand" | "on_demand" => Ok(Self::OnDemand),
            "bid" | "interruptible" => Ok(Self::Bid),
            "reserved" => Ok(Self::Reserved),
            unknown => Err(format!(
                "'{unknown}' is not an offer type: choose on-demand, bid or reserved"
            )),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    /// The name of the direction in requests, `asc` or `desc`; `desc` is our reading, the specification shows
    /// only `asc`.
    pub const fn wire(self) -> &'static str {
        match self {
            Self::Ascending => "asc",
            Self::Descending => "desc",
        }
    }

    /// The arrow of a sorted column's header: `▲` for ascending, `▼` for descending.
    pub const fn arrow(self) -> &'static str {
        match self {
            Self::Ascending => "▲",
            Self::Descending => "▼",
        }
    }

    /// The opposite direction, for a column that is sorted again.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// One key of an order: a field and a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderKey {
    pub field: &'static Field,
    pub direction: Direction,
}

/// The operand of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    One(Value),
    /// A list, for `in` and `nin`.
    Many(Vec<Value>),
}

impl Operand {
    /// The values of the operand: one, or all of the list.
    pub fn values(&self) -> &[Value] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

/// One condition: a field, an operator and an operand.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub field: &'static Field,
    pub operator: Operator,
    /// The value; a list if and only if the operator takes one.
    pub operand: Operand,
    /// Whether the condition is active. A disabled one remains in the query.
    pub enabled: bool,
}

impl Condition {
    /// An active condition; the operand must be a list if the operator takes one.
    pub const fn new(field: &'static Field, operator: Operator, operand: Operand) -> Self {
        Self {
            field,
            operator,
            operand,
            enabled: true,
        }
    }

    /// Whether a cell satisfies the condition, even if that is disabled.
    ///
    /// A missing, null or unusable value satisfies `eq null` and nothing else, not even `neq` or `notin`;
    /// only `external` without a value counts as no, except for `eq null`.
    pub fn accepts(&self, cell: CellRef<'_>) -> bool {
        let asks_for_null = self.operand == Operand::One(Value::Null);
        let cell = match cell {
            CellRef::Missing | CellRef::Null if self.field.key == "external" && !asks_for_null => CellRef::Flag(false),
            sent => sent,
        };
        match (&self.operand, self.operator) {
            (Operand::One(Value::Null), Operator::Eq) => cell.is_blank(),
            (Operand::One(Value::Null), Operator::Neq) => !cell.is_blank(),
            _ if cell.is_blank() => false,
            (Operand::One(value), operator) => {
                let order = compare(self.field.kind, cell, value);
                match operator {
                    Operator::Eq => order == Some(Ordering::Equal),
                    Operator::Neq => order != Some(Ordering::Equal),
                    Operator::Gt => order == Some(Ordering::Greater),
                    Operator::Lt => order == Some(Ordering::Less),
                    Operator::Gte => order.is_some_and(Ordering::is_ge),
                    Operator::Lte => order.is_some_and(Ordering::is_le),
                    Operator::In | Operator::Nin => false,
                }
            }
            (Operand::Many(values), operator) => {
                let is_listed = values
                    .iter()
                    .any(|value| compare(self.field.kind, cell, value) == Some(Ordering::Equal));
                is_listed == (operator == Operator::In)
            }
        }
    }

    /// Whether a cell certainly violates the condition: one that is missing, null or unusable does not.
    pub fn is_broken_by(&self, cell: CellRef<'_>) -> bool {
        !cell.is_blank() && !self.accepts(cell)
    }
}

/// The order of a cell relative to a value, by the field's kind; text against a number, and a flag against a
/// number, are compared as numbers. `None` if they cannot be compared.
fn compare(kind: Kind, cell: CellRef<'_>, value: &Value) -> Option<Ordering> {
    match (kind, cell, value) {
        (Kind::Id, _, _) if cell.whole().is_some() && value.whole().is_some() => {
            cell.whole().partial_cmp(&value.whole())
        }
        (Kind::Country, CellRef::Text(text), Value::Text(wanted)) => Some(country::code(text).cmp(wanted.as_str())),
        (Kind::Version, CellRef::Number(code), Value::Version(version)) => code.partial_cmp(&(version.code as f64)),
        (Kind::Version, CellRef::Text(text), Value::Version(version)) => {
            Version::parse(text.trim()).map(|sent| sent.code.cmp(&version.code))
        }
        (_, CellRef::Text(text), Value::Text(wanted)) => Some(text.cmp(wanted.as_str())),
        (_, CellRef::Text(text), Value::Number(wanted)) => text.trim().parse::<f64>().ok()?.partial_cmp(wanted),
        (_, CellRef::Number(number), Value::Number(wanted)) => number.partial_cmp(wanted),
        (_, CellRef::Number(number), Value::Text(wanted)) => number.partial_cmp(&wanted.trim().parse::<f64>().ok()?),
        (_, CellRef::Flag(flag), Value::Flag(wanted)) => Some(flag.cmp(wanted)),
        (_, CellRef::Flag(flag), Value::Number(wanted)) => f64::from(u8::from(flag)).partial_cmp(wanted),
        (_, CellRef::Number(number), Value::Flag(wanted)) => number.partial_cmp(&f64::from(u8::from(*wanted))),
        _ => None,
    }
}

/// A complete query: conditions, order, limit and prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub resource: Resource,
    /// The conditions, in the given order.
    pub conditions: Vec<Condition>,
    /// The order, most important key first.
    pub order: Vec<OrderKey>,
    /// The maximum number of records; `None` for the server's default.
    pub limit: Option<u32>,
    /// The price model; offers only.
    pub offer_type: OfferType,
    /// Storage in GB to price for; `None` for the server's default (8 GB).
    pub storage: Option<f64>,
    /// Whether equal offers are listed separately instead of bundled.
    pub unbundled: bool,
}

impl Query {
    /// A query with no condition, order, limit or storage, for on-demand prices and bundled offers.
    pub const fn empty(resource: Resource) -> Self {
        Self {
            resource,
            conditions: Vec::new(),
            order: Vec::new(),
            limit: None,
            offer_type: OfferType::OnDemand,
            storage: None,
            unbundled: false,
        }
    }

    /// The fields of the resource that the query is about.
    pub const fn catalog(&self) -> &'static Catalog {
        self.resource.catalog()
    }

    /// The query with an active condition `operator value` on the field with the wire name `key`; unchanged
    /// if it has it already or there is no such field.
    #[must_use]
    pub fn with(mut self, key: &str, operator: Operator, value: Value) -> Self {
        if let Some(field) = self.catalog().by_key(key) {
            let condition = Condition::new(field, operator, Operand::One(value));
            if !self.conditions.contains(&condition) {
                self.conditions.push(condition);
            }
        }
        self
    }

    /// The conditions that are not disabled, in their order.
    pub fn active(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.iter().filter(|condition| condition.enabled)
    }

    /// Whether a condition on `field` is sent in `dialect`; otherwise it is applied to the response.
    ///
    /// A market compares reserved offers by their full price; the price to pay is compared locally.
    pub fn sends(&self, field: &Field, dialect: &Dialect) -> bool {
        const DISCOUNTED: [&str; 3] = ["dph_total", "dlperf_per_dphtotal", "flops_per_dphtotal"];
        dialect.sends(field) && !(self.offer_type == OfferType::Reserved && DISCOUNTED.contains(&field.key))
    }

    /// The active conditions that `dialect` sends.
    pub fn sent_conditions(&self, dialect: &'static Dialect) -> impl Iterator<Item = &Condition> {
        self.active()
            .filter(move |condition| self.sends(condition.field, dialect))
    }

    /// The active conditions that are not sent in `dialect`: they are applied to the response.
    pub fn applied_locally(&self, dialect: &'static Dialect) -> impl Iterator<Item = &Condition> {
        self.active()
            .filter(move |condition| !self.sends(condition.field, dialect))
    }

    /// The order to request from a server that speaks `dialect`, with no field twice.
    ///
    /// Keys that the server lacks are omitted, or replaced by the price that they grow with: a limit then
    /// cuts off the expensive end rather than arbitrary rows.
    pub fn sent_order(&self, dialect: &Dialect) -> Vec<OrderKey> {
        let mut order: Vec<OrderKey> = Vec::new();
        for key in &self.order {
            let field = self.server_order_field(key.field);
            if order.iter().all(|sent| sent.field != field) && self.catalog().orders_on_server(field, dialect) {
                order.push(OrderKey { field, ..*key });
            }
        }
        order
    }

    /// The field by which a server orders instead of `field`: for the price or job cost of reserved offers
    /// the discounted price, for another job cost the price, for the cost of a volume its price per GB. Else
    /// `field` itself.
    fn server_order_field(&self, field: &'static Field) -> &'static Field {
        let key = match (field.key, self.offer_type) {
            ("dph_total" | "job_cost", OfferType::Reserved) => "discounted_dph_total",
            ("job_cost", OfferType::OnDemand | OfferType::Bid) => "dph_total",
            ("volume_hourly" | "volume_monthly" | "volume_term", _) => "storage_cost",
            _ => return field,
        };
        self.catalog().by_key(key).unwrap_or(field)
    }

    /// The filter objects of the conditions that `dialect` sends, by wire name (specification, "Filter object").
    ///
    /// A field has one object, and an object holds an operator once: two conditions with the same field and operator
    /// are joined so that both still hold.
    pub fn filters_json(&self, dialect: &'static Dialect) -> Map<String, Json> {
        let mut joined: Vec<Condition> = Vec::new();
        for condition in self.sent_conditions(dialect) {
            join(&mut joined, condition.clone());
        }
        let mut filters = Map::new();
        for condition in &joined {
            let field = condition.field;
            let operand = match &condition.operand {
                Operand::One(value) => self.value_json(field, value, dialect),
                Operand::Many(values) => values
                    .iter()
                    .map(|value| self.value_json(field, value, dialect))
                    .collect(),
            };
            let operator = dialect.operator(condition.operator).to_owned();
            let filter = filters
                .entry(condition.field.key)
                .or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(filter) = filter {
                filter.insert(operator, operand);
            }
        }
        filters
    }

    /// A value as JSON for a request, in the unit of the dialect: numbers as numbers, whole ones as integers,
    /// ids with all digits, versions as text or as a number, as the dialect has them.
    fn value_json(&self, field: &Field, value: &Value, dialect: &Dialect) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Flag(flag) => json!(flag),
            Value::Number(number) => number_json(number / dialect.divisor(self.resource, field)),
            // The digits of an id that a double cannot represent.
            Value::Text(text) if field.kind == Kind::Id => match text.parse::<u64>() {
                Ok(id) => json!(id),
                Err(_) => json!(text),
            },
            Value::Text(text) => json!(text),
            Value::Version(version) if dialect.version_as_number => json!(version.code),
            Value::Version(version) => json!(version.text),
        }
    }

    /// The storage in GB that prices are computed for; 8 by default.
    pub fn storage_gb(&self) -> f64 {
        self.storage.unwrap_or(DEFAULT_STORAGE_GB)
    }

    /// The storage in GB that the prices of a response include: the requested size if there is one and the
    /// dialect can send it, else the server's default of 8 GB.
    pub fn priced_storage(&self, dialect: &Dialect) -> f64 {
        self.storage
            .filter(|_| dialect.storage_parameter.is_some())
            .unwrap_or(DEFAULT_STORAGE_GB)
    }
}

/// The storage in GB that prices include by default (specification, "Limits").
///
/// Clients differ: the market's command line sends 5 GB and its volume search 1 GB. Prices from two sources can be
/// compared only if the size is sent.
pub const DEFAULT_STORAGE_GB: f64 = 8.0;

/// Adds a condition to a list with at most one per field and operator, so that all still must hold.
///
/// Of two bounds the tighter stays, `in` lists are intersected and `notin` lists united; a second `neq` with
/// another value makes a `nin` of both, except that null stays a `neq`; a second `eq` with another value is
/// added as an `in`.
pub(super) fn join(conditions: &mut Vec<Condition>, new: Condition) {
    let Some(index) = conditions
        .iter()
        .position(|old| old.field == new.field && old.operator == new.operator)
    else {
        conditions.push(new);
        return;
    };
    let old = &mut conditions[index];
    if old.operand == new.operand {
        return;
    }
    match (&mut old.operand, new.operand) {
        (Operand::Many(values), Operand::Many(added)) if new.operator == Operator::In => {
            values.retain(|value| added.contains(value));
        }
        (Operand::Many(values), Operand::Many(added)) => unite(values, added),
        (Operand::One(value), Operand::One(added)) if new.operator.is_ordering() => {
            let tighter = match new.operator {
                Operator::Gt | Operator::Gte => Ordering::Greater,
                _ => Ordering::Less,
            };
            if added.order(value) == Some(tighter) {
                *value = added;
            }
        }
        (Operand::One(value), Operand::One(mut added)) => {
            // A list cannot hold null, so it stays with its own operator.
            if added == Value::Null {
                std::mem::swap(value, &mut added);
            }
            let mut list = vec![added];
            if new.operator == Operator::Neq && *value != Value::Null {
                list.insert(0, value.clone());
                conditions.remove(index);
            }
            let operator = new.operator.with_list();
            join(conditions, Condition::new(new.field, operator, Operand::Many(list)));
        }
        (Operand::One(_), Operand::Many(_)) | (Operand::Many(_), Operand::One(_)) => {}
    }
}

/// Appends the values of `new` that `old` lacks.
pub(super) fn unite(old: &mut Vec<Value>, new: Vec<Value>) {
    for value in new {
        if !old.contains(&value) {
            old.push(value);
        }
    }
}

/// A number as JSON: an integer if it is whole and at most 2^53.
pub fn number_json(number: f64) -> Json {
    if number.fract() == 0.0 && number.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation)] // whole and within the exact range
        let whole = number as i64;
        json!(whole)
    } else {
        json!(number)
    }
}

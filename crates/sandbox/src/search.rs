//! Searches: parses a request body into conditions, order, limit and prices, and applies them.
//!
//! The catalog (`domain`) defines the fields, their operators and the comparison of cells; this module only adds the
//! service's formats of bodies and rows.

mod operands;
mod pick;

use bourse_domain::{Catalog, Condition, Dialect, Direction, Field, OfferType, Operand, Operator, OrderKey, Value};
use serde_json::{Map, Value as Json};

use super::answer::Refusal;
use super::market::Terms;

pub use pick::{Hits, pick};

// The default limit: our choice, the specification has none.
const DEFAULT_LIMIT: usize = 64;

/// The maximum number of values in the conditions of a search.
///
/// Each is compared with each row.
const MOST_VALUES: usize = 10_000;

/// Other names of fields that the service accepts, with the factor to the field's unit.
const COLUMN_ALIASES: [(&str, &str, f64); 6] = [
    ("dphtotal", "dph_total", 1.0),
    ("dph", "dph_total", 1.0),
    ("gpu_totalram", "gpu_total_ram", 1.0),
    ("gpu_totalram_GB", "gpu_total_ram", 1_000.0),
    ("gpu_ram_GB", "gpu_ram", 1_000.0),
    ("cpu_ram_GB", "cpu_ram", 1_000.0),
];

/// Members of a search without an effect, which the market's own client and old ones send.
const IGNORED: [&str; 10] = [
    "disable_bundling",
    "client_id",
    "api_key",
    "select_cols",
    "extra_ids",
    "gpu_option",
    "show_incompatible",
    "sort_option",
    "template_id",
    "autoscaler_instance",
];

/// The parameter of the storage allocation, which the specification leaves unnamed.
const STORAGE: &str = "allocated_storage";

#[derive(Debug)]
pub struct Search {
    /// The conditions that a row must satisfy.
    pub conditions: Vec<Condition>,
    /// The order of the rows; ties are sorted by id.
    pub order: Vec<OrderKey>,
    /// The maximum number of rows.
    pub limit: usize,
    /// The rental type that was searched for.
    pub rental: OfferType,
    /// The storage to price in GB; `None` if the search has none.
    pub storage: Option<f64>,
    /// The number of values in its conditions.
    values: usize,
}

impl Search {
    /// Parses a search of `catalog` from the members of a body: flat, with durations in seconds as the
    /// market's own client sends them, or wrapped in `q`, with those in days as specified. An error for
    /// unknown members and invalid values.
    pub fn read(catalog: &'static Catalog, body: Map<String, Json>) -> Result<Self, Refusal> {
        let (members, wrapped) = unwrap(body)?;
        let mut search = Self::from_conditions(Vec::new());
        // The specification wraps a volume search and counts its duration in days; the market's own
        // client sends it flat and in seconds.
        let dialect = if wrapped { &Dialect::DOCUMENTED } else { &Dialect::VAST };
        for (name, value) in &members {
            match name.as_str() {
                _ if IGNORED.contains(&name.as_str()) => {}
                "limit" => search.limit = limit(value)?,
                "type" => search.rental = rental(value)?,
                "order" => search.order = order(catalog, value)?,
                STORAGE => search.add_storage(catalog, value)?,
                _ => search.add_filter(catalog, dialect, name, value)?,
            }
        }
        Ok(search)
    }

    /// A search with these conditions, on-demand, without an order and storage, limited to 64 rows.
    pub fn from_conditions(conditions: Vec<Condition>) -> Self {
        Self {
            conditions,
            order: Vec::new(),
            limit: DEFAULT_LIMIT,
            rental: OfferType::OnDemand,
            storage: None,
            values: 0,
        }
    }

    /// The terms to price for, with `default` GB if the search has no storage.
    pub fn terms(&self, default: f64) -> Terms {
        Terms {
            rental: self.rental,
            storage: self.storage.unwrap_or(default),
        }
    }

    /// Parses a filter, an object with one operand per operator, and adds its conditions; an `eq` with `any`
    /// adds none. An error for an unknown field, an operator that it does not take, an invalid operand, an
    /// empty object, and more than 10,000 values in the search. Any other value is a bare one, see
    /// [`Self::add_bare_filter`].
    fn add_filter(
        &mut self,
        catalog: &'static Catalog,
        dialect: &Dialect,
        name: &str,
        value: &Json,
    ) -> Result<(), Refusal> {
        let (field, factor) =
            column(catalog, name).ok_or_else(|| Refusal::invalid(format!("{name} is not a search parameter")))?;
        let factor = factor * dialect.divisor(catalog.resource, field);
        let Some(filter) = value.as_object() else {
            return self.add_bare_filter(field, value);
        };
        if filter.is_empty() {
            return Err(Refusal::invalid(format!("{name} needs an operator and a value")));
        }
        for (operator, operand) in filter {
            let operator = operator_named(operator)
                .ok_or_else(|| Refusal::invalid(format!("{operator} is not a valid search op")))?;
            if !field.operators.allows(operator) {
                let operator = operator.name();
                return Err(Refusal::invalid(format!("{name} cannot be compared with {operator}")));
            }
            if operator == Operator::Eq && operand.as_str() == Some("any") {
                continue;
            }
            self.values += operand.as_array().map_or(1, Vec::len);
            if self.values > MOST_VALUES {
                return Err(Refusal::invalid(format!("at most {MOST_VALUES} values in a search")));
            }
            let operand = operands::read(field, operator, operand, factor)
                .map_err(|wanted| Refusal::invalid(format!("{name} {}: {wanted}", operator.name())))?;
            self.conditions.push(Condition::new(field, operator, operand));
        }
        Ok(())
    }

    /// Parses a filter sent as a bare value, and adds its condition; an error unless it is one of the two
    /// that the market's own client sends so.
    fn add_bare_filter(&mut self, field: &'static Field, value: &Json) -> Result<(), Refusal> {
        let operator = match field.key {
            "external" => Operator::Eq,
            "target_reliability" => Operator::Gte,
            key => {
                let example = format!("{key} must be an object with an operator, as {{\"eq\": ...}}");
                return Err(Refusal::invalid(example));
            }
        };
        let operand = operands::read(field, operator, value, 1.0)
            .map_err(|wanted| Refusal::invalid(format!("{}: {wanted}", field.key)))?;
        self.conditions.push(Condition::new(field, operator, operand));
        Ok(())
    }

    /// Parses the storage allocation in GB: the size that prices include, and a condition on the minimum
    /// disk. Null adds nothing.
    fn add_storage(&mut self, catalog: &'static Catalog, value: &Json) -> Result<(), Refusal> {
        if value.is_null() {
            return Ok(());
        }
        let gigabytes = operands::number(value)
            .filter(|gigabytes| *gigabytes >= 0.0)
            .ok_or_else(|| Refusal::invalid(format!("{STORAGE} must be a number of GB")))?;
        self.storage = Some(gigabytes);
        if let Some(field) = catalog.by_key("disk_space") {
            let least = Operand::One(Value::Number(gigabytes));
            self.conditions.push(Condition::new(field, Operator::Gte, least));
        }
        Ok(())
    }
}

/// The members of a search, and whether it was wrapped in `q`; those next to `q` count too and win over those
/// in it. An error if `q` is not an object.
fn unwrap(mut body: Map<String, Json>) -> Result<(Map<String, Json>, bool), Refusal> {
    match body.remove("q") {
        None => Ok((body, false)),
        Some(Json::Object(mut inner)) => {
            inner.append(&mut body);
            Ok((inner, true))
        }
        Some(_) => Err(Refusal::invalid("Invalid query: q must be a dict of conditions")),
    }
}

/// The field with a name, or with that as an alias, and the factor from the sent value to the field's unit;
/// `None` if there is none.
fn column(catalog: &'static Catalog, name: &str) -> Option<(&'static Field, f64)> {
    let (name, factor) = COLUMN_ALIASES
        .iter()
        .find(|(alias, ..)| *alias == name && catalog.by_key(name).is_none())
        .map_or((name, 1.0), |(_, field, factor)| (*field, *factor));
    Some((catalog.by_key(name)?, factor))
}

/// The operator with a name: the specification's, or the service's own name for `nin`; `None` if there is
/// none.
fn operator_named(name: &str) -> Option<Operator> {
    Operator::ALL
        .into_iter()
        .find(|known| known.name() == name || Dialect::VAST.operator(*known) == name)
}

/// Parses the maximum number of rows, a whole number that is not negative; 64 for null.
fn limit(value: &Json) -> Result<usize, Refusal> {
    if value.is_null() {
        return Ok(DEFAULT_LIMIT);
    }
    operands::number(value)
        .filter(|limit| *limit >= 0.0 && limit.fract() == 0.0)
        .map(|limit| usize::try_from(super::numbers::unsigned(limit)).unwrap_or(usize::MAX))
        .ok_or_else(|| Refusal::invalid("limit must be a whole number that is not negative"))
}

/// Parses the price type; on-demand for null.
fn rental(value: &Json) -> Result<OfferType, Refusal> {
    let text = match value {
        Json::Null => return Ok(OfferType::OnDemand),
        Json::String(text) => text.as_str(),
        _ => "",
    };
    text.parse()
        .map_err(|_| Refusal::invalid("type must be on-demand, bid or reserved"))
}

/// Parses an order, a list of pairs of field and direction; a field that is named again is dropped. Empty for
/// null; an error for another shape and for unknown fields.
fn order(catalog: &'static Catalog, value: &Json) -> Result<Vec<OrderKey>, Refusal> {
    let shape = || Refusal::invalid("order must be a list of pairs [field, \"asc\" or \"desc\"]");
    let keys = match value {
        Json::Null => return Ok(Vec::new()),
        Json::Array(keys) => keys,
        _ => return Err(shape()),
    };
    let mut order: Vec<OrderKey> = Vec::new();
    for key in keys {
        let key = {
            let [Json::String(name), Json::String(direction)] = key.as_array().map_or(&[][..], Vec::as_slice) else {
                return Err(shape());
            };
            let (field, _) =
                column(catalog, name).ok_or_else(|| Refusal::invalid(format!("order: {name} is not a field")))?;
            let direction = [Direction::Ascending, Direction::Descending]
                .into_iter()
                .find(|known| known.wire() == direction)
                .ok_or_else(shape)?;
            OrderKey { field, direction }
        };
        // A field that is named again has no effect on the order.
        if order.iter().all(|known| known.field.key != key.field.key) {
            order.push(key);
        }
    }
    Ok(order)
}

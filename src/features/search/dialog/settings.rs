//! The search settings other than filters: price type, storage, limit, and the most used switches.
//!
//! Settings that a dialect cannot send are applied to the loaded rows.

use crate::domain::language::LanguageError;
use crate::domain::query::DEFAULT_STORAGE_GB;
use crate::domain::{
    Condition, Dialect, Field, OfferType, Operand, Operator, Query, Resource, Value, format, language,
};
use crate::tui::form;
use crate::tui::form::Form;

const OFFER_TYPES: [OfferType; 3] = [OfferType::OnDemand, OfferType::Bid, OfferType::Reserved];

/// The choices for hosts: datacenters, private hosts, or both.
const HOSTS: [(Option<bool>, &str); 3] = [
    (None, "all hosts"),
    (Some(true), "datacenters only"),
    (Some(false), "private hosts only"),
];

/// One field of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    OfferType,
    Storage,
    Limit,
    Cores,
    Hosts,
    Bundling,
    LoadAll,
    Apply,
}

/// The selected and typed values.
#[derive(Debug, Clone, PartialEq)]
struct Values {
    offer_type: usize,
    storage: String,
    limit: String,
    cores: String,
    hosts: usize,
    unbundled: usize,
}

/// Shows the search settings of a query in the form, unless the form shows them already or has an invalid
/// value.
pub(super) fn read(form: &mut Form<Setting>, query: &Query) {
    let values = Values::from_query(query);
    if form.fault().is_some() || Values::typed(form) == values {
        return;
    }
    form.choose(Setting::OfferType, values.offer_type);
    form.set_text(Setting::Storage, &values.storage);
    form.set_text(Setting::Limit, &values.limit);
    form.set_text(Setting::Cores, &values.cores);
    form.choose(Setting::Hosts, values.hosts);
    form.choose(Setting::Bundling, values.unbundled);
}

/// Writes the search settings of the form to a query, for other resources than offers only the limit; nothing
/// if one of them is invalid. An empty storage becomes the default one.
pub(super) fn write(form: &Form<Setting>, query: &mut Query, dialect: &'static Dialect) {
    let values = Values::typed(form);
    let number = |key, text: &str| number(query, dialect, key, text);
    let (storage, cores) = (
        number("disk_space", &values.storage),
        number("cpu_cores", &values.cores),
    );
    let (Ok(limit), Ok(storage), Ok(cores), None) = (limit(&values.limit), storage, cores, form.fault()) else {
        return;
    };
    query.limit = limit;
    if query.resource != Resource::Offers {
        return;
    }
    query.offer_type = OFFER_TYPES[values.offer_type];
    query.unbundled = values.unbundled > 0;
    query.storage = storage.or(Some(DEFAULT_STORAGE_GB));
    replace(query, "cpu_cores", Operator::Gte, cores.map(Value::Number));
    let datacenter = HOSTS[values.hosts].0.map(Value::Flag);
    replace(query, "datacenter", Operator::Eq, datacenter);
}

/// A note on how a search setting is applied: sent, applied to the loaded rows, or ignored; `None` for the
/// button that applies.
pub(super) fn note(setting: Setting, query: &Query, dialect: &'static Dialect) -> Option<String> {
    let condition = |key: &str| match query.catalog().by_key(key) {
        Some(field) if dialect.sends(field) => format!("Sent as {key}."),
        _ => "Applied to the loaded rows: this market can't filter by it.".to_owned(),
    };
    Some(match setting {
        Setting::OfferType => "Sent as type.".to_owned(),
        Setting::Storage => match dialect.storage_parameter {
            Some(name) => format!("Sent as {name}. Prices are estimates until the response."),
            None => "This market prices a fixed storage: other prices are estimates.".to_owned(),
        },
        Setting::Limit => "Sent as limit; empty uses the market's own.".to_owned(),
        Setting::Cores => condition("cpu_cores"),
        Setting::Hosts => condition("datacenter"),
        Setting::Bundling => match dialect.bundling_parameter {
            Some(name) => format!("Sent as {name}."),
            None => "This market has no parameter for it.".to_owned(),
        },
        Setting::LoadAll => "In parts, as a market limits the rows of a response.".to_owned(),
        Setting::Apply => return None,
    })
}

/// The form for the search settings of a query; for volumes and workergroups it has only the row limit and
/// the button.
pub(super) fn fields(base: &Query, dialect: &'static Dialect) -> Form<Setting> {
    let values = Values::from_query(base);
    let limit_field =
        form::Field::text(Setting::Limit, "Max rows", values.limit.clone()).check(|text| limit(text).map(drop));
    let apply = form::Field::button(Setting::Apply, "Apply");
    if base.resource != Resource::Offers {
        return Form::new(vec![limit_field, apply]).submits(Setting::Apply);
    }
    let of = base.clone();
    let storage = form::Field::text(Setting::Storage, "Storage", values.storage.clone())
        .note("GB")
        .check(move |text| match number(&of, dialect, "disk_space", text)? {
            Some(gb) if !(0.0..=1e9).contains(&gb) => Err(SettingError::Storage),
            _ => Ok(()),
        });
    let of = base.clone();
    let cores = form::Field::text(Setting::Cores, "Min vCPUs", values.cores.clone())
        .check(move |text| number(&of, dialect, "cpu_cores", text).map(drop));
    let types = OFFER_TYPES.map(OfferType::wire);
    let hosts = HOSTS.map(|(_, name)| name);
    let bundling = ["bundled into one", "each on its own"];
    Form::new(vec![
        form::Field::choice(Setting::OfferType, "Prices", types, values.offer_type),
        storage,
        limit_field,
        cores,
        form::Field::choice(Setting::Hosts, "Hosts", hosts, values.hosts),
        form::Field::choice(Setting::Bundling, "Equal offers", bundling, values.unbundled),
        form::Field::button(Setting::LoadAll, "Load all offers"),
        apply,
    ])
    .submits(Setting::Apply)
}

impl Values {
    /// The search settings in the form's fields as they are, valid or not.
    fn typed(form: &Form<Setting>) -> Self {
        Self {
            offer_type: form.chosen(Setting::OfferType),
            storage: form.text(Setting::Storage).to_owned(),
            limit: form.text(Setting::Limit).to_owned(),
            cores: form.text(Setting::Cores).to_owned(),
            hosts: form.chosen(Setting::Hosts),
            unbundled: form.chosen(Setting::Bundling),
        }
    }

    /// The settings of a query (offer type, storage, limit, cores, hosts, bundling). Cores are the first
    /// active condition `cpu_cores>=` and hosts the first `datacenter=`, each only with a single value;
    /// without them blank and all hosts.
    fn from_query(query: &Query) -> Self {
        let text_of = |key: &str, operator: Operator| {
            let mut active = query.active();
            let matched = active.find(|condition| condition.field.key == key && condition.operator == operator);
            matched.and_then(|condition| match &condition.operand {
                Operand::One(value) => Some(language::print_value(condition.field, value)),
                Operand::Many(_) => None,
            })
        };
        let datacenter = text_of("datacenter", Operator::Eq).and_then(|text| text.parse().ok());
        let choice = |index: Option<usize>| index.unwrap_or(0);
        Self {
            offer_type: choice(OFFER_TYPES.iter().position(|listed| *listed == query.offer_type)),
            storage: query.storage.map_or_else(String::new, |gb| format::trimmed(gb, 3)),
            limit: query.limit.map_or_else(String::new, |limit| limit.to_string()),
            cores: text_of("cpu_cores", Operator::Gte).unwrap_or_default(),
            hosts: choice(HOSTS.iter().position(|(listed, _)| *listed == datacenter)),
            unbundled: usize::from(query.unbundled),
        }
    }
}

/// A setting that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum SettingError {
    #[error("A whole number from 1 on, or empty")]
    Limit,
    #[error("Storage is from 0 to 1,000,000,000 GB")]
    Storage,
    #[error("Not a valid number")]
    Number,
    #[error(transparent)]
    Operand(#[from] LanguageError),
}

/// Parses a row limit of at least 1; `None` for an empty text, which sends no limit.
fn limit(text: &str) -> Result<Option<u32>, SettingError> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse() {
        Ok(limit) if limit > 0 => Ok(Some(limit)),
        _ => Err(SettingError::Limit),
    }
}

/// Parses a number in the format and unit of the field `key`; `None` for an empty text and for a field that
/// the catalog of the query `base` lacks.
fn number(base: &Query, dialect: &'static Dialect, key: &str, text: &str) -> Result<Option<f64>, SettingError> {
    let field = base.catalog().by_key(key);
    let Some(field) = field.filter(|_| !text.is_empty()) else {
        return Ok(None);
    };
    match language::parse_operand(field, Operator::Gte, text, dialect)? {
        Operand::One(Value::Number(number)) => Ok(Some(number)),
        Operand::One(_) | Operand::Many(_) => Err(SettingError::Number),
    }
}

/// Sets the value of the first enabled condition on the field `key` with this operator, adding it if there is
/// none; without a value, removes it. Nothing if the catalog lacks the field.
fn replace(query: &mut Query, key: &str, operator: Operator, value: Option<Value>) {
    let Some(field): Option<&'static Field> = query.catalog().by_key(key) else {
        return;
    };
    let index = query
        .conditions
        .iter()
        .position(|condition| condition.enabled && condition.field == field && condition.operator == operator);
    match (index, value) {
        (Some(index), Some(value)) => query.conditions[index].operand = Operand::One(value),
        (Some(index), None) => {
            query.conditions.remove(index);
        }
        (None, Some(value)) => {
            let condition = Condition::new(field, operator, Operand::One(value));
            query.conditions.push(condition);
        }
        (None, None) => {}
    }
}

//! Questions to the recorded market.

use bourse_domain::{OfferType, Operand, Operator, Query, Value};

use crate::{Moment, Spell, lowest_price};

/// A question to the record: the offers of a query between two moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Conditions, resource, price type and storage; its order and limit do not matter.
    pub query: Query,
    pub since: Moment,
    pub until: Moment,
}

impl Question {
    /// The question for the offers of a query in the `seconds` before a moment.
    pub fn of_last(seconds: i64, query: Query, until: Moment) -> Self {
        Self {
            query,
            since: Moment(until.0.saturating_sub(seconds)),
            until,
        }
    }

    /// One question for each of the price types, in their order: the offers of a query between two moments.
    pub fn of_types(types: &[OfferType], query: &Query, since: Moment, until: Moment) -> Vec<Self> {
        let of_type = |offer_type: &OfferType| Self {
            query: Query {
                offer_type: *offer_type,
                ..query.clone()
            },
            since,
            until,
        };
        types.iter().map(of_type).collect()
    }

    /// The number of GPUs in the query's first active `=` condition on it; `None` without such a condition,
    /// or if its value is not a number.
    pub fn gpus(&self) -> Option<u32> {
        match only(&self.query, "num_gpus")? {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
            Value::Number(gpus) => Some(*gpus as u32),
            Value::Null | Value::Flag(_) | Value::Text(_) | Value::Version(_) => None,
        }
    }

    /// The GPU model in the query's first active `=` condition on it; `None` without such a condition, or if
    /// its value is not a text.
    pub fn model(&self) -> Option<&str> {
        model_of(&self.query)
    }

    /// The id in the query's first active `=` condition on the machine, else on the cluster of volumes;
    /// `None` without such a condition, or if its value is not a whole number.
    pub fn machine(&self) -> Option<i64> {
        let id = only(&self.query, "machine_id").or_else(|| only(&self.query, "cluster_id"))?;
        i64::try_from(id.whole()?).ok()
    }

    /// The lowest price of a spell with the storage of the question's query, in $/h per GPU (of volumes in
    /// $/GB/month); `None` if it is not finite, as in a damaged database.
    pub fn price_of(&self, spell: &Spell) -> Option<f64> {
        let price = lowest_price(spell.quotes.iter().copied(), spell.price, None, self.query.storage_gb());
        price.filter(|price| price.is_finite())
    }

    /// Whether the query has an active condition on a price, so that a new result may only have become
    /// cheaper.
    pub fn is_bound_by_price(&self) -> bool {
        let mut conditions = self.query.active();
        conditions.any(|condition| crate::is_price(condition.field.key))
    }
}

/// The GPU model in the query's first active `=` condition on it; `None` without such a condition, or if its
/// value is not a text.
pub(crate) fn model_of(query: &Query) -> Option<&str> {
    match only(query, "gpu_name")? {
        Value::Text(name) => Some(name),
        Value::Null | Value::Flag(_) | Value::Number(_) | Value::Version(_) => None,
    }
}

/// The value of the first active `=` condition on the field with this key; `None` if the query has none, as
/// it then allows several.
fn only<'q>(query: &'q Query, key: &str) -> Option<&'q Value> {
    let mut conditions = query.active().filter(|condition| condition.field.key == key);
    conditions.find_map(|condition| match (&condition.operator, &condition.operand) {
        (Operator::Eq, Operand::One(value)) => Some(value),
        _ => None,
    })
}

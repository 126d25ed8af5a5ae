//! Questions about the recorded market, and what is on record for them.

use bourse_domain::value::CellRef;
use bourse_domain::{Condition, OfferType, Operand, Operator, Query, Value};

use crate::{Ending, Excerpt, Moment, Quote, Spell, lowest_price};

/// A question to the record: the offers of a query between two moments.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Conditions, resource, price type and storage; its order and limit do not matter.
    pub query: Query,
    pub since: Moment,
    pub until: Moment,
}

impl Question {
    /// The offers of a query in the `seconds` before a moment.
    pub fn of_last(seconds: i64, query: Query, until: Moment) -> Self {
        Self {
            query,
            since: Moment(until.0.saturating_sub(seconds)),
            until,
        }
    }

    /// One question for each price type: the offers of a query between two moments.
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

    /// The one number of GPUs that the query asks for; `None` if it is about several.
    pub fn gpus(&self) -> Option<u32> {
        match only(&self.query, "num_gpus")? {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it saturates
            Value::Number(gpus) => Some(*gpus as u32),
            Value::Null | Value::Flag(_) | Value::Text(_) | Value::Version(_) => None,
        }
    }

    /// The one GPU model that the query asks for; `None` if it is about several.
    pub fn model(&self) -> Option<&str> {
        model_of(&self.query)
    }

    /// The one machine, or cluster of volumes, that the query asks for.
    pub fn machine(&self) -> Option<i64> {
        let id = only(&self.query, "machine_id").or_else(|| only(&self.query, "cluster_id"))?;
        i64::try_from(id.whole()?).ok()
    }

    /// The lowest price of a spell of its excerpt, with the storage of the query; `None` if it is none, as in a
    /// damaged database.
    pub fn price_of(&self, spell: &Spell) -> Option<f64> {
        let price = lowest_price(spell.quotes.iter().copied(), spell.price, None, self.query.storage_gb());
        price.filter(|price| price.is_finite())
    }

    /// Whether a price decides what is found, so that what is new may only have become cheaper.
    pub fn is_bound_by_price(&self) -> bool {
        let mut conditions = self.query.active();
        conditions.any(|condition| crate::is_price(condition.field.key))
    }
}

/// The one GPU model that a query asks for.
pub(crate) fn model_of(query: &Query) -> Option<&str> {
    match only(query, "gpu_name")? {
        Value::Text(name) => Some(name),
        Value::Null | Value::Flag(_) | Value::Number(_) | Value::Version(_) => None,
    }
}

/// The one value of a field that a query's conditions ask for.
fn only<'q>(query: &'q Query, key: &str) -> Option<&'q Value> {
    let mut conditions = query.active().filter(|condition| condition.field.key == key);
    conditions.find_map(|condition| match (&condition.operator, &condition.operand) {
        (Operator::Eq, Operand::One(value)) => Some(value),
        _ => None,
    })
}

impl Excerpt {
    /// The part about a question's models, machines and numbers of GPUs. Where none of the numbers is on offer any
    /// more the lot is gone, whatever else the machine offers.
    #[must_use]
    pub fn narrowed(mut self, question: &Question) -> Self {
        let conditions: Vec<&Condition> = question.query.active().collect();
        let meets = |key: &str, cell: CellRef<'_>| {
            let mut asked = conditions.iter().filter(|condition| condition.field.key == key);
            asked.all(|condition| condition.accepts(cell))
        };
        #[expect(clippy::cast_precision_loss)] // ids of machines are far below 2^53
        let is_lot = |spell: &Spell| {
            let machine = CellRef::Number(spell.lot.machine as f64);
            let is_host = spell
                .host
                .is_none_or(|host| meets("host_id", CellRef::Number(host as f64)));
            is_host
                && meets("machine_id", machine)
                && meets("cluster_id", machine)
                && meets("gpu_name", CellRef::Text(&spell.lot.model))
        };
        let is_sized = conditions.iter().any(|condition| condition.field.key == "num_gpus");
        let is_size = |quote: &Quote| meets("num_gpus", CellRef::Number(quote.gpus.into()));
        self.spells.retain_mut(|spell| {
            if is_sized {
                spell.quotes.retain(is_size);
            }
            is_lot(spell) && !(is_sized && spell.quotes.is_empty())
        });
        if is_sized {
            self.end_where_no_size_goes_on();
        }
        self
    }

    fn end_where_no_size_goes_on(&mut self) {
        let begun: std::collections::HashSet<_> = self
            .spells
            .iter()
            .map(|spell| (spell.lot.clone(), spell.first))
            .collect();
        for spell in &mut self.spells {
            if let Some((ending @ Ending::Changed, at)) = &mut spell.end
                && !begun.contains(&(spell.lot.clone(), *at))
            {
                *ending = Ending::Gone(crate::Cause::Unknown);
            }
        }
    }
}

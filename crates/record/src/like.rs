//! The offers that one is compared with: those like it.

use bourse_domain::value::Value;
use bourse_domain::{Condition, Listing, Operand, Operator, Query, Resource};

use crate::differences::recorded_lot;

/// Megabytes of a gigabyte, as memory is sold: a card of 24 GB reports 24,564 MB.
const SOLD_GB: f64 = 1024.0;

/// The offers of a query like that of a row: of the same model with the same memory and number of GPUs, at the query's
/// price type and storage. All volumes are alike. `None` if the row does not say what it is.
pub fn offers_like(query: &Query, listing: &Listing, row: u32) -> Option<Query> {
    let lot = recorded_lot(listing, row)?;
    let catalog = query.catalog();
    let mut like = Query {
        order: Vec::new(),
        limit: None,
        ..query.clone()
    };
    match query.resource {
        Resource::Volumes => return Some(like),
        Resource::Workergroups => return None,
        Resource::Offers => {}
    }
    let number = |key: &str| listing.cell(row as usize, catalog.by_key(key)?).number();
    let mut add = |key: &str, operator: Operator, value: Value| {
        let Some(field) = catalog.by_key(key) else { return };
        let condition = Condition::new(field, operator, Operand::One(value));
        if !like.conditions.contains(&condition) {
            like.conditions.push(condition);
        }
    };
    add("gpu_name", Operator::Eq, Value::Text(lot.model));
    add("num_gpus", Operator::Eq, Value::Number(number("num_gpus")?));
    if let Some(megabytes) = number("gpu_ram").filter(|megabytes| *megabytes > 0.0) {
        let sold = (megabytes / SOLD_GB).round();
        add("gpu_ram", Operator::Gte, Value::Number((sold - 0.5) * SOLD_GB));
        add("gpu_ram", Operator::Lt, Value::Number((sold + 0.5) * SOLD_GB));
    }
    Some(like)
}

//! What a plan is turned into: texts to copy, and the search of a workergroup.

use super::{Cluster, bill};
use crate::app::State;
use crate::app::copy::CopyItem;
use crate::app::copy_formats;
use crate::domain::insight::facets;
use crate::domain::{
    Condition, Dialect, Field, Listing, Operand, Operator, Query, Resource, Value, language,
};

/// The conditions that find the offers of a plan: those of the search, with machines, models and
/// sizes as planned. A market that does not filter by machine gets the countries instead.
pub(super) fn conditions(
    listing: &Listing,
    rows: &[u32],
    query: &Query,
    dialect: &'static Dialect,
) -> Vec<Condition> {
    let catalog = Resource::Offers.catalog();
    let field = |key: &str| catalog.by_key(key);
    let machine = field("machine_id").filter(|own| dialect.sends(own));
    let fields = ["gpu_name", "num_gpus"].map(field);
    let planned: Vec<Condition> = fields
        .into_iter()
        .chain([machine.or_else(|| field("geolocation"))])
        .flatten()
        .filter_map(|field| any_of(listing, rows, field))
        .collect();
    let is_kept = |own: &&Condition| {
        !own.field.is_computed() && planned.iter().all(|new| new.field != own.field)
    };
    let kept: Vec<Condition> = query.active().filter(is_kept).cloned().collect();
    kept.into_iter().chain(planned).collect()
}

/// The least memory of a GPU in the rows, in MB; `None` if no row reports it.
pub(super) fn least_memory(listing: &Listing, rows: &[u32]) -> Option<f64> {
    let column = listing.column(Resource::Offers.catalog().by_key("gpu_ram")?);
    let sizes = rows
        .iter()
        .filter_map(|row| column.cell(*row as usize).number());
    sizes.min_by(f64::total_cmp)
}

/// The condition that a field has one of its values in the rows.
fn any_of(listing: &Listing, rows: &[u32], field: &'static Field) -> Option<Condition> {
    let conditions = facets(listing, rows, field).into_iter();
    let mut values: Vec<Value> = conditions
        .map(|(value, _)| value.condition(field).operand)
        .filter_map(|operand| match operand {
            Operand::One(Value::Null) | Operand::Many(_) => None,
            Operand::One(value) => Some(value),
        })
        .collect();
    match values.len() {
        0 => None,
        1 => Some(Condition::new(
            field,
            Operator::Eq,
            Operand::One(values.remove(0)),
        )),
        _ => Some(Condition::new(field, Operator::In, Operand::Many(values))),
    }
}

/// What can be copied of a plan.
pub(super) fn items(view: &Cluster, state: &State) -> Vec<CopyItem> {
    let offers = &state.browsers[Resource::Offers];
    let Some(listing) = offers.listing() else {
        return Vec::new();
    };
    let rows = view.rows();
    let id = |row: u32| {
        listing
            .id(row as usize)
            .map_or_else(String::new, |id| id.to_string())
    };
    let ids: Vec<String> = rows.iter().map(|row| id(*row)).collect();
    let query = offers.shown_query().unwrap_or(&offers.query);
    let search = language::print(&conditions(listing, &rows, query, offers.dialect()));
    vec![
        CopyItem::new(
            'p',
            "copy-plan",
            "the plan and its bill",
            Ok(text(view, state, id)),
        ),
        CopyItem::new('i', "copy-ids", "the ids of the offers", Ok(ids.join(" "))),
        CopyItem::new(
            't',
            "copy-table",
            "the offers as a Markdown table",
            copy_formats::table(listing, &rows, &offers.columns, offers.dialect()),
        ),
        CopyItem::new(
            'j',
            "copy-json",
            "the offers as JSON",
            copy_formats::rows_json(listing, &rows),
        ),
        CopyItem::new('q', "copy-query", "a query for the offers", Ok(search)),
    ]
}

/// The plan as lines of text: what it is, its offers, what else to know.
fn text(view: &Cluster, state: &State, id: impl Fn(u32) -> String) -> String {
    let offers = &state.browsers[Resource::Offers];
    let (Ok(need), Some(planning)) = (&view.need, &view.planning) else {
        return String::new();
    };
    let Some(plan) = &planning.plan else {
        return String::new();
    };
    let bill = bill(offers);
    let mut lines = vec![format!("{}: {}", plan.words(), bill.money(plan.bill))];
    let picks = view.picks.iter();
    lines.extend(picks.map(|(row, price)| format!("{}  {}", id(*row), bill.money(*price))));
    let remarks = planning.remarks(need, bill, id).into_iter();
    lines.extend(remarks.map(|remark| remark.text));
    lines.join("\n")
}

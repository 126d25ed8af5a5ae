//! Applies a search: filter, order, limit.

use std::cmp::Ordering;

use bourse_domain::listing::compare_cells;
use bourse_domain::value::JsonKind;
use bourse_domain::{CellRef, Field, Source};

use super::super::market::{Cell, Record};
use super::Search;

/// The result of a search.
pub struct Hits<T> {
    pub items: Vec<T>,
    /// Whether the limit cut off some rows.
    pub is_truncated: bool,
}

/// The items whose rows match `search`, in its order, ties by id, up to its limit; with whether that cut off
/// some.
///
/// `row` makes rows one at a time: only their sort keys are stored.
pub fn pick<'m, T, R: Record<'m>>(items: impl Iterator<Item = T>, row: impl Fn(&T) -> R, search: &Search) -> Hits<T> {
    let mut hits: Vec<(Vec<CellRef<'m>>, f64, T)> = items
        .filter_map(|item| {
            let row = row(&item);
            let accepted = search
                .conditions
                .iter()
                .all(|condition| condition.accepts(cell(&row, condition.field)));
            accepted.then(|| {
                let keys = search.order.iter().map(|key| cell(&row, key.field)).collect();
                let id = match row.member("id") {
                    Some(Cell::Number(id)) => id,
                    _ => 0.0,
                };
                (keys, id, item)
            })
        })
        .collect();
    hits.sort_by(|(left, left_id, _), (right, right_id, _)| {
        search
            .order
            .iter()
            .zip(left.iter().zip(right))
            .map(|(key, (left, right))| compare_cells(key.field, *left, *right, key.direction))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
            .then_with(|| left_id.total_cmp(right_id))
    });
    let is_truncated = hits.len() > search.limit;
    hits.truncate(search.limit);
    Hits {
        items: hits.into_iter().map(|(_, _, item)| item).collect(),
        is_truncated,
    }
}

/// The cell of a field in a row; `Missing` if the row has no such member.
fn cell<'m>(row: &impl Record<'m>, field: &Field) -> CellRef<'m> {
    let value = match field.source {
        Source::Member(name) | Source::Search(name) | Source::TimeLeft(name, _) | Source::Since(name) => {
            row.member(name)
        }
        Source::Known(name) => row.member(name).map(|cell| match cell {
            Cell::Number(0.0) => Cell::Null,
            cell => cell,
        }),
        Source::Either(names) => names.iter().find_map(|name| row.member(name)),
        Source::Nested(object, member) => match row.member(object) {
            Some(Cell::Charges(charges)) => charges.member(member),
            _ => None,
        },
        Source::TextIs(name, text) => row.member(name).map(|cell| match cell {
            Cell::Text(value) => Cell::Flag(value == text),
            cell => cell,
        }),
        Source::NumberIs(name, number) => row.member(name).map(|cell| match cell {
            Cell::Number(value) => Cell::Flag(super::super::numbers::whole(value) == number),
            cell => cell,
        }),
        Source::Nowhere | Source::Computed => None,
    };
    match value {
        None => CellRef::Missing,
        Some(Cell::Null) => CellRef::Null,
        Some(Cell::Flag(flag)) => CellRef::Flag(flag),
        Some(Cell::Number(number)) => CellRef::Number(number),
        Some(Cell::Text(text)) => CellRef::Text(text),
        Some(Cell::Charges(_) | Cell::List) => CellRef::Bad(JsonKind::List),
    }
}

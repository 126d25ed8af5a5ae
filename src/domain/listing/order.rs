//! Sorting of rows. Every cell becomes an integer that sorts like it, so that two rows are compared
//! without reading cells.

use std::cmp::Ordering;

use super::{Cell, Column, Listing, RowId};
use crate::domain::field::{Field, Kind};
use crate::domain::query::{Direction, OrderKey};
use crate::domain::value::{CellRef, Version};

impl Listing {
    /// The rows, lowest id first.
    pub(crate) fn by_id(&self) -> &[u32] {
        self.by_id.get_or_init(|| {
            let mut sorted: Vec<(RowId, u32)> = self.ids.iter().copied().zip(0..).collect();
            sorted.sort_unstable();
            sorted.into_iter().map(|(_, row)| row).collect()
        })
    }

    /// Sorts row numbers by `order`; rows without a value come last in either direction, ties go by
    /// id.
    pub fn sort(&self, rows: &mut [u32], order: &[OrderKey]) {
        let codes: Vec<Vec<u64>> = order.iter().map(|key| self.codes(key, rows)).collect();
        let code = |key: usize, index: usize| codes.get(key).map_or(0, |codes| u128::from(codes[index]));
        // Two codes beside the id, as most orders have no more, and as what lies elsewhere takes twice as long to sort.
        let mut sorted: Vec<(u128, RowId, usize)> = rows
            .iter()
            .enumerate()
            .map(|(index, row)| (code(0, index) << 64 | code(1, index), self.ids[*row as usize], index))
            .collect();
        sorted.sort_unstable_by(|left, right| {
            let by_key = |codes: &Vec<u64>| codes[left.2].cmp(&codes[right.2]);
            let by_rest = || codes.iter().skip(2).map(by_key).find(|order| order.is_ne());
            left.0
                .cmp(&right.0)
                .then_with(|| by_rest().unwrap_or(Ordering::Equal))
                .then_with(|| left.1.cmp(&right.1))
        });
        let unsorted = rows.to_vec();
        for (row, (.., index)) in rows.iter_mut().zip(sorted) {
            *row = unsorted[index];
        }
    }

    /// The cells of one sort key as integers that sort like them, one for each row to be sorted.
    fn codes(&self, key: &OrderKey, rows: &[u32]) -> Vec<u64> {
        let (field, column) = (key.field, self.column(key.field));
        let cells = || rows.iter().map(|row| column.raw(*row as usize));
        let codes: Vec<Option<u64>> = if column.texts().is_empty() {
            let code = |cell| match cell {
                Cell::Number(number) => Some(ordered_bits(number)),
                Cell::Flag(flag) => Some(u64::from(flag)),
                _ => None,
            };
            cells().map(code).collect()
        } else if field.kind == Kind::Id || cells().any(|cell| matches!(cell, Cell::Number(_) | Cell::Flag(_))) {
            // The digits of ids sort by their value.
            mixed_ranks(field, column, rows)
        } else {
            let ranks = text_ranks(field, column);
            let code = |cell| match cell {
                Cell::Text(text) => Some(ranks[text as usize]),
                _ => None,
            };
            cells().map(code).collect()
        };
        let code = |code: Option<u64>| match (code, key.direction) {
            (None, _) => u64::MAX,
            (Some(code), Direction::Ascending) => code,
            (Some(code), Direction::Descending) => (!code).saturating_sub(1),
        };
        codes.into_iter().map(code).collect()
    }
}

/// An integer that sorts as [`f64::total_cmp`] does.
const fn ordered_bits(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The place of every distinct text of a column in their order.
fn text_ranks(field: &Field, column: &Column) -> Vec<u64> {
    let version = |text: &str| Version::parse(text.trim()).map_or(0, |version| version.code);
    let texts = column.texts().iter().zip(0_usize..);
    let mut sorted: Vec<_> = texts
        .map(|(text, index)| {
            let text = text.compared();
            let code = if field.kind == Kind::Version { version(text) } else { 0 };
            (code, text, index)
        })
        .collect();
    sorted.sort_unstable();
    let mut ranks = vec![0; sorted.len()];
    for (rank, (_, _, index)) in (0..).zip(sorted) {
        ranks[index] = rank;
    }
    ranks
}

/// The ranks of cells of several kinds; equal ones share a rank, blank ones have none.
fn mixed_ranks(field: &Field, column: &Column, rows: &[u32]) -> Vec<Option<u64>> {
    let cell = |index: usize| column.cell(rows[index] as usize);
    let compare = |left: usize, right: usize| compare_cells(field, cell(left), cell(right), Direction::Ascending);
    let mut sorted: Vec<usize> = (0..rows.len()).filter(|index| !cell(*index).is_blank()).collect();
    sorted.sort_by(|left, right| compare(*left, *right));
    let mut ranks = vec![None; rows.len()];
    let equal = sorted.chunk_by(|left, right| compare(*left, *right).is_eq());
    for (rank, ties) in (0..).zip(equal) {
        for index in ties {
            ranks[*index] = Some(rank);
        }
    }
    ranks
}

/// Orders two cells of a field; blanks come last in either direction.
pub fn compare_cells(field: &Field, left: CellRef<'_>, right: CellRef<'_>, direction: Direction) -> Ordering {
    let ascending = match (left, right) {
        (left, right) if left.is_blank() || right.is_blank() => {
            return left.is_blank().cmp(&right.is_blank());
        }
        (CellRef::Number(left), CellRef::Number(right)) => left.total_cmp(&right),
        (left, right) if field.kind == Kind::Id => left.whole().cmp(&right.whole()),
        (CellRef::Flag(left), CellRef::Flag(right)) => left.cmp(&right),
        (CellRef::Text(left), CellRef::Text(right)) if field.kind == Kind::Version => {
            let code = |text: &str| Version::parse(text.trim()).map_or(0, |version| version.code);
            code(left).cmp(&code(right)).then_with(|| left.cmp(right))
        }
        (CellRef::Text(left), CellRef::Text(right)) => left.cmp(right),
        // Mixed kinds in one column: any fixed order will do.
        (left, right) => rank(left).cmp(&rank(right)),
    };
    match direction {
        Direction::Ascending => ascending,
        Direction::Descending => ascending.reverse(),
    }
}

const fn rank(cell: CellRef<'_>) -> u8 {
    match cell {
        CellRef::Number(_) => 0,
        CellRef::Text(_) => 1,
        CellRef::Flag(_) => 2,
        _ => 3,
    }
}

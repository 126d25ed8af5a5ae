//! Sorting of rows.
//!
//! Every cell becomes an integer that sorts like it, so that two rows are compared without reading cells.

use std::cmp::Ordering;

use super::{Cell, Column, Listing, RowId};
use crate::field::{Field, Kind};
use crate::query::{Direction, OrderKey};
use crate::value::{CellRef, Version};

impl Listing {
    /// All rows, lowest id first.
    pub fn by_id(&self) -> &[u32] {
        self.by_id.get_or_init(|| {
            let mut sorted: Vec<(RowId, u32)> = self.ids.iter().copied().zip(0..).collect();
            sorted.sort_unstable();
            sorted.into_iter().map(|(_, row)| row).collect()
        })
    }

    /// Sorts distinct row numbers by `order`; rows without a value come last in either direction, ties are
    /// sorted by id, lowest first.
    pub fn sort(&self, rows: &mut [u32], order: &[OrderKey]) {
        let mut is_wanted = vec![false; self.len()];
        for row in &*rows {
            is_wanted[*row as usize] = true;
        }
        // By id first, so that the index decides between equal rows.
        let mut by_id = Vec::with_capacity(rows.len());
        by_id.extend(self.by_id().iter().filter(|row| is_wanted[**row as usize]));
        let codes: Vec<Codes> = order.iter().map(|key| self.codes(key, &by_id)).collect();
        let indices = 0..by_id.len();
        let index_bits = usize::BITS - by_id.len().leading_zeros();
        let sorted: Vec<usize> = if codes.iter().map(|key| key.bits).sum::<u32>() + index_bits <= u128::BITS {
            // Most orders fit into one integer, which sorts in half the time.
            let pack = |index: usize| {
                let keys = codes
                    .iter()
                    .fold(0, |packed, key| packed << key.bits | u128::from(key.codes[index]));
                keys << index_bits | index as u128
            };
            let mut packed: Vec<u128> = indices.map(pack).collect();
            packed.sort_unstable();
            let mask = (1 << index_bits) - 1;
            packed.into_iter().map(|packed| (packed & mask) as usize).collect()
        } else {
            let mut sorted: Vec<usize> = indices.collect();
            sorted.sort_by(|left, right| {
                let by_key = |key: &Codes| key.codes[*left].cmp(&key.codes[*right]);
                codes
                    .iter()
                    .map(by_key)
                    .find(|order| order.is_ne())
                    .unwrap_or(Ordering::Equal)
            });
            sorted
        };
        for (row, index) in rows.iter_mut().zip(sorted) {
            *row = by_id[index];
        }
    }

    /// The cells of one sort key as integers that sort like them, one for each row to be sorted.
    fn codes(&self, key: &OrderKey, rows: &[u32]) -> Codes {
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
        let present = || codes.iter().flatten().copied();
        let (least, most) = (present().min().unwrap_or(0), present().max().unwrap_or(0));
        // Blank cells come after the last one.
        let code = |code: &Option<u64>| match (*code, key.direction) {
            (None, _) => (most - least).saturating_add(1),
            (Some(code), Direction::Ascending) => code - least,
            (Some(code), Direction::Descending) => most - code,
        };
        Codes {
            codes: codes.iter().map(code).collect(),
            bits: u64::BITS - (most - least).saturating_add(1).leading_zeros(),
        }
    }
}

/// The sort codes of one key.
struct Codes {
    codes: Vec<u64>,
    /// The number of low bits of a code that are used.
    bits: u32,
}

/// An integer that sorts as [`f64::total_cmp`] does.
const fn ordered_bits(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The rank of every distinct text of a column, by its index; versions are ranked by their number.
fn text_ranks(field: &Field, column: &Column) -> Vec<u64> {
    let version = |text: &str| Version::parse(text.trim()).map_or(0, |version| version.code);
    let texts = column.texts().iter().zip(0_usize..);
    let mut sorted: Vec<_> = texts
        .map(|(text, index)| {
            let text = text.unescaped();
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

/// The ranks of the cells of `rows`, which may be of several kinds; equal cells share a rank, blank ones have
/// none.
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

/// Compares two cells of a field, versions part by part and ids by value; of different kinds, numbers come
/// before texts and these before flags. Blanks come last in either direction.
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
        // Any fixed order will do for mixed kinds in one column.
        (left, right) => rank(left).cmp(&rank(right)),
    };
    match direction {
        Direction::Ascending => ascending,
        Direction::Descending => ascending.reverse(),
    }
}

/// The order of kinds among cells of several kinds: numbers, texts, flags, others.
const fn rank(cell: CellRef<'_>) -> u8 {
    match cell {
        CellRef::Number(_) => 0,
        CellRef::Text(_) => 1,
        CellRef::Flag(_) => 2,
        _ => 3,
    }
}
